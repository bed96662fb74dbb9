// sorted(), l.sort() of lists, objects among them.
#pragma once

#include "engine/front/emit.h"

namespace fusillade::front {

Value* sorted_call(Emitter& to, const Expr& e);
// The items of a list of objects, in a new list. `args`: the list, and perhaps whether the order is
// turned round.
Value* in_order(Emitter& to, const std::vector<Argument>& args, const Expr& at);

}  // namespace fusillade::front
