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
    const json& code = b["code"]["program"];
    out.code[b["engine"]] = code.is_null() ? "" : code.get<std::string>();
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

namespace {

// Of what the new build costs more with the first i passes: where the greatest step is; 0: it is
// there without any.
size_t greatest_step(const std::vector<double>& excess) {
  size_t at = 0;
  double most = excess[0];
  for (size_t i = 1; i < excess.size(); ++i) {
    if (excess[i] - excess[i - 1] <= most) continue;
    most = excess[i] - excess[i - 1];
    at = i;
  }
  return at;
}

}  // namespace

// The first prefix whose graphs differ, if most of the excess comes from there on; else 0.
size_t Blamer::other_graph(const Pair& both, const std::vector<std::string>& plans,
                           const std::vector<double>& excess) {
  for (size_t i = 0; i < plans.size(); ++i) {
    const std::string& old = both.before.code.at(plans[i]);
    const std::string& now = both.after.code.at(plans[i]);
    if (old.empty() || now.empty()) return 0;
    if (old != now) return i > 0 && 2 * excess[i - 1] < excess.back() ? i : 0;
  }
  return 0;
}

std::string Blamer::blame(const Regressed& row) {
  const Plan plan = parse_plan(row.plan);
  const std::vector<std::string> plans = prefixes(plan);
  std::filesystem::create_directories(out_);
  const Pair& both = counts_of(row, plans);
  const Counts& old = row.compile ? both.before.first : both.before.steady;
  const Counts& now = row.compile ? both.after.first : both.after.steady;
  std::vector<double> excess, more;
  for (const std::string& p : plans) {
    excess.push_back(now.at(p) - old.at(p));
    more.push_back(100 * (now.at(p) / old.at(p) - 1));
  }
  if (more.back() <= 100 * kLeast)
    return fmt::format("no pass: counted, it is {:+.2f} %", more.back());
  size_t at = other_graph(both, plans, excess);
  if (at == 0) at = greatest_step(excess);
  if (at == 0) return fmt::format("no pass: {:+.2f} % without any", more[0]);
  Plan one;
  one.engine = plan.engine;
  one.pipeline = {plan.pipeline[at - 1]};
  const std::string pass = to_string(one).substr(plan.engine.size() + 1);
  const bool later = more.back() - more[at] > 100 * kLeast;
  return fmt::format("pass {}: {:+.2f} % without it, {:+.2f} % with it{}", pass, more[at - 1],
                     more[at], later ? fmt::format(", {:+.2f} % with all", more.back()) : "");
}

}  // namespace fusillade::bench
