// Peeling: the first iteration of a loop before the loop.
//
//   %y = prim::Loop(%n, %c, %x)              %go = %n > 0 and %c
//     block0(%i, %p): ... -> (%d, %q)  ==>   %y = prim::If(%go)
//                                              block0():
//                                                (the iteration, with 0 and %x)
//                                                %m = %n - 1
//                                                %z = prim::Loop(%m, %d', %q')
//                                                  block0(%j, %p): (the iteration, with %j + 1 and
//                                                  %p)
//                                                -> (%z)
//                                              block1(): -> (%x)
//
// What is known of the first iteration alone (a carried None, a shape that grows once) is then
// known in the peeled copy. There is no If where the loop certainly runs. Innermost loops of at
// most kMaxIteration nodes, each once.
#include "engine/aten/named.h"
#include "engine/passes/insert.h"
#include "engine/passes/loops.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

constexpr size_t kMaxIteration = 32;

class Peeler {
 public:
  explicit Peeler(Rewriter& rewriter) : rewriter_(rewriter) {}

  // Does the block hold a loop?
  bool run(Block* block) {
    bool any = false;
    for (Node* node : block->nodes()) {
      bool holds = false;
      for (Block* inner : node->blocks()) holds = run(inner) || holds;
      any = any || holds || node->is(prim::loop());
      const bool small =
          node->is(prim::loop()) && !holds && size_of_iteration(node) <= kMaxIteration;
      if (small && rewriter_.allow("first-iteration", node)) peel(node);
    }
    return any;
  }

 private:
  static void peel(Node* loop) {
    if (surely_runs(loop)) {
      peel_before(loop, loop);
      return;
    }
    Value* any = insert_op(aten::gt_int(), {loop->input(0), int_constant(0, loop)}, loop);
    Value* go = insert_op(aten::and_bool(), {any, loop->input(1)}, loop);
    Node* branch = loop->graph().create(prim::if_(), {go}, 0);
    branch->range = loop->range;
    branch->insert_before(loop);
    Block* then = branch->add_block();
    Block* none = branch->add_block();
    for (size_t k = 0; k < loop->outputs().size(); ++k) {
      none->add_result(loop->input(static_cast<int>(k) + 2));
      Value* out = branch->add_output(loop->output(static_cast<int>(k))->type());
      loop->output(static_cast<int>(k))->replace_all_uses_with(out);
    }
    loop->move_before(then->return_node());
    for (Value* out : loop->outputs()) then->add_result(out);
    peel_before(loop, loop);
  }

  static void peel_before(Node* loop, Node* before) {
    std::vector<Value*> carried = first_carried(loop);
    Value* more = copy_iteration(loop, int_constant(0, before), carried, before);
    loop->set_input(0,
                    insert_op(aten::sub_int(), {loop->input(0), int_constant(1, before)}, before));
    loop->set_input(1, more);
    for (size_t k = 0; k < carried.size(); ++k)
      loop->set_input(static_cast<int>(k) + 2, carried[k]);
    shift_index(loop, int_constant(1, before));
  }

  Rewriter& rewriter_;
};

}  // namespace

PASS(peel, kExact | kKeepsTape, "put the first iteration of each innermost loop before the loop",
     is_loop) {
  Peeler(rewriter).run(graph.block());
}

}  // namespace fusillade
