// See lowering.h. Loop variables 0 .. 2 * kMaxRank - 1 are loops by depth; accumulators and scalar
// parameters come after them.
#include "engine/fuse/lowering.h"

#include <algorithm>

#include "engine/aten/conv/conv.h"
#include "engine/aten/create/fill.h"
#include "engine/aten/join/join.h"
#include "engine/aten/random/uniform.h"
#include "engine/base/probe.h"
#include "engine/fuse/index_map.h"
#include "engine/fuse/lowering_kind.h"
#include "engine/fuse/may_fuse.h"
#include "engine/fuse/products.h"
#include "engine/fuse/values.h"
#include "engine/kernel/wide.h"

namespace fusillade::fuse {
namespace {

Probe probe_joined("fuse/joined");
Probe probe_part("fuse/part-of-a-chunk");

constexpr int kLoopVars = 2 * kMaxRank;

// Integer division raises in eager mode when a divisor is zero; a kernel cannot, so a group may
// hold only divisions by non-zero literals. Looks at what a formula added on top of its operands.
void decline_integer_division(const ExprNode* e, const std::vector<Expr>& operands) {
  for (const Expr& o : operands) {
    if (o.node() == e) return;
  }
  bool divides = e->op == ExprOp::FloorDiv || e->op == ExprOp::FloorMod ||
                 e->op == ExprOp::TruncDiv || e->op == ExprOp::TruncMod;
  if (divides) {
    int64_t divisor = 0;
    bool literal = Expr(e->child[1]).as_int(&divisor);
    if (!literal || divisor == 0) decline("integer division by a value that may be zero");
  }
  for (uint32_t i = 0; i < e->children; ++i) decline_integer_division(e->child[i], operands);
}

}  // namespace

Lowering::Lowering(const Graph& group, const std::vector<ArgSpec>& args, const StandIns* stand_ins,
                   Mapping mapping, Launches launches)
    : group_(group),
      args_(args),
      mapping_(mapping),
      launches_(launches),
      numbers_(out_.kernel, stand_ins) {}

Lowered Lowering::run() {
  out_.kernel.pool = std::make_shared<ExprPool>();
  out_.kernel.domain = current_domain();
  out_.kernel.num_vars = kLoopVars;
  ExprPool::Scope scope(*out_.kernel.pool);
  find_read();
  choose_space();
  choose_memory();
  add_inputs();
  for (Node* node : group_.block()->nodes()) {
    for (Value* v : node->outputs()) {
      if (in_memory_.count(v)) emit(v);
    }
  }
  for (Value* v : group_.outputs()) {
    const TensorInfo& info = v->type().info();
    out_.outputs.push_back({true, info.dtype, info.sizes, info.strides});
  }
  out_.launches = mapping_(stages_, numbers_, out_.kernel);
  if (numbers_.any()) make_kernel_dynamic();
  kernel::keep_alignment_needed(out_.kernel);
  return std::move(out_);
}

// Adds kernel arguments for all sizes that primes replace.
void Lowering::make_kernel_dynamic() {
  out_.kernel.reach = numbers_.reach();
  const auto make_dynamic = [&](Dims& numbers) {
    for (int64_t& n : numbers) n = numbers_.extent(n);
  };
  for (kernel::Buffer& b : out_.kernel.buffers) {
    make_dynamic(b.sizes);
    make_dynamic(b.strides);
  }
  const auto make_loops_dynamic = [&](auto& self, kernel::Body& body) -> void {
    for (kernel::Stmt& s : body) {
      if (s.kind == kernel::Stmt::Kind::For) s.extent = numbers_.extent(s.extent);
      self(self, s.body);
    }
  };
  make_loops_dynamic(make_loops_dynamic, out_.kernel.body);
  for (Schedule& schedule : out_.launches)
    for (auto& [what, n] : schedule.parameters) n = numbers_.extent(n);
  for (const ArgSpec& spec : out_.outputs) {
    std::vector<Product> numbers;
    for (int64_t n : spec.sizes) numbers.push_back(numbers_.product(n));
    for (int64_t n : spec.strides) numbers.push_back(numbers_.product(n));
    out_.dynamic_outputs.push_back(std::move(numbers));
  }
  out_.extents = numbers_.extents();
}

// Some operands give only a dtype or a size (type_as, expand_as). Following the others finds what
// the group's results are computed from.
void Lowering::find_read() {
  std::vector<const Value*> work(group_.outputs().begin(), group_.outputs().end());
  auto follow = [&](const Value* v) {
    if (read_.insert(v).second) work.push_back(v);
  };
  for (const Value* v : group_.outputs()) read_.insert(v);
  while (!work.empty()) {
    const Node* node = work.back()->node();
    work.pop_back();
    if (node == group_.block()->param_node() || node->is(prim::constant())) continue;
    if (node->kind() == OpKind::Create) continue;
    if (node->is(prim::list_construct())) {
      for (const Value* part : node->inputs()) follow(part);
      continue;
    }
    if (computes_product(node->op())) {
      for (int i : factors_and_bias(node)) follow(node->input(i));
      continue;
    }
    if (node->kind() != OpKind::Pointwise) {
      follow(node->input(0));
      continue;
    }
    for (const auto& o : node->op().pointwise(node->op(), arg_infos(node)).operands) {
      if (o.arg >= 0) follow(node->input(o.arg));
    }
  }
}

void Lowering::choose_space() {
  // Views and reductions keep their dimensions: before and after them shapes need not broadcast.
  for (Node* node : group_.block()->nodes()) {
    if (node->kind() != OpKind::Prim && node->kind() != OpKind::Pointwise && !is_fill(node->op()))
      return;
  }
  std::vector<Dims> shapes;
  std::vector<IterationSpace::Memory> memory;
  Dims full;
  for (Value* v : group_.outputs()) {
    memory.push_back({v->type().info().sizes, v->type().info().strides});
  }
  auto add = [&](Value* v) {
    if (!v->type().is_tensor()) return;
    shapes.push_back(v->type().info().sizes);
    full = broadcast(full, shapes.back());
  };
  for (Node* node : group_.block()->nodes()) {
    if (node->kind() != OpKind::Prim && read_.count(node->output())) add(node->output());
  }
  for (Value* v : group_.inputs()) {
    if (!v->type().is_tensor() || !read_.count(v)) continue;
    add(v);
    memory.push_back({v->type().info().sizes, v->type().info().strides});
  }
  space_ = IterationSpace(full, shapes, memory);
}

void Lowering::add_inputs() {
  for (size_t i = 0; i < group_.inputs().size(); ++i) {
    Value* v = group_.inputs()[i];
    const ArgSpec& spec = args_[i];
    if (!spec.is_tensor) {
      add_scalar(static_cast<int>(i));
      continue;
    }
    if (!read_.count(v)) continue;
    buffers_[v] = static_cast<int>(out_.kernel.buffers.size());
    out_.kernel.buffers.push_back({kernel::BufferRole::In, spec.dtype, space_.sizes(spec.sizes),
                                   space_.strides(spec.sizes, spec.strides), spec.aligned});
    out_.in_args.push_back(static_cast<int>(i));
  }
  add_draws();
  for (Value* v : group_.outputs()) {
    if (buffers_.count(v)) decline("one value is returned twice");
    const TensorInfo& info = v->type().info();
    buffers_[v] = static_cast<int>(out_.kernel.buffers.size());
    out_.kernel.buffers.push_back({kernel::BufferRole::Out, info.dtype, space_.sizes(info.sizes),
                                   space_.strides(info.sizes, info.strides)});
  }
}

void Lowering::add_scalar(int index) {
  const ArgSpec& spec = args_[index];
  int var = out_.kernel.num_vars++;
  Model model = spec.dtype == DType::F64 ? Model::F64 : Model::I64;
  out_.kernel.scalars.push_back({var, model});
  out_.scalar_args.push_back(index);
  scalar_vars_[group_.inputs()[index]] = var;
}

int Lowering::buffer_for(Value* value) {
  auto it = buffers_.find(value);
  if (it != buffers_.end()) return it->second;
  return new_temp(value->type().info().dtype, logical(value));
}

int Lowering::new_temp(DType dtype, const Dims& sizes) {
  const int id = static_cast<int>(out_.kernel.buffers.size());
  out_.kernel.buffers.push_back(
      {kernel::BufferRole::Temp, dtype, sizes, contiguous_strides(sizes)});
  return id;
}

Dims Lowering::logical(Value* value) const { return space_.sizes(value->type().info().sizes); }

void Lowering::emit(Value* value) {
  const LoweringKind* kind = lowering_kind(value->node()->op());
  if (kind) kind->emit(*this, value);
  else emit_pointwise_or_view(value);
}

// Is it what lies elsewhere, at the same indices?
static bool is_same_element(const Stage& stage) {
  const ExprNode* e = stage.value.node();
  if (e->op != ExprOp::Load || e->children != stage.indices.size()) return false;
  for (uint32_t d = 0; d < e->children; ++d)
    if (e->child[d] != stage.indices[d].node()) return false;
  return true;
}

void Lowering::emit_pointwise_or_view(Value* value) {
  Stage stage;
  Dims sizes = logical(value);
  for (int d = 0; d < sizes.rank(); ++d) {
    if (sizes[d] == 1) {
      stage.indices.push_back(Expr::imm_i(0));
      continue;
    }
    stage.indices.push_back(Expr::var(stage.sizes.rank(), Model::I64));
    stage.sizes.push_back(sizes[d]);
  }
  stage.value = compute(value, stage.indices);
  if (!buffers_.count(value) && is_same_element(stage)) {
    in_memory_.erase(value);  // read where it lies
    return;
  }
  stage.buffer = buffers_[value] = buffer_for(value);
  add_stage(std::move(stage));
}

// A stage for each part, which stores it where it belongs.
void Lowering::emit_join(Value* value) {
  const Join join = plan_join(value->node()->op(), infos(value->node()));
  const auto& parts = value->node()->input(0)->node()->inputs();
  probe_joined.hit();
  const int buffer = buffer_for(value);
  int64_t at = 0;
  for (int i : join.parts) {
    Value* part = parts[static_cast<size_t>(i)];
    const Dims& sizes = part->type().info().sizes;
    if (numel_of(sizes) == 0) continue;
    Stage stage;
    Indices read;
    for (int d = 0; d < sizes.rank(); ++d) {
      const bool one = sizes[d] == 1;
      read.push_back(one ? Expr::imm_i(0) : Expr::var(stage.sizes.rank(), Model::I64));
      if (!one) stage.sizes.push_back(sizes[d]);
    }
    stage.indices = read;
    if (join.fresh_dim) stage.indices.insert(stage.indices.begin() + join.dim, Expr::imm_i(at));
    else stage.indices[static_cast<size_t>(join.dim)] = read[join.dim] + Expr::imm_i(at);
    stage.value = convert_result(convert_operand(element(part, read), join.dtype), join.dtype);
    stage.buffer = buffer;
    add_stage(std::move(stage));
    at += join.fresh_dim ? 1 : sizes[join.dim];
  }
  buffers_[value] = buffer;
}

Expr Lowering::element(Value* value, const Indices& indices) {
  auto memory = buffers_.find(value);
  bool readable = memory != buffers_.end() &&
                  (value->node() == group_.block()->param_node() || !in_memory_.count(value) ||
                   std::any_of(stages_.begin(), stages_.end(),
                               [&](const Stage& s) { return s.buffer == memory->second; }));
  if (readable) {
    return Expr::load(memory->second, value->type().info().dtype, indices);
  }
  std::vector<const void*> key{value};
  for (const Expr& e : indices) key.push_back(e.node());
  auto it = memo_.find(key);
  if (it != memo_.end()) return it->second;
  Expr result = compute(value, indices);
  memo_.emplace(std::move(key), result);
  return result;
}

Expr Lowering::compute(Value* value, const Indices& indices) {
  Node* node = value->node();
  const DType dtype = value->type().info().dtype;
  if (is_fill(node->op()))
    return convert_result(literal_as(filled_with(node->op(), infos(node)), dtype), dtype);
  if (node->kind() == OpKind::Pointwise) return pointwise(node, indices);
  if (node->kind() == OpKind::View) return view(node, 0, indices);
  if (draws_uniform(node->op())) return uniform_value(node, indices);
  if (node->is(prim::list_unpack())) probe_part.hit();
  if (node->is(prim::list_unpack()))
    return view(node->input(0)->node(), static_cast<size_t>(value->index()), indices);
  decline("{} cannot be inlined", node->op().name);
}

Expr Lowering::pointwise(Node* node, const Indices& indices) {
  PointwisePlan plan = node->op().pointwise(node->op(), infos(node));
  if (!plan.formula || !plan.formula->expr) decline("{} has no symbolic form", node->op().name);
  std::vector<Expr> in;
  for (const auto& o : plan.operands) in.push_back(operand(node, plan, o, indices));
  FormulaModel formula(formula_model(plan.compute));
  Expr result = plan.formula->expr(in.data());
  decline_integer_division(result.node(), in);
  return convert_result(result, plan.result);
}

Expr Lowering::operand(Node* node, const PointwisePlan& plan, const PointwisePlan::Operand& o,
                       const Indices& indices) {
  if (o.arg < 0) return literal_as(o.literal, plan.compute);
  Value* v = node->input(o.arg);
  if (v->type().is_tensor()) {
    return convert_operand(element(v, broadcast_indices(logical(v), indices)), plan.compute);
  }
  if (v->node()->is(prim::constant())) return literal_as(v->node()->constant(), plan.compute);
  return convert_operand(scalar(v), plan.compute);
}

Expr Lowering::scalar(Value* value) const {
  auto it = scalar_vars_.find(value);
  if (it == scalar_vars_.end()) decline("a scalar is computed inside the group");
  for (const auto& s : out_.kernel.scalars) {
    if (s.var == it->second) return Expr::var(s.var, s.model);
  }
  FUS_BUG("scalar parameter {} is not declared", it->second);
}

// Of the views that a node gives, the one with this number.
Expr Lowering::view(Node* node, size_t which, const Indices& indices) {
  Value* base = node->input(0);
  Dims sizes = logical(base);
  auto views = node->op().view(node->op(), infos(node), sizes, contiguous_strides(sizes));
  FUS_CHECK(which < views.size(), "{} has {} results", node->op().name, views.size());
  ViewGeometry& geometry = views[which];
  if (geometry.copy) geometry.strides = contiguous_strides(geometry.sizes);  // of the elements
  return element(base, base_indices(geometry, sizes, indices));
}

std::vector<ArgInfo> Lowering::infos(const Node* node) const { return arg_infos(node); }

namespace {

[[maybe_unused]] const auto& kJoin = Table<LoweringKind>::instance().add({
    .name = "join",
    .covers = [](const Operator& op) { return op.kind == OpKind::Opaque && is_join(op); },
    .form = kJoinForms,
    .emit = [](Lowering& lowering, Value* v) { lowering.emit_join(v); },
});

}  // namespace
}  // namespace fusillade::fuse
