// Files that torch.save wrote, within archives of torch.export: tensors by name, or example inputs.
//
// A zip archive with a pickle, of which nothing is run: a closed list of calls makes tensors.
#pragma once

#include <string>
#include <vector>

#include "engine/run/exported/parts.h"

namespace fusillade::exported {

// A dict of tensors; `complex` gets those that are pairs for complex numbers. Throws Error naming
// `label` and the place.
Tensors tensors_of(std::string bytes, const std::string& label, std::set<const void*>& complex);
// The tensors and numbers in tuples, lists and dicts, in order. Throws Error for anything else.
std::vector<IValue> leaves_of(std::string bytes, const std::string& label);

}  // namespace fusillade::exported
