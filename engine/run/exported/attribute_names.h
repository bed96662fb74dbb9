// Names of a module's attributes as `.pt2` files have them: PyTorch makes code of them, unescaped.
#pragma once

#include <string>
#include <vector>

#include "engine/ops/class_type.h"

namespace fusillade::exported {

// One for each field, all different. A name of ASCII's letters, digits and underscores stays unless
// it is a keyword of Python; in others everything else becomes '_', and a number follows.
std::vector<std::string> attribute_names(const ClassType& cls);

}  // namespace fusillade::exported
