// Peephole: rewrite rules on one node and its producers, one row each.
//
//   %a : Float(3) = aten::mul(%x, %one)          %b : Float(3) = aten::exp(%x)
//   %b : Float(3) = aten::exp(%a)          ==>
//
// Every rule holds bit for bit in IEEE floats, in wrapping integers and in the ring of
// scalar/ring.h: so x*1 and x-0 are here, x+0 is not (-0 + 0 is 0), x-x is not (NaN), and
// neg(neg(x)) needs a signed or equal dtype only where promotion comes between. rule.h lists what
// is checked for every rule.
//
// Rounds repeat until one fires nothing, each with fresh facts about memory. Nodes that a rule
// leaves without use are dce's. `peephole(structural)` takes only the rules of structural.h, whose
// two sides have the same gradients, also at NaN. (law: rules name ops)
#include <algorithm>
#include <unordered_map>

#include "engine/base/probe.h"
#include "engine/base/text.h"
#include "engine/ir/visit.h"
#include "engine/passes/constants.h"
#include "engine/passes/raises.h"
#include "engine/passes/rule.h"
#include "engine/passes/structural.h"

namespace fusillade {
namespace {

// Tensors of known dtype, ints and floats.
bool known_number(const Value* v, DType* dtype) {
  const Type& type = v->type();
  if (type.is_tensor() && !type.info().has_dtype) return false;
  if (!type.is_tensor() && !type.is(TypeKind::Int) && !type.is(TypeKind::Float)) return false;
  DType scalar = type.is(TypeKind::Int) ? DType::I64 : DType::F64;
  *dtype = type.is_tensor() ? type.info().dtype : scalar;
  return true;
}

bool is_integer(const Value* v) {
  DType d;
  return known_number(v, &d) && is_int(d);
}

// In the ring, widening a residue changes it, and a residue does not determine the number.
bool in_ring() { return current_domain() == Domain::Ring; }

// Negating `v` before promotion to the result's dtype equals negating after it.
bool negates_exactly(const Match& m, const char* variable) {
  DType d, result;
  if (!known_number(m[variable], &d) || !known_number(m.root->output(), &result)) return false;
  return d == result || (is_float(d) && !in_ring());
}

bool not_bool(const Value* v) {
  DType d;
  return known_number(v, &d) && d != DType::Bool;
}

bool x_integer(const Match& m) { return is_integer(m["x"]); }
bool x_not_bool(const Match& m) { return not_bool(m["x"]); }  // False * -1.0 is -0.0
bool x_signed(const Match& m) {
  DType d;
  return known_number(m["x"], &d) && d != DType::Bool && d != DType::U8;
}
bool y_negates(const Match& m) {
  return not_bool(m["x"]) && not_bool(m["y"]) && negates_exactly(m, "y");
}
bool both_negate(const Match& m) { return negates_exactly(m, "x") && negates_exactly(m, "y"); }
bool x_never_none(const Match& m) {
  const Type& type = m["x"]->type();
  return !Type(TypeKind::None).subtype_of(type) && !type.is(TypeKind::Var);
}
bool of_numbers(const Match&) { return !in_ring(); }
bool x_bool_scalar(const Match& m) { return m["x"]->type().is(TypeKind::Bool); }
bool x_int_scalar(const Match& m) { return m["x"]->type().is(TypeKind::Int); }

// Both nodes are views of a contiguous x: views of views compose without a copy.
bool views_of_contiguous(const Match& m) {
  const Type& type = m["x"]->type();
  if (!type.is_tensor() || !type.info().complete()) return false;
  if (!is_contiguous(type.info().sizes, type.info().strides)) return false;
  return shares_operand(m.root) && shares_operand(m.inner[0]->node());
}

const Rule kRules[] = {
    // x * 1 = x, in every ring
    {"mul-one", "aten::mul(x, 1)", "x"},
    {"mul-minus-one", "aten::mul(x, -1)", "aten::neg(x)", x_not_bool},
    {"div-one", "aten::div(x, 1)", "x"},
    {"floordiv-one", "aten::floordiv(x, 1)", "x", x_integer},
    {"floor-divide-one", "aten::floor_divide(x, 1)", "x", x_integer},
    // integers have no -0; for floats only the zero whose sign is lost
    {"add-zero-int", "aten::add(x, 0)", "x", x_integer},
    {"add-minus-zero", "aten::add(x, -0.0)", "x"},
    {"sub-zero", "aten::sub(x, 0)", "x"},
    // signs
    {"neg-neg", "aten::neg(aten::neg(x))", "x"},
    {"add-neg", "aten::add(x, aten::neg(y))", "aten::sub(x, y)", y_negates},
    {"sub-neg", "aten::sub(x, aten::neg(y))", "aten::add(x, y)", y_negates},
    {"mul-neg-neg", "aten::mul(aten::neg(x), aten::neg(y))", "aten::mul(x, y)", both_negate},
    {"abs-neg", "aten::abs(aten::neg(x))", "aten::abs(x)", x_signed},
    // functions that change nothing the second time
    {"abs-abs", "aten::abs(aten::abs(x))", "aten::abs(x)"},
    {"relu-relu", "aten::relu(aten::relu(x))", "aten::relu(x)"},
    // of two equal operands
    {"min-same", "aten::min(x, x)", "x"},
    {"max-same", "aten::max(x, x)", "x"},
    {"minimum-same", "aten::minimum(x, x)", "x"},
    {"maximum-same", "aten::maximum(x, x)", "x"},
    {"bitwise-and-same", "aten::bitwise_and(x, x)", "x"},
    {"bitwise-or-same", "aten::bitwise_or(x, x)", "x"},
    {"logical-and-same", "aten::logical_and(x, x)", "x"},
    {"logical-or-same", "aten::logical_or(x, x)", "x"},
    {"where-same", "aten::where(c, x, x)", "x"},
    {"eq-same-int", "aten::eq(x, x)", "True", x_int_scalar},
    {"ne-same-int", "aten::ne(x, x)", "False", x_int_scalar},
    {"sub-same-int", "aten::sub(x, x)", "0", x_int_scalar},
    // negations
    {"bitwise-not-not", "aten::bitwise_not(aten::bitwise_not(x))", "x"},
    {"logical-not-not", "aten::logical_not(aten::logical_not(x))", "x"},
    {"not-not", "aten::__not__(aten::__not__(x))", "x"},
    {"and-true", "aten::__and__(x, True)", "x", &x_bool_scalar},
    {"or-false", "aten::__or__(x, False)", "x", &x_bool_scalar},
    // views that undo each other
    {"t-t", "aten::t(aten::t(x))", "x", nullptr, kSameMemory},
    {"transpose-twice", "aten::transpose(aten::transpose(x, a, b), a, b)", "x", nullptr,
     kSameMemory},
    {"transpose-back", "aten::transpose(aten::transpose(x, a, b), b, a)", "x", nullptr,
     kSameMemory},
    {"squeeze-unsqueeze", "aten::squeeze(aten::unsqueeze(x, d), d)", "x", nullptr, kSameMemory},
    {"reshape-reshape", "aten::reshape(aten::reshape(x, s), r)", "aten::reshape(x, r)",
     views_of_contiguous, kSameMemory},
    {"view-view", "aten::view(aten::view(x, s), r)", "aten::view(x, r)", views_of_contiguous,
     kSameMemory},
    // conversions of scalars that are what they are asked to be
    {"int-of-int", "aten::Int(x)", "x"},
    {"float-of-float", "aten::Float(x)", "x"},
    {"bool-of-bool", "aten::Bool(x)", "x"},
    {"int-of-number-tensor", "aten::Int(prim::NumToTensor(x))", "x"},
    {"float-of-number-tensor", "aten::Float(prim::NumToTensor(x))", "x", of_numbers},
    // None
    {"is-none", "aten::__is__(x, None)", "False", x_never_none},
    {"is-not-none", "aten::__isnot__(x, None)", "True", x_never_none},
};

struct Compiled {
  const Rule* rule;
  Probe* refused;  // by its guard; null: it has none
  Pattern lhs;
  Pattern rhs;
};

// By the root's op name without overload.
const std::unordered_map<std::string, std::vector<Compiled>>& compiled_rules() {
  static const auto* rules = [] {
    auto* out = new std::unordered_map<std::string, std::vector<Compiled>>;
    for (const Rule& rule : kRules) {
      Pattern lhs = parse_pattern(rule.lhs);
      std::string root = lhs.name.substr(0, lhs.name.find('.'));
      Probe* refused = rule.guard ? &probe(std::string("guard/") + rule.name) : nullptr;
      (*out)[root].push_back({&rule, refused, std::move(lhs), parse_pattern(rule.rhs)});
    }
    return out;
  }();
  return *rules;
}

class Peephole {
 public:
  Peephole(Graph& graph, Rewriter& rewriter, bool only_structural)
      : effects_(graph), rewriter_(rewriter), only_structural_(only_structural) {}

