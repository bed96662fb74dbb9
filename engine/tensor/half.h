// f16 and bf16: bits to float and back, rounding to nearest even; NaN stays NaN, overflow becomes
// infinity. double converts through float, as ATen does.
#pragma once

#include <bit>
#include <cstdint>

namespace fusillade {

struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

inline float to_float(Half h) { return static_cast<float>(std::bit_cast<_Float16>(h.bits)); }
inline Half to_half(float f) { return {std::bit_cast<uint16_t>(static_cast<_Float16>(f))}; }

inline float to_float(BFloat16 b) {
  return std::bit_cast<float>(static_cast<uint32_t>(b.bits) << 16);
}
inline BFloat16 to_bfloat16(float f) {
  uint32_t u = std::bit_cast<uint32_t>(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return {static_cast<uint16_t>((u >> 16) | 0x40)};
  return {static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1)) >> 16)};
}

}  // namespace fusillade
