// scatter_reduce natively: each element of the source is combined with the one at its index, in
// order. Also elements put where a mask says or at indices, and indices repeated as counts say.
//
// The steps are the body's. Contiguous floats, doubles and i64; elements that are only put
// somewhere are of any dtype.
#include "engine/ops/native.h"

#include <algorithm>

#include "engine/aten/index/index.h"
#include "engine/tensor/element_size.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

// The operands of a join: source element i is combined with the one at indices[i]. Without
// include_self the first source element replaces that one.
template <class T>
struct Joining {
  const Scratch<int64_t>& indices;
  const T* source;
  T* out;
  Scratch<int64_t> counts;  // elements joined at each index; empty where not needed
};

template <class T, class F>
void join(Joining<T>& j, bool include_self, F f) {
  const T* item = j.source;
  if (j.counts.empty()) {
    for (int64_t at : j.indices) j.out[at] = f(j.out[at], *item++);
    return;
  }
  for (int64_t at : j.indices) {
    const bool first = !include_self && j.counts[static_cast<size_t>(at)] == 0;
    ++j.counts[static_cast<size_t>(at)];
    j.out[at] = first ? *item : f(j.out[at], *item);
    ++item;
  }
}

template <class T>
T combine_wrapping(T a, T b, bool product) {
  if constexpr (std::is_same_v<T, int64_t>) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    return static_cast<T>(product ? x * y : x + y);
  } else {
    return product ? a * b : a + b;
  }
}

template <class T>
void divide(T* out, const Scratch<int64_t>& counts, bool include_self) {
  for (size_t i = 0; i < counts.size(); ++i) {
    const int64_t n = std::max<int64_t>(counts[i] + include_self, 1);
    if constexpr (std::is_same_v<T, int64_t>) {
      const int64_t whole = out[i] / n;
      out[i] = whole - (out[i] % n < 0);
    } else {
      out[i] /= static_cast<T>(n);
    }
  }
}

template <class T>
void reduce(const std::string& how, bool include_self, Joining<T>& j, int64_t elements) {
  const bool mean = how == "mean", sum = how == "sum" || mean;
  if (mean || !include_self) j.counts.assign(static_cast<size_t>(elements), 0);
  if (sum && !include_self)
    for (int64_t at : j.indices) j.out[at] = T(0);
  if (sum) join(j, true, [](T a, T b) { return combine_wrapping(a, b, false); });
  else if (how == "prod")
    join(j, include_self, [](T a, T b) { return combine_wrapping(a, b, true); });
  else if (how == "amax")
    join(j, include_self, [](T a, T b) { return a != a ? a : b != b || a < b ? b : a; });
  else join(j, include_self, [](T a, T b) { return a != a ? a : b != b || b < a ? b : a; });
  if (mean) divide(j.out, j.counts, include_self);
}

// self, dim, index, src, reduce, include_self
bool run_scattered(Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor(), index = args[2].as_tensor(), src = args[3].as_tensor();
  const DType dtype = self.dtype();
  const bool stored = dtype == DType::F32 || dtype == DType::F64 || dtype == DType::I64;
  const int64_t rank = self.rank(), dim = args[1].as_int();
  if (!stored || !self.is_contiguous() || dim < -rank || dim >= rank || src.dtype() != dtype)
    return false;
  for (int d = 0; d < rank; ++d)
    if (index.sizes()[d] > src.sizes()[d]) return false;
  const Tensor out = contiguous(self, true);
  Indices indices;
  try {
    indices = gather_indices(operator_named("prim::scatter_reduce"), out, dim, index);
  } catch (const Error&) {
    return false;
  }
  const Tensor source =
      contiguous(Tensor::view_of(src, src.offset(), index.sizes(), src.strides()));
  const std::string& how = args[4].as_str();
  auto go = [&]<class T>(T* to) {
    Joining<T> joining{indices.starts, source.data<T>(), to, {}};
    reduce(how, args[5].as_bool(), joining, out.numel());
  };
  FUS_CHECK(out.offset() == 0, "a fresh tensor begins at {}", out.offset());
  if (dtype == DType::F32) go(out.data<float>());
  else if (dtype == DType::F64) go(out.data<double>());
  else go(out.data<int64_t>());
  results.emplace_back(out);
  return true;
}

