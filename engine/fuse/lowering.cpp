// See lowering.h. Loop variables 0 .. 2 * kMaxRank - 1 are loops by depth; accumulators and scalar
// parameters come after them.
#include "engine/fuse/lowering.h"

#include <algorithm>

#include "engine/fuse/index_map.h"
#include "engine/fuse/lanes.h"

namespace fusillade::fuse {
namespace {

constexpr int kLoopVars = 2 * kMaxRank;

// The model in which expressions of `dtype` values live.
Model value_model(DType dtype) { return dtype == DType::Bool ? Model::Bool : compute_of(dtype); }

// The model in which a formula computes: bools count as integers.
Model formula_model(DType dtype) { return dtype == DType::Bool ? Model::I64 : compute_of(dtype); }

Expr literal_as(const IValue& v, DType dtype) {
  if (dtype == DType::Bool) return Expr::imm_i(v.as_double() != 0);
  Model model = formula_model(dtype);
  if (model == Model::I64) {
    int64_t i = v.is_float() ? static_cast<int64_t>(v.as_double()) : v.as_int();
    return round_to(Expr::imm_i(i), dtype);
  }
  constexpr int64_t kHeld = int64_t{1} << 53;  // up to here float64 holds all integers
  if (v.is_int() && (v.as_int() < -kHeld || v.as_int() > kHeld))
    return round_to(convert(Expr::imm_i(v.as_int()), model), dtype);
  return round_to(Expr::imm_f(v.as_double(), model), dtype);
}

// A value of `from` converted to dtype `to` in the model formulas of `to` use.
Expr converted(Expr x, DType to) {
  if (to == DType::Bool) return convert(convert(x, Model::Bool), Model::I64);
  return round_to(convert(x, formula_model(to)), to);
}

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

// The result of a formula as a value of `dtype`.
Expr stored(Expr x, DType dtype) {
  x = convert(x, value_model(dtype));
  return dtype == DType::Bool ? x : round_to(x, dtype);
}

}  // namespace

Lowering::Lowering(const Graph& group, const std::vector<ArgSpec>& args, Reader reader,
                   Mapping mapping)
    : group_(group), args_(args), reader_(std::move(reader)), mapping_(mapping) {}

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
  out_.schedule = mapping_(stages_, out_.kernel);
  if (reader_) open_kernel();
  return std::move(out_);
}

int64_t Lowering::opened(int64_t number) {
  const Product product = reader_ ? reader_(number) : Product{number, {}};
  if (!product.open()) return number;
  const auto known = std::find(out_.extents.begin(), out_.extents.end(), product);
  const size_t at = static_cast<size_t>(known - out_.extents.begin());
  if (known == out_.extents.end()) {
    out_.extents.push_back(product);
    out_.kernel.scalars.push_back({out_.kernel.num_vars++, Model::I64, product.least()});
  }
  return kernel::open_number(out_.scalar_args.size() + at);
}

// Arguments of the kernel for all sizes that primes stand in for.
void Lowering::open_kernel() {
  const auto open_all = [&](Dims& numbers) {
    for (int64_t& n : numbers) n = opened(n);
  };
  for (kernel::Buffer& b : out_.kernel.buffers) {
    open_all(b.sizes);
    open_all(b.strides);
  }
  const auto open_loops = [&](auto& self, kernel::Body& body) -> void {
    for (kernel::Stmt& s : body) {
      if (s.kind == kernel::Stmt::Kind::For) s.extent = opened(s.extent);
      self(self, s.body);
    }
  };
  open_loops(open_loops, out_.kernel.body);
  for (const ArgSpec& spec : out_.outputs) {
    std::vector<Product> numbers;
    for (int64_t n : spec.sizes) numbers.push_back(reader_(n));
    for (int64_t n : spec.strides) numbers.push_back(reader_(n));
    out_.open_outputs.push_back(std::move(numbers));
  }
}

// Some operands give only a dtype or a size (type_as, expand_as): what the group's results are made
// of is found by following the others.
void Lowering::find_read() {
  std::vector<const Value*> work(group_.outputs().begin(), group_.outputs().end());
  auto follow = [&](const Value* v) {
    if (read_.insert(v).second) work.push_back(v);
  };
  for (const Value* v : group_.outputs()) read_.insert(v);
  while (!work.empty()) {
    const Node* node = work.back()->node();
    work.pop_back();
    if (node == group_.block()->param_node() || node->kind() == OpKind::Prim) continue;
    if (node->kind() != OpKind::Pointwise) {
      follow(node->input(0));
      continue;
    }
    for (const auto& o : node->row().pointwise(node->row(), arg_infos(node)).operands) {
      if (o.arg >= 0) follow(node->input(o.arg));
    }
  }
}

