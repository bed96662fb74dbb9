// A rewrite rule as text: two expressions over ops, variables and literals.
//
//   {"add-neg", "aten::add(x, aten::neg(y))", "aten::sub(x, y)", guard}
//
// An op without overload (aten::add) matches every overload; arguments the pattern does not write
// must hold their schema's default. A variable written twice must be one value (or equal
// constants). Literals: "1" matches the int 1 and the float 1.0, "0" never -0.0, "-0.0" only that,
// True, False, None themselves.
//
// What every rule is checked for when it fires, in addition to its own guard: the static type (for
// tensors dtype, sizes and strides) must be known and stay; no matched memory may be written by the
// graph; and when the right side is a variable, results the caller sees must not come to share
// memory. A rule marked kSameMemory skips all that, since its two sides are the same view; but its
// nodes must be sure not to raise.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/passes/effects.h"
#include "engine/passes/pass.h"

namespace fusillade {

struct Match {
  Node* root = nullptr;
  std::vector<std::pair<std::string, Value*>> bound;  // variables
  std::vector<const Value*> inner;                    // results of inner nodes that matched
  Value* operator[](const char* variable) const;
};

enum RuleFlags : unsigned { kPlainRule = 0, kSameMemory = 1 };

struct Rule {
  const char* name;
  const char* lhs;
  const char* rhs;
  bool (*guard)(const Match& match) = nullptr;
  unsigned flags = kPlainRule;
};

// Those of the pass peephole, in the order in which they are tried.
std::span<const Rule> peephole_rules();

// A rule's text, parsed once.
struct Pattern {
  enum class Kind : uint8_t { Op, Variable, Literal };
  Kind kind = Kind::Variable;
  std::string name;  // op or variable
  IValue literal;
  std::vector<Pattern> args;
};
Pattern parse_pattern(const std::string& text);  // throws Bug: rules are ours

bool match(const Pattern& pattern, Value* value, Match& match);
// The right side's value, built before the root, or nullptr when its types do not work out.
Value* build(const Pattern& pattern, const Match& match);

// Same static type; of tensors dtype, sizes and strides all known, devices not known to differ.
bool same_known_type(const Value* a, const Value* b);

}  // namespace fusillade
