// torch.autograd.grad and backward as Python takes them.
#pragma once

#include <string_view>
#include <vector>

#include "engine/front/emit.h"

namespace fusillade::front {

// Is it one of them? `base`: an op.
bool asks_gradients(std::string_view base);
Value* gradients(Emitter& to, const std::string& base, std::vector<Argument> args, const Expr& at);

}  // namespace fusillade::front
