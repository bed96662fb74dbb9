// See production.h.
#include "fuzz/gen/production.h"

#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {

const char* name_of(Grammar grammar) {
  static constexpr const char* kNames[kGrammars] = {
      "step",        "statement",   "tensor statement",
      "int",         "count",       "float",
      "bool",        "asked",       "thing",
      "str",         "list",        "dict",
      "list change", "dict change", "exit",
      "python"};
  return kNames[static_cast<int>(grammar)];
}

bool add_productions(Grammar grammar, int first, std::initializer_list<Production> rows) {
  for (Production row : rows) {
    row.grammar = grammar;
    row.order = first++;
    Table<Production>::instance().add(std::move(row));
  }
  return true;
}

const Production& draw_by_weight(Choices& choices, const std::vector<Share>& shares, int depth) {
  uint64_t total = 0;
  for (const Share& s : shares)
    if (depth <= s.production->deepest) total += s.weight;
  uint64_t at = choices.below(total);
  for (const Share& s : shares) {
    if (depth > s.production->deepest) continue;
    if (at < s.weight) return *s.production;
    at -= s.weight;
  }
  FUS_BUG("no production was drawn");
}

}  // namespace fusillade::fuzz
