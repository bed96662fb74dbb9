// Ownership and mutation of graphs. Nodes, values and blocks live in the graph's arena and are
// recycled only with it; use lists are kept exact by every edit.
#include "engine/ir/graph.h"

#include <algorithm>
#include <utility>

#include "engine/ir/visit.h"
#include "engine/ops/infer.h"

namespace fusillade {
namespace {

// Between the order numbers of neighbours: at the end of a block, and of a node put between two.
constexpr int64_t kGap = int64_t{1} << 32;
constexpr int64_t kStep = 1 << 16;

void erase_use(List<Use>& uses, const Node* user, int index) {
  for (size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].user == user && uses[i].index == index) {
      uses.erase(i);
      return;
    }
  }
  FUS_BUG("a use is missing from its value's list");
}

void shift_use_down(List<Use>& uses, const Node* user, int from) {
  for (Use& u : uses) {
    if (u.user == user && u.index == from) {
      --u.index;
      return;
    }
  }
  FUS_BUG("a use is missing from its value's list");
}

}  // namespace

void Value::replace_all_uses_with(Value* other) {
  FUS_CHECK(other != this, "a value replaced by itself");
  std::vector<Use> uses = uses_;
  for (const Use& u : uses) u.user->set_input(u.index, other);
}

void Node::add_input(Value* value) {
  Arena& arena = graph_->arena_;
  value->uses_.push_back(arena, {this, static_cast<int>(inputs_.size())});
  inputs_.push_back(arena, value);
}

void Node::set_input(int i, Value* value) {
  erase_use(inputs_[i]->uses_, this, i);
  inputs_[i] = value;
  value->uses_.push_back(graph_->arena_, {this, i});
}

void Node::remove_input(int i) {
  erase_use(inputs_[i]->uses_, this, i);
  inputs_.erase(static_cast<size_t>(i));
  for (int k = i; k < static_cast<int>(inputs_.size()); ++k) {
    shift_use_down(inputs_[k]->uses_, this, k + 1);
  }
}

void Node::remove_all_inputs() {
  for (int i = 0; i < static_cast<int>(inputs_.size()); ++i) erase_use(inputs_[i]->uses_, this, i);
  inputs_.clear();
}

Value* Node::add_output(Type type) {
  Value* v = graph_->make_value(this, static_cast<int>(outputs_.size()), std::move(type));
  outputs_.push_back(graph_->arena_, v);
  return v;
}

void Node::remove_output(int i) {
  FUS_CHECK(outputs_[i]->is_unused(), "result {} of {} is removed but used", i, op_->name);
  outputs_.erase(static_cast<size_t>(i));
  for (int k = i; k < static_cast<int>(outputs_.size()); ++k) outputs_[k]->index_ = k;
}

Block* Node::add_block() {
  blocks_.push_back(graph_->arena_, graph_->make_block(this));
  return blocks_.back();
}

void Node::remove_block(int i) {
  Block* b = blocks_[i];
  b->return_node()->remove_all_inputs();
  for (Node* n = b->last(); n;) {
    Node* previous = n->prev_ == b->param_ ? nullptr : n->prev_;
    n->destroy();
    n = previous;
  }
  blocks_.erase(static_cast<size_t>(i));
}

bool Node::has_attr(std::string_view name) const { return attr(name) != nullptr; }

const Attribute* Node::attr(std::string_view name) const {
  for (auto& [key, value] : attrs_) {
    if (key == name) return &value;
  }
  return nullptr;
}

void Node::remove_attr(std::string_view name) {
  for (size_t i = 0; i < attrs_.size(); ++i) {
    if (attrs_[i].first != name) continue;
    attrs_.erase(i);
    return;
  }
}

void Node::set_attr(std::string name, Attribute value) {
  for (auto& [key, old] : attrs_) {
    if (key == name) {
      old = std::move(value);
      return;
    }
  }
  attrs_.push_back(graph_->arena_, {std::move(name), std::move(value)});
}

const IValue& Node::constant() const {
  static const IValue none;
  const Attribute* a = attr("value");
  return a ? std::get<IValue>(*a) : none;
}

