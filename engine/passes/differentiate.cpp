// See differentiate.h.
#include "engine/passes/differentiate.h"

#include <algorithm>
#include <optional>

#include "engine/front/gradient.h"
#include "engine/ir/composite.h"
#include "engine/ir/types.h"
#include "engine/ir/visit.h"
#include "engine/ops/gradient.h"
#include "engine/passes/effects.h"
#include "engine/passes/gradient_sums.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

bool is_float_tensor(const Value* v) {
  if (!v->type().is_tensor()) return false;
  if (!v->type().info().has_dtype)
    decline("the dtype of a result of {} depends on more than types", v->node()->op().name);
  return is_float(v->type().info().dtype);
}

const TensorInfo& require_sizes(const Value* v) {
  const TensorInfo& info = v->type().info();
  const bool known = info.has_dtype && info.rank_known &&
                     std::ranges::all_of(info.sizes, [](int64_t s) { return s >= 0; });
  if (!known)
    decline("the sizes of a result of {} depend on more than types", v->node()->op().name);
  return info;
}

// Nodes that `which` names become their bodies, and so on.
void decompose(Graph& graph, bool (*which)(const Operator& op)) {
  for (bool found = true; found;) {
    found = false;
    for (Node* n : graph.block()->nodes()) {
      if (!is_composite(n->op()) || !which(n->op())) continue;
      std::vector<Value*> args(n->inputs().begin(), n->inputs().end());
      for (const SchemaArg& a : missing_arguments(n))
        args.push_back(graph.constant(a.default_value, n));
      std::vector<Value*> results = inline_graph(composite_body(n->op()), n, args);
      for (size_t i = 0; i < results.size(); ++i)
        n->output(static_cast<int>(i))->replace_all_uses_with(results[i]);
      n->destroy();
      found = true;
    }
  }
}

// A body of several results ends in a tuple, which no gradient flows through.
void lower_results(Graph& graph) {
  static const std::vector<PassCall> passes = parse_pipeline("lower_tuples");
  run_pipeline(graph, passes);
}

// Bodies that a tape decomposes are part of the graph.
bool is_decomposed(const Operator& op) { return !gradient_of(op); }

bool only_computes(const Block* block) {
  return !any_node(block, [](const Node* n) {
    if (n->op().schema.writes() || n->is(prim::loop())) return true;
    return is_composite(n->op()) && !only_computes(composite_body(n->op()).block());
  });
}

// What formulas call, of our own, and what writes nothing.
bool is_helper(const Operator& op) {
  return op.schema.name.starts_with("prim::") && op.name != "prim::gradient_like" &&
         only_computes(composite_body(op).block());
}

// Casts of what certainly is a tensor.
void drop_casts(Graph& graph) {
  static const Operator& cast = operator_named("prim::unchecked_cast");
  for (Node* n : graph.block()->nodes()) {
    if (&n->op() != &cast || !n->input()->type().is_tensor()) continue;
    n->output()->replace_all_uses_with(n->input());
    n->destroy();
  }
}

// Types of what a list of views is decomposed into.
void state_parts(const Node* n) {
  if (!n->is(prim::list_unpack())) return;
  const Node* producer = n->input()->node();
  if (!producer->op().view || !producer->input()->type().is_tensor()) return;
  const TensorInfo& whole = producer->input()->type().info();
  if (!whole.complete()) return;
  std::vector<ViewGeometry> parts =
      producer->op().view(producer->op(), arg_infos(producer), whole.sizes, whole.strides);
  if (parts.size() != n->outputs().size()) decline("a list has another length");
  for (size_t i = 0; i < parts.size(); ++i) {
    TensorInfo info = whole;
    info.sizes = parts[i].sizes;
    info.strides = parts[i].strides;
    n->outputs()[i]->set_type(Type::tensor(info));
  }
}

void state_parts(Graph& graph) {
  for (const Node* n : graph.block()->nodes()) state_parts(n);
}

bool is_plain(const IValue& v) {
  return v.is_number() || v.is_none() || v.tag() == IValue::Tag::Str;
}

