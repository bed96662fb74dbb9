// See part.h.
#include "fuzz/campaign/part.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

std::string verdict_word(int i) { return name_of(static_cast<VerdictKind>(i)); }

json print(const Counters& c) {
  json verdicts = json::object();
  for (int i = 0; i < kNumVerdicts; ++i) verdicts[verdict_word(i)] = c.verdicts[i];
  return {{"programs", c.programs}, {"executions", c.executions}, {"verdicts", verdicts},
          {"compared", c.compared}, {"tight", c.tight},           {"untrusted", c.untrusted},
          {"unsaved", c.unsaved},   {"replayed", c.replayed}};
}

Counters parse_counters(const json& j) {
  Counters c;
  j.at("programs").get_to(c.programs);
  j.at("executions").get_to(c.executions);
  for (int i = 0; i < kNumVerdicts; ++i) j.at("verdicts").at(verdict_word(i)).get_to(c.verdicts[i]);
  j.at("compared").get_to(c.compared);
  j.at("tight").get_to(c.tight);
  j.at("untrusted").get_to(c.untrusted);
  j.at("unsaved").get_to(c.unsaved);
  c.replayed = j.value("replayed", uint64_t{0});  // older ones have none
  return c;
}

json print(const Sample& s) {
  return {s.seconds,   s.programs, s.findings,  s.ok,      s.failed,
          s.untrusted, s.skipped,  s.operators, s.rewrites};
}

Sample parse_sample(const json& j) {
  Sample s;
  j.at(0).get_to(s.seconds);
  uint64_t* const fields[] = {&s.programs,  &s.findings, &s.ok,        &s.failed,
                              &s.untrusted, &s.skipped,  &s.operators, &s.rewrites};
  size_t at = 0;
  for (uint64_t* field : fields) j.at(++at).get_to(*field);
  return s;
}

// A thousand parts are read for each merge, and a curve of so many points is as good as any.
constexpr double kMost = 512;

// At the step of a part, and the last one.
std::vector<Sample> of_part(const std::vector<Sample>& samples) {
  if (samples.empty()) return samples;
  std::vector<Sample> out = thin_out(samples, sample_step(samples.back().seconds, kMost));
  if (!(out.back() == samples.back())) out.push_back(samples.back());
  return out;
}

// The last one at that time or before.
Sample at_time(const std::vector<Sample>& samples, double seconds) {
  const auto behind = std::ranges::upper_bound(samples, seconds, {}, &Sample::seconds);
  return behind == samples.begin() ? Sample{} : *(behind - 1);
}

}  // namespace

std::string print(const Part& p) {
  json samples = json::array();
  for (const Sample& s : p.samples) samples.push_back(print(s));
  const json j = {
      {"shard", p.shard.text()}, {"jobs", p.jobs},          {"totals", print(p.totals)},
      {"reasons", p.reasons},    {"reach", p.reach.text()}, {"cost", p.cost.text()},
      {"seconds", p.seconds},    {"after", p.after},        {"job_seconds", p.job_seconds},
      {"engines", p.engines},    {"samples", samples}};
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

Part parse_part(const std::string& text) {
  const json j = json::parse(text);
  Part p;
  p.shard = parse_shard(j.at("shard").get<std::string>());
  j.at("jobs").get_to(p.jobs);
  p.totals = parse_counters(j.at("totals"));
  j.at("reasons").get_to(p.reasons);
  p.reach = Reach::parse(j.at("reach").get<std::string>());
  p.cost = Cost::parse(j.at("cost").get<std::string>());
  j.at("seconds").get_to(p.seconds);
  j.at("after").get_to(p.after);
  j.at("job_seconds").get_to(p.job_seconds);
  j.at("engines").get_to(p.engines);
  for (const json& s : j.at("samples")) p.samples.push_back(parse_sample(s));
  return p;
}

Part part_of(const Store& store) {
  Part p;
  p.shard = parse_shard(store.meta("shard"));
  p.jobs = std::max(1, std::atoi(store.meta("jobs").c_str()));
  p.totals = store.load_totals();
  p.reasons = store.load_reasons();
  p.reach = Reach::parse(store.meta("reach"));
  p.cost = Cost::parse(store.meta("cost"));
  p.seconds = store.load_seconds();
  p.after = std::min(p.seconds, std::strtod(store.meta("seconds_after").c_str(), nullptr));
  p.job_seconds = store.load_job_seconds();
  if (const std::string engines = store.meta("engines"); !engines.empty())
    json::parse(engines).get_to(p.engines);
  p.samples = of_part(store.samples());
  if (!p.samples.empty()) p.seconds = std::max(p.seconds, p.samples.back().seconds);
  return p;
}

bool goes_on(const Part& earlier, const Part& later) {
  const auto last = [](const Part& p) { return p.samples.empty() ? 0 : p.samples.back().seconds; };
  const double step = sample_step(last(later), kMost);
  const std::vector<Sample> before = thin_out(earlier.samples, step);
  const std::vector<Sample> after = thin_out(later.samples, step);
  if (before.size() > after.size()) return false;
  if (!std::equal(before.begin(), before.end(), after.begin())) return false;
  if (last(earlier) != last(later)) return last(earlier) < last(later);
  // What is stored with the samples may be a moment newer. Then one of both is kept, whatever their
  // order.
  const bool same = print(earlier.totals) == print(later.totals) && earlier.shard == later.shard &&
                    earlier.reasons == later.reasons;
  return same && print(earlier) <= print(later);
}

std::vector<Sample> on_one_clock(const std::vector<Part>& parts, double seconds,
                                 const std::vector<double>& first_seen, const Reach& reached) {
  std::vector<double> times;
  const double step = sample_step(seconds, kMost);
  for (double t = step; t < seconds; t += step) times.push_back(t);
  if (seconds > 0) times.push_back(seconds);
  std::vector<double> seen = first_seen;
  std::ranges::sort(seen);
  std::vector<Sample> out;
  for (const double t : times) {
    Sample sum{.seconds = t};
    for (const Part& p : parts) {
      const Sample s = at_time(p.samples, t);
      sum.programs += s.programs;
      sum.ok += s.ok;
      sum.failed += s.failed;
      sum.untrusted += s.untrusted;
      sum.skipped += s.skipped;
      // Which kinds they are is reported only at the end.
      sum.operators = std::max(sum.operators, s.operators);
      sum.rewrites = std::max(sum.rewrites, s.rewrites);
    }
    sum.findings = static_cast<uint64_t>(std::ranges::upper_bound(seen, t) - seen.begin());
    out.push_back(sum);
  }
  if (out.empty()) return out;
  out.back().findings = first_seen.size();
  out.back().operators = reached.operators.size();
  out.back().rewrites = reached.rewrites.size();
  return out;
}

ShardList shards_in(const Store& store) {
  ShardList result;
  if (const std::string merged = store.meta(kMerged); !merged.empty()) {
    result.of = std::strtoull(merged.c_str(), nullptr, 10);
    for (const auto& [name, text] : store.texts("part"))
      result.here.push_back(std::strtoull(name.c_str(), nullptr, 10));
    std::ranges::sort(result.here);
    return result;
  }
  const std::string text = store.meta("shard");
  const Shard shard = text.empty() ? Shard{} : parse_shard(text);
  result.of = shard.of;
  if (shard.of > 1) result.here = {shard.index};
  return result;
}

}  // namespace fusillade::fuzz
