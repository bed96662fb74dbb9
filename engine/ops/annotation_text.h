// Types as Python's annotations write them. Messages about source text speak so, and so do
// generated scripts and archives; IR has Type::text().
#pragma once

#include <fmt/format.h>

#include <string>

#include "engine/ops/type.h"

namespace fusillade {

// "List[int]", "Optional[Tensor]", "Union[int, str]", "Dict[str, float]", "Tuple[()]", the name of
// a class. Shapes and dtypes of tensors are left out. `none` is the type of None: an annotation in
// Python names the value.
std::string annotation_text(const Type& type, const char* none = "NoneType");

}  // namespace fusillade

// A type in a message: fmt::format("a {} has no length", value->type()).
template <>
struct fmt::formatter<fusillade::Type> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const fusillade::Type& type, Context& context) const {
    return fmt::formatter<std::string>::format(fusillade::annotation_text(type), context);
  }
};