// Without branches: masks are seldom foreseen.
template <class T>
void put_masked(const Tensor& self, const uint8_t* mask, const Tensor& source, const Tensor& out) {
  const T *from = reinterpret_cast<const T*>(self.raw()),
          *next = reinterpret_cast<const T*>(source.raw());
  const T* const end = next + source.numel();
  T* to = reinterpret_cast<T*>(out.raw());
  const int64_t n = out.numel();
  int64_t i = 0;
  for (; i < n && next != end; ++i) {
    const bool put = mask[i] != 0;
    const T chosen = static_cast<T>(-static_cast<T>(put));
    to[i] = static_cast<T>((*next & chosen) | (from[i] & ~chosen));
    next += put;
  }
  std::copy_n(from + i, n - i, to + i);
}

// self, mask, source: all as they lie.
bool run_masked_scatter(Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor(), mask = args[1].as_tensor(), source = args[2].as_tensor();
  const bool plain = self.is_contiguous() && mask.is_contiguous() && source.is_contiguous();
  if (!plain || mask.dtype() != DType::Bool || source.dtype() != self.dtype() ||
      !(mask.sizes() == self.sizes()) || self.numel() == 0)
    return false;
  const uint8_t* where = mask.raw();
  const int64_t n = self.numel(), count = n - std::count(where, where + n, uint8_t{0});
  if (source.numel() < count) return false;
  const Tensor out = Tensor::empty(self.sizes(), self.dtype());
  const size_t size = size_of(self.dtype());
  if (size == 1) put_masked<uint8_t>(self, where, source, out);
  else if (size == 2) put_masked<uint16_t>(self, where, source, out);
  else if (size == 4) put_masked<uint32_t>(self, where, source, out);
  else put_masked<uint64_t>(self, where, source, out);
  results.emplace_back(out);
  return true;
}

template <class T>
void repeat_indices(const Tensor& repeats, const Tensor& out) {
  const T* counts = repeats.data<T>();
  T* to = out.data<T>();
  const int64_t n = repeats.numel();
  for (int64_t i = 0; i < n; ++i) to = std::fill_n(to, counts[i], static_cast<T>(i));
}

// repeats, output_size: each place as often as its count says.
bool run_repeats(Values args, std::vector<IValue>& results) {
  const Tensor repeats = args[0].as_tensor();
  const DType dtype = repeats.dtype();
  if (repeats.rank() != 1 || !repeats.is_contiguous() ||
      (dtype != DType::I64 && dtype != DType::I32))
    return false;
  const int64_t n = repeats.numel();
  int64_t total = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t each =
        dtype == DType::I64 ? repeats.data<int64_t>()[i] : repeats.data<int32_t>()[i];
    if (each < 0 || __builtin_add_overflow(total, each, &total)) return false;
  }
  const Tensor out = Tensor::empty(Dims{total}, dtype);
  if (dtype == DType::I64) repeat_indices<int64_t>(repeats, out);
  else repeat_indices<int32_t>(repeats, out);
  results.emplace_back(out);
  return true;
}

// self, index: of all elements, as they lie.
bool run_take(Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor(), index = args[1].as_tensor();
  if (!self.is_contiguous() || !index.is_contiguous() || index.dtype() != DType::I64) return false;
  const int64_t count = self.numel(), n = index.numel();
  const int64_t* indices = index.data<int64_t>();
  int64_t least = 0, most = -1;
  for (int64_t i = 0; i < n; ++i) {
    least = std::min(least, indices[i]);
    most = std::max(most, indices[i]);
  }
  if (least < -count || most >= count) return false;
  const Tensor out = Tensor::empty(index.sizes(), self.dtype());
  with_size(self.dtype(), [&](auto element) {
    using E = decltype(element);
    const E* from = self.data<E>();
    E* to = out.data<E>();
    for (int64_t i = 0; i < n; ++i) to[i] = from[indices[i] + (indices[i] < 0 ? count : 0)];
  });
  results.emplace_back(out);
  return true;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"prim::scatter_reduce", &run_scattered});
  add_native({"aten::masked_scatter", &run_masked_scatter});
  add_native({"aten::repeat_interleave.Tensor", &run_repeats});
  add_native({"aten::take", &run_take});
  return true;
}();

}  // namespace
}  // namespace fusillade
