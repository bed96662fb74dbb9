// A pair of loops asks that the dimensions they walk merge, these that all loops do which walk
// them, and so on; if one of them cannot, none of these is merged.
//
// Loops merge that are both of the result or both of the reduction, if their variables are nothing
// but indices of two neighbouring dimensions; dimensions, if these lie without a gap, whole inner
// ones are walked, and nothing else is ever an index of them.
#include "engine/fuse/merge_loops.h"

#include <algorithm>
#include <functional>
#include <map>

#include "engine/fuse/expr_rewrite.h"

namespace fusillade::fuse {
namespace {

struct Access {
  int buffer;
  std::vector<const ExprNode*> indices;
};

std::vector<Expr*> expressions(Stage& stage) {
  std::vector<Expr*> all{&stage.identity, &stage.update, &stage.value};
  for (Expr& e : stage.updates) all.push_back(&e);
  std::erase_if(all, [](const Expr* e) { return !e->is_defined(); });
  return all;
}

class Merge {
 public:
  Merge(std::vector<Stage>& stages, kernel::Kernel& kernel) : stages_(stages), kernel_(kernel) {
    for (Stage& stage : stages) accesses_.push_back(accesses_of(stage));
  }

  // Loops `at` and `at` + 1 of a stage and all that goes with them; whether it was done.
  bool run(size_t stage, int at) {
    if (!want_loops(stage, at)) return false;
    while (!work_.empty()) {
      const auto next = work_.back();
      work_.pop_back();
      if (!next()) return false;
    }
    apply();
    return true;
  }

 private:
  static bool is_loop(const ExprNode* e, int var) {
    return e->op == ExprOp::Var && e->id == var && e->model == Model::I64;
  }

  static std::vector<Access> accesses_of(Stage& stage) {
    std::vector<Access> all{{stage.buffer, {}}};
    for (const Expr& index : stage.indices) all[0].indices.push_back(index.node());
    for (const Expr* e : expressions(stage)) {
      for_each_node(*e, [&](const ExprNode* n) {
        if (n->op == ExprOp::Load) all.push_back({n->id, {n->child, n->child + n->children}});
      });
    }
    return all;
  }

  // Extents of a stage's loops by their variables.
  static int64_t extent(const Stage& stage, int var) {
    const int rank = stage.sizes.rank();
    return var < rank ? stage.sizes[var] : stage.reduce_sizes[var - rank];
  }

  bool want_loops(size_t stage, int at) {
    const auto [known, added] = loops_.emplace(stage, at);
    if (!added) return known->second == at;
    work_.push_back([this, stage, at] { return loops_can(stage, at); });
    return true;
  }
  bool want_dimensions(int buffer, int at) {
    const auto [known, added] = dimensions_.emplace(buffer, at);
    if (!added) return known->second == at;
    work_.push_back([this, buffer, at] { return dimensions_can(buffer, at); });
    return true;
  }

  bool loops_can(size_t which, int at) {
    Stage& stage = stages_[which];
    const int rank = stage.sizes.rank(), all = rank + stage.reduce_sizes.rank();
    if (at + 1 >= all || at + 1 == rank || stage.scan || stage.moments) return false;
    if (!only_indices(stage, at)) return false;
    for (const Access& access : accesses_[which]) {
      for (size_t p = 0; p < access.indices.size(); ++p) {
        const bool outer = is_loop(access.indices[p], at);
        if (is_loop(access.indices[p], at + 1) && (p == 0 || !is_loop(access.indices[p - 1], at)))
          return false;
        if (!outer) continue;
        if (p + 1 == access.indices.size() || !is_loop(access.indices[p + 1], at + 1)) return false;
        if (!want_dimensions(access.buffer, static_cast<int>(p))) return false;
      }
    }
    return true;
  }

