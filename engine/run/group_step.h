// The step of the tape over a whole differentiable group: one step, whose way back runs a graph.
//
// The graph takes a gradient for each result. Where some are missing, or where the walk is itself
// recorded (create_graph), the group's operators are run again under a tape and walked back: the
// tape then knows what it knows of operators, gradients of gradients with it. For that the group's
// arguments are kept, which their owners mostly keep anyway.
#pragma once

#include <memory>

#include "engine/front/tape.h"
#include "engine/passes/partition.h"
#include "engine/run/bytecode.h"

namespace fusillade {

// What is built for a group and one set of argument types.
struct Derived {
  Joint joint;  // its graph has been taken in two
  Partition partition;
  std::unique_ptr<Code> forward;
  std::unique_ptr<Code> backward;
};

class GroupStep : public front::Step {
 public:
  GroupStep(std::shared_ptr<const Graph> operators, std::shared_ptr<const Derived> derived,
            std::span<const IValue> args);
  // After the forward graph ran: what it gave beyond the group's results. Joins these to the step.
  void note_results(std::span<const IValue> results, std::span<const IValue> captures);

  std::string name() const override { return "a differentiable group"; }
  std::vector<Tensor> back(const std::vector<Tensor>& grads) override;
  bool forget() override;

 private:
  std::vector<Tensor> by_graph(const std::vector<Tensor>& grads) const;
  std::vector<Tensor> by_operators(const std::vector<Tensor>& grads, bool recorded) const;

  std::shared_ptr<const Graph> operators_;
  std::shared_ptr<const Derived> derived_;
  std::vector<front::Saved> args_;
  std::vector<front::Saved> captures_;
};

}  // namespace fusillade
