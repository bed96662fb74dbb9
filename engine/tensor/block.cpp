// See block.h. One conversion function per pair of memory type and compute type; contiguous runs
// are separate loops, which the compiler vectorises.
#include "engine/tensor/block.h"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "engine/base/error.h"
#include "engine/tensor/half.h"

namespace fusillade {
namespace {

struct Bool8 {
  uint8_t v;
};

template <class T>
inline constexpr bool kRing = std::is_unsigned_v<T>;

// Memory element to compute value.
template <class T, class M>
inline T get(M m) {
  if constexpr (std::is_same_v<M, Bool8>) {
    return static_cast<T>(m.v != 0);
  } else if constexpr (std::is_same_v<M, Half> || std::is_same_v<M, BFloat16>) {
    // A residue of 16 bits is read as the 32 bits of its sign's extension: minus and magnitude keep
    // their meaning.
    if constexpr (kRing<T>)
      return static_cast<T>(static_cast<uint32_t>(int32_t{static_cast<int16_t>(m.bits)}));
    else if constexpr (std::is_same_v<T, int64_t>) return float_to_int(to_float(m));
    else return static_cast<T>(to_float(m));
  } else if constexpr (std::is_floating_point_v<M> && kRing<T>) {
    using Bits = std::conditional_t<sizeof(M) == 4, uint32_t, uint64_t>;
    return static_cast<T>(std::bit_cast<Bits>(m));
  } else if constexpr (std::is_floating_point_v<M> && std::is_same_v<T, int64_t>) {
    return float_to_int(m);
  } else {
    return static_cast<T>(m);
  }
}

// Compute value to memory element.
template <class M, class T>
inline M put(T v) {
  if constexpr (std::is_same_v<M, Bool8>) {
    return {static_cast<uint8_t>(v != 0)};
  } else if constexpr (std::is_same_v<M, Half>) {
    if constexpr (kRing<T>) return {static_cast<uint16_t>(v)};
    else return to_half(static_cast<float>(v));
  } else if constexpr (std::is_same_v<M, BFloat16>) {
    if constexpr (kRing<T>) return {static_cast<uint16_t>(v)};
    else return to_bfloat16(static_cast<float>(v));
  } else if constexpr (std::is_floating_point_v<M> && kRing<T>) {
    using Bits = std::conditional_t<sizeof(M) == 4, uint32_t, uint64_t>;
    return std::bit_cast<M>(static_cast<Bits>(v));
  } else if constexpr (std::is_integral_v<M> && std::is_floating_point_v<T>) {
    return static_cast<M>(float_to_int(v));
  } else if constexpr (std::is_integral_v<M> && kRing<T>) {
    return static_cast<M>(static_cast<std::make_signed_t<T>>(v));
  } else {
    return static_cast<M>(v);
  }
}

// A run of floats as integers. Below 2^51 the sum with 1.5 * 2^52 has the integer in its low bits,
// and registers of any width can add; a group with a larger element or a NaN goes one by one.
template <class M>
void load_integers(const M* in, int64_t n, int64_t* out) {
  constexpr int64_t kGroup = 16;
  constexpr double kShift = 0x1.8p52;
  int64_t i = 0;
  for (; i + kGroup <= n; i += kGroup) {
    int beyond = 0;
    for (int64_t j = i; j < i + kGroup; ++j) beyond |= !(std::fabs(double{in[j]}) < 0x1p51);
    for (int64_t j = i; j < i + kGroup; ++j) {
      double shifted = std::trunc(double{in[j]}) + kShift;
      out[j] = std::bit_cast<int64_t>(shifted) - std::bit_cast<int64_t>(kShift);
    }
    if (beyond == 0) continue;
    for (int64_t j = i; j < i + kGroup; ++j) out[j] = float_to_int(in[j]);
  }
  for (; i < n; ++i) out[i] = float_to_int(in[i]);
}

template <class T, class M>
void load_typed(const void* memory, int64_t stride, int64_t n, T* out) {
  const M* in = static_cast<const M*>(memory);
  if constexpr (std::is_floating_point_v<M> && std::is_same_v<T, int64_t>) {
    if (stride == 1) return load_integers(in, n, out);
  }
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) out[i] = get<T>(in[i]);
  } else if (stride == 0) {
    T v = n > 0 ? get<T>(in[0]) : T();
    for (int64_t i = 0; i < n; ++i) out[i] = v;
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = get<T>(in[i * stride]);
  }
}

