// A matrix in memory, at any strides.
#pragma once

#include <cstdint>

namespace fusillade {

// `rows` x `columns` elements, element (i, j) at data[i * row_stride + j * column_stride].
template <class T>
struct MatrixIn {
  const T* data = nullptr;
  int64_t rows = 0, columns = 0;
  int64_t row_stride = 0, column_stride = 0;
};

}  // namespace fusillade
