// Interfaces (@torch.jit.interface) of an archive: which of its classes implement one.
//
// A type that names an interface becomes the class that implements it, or the union of several; the
// classes are all in the archive, so nothing else can come. What calls a method of the interface,
// or takes the item of a container of modules by a computed index, calls a function that dispatches
// on the class. The text of that function is generated here, in the dialect of serialised code.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/run/archive/code_index.h"
#include "engine/run/archive/pickle.h"

namespace fusillade::archive {

// Which classes the objects of an archive's data are of.
struct ObjectClasses {
  std::set<std::string> classes;
  std::map<std::string, std::set<std::string>>
      fields;  // by "__torch__.Net.layer": of the objects stored there
};
ObjectClasses object_classes(const Pickle& pickle);

// "__torch__.A" of the global "__torch__ A".
std::string class_name(const Pickled& global);

bool is_interface(const ClassText& text);

// Classes with all methods of the interface, by name and signature, in the order of their names; of
// a module interface those that the data holds.
std::vector<std::string> implementations(CodeIndex& code, const ClassText& interface,
                                         const ObjectClasses& objects);

// The function `name` that calls the method that `method` declares, of whichever of `classes` it is
// given.
std::string dispatcher_text(const std::string& name, const DefinitionText& method,
                            const std::vector<std::string>& classes);

// The function `name` that gives item `index` (an int, or a str when `keyed`) of a container whose
// items are fields.
std::string chooser_text(const std::string& name, const std::string& container,
                         const std::vector<std::string>& fields, bool keyed,
                         const std::string& type);

// "Union[A, B]", or "A".
std::string union_text(const std::vector<std::string>& classes);

}  // namespace fusillade::archive
