// Schemas: an operator's signature in ATen's notation, with alias marks and defaults.
//
//   aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
//
// Alias marks: (a) may alias, (a!) is written, (a|b) several sets, (*) or (a -> *) may enter a
// container.
#pragma once

#include <string>
#include <vector>

#include "engine/ops/ivalue.h"

namespace fusillade {

struct SchemaArg {
  std::string name;  // may be empty for results
  Type type;
  std::string alias;     // "a", or empty
  bool written = false;  // "!"
  bool wildcard = false;
  bool has_default = false;
  bool keyword_only = false;
  int fixed_size = 0;  // int[2]: 2
  IValue default_value;
};

struct Schema {
  std::string name;      // "aten::add"
  std::string overload;  // "Tensor", or empty
  std::vector<SchemaArg> args;
  std::vector<SchemaArg> results;
  bool varargs = false;           // prims such as prim::ListConstruct
  bool varresults = false;        // prims such as prim::If
  int device = -1;                // the argument "device" of type Device or Device?; -1: none
  int requires_grad = -1;         // the argument of that name; -1: none
  std::string full_name() const;  // "aten::add.Tensor"
  std::string text() const;
  bool writes() const;   // some argument is written
  bool aliases() const;  // some result may alias an argument
};

// Throws Error with the column on bad text.
Schema parse_schema(const std::string& text);

}  // namespace fusillade
