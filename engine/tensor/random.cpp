// See random.h.
#include "engine/tensor/random.h"

#include <atomic>
#include <cmath>

namespace fusillade {
namespace {

using namespace philox_constants;

thread_local uint64_t* own_position = nullptr;
thread_local uint64_t taken = 0;

double unit53(uint32_t high, uint32_t low) {
  uint64_t bits = (static_cast<uint64_t>(high) << 32 | low) >> 11;
  return static_cast<double>(bits) * 0x1p-53;
}

template <class Draw>
void fill(const Tensor& t, uint64_t offset, double scale, Draw draw) {
  int64_t n = t.numel();
  for (int64_t i = 0; i < n; ++i) {
    double v = draw(offset + static_cast<uint64_t>(i));
    if (is_float(t.dtype())) {
      set_element(t, i, v);
    } else if (t.dtype() == DType::Bool) {
      set_element_int(t, i, v > 0);
    } else {
      set_element_int(t, i, static_cast<int64_t>(std::nearbyint(v * scale)));
    }
  }
}

}  // namespace

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> c, std::array<uint32_t, 2> k) {
  for (int round = 0; round < kRounds; ++round) {
    uint64_t p0 = static_cast<uint64_t>(kMultiplier0) * c[0];
    uint64_t p1 = static_cast<uint64_t>(kMultiplier1) * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(p0)};
    k[0] += kWeyl0;
    k[1] += kWeyl1;
  }
  return c;
}

std::array<uint32_t, 4> random_bits(uint64_t seed, uint64_t position) {
  return philox({static_cast<uint32_t>(position), static_cast<uint32_t>(position >> 32), 0, 0},
                {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
}

double random_unit(uint64_t seed, uint64_t position) {
  auto b = random_bits(seed, position);
  return unit53(b[0], b[1]);
}

double random_normal(uint64_t seed, uint64_t position) {
  auto b = random_bits(seed, position);
  double u = 1 - unit53(b[0], b[1]);  // (0, 1]
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * unit53(b[2], b[3]));
}

static std::atomic<uint64_t> shared_position{0};

uint64_t take_numbers(int64_t count) {
  const auto n = static_cast<uint64_t>(count);
  taken += n;
  if (!own_position) return shared_position.fetch_add(n);
  const uint64_t at = *own_position;
  *own_position += n;
  return at;
}

uint64_t numbers_taken() { return taken; }

void seed_numbers(int64_t seed) {
  constexpr int kSeedBits = 28;
  auto at = static_cast<uint64_t>(seed);
  if (at >> kSeedBits) at = random_bits(at, 0)[0];
  at <<= 64 - kSeedBits;
  if (own_position) *own_position = at;
  else shared_position = at;
}

NumbersScope::NumbersScope() : outer_(own_position) { own_position = &position_; }
NumbersScope::~NumbersScope() { own_position = outer_; }

void fill_normal(const Tensor& t, uint64_t seed, uint64_t offset) {
  fill(t, offset, 16, [&](uint64_t i) { return random_normal(seed, i); });
}

void fill_uniform(const Tensor& t, uint64_t seed, uint64_t offset) {
  fill(t, offset, 16, [&](uint64_t i) { return random_unit(seed, i); });
}

}  // namespace fusillade
