// See series.h.
#include "bench/harness/series.h"

#include <nlohmann/json.hpp>

namespace fusillade::bench {

using nlohmann::json;

json to_json(const PlanSeries& s) {
  json events = json::array();
  for (const JitEvent& e : s.events)
    events.push_back({e.kind, e.what, e.call, e.count, e.at, e.took});
  const Stages& t = s.stages;
  return {{"compile", s.compile},
          {"first", s.first_call},
          {"second", s.second_call},
          {"stages", {t.worker_start, t.script, t.passes, t.lowering, t.codegen, t.linking}},
          {"engine", s.engine},
          {"counters", s.counters},
          {"batch", s.batch},
          {"rounds", s.rounds},
          {"cpu", s.cpu},
          {"events", events}};
}

PlanSeries series_of(const json& j) {
  PlanSeries s;
  j["compile"].get_to(s.compile);
  j["first"].get_to(s.first_call);
  j["second"].get_to(s.second_call);
  j["batch"].get_to(s.batch);
  j["rounds"].get_to(s.rounds);
  j["cpu"].get_to(s.cpu);
  const json& t = j["stages"];
  s.stages = {t[0], t[1], t[2], t[3], t[4], t[5]};
  j["engine"].get_to(s.engine);
  j["counters"].get_to(s.counters);
  for (const json& e : j["events"]) s.events.push_back({e[0], e[1], e[2], e[3], e[4], e[5]});
  return s;
}

}  // namespace fusillade::bench
