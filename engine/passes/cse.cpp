// Common subexpression elimination.
//
//   %a : Tensor = aten::exp(%x)          %a : Tensor = aten::exp(%x)
//   %b : Tensor = aten::exp(%x)    ==>   %c : Tensor = aten::mul(%a, %a)
//   %c : Tensor = aten::mul(%a, %b)
//
// Blocks are walked in program order with a scope per block, so a node may be replaced by an equal
// one of its own or an enclosing block, never of a sibling. Equal: the same operator, inputs and
// attributes (constants by value and type). Skipped: side effects, nondeterminism, nodes with
// blocks or callees, memory that is written, and merges the caller could see (two results that
// shared no memory would). `cse(views)` merges views alone: their gradients add up as before.
#include <unordered_map>

#include "engine/base/text.h"
#include "engine/passes/constants.h"
#include "engine/passes/effects.h"
#include "engine/passes/operands.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

size_t mix(size_t h, size_t v) { return (h ^ v) * 0x9E3779B97F4A7C15ull + (h >> 29); }

size_t hash_of(const Node* node) {
  size_t h = std::hash<const Operator*>()(&node->op());
  for (const Value* v : node->inputs()) {
    const IValue* constant = constant_of(v);
    const bool by_value = constant && !is_mutable(*constant);
    h = mix(h, by_value ? hash_constant(*constant) : static_cast<size_t>(v->id()));
  }
  return h;
}

bool same_inputs(const Node* a, const Node* b) {
  if (a->inputs().size() != b->inputs().size()) return false;
  for (size_t i = 0; i < a->inputs().size(); ++i)
    if (!same_operand(a->inputs()[i], b->inputs()[i])) return false;
  return true;
}

bool equal_types(const Node* a, const Node* b) {
  for (size_t i = 0; i < a->outputs().size(); ++i)
    if (!(a->outputs()[i]->type() == b->outputs()[i]->type())) return false;
  return true;
}

bool equal(const Node* a, const Node* b) {
  return &a->op() == &b->op() && same_inputs(a, b) && a->attrs().empty() && b->attrs().empty() &&
         a->outputs().size() == b->outputs().size() && equal_types(a, b);
}

bool candidate(const Node* node) {
  return node->blocks().empty() && node->attrs().empty() && !node->outputs().empty() &&
         !has_side_effect(node) && !is_nondeterministic(node) && !writes_memory(node);
}

class Cse {
 public:
  Cse(Graph& graph, Rewriter& rewriter, bool only_views)
      : effects_(graph), rewriter_(rewriter), only_views_(only_views) {}

  void run(Block* block) {
    std::vector<size_t> added;
    for (Node* node : block->nodes()) {
      for (Block* inner : node->blocks()) run(inner);
      if (!candidate(node) || (only_views_ && !shares_operand(node))) continue;
      size_t h = hash_of(node);
      bool useful = true;
      if (merge(node, seen_[h], useful) || !useful) continue;
      seen_[h].push_back(node);
      added.push_back(h);
    }
    for (size_t i = added.size(); i-- > 0;) seen_[added[i]].pop_back();
  }

 private:
  // `useful`: what cannot merge with an equal node may merge with this one.
  bool merge(Node* node, const std::vector<Node*>& earlier, bool& useful) {
    for (Node* other : earlier) {
      if (!equal(node, other)) continue;
      if (!safe(node, other)) {
        useful = useful && !as_visible(node, other);
        continue;
      }
      if (!rewriter_.allow("merge", node)) return false;
      for (size_t i = 0; i < node->outputs().size(); ++i) {
        Value* out = node->outputs()[i];
        out->replace_all_uses_with(other->outputs()[i]);
        effects_.replace_value(out, other->outputs()[i]);
      }
      node->destroy();
      return true;
    }
    return false;
  }

  // Two equal views of one tensor share its memory already.
  bool safe(const Node* node, const Node* other) const {
    if (shares_operand(node)) return true;
    for (const Value* in : node->inputs())
      if (effects_.is_written(in)) return false;
    for (size_t i = 0; i < node->outputs().size(); ++i)
      if (!effects_.may_replace_value(node->outputs()[i], other->outputs()[i])) return false;
    return true;
  }

  // Are the memory of both as written, and as known to the caller? What merges with one may then
  // merge with the other.
  bool as_visible(const Node* a, const Node* b) const {
    for (size_t i = 0; i < a->outputs().size(); ++i) {
      const Value *x = a->outputs()[i], *y = b->outputs()[i];
      if (effects_.is_written(x) != effects_.is_written(y) ||
          effects_.escapes(x) != effects_.escapes(y) || effects_.outside(x) != effects_.outside(y))
        return false;
    }
    return true;
  }

  Effects effects_;
  Rewriter& rewriter_;
  bool only_views_;
  std::unordered_map<size_t, std::vector<Node*>> seen_;
};

void check_words(const std::vector<std::string>& args) {
  if (!args.empty() && args != std::vector<std::string>{"views"})
    fail("cse takes no word, or views; got '{}'", join(args, ","));
}

}  // namespace

PASS_WITH_WORDS(cse, kExact | kIdempotent | kMerges,
                "merge pure nodes with equal operators and inputs: cse(views) for views alone",
                check_words) {
  Cse(graph, rewriter, !args.empty()).run(graph.block());
}

}  // namespace fusillade
