// Tuples inside a function are only names for several values.
//
//   %t : (Tensor, int) = prim::TupleConstruct(%a, %n)
//   %b : Tensor, %m : int = prim::TupleUnpack(%t)        ==>   uses of %b, %m become %a, %n
//
//   %t : (Tensor, int) = prim::If(%c)                    %p : Tensor, %n : int = prim::If(%c)
//     block0(): -> (%u)                            ==>     block0(): %.. = TupleUnpack(%u) -> (..)
//     block1(): -> (%v)                                    block1(): %.. = TupleUnpack(%v) -> (..)
//                                                        %t : (Tensor, int) = TupleConstruct(%p,
//                                                        %n)
//
// Loop-carried tuples are split the same way; the parts of prim::Uninitialized are uninitialized.
// Tuples that enter or leave the function stay. Tuples are immutable, so which holder has which
// tuple cannot be observed. Constructs left without use are removed by dce. A NamedTuple is a tuple
// that another node builds.
#include "engine/ir/visit.h"
#include "engine/passes/constants.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

constexpr const char* kUninitialized = "prim::Uninitialized";

bool is_tuple(const Value* v) { return v->type().is(TypeKind::Tuple); }

Node* unpack(Value* tuple, Node* before) {
  const std::vector<Type>& types = tuple->type().elements();
  Graph& graph = before->graph();
  Node* node = graph.create(prim::tuple_unpack(), {tuple}, static_cast<int>(types.size()));
  for (size_t i = 0; i < types.size(); ++i) node->outputs()[i]->set_type(types[i]);
  node->insert_before(before);
  return node;
}

// A tuple of these values, placed before `before`, that takes over the uses of `old`.
void construct(const std::vector<Value*>& parts, Value* old, Node* before) {
  const Operator& op = old->type().class_type() ? prim::named_tuple() : prim::tuple_construct();
  Node* node = before->graph().create(op, parts);
  node->output()->set_type(old->type());
  node->insert_before(before);
  old->replace_all_uses_with(node->output());
}

class Lowerer {
 public:
  explicit Lowerer(Rewriter& rewriter) : rewriter_(rewriter) {}

  void split(Block* block) {
    each_node(block, [&](Node* node) {
      if (node->is(prim::if_())) split_if(node);
      if (node->is(prim::loop())) split_loop(node);
    });
  }

  // In program order, so that a tuple within a tuple is known by the time it is decomposed.
  void forward(Block* block) {
    each_node_inside_out(block, [&](Node* node) { forward(node); });
  }

 private:
  // Nested tuples come out as further tuple results, which later iterations of the loop split
  // again.
  void split_if(Node* node) {
    for (int k = 0; k < static_cast<int>(node->outputs().size());) {
      if (!is_tuple(node->output(k))) {
        ++k;
        continue;
      }
      if (!rewriter_.allow("split-if-result", node)) return;
      for (Block* block : node->blocks()) {
        Node* parts = unpack(block->results()[k], block->return_node());
        block->remove_result(k);
        for (Value* part : parts->outputs()) block->add_result(part);
      }
      replace_output(node, k);
    }
  }

  void split_loop(Node* node) {
    Block* body = node->blocks()[0];
    for (int k = 0; k < static_cast<int>(node->outputs().size());) {
      if (!is_tuple(node->output(k))) {
        ++k;
        continue;
      }
      if (!rewriter_.allow("split-loop-slot", node)) return;
      Value* param = body->params()[k + 1];
      std::vector<Value*> params;
      for (Value* part : unpack(node->input(k + 2), node)->outputs()) node->add_input(part);
      for (const Type& type : std::vector<Type>(param->type().elements()))
        params.push_back(body->add_param(type));
      Node* parts = unpack(body->results()[k + 1], body->return_node());
      construct(params, param, body->first());
      body->remove_result(k + 1);
      for (Value* part : parts->outputs()) body->add_result(part);
      body->remove_param(k + 1);
      node->remove_input(k + 2);
      replace_output(node, k);
    }
  }

  // Output k becomes one output per element, at the end, and a tuple built from them after the
  // node.
  void replace_output(Node* node, int k) {
    Value* old = node->output(k);
    std::vector<Value*> parts;
    for (const Type& type : std::vector<Type>(old->type().elements()))
      parts.push_back(node->add_output(type));
    construct(parts, old, node->next());
    node->remove_output(k);
  }

  void forward(Node* node) {
    if (node->inputs().empty()) return;
    Node* producer = node->input()->node();
    if (node->is(prim::tuple_unpack()) && producer->is(operator_named(kUninitialized)))
      return uninitialized_parts(node);
    if (!producer->is(prim::tuple_construct()) && !producer->is(prim::named_tuple())) return;
    if (node->is(prim::tuple_unpack())) {
      if (!rewriter_.allow("unpack-of-construct", node)) return;
      for (size_t i = 0; i < node->outputs().size(); ++i)
        node->outputs()[i]->replace_all_uses_with(producer->inputs()[i]);
      node->destroy();
    } else if (node->is(operator_named("prim::TupleIndex"))) {
      const IValue* at = constant_of(node->input(1));
      if (!at || !at->is_int()) return;
      int64_t count = static_cast<int64_t>(producer->inputs().size());
      int64_t i = at->as_int() < 0 ? at->as_int() + count : at->as_int();
      if (i < 0 || i >= count || !rewriter_.allow("index-of-construct", node)) return;
      node->output()->replace_all_uses_with(producer->inputs()[i]);
      node->destroy();
    }
  }

  // The parts of a tuple that is never read are never read either; an executor need not have built
  // the tuple.
  void uninitialized_parts(Node* node) {
    if (!rewriter_.allow("unpack-of-uninitialized", node)) return;
    for (Value* part : node->outputs()) {
      Node* fresh = node->graph().create(operator_named(kUninitialized), {}, 1);
      fresh->output()->set_type(part->type());
      fresh->insert_before(node);
      part->replace_all_uses_with(fresh->output());
    }
    node->destroy();
  }

  Rewriter& rewriter_;
};

}  // namespace

PASS(lower_tuples, kExact | kIdempotent | kKeepsTape | kReshapes,
     "decompose tuples, through branches and loops") {
  Lowerer lowerer(rewriter);
  lowerer.split(graph.block());
  lowerer.forward(graph.block());
}

}  // namespace fusillade
