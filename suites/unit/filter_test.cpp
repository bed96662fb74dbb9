// Sums of filters and convolutions built on them: the order of sums, every number of filters and
// width, and the memory next to the result; whole operators against their bodies on numbers whose
// sums are exact.
#include "engine/tensor/filter.h"

#include <limits>
#include <type_traits>

#include "engine/run/plan.h"
#include "suites/unit/native_answer.h"

namespace fusillade {
namespace {

// Under the instruction sets that this machine has.
template <class T>
std::vector<const FilterSums<T>*> all_sums() {
  std::vector<const FilterSums<T>*> sets;
  if (!filter_sums<T>()) return sets;
  sets.push_back(filter_sums<T>());
#if defined(__x86_64__) && defined(__clang__)
  const FilterSums<T>* older;
  if constexpr (std::is_same_v<T, float>) older = &avx2::kFloatFilters;
  else older = &avx2::kDoubleFilters;
  if (older != sets[0]) sets.push_back(older);
#endif
  return sets;
}

// Blocks of k of 2048 bytes at most, as equal as they can be; in each one fused product after the
// other.
template <class T>
T in_order(const T* filter, const T* image, const std::vector<int64_t>& offsets, T bias) {
  const int64_t k = static_cast<int64_t>(offsets.size());
  const int64_t most = 2048 / sizeof(T), blocks = (k + most - 1) / most;
  T all = 0;
  for (int64_t b = 0; b < blocks; ++b) {
    T sum = 0;
    for (int64_t i = k * b / blocks; i < k * (b + 1) / blocks; ++i)
      sum = std::fma(image[offsets[static_cast<size_t>(i)]], filter[i], sum);
    all = b == 0 ? sum : all + sum;
  }
  return bias + all;
}

template <class T>
void check_operator(const FilterSums<T>& sums, int64_t count, int64_t k, int64_t width,
                    bool biased) {
  constexpr DType kType = std::is_same_v<T, float> ? DType::F32 : DType::F64;
  const int64_t lead = width + 3;
  const Tensor filters = normal({count, k}, kType, 1), image = normal({k + width + 40}, kType, 2);
  const Tensor bias = normal({count}, kType, 3);
  const int64_t room = sums.packed_size(count);
  Tensor packed = Tensor::empty({std::max<int64_t>(room * k, 1)}, kType);
  Tensor to = Tensor::empty({count, lead}, kType);
  std::fill_n(to.data<T>(), to.numel(), std::numeric_limits<T>::quiet_NaN());
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < k; ++i) offsets.push_back(i * 7 % (k + 40));
  sums.pack(filters.data<T>(), count, k, packed.data<T>());
  sums.row(count, k, packed.data<T>(), image.data<T>(), offsets.data(), width,
           biased ? bias.data<T>() : nullptr, to.data<T>(), lead);
  for (int64_t f = 0; f < count; ++f) {
    for (int64_t x = 0; x < lead; ++x) {
      const T got = to.data<T>()[f * lead + x];
      if (x >= width) {
        ASSERT_TRUE(std::isnan(got)) << "written beside the result";
        continue;
      }
      const T wanted = in_order(filters.data<T>() + f * k, image.data<T>() + x, offsets,
                                biased ? bias.data<T>()[f] : T(0));
      ASSERT_EQ(got, wanted) << count << " filters of " << k << ", " << x << " of " << width;
    }
  }
}

template <class T>
void check_rows() {
  for (const FilterSums<T>* sums : all_sums<T>()) {
    for (int64_t width = 1; width <= 33; ++width)
      check_operator(*sums, 2 * sums->lanes, 9, width, true);
    for (int64_t count = 1; count <= 67; ++count)
      check_operator(*sums, count, 5, 11, count % 2 == 0);
    for (int64_t k : {1, 2, 255, 256, 257, 512, 513, 1100}) check_operator(*sums, 19, k, 17, true);
  }
}

TEST(Filter, SumsInOneOrderAtEveryWidthAndNumberOfFilters) {
  check_rows<float>();
  check_rows<double>();
}

// Whole numbers so small that sums of their products are exact in any order.
Tensor whole(const Dims& sizes, DType dtype, int64_t limit = 9) {
  Tensor t = Tensor::empty(sizes, dtype);
  for (int64_t i = 0; i < t.numel(); ++i) {
    const int64_t v = (i * 7919 + i / 13) % limit - limit / 2;
    if (dtype == DType::F32) t.data<float>()[i] = static_cast<float>(v);
    else t.data<double>()[i] = static_cast<double>(v);
  }
  return t;
}

struct Sizes {
  int64_t images, channels, filters, height, width, kernel_height, kernel_width, groups = 1;
};

void check_convolution(const Sizes& s, const IValue& stride, const IValue& padding,
                       const IValue& dilation, DType dtype = DType::F32) {
  const Tensor weight =
      whole({s.filters, s.channels / s.groups, s.kernel_height, s.kernel_width}, dtype, 7);
  for (bool biased : {false, true}) {
    SCOPED_TRACE(fmt::format("{}x{}x{}x{} into {} by {}x{}, {} groups", s.images, s.channels,
                             s.height, s.width, s.filters, s.kernel_height, s.kernel_width,
                             s.groups));
    expect_body("aten::conv2d", {whole({s.images, s.channels, s.height, s.width}, dtype), weight,
                                 biased ? IValue(whole({s.filters}, dtype)) : IValue(), stride,
                                 padding, dilation, s.groups});
  }
}

TEST(Filter, ConvolutionsOfEveryWidthAndNumberOfFilters) {
  for (int64_t width = 1; width <= 33; ++width)
    check_convolution({2, 3, 16, 5, width, 3, 3}, ints({1}), ints({1}), ints({1}));
  for (int64_t filters : {10, 11, 15, 16, 17, 22, 31, 32, 33, 43, 48, 65})
    check_convolution({1, 5, filters, 7, 9, 3, 3}, ints({1}), ints({1}), ints({1}));
  for (int64_t channels : {1, 2, 7, 57, 115})
    check_convolution({1, channels, 24, 4, 15, 3, 3}, ints({1}), ints({1}), ints({1}), DType::F64);
}

TEST(Filter, ConvolutionsOfStridesDilationsPaddingsAndGroups) {
  for (DType dtype : {DType::F32, DType::F64}) {
    for (int64_t step : {1, 2, 3, 5}) {
      for (int64_t dilation : {1, 2, 3}) {
        for (int64_t around : {0, 1, 4, 9}) {
          check_convolution({1, 3, 12, 11, 19, 3, 2}, ints({step}), ints({around}),
                            ints({dilation}), dtype);
          check_convolution({2, 8, 32, 9, 10, 1, 3, 2}, ints({1, step}), ints({around, 0}),
                            ints({1, dilation}), dtype);
          check_convolution({1, 2, 11, 9, 12, 2, 1}, ints({step, 1}), ints({0, around}),
                            ints({dilation, 2}), dtype);
        }
      }
    }
    check_convolution({1, 6, 16, 15, 15, 1, 1}, ints({2, 3}), ints({1, 2}), ints({1}), dtype);
    check_convolution({3, 8, 48, 6, 6, 1, 1, 4}, ints({1}), ints({0}), ints({1}), dtype);
    check_convolution({2, 4, 16, 13, 9, 1, 1}, ints({1}), ints({0}), ints({1}), dtype);
  }
}

// One filter: rows and columns that fill no tile.
template <class T>
void check_planes() {
  constexpr DType kType = std::is_same_v<T, float> ? DType::F32 : DType::F64;
  const std::vector<int64_t> offsets{0, 3, 1, 190, 77};
  const Tensor filter = normal({5}, kType, 1), image = normal({200 + 12 * 90 + 80}, kType, 2);
  for (const FilterSums<T>* sums : all_sums<T>()) {
    for (int64_t rows = 1; rows <= 11; ++rows) {
      for (int64_t width = 1; width <= 80; ++width) {
        Tensor to = Tensor::empty({rows, width + 2}, kType);
        std::fill_n(to.data<T>(), to.numel(), std::numeric_limits<T>::quiet_NaN());
        sums->plane(5, filter.data<T>(), image.data<T>(), offsets.data(), rows, 90, width, T(0.25),
                    to.data<T>(), width + 2);
        for (int64_t i = 0; i < to.numel(); ++i) {
          const int64_t y = i / (width + 2), x = i % (width + 2);
          const T got = to.data<T>()[i];
          if (x >= width) {
            ASSERT_TRUE(std::isnan(got)) << "written beside the result";
            continue;
          }
          ASSERT_EQ(got, in_order(filter.data<T>(), image.data<T>() + y * 90 + x, offsets, T(0.25)))
              << y << ", " << x << " of " << rows << " by " << width;
        }
      }
    }
  }
}

TEST(Filter, OneSumsInTheSameOrderInEveryTile) {
  check_planes<float>();
  check_planes<double>();
}

TEST(Filter, ConvolutionsOfFewFiltersAGroup) {
  for (int64_t width = 1; width <= 70; width += width < 34 ? 1 : 7)
    check_convolution({1, 4, 8, 5, width, 3, 3, 4}, ints({1}), ints({1}), ints({1}));
  for (DType dtype : {DType::F32, DType::F64}) {
    for (int64_t step : {1, 2, 3}) {
      for (int64_t around : {0, 2, 7}) {
        check_convolution({2, 6, 6, 12, 21, 5, 3, 6}, ints({step}), ints({around}), ints({1}),
                          dtype);
        check_convolution({1, 6, 9, 7, 11, 2, 4, 3}, ints({1, step}), ints({around}), ints({2, 1}),
                          dtype);
      }
    }
  }
  check_convolution({1, 2, 2, 300, 350, 3, 3, 2}, ints({1}), ints({1}), ints({1}));
  check_convolution({1, 1, 1, 30, 30, 27, 25}, ints({1}), ints({0}), ints({1}));
}

// Strips of several rows and of parts of rows; filters that are packed in several shares.
TEST(Filter, ConvolutionsInManyStripsAndShares) {
  check_convolution({2, 64, 16, 45, 41, 3, 3}, ints({1}), ints({1}), ints({1}));
  check_convolution({1, 64, 16, 3, 1700, 2, 3}, ints({1, 2}), ints({1}), ints({1, 2}));
  check_convolution({2, 100, 150, 5, 6, 3, 3}, ints({1}), ints({2}), ints({1}));
  check_convolution({2, 640, 200, 9, 8, 1, 1}, ints({1}), ints({0}), ints({1}));
  check_convolution({2, 300, 300, 6, 5, 3, 3, 2}, ints({2}), ints({1}), ints({1}), DType::F64);
}

TEST(Filter, ConvolutionsWithoutImagesOrOfLinesAreTheBodys) {
  check_convolution({1, 16, 16, 1, 100, 1, 5}, ints({1}), ints({0, 2}), ints({1}));
  const Values none{whole({0, 3, 5, 5}, DType::F32),
                    whole({16, 3, 3, 3}, DType::F32),
                    IValue(),
                    ints({1}),
                    ints({1}),
                    ints({1}),
                    int64_t{1}};
  Values out;
  EXPECT_FALSE(native_of(operator_named("aten::conv2d"))->run(none, out));
  EXPECT_EQ(call(operator_named("aten::conv2d"), none)[0].as_tensor().sizes(), (Dims{0, 16, 5, 5}));
  const Tensor line = whole({2, 6, 50}, DType::F32), kernels = whole({20, 3, 4}, DType::F32);
  expect_body("aten::conv1d",
              {line, kernels, IValue(), ints({3}), ints({5}), ints({2}), int64_t{2}});
  const Tensor alone = whole({6, 50}, DType::F32);
  expect_body("aten::conv1d.padding",
              {alone, kernels, IValue(), ints({1}), IValue::str("same"), ints({2}), int64_t{2}});
}

// Elements of a kernel at large distances, and strides that go past the image: the copies of such
// strips would be larger than memory.
TEST(Filters, FarElementsTakeNoMemory) {
  const auto graph = parse_graph(
      "graph(%x : Tensor, %w : Tensor, %stride : int, %far : int):\n"
      "  %none : NoneType = prim::Constant()\n  %one : int = prim::Constant[value=1]()\n"
      "  %s : int[] = prim::ListConstruct(%stride, %stride)\n"
      "  %d : int[] = prim::ListConstruct(%far, %far)\n"
      "  %r : Tensor = aten::conv2d(%x, %w, %none, %s, %d, %d, %one)\n  return (%r)\n");
  for (const int64_t channels : {1, 40}) {
    for (const int64_t stride : {int64_t{1}, int64_t{1000000000}}) {
      Tensor x = Tensor::empty({1, channels, 5, 5}, DType::F32);
      Tensor w = Tensor::empty({channels, channels, 3, 3}, DType::F32);
      float *from = x.data<float>(), *filters = w.data<float>();
      for (int64_t i = 0; i < x.numel(); ++i) from[i] = static_cast<float>(i % 7);
      for (int64_t i = 0; i < w.numel(); ++i) filters[i] = static_cast<float>(i % 5);
      const Tensor out =
          prepare(*graph, parse_plan("eager"))->run({x, w, stride, int64_t{100000}})[0].as_tensor();
      float middle = 0;  // the only element of the kernel that meets the image
      for (int64_t c = 0; c < channels; ++c) middle += from[c * 25] * filters[c * 9 + 4];
      EXPECT_EQ(out.data<float>()[0], middle) << channels << " " << stride;
      EXPECT_EQ(out.numel(), channels * (stride == 1 ? 25 : 1));
    }
  }
}

}  // namespace
}  // namespace fusillade
