// Tensors and values as the Python that people write: short where elements repeat, exact where bits
// count, in lines of at most 100 columns.
//
//   torch.tensor([0.0] * 12 + [1.5, inf]).reshape(2, 7)       torch.full((9, 2), 0.5)
//   torch.tensor([i % 7.0 for i in range(33000)])
//
// The elements are those of the dtype after rounding: 1.349453 of a float32 reads back as it was.
#pragma once

#include <string>

#include "engine/ops/ivalue.h"

namespace fusillade::fuzz {

// How a library says an array, and what dtype it gives floats that say none.
struct Dialect {
  const char* library;  // "torch": torch.inf, torch.full
  const char* array;    // "torch.tensor"
  const char* dtype;    // text around a dtype's name
  const char* dtype_end;
  DType plain_float;
};
inline constexpr Dialect kTorchDialect = {"torch", "torch.tensor", "dtype=torch.", "", DType::F32};
inline constexpr Dialect kJaxDialect = {"jnp", "jnp.array", "\"", "\"", DType::F64};
inline constexpr Dialect kNumpyDialect = {"np", "np.array", "\"", "\"", DType::F64};

// Elements that count up to it, again and again, are written by a rule. A prime: compilers err at
// multiples of powers of two, where a count by 8 would begin anew.
inline constexpr int64_t kCounted = 7;

std::string number_text(double v, DType dtype, const Dialect& dialect);
// The elements alone, dense.
std::string array_text(const Tensor& t, const Dialect& dialect);
std::string sizes_text(const Dims& dims);  // "(2, 3)", "(2,)"
// Broken inside brackets where a line is longer than 100 columns; each line indented by `depth`.
std::string wrap_line(const std::string& line, size_t depth = 0);
// For a comment of a script's first lines, where Python looks for "coding: NAME", by which it would
// read what follows.
std::string comment_text(std::string text);

}  // namespace fusillade::fuzz
