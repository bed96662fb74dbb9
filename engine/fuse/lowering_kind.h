// How nodes of one kind become stages, and so which of them groups may hold: a row of
// Table<LoweringKind> each. A kind is added by one file with its row.
//
// What has no row here is element-wise or a view, and is inlined into those who read it
// (lowering.h). Results of these kinds lie in memory.
#pragma once

#include <string>

#include "engine/ir/graph.h"

namespace fusillade::fuse {

class Lowering;

struct LoweringKind {
  std::string name;
  bool (*covers)(const Operator& op) = nullptr;
  unsigned form = 0;                             // of Forms (may_fuse.h): groups that may hold it
  void (*emit)(Lowering&, Value* v) = nullptr;   // adds the stages that write v
  size_t most_results = 1;                       // tensors that a node may give
  bool reads_twice = false;                      // what it looks through must be the same twice
  bool keeps_body = false;                       // composites of it are lowered as they are
  void (*complete_type)(const Node*) = nullptr;  // where inference leaves its type open
};

// The kind that covers an operator; null: none does.
const LoweringKind* lowering_kind(const Operator& op);

}  // namespace fusillade::fuse
