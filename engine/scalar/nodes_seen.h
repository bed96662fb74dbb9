// Which nodes of an expression a walk has met, each of which it meets once.
//
// Most expressions have a dozen nodes, which are kept in an array and searched linearly. A set is
// used where there are more.
#pragma once

#include <algorithm>
#include <array>
#include <unordered_set>

#include "engine/scalar/expr.h"

namespace fusillade {

class NodesSeen {
 public:
  // False where it was met before.
  bool insert(const ExprNode* node) {
    const auto end = few_.begin() + count_;
    if (std::find(few_.begin(), end, node) != end) return false;
    if (count_ == few_.size()) return many_.insert(node).second;
    few_[count_++] = node;
    return true;
  }
  void clear() {
    count_ = 0;
    if (!many_.empty()) many_.clear();
  }

 private:
  std::array<const ExprNode*, 16> few_;
  size_t count_ = 0;
  std::unordered_set<const ExprNode*> many_;
};

}  // namespace fusillade
