// Methods of values in a constructor: each is a row, named by what it is of and by its name.
#pragma once

#include "engine/base/table.h"
#include "engine/front/elaborate.h"

namespace fusillade::front {

struct MethodCall {
  Elaborator& in;
  const Py& self;
  const PyArgs& args;
  const Expr& e;
  const std::string& name;  // of the method
  size_t count() const { return args.positional.size(); }
  const Py& at(size_t i) const { return args.positional[i]; }
};

// "list.append". Nothing: it takes no such arguments.
struct Method {
  std::string name;
  std::optional<Py> (*call)(const MethodCall&);
};

inline bool add_methods(std::string_view of,
                        std::initializer_list<std::pair<const char*, decltype(Method::call)>> all) {
  for (const auto& [name, call] : all)
    Table<Method>::instance().add({std::string(of) + "." + name, call});
  return true;
}

}  // namespace fusillade::front
