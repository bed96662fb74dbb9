// What a node written by a stranger may claim: constants hold what their type says, blocks give
// what their node promises, callees are there. Operators' own arguments are checked when the
// overload is resolved.
#include "engine/ir/agree.h"

#include "engine/ir/composite.h"

namespace fusillade {
namespace {

bool tensors_agree(const TensorInfo& a, const TensorInfo& b) {
  if (a.has_dtype && b.has_dtype && a.dtype != b.dtype) return false;
  if (a.device && b.device && a.device != b.device) return false;
  if (a.requires_grad && b.requires_grad && a.requires_grad != b.requires_grad) return false;
  if (!a.rank_known || !b.rank_known) return true;
  if (a.sizes.rank() != b.sizes.rank()) return false;
  for (int d = 0; d < a.sizes.rank(); ++d) {
    if (a.sizes[d] >= 0 && b.sizes[d] >= 0 && a.sizes[d] != b.sizes[d]) return false;
  }
  return true;
}

}  // namespace

bool may_agree(const Type& a, const Type& b) {
  auto is_wildcard = [](const Type& t) {
    return t.is(TypeKind::Any) || t.is(TypeKind::Var) || t.is(TypeKind::Union);
  };
  if (is_wildcard(a) || is_wildcard(b)) return true;
  bool maybe_a = a.is(TypeKind::Optional);
  bool maybe_b = b.is(TypeKind::Optional);
  if ((maybe_a && b.is(TypeKind::None)) || (maybe_b && a.is(TypeKind::None)) ||
      (maybe_a && maybe_b))
    return true;
  if (maybe_a || maybe_b) return may_agree(maybe_a ? a.element() : a, maybe_b ? b.element() : b);
  if (a.is(TypeKind::Number) || b.is(TypeKind::Number)) {
    const Type& other = a.is(TypeKind::Number) ? b : a;
    return other.subtype_of(TypeKind::Number);
  }
  if (a.kind() != b.kind()) return false;
  if (a.is(TypeKind::Tensor)) return tensors_agree(a.info(), b.info());
  if (a.is(TypeKind::List)) return may_agree(a.element(), b.element());
  if (a.is(TypeKind::Class) || a.is(TypeKind::Enum)) return a.class_type() == b.class_type();
  if (a.is(TypeKind::Dict))
    return may_agree(a.key(), b.key()) && may_agree(a.value_type(), b.value_type());
  if (!a.is(TypeKind::Tuple)) return true;
  if (a.elements().size() != b.elements().size()) return false;
  for (size_t i = 0; i < a.elements().size(); ++i) {
    if (!may_agree(a.elements()[i], b.elements()[i])) return false;
  }
  return true;
}

namespace {

std::string pair_conflict(const Type& given, const Type& wanted, const char* what) {
  if (may_agree(given, wanted)) return "";
  return fmt::format("{} is {}, not {}", what, given.text(), wanted.text());
}

bool fits(const IValue& v, const Type& type) {
  if (type.is(TypeKind::Optional)) return v.is_none() || fits(v, type.element());
  if (type.is(TypeKind::List) && v.tag() == IValue::Tag::List) {
    for (const IValue& item : v.items()) {
      if (!fits(item, type.element())) return false;
    }
    return true;
  }
  return may_agree(v.type(), type);
}

std::string constant_conflict(const Node* n) {
  if (n->outputs().size() != 1) return "a constant has one result";
  const Type& type = n->output()->type();
  for (const auto& [name, value] : n->attrs()) {
    if (name != "value")
      return fmt::format("a constant has no attribute '{}'; it has 'value'", name);
  }
  IValue v = n->has_attr("value") ? n->constant() : IValue();
  return fits(v, type) ? "" : fmt::format("{} is not of type {}", describe(v), type.text());
}

std::string if_conflict(const Node* n) {
  for (const Block* b : n->blocks()) {
    for (size_t i = 0; i < n->outputs().size(); ++i) {
      std::string c =
          pair_conflict(b->results()[i]->type(), n->outputs()[i]->type(), "what a branch returns");
      if (!c.empty()) return c;
    }
  }
  return pair_conflict(n->input()->type(), TypeKind::Bool, "the condition");
}

std::string loop_conflict(const Node* n) {
  const Block* body = n->blocks()[0];
  std::string c = pair_conflict(n->input(0)->type(), TypeKind::Int, "the trip count");
  if (c.empty()) c = pair_conflict(n->input(1)->type(), TypeKind::Bool, "the condition");
  if (c.empty()) c = pair_conflict(body->params()[0]->type(), TypeKind::Int, "the loop's index");
  if (c.empty())
    c = pair_conflict(body->results()[0]->type(), TypeKind::Bool, "the body's condition");
  for (size_t i = 0; i < n->outputs().size() && c.empty(); ++i) {
    const Type& carried = body->params()[i + 1]->type();
    c = pair_conflict(n->input(static_cast<int>(i) + 2)->type(), carried,
                      "what the loop starts with");
    if (c.empty())
      c = pair_conflict(body->results()[i + 1]->type(), carried, "what the body returns");
    if (c.empty()) c = pair_conflict(carried, n->outputs()[i]->type(), "what the loop carries");
  }
  return c;
}

std::string list_conflict(const Node* n) {
  bool makes = n->is(prim::list_construct());
  const Type& list = makes ? n->output()->type() : n->input()->type();
  if (!list.is(TypeKind::List)) return list.is(TypeKind::Any) ? "" : list.text() + " is no list";
  for (const Value* v : makes ? n->inputs() : n->outputs()) {
    std::string c = pair_conflict(v->type(), list.element(), "an item");
    if (!c.empty()) return c;
  }
  return "";
}

std::string call_conflict(const Node* n) {
  if (!n->has_attr("Subgraph"))
    return n->op().name + " names no graph; write it as NAME_0 with 'with NAME_0 = graph(...)'";
  const Graph& callee = n->subgraph();
  if (callee.inputs().size() != n->inputs().size() ||
      callee.outputs().size() != n->outputs().size()) {
    return fmt::format("the graph called takes {} values and gives {}, here {} and {}",
                       callee.inputs().size(), callee.outputs().size(), n->inputs().size(),
                       n->outputs().size());
  }
  std::string c;
  for (size_t i = 0; i < n->inputs().size() && c.empty(); ++i) {
    c = pair_conflict(n->inputs()[i]->type(), callee.inputs()[i]->type(), "an argument");
  }
  for (size_t i = 0; i < n->outputs().size() && c.empty(); ++i) {
    c = pair_conflict(callee.outputs()[i]->type(), n->outputs()[i]->type(), "a result");
  }
  return c;
}

}  // namespace

std::string input_conflict(const Node* n) {
  const std::vector<SchemaArg>& wanted = n->op().schema.args;
  for (size_t i = 0; i < wanted.size() && i < n->inputs().size(); ++i) {
    const Type& given = n->inputs()[i]->type();
    const Type& type = wanted[i].type;
    const bool loose = type.is(TypeKind::Any) || type.is(TypeKind::Var) ||
                       type.is(TypeKind::Optional) || given.is(TypeKind::Any);
    if (!loose && given.is_tensor() != type.is_tensor())
      return fmt::format("input {} is {}, the schema wants {}", i, given.text(), type.text());
  }
  return "";
}

std::string conflict_of(const Node* n) {
  if (n->is(prim::constant())) return constant_conflict(n);
  if (n->is(prim::if_())) return if_conflict(n);
  if (n->is(prim::loop())) return loop_conflict(n);
  if (n->is(prim::list_construct()) || n->is(prim::list_unpack())) return list_conflict(n);
  if (holds_graph(n)) return call_conflict(n);
  if (n->is(prim::param()) || n->is(prim::return_()))
    return n->op().name + " stands for a block's ends only";
  return "";
}

}  // namespace fusillade
