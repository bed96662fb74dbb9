// Guards within a graph: in front of what relies on a type that only profiled calls show.
//
//   %y : Tensor = prim::GetAttr[name="w"](%self)
//   REST                                     ==>
//   %y1 : Float(4, 4, ...), %ok : bool = prim::TypeCheck(%y)
//   %r : Tensor = prim::If(%ok)
//     block0(): REST, with %y1 for %y
//     block1(): prim::FallbackGraph_0(...)     # REST as it was, for an executor of its own
//
// A guard is inserted where inference ends and the profile goes on: after attributes, items of
// lists, operators whose results' sizes are data, and at the head of loops' bodies. Types are
// inferred anew after each guard: what follows from it and from the inputs needs none. The rest of
// the guarded value's block is duplicated, so guards per graph are few.
#pragma once

#include <functional>

#include "engine/run/type_record.h"

namespace fusillade {

struct GuardOptions {
  int most = 6;
  int64_t statics = 0;  // how often a fallback may be specialised, for exact and for dynamic sizes
  int64_t dynamics = 0;
  std::function<bool()> fails = {};  // asked of each guard: shall it always fail?
};

// `graph`: a copy of `like`, of whose values `record` speaks, with no types narrowed but the
// inputs'.
struct GuardCount {
  int inserted = 0;
  int implied = 0;  // values of which the profile knows no more than inference: no guard
};
GuardCount insert_guards(Graph& graph, const Graph& like, const TypeRecord& record,
                         const GuardOptions& options);

}  // namespace fusillade
