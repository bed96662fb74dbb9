// Union-find over the memory of a graph; see effects.h.
//
// Joining rules: a schema result joins the arguments that carry its alias mark (or a wildcard); a
// view joins its operand; If and Loop join each result with the values that may become it; prims,
// calls and groups without marks join all their memory. Written arguments mark their class. Where
// an input is written, all inputs are one class: callers may pass the same memory twice.
#include "engine/passes/effects.h"

#include <unordered_set>

#include "engine/front/sign.h"
#include "engine/ir/visit.h"
#include "engine/ops/draws.h"

namespace fusillade {
namespace {

template <class F>
bool any_node_within(const Node* node, F test) {
  const auto any = [&](const Block* block) { return any_node<Within::Callees>(block, test); };
  return test(node) || any_block_of<Within::Callees>(node, any);
}

bool marks_memory(const SchemaArg& arg) { return !arg.alias.empty() || arg.wildcard; }

void collect_vars(const Type& type, std::string& vars) {
  if (type.is(TypeKind::Var)) vars += type.text() + " ";
  bool nested = type.is(TypeKind::List) || type.is(TypeKind::Optional) || type.is(TypeKind::Dict) ||
                type.is(TypeKind::Tuple);
  for (size_t i = 0; nested && i < type.elements().size(); ++i)
    collect_vars(type.elements()[i], vars);
}

bool holds_var(const Type& type) {
  if (type.is(TypeKind::Var)) return true;
  const bool nested = type.is(TypeKind::List) || type.is(TypeKind::Optional) ||
                      type.is(TypeKind::Dict) || type.is(TypeKind::Tuple);
  return nested && std::ranges::any_of(type.elements(), &holds_var);
}

// Do both refer to the items of one container, and are these memory? A list built from another's
// tensors holds them. `of` is the value that `a` refers to.
bool items_meet(const SchemaArg& a, const SchemaArg& b, const Value* of) {
  if (!holds_var(a.type) || !holds_var(b.type)) return false;  // most operators
  std::string first, second;
  collect_vars(a.type, first);
  collect_vars(b.type, second);
  if (second.find(first.substr(0, first.find(' ') + 1)) == std::string::npos) return false;
  const Type& type = of->type();
  if (a.type.is(TypeKind::Var)) return is_memory(type);
  if (type.is(TypeKind::List)) return is_memory(type.element());
  if (type.is(TypeKind::Dict)) return is_memory(type.key()) || is_memory(type.value_type());
  return is_memory(type);
}

// Do two alias marks ("a", "a|b") have a set in common?
bool marks_meet(const SchemaArg& a, const SchemaArg& b) {
  if (a.wildcard || b.wildcard) return true;
  for (char c : a.alias)
    if (c != '|' && b.alias.find(c) != std::string::npos) return true;
  return false;
}

}  // namespace

bool is_memory(const Type& type) {
  switch (type.kind()) {
    case TypeKind::None:
    case TypeKind::Int:
    case TypeKind::Float:
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::Str:
    case TypeKind::Device:
      return false;
    case TypeKind::Optional:
      return is_memory(type.element());
    case TypeKind::Tuple:
      for (const Type& element : type.elements())
        if (is_memory(element)) return true;
      return false;
    default:
      return true;
  }
}

bool writes_memory(const Node* node) {
  return any_node_within(node, [](const Node* n) { return n->op().schema.writes(); });
}

bool has_side_effect(const Node* node) {
  return any_node_within(node, [](const Node* n) { return n->op().side_effect; });
}

static bool differs(const Node* n) {
  return n->op().nondeterministic && may_draw(n->op(), arg_infos(n));
}

bool is_nondeterministic(const Node* node) { return any_node_within(node, &differs); }

// Operators that make tensors of numbers, bodies of such, and seeds; others that never give the
// same twice draw nothing.
bool draws_numbers(const Node* node) {
  return any_node_within(node, [](const Node* n) {
    const bool draws = n->kind() == OpKind::Create || n->kind() == OpKind::Composite ||
                       n->kind() == OpKind::Scalar;
    return draws && differs(n);
  });
}

bool differs_unknown(const Node* node) {
  return any_node_within(node,
                         [](const Node* n) { return n->kind() == OpKind::Opaque && differs(n); });
}

bool tests_identity(const Block* block) {
  static const std::string is = op_of(front::Sign::Is), is_not = op_of(front::Sign::IsNot);
  auto asks = [](const Node* n) {
    const std::string& name = n->op().schema.name;
    bool identity = name == is || name == is_not;
    return identity && is_memory(n->input(0)->type()) && is_memory(n->input(1)->type());
  };
  return any_node<Within::Callees>(block, asks);
}

bool shares_operand(const Node* node) {
  const Operator& op = node->op();
  if (op.kind != OpKind::View || !op.view || !node->input()->type().is_tensor()) return false;
  const TensorInfo& info = node->input()->type().info();
  if (!info.complete()) return false;
  for (const Value* out : node->outputs())
    if (!out->type().is_tensor()) return false;
  try {
    for (const ViewGeometry& g : op.view(op, arg_infos(node), info.sizes, info.strides))
      if (g.copy) return false;
  } catch (const Exception&) {
    return false;  // illegal or not known enough: nothing is certain
  }
  return true;
}

bool loop_between(const Block* outer, const Block* inner) {
  for (const Block* at = inner; at != outer && at->owner(); at = at->owner()->block())
    if (at->owner()->is(prim::loop())) return true;
  return false;
}

Effects::Effects(const Graph& graph) {
  slot_of_.assign(static_cast<size_t>(graph.id_limit()), -1);
  scan(graph.block());
  const Value* shared = nullptr;  // an input that is written: any other may lie in its memory
  for (const Value* v : graph.inputs()) {
    if (int s = slot(v); s >= 0) classes_[find(s)].outside = true;
    if (is_written(v)) shared = v;
  }
  if (shared)
    for (const Value* v : graph.inputs()) join(shared, v);
  for (const Value* v : graph.outputs())
    if (int s = slot(v); s >= 0) classes_[find(s)].escapes = true;
}

int Effects::slot(const Value* v) {
  if (!is_memory(v->type())) return -1;
  size_t id = static_cast<size_t>(v->id());
  if (slot_of_.size() <= id) slot_of_.resize(id + 1, -1);
  if (slot_of_[id] < 0) {
    slot_of_[id] = static_cast<int>(classes_.size());
    classes_.push_back({});
  }
  return slot_of_[id];
}

int Effects::find(int at) const {
  while (classes_[at].parent >= 0) {
    int up = classes_[at].parent;
    if (classes_[up].parent >= 0) classes_[at].parent = classes_[up].parent;
    at = up;
  }
  return at;
}

int Effects::class_of(const Value* v) const {
  if (!is_memory(v->type())) return -1;
  size_t id = static_cast<size_t>(v->id());
  FUS_CHECK(id < slot_of_.size() && slot_of_[id] >= 0, "value %{} is newer than its effects", id);
  return find(slot_of_[id]);
}

void Effects::join(const Value* a, const Value* b) {
  int x = slot(a), y = slot(b);
  if (x < 0 || y < 0) return;
  x = find(x);
  y = find(y);
  if (x == y) return;
  Class& to = classes_[x];
  Class& from = classes_[y];
  to.written |= from.written;
  to.escapes |= from.escapes;
  to.outside |= from.outside;
  from.parent = x;
}

void Effects::add_value(const Value* v, const Value* like) {
  if (slot(v) >= 0 && like) join(v, like);
}

void Effects::scan(const Block* block) {
  for (const Value* v : block->params()) slot(v);
  for (const Node* node : block->nodes()) scan(node);
}

void Effects::scan(const Node* node) {
  for (const Value* v : node->inputs()) slot(v);
  for (const Value* v : node->outputs()) slot(v);
  if (!node->blocks().empty()) return scan_blocks(node);
  if (node->is(prim::constant())) {
    if (int s = slot(node->output()); s >= 0) classes_[find(s)].outside = true;
    return;
  }
  if (subgraph_of(node) || (node->kind() == OpKind::Prim && !node->op().schema.aliases()))
    join_all(node);
  else scan_schema(node);
  mark_written(node);
}

void Effects::scan_blocks(const Node* node) {
  for (const Block* block : node->blocks()) scan(block);
  bool loop = node->is(prim::loop());
  for (size_t k = 0; k < node->outputs().size(); ++k) {
    const Value* out = node->output(static_cast<int>(k));
    for (const Block* block : node->blocks()) join(out, block->results()[k + loop]);
    if (!loop) continue;
    join(out, node->input(static_cast<int>(k) + 2));
    join(out, node->blocks()[0]->params()[k + 1]);
  }
}

// Calls may also return constants of their callee.
void Effects::join_all(const Node* node) {
  const Value* first = nullptr;
  auto visit = [&](const Value* v) {
    if (!is_memory(v->type())) return;
    if (first) join(first, v);
    first = first ? first : v;
  };
  for (const Value* v : node->inputs()) visit(v);
  for (const Value* v : node->outputs()) visit(v);
  if (first && subgraph_of(node)) classes_[find(slot(first))].outside = true;
}

void Effects::scan_schema(const Node* node) {
  const Schema& schema = node->op().schema;
  size_t args = std::min(schema.args.size(), node->inputs().size());
  for (size_t r = 0; r < node->outputs().size(); ++r) {
    bool view = node->kind() == OpKind::View && args > 0;
    if (view) join(node->output(static_cast<int>(r)), node->input(0));
    if (r >= schema.results.size()) continue;
    for (size_t a = 0; a < args; ++a)
      if (items_meet(schema.results[r], schema.args[a], node->output(static_cast<int>(r))))
        join(node->output(static_cast<int>(r)), node->input(static_cast<int>(a)));
    if (!marks_memory(schema.results[r])) continue;
    for (size_t a = 0; a < args; ++a)
      if (schema.results[r].wildcard ||
          (marks_memory(schema.args[a]) && marks_meet(schema.args[a], schema.results[r])))
        join(node->output(static_cast<int>(r)), node->input(static_cast<int>(a)));
  }
  for (size_t a = 0; a < args; ++a)
    for (size_t w = 0; w < args; ++w)
      if (schema.args[w].written &&
          (schema.args[a].wildcard ||
           items_meet(schema.args[w], schema.args[a], node->input(static_cast<int>(w)))))
        join(node->input(static_cast<int>(a)), node->input(static_cast<int>(w)));
}

void Effects::mark_written(const Node* node) {
  if (!writes_memory(node)) return;
  writers_.push_back(node);
  for (int c : written_classes(node)) classes_[c].written = true;
}

std::vector<int> Effects::written_classes(const Node* writer) const {
  std::vector<int> out;
  const Schema& schema = writer->op().schema;
  for (size_t a = 0; a < writer->inputs().size(); ++a) {
    bool written = subgraph_of(writer) || (a < schema.args.size() && schema.args[a].written);
    if (int c = class_of(writer->input(static_cast<int>(a))); written && c >= 0) out.push_back(c);
  }
  return out;
}

std::unordered_map<const Node*, std::vector<int>> Effects::written_within() const {
  std::unordered_map<const Node*, std::vector<int>> out;
  for (const Node* writer : writers_) {
    const std::vector<int> classes = written_classes(writer);
    for (const Node* at = writer; at; at = at->block()->owner())
      out[at].insert(out[at].end(), classes.begin(), classes.end());
  }
  return out;
}

bool Effects::is_written(const Value* v) const {
  int c = class_of(v);
  return c >= 0 && classes_[c].written;
}

bool Effects::escapes(const Value* v) const {
  int c = class_of(v);
  return c >= 0 && classes_[c].escapes;
}

bool Effects::outside(const Value* v) const {
  int c = class_of(v);
  return c >= 0 && classes_[c].outside;
}

// Is `out` a view of what may reach the caller by another way than through `out`?
bool Effects::escapes_elsewhere(const Value* out) const {
  const int shared = class_of(out);
  const auto base_of = [&](const Value* v) -> const Value* {
    for (const Value* in : v->node()->inputs())
      if (class_of(in) == shared) return in;
    return nullptr;
  };
  const Value* root = out;
  while (const Value* base = base_of(root)) root = base;
  std::vector<const Value*> pending{root};
  std::unordered_set<const Value*> seen{out};  // what it yields is reached through it
  while (!pending.empty()) {
    const Value* v = pending.back();
    pending.pop_back();
    if (!seen.insert(v).second) continue;
    for (const Use& use : v->uses()) {
      const Node* user = use.user;
      const bool list = user->is(prim::list_construct());
      if (user->op().kind == OpKind::Prim && !list) return true;
      for (const auto* values : {&user->outputs(), &user->inputs()})  // it may be appended
        for (const Value* neighbour : *values)
          if (class_of(neighbour) == shared) pending.push_back(neighbour);
    }
  }
  return false;
}

bool Effects::may_replace_value(const Value* out, const Value* by) const {
  if (class_of(out) < 0 || class_of(by) < 0) return true;
  if (is_written(out) || is_written(by)) return false;
  if (!escapes(out)) return true;
  if (outside(out) || escapes_elsewhere(out)) return false;
  return !escapes(by) && !outside(by) && !loop_between(by->node()->block(), out->node()->block());
}

}  // namespace fusillade
