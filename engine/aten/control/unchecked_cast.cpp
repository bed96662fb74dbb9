// prim::unchecked_cast: a variable that a test has shown not to be None, under its inner type.
//
//   if c is not None:        %d : float = prim::unchecked_cast(%c)      # %c : float?
//
// The front end puts it only where the test holds. In a branch that is never taken the value may be
// None: then the type is Any, and nothing runs it.
#include "engine/ops/scalar_operator.h"

namespace fusillade {
namespace {

void infer(const Operator&, std::span<const ArgInfo> args, std::vector<Type>& results) {
  const Type& type = args[0].type;
  if (type.is(TypeKind::None)) {
    results.push_back(TypeKind::Any);
  } else {
    results.push_back(type.is(TypeKind::Optional) ? type.element() : type);
  }
}

bool add_operator() {
  ScalarOptions options;
  options.generate = false;
  options.infer = &infer;
  add_scalar(
      "prim::unchecked_cast(t(a) x) -> t(a)", [](std::span<const IValue> args) { return args[0]; },
      options);
  return true;
}

const bool kRegistered = add_operator();

}  // namespace
}  // namespace fusillade
