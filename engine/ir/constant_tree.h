// Constants, and lists of constants that nobody can change: what a group may hold for itself.
//
//   %s : int[] = prim::ListConstruct(%two, %three)
//   %y = aten::view(%x, %s)           %s is one
//   %t = aten::append(%s, %four)      and now it is none
#pragma once

#include "engine/ir/graph.h"

namespace fusillade {

// Does every use of a list only read it? One that writes it, keeps it or hands it on, as branches,
// loops and calls do, may change it at another place.
bool is_only_read(const Value* list);

bool is_constant_tree(const Value* v);

}  // namespace fusillade
