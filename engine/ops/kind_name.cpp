// See kind_name.h.
#include "engine/ops/kind_name.h"

namespace fusillade {

const char* name_of(OpKind kind) {
  switch (kind) {
    case OpKind::Pointwise:
      return "pointwise";
    case OpKind::Reduce:
      return "reduce";
    case OpKind::View:
      return "view";
    case OpKind::Contract:
      return "contract";
    case OpKind::Opaque:
      return "opaque";
    case OpKind::Create:
      return "create";
    case OpKind::Scalar:
      return "scalar";
    case OpKind::Composite:
      return "composite";
    case OpKind::Prim:
      return "prim";
  }
  return "?";
}

}  // namespace fusillade
