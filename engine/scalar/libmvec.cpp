// See libmvec.h.
#include "engine/scalar/libmvec.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

namespace fusillade {
namespace {

constexpr std::string_view kUnary[] = {"exp",  "expm1", "log",  "log1p", "log2", "log10",
                                       "sin",  "cos",   "tan",  "asin",  "acos", "atan",
                                       "sinh", "cosh",  "tanh", "erf",   "erfc"};
constexpr std::string_view kBinary[] = {"pow", "atan2"};

// The letter that stands for the registers in libmvec's names, 0 where there are none.
char registers(int bits) {
#if defined(__x86_64__)
  if (bits == 128 && __builtin_cpu_supports("sse4.1")) return 'b';
  if (bits == 256 && __builtin_cpu_supports("avx2")) return 'd';
  if (bits == 512 && __builtin_cpu_supports("avx512f")) return 'e';
#endif
  return bits < 0;
}

void* raw(std::string_view name, bool single, int lanes, char letter, bool unary) {
  static void* library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return nullptr;
  std::string symbol =
      fmt::format("_ZGV{}N{}{}_{}{}", letter, lanes, unary ? "v" : "vv", name, single ? "f" : "");
  return dlsym(library, symbol.c_str());
}

// libmvec's cosine of four and eight doubles is 1 + 2^-52, or -1 - 2^-52, for one in 20,000 near a
// whole number of half turns: within 4 ulp, and no cosine.
#if defined(__x86_64__)
#define FUS_COSINE(lanes, letter, isa)                                                 \
  typedef double Register##lanes __attribute__((vector_size(8 * (lanes))));            \
  __attribute__((target(isa))) Register##lanes cosine##lanes(Register##lanes x) {      \
    static const auto cosine = reinterpret_cast<Register##lanes (*)(Register##lanes)>( \
        raw("cos", false, lanes, letter, true));                                       \
    const Register##lanes y = cosine(x);                                               \
    const Register##lanes below = y > 1.0 ? y * 0 + 1 : y;                             \
    return below < -1.0 ? y * 0 - 1 : below;                                           \
  }
FUS_COSINE(4, 'd', "avx2")
FUS_COSINE(8, 'e', "avx512f")
#undef FUS_COSINE
#endif

}  // namespace

// _ZGVdN8v_expf is AVX2, 8 lanes, one vector argument.
void* vector_function(std::string_view name, bool single, int lanes) {
  bool unary = std::ranges::find(kUnary, name) != std::end(kUnary);
  if (!unary && std::ranges::find(kBinary, name) == std::end(kBinary)) return nullptr;
  char letter = registers(lanes * (single ? 32 : 64));
  if (!letter || (name == "erf" && single && lanes == 16)) return nullptr;
  void* found = raw(name, single, lanes, letter, unary);
#if defined(__x86_64__)
  if (found && name == "cos" && !single && lanes == 4) return reinterpret_cast<void*>(&cosine4);
  if (found && name == "cos" && !single && lanes == 8) return reinterpret_cast<void*>(&cosine8);
#endif
  return found;
}

}  // namespace fusillade