void Lowering::choose_space() {
  // Views and reductions keep their dimensions: before and after them shapes need not broadcast.
  for (Node* node : group_.block()->nodes()) {
    if (node->kind() != OpKind::Prim && node->kind() != OpKind::Pointwise) return;
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

// A node reads its input through other indices than its own result's.
static bool reindexes(const Node* user, const Value* input) {
  if (user->kind() != OpKind::Pointwise) return true;
  return !(input->type().info().sizes == user->output()->type().info().sizes);
}

void Lowering::choose_memory() {
  for (Value* v : group_.outputs()) {
    if (v->node() == group_.block()->param_node()) decline("an input is returned unchanged");
    in_memory_[v] = true;
  }
  for (Node* node : group_.block()->nodes()) {
    if (node->kind() == OpKind::Prim || !read_.count(node->output())) continue;
    Value* v = node->output();
    bool moved = false;
    int readers = 0;
    for (const Use& use : v->uses()) {
      if (use.user == group_.block()->return_node()) continue;
      ++readers;
      moved = moved || reindexes(use.user, v);
    }
    if (node->kind() == OpKind::Reduce || (readers > 1 && moved)) in_memory_[v] = true;
  }
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
                                   space_.strides(spec.sizes, spec.strides)});
    out_.in_args.push_back(static_cast<int>(i));
  }
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
  Dims sizes = logical(value);
  int id = static_cast<int>(out_.kernel.buffers.size());
  out_.kernel.buffers.push_back(
      {kernel::BufferRole::Temp, value->type().info().dtype, sizes, contiguous_strides(sizes)});
  return id;
}

Dims Lowering::logical(Value* value) const { return space_.sizes(value->type().info().sizes); }

void Lowering::emit(Value* value) {
  if (value->node()->kind() == OpKind::Reduce) {
    emit_reduce(value);
  } else {
    emit_pointwise_or_view(value);
  }
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
  stage.buffer = buffer_for(value);
  buffers_[value] = stage.buffer;
  memo_.clear();
  stages_.push_back(std::move(stage));
}

// How many elements of float32 are added up as such; sums of more are kept in double, lest rounding
// show. Lanes share those of a line well; over several dimensions the inner loop may be too short
// for lanes, over another than the last each column of an array in lanes is still one element after
// the other, and so is a line without lanes.
int64_t most_in_float(const Stage& stage, bool over_last, bool lanes) {
  if (!lanes) return 32;
  return stage.reduce_sizes.rank() == 1 && over_last ? 4096 : 256;
}

bool wants_double(const ReducePlan& plan, const Stage& stage, int64_t most) {
  int64_t elements = 1;
  for (const int64_t n : stage.reduce_sizes)
    elements = std::min(elements, most + 1) * (kernel::is_open(n) ? most + 1 : n);
  return plan.accumulate == DType::F32 && plan.any_order && plan.identity == 0 && elements > most;
}

