// How each operator is written into programs of torch.export: which are calls there, and by which
// names. The inverse of targets.h. (law: rules name ops)
#pragma once

#include <string>

#include "engine/ops/operator.h"

namespace fusillade::exported {

enum class Written : uint8_t {
  Call,        // a node
  Constant,    // its result is a constant, when its arguments are known
  Conversion,  // a cast, or nothing
  Computed,    // what it gives is computed beforehand; a body is decomposed
  Never        // there is no form for it
};

Written written_as(const Operator& op);
// "torch.ops.aten.add.Tensor"
std::string target_of(const Operator& op);
// "add", for the names of results.
std::string short_name(const Operator& op);
// What a name may be in PyTorch's graphs: no word of Python, nor one that its generated code uses.
std::string plain_name(const std::string& wanted);

}  // namespace fusillade::exported
