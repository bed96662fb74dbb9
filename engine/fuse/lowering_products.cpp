// Lowering of matrix products and convolutions: a loop nest over the result with a sum in it, in
// the model that their operators add up in, rounded where it is stored. What follows is computed in
// the same loops where indices allow.
//
// A convolution with padding reads a copy of its input among zeros, so that no load is under a
// condition.
#include "engine/aten/conv/conv.h"
#include "engine/aten/product/contract.h"
#include "engine/base/probe.h"
#include "engine/base/table.h"
#include "engine/fuse/index_map.h"
#include "engine/fuse/lanes.h"
#include "engine/fuse/lowering.h"
#include "engine/fuse/lowering_kind.h"
#include "engine/fuse/may_fuse.h"
#include "engine/fuse/products.h"
#include "engine/fuse/values.h"

namespace fusillade::fuse {
namespace {

Probe probe_product("fuse/product");
Probe probe_convolution("fuse/convolution");
Probe probe_padded("fuse/padded");

// How elements are added. What changes nothing is -0, which is the sum of nothing onto a bias.
ReducePlan addition(DType dtype, bool nothing) {
  static const Operator& op = fusillade::operator_named("aten::sum");
  const ArgInfo args[] = {{Type::tensor(dtype, Dims{1}), {}, false, {}}, {{}, IValue(), true, {}}};
  ReducePlan plan = op.reduce(op, args);
  plan.identity = nothing && is_float(dtype) ? -0.0 : 0.0;
  return plan;
}

Expr add_terms(const ReducePlan& plan, Expr a, Expr b) {
  Expr pair[2] = {a, b};
  return plan.combine->expr(pair);
}

// Halves are converted once.
DType copied_as(DType dtype) { return is_float(dtype) && size_of(dtype) == 2 ? DType::F32 : dtype; }

// A copy of the right matrix takes about as long as two of its columns' sums do without lanes.
bool is_worth_a_copy(const MatrixProduct& p, int64_t rows) {
  constexpr int64_t kFewest = 8;
  return p.sizes.back() >= kFewest && rows >= kFewest && 2 * rows >= p.k;
}

// The indices of iteration `number` of loops of these extents.
std::vector<Expr> iteration(const Dims& extents, int64_t number) {
  std::vector<Expr> out(static_cast<size_t>(extents.rank()));
  for (int d = extents.rank() - 1; d >= 0; --d) {
    out[static_cast<size_t>(d)] = Expr::imm_i(number % extents[d]);
    number /= extents[d];
  }
  return out;
}

Expr times(double factor, Expr x, Model model) {
  if (factor == 1) return x;
  if (model != Model::I64) return Expr::imm_f(factor, model) * x;
  return Expr::imm_i(static_cast<int64_t>(factor)) * x;
}

}  // namespace

void Lowering::need_small_product(const Node* node) const {
  if (numbers_.any()) decline("{}: products are made for sizes that are known", node->op().name);
  if (fit_of_product(node) != ProductFit::Small) decline("{} is large", node->op().name);
}

// Do the innermost elements of the result read adjacent elements in each iteration of the sum?
bool Lowering::across_lanes(const Term& term, const Dims& extents, const Stage& stage) const {
  return stage.sizes.rank() > 0 &&
         has_lanes(term(iteration(extents, 0)), stage.sizes.rank() - 1, out_.kernel.buffers);
}

// The sum of terms, of one for each iteration of loops of these extents. Where the result has
// lanes, and iterations are few, they are written out, so that the lanes go along the result, a few
// added to each other first, so that one does not wait for all before it. Else lanes go along the
// innermost loop of the sum, where that is long; what has neither is for operators if it is not
// tiny.
Expr Lowering::sum_of(const Dims& extents, const Term& term, DType dtype, bool onto_bias,
                      Stage& stage) {
  constexpr int64_t kMostWrittenOut = 128, kTogether = 8, kFewestLanes = 8,
                    kMostWithoutLanes = 1 << 10;
  const int64_t iterations = numel_of(extents);
  const ReducePlan plan = addition(dtype, onto_bias && iterations == 0);
  const Model model = formula_model(dtype);
  if (iterations > 0 && iterations <= kMostWrittenOut && across_lanes(term, extents, stage)) {
    const Expr sum = fold(plan, model, term(iteration(extents, 0)), stage);
    stage.update = Expr();
    FormulaModel formula(model);
    for (int64_t first = 0; first < iterations; first += kTogether) {
      Expr together = term(iteration(extents, first));
      for (int64_t i = first + 1; i < std::min(first + kTogether, iterations); ++i)
        together = add_terms(plan, together, term(iteration(extents, i)));
      stage.updates.push_back(add_terms(plan, sum, together));
    }
    return sum;
  }
  Indices at;
  for (const int64_t extent : extents) {
    const int var = stage.sizes.rank() + stage.reduce_sizes.rank();
    at.push_back(extent == 1 ? Expr::imm_i(0) : Expr::var(var, Model::I64));
    if (extent != 1) stage.reduce_sizes.push_back(extent);
  }
  const Expr each = term(at);
  const int inner = stage.sizes.rank() + stage.reduce_sizes.rank() - 1;
  const bool lanes = extents.back() >= kFewestLanes && has_lanes(each, inner, out_.kernel.buffers);
  if (!lanes && iterations * numel_of(stage.sizes) > kMostWithoutLanes)
    decline("a product of {} iterations without lanes", iterations);
  return fold(plan, model, each, stage);
}

// Copies right matrices whose columns are not adjacent in memory to a temporary, as [.., l, j].
int Lowering::rows_side_by_side(Value* right, bool turned) {
  Dims sizes = logical(right);
  const int last = sizes.rank() - 1;
  if (turned) std::swap(sizes[last], sizes[last - 1]);
  Stage copy;
  Indices read = walk(sizes, {}, false, copy);
  if (turned) std::swap(read.back(), read[static_cast<size_t>(last) - 1]);
  const DType dtype = copied_as(right->type().info().dtype);
  copy.value = convert_result(element(right, read), dtype);
  copy.buffer = new_temp(dtype, sizes);
  const int buffer = copy.buffer;
  add_stage(std::move(copy));
  return buffer;
}

void Lowering::emit_product(Value* value) {
  Node* node = value->node();
  need_small_product(node);
  probe_product.hit();
  const MatrixProduct p = matrix_product(node->op(), infos(node));
  const Model model = formula_model(p.dtype);
  Value* left = node->input(p.left);
  Value* right = node->input(p.right);
  Stage stage;
  const Indices at = walk(p.sizes, {}, false, stage);
  const int batch = p.sizes.rank() - !p.left_vector - !p.right_vector;
  int copy = -1;
  // The indices of an operand: those of its batches, then its own two.
  const auto own = [&](Value* operand, Expr row, Expr column) {
    Dims batches = logical(operand);
    for (int d = 0; d < 2; ++d) batches.pop_back();
    Indices out = broadcast_indices(batches, Indices(at.begin(), at.begin() + batch));
    out.push_back(row);
    out.push_back(column);
    return out;
  };
  const Term term = [&](const Indices& iteration) {
    const Expr l = iteration[0];
    const Expr x =
        element(left, p.left_vector ? Indices{l} : own(left, at[static_cast<size_t>(batch)], l));
    Expr y;
    if (p.right_vector) y = element(right, {l});
    else if (copy >= 0) y = Expr::load(copy, copied_as(p.dtype), own(right, l, at.back()));
    else y = element(right, p.right_turned ? own(right, at.back(), l) : own(right, l, at.back()));
    return convert_operand(x, p.dtype) * convert_operand(y, p.dtype);
  };
  if (!p.left_vector && !p.right_vector && is_worth_a_copy(p, p.sizes[batch]) &&
      (copied_as(p.dtype) != p.dtype || !across_lanes(term, Dims{p.k}, stage)))
    copy = rows_side_by_side(right, p.right_turned);
  const bool onto_bias = p.bias >= 0 && p.alpha == 1 && p.beta == 1;
  Expr sum = times(p.alpha, sum_of(Dims{p.k}, term, p.dtype, onto_bias, stage), model);
  if (p.bias >= 0) {
    Value* bias = node->input(p.bias);
    const Expr b = element(bias, broadcast_indices(logical(bias), at));
    sum = times(p.beta, convert_operand(b, p.dtype), model) + sum;
  }
  stage.value = convert_result(sum, p.dtype);
  stage.buffer = buffers_[value] = buffer_for(value);
  add_stage(std::move(stage));
}

// The input of a convolution among zeros.
int Lowering::pad_input(Value* input, int dims, const Dims& before, const Dims& after) {
  probe_padded.hit();
  const DType dtype = input->type().info().dtype;
  Dims sizes = logical(input);
  const int first = sizes.rank() - dims;
  for (int d = 0; d < dims; ++d) sizes[first + d] += before[d] + after[d];
  const int buffer = new_temp(dtype, sizes);
  const Model model = value_model(dtype);
  Stage zeros;
  walk(sizes, {}, false, zeros);
  zeros.value = model == Model::I64 ? Expr::imm_i(0) : Expr::imm_f(0, model);
  zeros.buffer = buffer;
  add_stage(std::move(zeros));
  if (numel_of(logical(input)) == 0) return buffer;
  Stage copy;
  const Indices read = walk(logical(input), {}, false, copy);
  for (int d = 0; d < dims; ++d)
    copy.indices[static_cast<size_t>(first + d)] =
        read[static_cast<size_t>(first + d)] + Expr::imm_i(before[d]);
  copy.value = element(input, read);
  copy.buffer = buffer;
  copy.over = true;
  add_stage(std::move(copy));
  return buffer;
}

void Lowering::emit_convolution(Value* value) {
  Node* node = value->node();
  need_small_product(node);
  probe_convolution.hit();
  const Convolution c = convolution_of(node->op(), infos(node));
  const DType dtype = value->type().info().dtype;
  Value* input = node->input(0);
  const Dims weight = logical(node->input(1));
  const bool moved = pads(c);
  const int copy = moved ? pad_input(input, c.dims, c.before, c.after) : -1;
  Stage stage;
  const Indices at = walk(logical(value), {}, false, stage);
  const size_t filter = at.size() - static_cast<size_t>(c.dims) - 1;
  const int64_t filters = weight[0] / c.groups;  // of a group
  const Expr group = filters == 1 ? at[filter] : floor_div(at[filter], Expr::imm_i(filters));
  Dims extents{weight[1]};
  for (const int64_t n : c.windows.kernel) extents.push_back(n);
  const Term term = [&](const Indices& within) {
    Indices read(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(filter));
    read.push_back(c.groups == 1 ? within[0] : group * Expr::imm_i(weight[1]) + within[0]);
    for (int d = 0; d < c.dims; ++d)
      read.push_back(at[filter + 1 + static_cast<size_t>(d)] * Expr::imm_i(c.windows.stride[d]) +
                     within[1 + static_cast<size_t>(d)] * Expr::imm_i(c.windows.dilation[d]));
    Indices of_weight{at[filter]};
    of_weight.insert(of_weight.end(), within.begin(), within.end());
    const Expr x = moved ? Expr::load(copy, dtype, read) : element(input, read);
    return convert_operand(x, dtype) * convert_operand(element(node->input(1), of_weight), dtype);
  };
  const bool biased = node->input(2)->type().is_tensor();
  Expr sum = sum_of(extents, term, dtype, biased, stage);
  if (biased) sum = convert_operand(element(node->input(2), {at[filter]}), dtype) + sum;
  stage.value = convert_result(sum, dtype);
  stage.buffer = buffers_[value] = buffer_for(value);
  add_stage(std::move(stage));
}

namespace {

[[maybe_unused]] const auto& kProduct = Table<LoweringKind>::instance().add({
    .name = "product",
    .covers = [](const Operator& op) { return computes_product(op) && !is_convolution(op); },
    .form = kProductForms,
    .emit = [](Lowering& lowering, Value* v) { lowering.emit_product(v); },
});
[[maybe_unused]] const auto& kConvolution = Table<LoweringKind>::instance().add({
    .name = "convolution",
    .covers = &is_convolution,
    .form = kProductForms,
    .emit = [](Lowering& lowering, Value* v) { lowering.emit_convolution(v); },
    .keeps_body = true,
});

}  // namespace
}  // namespace fusillade::fuse
