// Devices: a value of type Device is a str, and "cpu" is the only one; what serialised modules ask of a tensor beside.
#include "engine/ops/scalar_row.h"

namespace fusillade {
namespace {

[[maybe_unused]] const bool kRegistered = [] {
  ScalarOptions meta;
  meta.generate = false;
  meta.metadata = true;
  add_scalar("prim::device(Tensor a) -> Device", [](std::span<const IValue>) { return IValue::str("cpu"); }, meta);
  for (const char* name : {"is_cuda", "is_nested", "requires_grad"})  // gradients are not tracked
    add_scalar(fmt::format("prim::{}(Tensor a) -> bool", name), [](std::span<const IValue>) { return IValue(false); }, meta);
  return true;
}();

}  // namespace
}  // namespace fusillade