  bool run(Block* block) {
    bool fired = false;
    each_node_inside_out(block, [&](Node* node) { fired = visit(node) || fired; });
    return fired;
  }

 private:
  bool visit(Node* node) {
    if (apply_structural(node, effects_, rewriter_)) return true;
    if (only_structural_) return false;
    auto rules = compiled_rules().find(node->op().schema.name);
    if (rules == compiled_rules().end() || node->outputs().size() != 1) return false;
    if (node->output()->is_unused()) return false;
    for (const Compiled& compiled : rules->second) {
      Match m;
      m.root = node;
      if (match(compiled.lhs, node->output(), m) && apply(compiled, m)) return true;
    }
    return false;
  }

  bool apply(const Compiled& compiled, const Match& m) {
    const Rule& rule = *compiled.rule;
    if (rule.guard && !rule.guard(m)) {
      compiled.refused->hit();
      return false;
    }
    if (!(rule.flags & kSameMemory) && touched_by_writes(m)) return false;
    Node* before = m.root->prev();
    Value* by = build(compiled.rhs, m);
    Value* out = m.root->output();
    bool ok = by && legal(rule, m, compiled.rhs, by) && rewriter_.allow(rule.name, m.root);
    if (!ok) {
      while (m.root->prev() != before) m.root->prev()->destroy();
      return false;
    }
    effects_.add_value(by, rule.flags & kSameMemory ? m["x"] : nullptr);
    out->replace_all_uses_with(by);
    effects_.replace_value(out, by);
    m.root->destroy();
    return true;
  }

