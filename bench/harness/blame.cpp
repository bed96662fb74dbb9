// See blame.h.
#include "bench/harness/blame.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/harness/ready.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "fuzz/process/tool.h"

namespace fusillade::bench {
namespace {

using nlohmann::json;

constexpr double kLeast = 0.005;  // as compare.py: a smaller change of a count is none

constexpr const char* kGradients = "autodiff";  // the pass that has a pipeline of its own

double excess(const Trial& t) { return t.after - t.before; }
double more(const Trial& t) { return 100 * (t.after / t.before - 1); }

// Is a step, or a sum of them, most of what the whole plan costs more?
bool is_half(double gain, const std::vector<Trial>& trials) {
  return 2 * gain >= excess(trials.back());
}

// The characters of a name, as a regular expression that matches it alone.
std::string exactly(const std::string& name) {
  std::string out = "^";
  for (char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out + "$";
}

// The first trial whose graphs differ, if most of the excess comes from there on; else 0. Of the
// pipeline of gradients the excess must be there with it alone: other passes feed it.
size_t other_graph(const std::vector<Trial>& trials) {
  for (size_t i = 0; i < trials.size(); ++i) {
    const Trial& t = trials[i];
    if (t.before_code.empty() || t.after_code.empty()) return 0;
    if (t.before_code == t.after_code) continue;
    if (i == 0 || !is_half(excess(trials.back()) - excess(trials[i - 1]), trials)) return 0;
    return t.pass == kGradients && !is_half(excess(t) - excess(trials[i - 1]), trials) ? 0 : i;
  }
  return 0;
}

// What each trial costs more than the one before it; the first: what is there without any pass.
std::vector<double> steps_of(const std::vector<Trial>& trials) {
  std::vector<double> out{excess(trials[0])};
  for (size_t i = 1; i < trials.size(); ++i)
    out.push_back(excess(trials[i]) - excess(trials[i - 1]));
  return out;
}

// Where no single step decides, all steps of one pass together may: a plan can repeat a pass.
std::string blamed_in_all(const std::vector<Trial>& trials, const std::vector<double>& steps) {
  std::map<std::string, std::pair<double, int>> sums;
  for (size_t i = 1; i < trials.size(); ++i) {
    sums[trials[i].pass].first += steps[i];
    ++sums[trials[i].pass].second;
  }
  const auto most =
      std::ranges::max_element(sums, {}, [](const auto& by_pass) { return by_pass.second.first; });
  const double all = more(trials.back());
  if (most == sums.end() || !is_half(most->second.first, trials))
    return fmt::format("unknown: {:+.2f} % with all, no pass adds half of it", all);
  return fmt::format("pass {}: {:.0f} % of {:+.2f} %, by {} of it together", most->first,
                     100 * most->second.first / excess(trials.back()), all, most->second.second);
}

std::string blamed_at(size_t at, const std::vector<Trial>& trials) {
  if (at == 0) return fmt::format("no pass: {:+.2f} % without any", more(trials[0]));
  const double without = more(trials[at - 1]), with = more(trials[at]), all = more(trials.back());
  return fmt::format("pass {}: {:+.2f} % without it, {:+.2f} % with it{}", trials[at].words,
                     without, with,
                     all - with > 100 * kLeast ? fmt::format(", {:+.2f} % with all", all) : "");
}

}  // namespace

std::vector<Trial> trials_of(const Plan& plan, bool backward) {
  Plan p = plan;
  p.fuel = -1;
  p.pipeline.clear();
  std::vector<Trial> out{{.plan = to_string(p)}};
  const auto is_gradients = [](const PassCall& call) { return call.pass->name == kGradients; };
  const auto kept =
      backward ? std::ranges::find_if(plan.pipeline, is_gradients) : plan.pipeline.end();
  if (kept != plan.pipeline.end()) {
    p.pipeline.push_back(*kept);
    out.push_back({.plan = to_string(p),
                   .pass = kGradients,
                   .words = fmt::format("{} (the pipeline of gradients)", kGradients)});
  }
  auto place = p.pipeline.begin();  // before what is kept, until that is met
  for (auto call = plan.pipeline.begin(); call != plan.pipeline.end(); ++call) {
    if (call == kept) ++place;
    else {
      place = p.pipeline.insert(place, *call) + 1;
      out.push_back({.plan = to_string(p), .pass = call->pass->name, .words = call->text()});
    }
  }
  return out;
}

std::string blame_text(const std::vector<Trial>& trials) {
  if (more(trials.back()) <= 100 * kLeast)
    return fmt::format("no pass: counted, it is {:+.2f} %", more(trials.back()));
  if (const size_t at = other_graph(trials)) return blamed_at(at, trials);
  const std::vector<double> steps = steps_of(trials);
  const auto most = std::ranges::max_element(steps);
  if (!is_half(*most, trials)) return blamed_in_all(trials, steps);
  return blamed_at(static_cast<size_t>(most - steps.begin()), trials);
}

Blamer::Counted Blamer::count_trials(const fuzz::CommitBuild& build, const Regressed& row,
                                     const std::vector<Trial>& trials) {
  const std::string file = out_ + "/blame.json";
  std::vector<std::string> command{build.binary, "bench"};
  command.insert(command.end(), words_.begin(), words_.end());
  command.insert(command.end(), {"--filter", exactly(row.program), "--processes", "1",
                                 "--iterations", "20", "--no-check", "--instructions"});
  for (const Trial& t : trials) command.insert(command.end(), {"--plan", t.plan});
  command.insert(command.end(), {"--out", file});
  fuzz::output_of({command});
  const json measured = json::parse(read_text_file(file));
  Counted out;
  for (const json& b : measured["benchmarks"]) {
    const json& n = b["instructions"];
    if (n.is_null()) fail("{}: instructions of {} were not counted", file, row.plan);
    out.steady[b["engine"]] = n["steady"];
    const json& code = b["code"]["program"];
    out.code[b["engine"]] = code.is_null() ? "" : code.get<std::string>();
    out.first[b["engine"]] = n["compile"].get<double>() + n["first_call"].get<double>();
  }
  return out;
}

const Blamer::Pair& Blamer::counts_of(const Regressed& row, const std::vector<Trial>& trials) {
  const auto key = std::make_pair(row.program, row.plan);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_[key] = {count_trials(before_, row, trials), count_trials(after_, row, trials)};
}

const Program& Blamer::program_of(const Regressed& row) const {
  const auto found = std::ranges::find(programs_, row.program, &Program::name);
  if (found == programs_.end()) fail("no program {} was loaded", row.program);
  return *found;
}

std::string Blamer::blame(const Regressed& row) {
  const Program& program = program_of(row);
  std::vector<Trial> trials = trials_of(plan_of(program, parse_plan(row.plan)), program.backward);
  make_folder(out_);
  const Pair& both = counts_of(row, trials);
  for (Trial& t : trials) {
    t.before = (row.compile ? both.before.first : both.before.steady).at(t.plan);
    t.after = (row.compile ? both.after.first : both.after.steady).at(t.plan);
    t.before_code = both.before.code.at(t.plan);
    t.after_code = both.after.code.at(t.plan);
  }
  return blame_text(trials);
}

}  // namespace fusillade::bench
