// Devices: a value of type Device is a str, and "cpu" is the only one; what serialised modules ask of a tensor beside.
#include "engine/ops/scalar_row.h"

namespace fusillade {
namespace {

[[maybe_unused]] const bool kRegistered = [] {
  ScalarOptions meta;
  meta.generate = false;
  meta.metadata = true;
  add_scalar("prim::device(Tensor a) -> Device", [](std::span<const IValue>) { return IValue::str("cpu"); }, meta);
  ScalarOptions named;
  named.generate = false;
  add_scalar("aten::device(str a) -> Device", [](std::span<const IValue> v) {
    const std::string& name = v[0].as_str();
    if (name != "cpu" && name != "cpu:0") fail("there is no device '{}': tensors are on 'cpu'", name);
    return IValue::str("cpu");
  }, named);
  add_scalar("aten::eq.device(Device a, Device b) -> bool",
             [](std::span<const IValue> v) { return IValue(v[0].as_str() == v[1].as_str()); }, named);
  add_scalar("aten::ne.device(Device a, Device b) -> bool",
             [](std::span<const IValue> v) { return IValue(v[0].as_str() != v[1].as_str()); }, named);
  add_scalar("prim::type(Device self) -> str", [](std::span<const IValue>) { return IValue::str("cpu"); }, named);
  for (const char* name : {"is_cuda", "is_nested", "is_sparse", "is_quantized", "requires_grad"})  // gradients are not tracked
    add_scalar(fmt::format("prim::{}(Tensor a) -> bool", name), [](std::span<const IValue>) { return IValue(false); }, meta);
  add_scalar("aten::is_leaf(Tensor self) -> bool", [](std::span<const IValue>) { return IValue(true); }, meta);
  return true;
}();

}  // namespace
}  // namespace fusillade
