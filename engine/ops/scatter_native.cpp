// scatter_reduce natively: each element of the source joins the one at its place, in order.
//
// The steps are the body's. Contiguous floats, doubles and i64.
#include <algorithm>

#include "engine/ops/index.h"
#include "engine/ops/native.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

// What is joined: source element i with the one at places[i], of which the first counts where
// `fresh` says so.
template <class T>
struct Joining {
  const std::vector<int64_t>& places;
  const T* source;
  T* out;
  std::vector<int64_t> counts;  // how many have come to each place; empty where nobody asks
};

template <class T, class F>
void join(Joining<T>& j, bool include_self, F f) {
  const T* item = j.source;
  if (j.counts.empty()) {
    for (int64_t at : j.places) j.out[at] = f(j.out[at], *item++);
    return;
  }
  for (int64_t at : j.places) {
    const bool first = !include_self && j.counts[static_cast<size_t>(at)] == 0;
    ++j.counts[static_cast<size_t>(at)];
    j.out[at] = first ? *item : f(j.out[at], *item);
    ++item;
  }
}

template <class T>
T wrapped(T a, T b, bool product) {
  if constexpr (std::is_same_v<T, int64_t>) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    return static_cast<T>(product ? x * y : x + y);
  } else {
    return product ? a * b : a + b;
  }
}

template <class T>
void divide(T* out, const std::vector<int64_t>& counts, bool include_self) {
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
  if (mean || !include_self) j.counts.resize(static_cast<size_t>(elements));
  if (sum && !include_self)
    for (int64_t at : j.places) j.out[at] = T(0);
  if (sum) join(j, true, [](T a, T b) { return wrapped(a, b, false); });
  else if (how == "prod") join(j, include_self, [](T a, T b) { return wrapped(a, b, true); });
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
  Places places;
  try {
    places = gather_places(row("prim::scattered"), out, dim, index);
  } catch (const Error&) {
    return false;
  }
  const Tensor source =
      contiguous(Tensor::view_of(src, src.offset(), index.sizes(), src.strides()));
  const std::string& how = args[4].as_str();
  auto go = [&]<class T>(T* to) {
    Joining<T> joining{places.starts, source.data<T>(), to, {}};
    reduce(how, args[5].as_bool(), joining, out.numel());
  };
  FUS_CHECK(out.offset() == 0, "a fresh tensor begins at {}", out.offset());
  if (dtype == DType::F32) go(out.data<float>());
  else if (dtype == DType::F64) go(out.data<double>());
  else go(out.data<int64_t>());
  results.emplace_back(out);
  return true;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"prim::scattered", &run_scattered});
  return true;
}();

}  // namespace
}  // namespace fusillade
