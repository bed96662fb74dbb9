// From where an inlined node was called.
//
// A node of an inlined body keeps its own range. The range's source is then owned by a CallSite,
// which knows the call that the body replaced; that call's range may be inlined in turn, so that
// the ranges form the stack of callers, innermost first. Nodes that were not inlined carry nothing,
// and a run pays nothing: the stack is read for a message.
#pragma once

#include "engine/ir/graph.h"

namespace fusillade {

// Ranges of `inlined`'s nodes, nested ones included, get `call` as their caller. `inlined`: the
// nodes that replaced it.
void set_caller(const std::vector<Node*>& inlined, const Node* call);
// "\nf.py:3:4: 'g' was called here" with its lines, for each caller of the range; empty when there
// is none.
std::string callers_of(const SourceRange& range);
// The same for a node that called and did not return: itself, then its callers.
std::string called_here(const Node* call);

}  // namespace fusillade