  bool touched_by_writes(const Match& m) const {
    for (const auto& [name, value] : m.bound)
      if (effects_.is_written(value)) return true;
    for (const Value* value : m.inner)
      if (effects_.is_written(value)) return true;
    return effects_.is_written(m.root->output());
  }

  // A view that would have raised must not go.
  static bool views_may_raise(const Match& m) {
    return view_may_raise(m.root) ||
           std::ranges::any_of(m.inner, [](const Value* v) { return view_may_raise(v->node()); });
  }

  bool legal(const Rule& rule, const Match& m, const Pattern& rhs, const Value* by) const {
    const Value* out = m.root->output();
    if (rule.flags & kSameMemory)
      return out->type().kind() == by->type().kind() && !views_may_raise(m);
    if (!same_known_type(out, by)) return false;
    return rhs.kind != Pattern::Kind::Variable || effects_.may_replace_value(out, by);
  }

  Effects effects_;
  Rewriter& rewriter_;
  bool only_structural_;
};

void check_words(const std::vector<std::string>& args) {
  if (!args.empty() && args != std::vector<std::string>{"structural"})
    fail("peephole takes no word, or structural; got '{}'", join(args, ","));
}

}  // namespace

std::span<const Rule> peephole_rules() { return kRules; }

PASS_WITH_WORDS(
    peephole, kExact | kIdempotent | kMerges,
    "rewrite rules on small patterns: peephole(structural) for those of views and lists",
    check_words) {
  while (Peephole(graph, rewriter, !args.empty()).run(graph.block())) {
  }
}

}  // namespace fusillade
