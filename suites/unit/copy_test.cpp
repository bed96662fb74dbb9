// Copies between layouts, element by element: planes that are turned go in tiles, whose edges are
// what is left over.
#include <gtest/gtest.h>

#include "engine/tensor/tensor.h"

namespace fusillade {
namespace {

TEST(Copy, TurnedPlanesKeepEveryElement) {
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

}  // namespace
}  // namespace fusillade
