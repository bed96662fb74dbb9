// What operators that read and write elements at given indices share.
#pragma once

#include <vector>

#include "engine/ops/operator.h"
#include "engine/tensor/element_size.h"
#include "engine/tensor/memory_pool.h"

namespace fusillade {

// The elements of an integer tensor, row-major.
class Integers {
 public:
  explicit Integers(const Tensor& t)
      : packed_(t.dtype() == DType::I64 ? contiguous(t) : to_dtype(t, DType::I64)) {}
  const int64_t* begin() const { return packed_.data<int64_t>(); }
  const int64_t* end() const { return begin() + packed_.numel(); }
  int64_t operator[](int64_t i) const { return begin()[i]; }

 private:
  Tensor packed_;
};

[[noreturn]] void refuse_index(const Operator& op, int64_t index, int64_t size);
// `index` in [0, size), or, from_end, counted from the end when negative; throws Error otherwise.
inline int64_t check_index(const Operator& op, int64_t index, int64_t size, bool from_end = true) {
  if (index >= (from_end ? -size : 0) && index < size) return index < 0 ? index + size : index;
  refuse_index(op, index, size);
}
// Throws Error unless dtype is i64 (or i32 where that is legal).
void check_numbers(const Operator& op, DType dtype, bool i32 = true);
// Throws Error when elements of a tensor to be written share memory.
void need_writable(const Operator& op, const Tensor& self);

// Offsets in a tensor's storage, in order: each of `starts` and the `run` - 1 elements after it.
struct Indices {
  Scratch<int64_t> starts;
  int64_t run = 1;
};
// What is written or added where; each value has its index.
struct Scatter {
  Tensor self;
  Tensor values;
  Indices indices;
};
ScatterPlan plan_of(const Scatter& scatter);
// Writes the values, contiguous or not, in order.
void put(const Scatter& scatter);
// Adds them; the operator's one result is its first argument.
void run_accumulate(const Scatter& scatter, std::span<const IValue> args,
                    std::vector<IValue>& results);

// Where gather reads and scatter writes: self's storage offset for each element of `index`.
Indices gather_indices(const Operator& op, const Tensor& self, int64_t dim, const Tensor& index);
void check_gather(const Operator& op, const Dims& self, int64_t dim, DType dtype,
                  const Dims& index);

// Dimensions of a walk through storage, the innermost ones taken as one run where neighbours are
// neighbours in memory.
struct Walk {
  Dims sizes, strides;
  int64_t run = 1;
};
Walk runs_of(Dims sizes, Dims strides);

}  // namespace fusillade
