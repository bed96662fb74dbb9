// See split_reductions.h.
#include "engine/fuse/split_reductions.h"

#include "engine/fuse/expr_rewrite.h"
#include "engine/fuse/statements.h"
#include "engine/fuse/welford.h"

namespace fusillade::fuse {
namespace {

using namespace write;

constexpr int64_t kFewRows = 64;  // so many blocks are enough
constexpr int64_t kMostParts = 64;
constexpr int64_t kLeastEach = 4;  // elements of a part

// The largest number of equal parts of n, at most kMostParts, of kLeastEach elements at least.
int64_t parts_of(int64_t n) {
  int64_t parts = std::clamp<int64_t>(n / kLeastEach, 1, kMostParts);
  while (n % parts != 0) --parts;
  return parts;
}

// The dimension that is cut, of those that are reduced; -1: none.
int cut_of(const Stage& stage, const DynamicNumbers& numbers) {
  if (stage.accumulator < 0 || numel_of(stage.sizes) > kFewRows ||
      numel_of(stage.reduce_sizes) <= long_reduction() ||
      numbers.dynamic(numel_of(stage.reduce_sizes)))
    return -1;
  for (int d = 0; d < stage.reduce_sizes.rank(); ++d)
    if (parts_of(stage.reduce_sizes[d]) > 1) return d;
  return -1;
}

// Of parts: their number is one more dimension that stays, before those that are reduced.
Stage of_parts(const Stage& stage, int cut, kernel::Kernel& kernel) {
  const int rank = stage.sizes.rank();
  const int64_t parts = parts_of(stage.reduce_sizes[cut]);
  const int64_t each = stage.reduce_sizes[cut] / parts;
  const Model model = stage.identity.model();
  const DType dtype = model == Model::I64   ? DType::I64
                      : model == Model::F32 ? DType::F32
                                            : DType::F64;
  Stage out = stage;
  out.sizes.push_back(parts);
  out.reduce_sizes[cut] = each;
  out.accumulator = kernel.num_vars++;
  ExprRewrite moved([&](const ExprNode* e) -> Expr {
    if (e->op != ExprOp::Var) return {};
    if (e->id == stage.accumulator) return Expr::var(out.accumulator, model);
    const int reduced = e->id - rank;
    if (reduced < 0 || reduced >= stage.reduce_sizes.rank()) return {};
    const Expr inside = index_var(e->id + 1);
    return reduced == cut ? index_var(rank) * number(each) + inside : inside;
  });
  out.update = moved(stage.update);
  out.value = Expr::var(out.accumulator, model);
  out.indices.clear();
  for (int d = 0; d <= rank; ++d) out.indices.push_back(index_var(d));
  out.buffer = static_cast<int>(kernel.buffers.size());
  kernel.buffers.push_back(
      {kernel::BufferRole::Temp, dtype, out.sizes, contiguous_strides(out.sizes)});
  return out;
}

Stage of_what_parts_gave(const Stage& stage, const Stage& parts, const kernel::Kernel& kernel) {
  Stage out = stage;
  out.reduce_sizes = Dims{parts.sizes[stage.sizes.rank()]};
  const DType dtype = kernel.buffers[static_cast<size_t>(parts.buffer)].dtype;
  const Expr pair[2] = {Expr::var(stage.accumulator, stage.identity.model()),
                        Expr::load(parts.buffer, dtype, parts.indices)};
  if (stage.moments) {
    out.update = pair[1];
    return out;
  }
  FormulaModel formula(stage.identity.model());
  out.update = stage.combine->expr(pair);
  return out;
}

// Parts of a pair have accumulators of their own; all of them have as many elements.
void share_pair(const Stage& mean, const Stage& squares, int cut, kernel::Kernel& kernel,
                std::vector<Stage>& out) {
  Stage parts[] = {of_parts(mean, cut, kernel), of_parts(squares, cut, kernel)};
  Stage whole[] = {of_what_parts_gave(mean, parts[0], kernel),
                   of_what_parts_gave(squares, parts[1], kernel)};
  const StageMoments& m = *mean.moments;
  const int64_t each = numel_of(parts[0].reduce_sizes);
  const auto of_part = std::make_shared<const StageMoments>(
      StageMoments{kernel.num_vars++, parts[0].accumulator, parts[1].accumulator, m.of_count});
  const Expr count = Expr::imm_f(static_cast<double>(each), mean.identity.model());
  const auto of_whole =
      std::make_shared<const StageMoments>(StageMoments{m.count, m.mean, m.squares, count});
  for (Stage& s : parts) s.moments = of_part;
  for (Stage& s : whole) s.moments = of_whole;
  for (Stage* both : {parts, whole}) out.insert(out.end(), both, both + 2);
}

}  // namespace

std::vector<Stage> share_rows(const std::vector<Stage>& stages, const DynamicNumbers& numbers,
                              kernel::Kernel& kernel) {
  std::vector<Stage> out;
  for (size_t i = 0; i < stages.size(); ++i) {
    const Stage& stage = stages[i];
    const int cut = cut_of(stage, numbers);
    if (cut < 0) {
      out.push_back(stage);
      continue;
    }
    if (stage.moments) {
      share_pair(stage, stages[++i], cut, kernel, out);
      continue;
    }
    out.push_back(of_parts(stage, cut, kernel));
    out.push_back(of_what_parts_gave(stage, out.back(), kernel));
  }
  return out;
}

}  // namespace fusillade::fuse
