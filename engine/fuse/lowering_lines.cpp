// Lowering of what goes along lines: reductions, the places of greatest and least elements, sums
// and products so far.
//
// A place is found in two reductions: the greatest element, then the first place of one that is it.
// Both are exact in any order, so they are vectorised, cut in parts and shared out among threads
// like any other; what max.dim gives is read at the place.
#include <algorithm>

#include "engine/aten/sort/choose.h"
#include "engine/base/probe.h"
#include "engine/fuse/lanes.h"
#include "engine/fuse/lowering.h"
#include "engine/fuse/values.h"

namespace fusillade::fuse {
namespace {

Probe probe_place("fuse/place-of-extreme");
Probe probe_scan("fuse/scan");

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

bool has(const Dims& axes, int d) { return std::find(axes.begin(), axes.end(), d) != axes.end(); }

}  // namespace

// Loops over an input: its dimensions that stay, then those that go. The indices at which a stage
// reads it.
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

// The stage's accumulator takes in one element after the other. Returns what it comes to.
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
  ReducePlan plan = node->row().reduce(node->row(), infos(node));
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
  if (!plan.combine || !plan.combine->expr) decline("{} has no symbolic form", node->row().name);
  const Expr element_read = converted(element(input, read), plan.convert);
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
    if (const int64_t open = numbers_.extent(elements); kernel::is_open(open)) {
      const int var = out_.kernel.scalars[kernel::scalar_of(open)].var;
      with_count[1] = convert(Expr::var(var, Model::I64), model);
    }
    result = plan.finalize->expr(with_count);
  }
  stage.value = stored(result, plan.result);
  stage.buffer = buffers_[value] = buffer_for(value);
  add_stage(std::move(stage));
}

// A loop nest goes down each line by itself. Of lines that lie across memory that touches a line of
// the cache for each element, which the rows, that read lines side by side, do not.
void Lowering::need_lines_in_cache(const Dims& in, const Dims& axes) const {
  constexpr int64_t kMostAcross = 1 << 15;
  if (launches_ == Launches::Dear || numel_of(in) <= kMostAcross) return;
  int last = in.rank() - 1;
  while (last > 0 && in[last] == 1) --last;
  if (!has(axes, last)) decline("lines across memory of {} elements", numel_of(in));
}

// Where the places of an extreme are, which are found when first asked for.
int Lowering::places_of(Node* node) {
  const auto known = places_.find(node);
  if (known != places_.end()) return known->second;
  probe_place.hit();
  const Extreme e = plan_extreme(node->row(), infos(node));
  Value* input = node->input(0);
  Value* out = node->outputs().back();
  const DType dtype = input->type().info().dtype;
  const auto plan_of = [&](const Row& row, DType of) {
    const ArgInfo args[] = {{Type::tensor(of, input->type().info().sizes), {}, false, {}},
                            {{}, IValue::int_list(e.axes), true, {}},
                            {{}, IValue(e.keepdim), true, {}}};
    return row.reduce(row, args);
  };
  const Dims in = logical(input);
  need_lines_in_cache(in, e.axes);
  Stage best;
  Indices read = walk(in, e.axes, e.keepdim, best);
  const Expr most = fold(plan_of(*e.extreme, dtype), formula_model(dtype),
                         converted(element(input, read), dtype), best);
  best.value = stored(most, dtype);
  best.buffer = new_temp(dtype, logical(out));
  const Expr found = converted(Expr::load(best.buffer, dtype, best.indices), dtype);
  add_stage(std::move(best));

  Stage place;
  read = walk(in, e.axes, e.keepdim, place);
  Expr at = Expr::imm_i(0);
  for (int64_t d : e.axes) {
    const int dim = static_cast<int>(d);
    at = e.of_all ? at + read[d] * Expr::imm_i(contiguous_strides(in)[dim]) : read[d];
  }
  const ReducePlan least = plan_of(*e.least, DType::I64);
  const Expr none = Expr::imm_i(least.int_identity);
  const Expr x = converted(element(input, read), dtype);
  const Expr is_it = (x == found) | ((x != x) & (found != found));
  const Expr first = fold(least, Model::I64, select(is_it, at, none), place);
  place.value = select(first == none, Expr::imm_i(0), first);
  place.buffer = read_.count(out) ? buffer_for(out) : new_temp(DType::I64, logical(out));
  if (read_.count(out)) buffers_[out] = place.buffer;
  places_[node] = place.buffer;
  add_stage(std::move(place));
  return places_[node];
}

// Places are written when they are found; elements are read there.
void Lowering::emit_extreme(Value* value) {
  Node* node = value->node();
  const int places = places_of(node);
  if (value == node->outputs().back()) return;
  const Extreme e = plan_extreme(node->row(), infos(node));
  const Dims in = logical(node->input(0));
  Stage stage;
  Indices read = walk(in, e.axes, e.keepdim, stage);
  stage.reduce_sizes = Dims();
  const Expr place = Expr::load(places, DType::I64, stage.indices);
  for (int64_t d : e.axes) read[d] = in[static_cast<int>(d)] == 1 ? Expr::imm_i(0) : place;
  stage.value = element(node->input(0), read);
  stage.buffer = buffers_[value] = buffer_for(value);
  add_stage(std::move(stage));
}

void Lowering::emit_scan(Value* value) {
  Node* node = value->node();
  Value* input = node->input(0);
  probe_scan.hit();
  const Scan scan = plan_scan(node->row(), infos(node));
  const Dims in = logical(input);
  Dims axes;
  if (in.rank() > 0) axes.push_back(scan.dim);
  need_lines_in_cache(in, axes);
  const ArgInfo args[] = {{Type::tensor(scan.dtype, in), {}, false, {}},
                          {{}, IValue(int64_t{scan.dim}), true, {}},
                          {{}, IValue(true), true, {}},
                          {{}, IValue(), true, {}}};
  ReducePlan plan = scan.whole->reduce(*scan.whole, args);
  plan.identity = scan.start;
  Stage stage;
  const Indices read = walk(in, axes, true, stage);
  stage.indices = read;
  const Expr sum =
      fold(plan, formula_model(scan.held), converted(element(input, read), scan.dtype), stage);
  stage.scan = true;
  stage.reassociate = false;
  stage.value = stored(sum, scan.dtype);
  stage.buffer = buffers_[value] = buffer_for(value);
  add_stage(std::move(stage));
}

}  // namespace fusillade::fuse
