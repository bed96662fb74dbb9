// The one call: whatever runs an operator runs it here, in eager mode, in the VM, within
// composites.
//
// A mode intercepts the calls of operators: it sees the operator, the place, the arguments, and
// calls on. Modes are this thread's, normally none, and are ordered by kind, however they were
// installed: trace, autograd, device, tasks. While a mode handles a call, it and the modes before
// it are lifted: it calls on by `call` itself, and what the operator calls in turn never comes back
// to it. Without a mode a call costs one branch. Not called here: what compilers compute
// beforehand.
#pragma once

#include <atomic>

#include "engine/ops/operator.h"

namespace fusillade {

enum class ModeKind : uint8_t { Trace, Autograd, Device, Tasks };

class Mode {
 public:
  virtual ~Mode() = default;
  // In place of the operator: appends its results.
  virtual void call(const Operator& op, const Site& site, std::span<const IValue> args,
                    std::vector<IValue>& results) = 0;
};

// Installs a mode while alive; of two of one kind the later one comes first.
class ModeScope {
 public:
  ModeScope(ModeKind kind, Mode& mode);
  ~ModeScope() { *link_ = next_; }
  ModeScope(const ModeScope&) = delete;
  ModeScope& operator=(const ModeScope&) = delete;

 private:
  friend class LiftModes;
  friend Mode* first_mode(ModeKind kind);
  friend void call_modes(const Operator& op, const Site& site, std::span<const IValue> args,
                         std::vector<IValue>& results);
  ModeKind kind_;
  Mode& mode_;
  ModeScope** link_;  // what points here
  ModeScope* next_;
};

extern constinit thread_local ModeScope* modes_in_force;

// While alive, calls pass by the modes of this kind and of those before it.
class LiftModes {
 public:
  explicit LiftModes(ModeKind up_to);
  ~LiftModes() { modes_in_force = saved_; }
  LiftModes(const LiftModes&) = delete;
  LiftModes& operator=(const LiftModes&) = delete;

 private:
  ModeScope* saved_;
};

// The first mode in force, if it is of this kind; else null.
Mode* first_mode(ModeKind kind);

void call_modes(const Operator& op, const Site& site, std::span<const IValue> args,
                std::vector<IValue>& results);
// An operator that others make up: natively (native.h), else its body, run by the layer that knows
// graphs.
void call_body(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results);
void provide_body_call(RunFn fn);

// While somebody counts: how often each operator ran, by Operator::number. Null otherwise.
extern constinit uint64_t* operator_runs;
inline void count_run(const Operator& op) {
  std::atomic_ref(operator_runs[op.number]).fetch_add(1, std::memory_order_relaxed);
}

// Runs an operator on complete arguments, in the current domain, and appends its results. Throws
// Error on illegal arguments.
inline void call(const Operator& op, const Site& site, std::span<const IValue> args,
                 std::vector<IValue>& results) {
  if (modes_in_force) [[unlikely]]
    return call_modes(op, site, args, results);
  if (operator_runs) count_run(op);
  if (op.run) return op.run(op, args, results);
  if (op.run_at) return op.run_at(op, site, args, results);
  call_body(op, args, results);
}

}  // namespace fusillade
