// xs[a:b] = ys and del xs[a:b] of lists.
#pragma once

#include "engine/front/emit.h"

namespace fusillade::front {

// `items` is null for del.
void store_slice(Emitter& to, Value* list, const Expr& slice, Value* items, const Expr& at);
// The same list with other items, which everybody who holds it sees.
void replace_items(Emitter& to, Value* list, Value* items, const Expr& at);

}  // namespace fusillade::front
