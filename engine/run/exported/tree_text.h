// Trees of values as PyTorch's pytree writes them: what a program's arguments and results are made
// of, and its leaves in order.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/run/exported/recorder.h"

namespace fusillade::exported {

// Tensors, numbers, None and text are leaves; lists, tuples and dicts are not. Throws Error for any
// other value.
std::string tree_text(const IValue& value);
// Of a call: a tuple of these, and no arguments by name.
std::string arguments_tree(const std::vector<std::string>& trees);
// With the version of the format.
std::string whole_tree(const std::string& tree);
void each_leaf(const IValue& value, const std::function<void(const IValue&)>& f);
void each_leaf(const Recorded& value, const std::function<void(const Recorded&)>& f);

}  // namespace fusillade::exported
