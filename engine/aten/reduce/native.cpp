// nansum natively, line by line of the last dimension, so that neither the mask nor what it leaves
// goes through memory.
//
// Each step is the body's, in the order of its sum (fold.h), so results are equal bit by bit.
// Contiguous floats and doubles; what else there is, is the body's.
#include "engine/ops/native.h"

#include "engine/ops/fold.h"
#include "engine/tensor/memory_pool.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr auto kAdd = [](auto a, auto b) { return a + b; };

template <class T>
void sum_numbers(const Tensor& self, const Tensor& out) {
  static const Fold fold = fold_of(kAdd);
  static const NativeLoop combine = &formula::lanes_loop<2, Lanes<T>, T, decltype(kAdd)>;
  const int64_t n = self.sizes().back();
  const T* x = self.data<T>();
  Scratch<T> kept(static_cast<size_t>(n));
  const Lines line{self.dtype(), reinterpret_cast<const uint8_t*>(kept.data()), n, 1, 1, 1,
                   nullptr};
  for (int64_t i = 0; i < out.numel(); ++i, x += n) {
    for (int64_t j = 0; j < n; ++j) kept[static_cast<size_t>(j)] = x[j] == x[j] ? x[j] : T(0);
    out.data<T>()[i] = T(0) + fold_line<T>(line, combine, fold);
  }
}

bool is_last(const IValue& dim, int rank) {
  if (dim.is_none()) return false;
  const Dims dims = dim.is_int() ? Dims{dim.as_int()} : dim.as_dims();
  return dims.rank() == 1 && (dims[0] == -1 || dims[0] == rank - 1);
}

// self, dim, keepdim, dtype
bool run_nansum(Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor();
  const bool stored = self.dtype() == DType::F32 || self.dtype() == DType::F64;
  if (!stored || !self.is_contiguous() || self.rank() == 0 || self.numel() == 0 ||
      !is_last(args[1], self.rank()) || !args[3].is_none())
    return false;
  Dims sizes = self.sizes();
  sizes.pop_back();
  if (args[2].as_bool()) sizes.push_back(1);
  const Tensor out = Tensor::empty(sizes, self.dtype());
  if (self.dtype() == DType::F32) sum_numbers<float>(self, out);
  else sum_numbers<double>(self, out);
  results.emplace_back(out);
  return true;
}

[[maybe_unused]] const NativeBody& kNansum = add_native({"aten::nansum", &run_nansum});

}  // namespace
}  // namespace fusillade
