// Graphs in terms that PyTorch 1.13.1 knows: operators that it lacks become others, or calls of
// functions that the archive brings along (portable.py); what cannot be expressed so is kept, for
// this engine, and reported.
//
//   %y = aten::bitwise_not(%n)   ->   %y =
//   prim::CallFunction[name="__torch__.fusillade.inverted"](%n)
//
// Text with fields, f"{n:5d}" and "%.2f" % x, is decomposed where its format is a constant. Floats
// in text stay PyTorch's own way of writing them, which has more digits than Python's. A format
// that stays is filled with a tuple, and a narrower value is widened before the loop that carries
// it as a Union: PyTorch takes these no other way.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade::archive {

// A copy in these terms, or null when `graph` is in them already. Appends to `notes` one message,
// with its source location, for each node that PyTorch will refuse, when it loads the archive
// or when it runs it.
std::unique_ptr<Graph> in_portable_terms(const Graph& graph, std::vector<std::string>& notes);

}  // namespace fusillade::archive
