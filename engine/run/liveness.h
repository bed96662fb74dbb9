// Where each value is used for the last time, on every path: what lets the VM move instead of copy.
//
// A use by a node's input i is its last when no path from there uses the value again; a value that
// one branch of an If uses and the other does not is dropped at the other's entry; a value from
// outside that a loop's body uses stays until the loop ends. Constants are not tracked.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade {

class Liveness {
 public:
  explicit Liveness(const Graph& graph);
  // Is input i of the node (of the return node: result i of the block) the last use?
  bool last_use(const Node* node, int i) const;
  // Is the output used at all?
  static bool is_used(const Value* v) { return !v->is_unused(); }
  // Values to release before the block's first node, after a loop.
  const std::vector<const Value*>& drop_at_entry(const Block* block) const;
  const std::vector<const Value*>& drop_after(const Node* loop) const;

 private:
  using Live = std::vector<uint64_t>;  // a bit per value id
  static bool has(const Live& live, const Value* v) {
    size_t id = static_cast<size_t>(v->id());
    return live[id / 64] >> id % 64 & 1;
  }
  static void set(Live& live, const Value* v, bool on) {
    size_t id = static_cast<size_t>(v->id());
    uint64_t bit = uint64_t{1} << id % 64;
    live[id / 64] = on ? live[id / 64] | bit : live[id / 64] & ~bit;
  }
  void walk(const Block* block, Live& live);
  void step(const Node* node, Live& live);
  void step_if(const Node* node, Live& live);
  void step_loop(const Node* node, Live& live);
  void use_inputs(const Node* node, Live& live);

  // Which inputs of a node are last uses: its flags begin at `first` in last_. Open addressing, at
  // most half full.
  struct Entry {
    const Node* node = nullptr;
    size_t first = 0;
  };
  size_t slot_of(const Node* node) const;

  std::vector<Entry> table_;
  std::vector<bool> last_;
  std::unordered_map<const Block*, std::vector<const Value*>> at_entry_;
  std::unordered_map<const Node*, std::vector<const Value*>> after_;
  std::vector<const Value*> by_id_;
};

}  // namespace fusillade
