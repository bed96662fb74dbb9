// See reach.h.
#include "fuzz/campaign/reach.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/ops/operator.h"
#include "engine/passes/rule.h"
#include "fuzz/gen/production.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

bool is_guard(const std::string& probe) {
  return probe.starts_with("guard/") || probe.starts_with("fuse/") ||
         probe.starts_with("kernel/") || probe.starts_with("device/");
}

std::string with_commas(size_t n) {
  std::string digits = std::to_string(n);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

template <class R>
std::vector<std::string> missing(const std::vector<const R*>& all,
                                 const std::map<std::string, uint64_t>& reached) {
  std::vector<std::string> out;
  for (const R* row : all)
    if (!reached.count(row->name)) out.push_back(row->name);
  return out;
}

}  // namespace

void Reach::add(const Slot& slot) {
  for (const Operator& op : OperatorTable::instance()) {
    if (op.number < kMostOperators && slot.operator_runs[op.number])
      operators[op.name] += slot.operator_runs[op.number];
  }
  for (const Production& p : Table<Production>::instance()) {
    if (p.number < kMostProductions && slot.productions[p.number])
      productions[p.name] += slot.productions[p.number];
  }
  for (const ReasonCount& p : slot.probes) {
    if (p.count == 0) continue;
    std::string name(p.text, strnlen(p.text, kReasonLength));
    (is_guard(name) ? guards : rewrites)[name] += p.count;
  }
}

void Reach::add(const Reach& other) {
  for (const auto& [name, count] : other.operators) operators[name] += count;
  for (const auto& [name, count] : other.rewrites) rewrites[name] += count;
  for (const auto& [name, count] : other.guards) guards[name] += count;
  for (const auto& [name, count] : other.productions) productions[name] += count;
}

std::string Reach::text() const {
  return json{
      {"rows", operators}, {"rewrites", rewrites}, {"guards", guards}, {"productions", productions}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

Reach Reach::parse(const std::string& text) {
  Reach out;
  if (text.empty()) return out;
  json j = json::parse(text);
  j.at("rows").get_to(out.operators);
  j.at("rewrites").get_to(out.rewrites);
  j.at("guards").get_to(out.guards);
  if (j.contains("productions")) j["productions"].get_to(out.productions);  // older ones have none
  return out;
}

std::string Reach::line() const {
  return fmt::format("operators {} of {}, rewrites {}, guards {}, productions {} of {}",
                     with_commas(operators.size()), with_commas(OperatorTable::instance().size()),
                     rewrites.size(), guards.size(), productions.size(),
                     Table<Production>::instance().size());
}

std::vector<std::string> Reach::missing_operators() const {
  return missing(OperatorTable::instance().by_name(), operators);
}

std::vector<std::string> Reach::missing_productions() const {
  return missing(Table<Production>::instance().by_name(), productions);
}

std::vector<std::string> Reach::missing_rules() const {
  std::vector<std::string> out;
  for (const Rule& rule : peephole_rules()) {
    if (!rewrites.count(std::string("peephole/") + rule.name)) out.push_back(rule.name);
  }
  return out;
}

}  // namespace fusillade::fuzz
