// The decision stream: Philox words, or the bytes a fuzzer gives.
#include <bit>

#include "engine/tensor/random.h"
#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {

Choices::Choices(uint64_t seed, uint64_t index) : seed_(seed), index_(index) {}
Choices::Choices(std::span<const uint8_t> bytes) : bytes_(bytes), from_bytes_(true) {}

// `bytes` bytes of decision; exhausted input reads as zeros.
uint64_t Choices::take(int bytes) {
  if (from_bytes_) {
    uint64_t out = 0;
    for (int i = 0; i < bytes; ++i, ++at_) out = out << 8 | (at_ < bytes_.size() ? bytes_[at_] : 0);
    return out;
  }
  if (left_ < bytes) {
    uint64_t position = counter_++;
    std::array<uint32_t, 4> r =
        philox({static_cast<uint32_t>(position), static_cast<uint32_t>(position >> 32),
                static_cast<uint32_t>(index_), static_cast<uint32_t>(index_ >> 32)},
               {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32)});
    pool_[0] = r[0] | static_cast<uint64_t>(r[1]) << 32;
    pool_[1] = r[2] | static_cast<uint64_t>(r[3]) << 32;
    left_ = 16;
  }
  uint64_t out = pool_[0];
  if (bytes == 8) {
    pool_[0] = pool_[1];
  } else {
    out &= (uint64_t{1} << (8 * bytes)) - 1;
    pool_[0] = pool_[0] >> (8 * bytes) | pool_[1] << (64 - 8 * bytes);
    pool_[1] >>= 8 * bytes;
  }
  left_ -= bytes;
  return out;
}

uint64_t Choices::bits() { return take(8); }

uint64_t Choices::below(uint64_t n) {
  FUS_CHECK(n >= 1, "a choice among nothing");
  if (n == 1) return 0;
  if (from_bytes_) return take(n <= 256 ? 1 : n <= 65536 ? 2 : 8) % n;
  if (n <= 256) return take(2) * n >> 16;
  if (n < uint64_t{1} << 24) return take(4) * n >> 32;
  return static_cast<uint64_t>(static_cast<unsigned __int128>(take(8)) * n >> 64);
}

int64_t Choices::between(int64_t lo, int64_t hi) {
  uint64_t width = static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo) + 1;
  uint64_t offset = width == 0 ? bits() : below(width);
  return static_cast<int64_t>(static_cast<uint64_t>(lo) + offset);
}

bool Choices::chance(double p) {
  if (from_bytes_) return static_cast<double>(take(1)) >= 256 * (1 - p);
  return static_cast<double>(take(2)) < 65536 * p;
}

double Choices::unit() { return static_cast<double>(take(8) >> 11) * 0x1p-53; }

void Choices::count(size_t production) {
  if (production >= productions_.size()) productions_.resize(production + 1);
  ++productions_[production];
}

}  // namespace fusillade::fuzz
