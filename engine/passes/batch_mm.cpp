// Products that share an operand become one product.
//
//   %a = aten::mm(%x, %w)                  %l = prim::ListConstruct(%x, %y)
//   %b = aten::mm(%y, %w)                  %c = aten::cat(%l, 0)
//                                  ==>     %p = aten::mm(%c, %w)
//                                          %a = aten::slice(%p, 0, 0, 4, 1)
//                                          %b = aten::slice(%p, 0, 4, 6, 1)
//
// By rows (a shared right operand), by columns (a shared left one; the slices are laid out anew),
// and vectors that one matrix multiplies, which become the rows of one. All products of a group are
// computed at the first one. So their types must show that none can raise, and nothing since then
// has written what they read. What computes their operands can move up there and does not raise. No
// product is an operand of another. Or they are computed at the last one, when no result is used
// before that. Results that are written, or leave the function, stay as they are: slices share
// memory. After `unroll` the iterations of a loop are such products: the inputs of all steps of an
// LSTM, the channels of a convolution by hand. Sums may be taken in another order, so it is not
// exact.
//
// batch_mm(N): groups of at least N products. (law: rules name ops)
#include <algorithm>
#include <map>
#include <unordered_map>

#include "engine/passes/effects.h"
#include "engine/passes/insert.h"
#include "engine/passes/least_count.h"
#include "engine/passes/operands.h"
#include "engine/passes/pass.h"
#include "engine/passes/raises.h"

namespace fusillade {
namespace {

constexpr int64_t kContiguous = 0;  // the memory format
constexpr size_t kMaxMoved = 16;    // nodes that compute one product's operand

// How products of one op may be joined.
struct Side {
  const char* rule;
  const char* op;
  int varying;      // which operand differs
  int rank;         // of that operand; -1: 2 or more
  int other_rank;   // of the other one; -1: 2 or more
  int operand_dim;  // joined along this dimension; vectors are stacked
  int result_dim;
};

const Side kSides[] = {
    {"rows", "aten::mm", 0, 2, 2, 0, 0},      {"columns", "aten::mm", 1, 2, 2, 1, 1},
    {"rows", "aten::matmul", 0, 2, 2, 0, 0},  {"columns", "aten::matmul", 1, 2, 2, 1, 1},
    {"rows", "aten::linear", 0, -1, 2, 0, 0}, {"columns", "aten::linear", 1, 2, -1, 0, -1},
    {"vectors", "aten::mv", 1, 1, 2, 0, -2},  {"vectors", "aten::matmul", 1, 1, -1, 0, -2},
};

bool is_stacked(const Side& side) { return side.rank == 1; }

struct Group {
  const Side* side;
  std::vector<Node*> products;
  size_t writes_before;           // after so many writes
  std::vector<Node*> moved = {};  // up to the first, in order
  bool late = false;              // computed at the last product
};

bool has_rank(const Value* v, int rank) {
  if (!is_whole(v)) return false;
  const int actual = v->type().info().sizes.rank();
  return rank < 0 ? actual >= 2 : actual == rank;
}

bool fits(const Node* n, const Side& side) {
  if (n->op().schema.name != side.op || n->op().in_place) return false;
  if (!has_rank(n->input(side.varying), side.rank)) return false;
  if (!has_rank(n->input(1 - side.varying), side.other_rank)) return false;
  for (size_t i = 2; i < n->inputs().size(); ++i) {  // a bias
    const Value* extra = n->input(static_cast<int>(i));
    const bool none = extra->type().is(TypeKind::None);
    if (!none && (side.varying == 1 || !has_rank(extra, 1))) return false;
  }
  const Type& type = n->output()->type();
  return is_whole(n->output()) && is_contiguous(type.info().sizes, type.info().strides) &&
         !may_raise(n);
}

// Of one dtype and device, and of sizes that differ along the joined dimension only.
bool alike(const Value* a, const Value* b, const Side& side) {
  const TensorInfo& x = a->type().info();
  const TensorInfo& y = b->type().info();
  if (x.dtype != y.dtype || x.device != y.device || x.sizes.rank() != y.sizes.rank()) return false;
  for (int d = 0; d < x.sizes.rank(); ++d)
    if (x.sizes[d] != y.sizes[d] && (is_stacked(side) || d != side.operand_dim)) return false;
  return true;
}

// The groups of one side that begin in a block, and what was written since each began.
class Groups {
 public:
  std::vector<Group> all;

