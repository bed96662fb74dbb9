// Inlining: a call becomes the body of its callee.
//
//   %y : Tensor = prim::CallFunction(%f, %x)    ==>    %y : Tensor = aten::relu(%x)
//
// Calls inside an inlined body are inlined in turn, so the result holds no call. Functions cannot
// recurse (the front end refuses); nesting beyond max_call_depth is an error here as anywhere. What
// torch.jit.fork calls stays a call; what it calls in turn is inlined there.
#include "engine/ir/call_stack.h"
#include "engine/ir/interpret.h"
#include "engine/ir/visit.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

class Inliner {
 public:
  explicit Inliner(Rewriter& rewriter) : rewriter_(rewriter) {}

  void run(Block* block) {
    each_node_inside_out(block, [&](Node* node) { visit(node); });
  }

 private:
  void visit(Node* node) {
    if (is_task(node)) return run_within(node);
    if (node->is(prim::call_function()) && rewriter_.allow("call", node)) expand(node);
  }

  // The calls of a task, which stays one.
  void run_within(Node* task) {
    if (++depth_ > max_call_depth()) calls_nest_too_deep();
    std::shared_ptr<Graph> own = task->subgraph().clone();
    run(own->block());
    task->set_attr("Subgraph", own);
    --depth_;
  }

  // Those of one graph say nothing of another's.
  static void forget_symbols(Node* node) {
    const auto forget = [](Value* v) { v->set_type(v->type().without_symbols()); };
    for (Value* out : node->outputs()) forget(out);
    for (Block* inner : node->blocks()) each_value(inner, forget);
  }

  void expand(Node* call) {
    if (++depth_ > max_call_depth()) calls_nest_too_deep();
    Node* before = call->prev();
    std::vector<Value*> results = inline_graph(call->subgraph(), call, call->inputs());
    for (size_t i = 0; i < results.size(); ++i)
      call->output(static_cast<int>(i))->replace_all_uses_with(results[i]);
    std::vector<Node*> inlined;
    for (Node* node = before->next(); node != call; node = node->next()) {
      inlined.push_back(node);
      forget_symbols(node);
    }
    set_caller(inlined, call);
    for (Node* node : inlined) {
      for (Block* inner : node->blocks()) run(inner);
      visit(node);
    }
    call->destroy();
    --depth_;
  }

  Rewriter& rewriter_;
  int depth_ = 0;
};

}  // namespace

PASS_NAMED(inline_calls, "inline", kExact | kIdempotent | kKeepsTape | kReshapes,
           "replace calls by the bodies of their callees", nullptr) {
  Inliner(rewriter).run(graph.block());
}

}  // namespace fusillade
