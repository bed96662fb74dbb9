// An element-wise operator at one place of a program: what its arguments looked like is remembered
// with what then has to be done, so that a call that looks the same checks layouts and runs a loop.
//
// Taken are calls in the real domain, without modes, whose operands are memory of the compute type
// laid out as the result is, or numbers; `run` says no to any other, and the caller calls the
// operator. A result is computed into an operand's memory where the caller says that the argument
// dies here and nothing else holds it, its storage or a view of it. Thread-safe.
#pragma once

#include <atomic>
#include <span>

#include "engine/ops/operator.h"

namespace fusillade {

inline constexpr size_t kMostPointArgs = 8;

class PointwiseSite {
 public:
  // May calls of this operator be remembered at all?
  static bool takes(const Operator& op);
  explicit PointwiseSite(const Operator& op) : op_(op) {}
  ~PointwiseSite();
  PointwiseSite(const PointwiseSite&) = delete;
  PointwiseSite& operator=(const PointwiseSite&) = delete;

  enum class Result : uint8_t { None, Fresh, Argument };
  struct Outcome {
    Result result = Result::None;  // None: call the operator
    int argument = -1;             // which one is the result
  };
  // `dying`: a bit for each argument that its owner, who holds it once, drops after this call. A
  // fresh result goes to `fresh`.
  Outcome run(std::span<const IValue* const> args, uint64_t dying, IValue& fresh) const;

 private:
  struct Known;
  struct Seen;
  static constexpr int kMost = 4;  // kinds of calls that are remembered
  static bool has_partial_overlap(const Known& known, const Seen& seen);
  const Known* learn(const Seen& seen) const;

  const Operator& op_;
  mutable std::atomic<const Known*> known_{nullptr};
};

}  // namespace fusillade
