// The call of the op behind a function of torch.nn.functional.
#pragma once

#include "engine/front/emit.h"
#include "engine/front/functional.h"

namespace fusillade::front {

// The arguments of the op behind a function of torch.nn.functional, from those of the function;
// nothing, and why, for a reduction that the op does not know.
std::optional<std::vector<Argument>> functional_arguments(Emitter& to, const Functional& f,
                                                          const std::vector<Argument>& given,
                                                          const Expr& e, std::string* why);

}  // namespace fusillade::front
