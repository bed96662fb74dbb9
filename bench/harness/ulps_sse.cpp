// Registers of 16 bytes: see ulps_registers.h.
#include "bench/harness/ulps_registers.h"

namespace fusillade::bench::registers {

typedef float Floats __attribute__((vector_size(16)));
typedef double Doubles __attribute__((vector_size(16)));

void four_floats(void* f, const float* x, float* y, int64_t n) { apply<Floats>(f, x, y, n); }
void two_doubles(void* f, const double* x, double* y, int64_t n) { apply<Doubles>(f, x, y, n); }

}  // namespace fusillade::bench::registers
