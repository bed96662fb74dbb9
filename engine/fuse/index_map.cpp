// A view over a contiguous base is a mixed-radix relabelling. Base dimension k owns the linear
// strides [B_k, B_k * size_k), and these ranges partition the positive numbers, so a view stride s
// belongs to exactly one k. When s is a multiple of B_k and the dimensions that walk along k never
// leave it, the base index is the affine sum of their multiples; otherwise (a reshape that crosses
// dimensions) it is recovered from the linear offset by division.
#include "engine/fuse/index_map.h"

namespace fusillade::fuse {
namespace {

Expr scale(Expr index, int64_t factor) { return index * Expr::imm_i(factor); }

// The base dimension along which linear stride `stride` (> 0) walks, or -1.
int owner_of(int64_t stride, const Dims& sizes, const Dims& base) {
  for (int k = 0; k < sizes.rank(); ++k) {
    if (sizes[k] > 1 && stride >= base[k] && stride < base[k] * sizes[k]) {
      return stride % base[k] == 0 ? k : -1;
    }
  }
  return -1;
}

bool affine_indices(const ViewGeometry& view, const Dims& sizes, const Dims& base,
                    const std::vector<Expr>& indices, std::vector<Expr>* out) {
  Dims reach(sizes.rank());
  out->clear();
  for (int k = 0; k < sizes.rank(); ++k) {
    reach[k] = sizes[k] > 1 ? view.offset / base[k] % sizes[k] : 0;
    out->push_back(Expr::imm_i(reach[k]));
  }
  for (int d = 0; d < view.sizes.rank(); ++d) {
    if (view.sizes[d] <= 1 || view.strides[d] == 0) continue;
    int k = owner_of(view.strides[d], sizes, base);
    if (k < 0) return false;
    int64_t step = view.strides[d] / base[k];
    reach[k] += step * (view.sizes[d] - 1);
    if (reach[k] >= sizes[k]) return false;
    (*out)[k] = (*out)[k] + scale(indices[d], step);
  }
  return true;
}

}  // namespace

std::vector<Expr> base_indices(const ViewGeometry& view, const Dims& base_sizes,
                               const std::vector<Expr>& indices) {
  Dims base = contiguous_strides(base_sizes);
  std::vector<Expr> out;
  if (affine_indices(view, base_sizes, base, indices, &out)) return out;
  Expr linear = Expr::imm_i(view.offset);
  for (int d = 0; d < view.sizes.rank(); ++d) {
    if (view.sizes[d] > 1) linear = linear + scale(indices[d], view.strides[d]);
  }
  out.clear();
  for (int k = 0; k < base_sizes.rank(); ++k) {
    if (base_sizes[k] <= 1) {
      out.push_back(Expr::imm_i(0));
      continue;
    }
    Expr quotient = floor_div(linear, Expr::imm_i(base[k]));
    out.push_back(k == 0 ? quotient : floor_mod(quotient, Expr::imm_i(base_sizes[k])));
  }
  return out;
}

std::vector<Expr> broadcast_indices(const Dims& sizes, const std::vector<Expr>& indices) {
  std::vector<Expr> out;
  size_t skip = indices.size() - sizes.rank();
  for (int d = 0; d < sizes.rank(); ++d) {
    out.push_back(sizes[d] == 1 ? Expr::imm_i(0) : indices[skip + d]);
  }
  return out;
}

}  // namespace fusillade::fuse