Graph& Node::subgraph() const {
  const Attribute* a = attr("Subgraph");
  FUS_CHECK(a && std::holds_alternative<std::shared_ptr<Graph>>(*a), "{} has no subgraph",
            op_->name);
  return *std::get<std::shared_ptr<Graph>>(*a);
}

void Node::insert_before(Node* other) {
  FUS_CHECK(!block_, "{} is in a block already", op_->name);
  Node* previous = other->prev_;
  block_ = other->block_;
  prev_ = previous;
  next_ = other;
  previous->next_ = this;
  other->prev_ = this;
  if (other->next_ == nullptr) {
    order_ = previous->order_ + kGap;
    other->order_ = order_ + kGap;
    return;
  }
  order_ = previous->order_ + std::min(kStep, (other->order_ - previous->order_) / 2);
  if (order_ != previous->order_) return;
  // No room: as many neighbours are numbered anew as have kStep for each of them.
  Node *first = previous, *last = other;
  int64_t steps = 2;
  while (last->order_ - first->order_ < steps * kStep) {
    if (first->prev_) {
      first = first->prev_;
      ++steps;
    }
    if (last->next_) {
      last = last->next_;
      ++steps;
    } else {
      last->order_ = first->order_ + steps * kGap;
    }
  }
  const int64_t step = (last->order_ - first->order_) / steps;
  for (Node* n = first->next_; n != last; n = n->next_) n->order_ = n->prev_->order_ + step;
}

void Node::move_before(Node* other) {
  if (other == this) return;
  prev_->next_ = next_;
  next_->prev_ = prev_;
  block_ = nullptr;
  insert_before(other);
}

void Node::destroy() {
  for (Value* v : outputs_) {
    FUS_CHECK(v->is_unused(), "{} is destroyed but its result is used", op_->name);
  }
  while (!blocks_.empty()) remove_block(static_cast<int>(blocks_.size()) - 1);
  remove_all_inputs();
  attrs_.clear();
  if (block_) {
    prev_->next_ = next_;
    next_->prev_ = prev_;
  }
  block_ = nullptr;
}

bool Node::before(const Node* other) const {
  if (block_ == other->block_) return order_ < other->order_;
  std::vector<const Node*> mine;
  for (const Node* n = this; n; n = n->block_ ? n->block_->owner_ : nullptr) mine.push_back(n);
  for (const Node* n = other; n; n = n->block_ ? n->block_->owner_ : nullptr) {
    for (const Node* m : mine) {
      if (m->block_ == n->block_ && m->block_) return m != n && m->order_ < n->order_;
    }
  }
  FUS_BUG("{} and {} share no block", op_->name, other->op_->name);
}

Graph::Graph() { top_ = make_block(nullptr); }

Graph::~Graph() {
  static_assert(std::is_trivially_destructible_v<Block>);
  while (Node* n = last_node_) {
    last_node_ = n->created_before_;
    n->~Node();
  }
  while (Value* v = last_value_) {
    last_value_ = v->created_before_;
    v->~Value();
  }
}

Node* Graph::make_node(const Operator& op) {
  Node* n = new (arena_.take(sizeof(Node))) Node();
  n->op_ = &op;
  n->graph_ = this;
  n->created_before_ = std::exchange(last_node_, n);
  return n;
}

Value* Graph::make_value(Node* node, int index, Type type) {
  Value* v = new (arena_.take(sizeof(Value))) Value();
  v->node_ = node;
  v->index_ = index;
  v->id_ = next_id_++;
  v->type_ = std::move(type);
  v->created_before_ = std::exchange(last_value_, v);
  return v;
}

Block* Graph::make_block(Node* owner) {
  Block* b = new (arena_.take(sizeof(Block))) Block();
  b->graph_ = this;
  b->owner_ = owner;
  b->param_ = make_node(prim::param());
  b->return_ = make_node(prim::return_());
  b->param_->next_ = b->return_;
  b->return_->prev_ = b->param_;
  b->param_->block_ = b->return_->block_ = b;
  b->return_->order_ = kGap;
  return b;
}

