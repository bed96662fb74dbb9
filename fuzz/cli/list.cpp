// fusillade list TABLE [--json]: what a table holds. Each table is one row of kTables: its name and
// a function that gives its rows as columns of text.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/options.h"
#include "engine/base/text.h"
#include "engine/fuse/fuser.h"
#include "engine/fuse/transforms/transform.h"
#include "engine/kernel/kernel.h"
#include "engine/ops/kind_name.h"
#include "engine/run/onnx/row.h"
#include "engine/run/plan.h"
#include "fuzz/cli/engines.h"
#include "fuzz/cli/verb.h"
#include "fuzz/gen/peer_patterns.h"
#include "fuzz/gen/policy.h"
#include "fuzz/gen/undrawn.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/rules/exhaust.h"
#include "fuzz/rules/smt.h"
#include "fuzz/run/deviation.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::cli {
namespace {

using Line = std::vector<std::pair<std::string, nlohmann::ordered_json>>;  // column, value

constexpr std::pair<Role, const char*> kRoles[] = {{Role::Operand, "operand"},
                                                   {Role::Number, "number"},
                                                   {Role::Vector, "vector"},
                                                   {Role::Dim, "dim"},
                                                   {Role::DimOrEnd, "dim-or-end"},
                                                   {Role::DimList, "dim-list"},
                                                   {Role::Perm, "perm"},
                                                   {Role::Size, "size"},
                                                   {Role::ExpandSize, "expand-size"},
                                                   {Role::FreshSize, "fresh-size"},
                                                   {Role::Index, "index"},
                                                   {Role::Start, "start"},
                                                   {Role::End, "end"},
                                                   {Role::Step, "step"},
                                                   {Role::Parts, "parts"},
                                                   {Role::Flag, "flag"},
                                                   {Role::DTypeCode, "dtype-code"},
                                                   {Role::Default, "default"},
                                                   {Role::OperandList, "operand-list"},
                                                   {Role::Single, "single"},
                                                   {Role::Divisor, "divisor"},
                                                   {Role::Matrix, "matrix"},
                                                   {Role::MatrixRight, "matrix-right"},
                                                   {Role::Weight, "weight"},
                                                   {Role::Batch, "batch"},
                                                   {Role::BatchRight, "batch-right"},
                                                   {Role::Bias, "bias"},
                                                   {Role::Indices, "indices"}};

const char* name_of(Role role) {
  const auto* found = std::ranges::find(kRoles, role, &std::pair<Role, const char*>::first);
  return found == std::end(kRoles) ? "?" : found->second;
}

std::vector<Line> ops() {
  std::vector<Line> out;
  for (const Operator* op : OperatorTable::instance().by_name()) {
    std::vector<std::string> roles;
    for (Role role : op->roles) roles.emplace_back(name_of(role));
    out.push_back({{"name", op->name},
                   {"kind", name_of(op->kind)},
                   {"family", op->family},
                   {"schema", op->schema.text()},
                   {"roles", roles},
                   {"undrawn", fuzz::why_undrawn(*op)}});
  }
  return out;
}

std::string flags_text(unsigned flags) {
  std::vector<std::string> words;
  if (flags & kExact) words.emplace_back("exact");
  if (flags & kIdempotent) words.emplace_back("idempotent");
  if (flags & kMerges) words.emplace_back("merges");
  if (flags & kKeepsTape) words.emplace_back("keeps-tape");
  return join(words, " ");
}

std::vector<Line> passes() {
  std::vector<Line> out;
  for (const Pass* pass : Table<Pass>::instance().by_name())
    out.push_back(
        {{"name", pass->name}, {"promises", flags_text(pass->flags)}, {"summary", pass->summary}});
  for (const NamedPipeline* named : Table<NamedPipeline>::instance().by_name())
    out.push_back(
        {{"name", named->name}, {"promises", ""}, {"summary", "stands for " + named->passes}});
  return out;
}

template <class R>
std::vector<Line> summary_lines() {
  std::vector<Line> out;
  for (const R* row : Table<R>::instance().by_name())
    out.push_back({{"name", row->name}, {"summary", row->summary}});
  return out;
}

std::vector<Line> backends() {
  std::vector<Line> out;
  for (const kernel::Backend* b : Table<kernel::Backend>::instance().by_name())
    out.push_back({{"name", b->name},
                   {"drawn", b->drawn},
                   {"summary", b->summary},
                   {"needs", b->needs ? b->needs() : ""}});
  return out;
}

std::vector<Line> transforms() {
  std::vector<Line> out;
  for (const fuse::Transform* t : Table<fuse::Transform>::instance().by_name())
    out.push_back({{"name", t->name}, {"use", signature(*t)}, {"summary", t->summary}});
  return out;
}

std::vector<Line> engine_lines() {
  std::vector<Line> out;
  for (const Engine* e : Table<Engine>::instance().by_name()) {
    std::vector<std::string> takes;
    if (e->takes & Engine::kGraph) takes.emplace_back("graph");
    if (e->takes & Engine::kScript) takes.emplace_back("script");
    if (e->takes & Engine::kModule) takes.emplace_back("module");
    out.push_back({{"name", e->name},
                   {"takes", takes},
                   {"devices", e->devices},
                   {"passes", e->runs_passes},
                   {"drawn", e->drawn != nullptr},
                   {"reference", e->reference},
                   {"summary", e->summary},
                   {"absent", e->outside ? fuzz::lacking(e->name) : ""}});
  }
  return out;
}

std::vector<Line> options() {
  std::vector<Line> out;
  for (const OptionRow* row : Table<OptionRow>::instance().by_name())
    out.push_back({{"name", row->env()},
                   {"type", row->type},
                   {"default", row->fallback},
                   {"value", row->value()},
                   {"legal", row->takes()},
                   {"summary", row->summary}});
  return out;
}

// By which way `fusillade rules` knows it, and for how many choices of types.
std::vector<Line> rules() {
  std::vector<Line> out;
  for (const Rule& rule : peephole_rules()) {
    size_t proved = 0, all = 0, drawn = 0;
    for (const fuzz::RuleInstance& claim : fuzz::instances_of(rule)) {
      if (fuzz::smt_of(claim)) ++proved;
      else ++(fuzz::reach_of(claim) == fuzz::Reach::All ? all : drawn);
    }
    std::string known = fmt::format("proved {}, all values {}, drawn {}", proved, all, drawn);
    if (rule.flags & kSameMemory) known = "memory: drawn by campaigns";
    out.push_back({{"name", rule.name}, {"left", rule.lhs}, {"right", rule.rhs}, {"known", known}});
  }
  return out;
}

// What external engines may do beyond our bounds, operator by operator.
std::vector<Line> deviations() {
  std::vector<Line> out;
  for (const Operator* op : OperatorTable::instance().by_name())
    for (const fuzz::Deviation& d : fuzz::deviations_of(*op))
      out.push_back({{"op", op->name},
                     {"others", d.kind->name},
                     {"amount", d.amount ? fmt::format("{:g} {}", d.amount, d.kind->unit) : ""},
                     {"why", d.kind->about}});
  return out;
}

// By grammar, in the order in which they are drawn; a weight below 1 is a chance, asked first.
std::vector<Line> productions() {
  std::vector<Line> out;
  for (const fuzz::Production* p : fuzz::productions_in_order()) {
    std::vector<std::string> policies;
    for (const fuzz::Policy& policy : fuzz::policies())
      for (const auto& [name, weight] : weights_of(policy))
        if (name == p->name) policies.push_back(fmt::format("{}={}", policy.name, weight));
    out.push_back({{"name", p->name},
                   {"makes", name_of(p->grammar)},
                   {"weight", p->weight},
                   {"summary", p->summary},
                   {"policies", policies}});
  }
  return out;
}

// What other compilers rewrite, and which of them do.
std::vector<Line> patterns() {
  std::vector<Line> out;
  for (const fuzz::PeerPattern* p : fuzz::peer_patterns())
    out.push_back({{"name", p->name},
                   {"compilers", p->compilers},
                   {"pattern", p->text},
                   {"operands", p->operands}});
  return out;
}

struct ListTable {
  const char* name;
  std::vector<Line> (*lines)();
};

std::vector<Line> onnx_operators() {
  std::vector<Line> out;
  for (const onnx::Row* row : Table<onnx::Row>::instance().by_name())
    out.push_back({{"name", row->name}, {"since", row->since}});
  return out;
}

const ListTable kTables[] = {
    {"ops", ops},
    {"passes", passes},
    {"fusers", summary_lines<fuse::Fuser>},
    {"transforms", transforms},
    {"backends", backends},
    {"oracles", summary_lines<fuzz::Oracle>},
    {"engines", engine_lines},
    {"rules", rules},
    {"options", options},
    {"deviations", deviations},
    {"policies", summary_lines<fuzz::Policy>},
    {"productions", productions},
    {"patterns", patterns},
    {"onnx", onnx_operators},
};

std::vector<std::string> table_names() {
  std::vector<std::string> out;
  for (const ListTable& table : kTables) out.emplace_back(table.name);
  return out;
}

std::string cell(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  return join(value.get<std::vector<std::string>>(), " ");
}

constexpr size_t kMaxColumn = 48;  // longer cells push their own line only

void print_text(const std::vector<Line>& lines) {
  std::vector<size_t> widths;
  for (const Line& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::min(kMaxColumn, std::max(widths[i], cell(line[i].second).size()));
  }
  for (const Line& line : lines) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i)
      text += fmt::format("{:<{}}  ", cell(line[i].second), widths[i]);
    text.erase(text.find_last_not_of(' ') + 1);
    fmt::print("{}\n", text);
  }
}

