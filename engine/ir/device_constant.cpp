// See device_constant.h.
#include "engine/ir/device_constant.h"

namespace fusillade {

Value* as_wanted_device(Value* constant, const Type& wanted) {
  const Type& type = wanted.is(TypeKind::Optional) ? wanted.element() : wanted;
  if (type.is(TypeKind::Device) && constant->type().is(TypeKind::Str)) constant->set_type(type);
  return constant;
}

}  // namespace fusillade