Node* Graph::create(const Operator& op, std::span<Value* const> inputs, int results) {
  Node* n = make_node(op);
  n->inputs_.reserve(arena_, inputs.size());
  for (Value* v : inputs) n->add_input(v);
  n->outputs_.reserve(arena_, static_cast<size_t>(results));
  for (int i = 0; i < results; ++i) n->add_output();
  return n;
}

Node* Graph::append(const Operator& op, std::span<Value* const> inputs, Block* block) {
  Node* n = create(op, inputs, static_cast<int>(op.schema.results.size()));
  (block ? block : top_)->append(n);
  infer_types(n);
  return n;
}

Value* Graph::constant(IValue value, Node* before) {
  Node* n = make_node(prim::constant());
  Value* v = n->add_output(value.type().without_shapes());
  if (value.is_tensor()) v->set_type(value.type());
  n->attrs_.push_back(arena_, {"value", std::move(value)});
  n->insert_before(before ? before : top_->return_);
  return v;
}

namespace {
// Images of the values of one whole graph, which have an id each.
class ById {
 public:
  explicit ById(int limit) : images_(static_cast<size_t>(limit)) {}
  Value* find(const Value* v) const {
    size_t id = static_cast<size_t>(v->id());
    return id < images_.size() ? images_[id] : nullptr;
  }
  void add(const Value* v, Value* image) { images_[static_cast<size_t>(v->id())] = image; }

 private:
  std::vector<Value*> images_;
};

class ByMap {
 public:
  explicit ByMap(ValueMap& map) : map_(map) {}
  Value* find(const Value* v) const {
    auto it = map_.find(v);
    return it == map_.end() ? nullptr : it->second;
  }
  void add(const Value* v, Value* image) { map_[v] = image; }

 private:
  ValueMap& map_;
};

// Copies nodes into a graph; `Images` gives the new inputs and receives the new outputs.
template <class Images>
class Copier {
 public:
  Copier(Graph& into, Images images) : into_(into), images_(std::move(images)) {}

  void block(const Block* from, Block* to) {
    for (Value* p : from->params()) value(p, to->add_param(p->type()));
    for (Node* n : from->nodes()) node(n, to->return_node());
    for (Value* r : from->results()) to->add_result(image(r, from->return_node()));
  }

  Node* node(const Node* from, Node* before) {
    inputs_.clear();
    for (Value* v : from->inputs()) inputs_.push_back(image(v, from));
    Node* fresh = into_.create(from->op(), inputs_, 0);
    fresh->range = from->range;
    for (auto& [name, value] : from->attrs()) {
      auto* graph = std::get_if<std::shared_ptr<Graph>>(&value);
      fresh->set_attr(name, graph ? Attribute(std::shared_ptr<Graph>((*graph)->clone())) : value);
    }
    for (Value* v : from->outputs()) value(v, fresh->add_output(v->type()));
    fresh->insert_before(before);
    for (const Block* b : from->blocks()) block(b, fresh->add_block());
    return fresh;
  }

 private:
  Value* image(const Value* v, const Node* user) const {
    Value* found = images_.find(v);
    FUS_CHECK(found, "an input of {} has no image in the clone", user->op().name);
    return found;
  }
  void value(const Value* from, Value* to) {
    if (!from->name().empty()) to->set_name(from->name());
    images_.add(from, to);
  }

  Graph& into_;
  Images images_;
  std::vector<Value*> inputs_;
};
}  // namespace

size_t Graph::node_count() const {
  return count_nodes(top_, [](const Node* n) { return !n->is(prim::constant()); });
}

std::unique_ptr<Graph> Graph::clone() const {
  auto out = std::make_unique<Graph>();
  out->name = name;
  Copier(*out, ById(next_id_)).block(top_, out->top_);
  return out;
}

Node* clone_node(const Node* node, Graph& into, Node* before, ValueMap& map) {
  return Copier(into, ByMap(map)).node(node, before);
}

