// See lanes.h.
#include "engine/scalar/lanes.h"

#include "engine/scalar/libmvec.h"

namespace fusillade {
namespace {

template <class T, int kBytes, class F>
void find(F& function, const char* name) {
  function = reinterpret_cast<F>(vector_function(name, sizeof(T) == 4, Lanes<T, kBytes>::kCount));
}

// A sine or cosine, clamped to [-1, 1]; kWhich distinguishes them.
template <class T, int kBytes, int kWhich>
struct Clamped {
  using Vector = typename Lanes<T, kBytes>::Vector;
  static inline Vector (*free)(Vector) = nullptr;
  static Vector call(Vector x) {
    const Vector y = free(x), one = Vector{} + 1;
    const Vector below = y > one ? one : y;
    return below < -one ? -one : below;
  }
  static void hold(Vector (*&function)(Vector), const char* name) {
    if (!function || !leaves_one(name)) return;
    free = function;
    function = &call;
  }
};

template <class T, int kBytes>
LaneFunctions<T, kBytes> make_table() {
  LaneFunctions<T, kBytes> all;
#define FUS_LANES(f, op) find<T, kBytes>(all.f, #f);
  FUS_SCALAR_UNARY(FUS_LANES)
  FUS_SCALAR_BINARY(FUS_LANES)
#undef FUS_LANES
  Clamped<T, kBytes, 0>::hold(all.sin, "sin");
  Clamped<T, kBytes, 1>::hold(all.cos, "cos");
  return all;
}

}  // namespace

template <>
LaneFunctions<float, 16> LaneFunctions<float, 16>::table = make_table<float, 16>();
template <>
LaneFunctions<double, 16> LaneFunctions<double, 16>::table = make_table<double, 16>();
template <>
LaneFunctions<float, 32> LaneFunctions<float, 32>::table = make_table<float, 32>();
template <>
LaneFunctions<double, 32> LaneFunctions<double, 32>::table = make_table<double, 32>();

}  // namespace fusillade
