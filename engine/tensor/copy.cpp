// Copies and conversions between tensors of any strides and dtypes; element access for tests and
// texts.
#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/thread_pool.h"
#include "engine/tensor/block.h"
#include "engine/tensor/domain.h"
#include "engine/tensor/half.h"
#include "engine/tensor/iterate.h"
#include "engine/tensor/transfer.h"

namespace fusillade {
namespace {

uint8_t* at(const Tensor& t, int64_t offset) {
  return t.raw() + offset * static_cast<int64_t>(size_of(t.dtype()));
}

// Is memory of this dtype an array of T?
template <class T>
bool holds(DType dtype) {
  if (dtype == DType::F32) return std::is_same_v<T, float> || std::is_same_v<T, uint32_t>;
  if (dtype == DType::F64) return std::is_same_v<T, double> || std::is_same_v<T, uint64_t>;
  return dtype == DType::I64 && std::is_same_v<T, int64_t>;
}

// Converts one run through blocks of T, or straight from or to an array of them.
template <class T>
void convert_run(const Tensor& dst, const Tensor& src, const int64_t* offsets, int64_t n,
                 const int64_t* strides) {
  if (holds<T>(src.dtype()) && strides[1] == 1) {
    const T* from = reinterpret_cast<const T*>(at(src, offsets[1]));
    return store_block<T>(dst.dtype(), at(dst, offsets[0]), strides[0], n, from);
  }
  if (holds<T>(dst.dtype()) && strides[0] == 1) {
    T* to = reinterpret_cast<T*>(at(dst, offsets[0]));
    return load_block<T>(src.dtype(), at(src, offsets[1]), strides[1], n, to);
  }
  T block[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    int64_t count = std::min(kBlock, n - i);
    load_block<T>(src.dtype(), at(src, offsets[1] + i * strides[1]), strides[1], count, block);
    store_block<T>(dst.dtype(), at(dst, offsets[0] + i * strides[0]), strides[0], count, block);
  }
}

// The compute type that carries src's values to dst without loss beyond the conversion itself.
template <class F>
void with_carrier(Domain domain, DType src, DType dst, F f) {
  bool floats = is_float(src) || is_float(dst);
  bool wide = src == DType::F64 || dst == DType::F64 || (!is_float(src) && is_float(dst));
  if (!floats) return f(int64_t{});
  if (domain == Domain::Ring) return wide ? f(uint64_t{}) : f(uint32_t{});
  if (!is_float(src)) return f(int64_t{});  // integers carry themselves; the store converts
  return wide ? f(double{}) : f(float{});
}

// f with a value of the unsigned type that is as large as an element.
template <class F>
void with_size(size_t size, F f) {
  switch (size) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    default:
      return f(uint64_t{});
  }
}

// memmove, but piece by piece where the run goes to a place just behind its own within a page:
// there the string moves that the C library takes for long runs are a tenth as fast.
void move_bytes(uint8_t* to, const uint8_t* from, size_t n) {
  constexpr size_t kPage = 4096, kPiece = 512;
  size_t behind = (reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from)) % kPage;
  bool disjoint = to + n <= from || from + n <= to;
  bool slow = behind > 0 && behind < kPiece && disjoint;
  size_t piece = slow ? kPiece : n;
  for (size_t i = 0; i < n; i += piece) std::memmove(to + i, from + i, std::min(piece, n - i));
}

// Writes the first elements one by one, then copies ever longer pieces of what is written.
template <class E>
void fill_run(E* to, int64_t n, E value) {
  constexpr int64_t kFirst = 256 / sizeof(E), kMost = 1 << 13;
  std::fill_n(to, std::min(n, kFirst), value);
  for (int64_t done = kFirst; done < n;) {
    const int64_t piece = std::min({done, n - done, kMost});
    std::memcpy(to + done, to, static_cast<size_t>(piece) * sizeof(E));
    done += piece;
  }
}

