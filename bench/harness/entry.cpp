// See entry.h.
#include "bench/harness/entry.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fusillade::bench {
namespace {

using nlohmann::json;

// One process has no interval.
json interval(const Estimate& e) {
  return {{"estimate", e.value * 1e9},
          {"lower", e.processes < 2 ? json() : json(e.lower * 1e9)},
          {"upper", e.processes < 2 ? json() : json(e.upper * 1e9)},
          {"level", 0.95},
          {"processes", e.processes}};
}

json maybe(std::optional<double> value) { return value ? json(*value) : json(); }

json counts(const Measured& m) {
  if (!m.instructions) return {};
  return {{"compile", m.instructions->compile},
          {"first_call", m.instructions->first_call},
          {"steady", m.instructions->steady}};
}

json memory(const Measured& m) {
  if (!m.cost) return {};
  return {{"allocations", m.cost->memory.allocations}, {"peak_bytes", m.cost->memory.peak_bytes}};
}

json work(const Measured& m) {
  if (!m.cost) return {};
  return {{"bytes", m.cost->bytes}, {"flops", m.cost->flops}, {"footprint", m.cost->footprint}};
}

std::string name_of(const Measured& m) {
  return m.program->name + "/" + m.plan.text + (m.alone ? " (alone)" : "");
}

json phases(const Measured& m) {
  json out = {{"compile", interval(m.compile)},
              {"first_call", interval(m.first_call)},
              {"steady", interval(m.call)}};
  for (const auto& [name, took] : m.stages) out[name] = interval(took);
  if (m.to_steady) out["to_steady"] = interval(*m.to_steady);
  return out;
}

// Where a call was measured: two before the rounds, then a batch for each.
json round_of(int64_t call, int batch) { return call < 2 ? json() : json((call - 2) / batch); }

json events(const PlanSeries& s) {
  json out = json::array();
  for (const JitEvent& e : s.events)
    out.push_back({{"kind", e.kind},
                   {"what", e.what},
                   {"call", e.call < 0 ? json() : json(e.call)},
                   {"round", round_of(e.call, s.batch)},
                   {"count", e.count},
                   {"at_ns", e.at * 1e9},
                   {"took_ns", e.took * 1e9}});
  return out;
}

// What is kept of each process.
void add_processes(const Measured& m, json& out) {
  json warmup = json::array(), samples = json::array(), before = json::array();
  json all_events = json::array();
  int64_t iterations = 0;
  for (size_t p = 0; p < m.processes.size(); ++p) {
    const PlanSeries& s = m.processes[p];
    warmup.push_back({{"class", m.steady[p].kind}, {"steady_from", m.steady[p].start}});
    json series = json::array();
    for (double t : s.rounds) series.push_back(t * 1e9);
    samples.push_back(series);
    before.push_back({{"compile", s.compile * 1e9},
                      {"first_call", s.first_call * 1e9},
                      {"second_call", s.second_call * 1e9},
                      {"batch", s.batch}});
    all_events.push_back(events(s));
    iterations += static_cast<int64_t>(s.rounds.size()) * s.batch;
  }
  out["warmup"] = {{"rule", Steady::kRule}, {"per_process", warmup}};
  out["samples_ns"] = samples;
  out["before_rounds"] = before;
  out["events"] = all_events;
  out["iterations"] = iterations;
}

}  // namespace

json entry(const Measured& m, const Measured& base, int family, bool typed,
           const std::string& runtime) {
  const std::optional<int64_t> pays = &m == &base ? std::nullopt : break_even(base, m);
  json out = {{"name", name_of(m)},
              {"run_name", name_of(m)},
              {"run_type", "iteration"},
              {"family_index", family},
              {"per_family_instance_index", 0},
              {"repetitions", m.processes.size()},
              {"repetition_index", 0},
              {"threads", 1},
              {"real_time", m.call.value * 1e9},
              {"cpu_time", m.cpu.value * 1e9},
              {"time_unit", "ns"},
              {"engine", m.plan.text},
              {"program", m.program->name},
              {"mode", m.alone ? "alone" : "interleaved"},
              {"typed", typed},
              {"code", {{"program", m.code.empty() ? json() : json(m.code)}, {"runtime", runtime}}},
              {"phases", phases(m)},
              {"instructions", counts(m)},
              {"memory", memory(m)},
              {"work", work(m)},
              {"break_even_calls", pays ? json(*pays) : json()},
              {"aa", {{"steady", maybe(m.aa_steady)}, {"compile", maybe(m.aa_compile)}}},
              {"correctness", {{"verdict", m.verdict}, {"tight_share", m.tight_share}}}};
  if (!m.processes.empty() && !m.processes[0].engine.empty())
    out["engine_version"] = m.processes[0].engine;
  if (!m.processes.empty() && !m.processes[0].counters.empty())
    out["counters"] = m.processes[0].counters;
  add_processes(m, out);
  return out;
}

}  // namespace fusillade::bench
