// nonzero: as_tuple=True gives a tensor for each dim.
#include "engine/front/find_argument.h"
#include "engine/front/form.h"

namespace fusillade::front {
namespace {

Value* nonzero(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  const Expr& wanted = *e.kids.back();
  if (find_argument(e, SIZE_MAX, "as_tuple") != &wanted) return nullptr;
  if (!wanted.is(ExprKind::True) && !wanted.is(ExprKind::False))
    to.wrong(wanted, "as_tuple is True or False as it is written");
  std::vector<Argument> args = to.arguments(e);
  Value* input = call.self ? call.self : args[0].value;
  if (args.size() != (call.self ? 1 : 2)) to.wrong(e, "nonzero takes a tensor and as_tuple");
  return to.apply(wanted.is(ExprKind::True) ? "aten::nonzero_numpy" : "aten::nonzero", {input}, e);
}

const bool kAdded = add_form({"torch.nonzero", "Tensor.nonzero"}, {.emit = &nonzero});

}  // namespace
}  // namespace fusillade::front
