// See order.h. Long lines are sorted digit by digit, from the lowest; digits that are the same in
// all keys are passed over.
#include "engine/aten/sort/order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "engine/tensor/block.h"
#include "engine/tensor/domain.h"

namespace fusillade {
namespace {

// The residues' signed reading: integers of the same size.
DType stored_as(DType dtype) {
  if (!is_float(dtype)) return dtype;
  return size_of(dtype) == 2 ? DType::I16 : size_of(dtype) == 4 ? DType::I32 : DType::I64;
}

template <class Float, class Bits>
uint64_t key_of(Float v) {
  constexpr Bits kSign = Bits(1) << (8 * sizeof(Bits) - 1);
  if (v != v) return static_cast<Bits>(~Bits(0));
  Bits bits = std::bit_cast<Bits>(v + Float(0));
  return static_cast<Bits>(bits & kSign ? ~bits : bits | kSign);
}

template <class Float, class Bits>
void load_reals(DType dtype, const void* memory, int64_t step, int64_t n, uint64_t* keys) {
  Float block[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    int64_t count = std::min(kBlock, n - i);
    const uint8_t* from =
        static_cast<const uint8_t*>(memory) + i * step * static_cast<int64_t>(size_of(dtype));
    load_block<Float>(dtype, from, step, count, block);
    for (int64_t k = 0; k < count; ++k) keys[i + k] = key_of<Float, Bits>(block[k]);
  }
}

constexpr int kDigit = 11;
constexpr int64_t kLong = 512;  // lines from here on are sorted by digits

void sort_by_digits(int bits, std::vector<Ranked>& line) {
  std::vector<Ranked> other(line.size());
  for (int shift = 0; shift < bits; shift += kDigit) {
    constexpr uint64_t kMask = (1 << kDigit) - 1;
    size_t starts[kMask + 1] = {};
    for (const Ranked& r : line) ++starts[r.key >> shift & kMask];
    if (starts[line[0].key >> shift & kMask] == line.size()) continue;
    size_t sum = 0;
    for (size_t& s : starts) sum += std::exchange(s, sum);
    for (const Ranked& r : line) other[starts[r.key >> shift & kMask]++] = r;
    line.swap(other);
  }
}

// Keys with their indices; the bits of the keys are inverted for a descending order.
void rank_keys(DType dtype, const uint64_t* keys, int64_t n, bool descending,
               std::vector<Ranked>& out) {
  int bits = key_bits(dtype);
  uint64_t flip = !descending ? 0 : bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  out.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) out[static_cast<size_t>(i)] = {keys[i] ^ flip, i};
}

}  // namespace

int key_bits(DType dtype) {
  return is_float(dtype) ? std::max<int>(32, 8 * static_cast<int>(size_of(dtype)))
                         : 8 * static_cast<int>(size_of(dtype));
}

void load_keys(DType dtype, const void* memory, int64_t step, int64_t n, uint64_t* keys) {
  if (is_float(dtype) && current_domain() == Domain::Real) {
    if (dtype == DType::F64) load_reals<double, uint64_t>(dtype, memory, step, n, keys);
    else load_reals<float, uint32_t>(dtype, memory, step, n, keys);
    return;
  }
  auto* wholes = reinterpret_cast<int64_t*>(keys);
  load_block<int64_t>(stored_as(dtype), memory, step, n, wholes);
  bool is_signed = dtype != DType::Bool && dtype != DType::U8;
  int bits = 8 * static_cast<int>(size_of(dtype));
  uint64_t half = is_signed ? uint64_t{1} << (bits - 1) : 0;
  uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  for (int64_t i = 0; i < n; ++i) keys[i] = (keys[i] + half) & mask;
}

void sort_keys(DType dtype, const uint64_t* keys, int64_t n, bool descending,
               std::vector<Ranked>& out) {
  rank_keys(dtype, keys, n, descending, out);
  auto before = [](const Ranked& a, const Ranked& b) {
    return a.key < b.key || (a.key == b.key && a.index < b.index);
  };
  if (n >= kLong) sort_by_digits(key_bits(dtype), out);
  else std::sort(out.begin(), out.end(), before);
}

void top_keys(DType dtype, const uint64_t* keys, int64_t n, int64_t k, bool descending, bool sorted,
              std::vector<Ranked>& out) {
  constexpr int64_t kFar = 64;  // ATen's: from so many times k on, a heap of k
  rank_keys(dtype, keys, n, descending, out);
  auto before = [](const Ranked& a, const Ranked& b) { return a.key < b.key; };
  auto last = out.begin() + k;
  if (k * kFar <= n) {
    std::partial_sort(out.begin(), last, out.end(), before);
  } else {
    std::nth_element(out.begin(), last - 1, out.end(), before);
    if (sorted) std::sort(out.begin(), last - 1, before);
  }
  out.resize(static_cast<size_t>(k));
}

// The median of the first, middle and last key goes to `low`, where it is the pivot; the next one
// and the last bound the scans.
Ranked kth_key(DType dtype, const uint64_t* keys, int64_t n, int64_t k) {
  std::vector<Ranked> line;
  rank_keys(dtype, keys, n, false, line);
  Ranked* x = line.data();
  auto order = [&](int64_t a, int64_t b) {
    if (x[a].key > x[b].key) std::swap(x[a], x[b]);
  };
  int64_t low = 0, high = n - 1;
  while (high > low + 1) {
    std::swap(x[(low + high) / 2], x[low + 1]);
    order(low + 1, high);
    order(low, high);
    order(low + 1, low);
    uint64_t pivot = x[low].key;
    int64_t up = low + 1, down = high;
    while (true) {
      while (x[++up].key < pivot) continue;
      while (x[--down].key > pivot) continue;
      if (down < up) break;
      std::swap(x[up], x[down]);
    }
    std::swap(x[low], x[down]);
    if (down <= k) low = up;
    if (down >= k) high = down - 1;
  }
  if (high == low + 1) order(low, high);
  return x[k];
}

}  // namespace fusillade
