// See blame.h.
#include "bench/harness/blame.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/run/plan.h"
#include "fuzz/process/tool.h"

namespace fusillade::bench {
namespace {

using nlohmann::json;

constexpr double kLeast = 0.005;  // as compare.py: a smaller change of a count is none

// The plan with none of its passes, the first, the first two, ... all.
std::vector<std::string> prefixes(const Plan& plan) {
  Plan p = plan;
  p.fuel = -1;
  p.pipeline.clear();
  std::vector<std::string> out{to_string(p)};
  for (const PassCall& call : plan.pipeline) {
    p.pipeline.push_back(call);
    out.push_back(to_string(p));
  }
  return out;
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

}  // namespace

Blamer::Counted Blamer::counted(const fuzz::CommitBuild& build, const Regressed& row,
                                const std::vector<std::string>& plans) {
  const std::string file = out_ + "/blame.json";
  std::vector<std::string> command{build.binary, "bench"};
  command.insert(command.end(), words_.begin(), words_.end());
  command.insert(command.end(), {"--filter", exactly(row.program), "--processes", "1",
                                 "--iterations", "20", "--no-check", "--instructions"});
  for (const std::string& p : plans) command.insert(command.end(), {"--plan", p});
  command.insert(command.end(), {"--out", file});
  fuzz::output_of({command});
  std::ifstream in(file);
  const json measured = json::parse(in);
  Counted out;
  for (const json& b : measured["benchmarks"]) {
    const json& n = b["instructions"];
    if (n.is_null()) fail("{}: instructions of {} were not counted", file, row.plan);
    out.steady[b["engine"]] = n["steady"];
    out.first[b["engine"]] = n["compile"].get<double>() + n["first_call"].get<double>();
  }
  return out;
}

const Blamer::Pair& Blamer::counts_of(const Regressed& row, const std::vector<std::string>& plans) {
  const auto key = std::make_pair(row.program, row.plan);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_[key] = {counted(before_, row, plans), counted(after_, row, plans)};
}

std::string Blamer::blame(const Regressed& row) {
  const Plan plan = parse_plan(row.plan);
  const std::vector<std::string> plans = prefixes(plan);
  std::filesystem::create_directories(out_);
  const Pair& both = counts_of(row, plans);
  const Counts& old = row.compile ? both.before.first : both.before.steady;
  const Counts& now = row.compile ? both.after.first : both.after.steady;
  const auto more = [&](size_t i) { return now.at(plans[i]) / old.at(plans[i]) - 1; };
  const auto excess = [&](size_t i) { return now.at(plans[i]) - old.at(plans[i]); };
  const double whole = more(plans.size() - 1);
  if (whole <= kLeast) return fmt::format("no pass: counted, it is {:+.2f} %", 100 * whole);
  size_t at = 0;
  double most = excess(0);
  for (size_t i = 1; i < plans.size(); ++i) {
    const double step = excess(i) - excess(i - 1);
    if (step <= most) continue;
    most = step;
    at = i;
  }
  if (at == 0) return fmt::format("no pass: {:+.2f} % without any", 100 * more(0));
  Plan one;
  one.engine = plan.engine;
  one.pipeline = {plan.pipeline[at - 1]};
  const std::string pass = to_string(one).substr(plan.engine.size() + 1);
  return fmt::format("pass {}: {:+.2f} % without it, {:+.2f} % with it", pass, 100 * more(at - 1),
                     100 * more(at));
}

}  // namespace fusillade::bench
