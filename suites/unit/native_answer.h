// What an operator that runs natively is compared with: its body, interpreted.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "engine/ir/interpret.h"
#include "engine/ops/native.h"
#include "engine/tensor/random.h"

namespace fusillade {

using Values = std::vector<IValue>;

inline Tensor normal(const Dims& sizes, DType dtype, uint64_t seed = 1) {
  Tensor t = Tensor::empty(sizes, dtype);
  fill_normal(t, seed, 0);
  return t;
}

inline Tensor scale_by(const Tensor& t, double factor) {
  for (int64_t i = 0; i < t.numel(); ++i) {
    if (t.dtype() == DType::F64) t.data<double>()[i] *= factor;
    else t.data<float>()[i] *= static_cast<float>(factor);
  }
  return t;
}

inline Tensor below(const Dims& sizes, int64_t limit) {
  Tensor t = Tensor::empty(sizes, DType::I64);
  for (int64_t i = 0; i < t.numel(); ++i) t.data<int64_t>()[i] = i * 7919 % limit;
  return t;
}

inline Tensor transpose(const Tensor& t) {
  return Tensor::view_of(t, t.offset(), Dims{t.sizes()[1], t.sizes()[0]},
                         Dims{t.strides()[1], t.strides()[0]});
}

inline Values natively(const char* name, const Values& args) {
  const NativeBody* native = native_of(operator_named(name));
  Values out;
  EXPECT_TRUE(native && native->run(args, out)) << name;
  return out;
}

// `ulps` 0: bit by bit.
inline void expect_body(const char* name, const Values& args, double ulps = 0) {
  Values got = natively(name, args), wanted = interpret(composite_body(operator_named(name)), args);
  ASSERT_EQ(got.size(), wanted.size()) << name;
  for (size_t k = 0; k < got.size(); ++k) {
    if (!wanted[k].is_tensor()) {
      EXPECT_TRUE(got[k].identical(wanted[k])) << name;
      continue;
    }
    Tensor a = got[k].as_tensor(), b = wanted[k].as_tensor();
    ASSERT_EQ(describe(a), describe(b)) << name;
    EXPECT_EQ(a.strides(), b.strides())
        << name << " " << to_string(a.strides()) << " " << to_string(b.strides());
    if (ulps == 0) {
      EXPECT_TRUE(bitwise_equal(a, b)) << name << " result " << k;
      continue;
    }
    double unit = ulps * (a.dtype() == DType::F64 ? 0x1p-52 : 0x1p-23);
    for (int64_t i = 0; i < a.numel(); ++i) {
      double x = element_as_double(a, i), y = element_as_double(b, i);
      EXPECT_NEAR(x, y, unit * std::max(1.0, std::fabs(y))) << name << " element " << i;
    }
  }
}

inline IValue ints(std::initializer_list<int64_t> v) { return IValue::int_list(Dims(v)); }

}  // namespace fusillade
