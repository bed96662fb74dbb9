// Copies between layouts, element by element: transposed planes are copied in tiles, and their
// remainders at the edges.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/tensor/domain.h"
#include "engine/tensor/tensor.h"

namespace fusillade {
namespace {

TEST(Copy, TransposedPlanesKeepEveryElement) {
  for (DType dtype : {DType::F32, DType::I32, DType::F64, DType::F16, DType::U8}) {
    for (int64_t rows : {1, 7, 16, 17, 40}) {
      for (int64_t columns : {3, 16, 31, 48}) {
        const int64_t lead = columns + rows % 3;
        Tensor base = Tensor::empty({2, rows, lead}, dtype);
        for (int64_t i = 0; i < base.numel(); ++i) set_element_int(base, i, i * 31 % 127);
        Tensor turned =
            Tensor::view_of(base, 0, Dims{2, columns, rows}, Dims{rows * lead, 1, lead});
        Tensor got = contiguous(turned);
        ASSERT_EQ(got.sizes(), turned.sizes());
        for (int64_t b = 0; b < 2; ++b) {
          for (int64_t c = 0; c < columns; ++c) {
            for (int64_t r = 0; r < rows; ++r) {
              ASSERT_EQ(element_as_int(got, (b * columns + c) * rows + r),
                        (b * rows * lead + r * lead + c) * 31 % 127)
                  << name_of(dtype) << ' ' << rows << 'x' << columns << " at " << r << ',' << c;
            }
          }
        }
      }
    }
  }
}

// In the ring an integer becomes its residue, as to() has it.
TEST(Copy, IntegersBecomeResidues) {
  DomainScope scope(Domain::Ring);
  const Tensor x = Tensor::empty({3}, DType::I32);
  for (int64_t i = 0; i < 3; ++i) set_element_int(x, i, i * 5 - 4);
  const Tensor narrow = to_dtype(x, DType::F32), wide = to_dtype(x, DType::F64);
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(narrow.data<int32_t>()[i], i * 5 - 4);
    EXPECT_EQ(wide.data<int64_t>()[i], i * 5 - 4);
  }
}

// An element converts to the same value whatever its neighbours and its stride.
TEST(Copy, ConversionsDoNotDependOnNeighbours) {
  const double values[] = {0,          -0.0,          1,    -1,       0.5,      -2.5,  127,
                           128,        255,           256,  -129,     32767,    65504, 2147483647,
                           2147483648, -2147483648.0, 1e10, -1e19,    1e30,     65537, 3,
                           1e-40,      -1e-8,         NAN,  INFINITY, -INFINITY};
  for (int a = 0; a < kNumDTypes; ++a) {
    const DType from = static_cast<DType>(a);
    Tensor x = Tensor::empty({3, 31}, from);
    for (int64_t i = 0; i < x.numel(); ++i) {
      const double v = values[i < 48 ? i / 16 : i % 26];
      set_element(x, i, v);
    }
    for (int b = 0; b < kNumDTypes; ++b) {
      const DType to = static_cast<DType>(b);
      const Tensor whole = to_dtype(x, to);
      const Tensor turned =
          contiguous(to_dtype(Tensor::view_of(x, 0, Dims{31, 3}, Dims{1, 31}), to));
      for (int64_t i = 0; i < x.numel(); ++i) {
        const Tensor one = to_dtype(Tensor::view_of(x, i, Dims{1}, Dims{1}), to);
        EXPECT_TRUE(bitwise_equal(one, Tensor::view_of(whole, i, Dims{1}, Dims{1})))
            << name_of(from) << " to " << name_of(to) << " at " << i;
        const int64_t at = i % 31 * 3 + i / 31;
        EXPECT_TRUE(bitwise_equal(one, Tensor::view_of(turned, at, Dims{1}, Dims{1})))
            << name_of(from) << " to " << name_of(to) << " turned at " << i;
      }
    }
  }
}

}  // namespace
}  // namespace fusillade
