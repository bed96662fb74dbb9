// Selects that take every place of a dimension are the parts of an unbind.
//
//   %a = aten::select(%x, %0, %0)                 %l : Tensor[] = aten::unbind(%x, %0)
//   %b = aten::select(%x, %0, %1)          ==>    %a, %b = prim::ListUnpack(%l)
//
// The views are the same; their gradients come back together as one stack, where each select by
// itself gives a tensor of zeros with one part in it, and these are added. Two selects of one place
// become one value. Nothing may write the memory.
#include <algorithm>

#include "engine/passes/effects.h"
#include "engine/passes/insert.h"
#include "engine/passes/operands.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

struct Select {
  Node* node;
  int64_t at;
};

// The dimension and the place that a select of constants takes; false: it is none.
bool read(const Node* node, const Dims& sizes, int* dim, int64_t* at) {
  if (!is_op(node, "aten::select")) return false;
  const std::optional<int> d = dim_of(node->input(1), sizes.rank());
  const std::optional<int64_t> i = int_of(node->input(2));
  if (!d || !i) return false;
  *dim = *d;
  *at = *i < 0 ? *i + sizes[*d] : *i;
  return *at >= 0 && *at < sizes[*d];
}

class Unbinder {
 public:
  Unbinder(Graph& graph, Rewriter& rewriter)
      : graph_(graph), effects_(graph), rewriter_(rewriter) {}

  // Values that are unbound may be decomposed in turn: their users come later.
  void run(Block* block) {
    for (Value* v : std::vector<Value*>(block->params())) visit(v, block);
    for (Node* node = block->first(); node && node != block->return_node(); node = node->next()) {
      for (Block* inner : node->blocks()) run(inner);
      for (Value* v : std::vector<Value*>(node->outputs())) visit(v, block);
    }
  }

 private:
  void visit(Value* v, const Block* block) {
    if (!is_whole(v) || effects_.is_written(v)) return;
    const Dims& sizes = v->type().info().sizes;
    for (int dim = 0; dim < sizes.rank(); ++dim) {
      std::vector<Select> selects;
      std::vector<bool> taken(static_cast<size_t>(std::max<int64_t>(sizes[dim], 0)));
      for (const Use& use : v->uses()) {
        int along;
        int64_t at;
        if (use.user->block() != block || !read(use.user, sizes, &along, &at) || along != dim)
          continue;
        selects.push_back({use.user, at});
        taken[static_cast<size_t>(at)] = true;
      }
      const bool all = taken.size() > 1 && std::ranges::all_of(taken, [](bool t) { return t; });
      if (all && rewriter_.allow("unbind", selects[0].node)) return unbind(v, dim, selects);
    }
  }

  void unbind(Value* v, int dim, const std::vector<Select>& selects) {
    Node* first = v->node()->next();  // of a parameter: what is first in the block
    const int64_t size = v->type().info().sizes[dim];
    Value* along = int_constant(dim, first);
    Node* list = graph_.create(operator_named("aten::unbind.int"), {v, along});
    place(list, first);
    list->output()->set_type(Type::list(TypeKind::Tensor));
    Node* parts = graph_.create(prim::list_unpack(), {list->output()}, static_cast<int>(size));
    place(parts, first);
    effects_.add_value(list->output(), v);
    for (Value* part : parts->outputs()) effects_.add_value(part, v);
    for (const Select& s : selects) {
      Value* part = parts->output(static_cast<int>(s.at));
      part->set_type(s.node->output()->type());
      s.node->output()->replace_all_uses_with(part);
      effects_.replace_value(s.node->output(), part);
      s.node->destroy();
    }
  }

  Graph& graph_;
  Effects effects_;
  Rewriter& rewriter_;
};

bool is_select(const Node* node) { return is_op(node, "aten::select"); }

}  // namespace

PASS(unbind_selects, kExact | kIdempotent | kMerges,
     "replace selects of every index of a dimension by one unbind", is_select) {
  Unbinder(graph, rewriter).run(graph.block());
}

}  // namespace fusillade
