// Do the types that a text states agree with each other?
#pragma once

#include <string>

#include "engine/ir/graph.h"

namespace fusillade {

// Can one value be of both types? Strides are not looked at.
bool may_agree(const Type& a, const Type& b);
// The first input that the schema does not take, for people; empty when there is none.
std::string input_conflict(const Node* node);
// What a node of a verified graph claims that cannot be so, for people; empty when nothing.
std::string conflict_of(const Node* node);

}  // namespace fusillade