// Lines of kBytes, or of as many bytes as are given, at strides of `to_step` and `from_step` bytes.
constexpr int64_t kShortLine = 256;

template <int64_t kBytes>
void copy_lines_of(uint8_t* to, int64_t to_step, const uint8_t* from, int64_t from_step,
                   int64_t n) {
  for (; n > 0; --n, to += to_step, from += from_step) std::memcpy(to, from, kBytes);
}
void copy_short_lines(uint8_t* to, int64_t to_step, const uint8_t* from, int64_t from_step,
                      int64_t n, int64_t bytes) {
  constexpr int64_t kEach = 16;
  auto* exact = bytes == 8    ? &copy_lines_of<8>
                : bytes == 16 ? &copy_lines_of<16>
                : bytes == 32 ? &copy_lines_of<32>
                : bytes == 64 ? &copy_lines_of<64>
                              : nullptr;
  if (exact) return exact(to, to_step, from, from_step, n);
  for (; n > 0; --n, to += to_step, from += from_step) {
    int64_t i = 0;
    for (; i + kEach <= bytes; i += kEach) std::memcpy(to + i, from + i, kEach);
    for (; i < bytes; ++i) to[i] = from[i];
  }
}

template <class E>
void copy_run(E* to, int64_t to_step, const E* from, int64_t from_step, int64_t n) {
  if (to_step == 1 && from_step == 1) {
    move_bytes(reinterpret_cast<uint8_t*>(to), reinterpret_cast<const uint8_t*>(from),
               static_cast<size_t>(n) * sizeof(E));
  } else if (to_step == 1 && from_step == 0) {
    fill_run(to, n, *from);
  } else if (to_step == 1 && from_step == 2) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[2 * i];
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * to_step] = from[i * from_step];
  }
}

// A plane that is written along `a` and read along `b`, tile by tile, so that lines of the cache
// are used whole.
struct Plane {
  int a = -1, b = -1;
  bool is_valid() const { return a >= 0 && b >= 0; }
};
constexpr int64_t kTile = 16;
constexpr int64_t kPiece = 1 << 16;  // elements that are worth a thread's while

Plane plane_of(const Dims& sizes, const Dims& to, const Dims& from) {
  Plane p;
  for (int d = 0; d < sizes.rank(); ++d) {
    if (sizes[d] < kTile) continue;
    if (to[d] == 1 && from[d] != 1 && from[d] != 0) p.a = d;
    if (from[d] == 1 && to[d] != 1) p.b = d;
  }
  return p;
}

// Eight lines of eight: pairs of lines are interleaved, pairs of pairs, and halves.
void transpose_8x8(uint32_t* to, int64_t to_step, const uint32_t* from, int64_t from_step) {
  typedef uint32_t Line __attribute__((vector_size(32)));
  Line r[8], pairs[8], fours[8];
  for (int i = 0; i < 8; ++i) std::memcpy(&r[i], from + i * from_step, sizeof r[i]);
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int k = 0; k < 2; ++k) {
      Line a = pairs[i + k], b = pairs[i + k + 2];
      fours[i + 2 * k] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
      fours[i + 2 * k + 1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    Line low = __builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    Line high = __builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    std::memcpy(to + i * to_step, &low, sizeof low);
    std::memcpy(to + (i + 4) * to_step, &high, sizeof high);
  }
}

template <class E>
void copy_tiles(E* to, const E* from, int64_t rows, int64_t columns, int64_t to_step,
                int64_t from_step) {
  for (int64_t i = 0; i < rows; i += kTile) {
    for (int64_t j = 0; j < columns; j += kTile) {
      int64_t i_end = std::min(i + kTile, rows), j_end = std::min(j + kTile, columns);
      if constexpr (sizeof(E) == 4) {
        if (i_end - i == kTile && j_end - j == kTile) {
          for (int64_t k = 0; k < 4; ++k) {
            const int64_t r = i + k / 2 * 8, c = j + k % 2 * 8;
            transpose_8x8(to + r * to_step + c, to_step, from + c * from_step + r, from_step);
          }
          continue;
        }
      }
      for (int64_t r = i; r < i_end; ++r) {
        for (int64_t c = j; c < j_end; ++c) to[r * to_step + c] = from[c * from_step + r];
      }
    }
  }
}

