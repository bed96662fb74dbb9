// Indices into a tensor's storage, written and added to: what index_put, scatter and their kin end
// in (see index.h). In order, so that of two values for one index the last one stays.
#include <cstring>

#include "engine/aten/index/index.h"
#include "engine/tensor/block.h"

namespace fusillade {

Walk runs_of(Dims sizes, Dims strides) {
  int64_t run = 1;
  while (!sizes.empty() && (sizes.back() == 1 || strides.back() == run)) {
    run *= sizes.back();
    sizes.pop_back();
    strides.pop_back();
  }
  return {sizes, strides, run};
}

void put(const Scatter& s) {
  Tensor packed = contiguous(s.values, s.values.shares_storage(s.self));
  with_size(s.self.dtype(), [&](auto element) {
    using E = decltype(element);
    E* to = reinterpret_cast<E*>(s.self.storage()->data());
    const E* from = packed.data<E>();
    for (int64_t at : s.indices.starts) {
      if (s.indices.run == 1) to[at] = *from;
      else std::memcpy(to + at, from, static_cast<size_t>(s.indices.run) * sizeof(E));
      from += s.indices.run;
    }
  });
}

ScatterPlan plan_of(const Scatter& s) {
  ScatterPlan plan{s.self, s.values, {}};
  plan.indices.reserve(s.indices.starts.size() * static_cast<size_t>(s.indices.run));
  for (int64_t at : s.indices.starts) {
    for (int64_t k = 0; k < s.indices.run; ++k) plan.indices.push_back(at + k);
  }
  return plan;
}

namespace {

template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_same_v<T, int64_t>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else return a + b;
}

// Elements of memory that are of the compute type.
template <class T>
void add_directly(const Scatter& s, const Tensor& values) {
  T* to = reinterpret_cast<T*>(s.self.storage()->data());
  const T* from = values.data<T>();
  if (s.indices.run == 1) {
    for (int64_t at : s.indices.starts) to[at] = sum_of(to[at], *from++);
    return;
  }
  for (int64_t at : s.indices.starts) {
    for (int64_t k = 0; k < s.indices.run; ++k) to[at + k] = sum_of(to[at + k], from[k]);
    from += s.indices.run;
  }
}

template <class T>
void add_at_indices(const Scatter& s) {
  Tensor values = contiguous(s.values, s.values.shares_storage(s.self));
  DType dtype = s.self.dtype();
  if (size_of(dtype) == sizeof(T) && is_float(dtype) != std::is_same_v<T, int64_t>)
    return add_directly<T>(s, values);
  int64_t size = static_cast<int64_t>(size_of(dtype)), i = 0;
  for (int64_t start : s.indices.starts) {
    for (int64_t k = 0; k < s.indices.run; ++k, ++i) {
      uint8_t* to = s.self.storage()->data() + (start + k) * size;
      T sum, added;
      load_block<T>(dtype, to, 1, 1, &sum);
      load_block<T>(dtype, values.raw() + i * size, 1, 1, &added);
      sum = sum_of(sum, added);
      store_block<T>(dtype, to, 1, 1, &sum);
    }
  }
}

}  // namespace

void run_accumulate(const Scatter& scatter, std::span<const IValue> args,
                    std::vector<IValue>& results) {
  bool ring = current_domain() == Domain::Ring;
  switch (compute_of(scatter.self.dtype())) {
    case Model::F32:
      ring ? add_at_indices<uint32_t>(scatter) : add_at_indices<float>(scatter);
      break;
    case Model::F64:
      ring ? add_at_indices<uint64_t>(scatter) : add_at_indices<double>(scatter);
      break;
    default:
      add_at_indices<int64_t>(scatter);
  }
  results.push_back(args[0]);
}

}  // namespace fusillade
