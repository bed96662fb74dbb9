// Left sides of rewrite rules, as they are and with one condition broken: a constant, an argument,
// an equal operand or an op within (near_miss.h), a type that the rule's guard refuses, memory that
// is written before the result is read.
#include <algorithm>
#include <map>
#include <span>

#include "engine/front/sign.h"
#include "engine/passes/constants.h"
#include "engine/passes/structural.h"
#include "fuzz/gen/graph_state.h"
#include "fuzz/gen/near_miss.h"

namespace fusillade::fuzz {
namespace {

// Where a variable occurs first: an operator that takes it, and as which argument.
struct Place {
  std::string name;
  const Operator* op = nullptr;
  size_t argument = 0;
};

struct LeftSide {
  Pattern pattern;
  std::vector<Place> variables;
};

bool place_of(const Pattern& p, Place& place) {
  for (size_t i = 0; i < p.args.size(); ++i) {
    if (place_of(p.args[i], place)) return true;
    if (p.args[i].kind != Pattern::Kind::Variable || p.args[i].name != place.name) continue;
    place.argument = i;
    for (const Operator* r : operators_by_name()) {
      const bool fits = (r->schema.name == p.name || r->name == p.name) && !r->in_place &&
                        p.args.size() <= r->schema.args.size();
      if (fits && (!place.op || place.op->roles.empty())) place.op = r;
    }
    return true;
  }
  return false;
}

LeftSide left_side_of(Pattern pattern) {
  LeftSide out;
  for (std::string& name : variables_of(pattern)) {
    out.variables.push_back({std::move(name)});
    place_of(pattern, out.variables.back());
  }
  out.pattern = std::move(pattern);
  return out;
}

struct Left {
  bool guarded = false;  // by what its operands' types are
  LeftSide whole;
  std::vector<std::vector<LeftSide>> broken;  // by what is broken; none is empty
};

const std::vector<Left>& lefts() {
  static const std::vector<Left> all = [] {
    std::vector<Left> out;
    auto add = [&](const char* text, bool guarded) {
      Left left{guarded, left_side_of(parse_pattern(text)), {}};
      std::map<Condition, std::vector<LeftSide>> broken;
      for (NearMiss& miss : near_misses_of(left.whole.pattern))
        broken[miss.kind].push_back(left_side_of(std::move(miss.written)));
      for (auto& [kind, all] : broken) left.broken.push_back(std::move(all));
      out.push_back(std::move(left));
    };
    for (const Rule& rule : peephole_rules()) add(rule.lhs, rule.guard != nullptr);
    for (const char* text : structural_left_sides()) add(text, false);
    return out;
  }();
  return all;
}

const std::vector<const Left*>& guarded_lefts() {
  static const std::vector<const Left*> some = [] {
    std::vector<const Left*> out;
    for (const Left& left : lefts())
      if (left.guarded) out.push_back(&left);
    return out;
  }();
  return some;
}

// Of fewer than three dimensions a wrong one is often the right one.
bool names_dims(const LeftSide& left) {
  return std::ranges::count_if(left.variables, [](const Place& p) {
           return p.op && p.argument < p.op->roles.size() && p.op->roles[p.argument] == Role::Dim;
         }) > 1;
}

bool is_size_known(const Value* v) { return v->type().is_tensor() && v->type().info().complete(); }

bool of_floats(const Value* v) {
  return v->type().is(TypeKind::Float) || (is_size_known(v) && is_float(v->type().info().dtype));
}

// A quotient of numbers that may be one by 0.
bool may_divide_by_zero(const Node* n) {
  const std::string& name = n->op().schema.name;
  const bool divides = name == op_of(front::Sign::Div) || name == op_of(front::Sign::FloorDiv);
  if (n->kind() != OpKind::Scalar || !divides) return false;
  const IValue* by = constant_of(n->input(1));
  return !by || !by->is_number() || by->as_double() == 0;
}

}  // namespace

bool may_raise(const Node* n) {
  const Operator& op = n->op();
  if (may_divide_by_zero(n)) return true;
  const bool to_int = op.kind == OpKind::Scalar && n->output()->type().is(TypeKind::Int);
  if (to_int && n->inputs().size() == 1 && of_floats(n->input())) return true;
  for (size_t i = 0; i < n->inputs().size() && i < op.schema.args.size(); ++i) {
    const Value* v = n->input(static_cast<int>(i));
    const bool divisor = is_divisor(op, i) || (i < op.roles.size() && op.roles[i] == Role::Divisor);
    if (divisor && !v->node()->is(prim::constant())) return true;
    const bool to_number = op.schema.args[i].type.is_tensor() && !n->output()->type().is_tensor();
    if (to_number && (!is_size_known(v) || numel_of(v->type().info().sizes) != 1)) return true;
  }
  return false;
}

namespace {

// What the operator's argument may be for a tensor; nothing: a value.
std::optional<IValue> drawn_word(GraphState& g, const Operator& op, size_t i, const TensorInfo& x) {
  const Role role = i < op.roles.size() ? op.roles[i] : Role::Operand;
  const int64_t rank = x.sizes.rank();
  switch (role) {
    case Role::Dim:
      return IValue(g.choices.between(-rank, rank - 1));
    case Role::DimOrEnd:
      return IValue(g.choices.between(-rank - 1, rank));
    case Role::Perm: {
      Dims dims;
      for (int64_t d = 0; d < rank; ++d) dims.push_back(d);
      for (int d = 0; d + 1 < rank; ++d)
        std::swap(dims[d], dims[static_cast<int>(g.choices.between(d, rank - 1))]);
      return IValue::int_list(dims);
    }
    case Role::Size:
      return IValue::int_list(g.choices.chance(0.5) ? x.sizes : draw_reshape(g, numel_of(x.sizes)));
    case Role::ExpandSize: {
      Dims sizes = x.sizes;
      for (int64_t& s : sizes)
        if (g.choices.chance(0.2)) s = -1;
      if (rank < kMaxRank && g.choices.chance(0.3)) sizes.insert(0, g.choices.between(1, 2));
      return IValue::int_list(sizes);
    }
    case Role::DTypeCode:
      return IValue(int64_t{row_of(g.choices.chance(0.5) ? x.dtype : draw_dtype(g)).aten_code});
    case Role::Start:
      return IValue(g.choices.between(0, 1));
    case Role::End:
      return IValue(g.choices.between(0, 1) ? int64_t{1} << 40 : g.choices.between(-1, 3));
    case Role::Step:
      return IValue(g.choices.between(1, 2));
    default:
      break;
  }
  const Type& type = op.schema.args[i].type;
  if (type.is(TypeKind::Int) && rank > 0 && op.schema.args[0].type.is_tensor())
    return IValue(g.choices.between(-rank, rank - 1));
  if (type.is(TypeKind::Bool)) return IValue(g.choices.chance(0.5));
  return {};
}

// A value for each variable; the first is what others are drawn for.
bool fill_variables(GraphState& g, const LeftSide& left, bool any_dtypes, Match& match) {
  Value* first = nullptr;
  for (const auto& [name, op, i] : left.variables) {
    if (!op) return false;
    std::optional<IValue> word;
    if (first && is_size_known(first)) word = drawn_word(g, *op, i, first->type().info());
    const std::vector<SchemaArg>& args = op->schema.args;
    if (!word && first && i > 0 && args[0].type.is_tensor() && args[i].type.is(TypeKind::Int))
      return false;  // a tensor without dims
    Value* v = nullptr;
    if (word) {
      v = g.graph->constant(std::move(*word), g.block->return_node());
    } else if (any_dtypes) {
      const Value* like = first && is_size_known(first) ? first : pick_tensor(g);
      auto dtype = static_cast<DType>(g.choices.below(kNumDTypes));  // most guards ask for integers
      if (is_float(dtype)) dtype = static_cast<DType>(g.choices.below(kNumDTypes));
      v = add_input(g, dtype, like->type().info().sizes);
      if (v) add_result(g, v);
    } else if (first && g.choices.chance(0.7)) {
      v = newest_like(g, first, 0);
      if (!v && is_size_known(first))
        v = add_input(g, first->type().info().dtype, first->type().info().sizes);
      if (v && v->node() == g.graph->block()->param_node() && v->is_unused()) add_result(g, v);
    } else if (!g.scalars.empty() && g.choices.chance(0.25)) {
      v = g.choices.pick(g.scalars);
    } else if (!first && names_dims(left) && g.choices.chance(0.5)) {
      v = add_input(g, draw_dtype(g), Dims{2, 3, 4});
      if (v) add_result(g, v);
    } else {
      v = pick_tensor(g);
    }
    if (!v || is_range_name(v->name())) return false;
    if (!first) first = v;
    match.bound.emplace_back(name, v);
  }
  return first != nullptr;
}

// Appends the left side; null, and nothing is left of it, where an operator does not take the
// values.
Value* left_side(GraphState& g, const LeftSide& left, bool any_dtypes) {
  Node* end = g.block->return_node();
  Match match;
  match.root = end;
  Node* before = end->prev();
  Value* result =
      fill_variables(g, left, any_dtypes, match) ? fusillade::build(left.pattern, match) : nullptr;
  bool ok = result != nullptr && result->node() != before;
  for (Node* n = end->prev(); ok && n != before; n = n->prev()) {
    if (n->is(prim::constant())) continue;
    const bool one = n->outputs().size() == 1 && n->op().schema.results.size() == 1;
    const bool known = one && !n->output()->type().is(TypeKind::Number) &&
                       (!n->output()->type().is_tensor() || is_size_known(n->output()));
    ok = known && !may_raise(n) && (g.all_operators || drawable(g, n->op()));
  }
  if (ok) return result;
  while (end->prev() != before) end->prev()->destroy();
  return nullptr;
}

void write_left_side(GraphState& g, int) {
  if (g.tensors.empty()) return;
  const bool any_dtypes = g.choices.chance(0.4);
  const Left& left = any_dtypes ? *g.choices.pick(guarded_lefts()) : g.choices.pick(lefts());
  const bool broken = !any_dtypes && !left.broken.empty() && g.choices.chance(0.6);
  const LeftSide& written = broken ? g.choices.pick(g.choices.pick(left.broken)) : left.whole;
  Value* result = nullptr;
  for (int i = 0; i < 8 && !result; ++i) result = left_side(g, written, any_dtypes && i < 3);
  if (!result) return;
  add_result(g, result);
  const Node* root = result->node();
  if (root->inputs().empty() || !g.choices.chance(broken ? 0.1 : 0.4)) return;
  Value* operand = root->input(static_cast<int>(g.choices.below(root->inputs().size())));
  overwrite(g, g.choices.chance(0.6) ? operand : result);
}

[[maybe_unused]] const bool kRegistered = add_productions(
    Grammar::Step, 16,
    {{"rewritable", "the left side of a rewrite rule, whole or one condition broken", 2,
      write_left_side}});

}  // namespace

}  // namespace fusillade::fuzz
