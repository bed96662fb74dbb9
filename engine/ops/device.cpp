// Devices: a value of type Device is a str, and "cpu" is the only one.
#include "engine/ops/scalar_row.h"

namespace fusillade {
namespace {

[[maybe_unused]] const bool kRegistered = [] {
  ScalarOptions meta;
  meta.generate = false;
  meta.metadata = true;
  add_scalar("prim::device(Tensor a) -> Device", [](std::span<const IValue>) { return IValue::str("cpu"); }, meta);
  return true;
}();

}  // namespace
}  // namespace fusillade
