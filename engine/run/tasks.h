// Tasks of a call: what torch.jit.fork starts, on threads of the pool (engine/base/tasks.h).
//
// A program cannot observe where its tasks run. A task runs at its fork, as the reference runs
// each, where this could be observed: it writes memory that it did not create, prints, draws random
// numbers, or asks for gradients; or a mode is in force at the fork (a tape, a trace, a device),
// which is then in force in the task. Any other one may run on another thread, and until all that
// do have ended, the forking thread writes nothing: an operator that writes waits for them first. A
// task inherits the domain and the limits of its fork. Its error is raised where its result is
// looked into; what nobody looks into is waited for when the call ends, and its error dropped.
#pragma once

#include <optional>

#include "engine/ir/graph.h"
#include "engine/ops/call.h"

namespace fusillade {

struct Code;

// Is it unobservable where the task runs?
bool runs_anywhere(const Graph& task);

// Tasks become calls, each where it was forked, also within what is called: of graphs that are
// saved or frozen.
void call_tasks(Block* block);

// The tasks of one call of an executor.
class TaskScope : private Mode {
 public:
  TaskScope();
  ~TaskScope();
  TaskScope(const TaskScope&) = delete;
  TaskScope& operator=(const TaskScope&) = delete;
  // The tuple that running the code gives.
  static IValue start(const Code& code, std::span<const IValue> args);
  // Waits for tasks among the results of the call. Throws what they threw.
  static void look_into(std::span<const IValue> results);

 private:
  void call(const Operator& op, const Site& site, std::span<const IValue> args,
            std::vector<IValue>& results) override;
  void add(const Ref<TaskBox>& task);
  void join();

  TaskScope* outer_;
  std::vector<Ref<TaskBox>> running_;
  std::optional<ModeScope> watching_;
};

}  // namespace fusillade
