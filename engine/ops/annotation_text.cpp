// See annotation_text.h.
#include "engine/ops/annotation_text.h"

#include "engine/ops/class_type.h"

namespace fusillade {

std::string annotation_text(const Type& type, const char* none) {
  if (type.class_type()) return type.class_type()->name;
  auto with_elements = [&](const char* name) {
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
      return with_elements("List");
    case TypeKind::Optional:
      return with_elements("Optional");
    case TypeKind::Tuple:
      return with_elements("Tuple");
    case TypeKind::Dict:
      return with_elements("Dict");
    case TypeKind::Union:
      return with_elements("Union");
    default:
      return type.text();
  }
}

}  // namespace fusillade
