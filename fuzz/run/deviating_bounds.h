// What kinds of deviations share: walks over the bounds of a call's results.
#pragma once

#include <cmath>

#include "engine/tensor/iterate.h"
#include "fuzz/run/cell.h"
#include "fuzz/run/deviation.h"

namespace fusillade::fuzz {

inline void widen(Bounded& b, double slack) {
  b.lo -= slack;
  b.hi += slack;
}

// f(bound, steps of its dtype, dtype): of each element of the results that are floats.
template <class F>
void for_each_bound(const DeviatingCall& call, F f) {
  for (const IValue& v : call.results) {
    if (!v.is_tensor() || !is_float(v.as_tensor().dtype())) continue;
    const Tensor t = v.as_tensor();
    const Steps steps = steps_of(t.dtype());
    Cells& c = call.shadow.cells(t);
    for_each_element(t.sizes(), t.strides(), t.offset(),
                     [&](int64_t at) { f(c.real[static_cast<size_t>(at)], steps, t.dtype()); });
  }
}

// Of those that are known to be finite.
template <class F>
void for_each_finite(const DeviatingCall& call, F f) {
  for_each_bound(call, [&](Bounded& b, const Steps& steps, DType dtype) {
    if (is_finite(b)) f(b, steps, dtype);
  });
}

}  // namespace fusillade::fuzz
