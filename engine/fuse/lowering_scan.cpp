// Sums and products so far: cumsum, cumprod.
#include "engine/aten/sort/choose.h"
#include "engine/base/probe.h"
#include "engine/base/table.h"
#include "engine/fuse/lowering.h"
#include "engine/fuse/lowering_kind.h"
#include "engine/fuse/may_fuse.h"
#include "engine/fuse/values.h"

namespace fusillade::fuse {
namespace {

Probe probe_scan("fuse/scan");

void emit_scan(Lowering& lowering, Value* value) {
  Node* node = value->node();
  Value* input = node->input(0);
  probe_scan.hit();
  const Scan scan = plan_scan(node->op(), lowering.infos(node));
  const Dims in = lowering.logical(input);
  Dims axes;
  if (in.rank() > 0) axes.push_back(scan.dim);
  lowering.need_lines_in_cache(in, axes);
  const ArgInfo args[] = {{Type::tensor(scan.dtype, in), {}, false, {}},
                          {{}, IValue(int64_t{scan.dim}), true, {}},
                          {{}, IValue(true), true, {}},
                          {{}, IValue(), true, {}}};
  ReducePlan plan = scan.whole->reduce(*scan.whole, args);
  plan.identity = scan.start;
  Stage stage;
  const Lowering::Indices read = Lowering::walk(in, axes, true, stage);
  stage.indices = read;
  const Expr sum = lowering.fold(plan, formula_model(scan.accumulate),
                                 convert_operand(lowering.element(input, read), scan.dtype), stage);
  stage.scan = true;
  stage.reassociate = false;
  stage.value = convert_result(sum, scan.dtype);
  stage.buffer = lowering.write(value);
  lowering.add_stage(std::move(stage));
}

// Operators' bodies determine the types of short lines only.
void complete_type(const Node* node) {
  if (node->output()->type().info().complete()) return;
  const Scan scan = plan_scan(node->op(), arg_infos(node));
  node->output()->set_type(Type::tensor(scan.dtype, node->input(0)->type().info().sizes));
}

[[maybe_unused]] const auto& kScan = Table<LoweringKind>::instance().add({
    .name = "scan",
    .covers = &is_scan,
    .form = kScanForms,
    .emit = &emit_scan,
    .keeps_body = true,
    .complete_type = &complete_type,
});

}  // namespace
}  // namespace fusillade::fuse
