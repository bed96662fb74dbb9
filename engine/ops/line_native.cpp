// Rows over lines of elements natively: running products and extremes, places in sorted lines, the
// commonest element, distances between rows, elements that are not zero.
//
// Results are the bodies' bit by bit but for distances, whose sums are taken in another order.
// Contiguous elements of four or eight bytes; what else there is, is the body's.
#include <algorithm>
#include <cmath>

#include "engine/ops/native.h"
#include "engine/ops/order.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

// f with a pointer to the elements, if they are computed as they are stored.
template <class F>
bool with_elements(const Tensor& t, F f) {
  switch (t.dtype()) {
    case DType::F32:
      f(t.data<float>());
      return true;
    case DType::F64:
      f(t.data<double>());
      return true;
    case DType::I64:
      f(t.data<int64_t>());
      return true;
    default:
      return false;
  }
}

bool is_plain(const Tensor& t) {
  bool stored = t.dtype() == DType::F32 || t.dtype() == DType::F64 || t.dtype() == DType::I64;
  return stored && t.is_contiguous() && t.numel() > 0;
}

// A tensor as outer x length x step elements, along one dimension.
struct Along {
  int64_t outer = 1, length = 1, step = 1;
  Along(const Dims& sizes, int d) {
    for (int k = 0; k < d; ++k) outer *= sizes[k];
    length = sizes[d];
    for (int k = d + 1; k < sizes.rank(); ++k) step *= sizes[k];
  }
};

bool has_dim(const Tensor& t, int64_t dim) { return dim >= -t.rank() && dim < t.rank(); }

