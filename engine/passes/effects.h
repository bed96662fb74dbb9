// Effects: what passes must know of memory before they edit. Which values may share memory, which
// of that memory is written, which of it the caller can see.
//
// The idea is a union-find over tensors and containers (a container is one class with its
// elements): an operator's schema says which results may alias which arguments; calls and unknown
// prims alias everything. It is sound and coarse, and it follows edits: after one value takes over
// the uses of another, call `replace_value`. Scalars, strings and None share nothing and are never
// tracked.
#pragma once

#include <unordered_map>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade {

// Is a value of this type a handle to memory (tensor, list, or something that may hold one)?
bool is_memory(const Type& type);
// May the node write memory, itself or within its blocks and callee?
bool writes_memory(const Node* node);
// Does the node, or anything within its blocks and callee, have an effect beyond its results and
// writes?
bool has_side_effect(const Node* node);
bool is_nondeterministic(const Node* node);
// May it take numbers from the random stream, or say which come next?
bool draws_numbers(const Node* node);
// May it differ between runs in a way that no operator declares: custom ops?
bool differs_unknown(const Node* node);
// Do all results certainly lie in the first operand's memory? (A reshape of unknown strides may
// copy.)
bool shares_operand(const Node* node);
// Does it, or anything within its blocks and callees, ask whether two values are the same tensor,
// list or object?
bool tests_identity(const Block* block);
// Is there a loop body that holds `inner` and not `outer`?
bool loop_between(const Block* outer, const Block* inner);

class Effects {
 public:
  explicit Effects(const Graph& graph);

  bool is_written(const Value* v) const;  // by some node of the graph
  bool escapes(const Value* v) const;     // may share memory with, or lie within, a graph output
  bool outside(const Value* v) const;     // may share memory with a graph input or a constant
  // May uses of `out` become uses of `by`, which holds equal elements in other memory? False when a
  // write could distinguish them, or when the caller could: two outputs, or an output and an input,
  // would share memory that did not, or would no more.
  bool may_replace_value(const Value* out, const Value* by) const;
  // Uses of `out` have become uses of `by`.
  void replace_value(const Value* out, const Value* by) { join(out, by); }
  // A value created after construction; it shares memory with `like`, or with nothing when null.
  void add_value(const Value* v, const Value* like);
  // The class of a tracked value: an index that `replace_value` may change.
  int class_of(const Value* v) const;  // -1: not memory
  bool class_outside(int c) const { return classes_[find(c)].outside; }
  // Nodes that write, in program order.
  const std::vector<const Node*>& writers() const { return writers_; }
  // Classes a writer writes.
  std::vector<int> written_classes(const Node* writer) const;
  // The same of every node that writes itself or within its blocks.
  std::unordered_map<const Node*, std::vector<int>> written_within() const;

 private:
  struct Class {
    int parent = -1;
    bool written = false;
    bool escapes = false;
    bool outside = false;
  };
  bool escapes_elsewhere(const Value* out) const;
  int slot(const Value* v);
  int find(int at) const;
  void join(const Value* a, const Value* b);
  void scan(const Block* block);
  void scan(const Node* node);
  void scan_blocks(const Node* node);
  void scan_schema(const Node* node);
  void join_all(const Node* node);
  void mark_written(const Node* node);

  std::vector<int> slot_of_;  // by value id; -1: not seen
  mutable std::vector<Class> classes_;
  std::vector<const Node*> writers_;
};

}  // namespace fusillade