  // Are the variables of two loops read as indices alone, each by itself?
  static bool only_indices(Stage& stage, int at) {
    std::vector<const ExprNode*> work;
    const auto is_either = [&](const ExprNode* e) { return is_loop(e, at) || is_loop(e, at + 1); };
    bool only = true;
    const auto see = [&](const ExprNode* n) {
      if (n->op == ExprOp::Load) return;
      for (uint32_t i = 0; i < n->children; ++i) only = only && !is_either(n->child[i]);
    };
    for (const Expr* e : expressions(stage)) {
      only = only && !is_either(e->node());
      for_each_node(*e, see);
    }
    for (const Expr& index : stage.indices) for_each_node(index, see);
    return only;
  }

  bool dimensions_can(int buffer, int at) {
    const kernel::Buffer& b = kernel_.buffers[static_cast<size_t>(buffer)];
    const int64_t inner = b.sizes[at + 1];
    if (b.strides[at] != b.strides[at + 1] * inner) return false;
    for (size_t s = 0; s < stages_.size(); ++s) {
      const int loops = stages_[s].sizes.rank() + stages_[s].reduce_sizes.rank();
      for (const Access& access : accesses_[s]) {
        if (access.buffer != buffer) continue;
        const ExprNode* outer = access.indices[static_cast<size_t>(at)];
        if (outer->op != ExprOp::Var || outer->id + 1 >= loops ||
            extent(stages_[s], outer->id + 1) != inner || !want_loops(s, outer->id))
          return false;
      }
    }
    return true;
  }

  void apply() {
    for (const auto& [which, at] : loops_) {
      Stage& stage = stages_[which];
      const int rank = stage.sizes.rank(), loops = rank + stage.reduce_sizes.rank();
      Dims& sizes = at < rank ? stage.sizes : stage.reduce_sizes;
      const int d = at < rank ? at : at - rank;
      sizes[d] *= sizes[d + 1];
      sizes.erase(d + 1);
      ExprRewrite rewrite(
          [&, at = at](const ExprNode* n) { return replacement(n, at, loops, rewrite); });
      for (Expr* e : expressions(stage)) *e = rewrite(*e);
      stage.indices = without(stage.buffer, std::move(stage.indices));
      for (Expr& index : stage.indices) index = rewrite(index);
    }
    for (const auto& [which, at] : dimensions_) {
      kernel::Buffer& b = kernel_.buffers[static_cast<size_t>(which)];
      b.sizes[at + 1] *= b.sizes[at];
      b.sizes.erase(at);
      b.strides.erase(at);
    }
  }

  std::vector<Expr> without(int buffer, std::vector<Expr> indices) const {
    const auto merged = dimensions_.find(buffer);
    if (merged != dimensions_.end()) indices.erase(indices.begin() + merged->second);
    return indices;
  }

  // Variables behind the first of the two count one less; what it was an index of has none.
  Expr replacement(const ExprNode* n, int at, int loops, ExprRewrite& rewrite) const {
    if (n->op == ExprOp::Var && n->model == Model::I64 && n->id > at && n->id < loops)
      return Expr::var(n->id - 1, Model::I64);
    if (n->op != ExprOp::Load || !dimensions_.count(n->id)) return Expr();
    std::vector<Expr> indices = without(n->id, {n->child, n->child + n->children});
    for (Expr& index : indices) index = rewrite(index);
    return Expr::load(n->id, n->dtype, indices);
  }

  std::vector<Stage>& stages_;
  kernel::Kernel& kernel_;
  std::vector<std::vector<Access>> accesses_;
  std::map<size_t, int> loops_;    // of a stage, the first of two
  std::map<int, int> dimensions_;  // of a buffer
  std::vector<std::function<bool()>> work_;
};

}  // namespace

void merge_loops(std::vector<Stage>& stages, kernel::Kernel& kernel) {
  for (size_t s = 0; s < stages.size(); ++s) {
    for (int at = stages[s].sizes.rank() + stages[s].reduce_sizes.rank() - 2; at >= 0;)
      if (!Merge(stages, kernel).run(s, at)) --at;
      else at = std::min(at, stages[s].sizes.rank() + stages[s].reduce_sizes.rank() - 2);
  }
}

}  // namespace fusillade::fuse
