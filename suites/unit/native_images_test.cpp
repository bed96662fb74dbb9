// Operators over images and volumes that run natively, against their bodies: pools and the indices
// of their largest elements, convolutions of volumes, folds.
#include <limits>

#include "suites/unit/native_answer.h"

namespace fusillade {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Equal elements, zeros of both signs and what is no number.
Tensor uneven(const Dims& sizes) {
  Tensor t = Tensor::empty(sizes, DType::F32);
  const float values[] = {1, 0.0f, -0.0f, 2, 2, -3, -INFINITY, 0.0f, 1, -0.0f, 2};
  for (int64_t i = 0; i < t.numel(); ++i)
    t.data<float>()[i] = i % 37 == 5 || i % 41 == 5 ? kNaN : values[i * 7 % 11];
  return t;
}

bool runs_natively(const char* name, const Values& args) {
  Values out;
  const bool done = native_of(operator_named(name))->run(args, out);
  EXPECT_EQ(done, !out.empty());
  return done;
}

TEST(NativeImages, PlacesOfTheLargest) {
  const Tensor volume = uneven({2, 5, 6, 7}), image = uneven({1, 3, 9, 8}), line = uneven({3, 11});
  for (const Tensor& x : {image, to_dtype(image, DType::F64), uneven({2, 4, 5})}) {
    for (int64_t step : {1, 2, 3}) {
      for (bool ceil : {false, true}) {
        expect_body("prim::max_pool",
                    {x, ints({3, 2}), ints({step}), ints({1}), ints({1}), ceil, int64_t{2}});
        expect_body("prim::max_pool",
                    {x, ints({2}), ints({1, step}), ints({0, 1}), ints({1, 2}), ceil, int64_t{2}});
      }
    }
    expect_body("prim::adaptive_max_pool", {x, ints({3, 2}), int64_t{2}});
    expect_body("prim::adaptive_max_pool", {x, ints({1, 7}), int64_t{2}});
    expect_body("prim::adaptive_max_pool", {x, ints({1, 1}), int64_t{2}});
  }
  expect_body("prim::max_pool", {volume, ints({2, 3, 2}), IValue::int_list(Dims()), ints({1, 0, 1}),
                                 ints({1}), true, int64_t{3}});
  expect_body("prim::adaptive_max_pool", {volume, ints({2, 3, 1}), int64_t{3}});
  expect_body("prim::max_pool",
              {line, ints({3}), ints({2}), ints({1}), ints({1}), false, int64_t{1}});
  expect_body("prim::adaptive_max_pool", {line, ints({4}), int64_t{1}});
}

TEST(NativeImages, WindowsWithoutElementsAreTheBodys) {
  const Tensor x = uneven({1, 1, 2, 4}), halves = to_dtype(uneven({1, 2, 4, 4}), DType::F16);
  const IValue none = IValue::int_list(Dims());
  Values far{x, ints({2, 2}), ints({1}), ints({1, 0}), ints({3, 1}), false, int64_t{2}};
  EXPECT_FALSE(runs_natively("prim::max_pool", far));
  EXPECT_EQ(call(operator_named("prim::max_pool"), far).size(), 2u);
  EXPECT_FALSE(runs_natively("prim::adaptive_max_pool", {x, ints({0, 2}), int64_t{2}}));
  EXPECT_FALSE(runs_natively("prim::adaptive_max_pool", {x, ints({2}), int64_t{2}}));
  EXPECT_FALSE(runs_natively("prim::adaptive_max_pool", {halves, ints({2, 2}), int64_t{2}}));
  EXPECT_FALSE(
      runs_natively("aten::avg_pool3d", {x, ints({2}), none, ints({0}), false, true, IValue()}));
  EXPECT_FALSE(runs_natively("aten::adaptive_avg_pool2d", {x, ints({1})}));
  EXPECT_FALSE(runs_natively("aten::adaptive_avg_pool3d", {x, ints({1, 2, 0})}));
}

TEST(NativeImages, MeansAndLargestOfVolumes) {
  const IValue none = IValue::int_list(Dims());
  for (DType dtype : {DType::F32, DType::F64}) {
    for (const Tensor& x : {normal({2, 3, 5, 6, 7}, dtype), normal({2, 4, 7, 20}, dtype)}) {
      for (bool ceil : {false, true}) {
        for (bool counts : {false, true}) {
          const Values args{x, ints({3, 2, 2}), ints({2}), ints({1, 0, 1}), ceil, counts, IValue()};
          expect_body("aten::avg_pool3d", args, 16);
        }
        for (int64_t step : {1, 2, 3})
          expect_body("aten::max_pool3d",
                      {x, ints({2, 3, 2}), ints({step}), ints({1}), ints({1}), ceil});
        expect_body("aten::max_pool3d",
                    {x, ints({2}), ints({2, 1, 1}), ints({0}), ints({1, 2, 3}), ceil});
      }
      expect_body("aten::avg_pool3d", {x, ints({2}), none, ints({0}), false, true, int64_t{-5}},
                  16);
      expect_body("aten::adaptive_avg_pool3d", {x, ints({2, 3, 1})}, 16);
      expect_body("aten::adaptive_avg_pool3d", {x, ints({3, 4, 9})}, 16);
    }
    const Tensor image = normal({1, 5, 11, 40}, dtype);
    expect_body("aten::adaptive_avg_pool2d", {image, ints({7, 7})}, 16);
    expect_body("aten::adaptive_avg_pool2d", {image, ints({2, 1})}, 16);
  }
}

// The body adds the bias of a convolution of volumes last, and the oracles follow its steps.
TEST(NativeImages, ConvolutionsOfVolumesAreTheBodys) {
  const Tensor x = normal({2, 4, 5, 6, 7}, DType::F32), w = normal({4, 3, 2, 3, 2}, DType::F32, 3);
  EXPECT_FALSE(native_of(operator_named("prim::convolve3d")));
  EXPECT_FALSE(runs_natively(
      "prim::conv_transpose",
      {x, w, IValue(), ints({1}), ints({0}), ints({0}), int64_t{1}, ints({1}), int64_t{3}}));
}

TEST(NativeImages, FoldsAddInTheBodysOrder) {
  for (DType dtype : {DType::F32, DType::F64}) {
    const Tensor columns = normal({2, 12, 16}, dtype);
    expect_body("aten::col2im",
                {columns, ints({6, 5}), ints({3, 2}), ints({1, 1}), ints({0, 0}), ints({1, 1})});
    expect_body("aten::col2im", {normal({12, 16}, dtype), ints({6, 5}), ints({3, 2}), ints({1, 1}),
                                 ints({0, 0}), ints({1, 1})});
    expect_body("aten::col2im", {normal({1, 18, 12}, dtype), ints({5, 8}), ints({3, 3}),
                                 ints({2, 1}), ints({1, 2}), ints({1, 3})});
    EXPECT_FALSE(runs_natively("aten::col2im", {columns, ints({6, 6}), ints({3, 2}), ints({1, 1}),
                                                ints({0, 0}), ints({1, 1})}));
  }
}

TEST(NativeImages, PixelsGoBetweenChannelsAndPlaces) {
  for (DType dtype : {DType::Bool, DType::F16, DType::F32, DType::I64}) {
    const Tensor x = to_dtype(below({2, 18, 6, 12}, 251), dtype);
    const Tensor one = to_dtype(below({36, 6, 12}, 251), dtype);
    for (int64_t r : {2, 3}) {
      if (r == 3) expect_body("aten::pixel_shuffle", {x, r});
      expect_body("aten::pixel_shuffle", {one, r});
      expect_body("aten::pixel_unshuffle", {x, r});
      expect_body("aten::pixel_unshuffle", {one, r});
    }
    EXPECT_FALSE(runs_natively("aten::pixel_shuffle", {x, int64_t{2}}));
    EXPECT_FALSE(runs_natively("aten::pixel_unshuffle", {x, int64_t{5}}));
    EXPECT_FALSE(runs_natively("aten::pixel_unshuffle", {x, int64_t{1}}));
    EXPECT_FALSE(
        runs_natively("aten::pixel_unshuffle", {to_dtype(below({3, 2, 2}, 9), dtype), int64_t{2}}));
    EXPECT_FALSE(
        runs_natively("aten::pixel_shuffle", {to_dtype(below({4, 1, 1}, 9), dtype), int64_t{2}}));
  }
}

}  // namespace
}  // namespace fusillade
