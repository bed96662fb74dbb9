// Steps: what kind comes next, the node itself, inputs and outputs.
#include "fuzz/gen/builder.h"

#include <algorithm>

#include "engine/aten/sort/choose.h"
#include "engine/ops/infer.h"
#include "fuzz/case/training.h"
#include "fuzz/gen/drawn_call.h"
#include "fuzz/gen/layout.h"
#include "fuzz/gen/one_op.h"
#include "fuzz/gen/open_sizes.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kMostElements = 6000;
constexpr int kTries = 8;

Menu menu_of(const std::function<bool(const Row&)>& rows) {
  Menu m;
  for (const Row* r : RowTable::instance().sorted()) {
    if (r->name == "aten::copy_" && (!rows || rows(*r))) m.for_steps.push_back(r);
    if (is_scan(*r) && (!rows || rows(*r))) m.reduce.push_back(r);
    if (!r->generate || r->nondeterministic || r->side_effect || (rows && !rows(*r))) continue;
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

}  // namespace

Builder::Builder(Choices& choices, const Policy& policy, int ops,
                 const std::function<bool(const Row&)>& rows)
    : menu_(rows ? std::make_shared<Menu>(menu_of(rows)) : whole_menu()),
      all_rows_(!rows),
      choices_(choices),
      policy_(policy),
      budget_(ops),
      graph_(std::make_unique<Graph>()) {
  block_ = graph_->block();
}

std::unique_ptr<Graph> Builder::build() {
  base_ = fresh_size();
  int inputs = static_cast<int>(choices_.between(1, 3));
  for (int i = 0; i < inputs; ++i) tensors_.push_back(fresh_input());
  steps(budget_, 0);
  choose_outputs();
  return std::move(graph_);
}

std::unique_ptr<Graph> Builder::one(const Row& row) {
  base_ = row_sizes(choices_);
  tensors_.push_back(fresh_input());
  bool numbers = row.kind == OpKind::Scalar || choices_.chance(0.3);
  for (TypeKind kind : {TypeKind::Int, TypeKind::Float, TypeKind::Bool}) {
    if (numbers) scalars_.push_back(graph_->add_input(kind));
  }
  bool made = false;
  for (int i = 0; i < kTries && !made; ++i) made = node(row);
  if (!made) return nullptr;
  for (Value* v : made_->outputs()) graph_->add_output(v);
  for (int i = static_cast<int>(graph_->inputs().size()) - 1; i >= 0; --i) {
    if (graph_->inputs()[static_cast<size_t>(i)]->unused()) graph_->block()->remove_param(i);
  }
  return std::move(graph_);
}

const Dims& Builder::base() {
  if (!base_) base_ = fresh_size();
  return *base_;
}

// Relatives of the base shape broadcast with it.
Value* Builder::fresh_input(bool plain) {
  Dims sizes = base();
  if (!graph_->inputs().empty() && choices_.chance(0.5)) {
    for (int64_t& s : sizes) {
      if (choices_.chance(0.3)) s = 1;
    }
    while (sizes.rank() > 0 && choices_.chance(0.25)) sizes.erase(0);
  }
  DType dtype = draw_dtype();
  return add_input(dtype, sizes, plain);
}

void Builder::steps(int count, int depth) {
  for (int i = 0; i < count && budget_ > 0; ++i) step(depth);
}

void Builder::step(int depth) {
  const Policy& p = policy_;
  if (depth == 0 && choices_.chance(p.fails)) return fail();
  if (choices_.chance(p.random)) return random();
  int control = depth < 2 ? 1 : 0;
  const int weights[] = {p.pointwise,  p.reduce,     p.view,   p.contract,         p.movement,
                         p.create,     p.composite,  p.scalar, p.branch * control, p.loop * control,
                         p.repeat,     p.tuple,      p.call,   p.stores,           p.items,
                         p.expression, p.rewritable, p.join};
  int total = 0;
  for (int w : weights) total += w;
  int64_t at = static_cast<int64_t>(choices_.below(static_cast<uint64_t>(total)));
  int kind = 0;
  while (at >= weights[kind]) at -= weights[kind++];
  --budget_;
  if (kind == 7) return scalar_step();
  if (kind == 8) return branch(depth);
  if (kind == 9) return loop(depth);
  if (kind == 10) return repeat();
  if (kind == 11) return tuple();
  if (kind == 12) return call();
  if (kind == 13) return stores();
  if (kind == 14) return items();
  if (kind == 15) return expression();
  if (kind == 16) return rewritable();
  if (kind == 17) return join();
  const std::vector<const Row*>& from = rows_of(kind);
  if (from.empty()) return;
  for (int i = 0; i < kTries; ++i) {
    if (node(*choices_.pick(from))) return;
  }
}

// By the place of a kind among the policy's weights; in-place rows among the pointwise ones.
const std::vector<const Row*>& Builder::rows_of(int kind) {
  const Menu& m = *menu_;
  const std::vector<const Row*>* rows[] = {&m.pointwise, &m.reduce, &m.view,      &m.contract,
                                           &m.movement,  &m.create, &m.composite, &m.scalar};
  return kind == 0 && choices_.chance(policy_.in_place) ? m.in_place : *rows[kind];
}

Node* Builder::draft(const std::vector<Value*>& tensors, const std::vector<Value*>& scalars,
                     bool pointwise) {
  if (tensors.empty()) return nullptr;
  const Policy& p = policy_;
  const int weights[] = {p.pointwise, p.reduce, p.view,      p.contract,
                         p.movement,  p.create, p.composite, p.scalar};
  int total = 0;
  for (int w : weights) total += w;
  int64_t at = pointwise ? 0 : static_cast<int64_t>(choices_.below(static_cast<uint64_t>(total)));
  int kind = 0;
  while (at >= weights[kind]) at -= weights[kind++];
  const std::vector<const Row*>& from = rows_of(kind);
  for (int i = 0; i < kTries && !from.empty(); ++i) {
    tensors_ = tensors;
    scalars_ = scalars;
    if (node(*choices_.pick(from))) return made_;
    drop_unnamed_inputs();
  }
  return nullptr;
}

// Inputs of a node that was not to be.
void Builder::drop_unnamed_inputs() {
  while (!graph_->inputs().empty()) {
    const Value* last = graph_->inputs().back();
    bool named = !last->name().empty() && !is_granted(last->name());
    if (named || !last->unused()) return;
    graph_->block()->remove_param(static_cast<int>(graph_->inputs().size()) - 1);
  }
}

Value* Builder::stand_in(const Type& type) {
  Node* n = block_->append(graph_->create(prim::tuple_unpack(), {}, 1));
  n->output()->set_type(type);
  return n->output();
}

void Builder::Arg::reset() {
  value = nullptr;
  literal = IValue();
  list.clear();
  is_list = false;
}

// Result types of the node that args_ describe, into types_; false when the row will not have them.
bool Builder::infer(const Row& row) {
  infos_.clear();
  infos_.resize(args_.size());
  for (size_t i = 0; i < args_.size(); ++i) {
    const Arg& arg = args_[i];
    ArgInfo& info = infos_[i];
    if (arg.value) {
      info.type = arg.value->type();
    } else if (arg.is_list) {
      info.type = row.schema.args[i].type;
      for (const Value* v : arg.list) info.items.push_back(v ? v->type() : Type(TypeKind::None));
    } else {
      info.type = arg.literal.type();
      info.value = arg.literal;
      info.known = true;
    }
  }
  types_.clear();
  try {
    if (row.in_place && !fits_in_place(row, infos_)) return false;
    types_.clear();
    infer_results(row, infos_, types_);
  } catch (const Error&) {
    return false;
  } catch (const Unsupported&) {
    return false;
  }
  return std::all_of(types_.begin(), types_.end(), [](const Type& t) {
    return !t.is_tensor() || (t.info().complete() && numel_of(t.info().sizes) <= kMostElements);
  });
}

bool Builder::node(const Row& row) {
  args_.resize(row.schema.args.size());
  for (Arg& a : args_) a.reset();
  self_ = nullptr;
  room_ = kMostParts;
  const DrawFn draw = is_scan(row) ? draw_of_scans() : row.draw;
  if (!(draw ? wishes(row, draw) : fill(row)) || !infer(row)) return false;
  operands_.clear();
  for (size_t i = 0; i < args_.size(); ++i) {
    Arg& a = args_[i];
    if (a.is_list) {
      for (Value*& v : a.list) {
        if (!v) v = graph_->constant(IValue(), block_->return_node());
      }
      Node* list = graph_->create(prim::list_construct(), a.list, 1);
      list->output()->set_type(row.schema.args[i].type);
      operands_.push_back(block_->append(list)->output());
    } else if (a.value) {
      operands_.push_back(a.value);
    } else {
      operands_.push_back(graph_->constant(std::move(a.literal), block_->return_node()));
    }
  }
  Node* n = graph_->create(row, operands_, static_cast<int>(types_.size()));
  made_ = block_->append(n);
  for (size_t i = 0; i < types_.size(); ++i)
    n->output(static_cast<int>(i))->set_type(std::move(types_[i]));
  for (Value* v : n->outputs()) {
    if (v->type().is(TypeKind::List)) unpack(v, row);
    else add_result(v);
  }
  return true;
}

// The tensors of a list that a view row returns.
void Builder::unpack(Value* list, const Row& row) {
  if (!row.view) return;
  const TensorInfo& in = infos_[0].type.info();
  std::vector<ViewGeometry> views = row.view(row, infos_, in.sizes, in.strides);
  if (views.empty() || views.size() > 6) return;
  Node* n = graph_->create(prim::list_unpack(), {list}, static_cast<int>(views.size()));
  block_->append(n);
  for (size_t i = 0; i < views.size(); ++i) {
    TensorInfo info = in;
    info.sizes = views[i].sizes;
    info.strides = views[i].strides;
    n->output(static_cast<int>(i))->set_type(Type::tensor(info));
    add_result(n->output(static_cast<int>(i)));
  }
}

void Builder::add_result(Value* v) {
  if (v->type().is_tensor()) tensors_.push_back(v);
  else if (v->type().is(TypeKind::Int) || v->type().is(TypeKind::Float) ||
           v->type().is(TypeKind::Bool)) {
    scalars_.push_back(v);
  }
}

void Builder::scalar_step() {
  const std::vector<const Row*>& rows = menu_->scalar;
  if (rows.empty()) return;
  if (scalars_.empty() || choices_.chance(0.3)) {
    if (graph_->inputs().size() >= policy_.max_inputs) return;
    TypeKind kinds[] = {TypeKind::Int, TypeKind::Float, TypeKind::Bool};
    scalars_.push_back(graph_->add_input(kinds[choices_.below(3)]));
  }
  for (int i = 0; i < kTries; ++i) {
    if (node(*choices_.pick(rows))) return;
  }
}

Value* Builder::add_input(DType dtype, const Dims& sizes, bool plain) {
  if (closed_ || graph_->inputs().size() >= policy_.max_inputs) return nullptr;
  TensorInfo info;
  info.has_dtype = info.rank_known = info.strides_known = true;
  info.dtype = dtype;
  info.sizes = sizes;
  info.strides = draw_strides(choices_, sizes, plain || !choices_.chance(policy_.strided));
  info.device = Device();
  info.requires_grad = false;
  return graph_->add_input(Type::tensor(info));
}

Value* Builder::pick_tensor() {
  // Recent values are likelier, so that programs are deep.
  size_t n = tensors_.size();
  size_t a = choices_.below(n);
  if (choices_.chance(0.5)) a = std::max(a, static_cast<size_t>(choices_.below(n)));
  return tensors_[a];
}

void Builder::choose_outputs() {
  std::vector<Value*> ends;
  for (Value* v : tensors_) {
    if (v->unused()) ends.push_back(v);
  }
  for (Value* v : scalars_) {
    if (v->unused() && v->node() != graph_->block()->param_node()) ends.push_back(v);
  }
  if (ends.empty()) ends.push_back(tensors_.back());
  // Dead code stays in now and then: passes must remove it.
  for (size_t i = 0; i < ends.size(); ++i) {
    if (i + 1 == ends.size() || graph_->outputs().empty() || choices_.chance(0.85))
      graph_->add_output(ends[i]);
  }
  if (choices_.chance(0.1)) graph_->add_output(choices_.pick(tensors_));
}

namespace {

std::vector<const Policy*> weighted(bool sources) {
  std::vector<const Policy*> out;
  for (const Policy* p : Table<Policy>::instance().sorted()) {
    if (sources || !p->source) out.insert(out.end(), static_cast<size_t>(p->weight), p);
  }
  return out;
}

std::unique_ptr<Graph> built(Choices& choices, const GenerateOptions& options,
                             const Policy& policy) {
  int most = options.max_nodes > 0 ? options.max_nodes : policy.max_ops;
  int ops = static_cast<int>(choices.between(std::min(policy.min_ops, most), most));
  return Builder(choices, policy, ops, options.rows).build();
}

}  // namespace

const Policy& draw_policy(Choices& choices) {
  static const std::vector<const Policy*> all = weighted(true);
  return *choices.pick(all);
}

Case generate_case(Choices& choices, const GenerateOptions& options) {
  Case c;
  const Policy& chosen = options.policy.empty() ? draw_policy(choices) : policy(options.policy);
  c.origin = "policy=" + chosen.name;
  std::vector<std::pair<std::string, Type>> inputs;
  if (chosen.one_op) {
    generate_one_op(choices, options, chosen, c);
    return c;
  }
  if (chosen.source) {
    GeneratedScript script = generate_script(choices, chosen.name);
    set_script(c, script.text, "<script>");
    inputs = std::move(script.inputs);
  } else {
    c.program = built(choices, options, chosen);
    for (const Value* v : c.program->inputs()) inputs.emplace_back(v->name(), v->type());
  }
  if (!c.refused.empty()) return c;
  const bool may_open = !chosen.source || (chosen.tensors && c.self.is_none());
  const bool open =
      may_open && choices.chance(chosen.open) && (chosen.source || open_sizes(*c.program));
  // Engines outside, which take some rows alone, compile for dtypes that are told.
  const bool all = open && !options.rows && choices.chance(0.5);
  if (all && !chosen.source) open_all(*c.program);
  for (int i = 0; i < options.calls; ++i) {
    bool others = open && i > 0;
    c.calls.push_back(!others ? generate_call(choices, inputs)
                      : all   ? call_of_other_looks(choices, *c.program, inputs)
                              : call_of_other_sizes(choices, *c.program, inputs));
    std::vector<IValue>& given = c.calls.back().inputs;
    if (c.self.is_none()) continue;
    const bool flips = has_training(c.self) && choices.chance(0.3);
    given.insert(given.begin(), flips ? in_mode(c.self, !is_training(c.self)) : c.self);
  }
  return c;
}

std::unique_ptr<Graph> generate_graph(Choices& choices, const GenerateOptions& options,
                                      std::string* policy_used) {
  static const std::vector<const Policy*> graphs = weighted(false);
  const Policy& chosen = options.policy.empty() ? *choices.pick(graphs) : policy(options.policy);
  if (policy_used) *policy_used = chosen.name;
  Case c;
  if (chosen.one_op)
    generate_one_op(choices, {.policy = {}, .calls = 1, .rows = options.rows}, chosen, c);
  if (chosen.one_op) return std::move(c.program);
  if (!chosen.source) return built(choices, options, chosen);
  set_script(c, generate_script(choices, chosen.name).text, "<script>");
  return std::move(c.program);
}

}  // namespace fusillade::fuzz
