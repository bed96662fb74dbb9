// Fitting call arguments to a schema, TorchScript's rules.
//
// Rounds over the overloads, first fit wins: exact types; subtypes, one int for int[N], trailing
// ints for a list, a tuple for a list; then Tensor to number by the *Implicit ops and a Scalar to
// float; last a Scalar to int, which would lose its fraction. A fit is a list of steps, one per
// formal argument; nothing is emitted here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/front/ast.h"
#include "engine/ir/graph.h"

namespace fusillade::front {

struct Argument {
  Value* value = nullptr;
  std::string keyword;  // empty: positional
};

struct Step {
  enum class How : uint8_t { Pass, Broadcast, Unpack, Gather, Implicit, Default };
  How how = How::Default;
  std::vector<Value*> values;  // one, except for Gather
  const char* via = nullptr;   // Implicit: the op
};

using TypeVars = std::map<std::string, Type>;

struct Fit {
  std::vector<Step> steps;  // one per formal argument
  TypeVars vars;
};

enum class Round : uint8_t {
  Exact,
  Subtype,
  Real,
  Boolean,  // a bool as a number: torch.full([2], True)
  Implicit
};  // each allows what those before it do; Implicit takes no bool as a number

// The fit of these arguments, or nothing, with the reason in `why` when it is not null.
std::optional<Fit> fit(const Schema& schema, const std::vector<Argument>& args, Round round,
                       std::string* why);
// How one value becomes `formal`; nothing when it does not.
std::optional<Step> convert(Value* value, const SchemaArg& formal, Round round, TypeVars& vars);
// Type variables replaced by what they were bound to.
Type substitute(const Type& type, const TypeVars& vars);

}  // namespace fusillade::front
