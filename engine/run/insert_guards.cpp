// See insert_guards.h.
#include "engine/run/insert_guards.h"

#include <algorithm>
#include <unordered_set>

#include "engine/ir/types.h"
#include "engine/ir/visit.h"

namespace fusillade {
namespace {

bool lies_in(const Block* block, const Block* outer) {
  for (; block; block = block->owner() ? block->owner()->block() : nullptr)
    if (block == outer) return true;
  return false;
}

// Is there an operator that could do more if it knew the type?
bool gains(const Value* v) {
  return std::ranges::any_of(v->uses(), [](const Use& use) {
    const OpKind kind = use.user->kind();
    return kind != OpKind::Prim && use.user->op().infer;
  });
}

bool knows_shape(const Type& type) {
  return type.is_tensor() && type.info().has_dtype && type.info().rank_known;
}

// The nodes of a block from one on, as a graph of their own.
class Rest {
 public:
  Rest(const Block* block, Node* first) {
    for (Node* n = first; n != block->return_node(); n = n->next()) nodes_.push_back(n);
    for (const Node* n : nodes_) mark_defined(n);
    graph_ = std::make_shared<Graph>();
    for (const Node* n : nodes_) each_read(n, [&](Value* v) { import(v); });
    for (Node* n : nodes_) clone_node(n, *graph_, graph_->block()->return_node(), map_);
    for (size_t k = 0; k < block->results().size(); ++k) {
      if (!defined_.count(block->results()[k])) continue;
      handed_on_.push_back(static_cast<int>(k));
      graph_->add_output(map_.at(block->results()[k]));
    }
  }

  const std::vector<Node*>& nodes() const { return nodes_; }
  const std::vector<int>& handed_on() const { return handed_on_; }  // results of the block
  const std::vector<Value*>& inputs() const { return inputs_; }
  const std::shared_ptr<Graph>& graph() const { return graph_; }

 private:
  void mark_defined(const Node* n) {
    for (const Value* v : n->outputs()) defined_.insert(v);
    for (const Block* b : n->blocks()) each_value(b, [&](const Value* v) { defined_.insert(v); });
  }

  void import(Value* v) {
    if (defined_.count(v) || map_.count(v)) return;
    if (v->node()->is(prim::constant())) {
      clone_node(v->node(), *graph_, graph_->block()->return_node(), map_);
      return;
    }
    map_[v] = graph_->add_input(v->type().without_symbols());
    inputs_.push_back(v);
  }

  std::vector<Node*> nodes_;
  std::unordered_set<const Value*> defined_;
  std::vector<Value*> inputs_;
  std::vector<int> handed_on_;
  std::shared_ptr<Graph> graph_;
  ValueMap map_;
};

class Inserter {
 public:
  Inserter(Graph& graph, const Graph& like, const TypeRecord& record, const GuardOptions& options)
      : graph_(graph), options_(options) {
    std::vector<Value*> mine, theirs;
    each_value(graph.block(), [&](Value* v) { mine.push_back(v); });
    each_value(like.block(), [&](Value* v) { theirs.push_back(v); });
    FUS_CHECK(mine.size() == theirs.size(), "a copy of {} values has {}", theirs.size(),
              mine.size());
    for (size_t i = 0; i < mine.size(); ++i)
      if (const Type* seen = record.of(theirs[i])) seen_[mine[i]] = *seen;
  }

  GuardCount run() {
    GuardCount count;
    while (true) {
      std::vector<ArgInfo> inputs;
      for (const Value* v : graph_.inputs()) inputs.push_back({v->type(), {}, false, {}});
      const std::vector<ArgInfo> found = types_of(graph_, inputs);
      Value* next = nullptr;
      count.implied = 0;
      each_value(graph_.block(), [&](Value* v) {
        if (!may_guard(v)) return;
        const bool implied = knows_shape(found[static_cast<size_t>(v->id())].type);
        count.implied += implied;
        if (!implied && !next) next = v;
      });
      if (!next || count.inserted == options_.most) return count;
      insert(next);
      ++count.inserted;
    }
  }

 private:
  bool may_guard(const Value* v) const {
    const auto seen = seen_.find(v);
    const bool of_graph = v->node()->is(prim::param()) && !v->node()->block()->owner();
    return seen != seen_.end() && v->type().is_tensor() && !of_graph && !guarded_.count(v) &&
           knows_shape(seen->second) && !v->node()->is(prim::constant()) && gains(v);
  }

  void insert(Value* v) {
    guarded_.insert(v);
    Node* producer = v->node();
    Block* block = producer->block();
    Node* first = producer->is(prim::param()) ? block->param_node()->next() : producer->next();
    const Rest rest(block, first);
    Node* end = block->return_node();
    Node* check = graph_.create(prim::type_check(), {v}, 2);
    Type type = seen_.at(v);
    if (type.info().requires_grad.value_or(true)) type.info().requires_grad = std::nullopt;
    check->output(0)->set_type(type);
    check->output(1)->set_type(TypeKind::Bool);
    if (options_.fails && options_.fails()) check->set_attr("name", IValue::str("never"));
    check->insert_before(end);
    Node* branch = graph_.create(prim::if_(), {check->output(1)}, 0);
    branch->insert_before(end);
    Block* good = branch->add_block();
    Block* other = branch->add_block();
    for (Node* n : rest.nodes()) n->move_before(good->return_node());
    const std::vector<Use> uses(v->uses().begin(), v->uses().end());
    for (const Use& use : uses)
      if (use.user != check && lies_in(use.user->block(), good))
        use.user->set_input(use.index, check->output(0));
    Node* fallback =
        graph_.create(prim::fallback(), rest.inputs(), static_cast<int>(rest.handed_on().size()));
    fallback->set_attr("Subgraph", rest.graph());
    fallback->set_attr("static", IValue(options_.statics));
    fallback->set_attr("dynamic", IValue(options_.dynamics));
    other->append(fallback);
    for (size_t i = 0; i < rest.handed_on().size(); ++i) {
      const int k = rest.handed_on()[i];
      Value* result = block->results()[static_cast<size_t>(k)];
      good->add_result(result);
      fallback->output(static_cast<int>(i))->set_type(result->type());
      other->add_result(fallback->output(static_cast<int>(i)));
      block->set_result(k, branch->add_output(result->type()));
    }
  }

  Graph& graph_;
  const GuardOptions& options_;
  std::unordered_map<const Value*, Type> seen_;
  std::unordered_set<const Value*> guarded_;
};

}  // namespace

GuardCount insert_guards(Graph& graph, const Graph& like, const TypeRecord& record,
                         const GuardOptions& options) {
  return Inserter(graph, like, record, options).run();
}

}  // namespace fusillade
