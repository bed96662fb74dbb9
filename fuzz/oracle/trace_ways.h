// The ways of a program through the tracer: replayed through the eager API, recorded, and what was
// recorded run.
//
// Tensors, and tuples and lists of tensors, are inputs of a trace; other values are fixed to those
// of the call. The tensors of a module are inputs before all others, and those it holds afterwards
// are outputs behind all others. What a replay does not know (replay.h) is Unsupported, thrown by
// each of these.
#pragma once

#include <memory>

#include "fuzz/run/outcome.h"
#include "fuzz/run/replay.h"

namespace fusillade::fuzz {

class TraceWays {
 public:
  explicit TraceWays(const Case& c);   // which must outlive it
  bool takes(const Call& call) const;  // has it inputs of a trace, and no task that fails?
  // What a run of the program is to be compared with.
  Outcome expected_outcome(const Outcome& walked, const Call& call) const;
  Outcome eagerly(const Call& call) const;
  // Records on `call`; the graph is null where recording ended otherwise, as `out` says.
  std::shared_ptr<Graph> record_trace(const Call& call, Outcome& out) const;
  Outcome run(const Graph& traced, const Call& call) const;
  // Does a trace of one call hold for the others?
  bool general() const;

 private:
  const Case& case_;
  const Graph& program_;
  TraceFunction fn_;
};

// Bit for bit; `which` precedes the reason of a finding.
Verdict compare_way(const Outcome& expected, const Outcome& observed, const char* which);

}  // namespace fusillade::fuzz
