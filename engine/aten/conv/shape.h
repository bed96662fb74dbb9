// The sizes of a convolution as operators run it, whatever its dimensions.
#pragma once

#include <algorithm>
#include <cstdint>

namespace fusillade {

// An image of fewer dimensions is one of three, one plane deep or one row high. Along z, y and x:
// [0], [1] and [2].
struct ConvolutionShape {
  int64_t images = 1, groups = 1, channels = 1, filters = 1;  // channels and filters of a group
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, before[3] = {}, dilation[3] = {1, 1, 1};
  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t in_image() const { return in[0] * in[1] * in[2]; }
  int64_t out_image() const { return out[0] * out[1] * out[2]; }
  int64_t out_rows() const { return out[0] * out[1]; }
  bool is_flat() const { return in[0] == 1 && out[0] == 1 && kernel[0] == 1 && before[0] == 0; }
  bool is_plain() const {
    bool plain = taps() == 1 && in_image() == out_image();
    for (int d = 0; d < 3; ++d) plain = plain && stride[d] == 1 && before[d] == 0;
    return plain;
  }
  // Places x of a row of the result for which x * stride + offset lies in a row of n elements.
  void within(int64_t offset, int64_t n, int64_t* first, int64_t* last) const {
    *first = offset >= 0 ? 0 : (-offset + stride[2] - 1) / stride[2];
    *last = offset >= n ? 0 : std::min(out[2], (n - 1 - offset) / stride[2] + 1);
    *first = std::min(*first, *last);
  }
};

}  // namespace fusillade
