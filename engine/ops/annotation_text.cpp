// See annotation_text.h.
#include "engine/ops/annotation_text.h"

#include "engine/ops/class_type.h"

namespace fusillade {

std::string annotation_text(const Type& type, const char* none) {
  if (type.class_type()) return type.class_type()->name;
  auto listed = [&](const char* name) {
    std::string inner;
    for (const Type& t : type.elements())
      inner += (inner.empty() ? "" : ", ") + annotation_text(t, none);
    return std::string(name) + "[" + (inner.empty() ? "()" : inner) + "]";
  };
  switch (type.kind()) {
    case TypeKind::None:
      return none;
    case TypeKind::Tensor:
      return "Tensor";
    case TypeKind::Number:
      return "number";
    case TypeKind::List:
      return listed("List");
    case TypeKind::Optional:
      return listed("Optional");
    case TypeKind::Tuple:
      return listed("Tuple");
    case TypeKind::Dict:
      return listed("Dict");
    case TypeKind::Union:
      return listed("Union");
    default:
      return type.text();
  }
}

}  // namespace fusillade
