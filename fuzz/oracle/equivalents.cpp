// See equivalents.h.
#include "fuzz/oracle/equivalents.h"

#include <algorithm>
#include <vector>

#include "engine/aten/named.h"
#include "engine/ir/types.h"
#include "engine/ir/visit.h"
#include "engine/passes/effects.h"
#include "fuzz/run/foreign/python_source.h"

namespace fusillade::fuzz {
namespace {

// Nodes that make tensors of what they read, and do nothing else.
bool is_pure(const Node* n) {
  if (!n->blocks().empty() || !n->attrs().empty() || n->outputs().empty()) return false;
  if (n->kind() == OpKind::Prim || n->kind() == OpKind::Scalar) return false;
  if (writes_memory(n) || has_side_effect(n) || is_nondeterministic(n)) return false;
  return std::all_of(n->outputs().begin(), n->outputs().end(),
                     [](const Value* v) { return v->type().is_tensor(); });
}

void collect(const Block* block, bool (*wanted)(const Node*), std::vector<Node*>& out) {
  each_node_inside_out(block, [&](Node* n) {
    if (wanted(n)) out.push_back(n);
  });
}

// Inner ones before those that hold them.
std::vector<Node*> nodes_of(const Graph& graph, bool (*wanted)(const Node*)) {
  std::vector<Node*> out;
  collect(graph.block(), wanted, out);
  return out;
}

Node* insert_node(Graph& graph, const Operator& op, std::span<Value* const> inputs, Node* before,
                  int results = 1) {
  Node* n = graph.create(op, inputs, results);
  n->range = before->range;
  n->insert_before(before);
  return n;
}

Value* uninitialized_value(const Type& type, Node* before) {
  static const Operator& op = operator_named("prim::Uninitialized");
  Value* v = insert_node(before->graph(), op, {}, before)->output();
  v->set_type(type);
  return v;
}

// `inner` computes what `n` does, within a block of `holder`: `holder` takes the place of `n`.
void take_over(Node* n, Node* holder) {
  for (Value* out : n->outputs()) {
    Value* replacement = holder->add_output(out->type());
    out->replace_all_uses_with(replacement);
  }
}

// Copies `n` to the end of `block`, and returns the copy.
Node* copied_into(Block* block, const Node* n) {
  ValueMap map;
  for (Value* v : n->inputs()) map[v] = v;
  return clone_node(n, block->graph(), block->return_node(), map);
}

bool dead_code(Graph& graph) {
  std::vector<Node*> nodes = nodes_of(graph, &is_pure);
  for (Node* n : nodes) {
    ValueMap map;
    for (Value* v : n->inputs()) map[v] = v;
    clone_node(n, graph, n->next(), map);
  }
  return !nodes.empty();
}

// if True: what it computes; else: an error.
bool true_branch(Graph& graph) {
  static const Operator& raise = prim::raise();
  std::vector<Node*> nodes = nodes_of(graph, &is_pure);
  for (Node* n : nodes) {
    Value* condition = graph.constant(IValue(true), n);
    Node* branch = insert_node(graph, prim::if_(), std::vector<Value*>{condition}, n, 0);
    Block* taken = branch->add_block();
    Node* inner = copied_into(taken, n);
    for (Value* v : inner->outputs()) taken->add_result(v);
    Block* other = branch->add_block();
    Node* end = other->return_node();
    Value* message = graph.constant(IValue::str("never reached"), end);
    Value* none = graph.constant(IValue(), end);
    insert_node(graph, raise, std::vector<Value*>{message, none}, end, 0);
    for (Value* v : n->outputs()) other->add_result(uninitialized_value(v->type(), end));
    take_over(n, branch);
    n->destroy();
  }
  return !nodes.empty();
}

// A loop of one iteration that carries what it computes.
bool one_iteration(Graph& graph) {
  std::vector<Node*> nodes = nodes_of(graph, &is_pure);
  for (Node* n : nodes) {
    std::vector<Value*> inputs{graph.constant(IValue(1), n), graph.constant(IValue(true), n)};
    for (Value* v : n->outputs()) inputs.push_back(uninitialized_value(v->type(), n));
    Node* loop = insert_node(graph, prim::loop(), inputs, n, 0);
    Block* body = loop->add_block();
    body->add_param(TypeKind::Int);
    for (Value* v : n->outputs()) body->add_param(v->type());
    Node* inner = copied_into(body, n);
    body->add_result(graph.constant(IValue(true), body->return_node()));
    for (Value* v : inner->outputs()) body->add_result(v);
    take_over(n, loop);
    n->destroy();
  }
  return !nodes.empty();
}

bool is_matrix(const Value* v) {
  return v->type().is_tensor() && v->type().info().rank_known && v->type().info().sizes.size() >= 2;
}

// What reads a matrix reads a view of it that was turned twice: same memory, same strides. Who asks
// whether two are the same tensor, or changes sizes, is left alone.
bool double_transpose(Graph& graph) {
  static const Operator& transpose = aten::transpose();
  if (tests_identity(graph.block()) || changes_sizes(graph)) return false;
  bool any = false;
  for (Node* n : nodes_of(graph, &is_pure)) {
    for (int i = 0; i < static_cast<int>(n->inputs().size()); ++i) {
      if (!is_matrix(n->input(i))) continue;
      Value* v = n->input(i);
      for (int times = 0; times < 2; ++times) {
        std::vector<Value*> args{v, graph.constant(IValue(0), n), graph.constant(IValue(1), n)};
        Node* turned = insert_node(graph, transpose, args, n);
        infer_types(turned);
        v = turned->output();
      }
      n->set_input(i, v);
      any = true;
    }
  }
  return any;
}

constexpr int64_t kMostIterations = 4;

const IValue* constant_in(const Value* v) {
  return v->node()->is(prim::constant()) ? &v->node()->constant() : nullptr;
}
bool is_true(const Value* v) {
  const IValue* c = constant_in(v);
  return c && c->is_bool() && c->as_bool();
}

// A loop whose iterations are known.
bool is_counted(const Node* n) {
  if (!n->is(prim::loop()) || !is_true(n->input(1)) || !is_true(n->blocks()[0]->results()[0]))
    return false;
  const IValue* iterations = constant_in(n->input(0));
  return iterations && iterations->as_int() <= kMostIterations;
}

bool lies_in(const Block* block, const Block* outer) {
  while (block && block != outer) block = block->owner() ? block->owner()->block() : nullptr;
  return block != nullptr;
}

// What `block`, which lies in `body`, reads from beyond `body` stays what it is.
void keep_outer(const Block* block, const Block* body, ValueMap& map) {
  each_read(block, [&](Value* v) {
    if (!lies_in(v->node()->block(), body)) map[v] = v;
  });
}

// The iterations written out one after the other.
bool by_hand(Graph& graph) {
  std::vector<Node*> nodes = nodes_of(graph, &is_counted);
  for (Node* n : nodes) {
    const Block* body = n->blocks()[0];
    std::vector<Value*> carried(n->inputs().begin() + 2, n->inputs().end());
    const int64_t iterations = n->input(0)->node()->constant().as_int();
    for (int64_t iteration = 0; iteration < iterations; ++iteration) {
      ValueMap map;
      keep_outer(body, body, map);
      map[body->params()[0]] = graph.constant(IValue(iteration), n);
      for (size_t i = 0; i < carried.size(); ++i) map[body->params()[i + 1]] = carried[i];
      for (const Node* inner : body->nodes()) clone_node(inner, graph, n, map);
      for (size_t i = 0; i < carried.size(); ++i) carried[i] = map.at(body->results()[i + 1]);
    }
    for (size_t i = 0; i < carried.size(); ++i) n->output(i)->replace_all_uses_with(carried[i]);
    n->destroy();
  }
  return !nodes.empty();
}

bool rules_backwards(Graph& graph) { return undo_rules(nodes_of(graph, &is_pure)); }

constexpr EquivalenceKind kKinds[] = {
    {"dead-code", &dead_code},         {"true-branch", &true_branch},
    {"one-iteration", &one_iteration}, {"double-transpose", &double_transpose},
    {"unrolled-by-hand", &by_hand},    {"rules-backwards", &rules_backwards}};

}  // namespace

std::span<const EquivalenceKind> equivalence_kinds() { return kKinds; }

// What a program calls is written out first: a function of torch.nn is one node else, and no place.
std::unique_ptr<Graph> equivalent_of(const Graph& program, const EquivalenceKind& kind) {
  const auto calls = [](const Node* n) { return n->is(prim::call_function()); };
  std::unique_ptr<Graph> variant =
      nodes_of(program, calls).empty() ? program.clone() : without_calls(program);
  if (!kind.rewrite(*variant)) return nullptr;
  verify(*variant);
  return variant;
}

}  // namespace fusillade::fuzz
