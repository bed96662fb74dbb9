// Types of a composite's results from its body: every node's own inference, in order, with what is
// known of the arguments.
//
// Scalars are computed where their arguments are known; rows that read only metadata get tensors
// without storage to read it from. An If whose condition is known is its taken block, any other the
// common type of both, or that of the one that does not raise on what is known. A Loop of a known,
// small number of turns is taken turn by turn; the results of any other are what the body's text
// declares. A known list changes as it does; one of tensors grows by what is appended, after any
// other write nothing is known of it. (law: rules name ops)
#include <algorithm>

#include "engine/ir/composite.h"
#include "engine/ops/infer.h"

namespace fusillade {
namespace {

constexpr int64_t kMaxTurns = 64;

// A tensor of which only dtype, sizes, strides and device exist.
IValue hollow(const TensorInfo& info) {
  auto* impl = new TensorImpl;
  impl->dtype = info.dtype;
  impl->sizes = info.sizes;
  impl->strides = info.strides;
  if (info.device) impl->device = *info.device;
  return IValue(Tensor::from_impl(impl));
}

class BodyTypes {
 public:
  explicit BodyTypes(const Graph& graph)
      : constant_(&prim::constant()),
        if_(&prim::if_()),
        loop_(&prim::loop()),
        list_(&prim::list_construct()),
        unpack_(&prim::list_unpack()),
        append_(&fusillade::row("aten::append.t")),
        length_(&fusillade::row("aten::len.t")),
        is_(&fusillade::row("aten::__is__")),
        is_not_(&fusillade::row("aten::__isnot__")),
        item_(&fusillade::row("aten::__getitem__.t")),
        cast_(&fusillade::row("prim::unchecked_cast")),
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
        if (from.known && k < from.value.items().size())
          at(n->outputs()[k]) = known(from.value.items()[k]);
      }
    } else if (n->blocks().empty()) {
      row(n);
    } else if (r == loop_) {
      loop(n);
    } else {
      for (const Value* v : n->outputs()) declared(v);
    }
  }

  void loop(const Node* n) {
    const Block* b = n->blocks()[0];
    const ArgInfo& trips = at(n->input(0));
    std::vector<ArgInfo> carried;
    ArgInfo more = at(n->input(1));
    for (size_t k = 2; k < n->inputs().size(); ++k) carried.push_back(at(n->inputs()[k]));
    int64_t turn = 0;
    while (trips.known && more.known && more.value.as_bool() && turn < kMaxTurns &&
           turn < trips.value.as_int()) {
      at(b->params()[0]) = {TypeKind::Int, IValue(turn), true, {}};
      for (size_t k = 0; k < carried.size(); ++k) at(b->params()[k + 1]) = carried[k];
      block(b);
      more = at(b->results()[0]);
      for (size_t k = 0; k < carried.size(); ++k) carried[k] = at(b->results()[k + 1]);
      ++turn;
    }
    bool done =
        more.known && (!more.value.as_bool() || (trips.known && turn >= trips.value.as_int()));
    for (size_t k = 0; k < carried.size(); ++k) {
      if (done) at(n->outputs()[k]) = carried[k];
      else declared(n->outputs()[k]);
    }
    if (!done) forget_written(b);
  }

  void forget_written(const Block* b) {
    for (const Node* n : b->nodes()) {
      for (const Block* inner : n->blocks()) forget_written(inner);
      if (!n->inputs().empty() && n->row().schema.writes() && n->input()->type().is(TypeKind::List))
        declared(n->input());
    }
  }

  // A known list changes as it will; of one of tensors it is known what types are appended.
  void write(const Node* n, const std::vector<ArgInfo>& args) {
    ArgInfo& list = at(n->input());
    if (std::all_of(args.begin(), args.end(), [](const ArgInfo& a) { return a.known; })) {
      std::vector<IValue> values{IValue::list(list.value.items(), n->input()->type().element())};
      for (size_t i = 1; i < args.size(); ++i) values.push_back(args[i].value);
      std::vector<IValue> out;
      n->row().run(n->row(), values, out);
      list = known(values[0]);
      for (size_t k = 0; k < out.size() && k < n->outputs().size(); ++k)
        at(n->outputs()[k]) = known(out[k]);
      return;
    }
    bool empty = list.known && list.value.items().empty();
    if (&n->row() != append_ || (!empty && list.items.empty())) return declared(n->input());
    list.items.push_back(args[1].type);
    list.known = false;
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
      for (size_t k = 0; k < n->outputs().size(); ++k)
        at(n->outputs()[k]) = at(taken->results()[k]);
      return;
    }
    const Block* first = n->blocks()[0];
    const Block* second = n->blocks()[1];
    bool raised = raises(first);
    if (raised) block(second);
    const Block* only = raised ? second : raises(second) ? first : nullptr;
    for (const Block* b : n->blocks()) forget_written(b);
    for (size_t k = 0; only && k < n->outputs().size(); ++k)
      at(n->outputs()[k]) = at(only->results()[k]);
    if (only) return;
    for (size_t k = 0; k < n->outputs().size(); ++k) {
      const Type& a = at(n->blocks()[0]->results()[k]).type;
      const Type& b = at(n->blocks()[1]->results()[k]).type;
      declared(n->outputs()[k]);
      if (n->outputs()[k]->type().is_tensor()) at(n->outputs()[k]).type = unify(a, b);
    }
  }

  bool raises(const Block* b) {
    try {
      block(b);
      return false;
    } catch (const Error&) {
      return true;
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
    if (of_items(n, r, args)) return;
    bool asks_none = (&r == is_ || &r == is_not_) && args[1].known && args[1].value.is_none();
    if (asks_none && args[0].type.is_tensor()) {
      at(n->output()) = known(IValue(&r == is_not_));
      return;
    }
    if (&r == cast_) {
      at(n->output()) = args[0];
      if (!n->output()->type().is_tensor()) at(n->output()).type = n->output()->type();
      return;
    }
    if (r.infer == &infer_by_body) return body(n, r, args);
    if (r.schema.writes() && n->input()->type().is(TypeKind::List)) return write(n, args);
    if (computed(n, r, args)) return;
    std::vector<Type> types;
    try {
      if (r.infer) infer_results(r, args, types);
      if (r.view && n->output()->type().is(TypeKind::List)) views(n, r, args);
    } catch (const Unsupported&) {
      return;
    }
    for (size_t k = 0; k < types.size() && k < n->outputs().size(); ++k)
      at(n->outputs()[k]).type = types[k];
  }

  // What a body inside tells of values and items, too.
  void body(const Node* n, const Row& r, const std::vector<ArgInfo>& args) {
    const Graph& graph = composite_body(r);
    BodyTypes inner(graph);
    for (size_t i = 0; i < args.size(); ++i) inner.at(graph.inputs()[i]) = args[i];
    inner.block(graph.block());
    for (size_t k = 0; k < n->outputs().size(); ++k) {
      at(n->outputs()[k]) = inner.at(graph.outputs()[k]);
      if (!n->outputs()[k]->type().is_tensor()) at(n->outputs()[k]).type = n->outputs()[k]->type();
    }
  }

  static ArgInfo known(const IValue& v) { return {v.type(), v, true, {}}; }

  // The length and the items of a list of tensors, of which only the types are known.
  bool of_items(const Node* n, const Row& r, const std::vector<ArgInfo>& args) {
    if ((&r != length_ && &r != item_) || args[0].known || args[0].items.empty()) return false;
    int64_t count = static_cast<int64_t>(args[0].items.size());
    if (&r == length_) {
      at(n->output()) = known(IValue(count));
      return true;
    }
    if (!args[1].known) return false;
    int64_t i = args[1].value.as_int();
    if (i < 0) i += count;
    if (i < 0 || i >= count) return false;
    at(n->output()) = {args[0].items[static_cast<size_t>(i)], {}, false, {}};
    return true;
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
    for (size_t k = 0; k < out->size(); ++k) at(n->outputs()[k]) = known((*out)[k]);
    return true;
  }

  const Row* constant_;
  const Row* if_;
  const Row* loop_;
  const Row* list_;
  const Row* unpack_;
  const Row* append_;
  const Row* length_;
  const Row* is_;
  const Row* is_not_;
  const Row* item_;
  const Row* cast_;
  std::vector<ArgInfo> known_;  // by value id
};

void infer(const Row& row, std::span<const ArgInfo> args, std::vector<Type>& results) {
  const Graph& body = composite_body(row);
  BodyTypes types(body);
  for (size_t i = 0; i < args.size(); ++i) types.at(body.inputs()[i]) = args[i];
  types.block(body.block());
  for (size_t i = 0; i < body.outputs().size(); ++i) {
    const Type& declared = row.schema.results[i].type;
    results.push_back(declared.is_tensor() ? types.at(body.outputs()[static_cast<int>(i)]).type
                                           : declared);
  }
}

[[maybe_unused]] const bool kProvided = [] {
  provide_body_inference(&infer);
  return true;
}();

}  // namespace

std::optional<std::vector<IValue>> known_scalars(const Row& row, std::span<const ArgInfo> args) {
  if (row.kind != OpKind::Scalar || row.side_effect) return std::nullopt;
  auto readable = [&](const ArgInfo& a) {
    if (!row.metadata || !a.type.is_tensor() || !a.type.info().complete()) return false;
    return !row.reads_device || a.type.info().device.has_value();
  };
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
