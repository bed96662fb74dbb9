// Hashes, literals and inverses of the ring domain.
#include "engine/scalar/ring.h"

namespace fusillade {
namespace {

uint64_t mix(uint64_t x) {  // splitmix64's finaliser: a bijection of 64 bits
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

uint64_t ring_hash(uint64_t tag, uint64_t a, uint64_t b) {
  return mix(mix(mix(tag * 0x9e3779b97f4a7c15ULL) ^ a) + b * 0xd1342543de82ef95ULL);
}

uint64_t ring_literal(double value) {
  if (value == std::trunc(value) && std::fabs(value) < 9e18) {
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  }
  double magnitude = std::fabs(value);
  uint64_t bits;
  std::memcpy(&bits, &magnitude, sizeof bits);
  uint64_t hashed = ring_hash(2000, bits) | 1;  // odd, so division by a literal inverts
  return std::signbit(value) && value == value ? 0 - hashed : hashed;
}

uint64_t ring_inverse(uint64_t odd) {
  uint64_t x = odd;  // correct to 3 bits; each Newton step doubles them
  for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
  return x;
}

}  // namespace fusillade
