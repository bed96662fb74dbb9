// Inputs that are written as views of earlier ones, in Python: y = x[1:], z = x.t()[0].
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/tensor/tensor.h"

namespace fusillade::cli {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

struct InputView {
  std::string name;        // of the input
  std::string expression;  // of earlier inputs, which our front end reads
};

// The parts of NAME = EXPRESSION; nothing for other text, such as the name of a file.
std::optional<InputView> read_input_view(const std::string& text);

struct ViewOf {
  Tensor view;
  size_t base;  // the index of the tensor that it is a view of
};

// Evaluates it over what is given before. Throws Error that begins with `where`: the expression is
// wrong, it is no tensor, or no view of any of these.
ViewOf take_view(const InputView& view, const NamedTensors& given, const std::string& where);

}  // namespace fusillade::cli
