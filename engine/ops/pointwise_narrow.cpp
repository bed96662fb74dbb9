// See pointwise_narrow.h. Runs of neighbours are computed where they lie, others through blocks.
#include "engine/ops/pointwise_narrow.h"

#include <algorithm>

#include "engine/tensor/block.h"
#include "engine/tensor/element_size.h"

namespace fusillade {
namespace {

constexpr size_t kMost = 4;  // operands of a formula

int narrow_index(DType dtype) {
  switch (dtype) {
    case DType::U8:
      return 0;
    case DType::I8:
      return 1;
    case DType::I16:
      return 2;
    case DType::I32:
      return 3;
    default:
      return -1;
  }
}

// A run of operands and result: n elements at distances of `steps`, the result's first. E is as
// large as an operand's element. An operand without memory is a number, which fills a block.
template <class E>
void run_run(NativeLoop loop, int64_t size, size_t arity, const E* const* from,
             const E (*numbers)[kBlock], uint8_t* to, const int64_t* steps, int64_t n) {
  E gathered[kMost][kBlock];
  uint8_t result[kBlock * sizeof(E)];
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = std::min(kBlock, n - i);
    const void* in[kMost];
    for (size_t k = 0; k < arity; ++k) {
      in[k] = from[k] ? from[k] + i : numbers[k];
      if (!from[k] || steps[k + 1] == 1) continue;
      for (int64_t j = 0; j < count; ++j) gathered[k][j] = from[k][(i + j) * steps[k + 1]];
      in[k] = gathered[k];
    }
    uint8_t* first = to + i * steps[0] * size;
    if (steps[0] == 1) {
      loop(in, first, count);
      continue;
    }
    loop(in, result, count);
    for (int64_t j = 0; j < count; ++j)
      std::copy_n(result + j * size, size, first + j * steps[0] * size);
  }
}

}  // namespace

NativeLoop narrow_loop(const PointwisePlan& plan, std::span<const IValue> args) {
  const int index = narrow_index(plan.compute);
  const bool same = plan.result == plan.compute || plan.formula->predicate;
  if (index < 0 || !same || !plan.formula->narrow[index]) return nullptr;
  for (const PointwisePlan::Operand& o : plan.operands) {
    if (o.arg < 0) continue;
    const IValue& v = args[static_cast<size_t>(o.arg)];
    if (!v.is_tensor() || v.as_tensor().dtype() != plan.compute) return nullptr;
  }
  return plan.formula->narrow[index];
}

void run_narrow(const PointwisePlan& plan, std::span<const IValue> args, NativeLoop loop,
                const Tensor& out) {
  const size_t arity = plan.operands.size();
  Tensor operands[kMost];
  Dims strides[kMost + 1] = {out.strides()};
  for (size_t k = 0; k < arity; ++k) {
    strides[k + 1] = Dims(out.rank());
    if (plan.operands[k].arg < 0) continue;
    operands[k] = args[static_cast<size_t>(plan.operands[k].arg)].as_tensor();
    strides[k + 1] = broadcast_strides(operands[k].sizes(), operands[k].strides(), out.sizes());
  }
  with_size(plan.compute, [&](auto element) {
    using E = decltype(element);
    E numbers[kMost][kBlock];
    for (size_t k = 0; k < arity; ++k) {
      const IValue& v = plan.operands[k].literal;
      if (operands[k].is_defined()) continue;
      std::fill_n(numbers[k], kBlock,
                  static_cast<E>(v.is_float() ? float_to_int(v.as_double()) : v.as_int()));
    }
    const int64_t size = static_cast<int64_t>(size_of(out.dtype()));
    StridedLoop(out.sizes(), strides, static_cast<int>(arity) + 1)
        .run([&](const int64_t* at, int64_t n, const int64_t* steps) {
          const E* from[kMost] = {};
          for (size_t k = 0; k < arity; ++k)
            if (operands[k].is_defined())
              from[k] = reinterpret_cast<const E*>(operands[k].raw()) + at[k + 1];
          run_run<E>(loop, size, arity, from, numbers, out.raw() + at[0] * size, steps, n);
        });
  });
}

}  // namespace fusillade
