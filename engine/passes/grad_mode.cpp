// A program that records gradients is run without passes (run/gradients.h); any other needs no
// switch of them: neither what sets it nor the objects of `with` around it.
//
//   %b : bool = aten::is_grad_enabled()                 (its uses become False)
//   aten::set_grad_enabled(%b)                          (gone)
//   %o : no_grad = prim::CreateObject()                 (gone, with the attributes that it is
//   given: prim::SetAttr[name="prev"](%o, %b)                   nothing else uses it)
//
// Only objects go that nothing but their own attributes' nodes use; an attribute that is read keeps
// its object.
#include <algorithm>

#include "engine/ir/visit.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

constexpr const char* kAsks = "aten::is_grad_enabled";
constexpr const char* kSets = "aten::set_grad_enabled";

class Remover {
 public:
  Remover(Graph& graph, Rewriter& rewriter) : graph_(graph), rewriter_(rewriter) {}

  void switches(Block* block) {
    each_node_inside_out(block, [&](Node* n) {
      bool asks = n->op().name == kAsks;
      if (!asks && n->op().name != kSets) return;
      if (!rewriter_.allow("no-gradients", n)) return;
      if (asks) n->output()->replace_all_uses_with(graph_.constant(IValue(false), n));
      n->destroy();
    });
  }

  // Removing an object may free another that it held: repeat until none is removed.
  void objects() {
    for (bool again = true; again;) {
      std::vector<Node*> idle_ones;
      find_idle(graph_.block(), idle_ones);
      again = false;
      for (Node* n : idle_ones) again |= remove(n);
    }
  }

 private:
  // Does nothing see what the object holds?
  static bool idle(const Value* object) {
    return std::all_of(object->uses().begin(), object->uses().end(), [](const Use& use) {
      bool set = use.user->is(prim::set_attr()) && use.index == 0;
      return set || (use.user->is(prim::get_attr()) && use.user->output()->is_unused());
    });
  }

  void find_idle(Block* block, std::vector<Node*>& out) {
    each_node_inside_out(block, [&](Node* n) {
      if (n->is(prim::create_object()) && idle(n->output())) out.push_back(n);
    });
  }

  // Each step leaves a valid graph: the object goes last.
  bool remove(Node* object) {
    while (!object->output()->is_unused()) {
      Node* user = object->output()->uses().back().user;
      if (!rewriter_.allow("idle-object", user)) return false;
      user->destroy();
    }
    if (!rewriter_.allow("idle-object", object)) return false;
    object->destroy();
    return true;
  }

  Graph& graph_;
  Rewriter& rewriter_;
};

}  // namespace

PASS(grad_mode, kExact | kIdempotent,
     "remove the switch for gradients, and objects that nothing reads") {
  Remover remover(graph, rewriter);
  remover.switches(graph.block());
  remover.objects();
}

}  // namespace fusillade
