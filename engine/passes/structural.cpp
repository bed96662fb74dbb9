// Structural peephole rules; see structural.h. A rule looks at a node and gives the value that may
// take its place, or nullptr. Types are trusted: executables check their inputs against them.
//
//   %s : int[] = aten::size(%x)            (%x : Float(2, 3))
//       ==>  prim::Constant[value=[2, 3]]()
//   %q : Tensor = aten::permute(%p, %d)    (%p = permute(%x, %e))
//       ==>  aten::permute(%x, e after d)
//   %a : Tensor, %b : Tensor = prim::ListUnpack(%l)
//       ==>  the items %l was built from
// (law: rules name ops)
#include "engine/passes/structural.h"

#include <algorithm>

#include "engine/ops/memory_format.h"
#include "engine/passes/constants.h"
#include "engine/passes/operands.h"
#include "engine/passes/raises.h"
#include "engine/passes/rule.h"

namespace fusillade {
namespace {

// The constant given for the argument of that name, or nullptr.
const IValue* constant_arg(const Node* node, const char* name) {
  const std::vector<SchemaArg>& args = node->op().schema.args;
  for (size_t i = 0; i < args.size() && i < node->inputs().size(); ++i)
    if (args[i].name == name) return constant_of(node->inputs()[i]);
  return nullptr;
}

// A list of ints known here: a constant, or a construct of constants.
bool int_list(const Value* v, std::vector<int64_t>* out) {
  out->clear();
  if (const IValue* constant = constant_of(v)) {
    if (constant->tag() != IValue::Tag::List) return false;
    for (const IValue& item : constant->items()) {
      if (!item.is_int()) return false;
      out->push_back(item.as_int());
    }
    return true;
  }
  if (!v->node()->is(prim::list_construct())) return false;
  for (const Value* item : v->node()->inputs()) {
    const IValue* constant = constant_of(item);
    if (!constant || !constant->is_int()) return false;
    out->push_back(constant->as_int());
  }
  return true;
}

bool known_sizes(const Value* v, Dims* sizes) {
  if (!v->type().is_tensor() || !v->type().info().rank_known) return false;
  *sizes = v->type().info().sizes;
  for (int64_t size : *sizes)
    if (size < 0) return false;
  return true;
}

Value* same_as_operand(const Node* node) { return node->input(); }

// --- views that change nothing; the result and the operand are the same memory

Value* expand_to_own_size(Node* node) {
  Dims sizes;
  std::vector<int64_t> asked;
  if (!is_op(node, "aten::expand") || !known_sizes(node->input(), &sizes)) return nullptr;
  if (!int_list(node->input(1), &asked) || static_cast<int>(asked.size()) != sizes.rank())
    return nullptr;
  for (int i = 0; i < sizes.rank(); ++i)
    if (asked[i] != -1 && asked[i] != sizes[i]) return nullptr;
  return same_as_operand(node);
}

Value* to_own_dtype(Node* node) {
  if (!is_op(node, "aten::to") || !node->input()->type().is_tensor()) return nullptr;
  const TensorInfo& info = node->input()->type().info();
  const IValue* dtype = constant_arg(node, "dtype");
  const IValue* copy = constant_arg(node, "copy");
  if (!info.has_dtype || !dtype || !dtype->is_int() || !copy || !copy->is_bool()) return nullptr;
  if (copy->as_bool() || row_of(info.dtype).aten_code != dtype->as_int()) return nullptr;
  const bool keeps = asked_format(node->op(), arg_infos(node)) == MemoryFormat::Preserve;
  return keeps ? same_as_operand(node) : nullptr;
}

bool normalise_dims(std::vector<int64_t>& dims) {
  int64_t rank = static_cast<int64_t>(dims.size());
  for (int64_t& d : dims) {
    d = d < 0 ? d + rank : d;
    if (d < 0 || d >= rank) return false;
  }
  return true;
}

Value* permute_of_permute(Node* node) {
  std::vector<int64_t> outer, inner;
  if (!is_op(node, "aten::permute") || !int_list(node->input(1), &outer) || !normalise_dims(outer))
    return nullptr;
  bool identity = true;
  for (size_t i = 0; i < outer.size(); ++i)
    identity = identity && outer[i] == static_cast<int64_t>(i);
  if (identity) return view_may_raise(node) ? nullptr : same_as_operand(node);
  Node* below = node->input()->node();
  if (!is_op(below, "aten::permute") || !int_list(below->input(1), &inner) ||
      !normalise_dims(inner) || inner.size() != outer.size())
    return nullptr;
  std::vector<IValue> dims;
  for (int64_t d : outer) dims.emplace_back(inner[d]);
  Value* list = node->graph().constant(IValue::list(std::move(dims), TypeKind::Int), node);
  Node* combined = node->graph().create(node->op(), {below->input(), list});
  combined->range = node->range;
  combined->insert_before(node);
  combined->output()->set_type(node->output()->type());
  return combined->output();
}

Value* transpose_of_one_dim(Node* node) {
  if (!is_op(node, "aten::transpose")) return nullptr;
  const IValue* a = constant_of(node->input(1));
  const IValue* b = constant_of(node->input(2));
  const bool one = a && b && same_constant(*a, *b) && !view_may_raise(node);
  return one ? same_as_operand(node) : nullptr;
}

// --- facts of static types

Value* size_fact(Node* node) {
  Dims sizes;
  if (!is_op(node, "aten::size") || !known_sizes(node->input(), &sizes)) return nullptr;
  if (node->inputs().size() == 1) return node->graph().constant(IValue::int_list(sizes), node);
  const IValue* dim = constant_of(node->input(1));
  if (!dim || !dim->is_int()) return nullptr;
  int64_t d = dim->as_int() < 0 ? dim->as_int() + sizes.rank() : dim->as_int();
  if (d < 0 || d >= sizes.rank()) return nullptr;
  return node->graph().constant(IValue(sizes[static_cast<int>(d)]), node);
}

Value* dim_fact(Node* node) {
  if (!is_op(node, "aten::dim") || !node->input()->type().is_tensor()) return nullptr;
  const TensorInfo& info = node->input()->type().info();
  return info.rank_known ? node->graph().constant(IValue(info.sizes.rank()), node) : nullptr;
}

Value* numel_fact(Node* node) {
  Dims sizes;
  if (!is_op(node, "aten::numel") || !known_sizes(node->input(), &sizes)) return nullptr;
  return node->graph().constant(IValue(numel_of(sizes)), node);
}

// --- lists whose making is in sight; the caller has checked that nothing writes them

Value* item_of_construct(Node* node) {
  if (!is_op(node, "aten::__getitem__") || !node->input()->node()->is(prim::list_construct()))
    return nullptr;
  const IValue* at = constant_of(node->input(1));
  if (!at || !at->is_int()) return nullptr;
  const std::vector<Value*>& items = node->input()->node()->inputs();
  int64_t count = static_cast<int64_t>(items.size());
  int64_t i = at->as_int() < 0 ? at->as_int() + count : at->as_int();
  return i >= 0 && i < count ? items[i] : nullptr;
}

Value* length_of_construct(Node* node) {
  if (!is_op(node, "aten::len") || !node->input()->node()->is(prim::list_construct()))
    return nullptr;
  return node->graph().constant(
      IValue(static_cast<int64_t>(node->input()->node()->inputs().size())), node);
}

// The size of the dimension that unbind decomposes.
bool unbound(const Node* list, int64_t* dim, int64_t* size) {
  Dims sizes;
  if (!is_op(list, "aten::unbind") || !known_sizes(list->input(), &sizes)) return false;
  const IValue* at = list->inputs().size() > 1 ? constant_of(list->input(1)) : nullptr;
  if (!at || !at->is_int()) return false;
  *dim = at->as_int() < 0 ? at->as_int() + sizes.rank() : at->as_int();
  if (*dim < 0 || *dim >= sizes.rank()) return false;
  *size = sizes[static_cast<int>(*dim)];
  return true;
}

Value* length_of_unbind(Node* node) {
  int64_t dim, size;
  if (!is_op(node, "aten::len") || !unbound(node->input()->node(), &dim, &size)) return nullptr;
  return node->graph().constant(IValue(size), node);
}

Value* item_of_unbind(Node* node) {
  int64_t dim, size;
  if (!is_op(node, "aten::__getitem__") || !unbound(node->input()->node(), &dim, &size))
    return nullptr;
  const IValue* at = constant_of(node->input(1));
  if (!at || !at->is_int() || at->as_int() < -size || at->as_int() >= size) return nullptr;
  Graph& graph = node->graph();
  Value* along = graph.constant(IValue(dim), node);
  Node* item = graph.create(operator_named("aten::select.int"),
                            {node->input()->node()->input(), along, node->input(1)});
  item->range = node->range;
  item->insert_before(node);
  infer_types(item);
  return item->output();
}

// --- copies and views that change nothing

bool one_tensor(const Node* list, Value** item) {
  if (!list->is(prim::list_construct()) || list->inputs().size() != 1) return false;
  *item = list->input();
  return (*item)->type().is_tensor();
}

Value* concat_of_one(Node* node) {
  Value* item = nullptr;
  return is_op(node, "aten::cat") && one_tensor(node->input()->node(), &item) ? item : nullptr;
}

Value* copy_of_operand(Node* node) {
  return is_op(node, "aten::clone") ? same_as_operand(node) : nullptr;
}

Value* to_own_sizes(Node* node) {
  Dims sizes;
  std::vector<int64_t> asked;
  if (!is_op(node, "aten::view") && !is_op(node, "aten::reshape")) return nullptr;
  if (!known_sizes(node->input(), &sizes) || !int_list(node->input(1), &asked)) return nullptr;
  const bool own = std::equal(asked.begin(), asked.end(), sizes.begin(), sizes.end());
  return own && same_known_type(node->output(), node->input()) ? same_as_operand(node) : nullptr;
}

Value* contiguous_already(Node* node) {
  if (!is_op(node, "aten::contiguous") || !node->input()->type().is_tensor()) return nullptr;
  const TensorInfo& info = node->input()->type().info();
  const IValue* format = node->inputs().size() > 1 ? constant_of(node->input(1)) : nullptr;
  const bool plain =
      node->inputs().size() == 1 || (format && format->is_int() && format->as_int() == 0);
  return plain && info.complete() && is_contiguous(info.sizes, info.strides) &&
                 same_known_type(node->output(), node->input())
             ? same_as_operand(node)
             : nullptr;
}

Value* slice_of_all(Node* node) {
  Dims sizes;
  if (!is_op(node, "aten::slice") || !known_sizes(node->input(), &sizes)) return nullptr;
  const IValue* dim = constant_arg(node, "dim");
  const IValue* start = constant_arg(node, "start");
  const IValue* end = constant_arg(node, "end");
  const IValue* step = constant_arg(node, "step");
  if (!dim || !start || !end || !step || !dim->is_int() || !step->is_int()) return nullptr;
  const int64_t d = dim->as_int() < 0 ? dim->as_int() + sizes.rank() : dim->as_int();
  if (d < 0 || d >= sizes.rank() || step->as_int() != 1) return nullptr;
  const bool from_first = start->is_none() || start->as_int() == 0;
  const bool to_last = end->is_none() || end->as_int() >= sizes[static_cast<int>(d)];
  return from_first && to_last ? same_as_operand(node) : nullptr;
}

// Dropout that does not train hands on its operand.
Value* dropout_idle(Node* node) {
  if (!is_op(node, "aten::dropout") || node->inputs().size() != 3) return nullptr;
  const IValue* p = constant_of(node->input(1));
  const IValue* train = constant_of(node->input(2));
  const bool idle = train && train->is_bool() && !train->as_bool();
  const bool legal = p && p->is_float() && p->as_double() >= 0 && p->as_double() <= 1;
  return idle && legal ? same_as_operand(node) : nullptr;
}

enum class Shares : uint8_t { Operand, Nothing, Copied };

struct StructuralRule {
  const char* name;
  const char* equation;
  Value* (*find)(Node* node);
  // Does the value lie in the operand's memory, as the result did? Copied: as the result did not.
  Shares shares;
  const char* left = nullptr;  // as a pattern, where one says it
};

const StructuralRule kStructural[] = {
    {"expand-own-size", "expand(x, size(x)) = x", expand_to_own_size, Shares::Operand,
     "aten::expand(x, s)"},
    {"to-own-dtype", "to(x, dtype(x)) = x", to_own_dtype, Shares::Operand,
     "aten::to(x, k, False, c)"},
    {"permute-permute", "permute(permute(x, p), q) = permute(x, p[q])", permute_of_permute,
     Shares::Operand, "aten::permute(aten::permute(x, p), q)"},
    {"transpose-one-dim", "transpose(x, d, d) = x", transpose_of_one_dim, Shares::Operand,
     "aten::transpose(x, d, d)"},
    {"size-known", "size(x) = sizes of x's type", size_fact, Shares::Nothing, "aten::size(x, d)"},
    {"dim-known", "dim(x) = rank of x's type", dim_fact, Shares::Nothing},
    {"numel-known", "numel(x) = product of x's sizes", numel_fact, Shares::Nothing},
    {"item-of-construct", "[a, b, c][1] = b", item_of_construct, Shares::Operand},
    {"len-of-construct", "len([a, b, c]) = 3", length_of_construct, Shares::Nothing},
    {"cat-of-one", "cat([x]) = x", concat_of_one, Shares::Copied},
    {"copy-unneeded", "clone(x) = x", copy_of_operand, Shares::Copied, "aten::clone(x)"},
    {"own-sizes", "view(x, size(x)) = x", to_own_sizes, Shares::Operand, "aten::view(x, s)"},
    {"contiguous-already", "contiguous(x) = x", contiguous_already, Shares::Operand,
     "aten::contiguous(x)"},
    {"slice-of-all", "x[:] = x", slice_of_all, Shares::Operand, "aten::slice(x, d, a, b, c)"},
    {"dropout-idle", "dropout(x, p, False) = x", dropout_idle, Shares::Operand},
    {"len-of-unbind", "len(unbind(x, d)) = size(x, d)", length_of_unbind, Shares::Nothing},
    {"item-of-unbind", "unbind(x, d)[i] = select(x, d, i)", item_of_unbind, Shares::Operand},
};

// a, b = [x, y]: the results take the items.
bool unpack_of_construct(Node* node, Effects& effects, Rewriter& rewriter) {
  if (!node->is(prim::list_unpack()) || !node->input()->node()->is(prim::list_construct()))
    return false;
  const std::vector<Value*> items = node->input()->node()->inputs();
  if (items.size() != node->outputs().size() || effects.is_written(node->input())) return false;
  if (!rewriter.allow("unpack-of-construct", node)) return false;
  for (size_t i = 0; i < items.size(); ++i) {
    node->outputs()[i]->replace_all_uses_with(items[i]);
    effects.replace_value(node->outputs()[i], items[i]);
  }
  node->destroy();
  return true;
}

// Rules read lists where they were built, not where they are used.
bool reads_written_list(const Node* node, const Effects& effects) {
  return std::any_of(node->inputs().begin(), node->inputs().end(), [&](const Value* v) {
    return v->type().is(TypeKind::List) && effects.is_written(v);
  });
}

bool legal(const Node* node, const Value* by, const StructuralRule& rule, const Effects& effects) {
  const Value* out = node->output();
  if (out->type().kind() != by->type().kind()) return false;
  if (reads_written_list(node, effects) || reads_written_list(node->input()->node(), effects))
    return false;
  if (rule.shares == Shares::Copied)
    return same_known_type(out, by) && effects.may_replace_value(out, by);
  if (rule.shares == Shares::Operand) return true;
  return !effects.is_written(out) && !effects.escapes(out);
}

}  // namespace

std::vector<const char*> structural_left_sides() {
  std::vector<const char*> out;
  for (const StructuralRule& rule : kStructural)
    if (rule.left) out.push_back(rule.left);
  return out;
}

bool apply_structural(Node* node, Effects& effects, Rewriter& rewriter) {
  if (unpack_of_construct(node, effects, rewriter)) return true;
  if (node->outputs().size() != 1 || node->inputs().empty() || node->output()->is_unused())
    return false;
  for (const StructuralRule& rule : kStructural) {
    Node* before = node->prev();
    Value* by = rule.find(node);
    if (!by) continue;
    if (!legal(node, by, rule, effects) || !rewriter.allow(rule.name, node)) {
      while (node->prev() != before) node->prev()->destroy();
      return false;
    }
    Value* out = node->output();
    for (Node* inserted = node->prev(); inserted != before; inserted = inserted->prev())
      for (const Value* v : inserted->outputs())
        if (v != by) effects.add_value(v, nullptr);
    effects.add_value(by, rule.shares == Shares::Operand ? node->input() : nullptr);
    out->replace_all_uses_with(by);
    effects.replace_value(out, by);
    node->destroy();
    return true;
  }
  return false;
}

}  // namespace fusillade
