// Types of a composite's results from its body: every node's own inference, in order, with what is known of
// the arguments.
//
// Scalars are computed where their arguments are known; rows that read only metadata get tensors without
// storage to read it from. An If whose condition is known is its taken block, any other the common type of
// both; a Loop's results are what the body's text declares.
#include <algorithm>

#include "engine/ir/composite.h"

namespace fusillade {
namespace {

// A tensor of which only dtype, sizes and strides exist.
IValue hollow(const TensorInfo& info) {
  auto* impl = new TensorImpl;
  impl->dtype = info.dtype;
  impl->sizes = info.sizes;
  impl->strides = info.strides;
  return IValue(Tensor::from_impl(impl));
}

class BodyTypes {
 public:
  explicit BodyTypes(const Graph& graph)
      : constant_(&prim::constant()), if_(&prim::if_()), list_(&prim::list_construct()), unpack_(&prim::list_unpack()),
        known_(static_cast<size_t>(graph.id_limit())) {}

  ArgInfo& at(const Value* v) { return known_[static_cast<size_t>(v->id())]; }

  void block(const Block* b) {
    for (const Node* n : b->nodes()) node(n);
  }

 private:
  void node(const Node* n) {
    const Row* r = &n->row();
    if (r == constant_) {
      ArgInfo& out = at(n->output());
      out.type = n->output()->type();
      out.value = n->constant();
      out.known = true;
    } else if (r == if_) {
      branch(n);
    } else if (r == list_) {
      list(n);
    } else if (r == unpack_) {
      const ArgInfo& from = at(n->input());
      for (size_t k = 0; k < n->outputs().size(); ++k) {
        declared(n->outputs()[k]);
        if (k < from.items.size()) at(n->outputs()[k]).type = from.items[k];
      }
    } else if (n->blocks().empty()) {
      row(n);
    } else {
      for (const Value* v : n->outputs()) declared(v);
    }
  }

  void declared(const Value* v) {
    ArgInfo& out = at(v);
    out.type = v->type();
    out.value = IValue();
    out.known = false;
    out.items.clear();
  }

  void branch(const Node* n) {
    const ArgInfo& condition = at(n->input());
    if (condition.known) {
      const Block* taken = n->blocks()[condition.value.as_bool() ? 0 : 1];
      block(taken);
      for (size_t k = 0; k < n->outputs().size(); ++k) at(n->outputs()[k]) = at(taken->results()[k]);
      return;
    }
    for (const Block* b : n->blocks()) block(b);
    for (size_t k = 0; k < n->outputs().size(); ++k) {
      const Type& a = at(n->blocks()[0]->results()[k]).type;
      const Type& b = at(n->blocks()[1]->results()[k]).type;
      at(n->outputs()[k]) = {unify(a, b), {}, false, {}};
    }
  }

  void list(const Node* n) {
    ArgInfo& out = at(n->output());
    declared(n->output());
    std::vector<IValue> values;
    for (const Value* v : n->inputs()) {
      out.items.push_back(at(v).type);
      if (at(v).known) values.push_back(at(v).value);
    }
    if (values.size() != n->inputs().size()) return;
    out.known = true;
    out.value = IValue::list(std::move(values), n->output()->type().element());
  }

  void row(const Node* n) {
    const Row& r = n->row();
    std::vector<ArgInfo> args;
    args.reserve(std::max(n->inputs().size(), r.schema.args.size()));
    for (const Value* v : n->inputs()) args.push_back(at(v));
    for (size_t i = args.size(); i < r.schema.args.size(); ++i) {
      args.push_back({r.schema.args[i].type, r.schema.args[i].default_value, true, {}});
    }
    for (const Value* v : n->outputs()) declared(v);
    if (computed(n, r, args)) return;
    std::vector<Type> types;
    try {
      if (r.infer) r.infer(r, args, types);
      if (r.view && n->output()->type().is(TypeKind::List)) views(n, r, args);
    } catch (const Unsupported&) {
      return;
    }
    for (size_t k = 0; k < types.size() && k < n->outputs().size(); ++k) at(n->outputs()[k]).type = types[k];
  }

  void views(const Node* n, const Row& r, const std::vector<ArgInfo>& args) {
    TensorInfo info = args[0].type.info();
    if (!info.complete()) return;
    for (const ViewGeometry& g : r.view(r, args, info.sizes, info.strides)) {
      info.sizes = g.sizes;
      info.strides = g.strides;
      at(n->output()).items.push_back(Type::tensor(info));
    }
  }

  bool computed(const Node* n, const Row& r, const std::vector<ArgInfo>& args) {
    std::optional<std::vector<IValue>> out = known_scalars(r, args);
    if (!out) return false;
    for (size_t k = 0; k < out->size(); ++k) at(n->outputs()[k]) = {(*out)[k].type(), (*out)[k], true, {}};
    return true;
  }

  const Row* constant_;
  const Row* if_;
  const Row* list_;
  const Row* unpack_;
  std::vector<ArgInfo> known_;  // by value id
};

void infer(const Row& row, std::span<const ArgInfo> args, std::vector<Type>& results) {
  const Graph& body = composite_body(row);
  BodyTypes types(body);
  for (size_t i = 0; i < args.size(); ++i) types.at(body.inputs()[i]) = args[i];
  types.block(body.block());
  for (const Value* v : body.outputs()) results.push_back(types.at(v).type);
}

[[maybe_unused]] const bool kProvided = [] {
  provide_body_inference(&infer);
  return true;
}();

}  // namespace

std::optional<std::vector<IValue>> known_scalars(const Row& row, std::span<const ArgInfo> args) {
  if (row.kind != OpKind::Scalar || row.side_effect) return std::nullopt;
  auto readable = [&](const ArgInfo& a) { return row.metadata && a.type.is_tensor() && a.type.info().complete(); };
  for (const ArgInfo& a : args) {
    if (!a.known && !readable(a)) return std::nullopt;
  }
  if (row.schema.writes()) return std::nullopt;
  std::vector<IValue> values;
  values.reserve(args.size());
  for (const ArgInfo& a : args) {
    values.push_back(a.known ? a.value : hollow(a.type.info()));
  }
  std::vector<IValue> out;
  row.run(row, values, out);
  return out;
}

}  // namespace fusillade
