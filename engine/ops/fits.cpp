// See fits.h.
#include "engine/ops/fits.h"

#include <algorithm>

namespace fusillade {
namespace {

bool bind_symbol(int64_t symbol, int64_t size, SymbolSizes& bound) {
  auto known = std::find_if(bound.begin(), bound.end(), [&](auto& b) { return b.first == symbol; });
  if (known != bound.end()) return known->second == size;
  bound.emplace_back(symbol, size);
  return true;
}

}  // namespace

bool tensor_fits(const Tensor& t, const TensorInfo& info, SymbolSizes& bound) {
  if (!t.is_defined()) return false;
  if (info.has_dtype && t.dtype() != info.dtype) return false;
  if (info.device && t.device() != *info.device) return false;
  if (info.requires_grad && *info.requires_grad != t.requires_grad()) return false;
  if (!info.rank_known) return true;
  if (t.rank() != info.sizes.rank()) return false;
  for (int i = 0; i < t.rank(); ++i) {
    if (info.sizes[i] >= 0 && t.sizes()[i] != info.sizes[i]) return false;
    if (info.sizes[i] < -1 && !bind_symbol(info.sizes[i], t.sizes()[i], bound)) return false;
    if (info.strides_known && info.strides[i] >= 0 && t.strides()[i] != info.strides[i])
      return false;
  }
  return true;
}

}  // namespace fusillade
