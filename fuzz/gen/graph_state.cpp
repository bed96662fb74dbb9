// Steps: what kind comes next, the node itself, inputs and outputs.
#include "fuzz/gen/graph_state.h"

#include <algorithm>

#include "engine/aten/named.h"
#include "engine/aten/sort/choose.h"
#include "engine/ops/infer.h"
#include "fuzz/case/training.h"
#include "fuzz/gen/drawn_call.h"
#include "fuzz/gen/dynamic_sizes.h"
#include "fuzz/gen/layout.h"
#include "fuzz/gen/one_op.h"

namespace fusillade::fuzz {
namespace {

constexpr int kTries = 8;

Menu menu_of(const std::function<bool(const Operator&)>& operators) {
  Menu m;
  for (const Operator* r : OperatorTable::instance().by_name()) {
    if (r == &aten::copy_() && (!operators || operators(*r))) m.for_steps.push_back(r);
    if (is_scan(*r) && (!operators || operators(*r))) m.reduce.push_back(r);
    if (!r->generate || r->nondeterministic || r->side_effect || (operators && !operators(*r)))
      continue;
    if (r->movement || r->kind == OpKind::Opaque) m.movement.push_back(r);
    else if (r->kind == OpKind::Pointwise) (r->in_place ? m.in_place : m.pointwise).push_back(r);
    else if (r->kind == OpKind::Reduce) m.reduce.push_back(r);
    else if (r->kind == OpKind::View) m.view.push_back(r);
    else if (r->kind == OpKind::Contract) m.contract.push_back(r);
    else if (r->kind == OpKind::Create) m.create.push_back(r);
    else if (r->kind == OpKind::Composite) m.composite.push_back(r);
    else if (r->kind == OpKind::Scalar) m.scalar.push_back(r);
    if (r->family == std::string_view("conv") && r->draw) m.contract.push_back(r);
  }
  return m;
}

std::shared_ptr<const Menu> whole_menu() {
  static const std::shared_ptr<const Menu> built = std::make_shared<Menu>(menu_of({}));
  return built;
}

// What a production leaves behind is a node that is no constant.
void make(GraphState& g, const Production& production, int depth) {
  const Node* last = g.block->return_node()->prev();
  if (production.make.step) production.make.step(g, depth);
  else draw_of(g, production.operators(g));
  const Node* now = g.block->return_node()->prev();
  if (now != last && !now->is(prim::constant())) g.choices.count(production.number);
}

void make_step(GraphState& g, int depth) {
  const Shares& shares = g.policy.shares(Grammar::Step);
  for (const Share& s : shares.asked_first)
    if (depth <= s.production->deepest && g.choices.chance(s.chance))
      return make(g, *s.production, depth);
  const Production& drawn = draw_by_weight(g.choices, shares.weighted, depth);
  --g.budget;
  make(g, drawn, depth);
}

// Inputs of a node that was not to be.
void drop_unnamed_inputs(GraphState& g) {
  while (!g.graph->inputs().empty()) {
    const Value* last = g.graph->inputs().back();
    bool named = !last->name().empty() && !is_range_name(last->name());
    if (named || !last->is_unused()) return;
    g.graph->block()->remove_param(static_cast<int>(g.graph->inputs().size()) - 1);
  }
}

// Result types of the node that args describe, into types; false when the operator will not have
// them.
bool infer(GraphState& g, const Operator& op) {
  g.infos.clear();
  g.infos.resize(g.args.size());
  for (size_t i = 0; i < g.args.size(); ++i) {
    const DrawnArg& arg = g.args[i];
    ArgInfo& info = g.infos[i];
    if (arg.value) {
      info.type = arg.value->type();
    } else if (arg.is_list) {
      info.type = op.schema.args[i].type;
      for (const Value* v : arg.list) info.items.push_back(v ? v->type() : Type(TypeKind::None));
    } else {
      info.type = arg.literal.type();
      info.value = arg.literal;
      info.known = true;
    }
  }
  g.types.clear();
  try {
    if (op.in_place && !fits_in_place(g, op, g.infos)) return false;
    g.types.clear();
    infer_results(op, g.infos, g.types);
  } catch (const Error&) {
    return false;
  } catch (const Unsupported&) {
    return false;
  }
  return std::all_of(g.types.begin(), g.types.end(), [&](const Type& t) {
    return !t.is_tensor() || (t.info().complete() && numel_of(t.info().sizes) <= g.most_elements);
  });
}

// The tensors of a list that a view operator returns.
void unpack(GraphState& g, Value* list, const Operator& op) {
  if (!op.view) return;
  const TensorInfo& in = g.infos[0].type.info();
  std::vector<ViewGeometry> views = op.view(op, g.infos, in.sizes, in.strides);
  if (views.empty() || views.size() > 6) return;
  Node* n = g.graph->create(prim::list_unpack(), {list}, static_cast<int>(views.size()));
  g.block->append(n);
  for (size_t i = 0; i < views.size(); ++i) {
    TensorInfo info = in;
    info.sizes = views[i].sizes;
    info.strides = views[i].strides;
    n->output(static_cast<int>(i))->set_type(Type::tensor(info));
    add_result(g, n->output(static_cast<int>(i)));
  }
}

// Beside a pattern, an input that nothing reads would only keep engines without its dtype away.
void drop_unused_inputs(GraphState& g) {
  for (int i = static_cast<int>(g.graph->inputs().size()) - 1; i >= 0; --i) {
    Value* v = g.graph->inputs()[static_cast<size_t>(i)];
    if (!v->is_unused()) continue;
    std::erase(g.tensors, v);
    std::erase(g.scalars, v);
    g.graph->block()->remove_param(i);
  }
}

void choose_outputs(GraphState& g) {
  std::vector<Value*> ends;
  for (Value* v : g.tensors) {
    if (v->is_unused()) ends.push_back(v);
  }
  for (Value* v : g.scalars) {
    if (v->is_unused() && v->node() != g.graph->block()->param_node()) ends.push_back(v);
  }
  if (ends.empty()) ends.push_back(g.tensors.back());
  // Dead code stays in now and then: passes must remove it.
  for (size_t i = 0; i < ends.size(); ++i) {
    if (i + 1 == ends.size() || g.graph->outputs().empty() || g.choices.chance(0.85))
      g.graph->add_output(ends[i]);
  }
  if (g.choices.chance(0.1)) g.graph->add_output(g.choices.pick(g.tensors));
}

}  // namespace

GraphState::GraphState(Choices& choices, const Policy& policy, int ops,
                       const std::function<bool(const Operator&)>& operators)
    : menu(operators ? std::make_shared<Menu>(menu_of(operators)) : whole_menu()),
      all_operators(!operators),
      operators(operators),
      choices(choices),
      policy(policy),
      budget(ops),
      graph(std::make_unique<Graph>()),
      block(graph->block()) {}

GraphState::GraphState(Choices& choices, const Policy& policy, std::unique_ptr<Graph> given,
                       const std::function<bool(const Operator&)>& operators)
    : GraphState(choices, policy, 0, operators) {
  graph = std::move(given);
  block = graph->block();
  nested = true;  // names of functions stay those of the program
}

std::unique_ptr<Graph> build_graph(GraphState& g, Sizes sizes) {
  g.base = sizes == Sizes::Large      ? large_size(g)
           : sizes == Sizes::ManyDims ? size_of_many_dims(g)
                                      : fresh_size(g);
  if (sizes == Sizes::Large) g.most_elements = 2 * numel_of(*g.base);
  int inputs = static_cast<int>(g.choices.between(1, 3));
  for (int i = 0; i < inputs; ++i) g.tensors.push_back(fresh_input(g));
  make_steps(g, g.budget, 0);
  if (!g.patterns.empty()) drop_unused_inputs(g);
  choose_outputs(g);
  return std::move(g.graph);
}

std::unique_ptr<Graph> build_of_operator(GraphState& g, const Operator& op) {
  g.base = row_sizes(g.choices);
  g.tensors.push_back(fresh_input(g));
  bool numbers = op.kind == OpKind::Scalar || g.choices.chance(0.3);
  for (TypeKind kind : {TypeKind::Int, TypeKind::Float, TypeKind::Bool}) {
    if (numbers) g.scalars.push_back(g.graph->add_input(kind));
  }
  bool drawn = false;
  for (int i = 0; i < kTries && !drawn; ++i) drawn = draw_node(g, op);
  if (!drawn) return nullptr;
  for (Value* v : g.latest->outputs()) g.graph->add_output(v);
  for (int i = static_cast<int>(g.graph->inputs().size()) - 1; i >= 0; --i) {
    if (g.graph->inputs()[static_cast<size_t>(i)]->is_unused()) g.graph->block()->remove_param(i);
  }
  return std::move(g.graph);
}

const Dims& base_sizes(GraphState& g) {
  if (!g.base) g.base = fresh_size(g);
  return *g.base;
}

// Relatives of the base shape broadcast with it.
Value* fresh_input(GraphState& g, bool plain) {
  Dims sizes = base_sizes(g);
  if (!g.graph->inputs().empty() && g.choices.chance(0.5)) {
    for (int64_t& s : sizes) {
      if (g.choices.chance(0.3)) s = 1;
    }
    while (sizes.rank() > 0 && g.choices.chance(0.25)) sizes.erase(0);
  }
  DType dtype = draw_dtype(g);
  return add_input(g, dtype, sizes, plain);
}

void make_steps(GraphState& g, int count, int depth) {
  for (int i = 0; i < count && g.budget > 0; ++i) make_step(g, depth);
}

bool draw_of(GraphState& g, const std::vector<const Operator*>& operators) {
  for (int i = 0; i < kTries && !operators.empty(); ++i)
    if (draw_node(g, *g.choices.pick(operators))) return true;
  return false;
}

Node* draft_node(GraphState& g, const std::vector<Value*>& tensors,
                 const std::vector<Value*>& scalars, bool pointwise) {
  if (tensors.empty()) return nullptr;
  static const Production& element_wise = *Table<Production>::instance().find("pointwise");
  const Production& drawn =
      pointwise ? element_wise : draw_by_weight(g.choices, g.policy.operators, 0);
  const std::vector<const Operator*>& from = drawn.operators(g);
  for (int i = 0; i < kTries && !from.empty(); ++i) {
    g.tensors = tensors;
    g.scalars = scalars;
    if (draw_node(g, *g.choices.pick(from))) {
      g.choices.count(drawn.number);
      return g.latest;
    }
    drop_unnamed_inputs(g);
  }
  return nullptr;
}

Value* stand_in(GraphState& g, const Type& type) {
  Node* n = g.block->append(g.graph->create(prim::tuple_unpack(), {}, 1));
  n->output()->set_type(type);
  return n->output();
}

void DrawnArg::reset() {
  value = nullptr;
  literal = IValue();
  list.clear();
  is_list = false;
}

bool draw_node(GraphState& g, const Operator& op) {
  g.args.resize(op.schema.args.size());
  for (DrawnArg& a : g.args) a.reset();
  g.self = nullptr;
  g.room = GraphState::kMostParts;
  const DrawFn draw = is_scan(op) ? draw_of_scans() : op.draw;
  if (!(draw ? meet_requests(g, op, draw) : fill_arguments(g, op)) || !infer(g, op)) return false;
  g.operands.clear();
  for (size_t i = 0; i < g.args.size(); ++i) {
    DrawnArg& a = g.args[i];
    if (a.is_list) {
      for (Value*& v : a.list) {
        if (!v) v = g.graph->constant(IValue(), g.block->return_node());
      }
      Node* list = g.graph->create(prim::list_construct(), a.list, 1);
      list->output()->set_type(op.schema.args[i].type);
      g.operands.push_back(g.block->append(list)->output());
    } else if (a.value) {
      g.operands.push_back(a.value);
    } else {
      g.operands.push_back(g.graph->constant(std::move(a.literal), g.block->return_node()));
    }
  }
  Node* n = g.graph->create(op, g.operands, static_cast<int>(g.types.size()));
  g.latest = g.block->append(n);
  for (size_t i = 0; i < g.types.size(); ++i)
    n->output(static_cast<int>(i))->set_type(std::move(g.types[i]));
  for (Value* v : n->outputs()) {
    if (v->type().is(TypeKind::List)) unpack(g, v, op);
    else add_result(g, v);
  }
  return true;
}

bool may_draw(const GraphState& g, const Operator& op) {
  return !op.side_effect && !op.in_place && (!g.operators || g.operators(op));
}

void add_result(GraphState& g, Value* v) {
  if (v->type().is_tensor()) g.tensors.push_back(v);
  else if (v->type().is(TypeKind::Int) || v->type().is(TypeKind::Float) ||
           v->type().is(TypeKind::Bool)) {
    g.scalars.push_back(v);
  }
}

Value* add_input(GraphState& g, DType dtype, const Dims& sizes, bool plain) {
  if (g.closed || g.graph->inputs().size() >= g.policy.max_inputs) return nullptr;
  TensorInfo info;
  info.has_dtype = info.rank_known = info.strides_known = true;
  info.dtype = dtype;
  info.sizes = sizes;
  info.strides = draw_strides(g.choices, sizes, plain || !g.choices.chance(g.policy.strided));
  info.device = Device();
  info.requires_grad = false;
  return g.graph->add_input(Type::tensor(info));
}

Value* pick_tensor(GraphState& g) {
  // Recent values are likelier, so that programs are deep.
  size_t n = g.tensors.size();
  size_t a = g.choices.below(n);
  if (g.choices.chance(0.5)) a = std::max(a, static_cast<size_t>(g.choices.below(n)));
  return g.tensors[a];
}

}  // namespace fusillade::fuzz