  void add(const Side& side, Node* first) {
    by_shared_[key(side, first)].push_back(all.size());
    all.push_back({&side, {first}, writes_});
  }
  // Those that `node` may join: of its op and with its shared operand.
  const std::vector<size_t>& candidates(const Side& side, const Node* node) {
    return by_shared_[key(side, node)];
  }
  void wrote(std::span<const int> classes) {
    ++writes_;
    for (int c : classes) last_write_[c] = writes_;
  }
  bool written_since(const Group& g, int memory) const {
    const auto at = last_write_.find(memory);
    return at != last_write_.end() && at->second > g.writes_before;
  }

 private:
  // Equal constants are one operand.
  using Key = std::pair<const Operator*, const Value*>;
  static Key key(const Side& side, const Node* node) {
    const Value* shared = node->input(1 - side.varying);
    return {&node->op(), shared->node()->is(prim::constant()) ? nullptr : shared};
  }
  std::map<Key, std::vector<size_t>> by_shared_;
  std::unordered_map<int, size_t> last_write_;  // by class of memory
  size_t writes_ = 0;
};

class Batcher {
 public:
  Batcher(Graph& graph, Rewriter& rewriter, size_t least)
      : graph_(graph),
        effects_(graph),
        rewriter_(rewriter),
        least_(least),
        written_within_(effects_.written_within()) {}

  // Joins groups, in each block of one side, for then less is known of it; false: there is none.
  bool run(Block* block) {
    bool joined = false;
    for (Node* node : block->nodes())
      for (Block* inner : node->blocks()) joined = run(inner) || joined;
    for (const Side& side : kSides)
      if (run(block, side)) return true;
    return joined;
  }

 private:
  bool run(Block* block, const Side& side) {
    Groups groups;
    for (Node* node : block->nodes()) {
      if (const auto at = written_within_.find(node); at != written_within_.end())
        groups.wrote(at->second);
      if (node->outputs().size() != 1 || !node->blocks().empty() || !fits(node, side)) continue;
      const bool joined = std::ranges::any_of(groups.candidates(side, node), [&](size_t g) {
        return join(node, groups.all[g], groups);
      });
      if (!joined) groups.add(side, node);
    }
    std::vector<const Group*> disjoint;  // each comes after the one before
    for (const Group& g : groups.all) {
      if (g.products.size() < least_) continue;
      if (!disjoint.empty() && !disjoint.back()->products.back()->before(g.products[0])) continue;
      if (!rewriter_.allow(side.rule, g.products[0])) break;
      disjoint.push_back(&g);
    }
    for (const Group* g : disjoint) rewrite(*g);
    return !disjoint.empty();
  }

  bool join(Node* node, Group& g, const Groups& groups) const {
    const Node* first = g.products[0];
    const int varying = g.side->varying;
    if (&node->op() != &first->op() || node->inputs().size() != first->inputs().size())
      return false;
    for (int i = 0; i < static_cast<int>(node->inputs().size()); ++i) {
      if (groups.written_since(g, effects_.class_of(node->input(i)))) return false;
      if (i != varying && !same_operand(node->input(i), first->input(i))) return false;
    }
    if (!alike(node->input(varying), first->input(varying), *g.side)) return false;
    std::vector<Node*> moved = g.moved;
    if (!g.late && can_precede(node->input(varying), g, groups, moved)) {
      g.moved = std::move(moved);
    } else {
      if (!g.moved.empty() || !may_wait(node, g, groups)) return false;
      g.late = true;
    }
    g.products.push_back(node);
    return true;
  }

  // May the products of the group be computed at `node`?
  bool may_wait(const Node* node, const Group& g, const Groups& groups) const {
    return std::ranges::all_of(g.products, [&](const Node* p) {
      return std::ranges::all_of(p->output()->uses(),
                                 [&](const Use& use) { return node->before(use.user); }) &&
             std::ranges::none_of(p->inputs(), [&](const Value* in) {
               return groups.written_since(g, effects_.class_of(in));
             });
    });
  }

