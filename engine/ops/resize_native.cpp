// Resizing one dimension to the nearest elements natively: the numbers that the body would make as
// tensors, and lines copied by them.
//
// Places are computed as the body does, in float32 but for doubles, so results are equal bit by
// bit.
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/ops/index.h"
#include "engine/ops/native.h"
#include "engine/ops/view.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

// Element i of the result is element places[i] of `old` ones.
template <class T>
std::vector<int64_t> places_of(int64_t size, int64_t old, double step, bool centred) {
  std::vector<int64_t> out(static_cast<size_t>(size));
  const T half = centred ? T(0.5) : T(0), each = static_cast<T>(step);
  for (int64_t i = 0; i < size; ++i) {
    const T place = std::floor((static_cast<T>(i) + half) * each);
    out[static_cast<size_t>(i)] =
        static_cast<int64_t>(std::clamp(place, T(0), static_cast<T>(old - 1)));
  }
  return out;
}

// input, dim, size, scale, mode, corners
bool run_resized(Values args, std::vector<IValue>& results) {
  const Tensor input = args[0].as_tensor();
  const int64_t rank = input.rank(), dim = args[1].as_int(), size = args[2].as_int();
  const double scale = args[3].as_double();
  const std::string& mode = args[4].as_str();
  const bool nearest = mode == "nearest" || mode == "exact";
  if (!nearest || args[5].as_bool() || dim < 0 || dim >= rank || size < 1 || size >= 1 << 24)
    return false;
  const int64_t old = input.sizes()[static_cast<int>(dim)];
  if (!input.is_contiguous() || input.numel() == 0 || old >= 1 << 24) return false;
  const double step = scale > 0 ? 1 / scale : static_cast<double>(old) / static_cast<double>(size);
  if (!(step < 1e30)) return false;
  const std::vector<int64_t> places = input.dtype() == DType::F64
                                          ? places_of<double>(size, old, step, mode == "exact")
                                          : places_of<float>(size, old, step, mode == "exact");
  Dims sizes = input.sizes();
  sizes[static_cast<int>(dim)] = size;
  Tensor out = Tensor::empty(sizes, input.dtype());
  int64_t run = 1;
  for (int64_t k = dim + 1; k < rank; ++k) run *= input.sizes()[static_cast<int>(k)];
  with_size(input.dtype(), [&](auto element) {
    using E = decltype(element);
    const E* from = input.data<E>();
    E* to = out.data<E>();
    for (int64_t lines = input.numel() / (old * run); lines > 0; --lines, from += old * run) {
      if (run == 1) {
        for (int64_t place : places) *to++ = from[place];
        continue;
      }
      for (int64_t place : places) to = std::copy_n(from + place * run, run, to);
    }
  });
  results.emplace_back(out);
  return true;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"prim::resized", &run_resized});
  return true;
}();

}  // namespace
}  // namespace fusillade
