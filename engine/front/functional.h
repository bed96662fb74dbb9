// torch.nn.functional functions whose parameters differ from those of the op behind them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ops/ivalue.h"

namespace fusillade::front {

inline constexpr std::string_view kFunctions = "torch.nn.functional.";

// One word of the op's arguments.
struct FunctionalArgument {
  std::string keyword;     // of the op's schema; empty: positional
  std::string parameter;   // of the function; empty: `literal`
  bool reduction = false;  // "none", "mean", "sum" become ATen's 0, 1, 2
  bool replaced = false;   // None becomes `literal`
  std::optional<IValue> literal;
};

struct FunctionalParameter {
  std::string name;
  std::optional<IValue> value;  // its default
};

struct Functional {
  std::string name;  // "batch_norm"
  std::string op;    // "aten::batch_norm"
  std::vector<FunctionalParameter> parameters;
  std::vector<FunctionalArgument> arguments;
};

// Null when the function's parameters are its op's.
const Functional* functional(const std::string& path);

}  // namespace fusillade::front
