// See cost.h.
#include "fuzz/campaign/cost.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

double seconds(uint64_t ns) { return static_cast<double>(ns) / 1e9; }

double per(double whole, uint64_t count) { return count ? whole / static_cast<double>(count) : 0; }

}  // namespace

void Cost::add(const Slot& slot) {
  for (const PartCost& p : slot.costs) {
    if (p.times == 0) continue;
    Spent& spent = parts[std::string(p.name, strnlen(p.name, kCostName))];
    spent.times += p.times;
    spent.executions += p.executions;
    spent.ns += p.ns;
  }
  for (int i = 0; i < kNumStages; ++i)
    if (slot.stages.ns[i] > 0) stages[name_of(static_cast<Stage>(i))] += slot.stages.ns[i];
}

void Cost::add(const Cost& other) {
  for (const auto& [name, more] : other.parts) {
    Spent& spent = parts[name];
    spent.times += more.times;
    spent.executions += more.executions;
    spent.ns += more.ns;
  }
  for (const auto& [name, ns] : other.stages) stages[name] += ns;
  other_ns += other.other_ns;
}

std::string Cost::text() const {
  json p = json::object();
  for (const auto& [name, spent] : parts) p[name] = {spent.times, spent.executions, spent.ns};
  return json{{"parts", p}, {"stages", stages}, {"other", other_ns}}.dump();
}

Cost Cost::parse(const std::string& text) {
  Cost out;
  if (text.empty()) return out;
  const json j = json::parse(text);
  for (const auto& [name, p] : j.at("parts").items())
    out.parts[name] = {p.at(0).get<uint64_t>(), p.at(1).get<uint64_t>(), p.at(2).get<uint64_t>()};
  j.at("stages").get_to(out.stages);
  j.at("other").get_to(out.other_ns);
  return out;
}

json Cost::table() const {
  uint64_t all = 0, seen = 0;
  for (const auto& [name, spent] : parts) all += spent.ns;
  for (const auto& [name, ns] : stages) seen += ns;
  json rows = json::array();
  std::vector<std::pair<std::string, Spent>> sorted(parts.begin(), parts.end());
  std::ranges::sort(sorted, [](auto& a, auto& b) {
    return std::pair(b.second.ns, a.first) < std::pair(a.second.ns, b.first);
  });
  for (const auto& [name, spent] : sorted) {
    rows.push_back({{"part", name},
                    {"times", spent.times},
                    {"executions", spent.executions},
                    {"cpu_seconds", seconds(spent.ns)},
                    {"cpu_us_each", per(1e6 * seconds(spent.ns), spent.times)},
                    {"share", per(static_cast<double>(spent.ns), all)}});
  }
  json shares = json::object();
  for (const auto& [name, ns] : stages) shares[name] = per(static_cast<double>(ns), seen);
  return {{"cpu_seconds", seconds(all)},
          {"other_cpu_seconds", seconds(other_ns)},
          {"parts", rows},
          {"stages", shares}};
}

// Adds what children used that no worker reported: only reaped children count.
Cost cost_of(const Slot* slots, int jobs, const Cost& base) {
  Cost reported, out = base;
  for (int w = 0; w < jobs; ++w) {
    reported.add(slots[w]);
    out.add(slots[w]);
  }
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  double children = 0;
  for (const timeval& t : {used.ru_utime, used.ru_stime})
    children += static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  uint64_t by_workers = 0;
  for (const auto& [name, spent] : reported.parts) by_workers += spent.ns;
  const auto all = static_cast<uint64_t>(1e9 * children);
  out.other_ns += all > by_workers ? all - by_workers : 0;
  return out;
}

std::string cost_summary(const json& table) {
  if (table["parts"].empty()) return "";
  std::string out = fmt::format(
      "\n## What it cost: {:.1f} s of the processor, and {:.1f} s besides\n\n"
      "| part | times | CPU us each | executions each | share |\n|---|---:|---:|---:|---:|\n",
      table["cpu_seconds"].get<double>(), table["other_cpu_seconds"].get<double>());
  for (const json& p : table["parts"]) {
    const auto times = p["times"].get<uint64_t>();
    out += fmt::format("| {} | {} | {:.0f} | {:.1f} | {:.1f} % |\n", p["part"].get<std::string>(),
                       times, p["cpu_us_each"].get<double>(),
                       per(p["executions"].get<double>(), times), 100 * p["share"].get<double>());
  }
  std::string stages;
  for (const auto& [name, share] : table["stages"].items())
    stages +=
        fmt::format("{}{} {:.0f} %", stages.empty() ? "" : ", ", name, 100 * share.get<double>());
  if (!stages.empty()) out += fmt::format("\nStages: {}.\n", stages);
  return out;
}

}  // namespace fusillade::fuzz
