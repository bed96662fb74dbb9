// See share_rows.h.
#include "engine/fuse/share_rows.h"

#include "engine/fuse/expr_rewrite.h"
#include "engine/fuse/statements.h"

namespace fusillade::fuse {
namespace {

using namespace write;

constexpr int64_t kLong = 8192;   // elements of a row that one block may have to itself
constexpr int64_t kFewRows = 64;  // so many blocks are enough
constexpr int64_t kMostParts = 64;

// The largest number of equal parts of n, at most kMostParts.
int64_t parts_of(int64_t n) {
  int64_t parts = std::min(n, kMostParts);
  while (n % parts != 0) --parts;
  return parts;
}

// The dimension that is cut, of those that are reduced; -1: none.
int cut_of(const Stage& stage) {
  if (stage.accumulator < 0 || numel_of(stage.sizes) > kFewRows ||
      numel_of(stage.reduce_sizes) <= kLong)
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
  FormulaModel formula(stage.identity.model());
  out.update = stage.combine->expr(pair);
  return out;
}

}  // namespace

std::vector<Stage> share_rows(const std::vector<Stage>& stages, kernel::Kernel& kernel) {
  std::vector<Stage> out;
  for (const Stage& stage : stages) {
    const int cut = cut_of(stage);
    if (cut < 0) {
      out.push_back(stage);
      continue;
    }
    out.push_back(of_parts(stage, cut, kernel));
    out.push_back(of_what_parts_gave(stage, out.back(), kernel));
  }
  return out;
}

}  // namespace fusillade::fuse