// And the other way: registers convert to integers of 32 bits where they hold no larger ones.
template <class M, class T>
void store_integers(const T* in, int64_t n, M* out) {
  constexpr int64_t kGroup = 32 / static_cast<int64_t>(sizeof(T));
  typedef T Group __attribute__((vector_size(32)));
  typedef int32_t Wholes __attribute__((vector_size(4 * kGroup)));
  typedef M Stored __attribute__((vector_size(kGroup * sizeof(M))));
  int64_t i = 0;
  for (; i + kGroup <= n; i += kGroup) {
    Group group;
    std::memcpy(&group, in + i, sizeof group);
    const auto inside = (group < T(0x1p31)) & (group > T(-0x1p31));
    int64_t all = -1;
    for (int64_t j = 0; j < kGroup; ++j) all &= inside[j];
    if (all == 0) {
      for (int64_t j = i; j < i + kGroup; ++j) out[j] = put<M>(in[j]);
      continue;
    }
    const Wholes wholes = __builtin_convertvector(group, Wholes);
    const Stored stored = __builtin_convertvector(wholes, Stored);
    std::memcpy(out + i, &stored, sizeof stored);
  }
  for (; i < n; ++i) out[i] = put<M>(in[i]);
}

template <class T, class M>
void store_typed(void* memory, int64_t stride, int64_t n, const T* in) {
  M* out = static_cast<M*>(memory);
  if constexpr (std::is_integral_v<M> && std::is_floating_point_v<T>) {
    if (stride == 1) return store_integers(in, n, out);
  }
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) out[i] = put<M>(in[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i * stride] = put<M>(in[i]);
  }
}

template <class F>
void with_memory_type(DType dtype, F f) {
  switch (dtype) {
    case DType::Bool:
      return f(Bool8{});
    case DType::U8:
      return f(uint8_t{});
    case DType::I8:
      return f(int8_t{});
    case DType::I16:
      return f(int16_t{});
    case DType::I32:
      return f(int32_t{});
    case DType::I64:
      return f(int64_t{});
    case DType::F16:
      return f(Half{});
    case DType::BF16:
      return f(BFloat16{});
    case DType::F32:
      return f(float{});
    case DType::F64:
      return f(double{});
  }
  FUS_BUG("dtype {}", static_cast<int>(dtype));
}

}  // namespace

template <class T>
void load_block(DType dtype, const void* memory, int64_t stride, int64_t n, T* out) {
  with_memory_type(dtype, [&](auto m) { load_typed<T, decltype(m)>(memory, stride, n, out); });
}

template <class T>
void store_block(DType dtype, void* memory, int64_t stride, int64_t n, const T* in) {
  with_memory_type(dtype, [&](auto m) { store_typed<T, decltype(m)>(memory, stride, n, in); });
}

void store_bools(void* memory, int64_t stride, int64_t n, const uint8_t* in) {
  auto* out = static_cast<uint8_t*>(memory);
  for (int64_t i = 0; i < n; ++i) out[i * stride] = in[i];
}

template <class T>
void round_block(DType dtype, int64_t n, T* values) {
  if (dtype == DType::F32 || dtype == DType::F64 || dtype == DType::I64) return;
  with_memory_type(dtype, [&](auto m) {
    using M = decltype(m);
    for (int64_t i = 0; i < n; ++i) values[i] = get<T>(put<M>(values[i]));
  });
}

#define FUS_INSTANTIATE(T)                                                \
  template void load_block<T>(DType, const void*, int64_t, int64_t, T*);  \
  template void store_block<T>(DType, void*, int64_t, int64_t, const T*); \
  template void round_block<T>(DType, int64_t, T*);
FUS_INSTANTIATE(float)
FUS_INSTANTIATE(double)
FUS_INSTANTIATE(int64_t)
FUS_INSTANTIATE(uint32_t)
FUS_INSTANTIATE(uint64_t)

}  // namespace fusillade
