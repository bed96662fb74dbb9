// Types: states on every value what is known of it from the types of the inputs.
//
//   graph(%x : Float(2, 3, strides=[3, 1])):        graph(%x : Float(2, 3, strides=[3, 1])):
//     %y : Tensor = aten::relu(%x)             ==>    %y : Float(2, 3, strides=[3, 1]) =
//     aten::relu(%x)
//
// The interpreter's domain of types (ir/types.h) does the work: through branches, loops and calls.
// A value's type only ever narrows, so whatever was declared still holds. An input's size that is
// not known gets a symbol, SS(-2): where it comes back, the size is the same. Rules never ask where
// a type came from. What is not stated: values, lengths of lists, types within containers, which
// option of an Optional or a Union a value is (branches that are never taken may say another).
#include "engine/ir/types.h"

#include <algorithm>

#include "engine/ir/agree.h"
#include "engine/ir/visit.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

// Names the sizes of inputs that have no name yet.
class Symbols {
 public:
  explicit Symbols(const Graph& graph) {
    each_value(graph.block(), [&](const Value* v) { see(v); });
  }

  Type with_symbols(Type type) {
    if (!type.is_tensor()) return type;
    for (int64_t& size : type.info().sizes)
      if (size == -1) size = --last_;
    return type;
  }

 private:
  void see(const Value* v) {
    if (!v->type().is_tensor()) return;
    for (int64_t size : v->type().info().sizes) last_ = std::min(last_, size);
  }

  int64_t last_ = -1;
};

class Narrow {
 public:
  Narrow(const Graph& graph, Rewriter& rewriter, const std::vector<ArgInfo>& found)
      : rewriter_(rewriter), found_(found) {
    for (Value* input : graph.inputs()) value(input, nullptr);
    block(graph.block());
  }

 private:
  void block(const Block* b) {
    for (Node* n : b->nodes()) {
      for (Block* inner : n->blocks()) {
        for (Value* param : inner->params()) value(param, n);
        block(inner);
      }
      if (n->is(prim::constant())) continue;
      for (Value* out : n->outputs())
        if (!n->is(prim::if_()) || both_give(n, out)) value(out, n);
    }
  }

  // A branch that is known never to be taken may give a type that contradicts the other's.
  bool both_give(const Node* branch, const Value* out) const {
    const Type& type = found_[static_cast<size_t>(out->id())].type;
    return std::all_of(branch->blocks().begin(), branch->blocks().end(), [&](const Block* b) {
      return may_be(b->results()[static_cast<size_t>(out->index())], type);
    });
  }

  // A tuple's own type may say less than the types of its parts.
  static bool may_be(const Value* v, const Type& type) {
    if (!v->node()->is(prim::tuple_construct()) || !type.is(TypeKind::Tuple))
      return may_agree(v->type(), type);
    const std::vector<Type>& parts = type.elements();
    for (size_t i = 0; i < parts.size(); ++i)
      if (!may_be(v->node()->inputs()[i], parts[i])) return false;
    return true;
  }

  void value(Value* v, const Node* at) {
    const Type& type = found_[static_cast<size_t>(v->id())].type;
    if (type == v->type() || !type.subtype_of(v->type())) return;
    if (!(type.without_shapes() == v->type().without_shapes())) return;
    if (rewriter_.allow("narrow", at)) v->set_type(type);
  }

  Rewriter& rewriter_;
  const std::vector<ArgInfo>& found_;
};

// Is there a tensor of which more could be said?
bool is_incomplete(const Value* v) {
  if (!v->type().is_tensor()) return false;
  const TensorInfo& info = v->type().info();
  return !info.complete() || !info.device || !info.requires_grad;
}

bool is_incomplete(const Block* block) {
  bool found = false;
  each_value(block, [&](const Value* v) { found = found || is_incomplete(v); });
  return found;
}

}  // namespace

PASS(types, kExact | kIdempotent, "infer the type of every value from the inputs' types") {
  if (!is_incomplete(graph.block())) return;
  Symbols symbols(graph);
  std::vector<ArgInfo> inputs;
  for (const Value* input : graph.inputs())
    inputs.push_back({symbols.with_symbols(input->type()), {}, false, {}});
  Narrow(graph, rewriter, types_of(graph, inputs));
}

}  // namespace fusillade
