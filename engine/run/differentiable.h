// A differentiable group at run time: one step of the tape where a tape records it, its operators
// elsewhere.
//
// For each set of argument types, and of which arguments require a gradient, a forward and a
// backward graph are built (partition.h) on the first call, up to kMaxDerived. What cannot be
// derived from types, or comes beyond that, runs operator by operator under the tape, which defines
// what a group means. A group that is a whole function (whole_function.h) first becomes a
// straight-line graph; elsewhere it runs the groups that the pipeline in its attribute
// "groups" forms. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engine/passes/partition.h"
#include "engine/passes/pass.h"

namespace fusillade {

struct Code;
struct Derived;

class Differentiable {
 public:
  static constexpr size_t kMaxDerived = 64;

  explicit Differentiable(const Node& node);  // a prim::differentiable() node
  ~Differentiable();
  // Appends the group's results.
  void run(std::span<const IValue> args, std::vector<IValue>& results) const;

 private:
  struct Known;
  std::shared_ptr<const Derived> find(std::span<const IValue> args) const;
  std::shared_ptr<const Derived> derive(std::span<const IValue> args) const;

  std::shared_ptr<const Graph> graph_;
  Keeps keeps_;
  bool whole_;                    // it is a function
  std::vector<PassCall> passes_;  // over each graph that is built
  std::unique_ptr<Graph> plain_graph_;
  std::unique_ptr<Code> plain_;
  std::unique_ptr<Graph> groups_graph_;  // of a whole function
  std::unique_ptr<Code> groups_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Known>> known_;
};

}  // namespace fusillade
