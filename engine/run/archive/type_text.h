// Types as serialised code and pickles write them: Python annotations, classes by their qualified
// names.
#pragma once

#include <string>

#include "engine/ops/annotation_text.h"
#include "engine/ops/class_type.h"

namespace fusillade::archive {

// Finds the classes that a text of a type names; compiles them when they were not asked for before.
class ClassResolver {
 public:
  virtual ~ClassResolver() = default;
  // Throws Error when the archive defines no such class.
  virtual ClassPtr resolve_class(const std::string& qualified) = 0;
  // The classes behind an interface; of a class none.
  virtual std::vector<std::string> behind(const std::string& qualified) = 0;
};

// Throws Error with the column.
Type type_of_text(const std::string& text, ClassResolver& classes);

}  // namespace fusillade::archive
