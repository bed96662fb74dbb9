// Lowering of reductions, and what else goes along lines shares with them.
#include <algorithm>

#include "engine/base/table.h"
#include "engine/fuse/lanes.h"
#include "engine/fuse/lowering.h"
#include "engine/fuse/lowering_kind.h"
#include "engine/fuse/may_fuse.h"
#include "engine/fuse/values.h"

namespace fusillade::fuse {
namespace {

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
    elements = std::min(elements, most + 1) * (kernel::is_dynamic(n) ? most + 1 : n);
  return plan.accumulate == DType::F32 && plan.any_order && plan.identity == 0 && elements > most;
}

bool has(const Dims& axes, int d) { return std::find(axes.begin(), axes.end(), d) != axes.end(); }

}  // namespace

Lowering::Indices Lowering::walk(const Dims& in, const Dims& axes, bool keepdim, Stage& stage) {
  Indices read(in.rank());
  for (int d = 0; d < in.rank(); ++d) {
    if (has(axes, d)) {
      if (keepdim) stage.indices.push_back(Expr::imm_i(0));
      continue;
    }
    read[d] = in[d] == 1 ? Expr::imm_i(0) : Expr::var(stage.sizes.rank(), Model::I64);
    if (in[d] != 1) stage.sizes.push_back(in[d]);
    stage.indices.push_back(read[d]);
  }
  for (int d = 0; d < in.rank(); ++d) {
    if (!has(axes, d)) continue;
    read[d] = in[d] == 1 ? Expr::imm_i(0)
                         : Expr::var(stage.sizes.rank() + stage.reduce_sizes.rank(), Model::I64);
    if (in[d] != 1) stage.reduce_sizes.push_back(in[d]);
  }
  return read;
}

Expr Lowering::fold(const ReducePlan& plan, Model model, Expr element, Stage& stage) {
  stage.accumulator = out_.kernel.num_vars++;
  stage.reassociate = true;
  stage.identity =
      model == Model::I64 ? Expr::imm_i(plan.int_identity) : Expr::imm_f(plan.identity, model);
  const Expr acc = Expr::var(stage.accumulator, model);
  FormulaModel formula(model);
  Expr pair[2] = {acc, convert(element, model)};
  stage.update = plan.combine->expr(pair);
  stage.combine = plan.combine;
  return acc;
}

void Lowering::add_stage(Stage stage) {
  memo_.clear();
  stages_.push_back(std::move(stage));
}

void Lowering::emit_reduce(Value* value) {
  Node* node = value->node();
  ReducePlan plan = node->op().reduce(node->op(), infos(node));
  Value* input = node->input(0);
  const Dims in = logical(input);
  Stage stage;
  const Indices read = walk(in, plan.axes, plan.keepdim, stage);
  double count = 1;
  int64_t elements = 1;
  for (int64_t d : plan.axes) {
    count *= static_cast<double>(in[static_cast<int>(d)]);
    elements *= in[static_cast<int>(d)];
  }
  if (!plan.combine || !plan.combine->expr) decline("{} has no symbolic form", node->op().name);
  const Expr element_read = convert_operand(element(input, read), plan.convert);
  const int inner = stage.sizes.rank() + stage.reduce_sizes.rank() - 1;
  const bool over_last = has(plan.axes, in.rank() - 1);
  const bool lanes = !over_last || has_lanes(element_read, inner, out_.kernel.buffers);
  const Model model = wants_double(plan, stage, most_in_float(stage, over_last, lanes))
                          ? Model::F64
                          : formula_model(plan.accumulate);
  Expr result = fold(plan, model, element_read, stage);
  FormulaModel formula(model);
  if (plan.finalize) {
    Expr with_count[2] = {result, model == Model::I64 ? Expr::imm_i(static_cast<int64_t>(count))
                                                      : Expr::imm_f(count, model)};
    if (const int64_t dynamic = numbers_.extent(elements); kernel::is_dynamic(dynamic)) {
      const int var = out_.kernel.scalars[kernel::scalar_of(dynamic)].var;
      with_count[1] = convert(Expr::var(var, Model::I64), model);
    }
    result = plan.finalize->expr(with_count);
  }
  stage.value = convert_result(result, plan.result);
  stage.buffer = write(value);
  add_stage(std::move(stage));
}

// A loop nest goes down each line by itself. Of lines that lie across memory that touches a line of
// the cache for each element, which the operators, that read lines side by side, do not.
void Lowering::need_lines_in_cache(const Dims& in, const Dims& axes) const {
  constexpr int64_t kMostAcross = 1 << 15;
  if (launches_ == Launches::Dear || numel_of(in) <= kMostAcross) return;
  int last = in.rank() - 1;
  while (last > 0 && in[last] == 1) --last;
  if (!has(axes, last)) decline("lines across memory of {} elements", numel_of(in));
}

namespace {

[[maybe_unused]] const auto& kReduction = Table<LoweringKind>::instance().add({
    .name = "reduction",
    .covers = [](const Operator& op) { return op.kind == OpKind::Reduce && op.reduce; },
    .form = kReduceForms,
    .emit = [](Lowering& lowering, Value* v) { lowering.emit_reduce(v); },
});

}  // namespace
}  // namespace fusillade::fuse
