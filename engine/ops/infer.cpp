// Devices and gradients of results (infer.h). A result is where its tensor arguments are, or where
// the call asks for; a call without either makes it on the cpu. It needs no gradient where no
// tensor argument does, and never if it holds integers. Rows that hand values on, prims and those
// on lists, have said all that is known; of a tensor of unknown dtype and rank nothing is said.
#include "engine/ops/infer.h"

#include "engine/ops/device.h"

namespace fusillade {
namespace {

// What all tensors among the arguments have in common.
struct Tensors {
  bool none = true;
  std::optional<Device> device;  // of all of them
  bool need_gradient = false;    // some may

  void add(const Type& type) {
    switch (type.kind()) {
      case TypeKind::Tensor:
        device = none || device == type.info().device ? type.info().device : std::nullopt;
        need_gradient = need_gradient || type.info().requires_grad.value_or(true);
        none = false;
        return;
      case TypeKind::List:
      case TypeKind::Dict:
      case TypeKind::Tuple:
      case TypeKind::Optional:
      case TypeKind::Union:
        for (const Type& element : type.elements()) add(element);
        return;
      case TypeKind::Any:
      case TypeKind::Var:
      case TypeKind::Class:
        return add(TypeKind::Tensor);  // there may be one in it
      default:
        return;
    }
  }
};

Tensors tensors_of(std::span<const ArgInfo> args) {
  Tensors all;
  for (const ArgInfo& a : args) {
    if (a.items.empty()) all.add(a.known ? a.value.type() : a.type);
    for (const Type& item : a.items) all.add(item);
  }
  return all;
}

bool asks_for_gradient(const Row& row, std::span<const ArgInfo> args) {
  for (size_t i = 0; i < args.size() && i < row.schema.args.size(); ++i) {
    if (row.schema.args[i].name != "requires_grad") continue;
    return !args[i].known || !args[i].value.is_bool() || args[i].value.as_bool();
  }
  return false;
}

}  // namespace

void infer_results(const Row& row, std::span<const ArgInfo> args, std::vector<Type>& results) {
  const size_t first = results.size();
  if (row.infer) {
    row.infer(row, args, results);
  } else {
    for (const SchemaArg& r : row.schema.results) results.push_back(r.type);
  }
  if (row.kind == OpKind::Prim || row.kind == OpKind::Scalar) return;
  const Tensors from = tensors_of(args);
  const AskedDevice asked = asked_device(row, args);
  const bool needs_gradient = from.need_gradient || asks_for_gradient(row, args);
  for (Type& type : std::span(results).subspan(first)) {
    if (!type.is_tensor() || (!type.info().has_dtype && !type.info().rank_known)) continue;
    TensorInfo& info = type.info();
    if (asked.device) info.device = placed_on(*asked.device);
    else if (asked.open) info.device = std::nullopt;
    else info.device = from.none ? Device() : from.device;
    info.requires_grad = std::nullopt;
    bool whole = info.has_dtype && !is_float(info.dtype);
    if (whole || !needs_gradient) info.requires_grad = false;
  }
}

}  // namespace fusillade
