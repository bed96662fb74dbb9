// Rewrite rules run backwards: what reads `x` reads `x * 1`, a difference becomes the sum with what
// is negated. A rule's left side is only written where the rule itself would take it back.
#include <vector>

#include "engine/passes/rule.h"
#include "engine/passes/switch_off.h"
#include "fuzz/oracle/equivalents.h"

namespace fusillade::fuzz {
namespace {

struct Backwards {
  const Rule* rule;
  Pattern lhs, rhs;
};

// Of rules about values: those about views need memory that they share.
const std::vector<Backwards>& backwards() {
  static const std::vector<Backwards> all = [] {
    std::vector<Backwards> out;
    for (const Rule& rule : peephole_rules()) {
      if (!(rule.flags & kSameMemory))
        out.push_back({&rule, parse_pattern(rule.lhs), parse_pattern(rule.rhs)});
    }
    return out;
  }();
  return all;
}

// The rule's left side in place of `v`, built before `at`; null where the rule would not take it.
Value* undo_rule(const Backwards& b, Match match, Value* v, Node* at) {
  match.root = at;
  Node* before = at->prev();
  Value* left = build(b.lhs, match);
  bool ok = false;
  if (left && left != v && same_known_type(left, v)) {
    Match again;
    again.root = left->node();
    ok = fusillade::match(b.lhs, left, again) && (!b.rule->guard || b.rule->guard(again));
  }
  if (ok) return left;
  while (at->prev() != before) at->prev()->destroy();
  return nullptr;
}

// The first rule from index `start` on that can be undone, so that different nodes take different
// ones.
template <class F>
bool first_of(size_t start, F undo) {
  const std::vector<Backwards>& rules = backwards();
  for (size_t k = 0; k < rules.size(); ++k) {
    const Backwards& b = rules[(start + k) % rules.size()];
    const bool off =
        is_switched_off("peephole") || is_switched_off("peephole/" + std::string(b.rule->name));
    if (!off && undo(b)) return true;
  }
  return false;
}

}  // namespace

bool undo_rules(std::span<Node* const> nodes) {
  bool any = false;
  size_t rotation = 0;
  for (Node* n : nodes) {
    if (n->op().schema.aliases()) continue;
    for (int i = 0; i < static_cast<int>(n->inputs().size()); ++i) {
      any |= first_of(++rotation, [&](const Backwards& b) {
        if (b.rhs.kind != Pattern::Kind::Variable) return false;
        Match match;
        match.bound = {{b.rhs.name, n->input(i)}};
        Value* replacement = undo_rule(b, match, n->input(i), n);
        if (replacement) n->set_input(i, replacement);
        return replacement != nullptr;
      });
    }
    if (n->outputs().size() != 1) continue;
    any |= first_of(++rotation, [&](const Backwards& b) {
      Match match;
      match.root = n;
      if (b.rhs.kind != Pattern::Kind::Op || !fusillade::match(b.rhs, n->output(), match))
        return false;
      Value* replacement = undo_rule(b, match, n->output(), n);
      if (!replacement) return false;
      n->output()->replace_all_uses_with(replacement);
      n->destroy();
      return true;
    });
  }
  return any;
}

}  // namespace fusillade::fuzz
