// What C and CUDA call the functions of number.h on doubles; those on floats end in f. In the order
// of ExprOp from Abs on.
#pragma once

#include <string>
#include <string_view>

#include "engine/scalar/number.h"

namespace fusillade::kernel {

#define FUS_NAME(f, op) std::string_view(#f) == "abs" ? "fabs" : #f,
inline constexpr const char* kUnaryFunctions[] = {FUS_SCALAR_UNARY(FUS_NAME)};
inline constexpr const char* kBinaryFunctions[] = {FUS_SCALAR_BINARY(FUS_NAME)};
inline constexpr const char* kCudaFunctions[] = {FUS_SCALAR_UNARY(FUS_NAME)
                                                     FUS_SCALAR_BINARY(FUS_NAME)};
#undef FUS_NAME

// The lists that cuda_shim.cuh declares: FUS_UNARY_FUNCTIONS(X) and FUS_BINARY_FUNCTIONS(X).
inline std::string cuda_function_lists() {
  std::string out = "#define FUS_UNARY_FUNCTIONS(X)";
  for (const char* f : kUnaryFunctions) out += std::string(" X(") + f + ")";
  out += "\n#define FUS_BINARY_FUNCTIONS(X)";
  for (const char* f : kBinaryFunctions) out += std::string(" X(") + f + ")";
  return out + "\n";
}

}  // namespace fusillade::kernel