template <class T>
T product(T a, T b) {
  if constexpr (std::is_same_v<T, int64_t>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else return a * b;
}

bool run_cumprod(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (!is_plain(self) || !has_dim(self, args[1].as_int()) || !args[2].is_none()) return false;
  Along along(self.sizes(), wrap_dim(args[1].as_int(), self.rank()));
  Tensor out = Tensor::empty(self.sizes(), self.dtype());
  results.emplace_back(out);
  return with_elements(self, [&](auto* from) {
    auto* to = out.data<std::remove_pointer_t<decltype(from)>>();
    for (int64_t o = 0; o < along.outer; ++o) {
      for (int64_t k = 0; k < along.step; ++k) to[k] = from[k];
      for (int64_t i = 1; i < along.length; ++i) {
        to += along.step, from += along.step;
        for (int64_t k = 0; k < along.step; ++k) to[k] = product(to[k - along.step], from[k]);
      }
      to += along.step, from += along.step;
    }
  });
}

// self, dim, largest: of equal elements the later one, and after a NaN nothing else.
bool run_running_extreme(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (!is_plain(self) || !has_dim(self, args[1].as_int())) return false;
  Along along(self.sizes(), wrap_dim(args[1].as_int(), self.rank()));
  bool largest = args[2].as_bool();
  Tensor values = Tensor::empty(self.sizes(), self.dtype());
  Tensor places = Tensor::empty(self.sizes(), DType::I64);
  results.emplace_back(values);
  results.emplace_back(places);
  return with_elements(self, [&](auto* from) {
    using T = std::remove_pointer_t<decltype(from)>;
    T* to = values.data<T>();
    int64_t* place = places.data<int64_t>();
    for (int64_t o = 0; o < along.outer; ++o) {
      for (int64_t i = 0; i < along.length; ++i) {
        for (int64_t k = 0; k < along.step; ++k) {
          T item = from[k], best = i ? to[k - along.step] : item;
          bool newer =
              i == 0 || item != item || ((largest ? item >= best : item <= best) && best == best);
          to[k] = newer ? item : best;
          place[k] = newer ? i : place[k - along.step];
        }
        to += along.step, from += along.step, place += along.step;
      }
    }
  });
}

std::vector<uint64_t> keys_of(const Tensor& t) {
  std::vector<uint64_t> keys(static_cast<size_t>(t.numel()));
  load_keys(t.dtype(), t.raw(), 1, t.numel(), keys.data());
  return keys;
}

// sorted_sequence, self, out_int32, right, side, sorter. A line that does not ascend is the body's:
// it counts.
bool run_searchsorted(Values args, std::vector<IValue>& results) {
  Tensor line = args[0].as_tensor(), self = args[1].as_tensor();
  bool plain = is_plain(line) && line.dtype() == self.dtype() && self.is_contiguous();
  if (!plain || !args[4].is_none() || !args[5].is_none() || line.rank() == 0) return false;
  int64_t length = line.sizes().back(), lines = line.numel() / length;
  if (lines > 1 || line.rank() > 1) {
    if (self.rank() != line.rank() || self.numel() == 0) return false;
    for (int d = 0; d + 1 < line.rank(); ++d) {
      if (self.sizes()[d] != line.sizes()[d]) return false;
    }
  }
  std::vector<uint64_t> keys = keys_of(line), wanted = keys_of(self);
  for (int64_t i = 0; i < lines; ++i) {
    if (!std::is_sorted(keys.begin() + i * length, keys.begin() + (i + 1) * length)) return false;
  }
  bool narrow = args[2].as_bool(), right = args[3].as_bool();
  Tensor out = Tensor::empty(self.sizes(), narrow ? DType::I32 : DType::I64);
  int64_t share = std::max<int64_t>(self.numel() / lines, 1);
  for (int64_t i = 0; i < self.numel(); ++i) {
    const uint64_t* first = keys.data() + i / share * length;
    const uint64_t* last = first + length;
    uint64_t key = wanted[static_cast<size_t>(i)];
    int64_t at =
        (right ? std::upper_bound(first, last, key) : std::lower_bound(first, last, key)) - first;
    if (narrow) out.data<int32_t>()[i] = static_cast<int32_t>(at);
    else out.data<int64_t>()[i] = at;
  }
  results.emplace_back(out);
  return true;
}

// self, dim, keepdim: of the commonest elements of a line the least, and the last place of it.
bool run_mode(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  bool last = self.rank() > 0 && (args[1].as_int() == -1 || args[1].as_int() == self.rank() - 1);
  if (!last || !is_plain(self) || self.dtype() != DType::I64) return false;
  int64_t length = self.sizes().back(), lines = self.numel() / length;
  Dims sizes = self.sizes();
  sizes.pop_back();
  if (args[2].as_bool()) sizes.push_back(1);
  Tensor values = Tensor::empty(sizes, self.dtype()), places = Tensor::empty(sizes, DType::I64);
  std::vector<uint64_t> keys(static_cast<size_t>(length));
  std::vector<Ranked> order;
  for (int64_t i = 0; i < lines; ++i) {
    const int64_t* from = self.data<int64_t>() + i * length;
    load_keys(DType::I64, from, 1, length, keys.data());
    sort_keys(DType::I64, keys.data(), length, length, false, order);
    int64_t best = 0, most = 0, run = 0;
    for (size_t k = 0; k < order.size(); ++k) {
      run = k > 0 && order[k].key == order[k - 1].key ? run + 1 : 1;
      if (run > most) most = run, best = order[k].place;
    }
    values.data<int64_t>()[i] = from[best];
    places.data<int64_t>()[i] = best;
  }
  results.emplace_back(values);
  results.emplace_back(places);
  return true;
}

// sqrt of the sum of squares, several rows of the second matrix at once.
template <class T>
void distances(const T* a, const T* turned, int64_t columns, int64_t rows, T* out) {
  std::fill_n(out, rows, T(0));
  for (int64_t k = 0; k < columns; ++k) {
    const T* line = turned + k * rows;
    for (int64_t j = 0; j < rows; ++j) {
      T apart = a[k] - line[j];
      out[j] += apart * apart;
    }
  }
  for (int64_t j = 0; j < rows; ++j) out[j] = std::sqrt(out[j]);
}

// x1, x2, p, compute_mode: two matrices, p of 2.
bool run_cdist(Values args, std::vector<IValue>& results) {
  Tensor a = args[0].as_tensor(), b = args[1].as_tensor();
  bool matrices = a.rank() == 2 && b.rank() == 2 && a.sizes()[1] == b.sizes()[1];
  if (!matrices || !is_plain(a) || !is_plain(b) || a.dtype() != b.dtype() ||
      a.dtype() == DType::I64 || args[2].as_double() != 2)
    return false;
  int64_t m = a.sizes()[0], n = b.sizes()[0], k = a.sizes()[1];
  Tensor turned = contiguous(Tensor::view_of(b, b.offset(), Dims{k, n}, Dims{1, k}));
  Tensor out = Tensor::empty(Dims{m, n}, a.dtype());
  results.emplace_back(out);
  for (int64_t i = 0; i < m; ++i) {
    if (a.dtype() == DType::F32)
      distances(a.data<float>() + i * k, turned.data<float>(), k, n, out.data<float>() + i * n);
    else
      distances(a.data<double>() + i * k, turned.data<double>(), k, n, out.data<double>() + i * n);
  }
  return true;
}

// The places of elements that are not 0: a row of numbers for each.
bool run_nonzero(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (self.rank() == 0 || !self.is_contiguous() || self.dtype() != DType::Bool) return false;
  const uint8_t* element = self.raw();
  int64_t n = self.numel(), count = n - std::count(element, element + n, uint8_t{0});
  Tensor out = Tensor::empty(Dims{count, self.rank()}, DType::I64);
  int64_t* to = out.data<int64_t>();
  const int64_t* end = to + out.numel();
  Dims at(self.rank());
  int last = self.rank() - 1;
  int64_t line = self.sizes().back();
  for (int64_t i = 0; i < n; i += line) {
    // Written for every element, kept for those that count.
    for (int64_t j = 0; j < line && to != end; ++j) {
      for (int d = 0; d < last; ++d) to[d] = at[d];
      to[last] = j;
      to += element[i + j] != 0 ? last + 1 : 0;
    }
    for (int d = last - 1; d >= 0; --d) {
      if (++at[d] < self.sizes()[d]) break;
      at[d] = 0;
    }
  }
  results.emplace_back(out);
  return true;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"aten::cumprod", &run_cumprod});
  add_native({"prim::running_extreme", &run_running_extreme});
  add_native({"aten::searchsorted.Tensor", &run_searchsorted});
  add_native({"aten::mode", &run_mode});
  add_native({"aten::cdist", &run_cdist});
  add_native({"aten::nonzero", &run_nonzero});
  return true;
}();

}  // namespace
}  // namespace fusillade
