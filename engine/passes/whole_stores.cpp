// Stores that fill a fresh tensor are a stack or a concatenation of what is stored.
//
//   %o = aten::empty(%s, ...)                     %l = prim::ListConstruct(%a, %b)
//   %v = aten::select(%o, %0, %0)                 %o = aten::stack(%l, %0)
//   %c = aten::copy_(%v, %a, %no)          ==>    %y = aten::exp(%o)
//   %w = aten::select(%o, %0, %1)
//   %d = aten::copy_(%w, %b, %no)
//   %y = aten::exp(%o)
//
// All stores are selects, or slices of step 1, along one dimension; together they hold each index
// of it once, and no one else sees the tensor before the last of them. What is stored has the dtype
// and the sizes of its view, and is never written, so that it is the same at the last store.
// `final_stores` produces such stores for a tensor that was filled by updates.
#include <algorithm>

#include "engine/aten/named.h"
#include "engine/ops/traits.h"
#include "engine/passes/effects.h"
#include "engine/passes/insert.h"
#include "engine/passes/operands.h"
#include "engine/passes/pass.h"
#include "engine/passes/rule.h"

namespace fusillade {
namespace {

// One store into a part of the tensor.
struct Store {
  Node* view;
  Node* copy;
  int64_t start, end;  // indices along the dimension
};

// The stores into one tensor.
class Filled {
 public:
  Filled(Node* creator, Effects& effects) : creator_(creator), effects_(effects) {}

  bool find() {
    for (const Use& use : creator_->output()->uses())
      if (!add(use)) return false;
    if (stores_.empty()) return false;
    std::ranges::sort(stores_, {}, [](const Store& s) { return s.start; });
    int64_t at = 0;
    for (const Store& s : stores_) {
      if (s.start != at) return false;
      at = s.end;
      if (!last_ || last_->before(s.copy)) last_ = s.copy;
    }
    if (at != creator_->output()->type().info().sizes[dim_]) return false;
    return std::ranges::all_of(readers_, [&](const Node* n) { return last_->before(n); });
  }

  bool rewrite(Rewriter& rewriter) {
    const bool selects = takes_one(stores_[0].view);
    Value* out = creator_->output();
    std::vector<Value*> parts;
    for (const Store& s : stores_) parts.push_back(s.copy->input(1));
    Node* before = last_->prev();
    Value* list = insert_list(parts, last_);
    Value* all =
        insert_op(selects ? aten::stack() : aten::cat(), {list, int_constant(dim_, last_)}, last_);
    if (!same_known_type(all, out) || !rewriter.allow("filled", last_)) {
      take_back(before, last_);
      return false;
    }
    effects_.add_value(list, nullptr);
    for (const Value* part : parts) effects_.replace_value(list, part);
    effects_.add_value(all, out);
    for (const Store& s : stores_) {
      s.copy->destroy();
      s.view->destroy();
    }
    out->replace_all_uses_with(all);
    return true;
  }

 private:
  bool add(const Use& use) {
    Node* n = use.user;
    const bool store = has_trait(n->op(), Trait::SlicesDim) && use.index == 0 &&
                       n->block() == creator_->block() && n->output()->uses().size() == 1 &&
                       is_op(n->output()->uses()[0].user, "aten::copy_");
    if (store) return add_store(n, n->output()->uses()[0]);
    while (n->block() != creator_->block()) n = n->block()->owner();
    readers_.push_back(n);
    return true;
  }

  bool add_store(Node* view, const Use& use) {
    Node* copy = use.user;
    const Value* from = copy->inputs().size() > 1 ? copy->input(1) : nullptr;
    if (use.index != 0 || copy->block() != creator_->block() || !copy->output()->is_unused())
      return false;
    if (!is_whole(from) || !is_whole(view->output()) || effects_.is_written(from)) return false;
    const TensorInfo& stored = from->type().info();
    const TensorInfo& part = view->output()->type().info();
    if (stored.dtype != part.dtype || !(stored.sizes == part.sizes)) return false;
    if (stored.device && part.device && *stored.device != *part.device) return false;
    if (!stores_.empty() && &view->op() != &stores_[0].view->op()) return false;
    Store s{view, copy, 0, 0};
    if (!locate(s)) return false;
    stores_.push_back(s);
    return true;
  }

  // Does the view take a single index, so that the dim is gone?
  static bool takes_one(const Node* view) {
    return view->output()->type().info().sizes.rank() < view->input()->type().info().sizes.rank();
  }

  // Which indices along which dimension the view holds.
  bool locate(Store& s) {
    const Dims& sizes = creator_->output()->type().info().sizes;
    const std::optional<int> dim = dim_of(s.view->input(1), sizes.rank());
    const std::optional<int64_t> start = int_of(s.view->input(2));
    if (!dim || !start || (dim_ >= 0 && *dim != dim_)) return false;
    dim_ = *dim;
    const int64_t size = sizes[dim_];
    s.start = *start < 0 ? *start + size : *start;
    s.end = s.start + 1;
    if (!takes_one(s.view)) {
      if (s.view->inputs().size() < 5 || int_of(s.view->input(4)) != 1) return false;
      s.end = s.start + s.view->output()->type().info().sizes[dim_];
    }
    return s.start >= 0 && s.start < s.end && s.end <= size;
  }

  Node* creator_;
  Effects& effects_;
  std::vector<Store> stores_;
  std::vector<const Node*> readers_;  // in the tensor's block, or what holds them there
  Node* last_ = nullptr;              // store
  int dim_ = -1;
};

bool makes_fresh(const Node* node) {
  return node->kind() == OpKind::Create && node->outputs().size() == 1 &&
         !node->op().schema.aliases() && !writes_memory(node) && is_whole(node->output());
}

void run(Block* block, Effects& effects, Rewriter& rewriter) {
  for (Node* node = block->first(); node && node != block->return_node(); node = node->next()) {
    for (Block* inner : node->blocks()) run(inner, effects, rewriter);
    if (!makes_fresh(node) || !effects.is_written(node->output())) continue;
    Filled filled(node, effects);
    if (filled.find()) filled.rewrite(rewriter);
  }
}

}  // namespace

PASS(whole_stores, kExact | kIdempotent,
     "replace stores that fill a new tensor by one stack or cat", writes_tensor) {
  Effects effects(graph);
  run(graph.block(), effects, rewriter);
}

}  // namespace fusillade
