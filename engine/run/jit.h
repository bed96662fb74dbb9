// The engine `jit`: a program under a profiling executor (profiled.h).
//
//   jit/o2,fuse(loopnest,llvm)          one profiled call, two versions for exact sizes, ten for
//                                       dynamic ones
//   jit(calls=2,static=1,dynamic=0)/o2
//   jit(fail=3)/o2                      the fourth guard that is inserted always fails: for tests
#pragma once

#include "engine/run/plan.h"
#include "engine/run/profiled.h"

namespace fusillade {

// What happened in all calls so far.
struct JitCounters {
  int64_t profiled = 0;  // calls, of fallbacks as well
  int64_t versions = 0;  // compiled for types
  int64_t guards = 0;    // of versions, and within them
  int64_t implied = 0;   // values that were profiled and need no guard: inference knows them
  int64_t failed = 0;    // guards of versions that took no call
  int64_t generic = 0;   // kinds of calls beyond the depth
  int64_t compiled = 0;  // graphs: versions, and those for no types
};

class JitExecutable : public Executable {
 public:
  virtual JitCounters counters() const = 0;
  // The graph that a call with such inputs would run now, guards within included. Throws Error
  // where these are no inputs of the program.
  virtual const Graph& graph_for(const std::vector<IValue>& inputs) const = 0;
};

}  // namespace fusillade
