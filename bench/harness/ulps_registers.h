// A vector function applied to a line, register by register. Each length is compiled for a machine
// that has it, for how a register is handed to a function hangs on that: call none but where
// vector_function() gives a function of that length.
#pragma once

#include <cstdint>
#include <cstring>

namespace fusillade::bench::registers {

// f on x[0 .. n-1]; n is a multiple of the lanes.
void four_floats(void* f, const float* x, float* y, int64_t n);
void eight_floats(void* f, const float* x, float* y, int64_t n);
void sixteen_floats(void* f, const float* x, float* y, int64_t n);
void two_doubles(void* f, const double* x, double* y, int64_t n);
void four_doubles(void* f, const double* x, double* y, int64_t n);
void eight_doubles(void* f, const double* x, double* y, int64_t n);

template <class Register, class T>
void apply(void* f, const T* x, T* y, int64_t n) {
  auto* function = reinterpret_cast<Register (*)(Register)>(f);
  for (int64_t i = 0; i < n; i += static_cast<int64_t>(sizeof(Register) / sizeof(T))) {
    Register v;
    std::memcpy(&v, x + i, sizeof v);
    v = function(v);
    std::memcpy(y + i, &v, sizeof v);
  }
}

}  // namespace fusillade::bench::registers
