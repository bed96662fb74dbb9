// See expr_rewrite.h.
#include "engine/fuse/expr_rewrite.h"

#include <vector>

#include "engine/scalar/nodes_seen.h"

namespace fusillade::fuse {

Expr ExprRewrite::operator()(Expr e) {
  const ExprNode* node = e.node();
  const auto known = done_.find(node);
  if (known != done_.end()) return known->second;
  Expr result = replace_(node);
  if (!result.is_defined()) {
    std::vector<const ExprNode*> children;
    bool same = true;
    for (uint32_t i = 0; i < node->children; ++i) {
      children.push_back((*this)(node->child[i]).node());
      same = same && children.back() == node->child[i];
    }
    result = same ? e
                  : Expr(ExprPool::current().make(*node, children.data(),
                                                  static_cast<uint32_t>(children.size())));
  }
  done_.emplace(node, result);
  return result;
}

void for_each_node(const Expr& e, const std::function<void(const ExprNode*)>& see) {
  if (!e.is_defined()) return;
  NodesSeen seen;
  seen.insert(e.node());
  std::vector<const ExprNode*> work{e.node()};
  while (!work.empty()) {
    const ExprNode* node = work.back();
    work.pop_back();
    see(node);
    for (uint32_t i = 0; i < node->children; ++i)
      if (seen.insert(node->child[i])) work.push_back(node->child[i]);
  }
}

}  // namespace fusillade::fuse