// Scalars that the inputs' types and values decide become constants.
void state_known(Graph& graph, const std::vector<ArgInfo>& inputs) {
  const std::vector<ArgInfo> known = types_of(graph, inputs);
  for (Node* n : graph.block()->nodes()) {
    if (n->is(prim::constant()) || !n->blocks().empty()) continue;
    for (Value* v : n->outputs()) {
      const ArgInfo& info = known[static_cast<size_t>(v->id())];
      if (v->is_unused() || !info.known || !is_plain(info.value)) continue;
      if (!info.value.type().subtype_of(v->type())) continue;
      v->replace_all_uses_with(graph.constant(info.value, n));
    }
  }
}

// Before formulas are there: what is computed stays as it is, for x and max(x, x) differ in their
// gradients at NaN.
void specialise_types(Graph& graph, const std::vector<ArgInfo>& inputs) {
  static const std::vector<PassCall> passes =
      parse_pipeline("types,constant_propagation,dce,types");
  state_known(graph, inputs);
  run_pipeline(graph, passes);
}

// With the formulas.
void clean(Graph& graph, const std::vector<ArgInfo>& inputs) {
  static const std::vector<PassCall> passes =
      parse_pipeline("types,constant_propagation,dce,cse,peephole,constant_propagation,types,dce");
  state_known(graph, inputs);
  run_pipeline(graph, passes);
}

// One graph being walked back.
class ReverseMode {
 public:
  ReverseMode(const Graph& group, const std::vector<ArgInfo>& inputs,
              const std::vector<bool>& wanted, Seeds seeds)
      : graph_(group.clone()), infos_(inputs), wanted_(wanted), seeds_(seeds) {}

  Joint run() {
    prepare();
    find_flows();
    seed();
    walk_back();
    return finish();
  }

 private:
  using Grads = std::vector<Value*>;  // one for a tensor, one per item for a list; null: none

  void prepare() {
    for (size_t i = 0; i < infos_.size(); ++i) {
      Value* input = graph_->inputs()[static_cast<int>(i)];
      input->set_type(infos_[i].type);
      if (infos_[i].known)
        input->replace_all_uses_with(graph_->constant(infos_[i].value, graph_->block()->first()));
    }
    decompose(*graph_, &is_decomposed);
    lower_results(*graph_);
    drop_casts(*graph_);
    specialise_types(*graph_, infos_);
    state_parts(*graph_);
    specialise_types(*graph_, infos_);
    drop_casts(*graph_);
    for (const Node* n : graph_->block()->nodes()) {
      if (writes_memory(n)) decline("{} writes", n->op().name);
      if (is_nondeterministic(n)) decline("{} draws random numbers", n->op().name);
      forward_.push_back(n);
    }
  }

  // --- through which values gradients flow

  bool flows(const Value* v) const {
    return static_cast<size_t>(v->id()) < flows_.size() && flows_[static_cast<size_t>(v->id())];
  }
  void mark(const Value* v) {
    const size_t id = static_cast<size_t>(v->id());
    if (flows_.size() <= id) flows_.resize(id + 1);
    flows_[id] = true;
  }

  void find_flows() {
    for (size_t i = 0; i < wanted_.size(); ++i) {
      const Value* input = graph_->inputs()[static_cast<int>(i)];
      if (wanted_[i] && is_float_tensor(input)) mark(input);
    }
    for (const Node* n : forward_) {
      if (!n->blocks().empty()) refuse_within(n, n->blocks());
      else if (has_flowing_input(n)) mark_results(n);
    }
  }

  void refuse_within(const Node* owner, const List<Block*>& blocks) const {
    for (const Block* block : blocks) {
      auto any = [&](const List<Value*>& values) {
        return std::ranges::any_of(values, [&](const Value* v) { return flows(v); });
      };
      bool found = any(owner->inputs()) || any(block->results());
      for (const Node* n : block->nodes()) {
        found = found || any(n->inputs());
        refuse_within(owner, n->blocks());
      }
      if (found) decline("a gradient flows through {}", owner->op().name);
    }
  }

  bool has_flowing_input(const Node* n) const {
    return std::ranges::any_of(n->inputs(), [&](const Value* v) { return flows(v); });
  }

  static bool hands_on(const Node* n) {
    return n->is(prim::list_construct()) || n->is(prim::list_unpack());
  }

