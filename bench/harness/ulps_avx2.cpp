// Registers of 32 bytes: see ulps_registers.h.
#include "bench/harness/ulps_registers.h"

namespace fusillade::bench::registers {

typedef float Floats __attribute__((vector_size(32)));
typedef double Doubles __attribute__((vector_size(32)));

void eight_floats(void* f, const float* x, float* y, int64_t n) { apply<Floats>(f, x, y, n); }
void four_doubles(void* f, const double* x, double* y, int64_t n) { apply<Doubles>(f, x, y, n); }

}  // namespace fusillade::bench::registers
