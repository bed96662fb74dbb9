// The greatest and least elements of lines, and where they are: argmax, max over a dimension.
//
// An index is found in two reductions: the greatest element, then the first index of one that is
// it. Both are exact in any order, so they are vectorised, cut in parts and shared out among
// threads like any other; what max.dim gives is read at the index.
#include "engine/aten/sort/choose.h"
#include "engine/base/probe.h"
#include "engine/base/table.h"
#include "engine/fuse/lowering.h"
#include "engine/fuse/lowering_kind.h"
#include "engine/fuse/may_fuse.h"
#include "engine/fuse/values.h"

namespace fusillade::fuse {
namespace {

Probe probe_index("fuse/index-of-extreme");

// The buffer of an extreme's indices, which are computed at the first request.
int indices_of(Lowering& lowering, Node* node) {
  const auto known = lowering.extreme_indices().find(node);
  if (known != lowering.extreme_indices().end()) return known->second;
  probe_index.hit();
  const Extreme e = plan_extreme(node->op(), lowering.infos(node));
  Value* input = node->input(0);
  Value* out = node->outputs().back();
  const DType dtype = input->type().info().dtype;
  const auto plan_of = [&](const Operator& op, DType of) {
    const ArgInfo args[] = {{Type::tensor(of, input->type().info().sizes), {}, false, {}},
                            {{}, IValue::int_list(e.axes), true, {}},
                            {{}, IValue(e.keepdim), true, {}}};
    return op.reduce(op, args);
  };
  const Dims in = lowering.logical(input);
  lowering.need_lines_in_cache(in, e.axes);
  Stage best;
  Lowering::Indices read = Lowering::walk(in, e.axes, e.keepdim, best);
  const Expr most = lowering.fold(plan_of(*e.extreme, dtype), formula_model(dtype),
                                  convert_operand(lowering.element(input, read), dtype), best);
  best.value = convert_result(most, dtype);
  best.buffer = lowering.new_temp(dtype, lowering.logical(out));
  const Expr found = convert_operand(Expr::load(best.buffer, dtype, best.indices), dtype);
  lowering.add_stage(std::move(best));

  Stage indices;
  read = Lowering::walk(in, e.axes, e.keepdim, indices);
  Expr at = Expr::imm_i(0);
  for (int64_t d : e.axes) {
    const int dim = static_cast<int>(d);
    at = e.of_all ? at + read[d] * Expr::imm_i(contiguous_strides(in)[dim]) : read[d];
  }
  const ReducePlan least = plan_of(*e.least, DType::I64);
  const Expr none = Expr::imm_i(least.int_identity);
  const Expr x = convert_operand(lowering.element(input, read), dtype);
  const Expr is_it = (x == found) | ((x != x) & (found != found));
  const Expr first = lowering.fold(least, Model::I64, select(is_it, at, none), indices);
  indices.value = select(first == none, Expr::imm_i(0), first);
  const int buffer = lowering.is_read(out) ? lowering.write(out)
                                           : lowering.new_temp(DType::I64, lowering.logical(out));
  indices.buffer = lowering.extreme_indices()[node] = buffer;
  lowering.add_stage(std::move(indices));
  return buffer;
}

// Indices are written when they are found; elements are read there.
void emit_extreme(Lowering& lowering, Value* value) {
  Node* node = value->node();
  const int extreme_indices = indices_of(lowering, node);
  if (value == node->outputs().back()) return;
  const Extreme e = plan_extreme(node->op(), lowering.infos(node));
  const Dims in = lowering.logical(node->input(0));
  Stage stage;
  Lowering::Indices read = Lowering::walk(in, e.axes, e.keepdim, stage);
  stage.reduce_sizes = Dims();
  const Expr index = Expr::load(extreme_indices, DType::I64, stage.indices);
  for (int64_t d : e.axes) read[d] = in[static_cast<int>(d)] == 1 ? Expr::imm_i(0) : index;
  stage.value = lowering.element(node->input(0), read);
  stage.buffer = lowering.write(value);
  lowering.add_stage(std::move(stage));
}

[[maybe_unused]] const auto& kExtreme = Table<LoweringKind>::instance().add({
    .name = "extreme",
    .covers = &finds_extreme,
    .form = kReduceForms,
    .emit = &emit_extreme,
    .most_results = 2,
    .reads_twice = true,
});

}  // namespace
}  // namespace fusillade::fuse