  // Does a gradient flow back over the operator? As the tape decides it.
  bool flows_back(const Node* n) const {
    const Operator& op = n->op();
    const Gradient* g = gradient_of(op);
    if (!g) {
      if (op.kind == OpKind::Create) return false;
      const bool floats = std::ranges::any_of(n->outputs(), [](const Value* v) {
        const Type& t = v->type();
        return t.is(TypeKind::List) || t.is(TypeKind::Tuple) || is_float_tensor(v);
      });
      if (floats) decline("{} has no formula", op.name);
      return false;
    }
    if (g->unknown) decline("{} has no gradient", op.name);
    bool back = false;
    for (size_t i = 0; i < n->inputs().size() && !g->formulas.empty(); ++i) {
      if (!flows(n->input(static_cast<int>(i)))) continue;
      const std::string& name = op.schema.args[i].name;
      const bool has = std::ranges::any_of(g->formulas, [&](auto& f) { return f.arg == name; });
      if (!has && !std::ranges::count(g->without, name))
        decline("{} has no formula for '{}'", op.name, name);
      back = back || has;
    }
    return back;
  }

  void mark_results(const Node* n) {
    if (!hands_on(n) && !flows_back(n)) return;
    for (const Value* v : n->outputs())
      if (v->type().is(TypeKind::List) || is_float_tensor(v)) mark(v);
  }

  // --- gradients

  void seed() {
    results_ = graph_->outputs().size();
    inputs_ = graph_->inputs().size();
    for (size_t k = 0; k < results_; ++k) {
      Value* result = graph_->outputs()[static_cast<int>(k)];
      if (!flows(result)) continue;
      if (!result->type().is_tensor()) decline("a list leaves the group");
      const TensorInfo& of = require_sizes(result);
      TensorInfo info = like_of(of.sizes, of.dtype, of.device);
      if (seeds_ == Seeds::Contiguous) {
        info.strides = contiguous_strides(info.sizes);
        info.strides_known = true;
      }
      Value* grad = graph_->add_input(Type::tensor(info));
      seeded_.push_back(static_cast<int>(k));
      infos_.push_back({grad->type(), {}, false, {}});
      add_to(slot(result)[0], grad);
    }
  }

  Grads& slot(const Value* v) {
    Grads& grads = grads_[v];
    if (grads.empty()) grads.resize(items_of(v));
    return grads;
  }

  // A list's items are those it was built from, or those that it is unpacked into.
  static size_t items_of(const Value* v) {
    if (!v->type().is(TypeKind::List)) return 1;
    return parts_of(v).size();
  }
  static const List<Value*>& parts_of(const Value* list) {
    if (list->node()->is(prim::list_construct())) return list->node()->inputs();
    for (const Use& use : list->uses())
      if (use.user->is(prim::list_unpack())) return use.user->outputs();
    decline("the length of a list depends on more than types");
  }

  Node* end() const { return graph_->block()->return_node(); }

  Value* append(const char* name, std::initializer_list<Value*> inputs) {
    Node* n = graph_->create(operator_named(name), inputs);
    n->insert_before(end());
    infer_types(n);
    return n->output();
  }
  Value* constant(IValue v) { return graph_->constant(std::move(v), end()); }
  Value* dtype_of(const TensorInfo& info) {
    return constant(static_cast<int64_t>(row_of(info.dtype).aten_code));
  }

  void add_to(Value*& sum, Value* grad) {
    sum = sum ? append("aten::add.Tensor", {sum, grad, constant(1)}) : grad;
  }

  // Where nothing flowed back to one of several results.
  Value* zeros(const Value* like) {
    const TensorInfo& info = require_sizes(like);
    Value* none = constant(IValue());
    return append("aten::zeros",
                  {constant(IValue::int_list(info.sizes)), dtype_of(info), none, none, none});
  }

  void walk_back() {
    for (auto it = forward_.rbegin(); it != forward_.rend(); ++it) {
      const Node* n = *it;
      if (!n->blocks().empty() || !has_flowing_input(n)) continue;
      if (n->is(prim::list_construct())) hand_back(n);
      if (hands_on(n) || !flows_back(n)) continue;
      collect(n);
      const bool any = std::ranges::any_of(n->outputs(), [&](const Value* v) {
        const Grads& grads = slot(v);
        return std::ranges::any_of(grads, [](const Value* g) { return g != nullptr; });
      });
      if (any) back(n);
    }
  }