std::vector<Value*> inline_graph(const Graph& source, Node* before,
                                 std::span<Value* const> arguments) {
  FUS_CHECK(arguments.size() == source.inputs().size(), "{} arguments for a graph of {} inputs",
            arguments.size(), source.inputs().size());
  ValueMap map;
  for (size_t i = 0; i < arguments.size(); ++i) map[source.inputs()[i]] = arguments[i];
  for (Node* n : source.block()->nodes()) clone_node(n, before->graph(), before, map);
  std::vector<Value*> out;
  for (Value* v : source.outputs()) out.push_back(map.at(v));
  return out;
}

namespace {
bool holds_tensors(const Type& t) {
  return t.is_tensor() || (t.is(TypeKind::Optional) && t.element().is_tensor());
}
}  // namespace

// Does a list stay as created wherever it is read? Not where something may write it or hand it on.
static bool stays(const Value* list) {
  for (const Use& use : list->uses()) {
    const std::vector<SchemaArg>& args = use.user->op().schema.args;
    size_t i = static_cast<size_t>(use.index);
    if (i >= args.size() || args[i].written) return false;
    bool hands_on = !args[i].alias.empty() || args[i].wildcard;
    for (const Value* out : use.user->outputs()) {
      const Type& t = out->type();
      bool item = t.is(TypeKind::Int) || t.is(TypeKind::Float) || t.is(TypeKind::Bool) ||
                  t.is(TypeKind::Str) || t.is_tensor();
      if (hands_on && !item) return false;
    }
  }
  return true;
}

std::vector<ArgInfo> arg_infos(const Node* node) {
  std::vector<ArgInfo> out(node->inputs().size());
  for (size_t i = 0; i < out.size(); ++i) {
    const Value* v = node->inputs()[i];
    out[i].type = v->type();
    const Node* from = v->node();
    if (from->is(prim::constant())) {
      if (from->constant().is_tensor()) continue;
      out[i].value = from->constant();
      out[i].known = true;
    } else if (from->is(prim::list_construct())) {
      if (v->type().is(TypeKind::List) && holds_tensors(v->type().element())) {
        if (!stays(v)) continue;
        for (const Value* e : from->inputs()) out[i].items.push_back(e->type());
        continue;
      }
      std::vector<IValue> items;
      for (const Value* e : from->inputs()) {
        if (!e->node()->is(prim::constant())) break;
        items.push_back(e->node()->constant());
      }
      if (items.size() != from->inputs().size() || !stays(v)) continue;
      if (!items.empty() && items[0].is_tensor()) continue;
      Type element = items.empty() ? v->type().element() : items[0].type();
      out[i].value = IValue::list(std::move(items), element);
      out[i].known = true;
    }
  }
  return out;
}

// An operator of tensors that raises on values known here raises only when it runs, which may never
// happen: until then its results are tensors of which nothing is known.
static bool left_to_the_run(const Operator& op) {
  auto plain = [](const SchemaArg& r) {
    return r.type.is_tensor() || (r.type.is(TypeKind::List) && r.type.element().is_tensor());
  };
  return op.kind != OpKind::Prim &&
         std::all_of(op.schema.results.begin(), op.schema.results.end(), plain);
}

void infer_types(Node* node) {
  const Operator& op = node->op();
  std::vector<Type> results;
  std::vector<ArgInfo> infos = arg_infos(node);
  for (size_t i = infos.size(); i < op.schema.args.size(); ++i) {
    infos.push_back({op.schema.args[i].type, op.schema.args[i].default_value, true, {}});
  }
  try {
    infer_results(op, infos, results);
  } catch (const Error& e) {
    if (left_to_the_run(op)) {
      results.clear();
      for (const SchemaArg& r : op.schema.results) results.push_back(r.type);
    } else if (node->range.valid()) {
      fail("{}", node->range.highlight(e.what()));
    } else {
      throw;
    }
  }
  for (size_t i = 0; i < results.size() && i < node->outputs().size(); ++i) {
    node->output(static_cast<int>(i))->set_type(std::move(results[i]));
  }
}

}  // namespace fusillade
