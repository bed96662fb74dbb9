// CUDA C on a CPU: the words that the text of a kernel uses, for a C++ compiler. Blocks run one
// after the other. So do the threads of a block where they never meet; else each is a fiber of the
// host, which it calls to wait for the others.
#define __global__
#define __device__
#define __launch_bounds__(...)
#define __shared__ static thread_local

struct dim3 {
  unsigned x, y, z;
};
struct ShimHost {
  void (*fibers)(int count, void (*body)(void* context, int fiber), void* context);
  void (*meet)();
  void (*fault)(const char* what);
};
static thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;
static thread_local const ShimHost* shim_host;
static thread_local unsigned long long shim_given[1024];

static inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
static inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
static inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

static inline unsigned shim_thread() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
static inline void shim_set_thread(unsigned n) {
  threadIdx = {n % blockDim.x, n / blockDim.x % blockDim.y, n / blockDim.x / blockDim.y};
}
static inline void __syncthreads() {
  const dim3 mine = threadIdx;
  shim_host->meet();
  threadIdx = mine;
}
static inline void shim_wide(const void* address, unsigned long long bytes) {
  if (reinterpret_cast<unsigned long long>(address) % bytes != 0)
    shim_host->fault("a misaligned address: neighbours are touched at once where they may not");
}
#define FUS_WIDE(address, bytes) shim_wide(address, bytes);

template <class T>
static inline T __shfl_sync(unsigned mask, T value, int lane) {
  const unsigned mine = shim_thread();
  const unsigned left = blockDim.x * blockDim.y * blockDim.z - mine / 32 * 32;
  const unsigned there = left >= 32 ? 0xffffffffu : (1u << left) - 1;
  if (mask != there) shim_host->fault("a shuffle whose mask is not the threads of its warp");
  if (lane < 0 || lane > 31 || !(mask >> lane & 1))
    shim_host->fault("a shuffle from a thread that its warp does not have");
  __builtin_memcpy(&shim_given[mine], &value, sizeof value);
  __syncthreads();
  T got;
  __builtin_memcpy(&got, &shim_given[mine / 32 * 32 + (unsigned)lane], sizeof got);
  __syncthreads();
  return got;
}

template <class F>
static void shim_launch(const ShimHost* host, dim3 grid, dim3 block, bool meets, F thread) {
  shim_host = host;
  gridDim = grid;
  blockDim = block;
  const unsigned threads = block.x * block.y * block.z;
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        blockIdx = {x, y, z};
        for (unsigned t = 0; t < threads && !meets; ++t) {
          shim_set_thread(t);
          thread();
        }
        if (!meets) continue;
        const auto fiber = [](void* context, int t) {
          shim_set_thread((unsigned)t);
          (*static_cast<F*>(context))();
        };
        host->fibers((int)threads, fiber, &thread);
      }
    }
  }
}

// Lists of them stand before this text (cuda_functions.h).
#define FUS_UNARY(name) extern "C" double name(double); extern "C" float name##f(float);
FUS_UNARY_FUNCTIONS(FUS_UNARY)
#undef FUS_UNARY
#define FUS_BINARY(name) \
  extern "C" double name(double, double); \
  extern "C" float name##f(float, float);
FUS_BINARY_FUNCTIONS(FUS_BINARY)
#undef FUS_BINARY
// libm's lgamma writes a global.
extern "C" double lgamma_r(double, int*);
extern "C" float lgammaf_r(float, int*);
static inline double shim_lgamma(double x) { int sign; return lgamma_r(x, &sign); }
static inline float shim_lgammaf(float x) { int sign; return lgammaf_r(x, &sign); }
#define lgamma(x) shim_lgamma(x)
#define lgammaf(x) shim_lgammaf(x)
// CUDA has erfcx and C does not: as in engine/scalar/native.h.
static inline double shim_erfcx(double x) {
  const double square = x * x;
  if (x < 12) {
    const double grown = exp(square);
    return __builtin_isinf(grown) ? grown : grown * erfc(x) * (1 + __builtin_fma(x, x, -square));
  }
  double sum = 1;
  for (int k = 23; k > 0; k -= 2) sum = 1 - sum * k / (2 * square);
  return sum * 0.564189583547756286948 / x;
}
static inline float shim_erfcxf(float x) { return (float)shim_erfcx(x); }
#define erfcx(x) shim_erfcx(x)
#define erfcxf(x) shim_erfcxf(x)
