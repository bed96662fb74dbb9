// Operations on 16-bit floats that consist of several steps, each of which the implementation may
// round to 16 bits or keep in float.
#pragma once

#include <optional>

#include "engine/tensor/dtype.h"

namespace fusillade {

// While one lives with a dtype, every step of this thread's Bounded operations has both results,
// and all between them, that of float and the same rounded to `dtype`.
class HalfSteps {
 public:
  explicit HalfSteps(std::optional<DType> dtype);
  ~HalfSteps();
  static std::optional<DType> current();

 private:
  std::optional<DType> saved_;
};

}  // namespace fusillade