// How many elements at the end of the dimensions are neighbours on both sides; those dimensions are
// then of one element. 1, and nothing changed, where there are none, or too many to be copied
// without a call.
int64_t take_short_line(Dims& sizes, const Dims& to, const Dims& from, size_t size) {
  Dims rest = sizes;
  int64_t line = 1;
  for (int d = sizes.rank() - 1; d >= 0; --d) {
    if (sizes[d] != 1 && (to[d] != line || from[d] != line)) break;
    line *= std::exchange(rest[d], 1);
  }
  if (line < 2 || line * static_cast<int64_t>(size) > kShortLine) return 1;
  sizes = rest;
  return line;
}

// Elements that stay as they are.
template <class E>
void copy_plain(const Tensor& dst, const Tensor& src, const Dims& src_strides) {
  Dims sizes = dst.sizes(), strides[2] = {dst.strides(), src_strides};
  Plane p = plane_of(sizes, strides[0], strides[1]);
  int64_t columns = 0, rows = 0;
  if (p.is_valid()) {
    columns = std::exchange(sizes[p.a], 1);
    rows = std::exchange(sizes[p.b], 1);
  }
  const int64_t line = p.is_valid() ? 1 : take_short_line(sizes, strides[0], strides[1], sizeof(E));
  E* to = dst.data<E>();
  const E* from = src.data<E>();
  const StridedLoop loop(sizes, strides, 2);
  const int64_t all = loop.outermost(), each = all == 0 ? 0 : dst.numel() / all;
  parallel(all, loop.is_disjoint() ? kPiece / std::max<int64_t>(each, 1) + 1 : all,
           [&](int64_t begin, int64_t end) {
             loop.run(begin, end, [&](const int64_t* o, int64_t n, const int64_t* s) {
               if (line > 1) {
                 constexpr int64_t kSize = sizeof(E);
                 return copy_short_lines(reinterpret_cast<uint8_t*>(to + o[0]), s[0] * kSize,
                                         reinterpret_cast<const uint8_t*>(from + o[1]),
                                         s[1] * kSize, n, line * kSize);
               }
               if (!p.is_valid()) return copy_run(to + o[0], s[0], from + o[1], s[1], n);
               for (int64_t i = 0; i < n; ++i) {
                 copy_tiles(to + o[0] + i * s[0], from + o[1] + i * s[1], rows, columns,
                            strides[0][p.b], strides[1][p.a]);
               }
             });
           });
}

// dst = src for equal sizes.
void copy_same(const Tensor& dst, const Tensor& src, const Dims& src_strides) {
  if (dst.dtype() == src.dtype()) {
    with_size(size_of(dst.dtype()),
              [&](auto e) { copy_plain<decltype(e)>(dst, src, src_strides); });
    return;
  }
  Dims strides[2] = {dst.strides(), src_strides};
  StridedLoop loop(dst.sizes(), strides, 2);
  with_carrier(current_domain(), src.dtype(), dst.dtype(), [&](auto carrier) {
    using T = decltype(carrier);
    loop.run(
        [&](const int64_t* o, int64_t n, const int64_t* s) { convert_run<T>(dst, src, o, n, s); });
  });
}

int64_t offset_of(const Tensor& t, int64_t i) {
  int64_t offset = 0;
  for (int d = t.rank() - 1; d >= 0; --d) {
    int64_t size = t.sizes()[d];
    offset += (i % size) * t.strides()[d];
    i /= size;
  }
  return offset;
}

