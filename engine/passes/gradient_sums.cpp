// See gradient_sums.h. The ops are those of the operators' bodies, so that no bit differs.
#include "engine/passes/gradient_sums.h"

#include <algorithm>

#include "engine/passes/constants.h"

namespace fusillade {
namespace {

Value* before_node(const char* name, std::vector<Value*> args, Node* at) {
  std::vector<Type> types;
  for (const Value* v : args) types.push_back(v->type());
  const Operator& op = resolve(name, types);
  for (size_t i = args.size(); i < op.schema.args.size(); ++i)
    args.push_back(at->graph().constant(op.schema.args[i].default_value, at));
  Node* n = at->graph().create(op, args);
  n->insert_before(at);
  infer_types(n);
  return n->output();
}

bool all_known(const TensorInfo& info) {
  return info.has_dtype && info.rank_known && is_float(info.dtype) &&
         std::ranges::all_of(info.sizes, [](int64_t s) { return s >= 0; });
}

}  // namespace

namespace {

Value* reshape(Value* v, const Dims& sizes, Node* at) {
  return before_node("aten::reshape", {v, at->graph().constant(IValue::int_list(sizes), at)}, at);
}

}  // namespace

Value* summed_to(Value* grad, const Dims& sizes, DType dtype, Node* at) {
  const TensorInfo given = grad->type().info();
  const int before = given.sizes.rank() - sizes.rank();
  if (!all_known(given) || before < 0) return nullptr;
  Dims gone;
  for (int d = 0; d < given.sizes.rank(); ++d)
    if (d < before || sizes[d - before] != given.sizes[d]) gone.push_back(d);
  auto number = [&](IValue v) { return at->graph().constant(std::move(v), at); };
  Value* out = grad;
  if (gone.rank() > 0) {
    Value* dims = number(IValue::int_list(gone));
    out = before_node("aten::sum", {out, dims, number(IValue(true)), number(IValue())}, at);
  }
  if (before > 0) out = reshape(out, sizes, at);
  if (given.dtype == dtype) return out;
  return before_node("aten::to", {out, number(IValue(int64_t{row_of(dtype).aten_code}))}, at);
}

Value* restored_by(Node* n) {
  const IValue* dims = constant_of(n->input(1));
  const IValue* keepdim = constant_of(n->input(2));
  const IValue* rank = constant_of(n->input(3));
  if (!dims || !keepdim || !rank) return nullptr;
  const int64_t all = rank->as_int();
  Value* out = n->input();
  if (keepdim->as_bool() || all == 0) return out;
  auto number = [&](IValue v) { return n->graph().constant(std::move(v), n); };
  if (dims->is_none() || dims->items().empty()) {
    Dims ones;
    for (int64_t d = 0; d < all; ++d) ones.push_back(1);
    return reshape(out, ones, n);
  }
  for (int64_t d = 0; d < all; ++d) {
    const bool gone = std::ranges::any_of(
        dims->items(), [&](const IValue& v) { return (v.as_int() % all + all) % all == d; });
    if (gone) out = before_node("aten::unsqueeze", {out, number(IValue(d))}, n);
  }
  return out;
}

}  // namespace fusillade
