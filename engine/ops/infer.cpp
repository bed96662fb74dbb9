// Devices and gradients of results (infer.h). A result is where its tensor arguments are, or where
// the call asks for; a call without either makes it where such calls do. It needs no gradient where
// no tensor argument does, and never if it holds integers. Operators that hand values on, prims and
// those on lists, have said all that is known; of a tensor of unknown dtype and rank nothing is
// said.
#include "engine/ops/infer.h"

#include "engine/ops/default_device.h"
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

constexpr uint32_t bit(TypeKind kind) { return 1u << static_cast<int>(kind); }

// Kinds of most arguments and of their list items: none of these holds a tensor.
constexpr uint32_t kPlain = bit(TypeKind::None) | bit(TypeKind::Int) | bit(TypeKind::Float) |
                            bit(TypeKind::Bool) | bit(TypeKind::Str) | bit(TypeKind::Device);

Tensors tensors_of(std::span<const ArgInfo> args) {
  Tensors all;
  for (const ArgInfo& a : args) {
    const bool list = a.type.is(TypeKind::List);
    if (bit((list ? a.type.element() : a.type).kind()) & kPlain) continue;
    for (const Type& item : a.items) all.add(item);
    if (!a.items.empty()) continue;
    if (a.known) all.add(a.value.type());
    else all.add(a.type);
  }
  return all;
}

bool asks_for_gradient(const Operator& op, std::span<const ArgInfo> args) {
  const int i = op.schema.requires_grad;
  if (i < 0 || static_cast<size_t>(i) >= args.size()) return false;
  const ArgInfo& asked = args[static_cast<size_t>(i)];
  return !asked.known || !asked.value.is_bool() || asked.value.as_bool();
}

}  // namespace

IValue hollow(const TensorInfo& info) {
  auto* impl = new TensorImpl;
  impl->dtype = info.dtype;
  impl->sizes = info.sizes;
  impl->strides = info.strides;
  if (info.device) impl->device = *info.device;
  return IValue(Tensor::from_impl(impl));
}

void infer_results(const Operator& op, std::span<const ArgInfo> args, std::vector<Type>& results) {
  const size_t first = results.size();
  if (op.infer) {
    op.infer(op, args, results);
  } else {
    for (const SchemaArg& r : op.schema.results) results.push_back(r.type);
  }
  if (op.kind == OpKind::Prim || op.kind == OpKind::Scalar) return;
  const Tensors from = tensors_of(args);
  const AskedDevice asked = asked_device(op, args);
  const bool needs_gradient = from.need_gradient || asks_for_gradient(op, args);
  for (Type& type : std::span(results).subspan(first)) {
    if (!type.is_tensor() || (!type.info().has_dtype && !type.info().rank_known)) continue;
    TensorInfo& info = type.info();
    if (asked.device) info.device = placed_on(*asked.device);
    else if (asked.dynamic) info.device = std::nullopt;
    else info.device = from.none ? default_device(op) : from.device;
    info.requires_grad = std::nullopt;
    bool whole = info.has_dtype && !is_float(info.dtype);
    if (whole || !needs_gradient) info.requires_grad = false;
  }
}

}  // namespace fusillade
