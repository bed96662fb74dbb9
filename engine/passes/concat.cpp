// Concatenations of concatenations, and pieces cut out of one.
//
//   %l = prim::ListConstruct(%a, %b)
//   %c : Float(5, ...) = aten::cat(%l, %0)
//   %m = prim::ListConstruct(%c, %x)                       %m = prim::ListConstruct(%a, %b, %x)
//   %d : Float(8, ...) = aten::cat(%m, %0)        ==>      %d = aten::cat(%m, %0)
//   %e : Float(2, ...) = aten::slice(%d, %0, %2, %4, %1)   a slice of %b, or %b itself
//
// Parts without elements along the dimension are left out. All parts are of one known type but for
// that dimension, so no element is converted on the way; none is written by the graph, for copies
// move; what a result looks like, strides too, stays. Lists that are written, steps other than 1,
// and cuts across two parts are left alone. What nothing uses afterwards is dce's.
#include <algorithm>

#include "engine/ir/visit.h"
#include "engine/ops/infer.h"
#include "engine/passes/constants.h"
#include "engine/passes/effects.h"
#include "engine/passes/insert.h"
#include "engine/passes/operands.h"
#include "engine/passes/pass.h"
#include "engine/passes/rule.h"

namespace fusillade {
namespace {

bool is_cat(const Node* node) { return is_op(node, "aten::cat"); }

// Of one dtype, device and rank, and of equal sizes but along `dim`.
bool alike(const Value* a, const Value* b, int dim) {
  const TensorInfo& x = a->type().info();
  const TensorInfo& y = b->type().info();
  if (x.dtype != y.dtype || x.device != y.device || x.sizes.rank() != y.sizes.rank()) return false;
  for (int d = 0; d < x.sizes.rank(); ++d)
    if (d != dim && x.sizes[d] != y.sizes[d]) return false;
  return true;
}

struct Concat {
  Node* node = nullptr;
  int dim = 0;
  const List<Value*>* parts = nullptr;
};

class Concats {
 public:
  Concats(const Graph& graph, Rewriter& rewriter) : effects_(graph), rewriter_(rewriter) {}

  // False: nothing was rewritten.
  bool run(Block* block) {
    bool changed = false;
    each_node_inside_out(block, [&](Node* node) {
      if (is_cat(node)) changed = flatten(node) || changed;
      else if (is_op(node, "aten::slice")) changed = cut(node) || changed;
    });
    return changed;
  }

 private:
  // A cat whose parts are known, alike and never written.
  bool read(const Value* v, Concat* out) const {
    Node* node = v->node();
    if (!is_cat(node) || !is_whole(v) || effects_.is_written(v)) return false;
    const Node* list = node->input()->node();
    if (!list->is(prim::list_construct()) || effects_.is_written(node->input())) return false;
    const std::optional<int> dim = dim_of(node->input(1), v->type().info().sizes.rank());
    if (!dim) return false;
    for (const Value* part : list->inputs())
      if (!is_whole(part) || effects_.is_written(part) || !alike(part, v, *dim)) return false;
    out->node = node;
    out->dim = *dim;
    out->parts = &list->inputs();
    return true;
  }

  bool flatten(Node* node) {
    Concat outer;
    if (!read(node->output(), &outer)) return false;
    std::vector<Value*> parts;
    const char* rule = nullptr;
    for (Value* part : *outer.parts) {
      Concat inner;
      if (part->type().info().sizes[outer.dim] == 0) {
        rule = "empty-part";
      } else if (read(part, &inner) && inner.dim == outer.dim) {
        parts.insert(parts.end(), inner.parts->begin(), inner.parts->end());
        rule = "cat-of-cat";
      } else {
        parts.push_back(part);
      }
    }
    if (!rule || parts.empty()) return false;
    Node* before = node->prev();
    Value* list = insert_list(parts, node, effects_);
    Value* result = insert_op(node->op(), {list, node->input(1)}, node);
    effects_.add_value(result, nullptr);
    return take_over(node, result, rule, before);
  }

  bool cut(Node* node) {
    Concat from;
    int64_t start, end;
    if (!is_whole(node->output()) || !read(node->input(), &from)) return false;
    const Dims& sizes = node->input()->type().info().sizes;
    const int dim = from.dim;
    if (dim_of(node->input(1), sizes.rank()) != dim) return false;
    if (!bound(node->input(2), 0, &start) || !bound(node->input(3), sizes[dim], &end)) return false;
    if (int_of(node->input(4)) != 1) return false;
    const int64_t size = sizes[dim];
    start = std::clamp(start < 0 ? start + size : start, int64_t{0}, size);
    end = std::clamp(end < 0 ? end + size : end, start, size);
    for (Value* part : *from.parts) {
      const int64_t length = part->type().info().sizes[dim];
      if (start < length)
        return end <= length && start < end && cut_part(node, part, dim, start, end);
      start -= length;
      end -= length;
    }
    return false;
  }

  bool cut_part(Node* node, Value* part, int dim, int64_t start, int64_t end) {
    if (start == 0 && end == part->type().info().sizes[dim])
      return take_over(node, part, "part", node->prev());
    Node* before = node->prev();
    Value* from = int_constant(start, node);
    Value* to = int_constant(end, node);
    Value* result = insert_op(node->op(), {part, node->input(1), from, to, node->input(4)}, node);
    effects_.add_value(result, part);
    return take_over(node, result, "slice-of-part", before);
  }

  // A bound of a slice; None is the given one.
  static bool bound(const Value* v, int64_t none, int64_t* out) {
    const IValue* constant = constant_of(v);
    if (!constant || (!constant->is_none() && !constant->is_int())) return false;
    *out = constant->is_none() ? none : constant->as_int();
    return true;
  }

  // `before`: the node's predecessor before anything was inserted.
  bool take_over(Node* node, Value* by, const char* rule, const Node* before) {
    Value* out = node->output();
    if (!same_known_type(out, by) || !effects_.may_replace_value(out, by) ||
        !rewriter_.allow(rule, node)) {
      take_back(before, node);
      return false;
    }
    out->replace_all_uses_with(by);
    effects_.replace_value(out, by);
    node->destroy();
    return true;
  }

  Effects effects_;
  Rewriter& rewriter_;
};

}  // namespace

PASS(concat, kExact | kIdempotent | kMerges,
     "merge nested concatenations; slice the parts of one instead of the whole", is_cat) {
  while (Concats(graph, rewriter).run(graph.block())) {
  }
}

}  // namespace fusillade