  // Is the value defined before the first product, or can its node move there?
  bool can_precede(const Value* v, const Group& g, const Groups& groups,
                   std::vector<Node*>& moved) const {
    Node* node = v->node();
    const Node* first = g.products[0];
    if (node->block() != first->block() || node->before(first)) return true;
    if (std::find(moved.begin(), moved.end(), node) != moved.end()) return true;
    if (std::find(g.products.begin(), g.products.end(), node) != g.products.end()) return false;
    if (moved.size() >= g.moved.size() + kMaxMoved) return false;
    if (node->outputs().empty() || !node->blocks().empty() || may_raise(node)) return false;
    if (has_side_effect(node) || is_nondeterministic(node) || writes_memory(node)) return false;
    for (const Value* in : node->inputs()) {
      if (groups.written_since(g, effects_.class_of(in)) || !can_precede(in, g, groups, moved))
        return false;
    }
    moved.push_back(node);
    return true;
  }

  // Where among the parts that one node gives, or that were selected, does the operand lie?
  static int64_t part_number(const Value* v) {
    for (int hops = 0; hops < 4 && v->node()->kind() == OpKind::View; ++hops) {
      if (is_op(v->node(), "aten::select"))
        if (const std::optional<int64_t> at = int_of(v->node()->input(2))) return *at;
      v = v->node()->input();
    }
    return v->index();
  }

  void rewrite(Group g) {
    Node* first = g.products[0];
    Node* here = g.late ? g.products.back() : first;
    std::ranges::sort(g.products, [&](const Node* a, const Node* b) {
      const int64_t x = part_number(a->input(g.side->varying));
      const int64_t y = part_number(b->input(g.side->varying));
      return x == y ? a->before(b) : x < y;
    });
    for (Node* node : g.moved) node->move_before(here);
    const Side& side = *g.side;
    std::vector<Value*> operands, inputs = first->inputs();
    for (Node* p : g.products) operands.push_back(p->input(side.varying));
    Value* list = insert_list(operands, here);
    Value* dim = int_constant(side.operand_dim, here);
    Value* joined = insert_op(is_stacked(side) ? "aten::stack" : "aten::cat", {list, dim}, here);
    if (is_stacked(side)) inputs = {joined, transpose(first->input(0), here)};
    else inputs[static_cast<size_t>(side.varying)] = joined;
    Value* all = insert_op(is_stacked(side) ? "aten::matmul" : side.op, inputs, here);
    int64_t at = 0;
    for (Node* p : g.products) {
      const TensorInfo& info = p->input(side.varying)->type().info();
      const int64_t next = at + (is_stacked(side) ? 1 : info.sizes[side.operand_dim]);
      p->output()->replace_all_uses_with(
          laid_out(part(all, side, at, next, here), p->output(), here));
      at = next;
    }
    for (Node* p : g.products) p->destroy();
  }

  Value* transpose(Value* matrix, Node* before) {
    Value* last = int_constant(-1, before);
    Value* but_one = int_constant(-2, before);
    return insert_op("aten::transpose", {matrix, but_one, last}, before);
  }

  Value* part(Value* all, const Side& side, int64_t from, int64_t to, Node* before) {
    auto number = [&](int64_t i) { return int_constant(i, before); };
    Value* dim = number(side.result_dim);
    if (is_stacked(side)) return insert_op("aten::select", {all, dim, number(from)}, before);
    return insert_op("aten::slice", {all, dim, number(from), number(to), number(1)}, before);
  }

  // As the product was: a slice of columns is copied.
  Value* laid_out(Value* v, const Value* as, Node* before) {
    const TensorInfo& is = v->type().info();
    const TensorInfo& was = as->type().info();
    if (effects_.is_written(as) || effects_.escapes(as))
      return insert_op("aten::clone", {v, int_constant(kContiguous, before)}, before);
    if (is.strides == was.strides) return v;
    if (!is_contiguous(is.sizes, is.strides)) return insert_op("aten::contiguous", {v}, before);
    Value* sizes = graph_.constant(IValue::int_list(was.sizes), before);
    return insert_op("aten::reshape", {v, sizes}, before);
  }

  Graph& graph_;
  Effects effects_;
  Rewriter& rewriter_;
  size_t least_;
  std::unordered_map<const Node*, std::vector<int>> written_within_;
};

void check_words(const std::vector<std::string>& args) { least_count("batch_mm", args); }

}  // namespace

PASS_WITH_WORDS(batch_mm, kMerges, "merge N or more products that share an operand: batch_mm(N)",
                check_words, is_product) {
  const size_t least = least_count("batch_mm", args);
  while (Batcher(graph, rewriter, least).run(graph.block())) {
  }
}

}  // namespace fusillade