void Lowering::emit_reduce(Value* value) {
  Node* node = value->node();
  ReducePlan plan = node->row().reduce(node->row(), infos(node));
  Value* input = node->input(0);
  const Dims in = logical(input);
  Stage stage;
  Indices read(in.rank());
  auto reduced = [&](int d) {
    return std::find(plan.axes.begin(), plan.axes.end(), d) != plan.axes.end();
  };
  for (int d = 0; d < in.rank(); ++d) {
    if (reduced(d)) {
      if (plan.keepdim) stage.indices.push_back(Expr::imm_i(0));
      continue;
    }
    read[d] = in[d] == 1 ? Expr::imm_i(0) : Expr::var(stage.sizes.rank(), Model::I64);
    if (in[d] != 1) stage.sizes.push_back(in[d]);
    stage.indices.push_back(read[d]);
  }
  double count = 1;
  int64_t elements = 1;
  for (int d = 0; d < in.rank(); ++d) {
    if (!reduced(d)) continue;
    read[d] = in[d] == 1 ? Expr::imm_i(0)
                         : Expr::var(stage.sizes.rank() + stage.reduce_sizes.rank(), Model::I64);
    if (in[d] != 1) stage.reduce_sizes.push_back(in[d]);
    count *= static_cast<double>(in[d]);
    elements *= in[d];
  }
  if (!plan.combine || !plan.combine->expr) decline("{} has no symbolic form", node->row().name);
  const Expr element_read = converted(element(input, read), plan.convert);
  const int inner = stage.sizes.rank() + stage.reduce_sizes.rank() - 1;
  const bool over_last = reduced(in.rank() - 1);
  const bool lanes = !over_last || has_lanes(element_read, inner, out_.kernel.buffers);
  const Model model = wants_double(plan, stage, most_in_float(stage, over_last, lanes))
                          ? Model::F64
                          : formula_model(plan.accumulate);
  stage.accumulator = out_.kernel.num_vars++;
  stage.reassociate = true;
  stage.identity =
      model == Model::I64 ? Expr::imm_i(plan.int_identity) : Expr::imm_f(plan.identity, model);
  Expr acc = Expr::var(stage.accumulator, model);
  FormulaModel formula(model);
  Expr in_pair[2] = {acc, convert(element_read, model)};
  stage.update = plan.combine->expr(in_pair);
  stage.combine = plan.combine;
  Expr result = acc;
  if (plan.finalize) {
    Expr with_count[2] = {acc, model == Model::I64 ? Expr::imm_i(static_cast<int64_t>(count))
                                                   : Expr::imm_f(count, model)};
    if (const int64_t open = opened(elements); kernel::is_open(open)) {
      const int var = out_.kernel.scalars[kernel::scalar_of(open)].var;
      with_count[1] = convert(Expr::var(var, Model::I64), model);
    }
    result = plan.finalize->expr(with_count);
  }
  stage.value = stored(result, plan.result);
  stage.buffer = buffer_for(value);
  buffers_[value] = stage.buffer;
  memo_.clear();
  stages_.push_back(std::move(stage));
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
  if (node->kind() == OpKind::Pointwise) return pointwise(node, indices);
  if (node->kind() == OpKind::View) return view(node, indices);
  decline("{} cannot be inlined", node->row().name);
}

Expr Lowering::pointwise(Node* node, const Indices& indices) {
  PointwisePlan plan = node->row().pointwise(node->row(), infos(node));
  if (!plan.formula || !plan.formula->expr) decline("{} has no symbolic form", node->row().name);
  std::vector<Expr> in;
  for (const auto& o : plan.operands) in.push_back(operand(node, plan, o, indices));
  FormulaModel formula(formula_model(plan.compute));
  Expr result = plan.formula->expr(in.data());
  decline_integer_division(result.node(), in);
  return stored(result, plan.result);
}

Expr Lowering::operand(Node* node, const PointwisePlan& plan, const PointwisePlan::Operand& o,
                       const Indices& indices) {
  if (o.arg < 0) return literal_as(o.literal, plan.compute);
  Value* v = node->input(o.arg);
  if (v->type().is_tensor()) {
    return converted(element(v, broadcast_indices(logical(v), indices)), plan.compute);
  }
  if (v->node()->is(prim::constant())) return literal_as(v->node()->constant(), plan.compute);
  return converted(scalar(v), plan.compute);
}

Expr Lowering::scalar(Value* value) const {
  auto it = scalar_vars_.find(value);
  if (it == scalar_vars_.end()) decline("a scalar is computed inside the group");
  for (const auto& s : out_.kernel.scalars) {
    if (s.var == it->second) return Expr::var(s.var, s.model);
  }
  FUS_BUG("scalar parameter {} is not declared", it->second);
}

Expr Lowering::view(Node* node, const Indices& indices) {
  Value* base = node->input(0);
  Dims sizes = logical(base);
  auto views = node->row().view(node->row(), infos(node), sizes, contiguous_strides(sizes));
  FUS_CHECK(views.size() == 1, "{} has {} results", node->row().name, views.size());
  if (views[0].copy) views[0].strides = contiguous_strides(views[0].sizes);  // of the elements
  return element(base, base_indices(views[0], sizes, indices));
}

std::vector<ArgInfo> Lowering::infos(const Node* node) const { return arg_infos(node); }

}  // namespace fusillade::fuse
