// An expression with some of its nodes replaced, in the pool that is open.
#pragma once

#include <functional>
#include <unordered_map>

#include "engine/scalar/expr.h"

namespace fusillade::fuse {

class ExprRewrite {
 public:
  // The replacement of a node, queried before its children; undefined: the node with rewritten
  // children.
  using Replace = std::function<Expr(const ExprNode*)>;
  explicit ExprRewrite(Replace replace) : replace_(std::move(replace)) {}

  Expr operator()(Expr e);

 private:
  Replace replace_;
  std::unordered_map<const ExprNode*, Expr> done_;
};

// Each node of `e` once, children after what they are children of.
void for_each_node(const Expr& e, const std::function<void(const ExprNode*)>& see);

}  // namespace fusillade::fuse