  // Calls f(i, gradient) for each part that the list is decomposed into and that has one.
  template <class F>
  void each_part(const Value* list, F f) {
    for (const Use& use : list->uses()) {
      if (!use.user->is(prim::list_unpack())) continue;
      for (const Value* part : use.user->outputs())
        if (Value* grad = slot(part)[0]) f(static_cast<size_t>(part->index()), grad);
    }
  }

  // Gradients of an operator's list are those of its parts.
  void collect(const Node* n) {
    for (const Value* v : n->outputs()) {
      if (!v->type().is(TypeKind::List)) continue;
      for (const Use& use : v->uses())
        if (!use.user->is(prim::list_unpack())) decline("a list is more than unpacked");
      Grads& grads = slot(v);
      each_part(v, [&](size_t i, Value* grad) { add_to(grads.at(i), grad); });
    }
  }

  // A list that is built and unpacked again.
  void hand_back(const Node* list) {
    each_part(list->output(), [&](size_t i, Value* grad) {
      Value* item = list->input(static_cast<int>(i));
      if (flows(item)) add_to(slot(item)[0], grad);
    });
  }

  Value* seed_of(const Value* result) {
    if (result->type().is_tensor()) {
      Value* grad = slot(result)[0];
      return grad ? grad : zeros(result);
    }
    if (!result->type().is(TypeKind::List)) return constant(IValue());
    std::vector<Value*> items;
    const List<Value*>& parts = parts_of(result);
    for (size_t i = 0; i < parts.size(); ++i) {
      Value* grad = slot(result)[i];
      items.push_back(grad ? grad : zeros(parts[static_cast<int>(i)]));
    }
    Node* list = graph_->create(prim::list_construct(), items);
    list->insert_before(end());
    list->output()->set_type(Type::list(TypeKind::Tensor));
    return list->output();
  }

  void back(const Node* n) {
    std::vector<Value*> given(n->inputs().begin(), n->inputs().end());
    for (const SchemaArg& a : missing_arguments(n)) given.push_back(constant(a.default_value));
    const size_t args = n->inputs().size();
    given.insert(given.end(), n->outputs().begin(), n->outputs().end());
    for (const Value* v : n->outputs()) given.push_back(seed_of(v));
    std::vector<Value*> grads(args);
    for (const front::GradientFormula& f : *front::gradient_formulas(n->op())) {
      const size_t arg = static_cast<size_t>(f.arg);
      if (arg < args && flows(given[arg])) grads[arg] = formula(*f.graph, given);
    }
    for (size_t i = 0; i < args; ++i)
      if (grads[i]) give(given[i], grads[i]);
  }

  // Of a whole function, types are stated as nodes come, so that few gradients need fitting.
  Value* formula(const Graph& body, const std::vector<Value*>& given) {
    const Node* before = end()->prev();
    Value* out = inline_graph(body, end(), given).at(0);
    if (seeds_ == Seeds::AnyStrides) return out;
    for (Node* n = before->next(); n != end(); n = n->next()) {
      if (n->is(prim::constant())) continue;
      if (!n->blocks().empty() || n->outputs().size() != 1) return out;
      infer_types(n);
    }
    return out;
  }

  void give(Value* operand, Value* grad) {
    if (operand->type().is_tensor()) return add_to(slot(operand)[0], fit_to(grad, operand));
    if (!operand->node()->is(prim::list_construct())) decline("a list comes from outside");
    const List<Value*>& items = operand->node()->inputs();
    Node* parts = graph_->create(prim::list_unpack(), {grad}, static_cast<int>(items.size()));
    parts->insert_before(end());
    if (seeds_ == Seeds::Contiguous) state_parts(parts);
    for (size_t i = 0; i < items.size(); ++i) {
      const int at = static_cast<int>(i);
      if (flows(items[at])) add_to(slot(items[at])[0], fit_to(parts->output(at), items[at]));
    }
  }

  // In the operand's own sizes and dtype.
  Value* fit_to(Value* grad, const Value* operand) {
    const TensorInfo own = require_sizes(operand);
    if (seeds_ == Seeds::Contiguous) {
      const TensorInfo* given = grad->type().is_tensor() ? &grad->type().info() : nullptr;
      if (given && given->complete() && given->dtype == own.dtype) return sum_to(grad, own.sizes);
    }
    return append("prim::gradient_like",
                  {grad, constant(IValue::int_list(own.sizes)), dtype_of(own)});
  }

