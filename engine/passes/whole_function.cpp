// See whole_function.h.
#include "engine/passes/whole_function.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/ir/visit.h"
#include "engine/passes/effects.h"

namespace fusillade {
namespace {

bool is_plain(const Type& type) {
  switch (type.kind()) {
    case TypeKind::Tensor:
    case TypeKind::None:
    case TypeKind::Int:
    case TypeKind::Float:
    case TypeKind::Bool:
    case TypeKind::Str:
      return true;
    case TypeKind::Optional:
      return is_plain(type.element());
    default:
      return false;
  }
}

bool is_argument(const Type& type) {
  return is_plain(type) ||
         (type.is(TypeKind::List) && is_plain(type.element()) && !type.element().is_tensor());
}

// Does it ask something of a tape, or have an effect besides what it computes and writes?
bool asks_more(const Node* n) {
  const Operator& op = n->op();
  return op.asks_gradients || op.family == "tape" || op.schema.requires_grad >= 0 ||
         n->has_attr("Subgraph") || n->is(prim::set_attr()) || n->is(prim::create_object()) ||
         has_side_effect(n) || is_nondeterministic(n);
}

class WholeFunction {
 public:
  explicit WholeFunction(Graph& graph) : graph_(graph) {}

  bool fits() {
    if (any_node(graph_.block(), &asks_more)) return false;
    const Effects effects(graph_);
    for (const Node* writer : effects.writers())
      for (int c : effects.written_classes(writer))
        if (effects.class_outside(c)) return false;
    for (Value* v : graph_.outputs())
      if (!find_results(v)) return false;
    if (std::ranges::any_of(results_, [&](const Value* v) { return effects.outside(v); }))
      return false;
    find_attributes(graph_.block());
    find_arguments(graph_.block());
    return std::ranges::all_of(arguments_, [](const Value* v) { return is_argument(v->type()); });
  }

  void build(const std::vector<std::pair<std::string, Attribute>>& attributes) {
    std::vector<Node*> body;
    for (Node* n : graph_.block()->nodes())
      if (!outer_.count(n)) body.push_back(n);
    for (auto [v, by] : repeats_) v->replace_all_uses_with(by);
    for (auto it = repeats_.rbegin(); it != repeats_.rend(); ++it) it->first->node()->destroy();
    for (Node* n : attributes_) n->move_before(body.front());
    auto inner = std::make_shared<Graph>();
    ValueMap map;
    std::vector<Value*> inputs;
    for (Value* v : arguments_) {
      map[v] = inner->add_input(v->type());
      map[v]->set_name(v->name());
      inputs.push_back(v);
    }
    Node* group = graph_.create(prim::differentiable(), inputs, 0);
    group->range = body.front()->range;
    for (const Node* n : body) clone_node(n, *inner, inner->block()->return_node(), map);
    group->insert_before(body.front());
    for (Value* v : results_) {
      inner->add_output(map.at(v));
      hand_out(v, group->add_output(v->type()));
    }
    group->set_attr("Subgraph", inner);
    for (const auto& [name, value] : attributes) group->set_attr(name, value);
    for (auto it = body.rbegin(); it != body.rend(); ++it) (*it)->destroy();
  }

 private:
  // What the function gives, tuples decomposed; those stay outside of the group.
  bool find_results(Value* v) {
    Node* producer = v->node();
    if (producer->is(prim::tuple_construct())) {
      outer_.insert(producer);
      return std::ranges::all_of(producer->inputs(),
                                 [&](Value* part) { return find_results(part); });
    }
    if (!is_plain(v->type()) || producer->is(prim::param()) || producer->is(prim::get_attr()))
      return false;
    if (std::ranges::find(results_, v) == results_.end()) results_.push_back(v);
    return true;
  }

  void hand_out(Value* v, Value* by) const {
    const std::vector<Use> uses = v->uses();
    for (const Use& use : uses)
      if (outer_.count(use.user) || use.user == graph_.block()->return_node())
        use.user->set_input(use.index, by);
  }

  // Reads of attributes of inputs, and of what they give, in order.
  void find_attributes(Block* block) {
    each_node_inside_out(block, [&](Node* n) {
      if (!n->is(prim::get_attr())) return;
      const Node* of = n->input()->node();
      const bool of_input = of == graph_.block()->param_node() || outer_.count(of) > 0;
      if (!of_input) return;
      outer_.insert(n);
      auto same = [&](const Node* other) {
        return first(other->input()) == first(n->input()) && name_of(other) == name_of(n);
      };
      if (auto known = std::ranges::find_if(attributes_, same); known != attributes_.end())
        repeats_.emplace_back(n->output(), (*known)->output());
      else attributes_.push_back(n);
    });
  }

  // The first read of the attribute that a value is.
  Value* first(Value* v) const {
    auto known = std::ranges::find(repeats_, v, &std::pair<Value*, Value*>::first);
    return known == repeats_.end() ? v : known->second;
  }

  static const std::string& name_of(const Node* n) {
    return std::get<IValue>(*n->attr("name")).as_str();
  }

  // What is read within and defined outside.
  void find_arguments(const Block* block) {
    auto see = [&](Value* read) {
      Value* v = first(read);
      const Node* producer = v->node();
      const bool outside = producer == graph_.block()->param_node() || outer_.count(producer) > 0;
      if (outside && std::ranges::find(arguments_, v) == arguments_.end()) arguments_.push_back(v);
    };
    for (const Node* n : block->nodes()) {
      if (outer_.count(n)) continue;
      for (Value* v : n->inputs()) see(v);
      for (const Block* inner : n->blocks()) find_arguments(inner);
    }
    if (block != graph_.block())
      for (Value* v : block->results()) see(v);
  }

  Graph& graph_;
  std::vector<Value*> results_, arguments_;
  std::vector<Node*> attributes_;
  std::vector<std::pair<Value*, Value*>> repeats_;  // of attributes that were read before
  std::set<const Node*> outer_;                     // stays outside of the group
};

}  // namespace

bool make_whole(Graph& graph, Rewriter& rewriter,
                const std::vector<std::pair<std::string, Attribute>>& attributes) {
  WholeFunction function(graph);
  if (!graph.block()->first() || !function.fits()) return false;
  if (!rewriter.allow("whole", graph.block()->first())) return false;
  function.build(attributes);
  return true;
}

std::unique_ptr<Graph> straight_line_graph(const Graph& group, const std::vector<ArgInfo>& inputs) {
  static const std::vector<PassCall> passes = parse_pipeline("straight");
  std::unique_ptr<Graph> graph = group.clone();
  for (size_t i = 0; i < inputs.size(); ++i) {
    Value* input = graph->inputs()[i];
    input->set_type(inputs[i].type);
    if (inputs[i].known)
      input->replace_all_uses_with(graph->constant(inputs[i].value, graph->block()->first()));
  }
  run_pipeline(*graph, passes);
  const Effects effects(*graph);
  std::set<int> seen;
  for (const Value* v : graph->outputs()) {
    const int c = effects.class_of(v);
    if (c >= 0 && (effects.outside(v) || !seen.insert(c).second))
      decline("results of the function may share memory");
  }
  return graph;
}

}  // namespace fusillade
