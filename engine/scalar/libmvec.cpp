// See libmvec.h.
#include "engine/scalar/libmvec.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

namespace fusillade {
namespace {

constexpr std::string_view kUnary[] = {"exp",  "exp2", "expm1", "log",  "log1p", "log2", "log10",
                                       "sin",  "cos",  "tan",   "asin", "acos",  "atan", "sinh",
                                       "cosh", "tanh", "asinh", "erf",  "erfc"};
constexpr std::string_view kBinary[] = {"pow", "atan2"};

// The letter for the register width in libmvec's names, 0 where the machine lacks it.
char registers(int bits) {
#if defined(__x86_64__)
  if (bits == 128 && __builtin_cpu_supports("sse4.1")) return 'b';
  if (bits == 256 && __builtin_cpu_supports("avx2")) return 'd';
  if (bits == 512 && __builtin_cpu_supports("avx512f")) return 'e';
#endif
  return bits < 0;
}

}  // namespace

// _ZGVdN8v_expf is AVX2, 8 lanes, one vector argument.
void* vector_function(std::string_view name, bool single, int lanes) {
  static void* library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  bool unary = std::ranges::find(kUnary, name) != std::end(kUnary);
  if (!unary && std::ranges::find(kBinary, name) == std::end(kBinary)) return nullptr;
  char letter = registers(lanes * (single ? 32 : 64));
  if (!library || !letter || (name == "erf" && single && lanes == 16)) return nullptr;
  std::string symbol =
      fmt::format("_ZGV{}N{}{}_{}{}", letter, lanes, unary ? "v" : "vv", name, single ? "f" : "");
  return dlsym(library, symbol.c_str());
}

bool leaves_one(std::string_view name) { return name == "cos" || name == "sin"; }

}  // namespace fusillade
