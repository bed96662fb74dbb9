// What a script under construction knows by name: variables, functions, classes, and what tests
// showed of variables.
#pragma once

#include <string>
#include <vector>

#include "engine/ops/type.h"
#include "fuzz/gen/source_text.h"

namespace fusillade::fuzz::source {

struct Var {
  std::string name;
  Type type;
  bool fixed = false;  // not to be assigned
  int64_t least = 0;   // lists: items for certain
};
struct Argument {
  std::string name;
  Type type;
  bool has_default;
  std::string behind{};  // what follows the argument in a call
};
struct Callee {
  std::string name;
  std::vector<Argument> arguments;
  Type result;
  int64_t cost;
  bool pure = false;  // writes nothing that it is given
};
// Forked and not waited for.
struct Task {
  std::string name;
  Type type;
  bool pure;
};
// A ModuleList or, with keys, a ModuleDict of layers that take and give tensors of one type.
struct Layers {
  std::string name;
  Type in;
  bool keyed;
};
// Fields and methods are named as within the class: "self.w".
struct Class {
  std::string name;
  std::vector<Var> fields;
  std::vector<Callee> methods;
  std::vector<Layers> layers{};
};

// A question about a variable, and the variable's type by the answer.
struct Test {
  std::string text;
  Level level;
  std::string name;
  Type holds;
  Type fails;
};

// A variable that was found to be more, in the block of that indentation; before, it had that type.
struct Narrowed {
  std::string name;
  Type before;
  bool fixed;
  int indent;
};

}  // namespace fusillade::fuzz::source
