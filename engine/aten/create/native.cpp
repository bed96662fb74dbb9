// Tensors from numbers natively: linspace of floats, indices of a triangle, lines on a diagonal.
// Bit by bit the bodies of ops.py and arrange/ops.py.
#include "engine/ops/native.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "engine/aten/index/index.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

bool all_none(Values args, size_t from) {
  return std::all_of(args.begin() + static_cast<ptrdiff_t>(from), args.end(),
                     [](const IValue& v) { return v.is_none(); });
}

double number(const IValue& v) { return v.is_float() ? v.as_double() : double(v.as_int()); }

template <class T>
void fill_line(T* out, int64_t steps, double start, double end) {
  const T a = static_cast<T>(start), b = static_cast<T>(end);
  const T step = static_cast<T>(steps > 1 ? (end - start) / double(steps - 1) : 0.0);
  const T last = static_cast<T>(steps - 1);
  const int64_t half = steps == 1 ? 1 : steps / 2;
  for (int64_t i = 0; i < half; ++i) out[i] = static_cast<T>(i) * step + a;
  for (int64_t i = half; i < steps; ++i) out[i] = b - (last - static_cast<T>(i)) * step;
}

// start, end, steps, dtype, layout, device, pin_memory
bool run_linspace(Values args, std::vector<IValue>& results) {
  const auto is_number = [](const IValue& v) { return v.is_float() || v.is_int(); };
  if (!is_number(args[0]) || !is_number(args[1]) || !all_none(args, 4)) return false;
  const DType dtype = args[3].is_none() ? DType::F32 : dtype_from_aten(args[3].as_int());
  const double start = number(args[0]), end = number(args[1]);
  const int64_t steps = args[2].as_int();
  const bool far = std::abs(start) > FLT_MAX || std::abs(end) > FLT_MAX;
  if (steps < 0 || (dtype != DType::F64 && (dtype != DType::F32 || far))) return false;
  Tensor out = Tensor::empty({steps}, dtype);
  if (dtype == DType::F64) fill_line(out.data<double>(), steps, start, end);
  else fill_line(out.data<float>(), steps, start, end);
  results.emplace_back(out);
  return true;
}

// row, col, offset, dtype, layout, device, pin_memory; of each row the columns [first, past).
template <class F>
bool run_triangle_indices(Values args, std::vector<IValue>& results, F span) {
  const int64_t rows = args[0].as_int(), columns = args[1].as_int(), offset = args[2].as_int();
  const bool whole = args[3].is_none() || dtype_from_aten(args[3].as_int()) == DType::I64;
  const int64_t most = int64_t{1} << 40;
  if (rows < 0 || columns < 0 || rows > most || columns > most || std::abs(offset) > most ||
      !whole || !all_none(args, 4))
    return false;
  int64_t count = 0;
  for (int64_t i = 0; i < rows; ++i) {
    const auto [first, past] = span(i + offset, columns);
    count += past - first;
  }
  if (count < 2) return false;
  Tensor out = Tensor::empty({2, count}, DType::I64);
  int64_t* row = out.data<int64_t>();
  int64_t* column = row + count;
  for (int64_t i = 0; i < rows; ++i) {
    const auto [first, past] = span(i + offset, columns);
    for (int64_t j = first; j < past; ++j) *row++ = i, *column++ = j;
  }
  results.emplace_back(out);
  return true;
}

using Span = std::pair<int64_t, int64_t>;

bool run_tril(Values args, std::vector<IValue>& results) {
  return run_triangle_indices(args, results, [](int64_t on, int64_t columns) {
    return Span(0, std::clamp<int64_t>(on + 1, 0, columns));
  });
}

bool run_triu(Values args, std::vector<IValue>& results) {
  return run_triangle_indices(args, results, [](int64_t on, int64_t columns) {
    return Span(std::clamp<int64_t>(on, 0, columns), columns);
  });
}

// Lines of `self`, each on the diagonal of a square of zeros.
bool embed(const Tensor& self, int64_t offset, std::vector<IValue>& results) {
  if (self.rank() < 1 || !self.is_contiguous() || self.numel() == 0 ||
      std::abs(offset) > (int64_t{1} << 20))
    return false;
  const int64_t n = self.sizes()[self.rank() - 1], size = n + std::abs(offset);
  Dims sizes = self.sizes();
  sizes[self.rank() - 1] = size;
  sizes.insert(self.rank(), size);
  Tensor out = Tensor::zeros(sizes, self.dtype());
  with_size(self.dtype(), [&](auto e) {
    using E = decltype(e);
    const E* from = reinterpret_cast<const E*>(self.raw());
    E* to = reinterpret_cast<E*>(out.raw()) + (offset < 0 ? -offset * size : offset);
    for (int64_t line = 0; line < self.numel() / n; ++line, to += size * size)
      for (int64_t i = 0; i < n; ++i) to[i * (size + 1)] = *from++;
  });
  results.emplace_back(out);
  return true;
}

// self, offset, dim1, dim2
bool run_diag_embed(Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor();
  const int64_t rank = self.rank() + 1, first = args[2].as_int(), second = args[3].as_int();
  const bool last = (first == -2 || first == rank - 2) && (second == -1 || second == rank - 1);
  return last && embed(self, args[1].as_int(), results);
}

// self, diagonal
bool run_diag(Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor();
  return self.rank() == 1 && embed(self, args[1].as_int(), results);
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"aten::linspace", &run_linspace});
  add_native({"aten::diag_embed", &run_diag_embed});
  add_native({"aten::diag", &run_diag});
  add_native({"aten::tril_indices", &run_tril});
  add_native({"aten::triu_indices", &run_triu});
  return true;
}();

}  // namespace
}  // namespace fusillade