// A terminal gets a header with the names of the columns; a pipe gets only the rows.
std::vector<Line> with_header(std::vector<Line> lines) {
  if (lines.empty()) return lines;
  Line header;
  for (const auto& [column, value] : lines.front()) header.emplace_back(column, column);
  lines.insert(lines.begin(), std::move(header));
  return lines;
}

void print_json(const std::vector<Line>& lines) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Line& line : lines) {
    nlohmann::ordered_json object;
    for (const auto& [column, value] : line) object[column] = value;
    all.push_back(std::move(object));
  }
  fmt::print("{}\n", all.dump(2));
}

int run_list(const std::string& name, bool json) {
  for (const ListTable& table : kTables) {
    if (name != table.name) continue;
    std::vector<Line> lines = table.lines();
    if (json) print_json(lines);
    else print_text(isatty(STDOUT_FILENO) ? with_header(std::move(lines)) : lines);
    return kOk;
  }
  fail("unknown table '{}'{} (legal: {})", name, near_misses(name, table_names()),
       join(table_names(), ", "));
}

}  // namespace

VERB(list,
     "print a table: ops, passes, fusers, transforms, backends, oracles, engines, rules, options, "
     "deviations, policies, productions, patterns, onnx") {
  auto name = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  app.add_option("table", *name, join(table_names(), ", "))->required();
  app.footer(fmt::format(
      "ops, last column: why no generated program is made of the operator:\n{}\n"
      "engines, last column: why an external engine cannot run here\n"
      "productions, weight: below 1 it is a chance; last column: policies with another weight\n"
      "patterns: what other compilers rewrite (fuzz/gen/peer_patterns.h says how they are written)",
      fuzz::undrawn_words()));
  declare_engines(app);
  app.add_flag("--json", *json, "as a JSON array");
  return [name, json] { return run_list(*name, *json); };
}

}  // namespace fusillade::cli
