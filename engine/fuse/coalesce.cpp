// Two neighbouring dimensions of the iteration space merge when every value either spans both or
// neither, and every buffer that spans them steps from one to the next without a gap.
#include "engine/fuse/coalesce.h"

#include <algorithm>
#include <numeric>

namespace fusillade::fuse {
namespace {

// `values` aligned right in `rank` dimensions, missing ones filled with `fill`.
Dims align_right(const Dims& values, int rank, int64_t fill) {
  Dims out(rank, fill);
  for (int d = 0; d < values.rank(); ++d) out[rank - values.rank() + d] = values[d];
  return out;
}

bool mergeable(int a, int b, const Dims& full, const std::vector<Dims>& shapes,
               const std::vector<IterationSpace::Memory>& buffers) {
  int rank = full.rank();
  for (const Dims& shape : shapes) {
    Dims s = align_right(shape, rank, 1);
    bool spans_a = s[a] == full[a];
    bool spans_b = s[b] == full[b];
    bool narrow_a = s[a] == 1;
    bool narrow_b = s[b] == 1;
    if (!(spans_a && spans_b) && !(narrow_a && narrow_b)) return false;
  }
  for (const auto& buffer : buffers) {
    Dims s = align_right(buffer.sizes, rank, 1);
    Dims t = align_right(buffer.strides, rank, 0);
    if (s[a] == 1 && s[b] == 1) continue;
    if (t[a] != t[b] * full[b]) return false;
  }
  return true;
}

}  // namespace

IterationSpace::IterationSpace(const Dims& full, const std::vector<Dims>& shapes,
                               const std::vector<Memory>& buffers)
    : identity_(false), rank_(full.rank()) {
  std::vector<int> order(rank_);
  std::iota(order.begin(), order.end(), 0);
  if (!buffers.empty()) {
    Dims lead = align_right(buffers[0].strides, rank_, 0);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return lead[a] != lead[b] ? lead[a] > lead[b] : a < b; });
  }
  // Size-1 dimensions carry no iteration.
  std::erase_if(order, [&](int d) { return full[d] == 1; });
  for (int d : order) {
    if (!runs_.empty() && mergeable(runs_.back().dims.back(), d, full, shapes, buffers)) {
      runs_.back().dims.push_back(d);
    } else {
      runs_.push_back({{d}});
    }
  }
}

Dims IterationSpace::sizes(const Dims& original) const {
  if (identity_) return original;
  Dims s = align_right(original, rank_, 1);
  Dims out;
  for (const Run& run : runs_) {
    int64_t n = 1;
    for (int d : run.dims) n *= s[d];
    out.push_back(n);
  }
  return out;
}

Dims IterationSpace::strides(const Dims& sizes, const Dims& strides) const {
  if (identity_) return strides;
  Dims s = align_right(sizes, rank_, 1);
  Dims t = align_right(strides, rank_, 0);
  Dims out;
  for (const Run& run : runs_) {
    int last = run.dims.back();
    out.push_back(s[last] == 1 ? 0 : t[last]);
  }
  return out;
}

}  // namespace fusillade::fuse