  // Summed over what was broadcast.
  Value* sum_to(Value* grad, const Dims& sizes) {
    const Dims given = grad->type().info().sizes;
    const int before = given.rank() - sizes.rank();
    Dims dims;
    for (int d = 0; d < given.rank(); ++d)
      if (d < before || given[d] != sizes[d - before]) dims.push_back(d);
    if (dims.rank() == 0) return grad;
    grad = append("aten::sum.dim_IntList", {grad, constant(IValue::int_list(dims)),
                                            constant(dims.rank() > before), constant(IValue())});
    if (dims.rank() == before || before == 0) return grad;
    return append("aten::reshape", {grad, constant(IValue::int_list(sizes))});
  }

  // --- the result

  Joint finish() {
    Joint out;
    out.seeds = seeds_;
    out.inputs = inputs_;
    out.results = results_;
    out.seeded = seeded_;
    for (size_t i = 0; i < inputs_; ++i) {
      const Value* input = graph_->inputs()[static_cast<int>(i)];
      if (!flows(input) || !slot(input)[0]) continue;
      graph_->add_output(slot(input)[0]);
      out.reached.push_back(static_cast<int>(i));
    }
    clean(*graph_, infos_);
    if (seeds_ == Seeds::Contiguous) inline_helpers();
    drop_fitting();
    clean(*graph_, infos_);
    for (const Node* n : graph_->block()->nodes())
      if (writes_memory(n)) decline("a formula writes");
    out.graph = std::move(graph_);
    return out;
  }

  // What formulas call becomes what it does, so that products are seen.
  void inline_helpers() {
    decompose(*graph_, &is_helper);
    clean(*graph_, infos_);
    state_parts(*graph_);
  }

  // Gradients that are as they should be, and sums as the ops that they are, which fusers know.
  // What one of them makes known, those behind it need.
  void drop_fitting() {
    static const Operator& like = operator_named("prim::gradient_like");
    static const Operator& restored = operator_named("prim::restore_dims");
    for (Node* n : graph_->block()->nodes()) {
      if (&n->op() == &like) fit(n);
      else if (Value* by = &n->op() == &restored ? restored_by(n) : nullptr) replace(n, by);
      else if (lacks_sizes(n)) infer_types(n);
    }
  }

  void fit(Node* n) {
    const Dims sizes = n->input(1)->node()->constant().as_dims();
    const DType dtype = dtype_of_code(n->input(2)->node()->constant().as_int());
    if (!n->input()->type().is_tensor()) return;
    if (Value* by = summed_to(n->input(), sizes, dtype, n)) return replace(n, by);
    n->output()->set_type(Type::tensor(like_of(sizes, dtype, n->input()->type().info().device)));
  }

  static void replace(Node* n, Value* by) {
    n->output()->replace_all_uses_with(by);
    n->destroy();
  }

  static DType dtype_of_code(int64_t code) {
    for (int i = 0; i < kNumDTypes; ++i)
      if (row_of(static_cast<DType>(i)).aten_code == code) return static_cast<DType>(i);
    FUS_BUG("no dtype has the code {}", code);
  }

  static bool lacks_sizes(const Node* n) {
    return n->blocks().empty() && std::ranges::any_of(n->outputs(), [](const Value* v) {
             return v->type().is_tensor() && !v->type().info().rank_known;
           });
  }

  // Strides are whatever they are.
  static TensorInfo like_of(const Dims& sizes, DType dtype, std::optional<Device> device) {
    TensorInfo info;
    info.has_dtype = info.rank_known = true;
    info.dtype = dtype;
    info.sizes = sizes;
    info.strides = Dims(sizes.size(), -1);
    info.device = device;
    return info;
  }

  std::unique_ptr<Graph> graph_;
  std::vector<ArgInfo> infos_;
  const std::vector<bool>& wanted_;
  Seeds seeds_;
  std::vector<const Node*> forward_;
  std::vector<bool> flows_;
  std::unordered_map<const Value*, Grads> grads_;
  std::vector<int> seeded_;
  size_t results_ = 0;
  size_t inputs_ = 0;
};

}  // namespace

Joint differentiate(const Graph& group, const std::vector<ArgInfo>& inputs,
                    const std::vector<bool>& wanted, Seeds seeds) {
  return ReverseMode(group, inputs, wanted, seeds).run();
}

}  // namespace fusillade
