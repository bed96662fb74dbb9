// Walking a program node by node with the meaning of every op left open: the shadow and the
// legal-variant interpreter are walks. Control flow, containers, calls and composite bodies are
// done here.
#pragma once

#include <span>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade::fuzz {

class Walk {
 public:
  virtual ~Walk() = default;
  // Throws what the ops throw.
  std::vector<IValue> run(const Graph& graph, std::span<const IValue> inputs);

 protected:
  // Appends the results of a row on complete arguments. `node` is for messages.
  virtual void op(const Row& row, std::span<const IValue> args, std::vector<IValue>& results) = 0;
  // Every result of a node outside blocks' ends, constants included.
  virtual void produced(const Value* value, const IValue& v) { (void)value, (void)v; }

 private:
  using Frame = std::vector<IValue>;
  void block(const Block* b, Frame& frame);
  void plain(const Node* node, Frame& frame);
  void loop(const Node* node, Frame& frame);
  int depth_ = 0;
};

}  // namespace fusillade::fuzz
