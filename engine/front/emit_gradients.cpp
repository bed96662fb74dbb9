// See emit_gradients.h.
//
// The ops take lists; Python takes a tensor for a list of one as well:
//
//   torch.autograd.grad(y, w, v)        aten::grad([y], [w], [v])
//   torch.autograd.backward([y], v)     aten::backward([y], [v])
//
// The op gives a List[Optional[Tensor]], for a tensor that is not used has none. Of one tensor,
// unless allow_unused may be true, that one is known to be there: the list is a List[Tensor].
#include "engine/front/emit_gradients.h"

#include <algorithm>

#include "engine/front/find_argument.h"

namespace fusillade::front {
namespace {

constexpr std::string_view kGrad = "aten::grad", kBackward = "aten::backward";

bool is_tensor(const Argument* a) { return a && a->value->type().is_tensor(); }

void make_list(Emitter& to, Argument* a, const Expr& at) {
  if (is_tensor(a)) a->value = to.list_of({a->value}, TypeKind::Tensor, at);
}

bool is_false(const Argument* a) {
  if (!a) return true;
  const Node* from = a->value->node();
  return from->is(prim::constant()) && from->constant().is_bool() && !from->constant().as_bool();
}

}  // namespace

bool asks_gradients(std::string_view base) { return base == kGrad || base == kBackward; }

Value* gradients(Emitter& to, const std::string& base, std::vector<Argument> args, const Expr& at) {
  if (base == kBackward) {
    const bool of_one =
        is_tensor(find_argument(args, 0, "tensors")) || is_tensor(find_argument(args, 0, "self"));
    if (!of_one) make_list(to, find_argument(args, 1, "grad_tensors"), at);
    return to.call_operator(base, args, at);
  }
  const bool one = is_tensor(find_argument(args, 1, "inputs"));
  make_list(to, find_argument(args, 0, "outputs"), at);
  make_list(to, find_argument(args, 1, "inputs"), at);
  make_list(to, find_argument(args, 2, "grad_outputs"), at);
  const bool known = is_false(find_argument(args, 5, "allow_unused"));
  Value* out = to.call_operator(base, args, at);
  if (!one || !known) return out;
  Value* item = to.apply(op::kGetItem, {out, to.constant(IValue(int64_t{0}), at)}, at);
  return to.list_of({to.known_as(item, TypeKind::Tensor, at)}, TypeKind::Tensor, at);
}

}  // namespace fusillade::front