// One element's bytes, brought to the host where it does not reach them.
class Element {
 public:
  Element(const Tensor& t, int64_t i) : t_(t), offset_(offset_of(t, i)) {
    if (!in_reach(t)) read_bytes(*t.storage(), place(), buffer_, size_of(t.dtype()));
  }
  uint8_t* bytes() { return in_reach(t_) ? at(t_, offset_) : buffer_; }
  void put() {
    if (!in_reach(t_)) write_bytes(*t_.storage(), place(), buffer_, size_of(t_.dtype()));
  }

 private:
  size_t place() const { return static_cast<size_t>(t_.offset() + offset_) * size_of(t_.dtype()); }
  const Tensor& t_;
  int64_t offset_;
  alignas(8) uint8_t buffer_[8] = {};
};

// By the host: the storage comes and goes back.
void copy_beyond(const Tensor& dst, const Tensor& src) {
  const Ref<Storage> here = copied_to(*dst.storage(), Device());
  copy_into(over(here, dst), src);
  copy_bytes(*dst.storage(), *here);
}

bool is_nan_bits(DType dtype, const uint8_t* p) {
  double v = 0;
  load_block<double>(dtype, p, 1, 1, &v);
  return v != v;
}

}  // namespace

Tensor contiguous(const Tensor& t, bool always) {
  if (!always && t.is_contiguous()) return t;
  if (!in_reach(t)) return copied_to(t.is_contiguous() ? t : contiguous(to_host(t)), t.device());
  Tensor out = Tensor::empty(t.sizes(), t.dtype());
  copy_same(out, t, t.strides());
  return out;
}

Tensor to_dtype(const Tensor& t, DType dtype) {
  if (!in_reach(t)) return copied_to(to_dtype(to_host(t), dtype), t.device());
  Tensor out = Tensor::empty(t.sizes(), dtype);
  copy_same(out, t, t.strides());
  return out;
}

void copy_into(const Tensor& dst, const Tensor& src) {
  if (!(broadcast(dst.sizes(), src.sizes()) == dst.sizes())) {
    fail("{} does not broadcast to {}", describe(src), describe(dst));
  }
  if (!in_reach(dst)) return copy_beyond(dst, to_host(src));
  if (!in_reach(src)) return copy_into(dst, to_host(src));
  Tensor from = dst.shares_storage(src) && !dst.same(src) ? contiguous(src, true) : src;
  copy_same(dst, from, broadcast_strides(from.sizes(), from.strides(), dst.sizes()));
}

bool bitwise_equal(const Tensor& a, const Tensor& b, bool nan_equal) {
  if (a.dtype() != b.dtype() || !(a.sizes() == b.sizes())) return false;
  Tensor x = contiguous(to_host(a));
  Tensor y = contiguous(to_host(b));
  size_t size = size_of(a.dtype());
  size_t bytes = static_cast<size_t>(a.numel()) * size;
  if (bytes == 0 || std::memcmp(x.raw(), y.raw(), bytes) == 0) return true;
  if (!nan_equal || !is_float(a.dtype())) return false;
  for (size_t i = 0; i < bytes; i += size) {
    if (std::memcmp(x.raw() + i, y.raw() + i, size) == 0) continue;
    if (!is_nan_bits(a.dtype(), x.raw() + i) || !is_nan_bits(a.dtype(), y.raw() + i)) return false;
  }
  return true;
}

double element_as_double(const Tensor& t, int64_t i) {
  double v = 0;
  load_block<double>(t.dtype(), Element(t, i).bytes(), 1, 1, &v);
  return v;
}

int64_t element_as_int(const Tensor& t, int64_t i) {
  int64_t v = 0;
  load_block<int64_t>(t.dtype(), Element(t, i).bytes(), 1, 1, &v);
  return v;
}

void set_element(const Tensor& t, int64_t i, double value) {
  Element e(t, i);
  store_block<double>(t.dtype(), e.bytes(), 1, 1, &value);
  e.put();
}

void set_element_int(const Tensor& t, int64_t i, int64_t value) {
  Element e(t, i);
  store_block<int64_t>(t.dtype(), e.bytes(), 1, 1, &value);
  e.put();
}

}  // namespace fusillade
