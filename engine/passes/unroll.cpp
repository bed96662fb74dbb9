// Unrolling: a loop becomes its iterations, one after the other.
//
//   %y : Tensor = prim::Loop(%2, %true, %x)          %a : Tensor = aten::relu(%x)
//     block0(%i : int, %p : Tensor):           ==>   %y : Tensor = aten::relu(%a)
//       %q : Tensor = aten::relu(%p)
//       -> (%true, %q)
//
// Only loops that count and never stop early. `unroll` takes those of a constant number of
// iterations, at most kMaxIterations, with at most kMaxNodes nodes in all. Inner loops come first;
// an inner loop whose iteration count was the outer's index is visited again in the copies. A tape
// records the same ops in the same order.
//
// `unroll_by_8` turns each other innermost loop into one of eight iterations at a time and one of
// the remainder. A negative iteration count means none, so it is raised to 0 before it is divided.
#include "engine/aten/named.h"
#include "engine/passes/insert.h"
#include "engine/passes/loops.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

constexpr int64_t kMaxIterations = 128;
constexpr size_t kMaxNodes = 2048;    // of all iterations together
constexpr size_t kMaxIteration = 32;  // nodes of an iteration that is repeated
constexpr int64_t kAtOnce = 8;

class Unroller {
 public:
  explicit Unroller(Rewriter& rewriter) : rewriter_(rewriter) {}

  void run(Block* block) {
    for (Node* node : block->nodes()) visit(node);
  }

 private:
  void visit(Node* node) {
    for (Block* inner : node->blocks()) run(inner);
    if (node->is(prim::loop()) && fits(node) && rewriter_.allow("full", node)) unroll(node);
  }

  static bool fits(const Node* loop) {
    const std::optional<int64_t> iterations = iterations_of(loop);
    return iterations && *iterations <= kMaxIterations &&
           static_cast<size_t>(*iterations) * size_of_iteration(loop) <= kMaxNodes;
  }

  void unroll(Node* loop) {
    const int64_t iterations = *iterations_of(loop);
    Node* before = loop->prev();
    std::vector<Value*> carried = first_carried(loop);
    for (int64_t i = 0; i < iterations; ++i)
      copy_iteration(loop, int_constant(i, loop), carried, loop);
    std::vector<Node*> copies;
    for (Node* node = before->next(); node != loop; node = node->next()) copies.push_back(node);
    replace_loop(loop, carried);
    for (Node* node : copies)
      if (node->is(prim::loop())) visit(node);
  }

  Rewriter& rewriter_;
};

class ByEight {
 public:
  explicit ByEight(Rewriter& rewriter) : rewriter_(rewriter) {}

  // Does the block hold a loop?
  bool run(Block* block) {
    bool any = false;
    for (Node* node : block->nodes()) {
      bool holds = false;
      for (Block* inner : node->blocks()) holds = run(inner) || holds;
      any = any || holds || node->is(prim::loop());
      if (node->is(prim::loop()) && !holds && fits(node) && rewriter_.allow("by-eight", node))
        unroll(node);
    }
    return any;
  }

 private:
  static bool fits(const Node* loop) {
    const std::optional<int64_t> iterations = iterations_of(loop);
    return only_counts(loop) && size_of_iteration(loop) <= kMaxIteration &&
           (!iterations || *iterations >= kAtOnce);
  }

  // The existing loop becomes that of the remaining iterations.
  static void unroll(Node* loop) {
    Graph& graph = loop->graph();
    Value* eight = int_constant(kAtOnce, loop);
    Value* iterations = insert_op("prim::max", {loop->input(0), int_constant(0, loop)}, loop);
    Value* rounds = insert_op(aten::floordiv_int(), {iterations, eight}, loop);
    std::vector<Value*> inputs = loop->inputs();
    inputs[0] = rounds;
    Node* many = graph.create(prim::loop(), inputs, 0);
    many->range = loop->range;
    many->insert_before(loop);
    eight_iterations(loop, many);
    Value* done = insert_op(aten::mul_int(), {rounds, eight}, loop);
    loop->set_input(0, insert_op(aten::sub_int(), {iterations, done}, loop));
    for (size_t k = 0; k < many->outputs().size(); ++k)
      loop->set_input(static_cast<int>(k) + 2, many->output(static_cast<int>(k)));
    shift_index(loop, done);
  }

  static void eight_iterations(const Node* loop, Node* many) {
    const Block* body = loop->blocks()[0];
    Block* block = many->add_block();
    Value* round = block->add_param(TypeKind::Int);
    std::vector<Value*> carried;
    for (size_t k = 0; k < loop->outputs().size(); ++k) {
      // What is known of the loop's results may depend on its iteration count.
      many->add_output(Type(loop->output(static_cast<int>(k))->type()).without_shapes());
      carried.push_back(block->add_param(body->params()[k + 1]->type()));
    }
    Node* end = block->return_node();
    Value* first = insert_op(aten::mul_int(), {round, int_constant(kAtOnce, end)}, end);
    for (int64_t i = 0; i < kAtOnce; ++i) {
      Value* index = insert_op(aten::add_int(), {first, int_constant(i, end)}, end);
      copy_iteration(loop, index, carried, end);
    }
    block->add_result(loop->input(1));
    for (Value* v : carried) block->add_result(v);
  }

  Rewriter& rewriter_;
};

}  // namespace

PASS(unroll, kExact | kIdempotent | kKeepsTape,
     "unroll loops with a small constant number of iterations", is_loop) {
  Unroller(rewriter).run(graph.block());
}

PASS(unroll_by_8, kExact | kKeepsTape,
     "unroll other counting loops by eight, with a loop for the rest", is_loop) {
  ByEight(rewriter).run(graph.block());
}

}  // namespace fusillade
