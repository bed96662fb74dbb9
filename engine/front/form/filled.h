// Tensors that a constructor makes from data.
#pragma once

#include "engine/front/form.h"

namespace fusillade::front {

std::optional<Py> evaluate_tensor(Elaborator& in, const PyArgs& args, const Expr& e);
// torch.FloatTensor: of data, or of sizes.
std::optional<Py> evaluate_float_tensor(Elaborator& in, const PyArgs& args, const Expr& e);

}  // namespace fusillade::front
