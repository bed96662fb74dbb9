// Rows in the language: resizing of images as ATen's kernels take it, sizes with a scale for each
// dim; the rows of `.vec` take either. A scale left out is that of the sizes.
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

struct Resize {
  const char* name;
  int dims;
  const char* mode;  // of prim::resized_each
  bool corners;      // takes align_corners
};
constexpr Resize kResizes[] = {
    {"upsample_nearest1d", 1, "nearest", false},
    {"upsample_nearest2d", 2, "nearest", false},
    {"upsample_nearest3d", 3, "nearest", false},
    {"_upsample_nearest_exact1d", 1, "exact", false},
    {"_upsample_nearest_exact2d", 2, "exact", false},
    {"_upsample_nearest_exact3d", 3, "exact", false},
    {"upsample_linear1d", 1, "linear", true},
    {"upsample_bilinear2d", 2, "linear", true},
    {"upsample_trilinear3d", 3, "linear", true},
    {"upsample_bicubic2d", 2, "cubic", true},
    {"_upsample_bilinear2d_aa", 2, "smooth linear", true},
    {"_upsample_bicubic2d_aa", 2, "smooth cubic", true},
};

std::string row_of(const Resize& r) {
  const char* const names[] = {"scales_d", "scales_h", "scales_w"};
  std::string formals, given;
  for (int i = 3 - r.dims; i < 3; ++i) {
    std::string name = r.dims == 1 ? "scales" : names[i];
    formals += fmt::format(", float? {}=None", name);
    given += fmt::format("{}0.0 if {} is None else {}", given.empty() ? "" : ", ", name, name);
  }
  return fmt::format(R"py(
aten::{0}(Tensor self, int[{1}] output_size{2}{3}) -> Tensor
    return torch.ops.prim.resized_each(self, output_size, [{4}], "{5}", {6})
)py",
                     r.name, r.dims, r.corners ? ", bool align_corners" : "", formals, given,
                     r.mode, r.corners ? "align_corners" : "False");
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const Resize& r : kResizes) add_scripted(row_of(r), "scripted_resize");
  return true;
}();

}  // namespace
}  // namespace fusillade
