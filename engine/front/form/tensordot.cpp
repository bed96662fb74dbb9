// tensordot: the contracted dims are two lists, or a number of dims.
#include "engine/front/emit_call.h"
#include "engine/front/find_argument.h"
#include "engine/front/form.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

Value* tensordot(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  std::vector<Argument> args = to.arguments(e);
  const bool aten = find_argument(args, SIZE_MAX, "dims_self");
  if (aten || args.size() < 2 || args.size() > 3) return nullptr;
  Value* dims = args.size() == 3 ? args[2].value : to.constant(IValue(2), e);
  if (args.size() == 3 && find_argument(args, 2, "dims") != &args[2]) return nullptr;
  std::vector<Value*> sides;
  if (dims->type().is(TypeKind::Tuple)) {
    sides = to.items_of(dims, e);
  } else if (dims->type().is(TypeKind::List) && dims->type().element().is(TypeKind::List)) {
    for (int i = 0; i < 2; ++i)
      sides.push_back(to.apply(op::kGetItem, {dims, to.constant(IValue(i), e)}, e));
  } else if (dims->type().is(TypeKind::Int) && dims->node()->is(prim::constant())) {
    int64_t count = dims->node()->constant().as_int();
    if (count < 0 || count > 64) to.wrong(e, fmt::format("tensordot: {} dims cannot meet", count));
    std::vector<Value*> last, first;
    for (int64_t i = 0; i < count; ++i) {
      last.push_back(to.constant(IValue(i - count), e));
      first.push_back(to.constant(IValue(i), e));
    }
    sides = {to.list_of(last, TypeKind::Int, e), to.list_of(first, TypeKind::Int, e)};
  } else if (dims->type().is(TypeKind::Int)) {
    return to.calls().library_call("builtins.tensordot", {args[0], args[1], {dims, ""}}, e);
  }
  if (sides.size() != 2)
    to.wrong(e, "dims of tensordot is two lists of dims, or how many of them meet");
  for (Value*& side : sides)
    if (side->type().is(TypeKind::Int)) side = to.list_of({side}, TypeKind::Int, e);
  return to.apply("aten::tensordot", {args[0].value, args[1].value, sides[0], sides[1]}, e);
}

const bool kAdded = add_form({"torch.tensordot"}, {.emit = &tensordot});

}  // namespace
}  // namespace fusillade::front
