// Equality of lists of objects.
#pragma once

#include "engine/front/emit.h"

namespace fusillade::front {

// For each item of a list, whether it is `wanted(iteration)` or equals it.
Value* equal_items(Emitter& to, Value* list, const std::function<Value*(Value*)>& wanted,
                   const Expr& at);
Value* equal_lists(Emitter& to, Value* left, Value* right, const Expr& at);

}  // namespace fusillade::front
