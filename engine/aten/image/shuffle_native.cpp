// pixel_shuffle and pixel_unshuffle natively: elements move between channels and positions of
// images, a row at a time.
//
// Contiguous tensors of any dtype. Where the result is the operand in another shape the body
// returns a view of it.
#include "engine/aten/index/index.h"
#include "engine/base/thread_pool.h"
#include "engine/ops/native.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr int64_t kPiece = 1 << 15;  // elements that are worth a thread's while

// Images of `each` x `each` cells: channels of small planes, or one large plane.
struct Cells {
  int64_t planes = 1, each = 1, height = 1, width = 1;  // large planes; the size of small ones
  int64_t plane() const { return height * width * each * each; }
};

// kUnshuffle: the large plane is decomposed; else small ones are interleaved into one.
template <bool kUnshuffle, class E>
void shuffle(const Cells& c, const E* from, E* to) {
  const int64_t r = c.each, line = c.width * r, small = c.height * c.width;
  for (int64_t i = 0; i < r * r; ++i) {
    for (int64_t y = 0; y < c.height; ++y) {
      const int64_t at = i * small + y * c.width, wide = (y * r + i / r) * line + i % r;
      if constexpr (kUnshuffle)
        for (int64_t x = 0; x < c.width; ++x) to[at + x] = from[wide + x * r];
      else
        for (int64_t x = 0; x < c.width; ++x) to[wide + x * r] = from[at + x];
    }
  }
}

// self, factor
template <bool kUnshuffle>
bool run_shuffle(Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor();
  const int64_t r = args[1].as_int(), rank = self.rank();
  if (rank < 3 || r < 2 || r > 1 << 16 || !self.is_contiguous() || self.numel() == 0) return false;
  Dims sizes = self.sizes();
  const int last = self.rank() - 1;
  Cells c;
  c.each = r;
  if (kUnshuffle ? sizes[last] % r != 0 || sizes[last - 1] % r != 0
                 : sizes[last - 2] % (r * r) != 0)
    return false;
  c.width = kUnshuffle ? sizes[last] / r : sizes[last];
  c.height = kUnshuffle ? sizes[last - 1] / r : sizes[last - 1];
  if (c.width * c.height == 1) return false;
  sizes[last] = kUnshuffle ? c.width : c.width * r;
  sizes[last - 1] = kUnshuffle ? c.height : c.height * r;
  sizes[last - 2] = kUnshuffle ? sizes[last - 2] * r * r : sizes[last - 2] / (r * r);
  c.planes = self.numel() / c.plane();
  const Tensor out = Tensor::empty(sizes, self.dtype());
  with_size(self.dtype(), [&](auto element) {
    using E = decltype(element);
    parallel(c.planes, kPiece / c.plane() + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * c.plane(); i < end * c.plane(); i += c.plane())
        shuffle<kUnshuffle>(c, self.data<E>() + i, out.data<E>() + i);
    });
  });
  results.emplace_back(out);
  return true;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"aten::pixel_shuffle", &run_shuffle<false>});
  add_native({"aten::pixel_unshuffle", &run_shuffle<true>});
  return true;
}();

}  // namespace
}  // namespace fusillade
