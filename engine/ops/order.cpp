// See order.h. Long lines are sorted digit by digit, from the lowest; digits that are the same in
// all keys are passed over.
#include "engine/ops/order.h"

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

constexpr int64_t kFew = 16;

// The first k in order: each further one is held against the last of those so far.
template <class Before>
void take_few(std::vector<Ranked>& line, int64_t k, Before before) {
  auto end = line.begin() + k;
  std::sort(line.begin(), end, before);
  for (auto it = end; it != line.end(); ++it) {
    if (it->key >= end[-1].key) continue;  // of equal keys the earlier one stays
    std::move_backward(std::upper_bound(line.begin(), end, *it, before), end - 1, end);
    *std::upper_bound(line.begin(), end - 1, *it, before) = *it;
  }
  line.resize(static_cast<size_t>(k));
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

void sort_keys(DType dtype, const uint64_t* keys, int64_t n, int64_t k, bool descending,
               std::vector<Ranked>& out) {
  int bits = key_bits(dtype);
  uint64_t flip = !descending ? 0 : bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  out.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) out[static_cast<size_t>(i)] = {keys[i] ^ flip, i};
  auto before = [](const Ranked& a, const Ranked& b) {
    return a.key < b.key || (a.key == b.key && a.place < b.place);
  };
  if (k == 0) return out.clear();
  if (k <= kFew && k < n) {
    take_few(out, k, before);
  } else if (k < n / 4) {
    std::nth_element(out.begin(), out.begin() + k - 1, out.end(), before);
    out.resize(static_cast<size_t>(k));
  }
  if (static_cast<int64_t>(out.size()) >= kLong && k == n) sort_by_digits(bits, out);
  else std::sort(out.begin(), out.end(), before);
  out.resize(static_cast<size_t>(k));
}

}  // namespace fusillade
