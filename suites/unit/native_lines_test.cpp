// Operators that run natively line by line or point by point, against their bodies: sampling,
// resizing, ranks, running sums of exponentials, scattered reductions, counts, norms of groups.
#include <limits>

#include "suites/unit/native_answer.h"

namespace fusillade {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// A tensor with NaNs, infinities and equal numbers, at positions that few lines share.
Tensor odd(const Dims& sizes) {
  Tensor t = normal(sizes, DType::F32, 7);
  const float values[] = {kNaN, kInf, -kInf, 0.0f, -0.0f, 1.5f, 1.5f};
  for (int64_t i = 0; i < t.numel(); i += 11) t.data<float>()[i] = values[i / 11 % 7];
  return t;
}

TEST(NativeLines, MediansAreThoseOfTheSortedLine) {
  for (const Tensor& x : {odd({5, 23}), normal({4, 40}, DType::F64), below({6, 33}, 5),
                          to_dtype(odd({5, 9}), DType::F16), transpose(odd({8, 13})),
                          to_dtype(below({3, 7}, 5), DType::U8), normal({2, 1}, DType::F32)}) {
    for (const char* name : {"aten::median.dim", "aten::nanmedian.dim"}) {
      for (int64_t dim : {0, 1, -1})
        for (bool keep : {false, true}) expect_body(name, {x, dim, keep});
    }
  }
  Tensor none = Tensor::empty({2, 3}, DType::F32);
  std::fill_n(none.data<float>(), 6, kNaN);
  expect_body("aten::nanmedian.dim", {none, int64_t{1}, false});
  expect_body("aten::median.dim", {none, int64_t{1}, false});
}

TEST(NativeLines, TheCommonestIsTheLeastOfThem) {
  Tensor none = Tensor::empty({2, 3}, DType::F32), zeros = Tensor::zeros({2, 4}, DType::F32);
  std::fill_n(none.data<float>(), 6, kNaN);
  zeros.data<float>()[2] = zeros.data<float>()[7] = -0.0f;
  for (const Tensor& x : {odd({5, 23}), odd({3, 600}), none, zeros, normal({4, 40}, DType::F64),
                          below({6, 33}, 5), to_dtype(odd({5, 9}), DType::F16),
                          transpose(odd({8, 13})), to_dtype(below({3, 7}, 5), DType::U8)}) {
    for (int64_t dim : {0, 1, -1})
      for (bool keep : {false, true}) expect_body("aten::mode", {x, dim, keep});
  }
}

TEST(NativeLines, NeighboursThatAreEqualAreOne) {
  Tensor runs = odd({60});
  for (int64_t i = 1; i < 60; ++i)
    if (i % 3) runs.data<float>()[i] = i % 2 ? runs.data<float>()[i - 1] : 0.0f;
  runs.data<float>()[33] = 0.0f;
  runs.data<float>()[34] = -0.0f;
  for (const Tensor& x : {runs, below({4, 9}, 2), to_dtype(runs, DType::F64), below({1}, 3)}) {
    for (bool inverse : {false, true}) {
      for (bool counts : {false, true}) {
        expect_body("aten::unique_consecutive", {x, inverse, counts, IValue()});
        if (x.rank() == 1)
          expect_body("aten::unique_consecutive", {x, inverse, counts, int64_t{0}});
      }
    }
  }
}

TEST(NativeLines, WhatIsAmongOthersIsFound) {
  Tensor none = Tensor::empty({2}, DType::F32);
  std::fill_n(none.data<float>(), 2, kNaN);
  for (bool invert : {false, true}) {
    for (const Tensor& sought : {odd({3, 4}), odd({90}), normal({1}, DType::F32), none})
      expect_body("aten::isin.Tensor_Tensor", {odd({5, 23}), sought, false, invert});
    expect_body("aten::isin.Tensor_Tensor", {below({40}, 37), below({6}, 23), true, invert});
  }
}

TEST(NativeLines, ElementsArePutWhereMasksSay) {
  const Tensor mask = normal({6, 7}, DType::Bool, 3), none = Tensor::zeros({6, 7}, DType::Bool);
  const Tensor all = to_dtype(normal({6, 7}, DType::F32), DType::Bool);
  const int64_t chosen = 42 - std::count(mask.raw(), mask.raw() + 42, uint8_t{0});
  for (DType dtype : {DType::F32, DType::F64, DType::I64, DType::F16, DType::U8, DType::Bool}) {
    const Tensor x = to_dtype(odd({6, 7}), dtype), source = to_dtype(below({60}, 5), dtype);
    expect_body("aten::masked_scatter", {x, mask, source});
    expect_body("aten::masked_scatter", {x, none, source});
    expect_body("aten::masked_scatter", {x, all, to_dtype(below({42}, 5), dtype)});
    expect_body("aten::masked_scatter", {x, mask, to_dtype(below({chosen}, 5), dtype)});
  }
  Values out;
  const Tensor x = odd({6, 7});
  for (const Values& args :
       {Values{x, mask, normal({3}, DType::F32)}, Values{x, normal({7}, DType::Bool), odd({60})},
        Values{transpose(odd({7, 6})), mask, odd({60})}})
    EXPECT_FALSE(native_of(operator_named("aten::masked_scatter"))->run(args, out));
  EXPECT_TRUE(out.empty());
}

TEST(NativeLines, PlacesAreTaken) {
  for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::Bool}) {
    const Tensor x = to_dtype(odd({6, 7}), dtype), indices = below({5, 3}, 42);
    expect_body("aten::take", {x, indices});
    indices.data<int64_t>()[4] = -42;
    expect_body("aten::take", {x, indices});
    expect_body("aten::take", {x, Tensor::empty({0}, DType::I64)});
    Values out;
    for (int64_t outside : {int64_t{-43}, int64_t{42}, INT64_MIN}) {
      indices.data<int64_t>()[4] = outside;
      EXPECT_FALSE(native_of(operator_named("aten::take"))->run(Values{x, indices}, out));
    }
  }
}

TEST(NativeLines, NumbersAreSummedNextToNaNs) {
  for (DType dtype : {DType::F32, DType::F64}) {
    for (const Dims& sizes : {Dims{4, 70}, Dims{2, 3, 1}, Dims{5000}, Dims{2, 4100}}) {
      const Tensor x = to_dtype(odd(sizes), dtype);
      for (int64_t dim : {int64_t{-1}, int64_t{sizes.rank() - 1}})
        for (bool keeps : {false, true})
          expect_body("aten::nansum", {x, IValue::int_list(Dims{dim}), keeps, IValue()});
    }
  }
}

TEST(NativeLines, PlacesAreRepeated) {
  for (const Tensor& x : {below({40}, 5), Tensor::zeros({3}, DType::I64),
                          to_dtype(below({9}, 4), DType::I32), Tensor::empty({0}, DType::I64)})
    expect_body("aten::repeat_interleave.Tensor", {x, IValue()});
  Tensor negative = below({9}, 4);
  negative.data<int64_t>()[4] = -1;
  Values out;
  EXPECT_FALSE(native_of(operator_named("aten::repeat_interleave.Tensor"))
                   ->run(Values{negative, IValue()}, out));
}

TEST(NativeLines, ProductsRunWiderThanStored) {
  for (DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
    for (const Dims& sizes : {Dims{3, 70}, Dims{9, 3}, Dims{2, 5, 37}, Dims{5, 1}, Dims{2, 1100}}) {
      Tensor x = to_dtype(odd(sizes), dtype);
      for (int64_t dim = -1; dim < x.rank(); ++dim)
        expect_body("aten::cumprod", {x, dim, IValue()});
    }
    expect_body("aten::cumprod", {transpose(to_dtype(odd({5, 6}), dtype)), int64_t{0}, IValue()});
  }
}

// Two million tenths come to 200,000: accumulated in float32, to 197,024.
TEST(NativeLines, SumsRunWiderThanStored) {
  const auto last = [](const Tensor& x, int64_t dim) {
    std::vector<IValue> args{x, dim, IValue()};
    const Tensor sums = call(operator_named("aten::cumsum"), args)[0].as_tensor();
    return element_as_double(sums, sums.numel() - 1);
  };
  const Tensor tenths = Tensor::empty({2000000}, DType::F32);
  std::fill_n(tenths.data<float>(), tenths.numel(), 0.1f);
  EXPECT_EQ(last(tenths, 0), 200000);
  EXPECT_EQ(last(Tensor::view_of(tenths, 0, {1000000, 2}, {2, 1}), 0), 100000);
  EXPECT_EQ(last(Tensor::view_of(tenths, 0, {10, 200000}, {200000, 1}), 1), 20000);
  EXPECT_EQ(last(to_dtype(tenths, DType::BF16), 0), 196608);  // as PyTorch has it
}

TEST(NativeLines, SumsOfExponentialsRun) {
  for (DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
    for (const Dims& sizes : {Dims{3, 7}, Dims{40, 3}, Dims{2, 5, 37}, Dims{1, 1}}) {
      Tensor x = to_dtype(odd(sizes), dtype);
      for (int64_t dim = -1; dim < x.rank(); ++dim) expect_body("aten::logcumsumexp", {x, dim});
    }
    expect_body("aten::logcumsumexp", {transpose(to_dtype(odd({5, 6}), dtype)), int64_t{0}});
  }
}

TEST(NativeLines, ScatteredElementsJoinInOrder) {
  for (const Tensor& self : {odd({6, 9}), normal({6, 9}, DType::F64), below({6, 9}, 7)}) {
    for (int64_t dim : {0, 1}) {
      for (const char* how : {"sum", "prod", "mean", "amax", "amin"}) {
        for (bool include : {false, true}) {
          Tensor index = below({4, 5}, 4);
          Tensor source = to_dtype(odd({5, 7}), self.dtype());
          expect_body("prim::scatter_reduce",
                      {self, dim, index, source, IValue::str(how), include});
          expect_body("prim::scatter_reduce",
                      {self, dim, transpose(index), transpose(source), IValue::str(how), include});
        }
      }
    }
  }
  Tensor negative = below({6, 9}, 7);
  for (int64_t i = 0; i < 54; ++i) negative.data<int64_t>()[i] -= 20;
  expect_body("prim::scatter_reduce",
              {negative, int64_t{1}, below({6, 9}, 3), negative, IValue::str("mean"), true});
}

TEST(NativeLines, PlacesBeyondAreTheBodysToRefuse) {
  Values out;
  Tensor x = normal({3, 3}, DType::F32), beyond = below({3, 3}, 3);
  beyond.data<int64_t>()[4] = 3;
  EXPECT_FALSE(native_of(operator_named("prim::scatter_reduce"))
                   ->run(Values{x, int64_t{0}, beyond, x, IValue::str("amax"), true}, out));
  EXPECT_TRUE(out.empty());
}

TEST(NativeLines, CountsWithWeightsAndOfOtherIntegers) {
  Tensor numbers = below({300}, 13);
  for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::I32})
    expect_body("aten::bincount",
                {numbers, to_dtype(normal({300}, DType::F32), dtype), int64_t{20}});
  for (DType dtype : {DType::U8, DType::I32, DType::I16})
    expect_body("aten::bincount", {to_dtype(numbers, dtype), IValue(), int64_t{0}});
  for (int64_t n : {1, 3, 4, 5, 299}) expect_body("aten::bincount", {below({n}, 2), IValue(), n});
}

TEST(NativeLines, NormsOfGroups) {
  for (DType dtype : {DType::F32, DType::F64}) {
    for (const Dims& sizes : {Dims{3, 6}, Dims{2, 6, 5}, Dims{2, 12, 3, 7}, Dims{1, 6, 33, 2}}) {
      Tensor x = normal(sizes, dtype), w = normal({sizes[1]}, dtype, 2);
      for (int64_t groups : {1, 2, 3, 6}) {
        expect_body("aten::group_norm", {x, groups, w, IValue(), 1e-5, true});
        expect_body("aten::group_norm", {x, groups, IValue(), w, 0.5, true});
        expect_body("aten::group_norm", {x, groups, IValue(), IValue(), 1e-5, true});
      }
    }
  }
}

TEST(NativeLines, ResizingWeighsThePlacesOfTheBody) {
  for (DType dtype : {DType::F32, DType::F64}) {
    Tensor x = to_dtype(odd({2, 3, 7, 5}), dtype);
    for (int64_t dim : {0, 2, 3}) {
      for (int64_t size : {1, 3, 7, 20}) {
        for (double scale : {0.0, 0.3, 2.0}) {
          for (bool corners : {false, true}) {
            expect_body("prim::resize_dim", {x, dim, size, scale, IValue::str("linear"), corners});
            expect_body("prim::resize_cubic", {x, dim, size, scale, corners});
          }
        }
      }
    }
  }
}

TEST(NativeLines, SmoothResizingWeighsManyPlaces) {
  for (DType dtype : {DType::F32, DType::F64}) {
    const Tensor x = normal({2, 3, 17, 9}, dtype), turned = normal({9, 30}, dtype);
    for (int64_t dim : {2, 3}) {
      for (int64_t size : {1, 3, 17, 20}) {
        for (double scale : {0.0, 2.5, 4.0}) {
          for (bool cubic : {false, true}) {
            for (bool corners : {false, true}) {
              const Values args{x, dim, size, scale, cubic, corners};
              expect_body("prim::resize_smooth", args, 32);
            }
          }
        }
      }
    }
    Values out;
    // The last result reads nothing.
    EXPECT_FALSE(native_of(operator_named("prim::resize_smooth"))
                     ->run(Values{x, int64_t{3}, int64_t{4}, 0.1, false, false}, out));
    expect_body("prim::resize_smooth",
                {transpose(turned), int64_t{0}, int64_t{4}, 0.0, false, false}, 32);
  }
}

TEST(NativeLines, LinesAreShortened) {
  for (DType dtype : {DType::F32, DType::F64}) {
    for (const Dims& sizes : {Dims{5, 7}, Dims{3, 4, 33}, Dims{2, 3000}}) {
      for (double most : {0.0, 2.0, 1e30})
        expect_body("aten::renorm",
                    {to_dtype(normal(sizes, DType::F32), dtype), int64_t{2}, int64_t{0}, most});
      expect_body("aten::renorm",
                  {to_dtype(odd(sizes), dtype), 2.0, -sizes.rank() + int64_t{0}, int64_t{3}});
    }
  }
}

TEST(NativeLines, FunctionsOfFloatsTakeTheBodysSteps) {
  const double more[] = {-10.5, -3,    -0.3, 0.25, 0.49, 0.5,  0.75,
                         1,     1e-30, 1e10, 7.5,  19.9, 20.1, 80};
  for (DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
    Tensor x = to_dtype(odd({3, 47}), dtype);
    for (int64_t i = 0; i < 14; ++i) set_element(x, 3 * i + 1, more[i]);
    for (const char* name : {"aten::erfinv", "aten::digamma", "aten::i0", "aten::special_i0e",
                             "aten::special_i1", "aten::special_i1e"})
      expect_body(name, {x});
    if (dtype != DType::F32 && dtype != DType::F64) continue;
    for (const char* name : {"aten::acosh", "aten::atanh"}) expect_body(name, {x});
    Tensor y = contiguous(transpose(to_dtype(odd({47, 3}), dtype)));
    expect_body("aten::logaddexp", {x, y});
    expect_body("aten::logaddexp", {x, x});
    for (const Tensor& to : {y, x, contiguous(transpose(contiguous(transpose(x))))})
      expect_body("aten::nextafter", {x, to});
    const double least = dtype == DType::F64 ? 5e-324 : 1e-45;
    const double most = dtype == DType::F64 ? 1.7976931348623157e308 : 3.4028234663852886e38;
    const double ends[] = {0.0, -0.0, least, -least, most, -most, 2 * least, 1.0, INFINITY};
    Tensor from = Tensor::empty({81}, dtype), to = Tensor::empty({81}, dtype);
    for (int64_t i = 0; i < 81; ++i)
      set_element(from, i, ends[i / 9]), set_element(to, i, ends[i % 9]);
    expect_body("aten::nextafter", {from, to});
    expect_body("aten::acosh", {Tensor::empty({0, 3}, dtype)});
  }
}

Tensor numbers(std::initializer_list<int64_t> v) {
  Tensor t = Tensor::empty({static_cast<int64_t>(v.size())}, DType::I64);
  std::copy(v.begin(), v.end(), t.data<int64_t>());
  return t;
}

TEST(NativeLines, LabelsCostWhatTheBodySays) {
  for (DType dtype : {DType::F32, DType::F64}) {
    Tensor x = call(operator_named("aten::log_softmax.int"),
                    Values{normal({7, 3, 5}, dtype), int64_t{2}, IValue()})[0]
                   .as_tensor();
    Tensor holed = contiguous(x, true);
    set_element(holed, 12, kNaN);
    set_element(holed, 40, -kInf);
    const Tensor grid = below({3, 4}, 4), twice = Tensor::zeros({3, 4}, DType::I64);
    const Tensor line = numbers({1, 1, 2, 3, 4, 1, 4});
    for (const Tensor& lp : {x, holed}) {
      for (int64_t reduction : {0, 1, 2}) {
        for (bool zero : {false, true}) {
          for (int64_t blank : {0, 4}) {
            const Tensor input_lengths = numbers({7, 5, 1}), lengths = numbers({4, 2, 1});
            for (const Tensor& targets : {grid, twice, line})
              expect_body("aten::ctc_loss.Tensor",
                          {lp, targets, input_lengths, lengths, blank, reduction, zero});
          }
          expect_body("aten::ctc_loss.Tensor", {lp, grid, numbers({7, 2, 0}), numbers({0, 3, 2}),
                                                int64_t{0}, reduction, zero});
          expect_body("aten::ctc_loss.Tensor", {lp, grid, numbers({7, 7, 7}), numbers({0, 0, 0}),
                                                int64_t{2}, reduction, zero});
        }
      }
    }
    const Tensor all = numbers({7, 7, 7});
    Values out;
    for (const Values& args :
         {Values{x, line, all, numbers({4, 2, 2}), int64_t{0}, int64_t{1}, false},
          Values{x, grid, all, numbers({5, 2, 2}), int64_t{0}, int64_t{1}, false},
          Values{x, grid, numbers({8, 7, 7}), numbers({4, 2, 2}), int64_t{0}, int64_t{1}, false},
          Values{x, grid, all, numbers({4, -1, 2}), int64_t{0}, int64_t{1}, false},
          Values{x, grid, all, numbers({4, 2, 2}), int64_t{5}, int64_t{1}, false},
          Values{x, below({3, 4}, 9), all, numbers({4, 2, 2}), int64_t{0}, int64_t{1}, false}}) {
      EXPECT_FALSE(native_of(operator_named("aten::ctc_loss.Tensor"))->run(args, out));
      EXPECT_THROW(call(operator_named("aten::ctc_loss.Tensor"), args), Error);
    }
    EXPECT_TRUE(out.empty());
  }
}

TEST(NativeLines, BagsAreSummed) {
  Tensor offsets = below({4}, 3);
  const int64_t starts[] = {0, 4, 4, 9};
  std::copy(std::begin(starts), std::end(starts), offsets.data<int64_t>());
  for (DType dtype : {DType::F32, DType::F64}) {
    for (int64_t width : {4, 32, 70})
      for (int64_t mode : {0, 1, 2})
        expect_body("aten::embedding_bag.padding_idx",
                    {normal({9, width}, dtype), below({12}, 9), offsets, false, mode, false,
                     IValue(), false, IValue()});
  }
}

TEST(NativeLines, WhatIsNotZeroIsFound) {
  for (const Tensor& x : {odd({3, 4, 11}), to_dtype(odd({30}), DType::F16), below({5, 6}, 3),
                          to_dtype(below({5, 6}, 3), DType::U8)})
    expect_body("aten::nonzero", {x});
}

// A mask of all dimensions takes what masked_select takes, which walks otherwise.
TEST(NativeLines, MasksTakeWhatLiesUnderThem) {
  Tensor x = normal({4, 5, 7}, DType::F32);
  Tensor mask = normal({4, 5, 7}, DType::Bool, 3), none = Tensor::zeros({4, 5, 7}, DType::Bool);
  Tensor square = normal({6, 6}, DType::F32), turned = transpose(normal({6, 6}, DType::Bool, 5));
  for (const auto& [self, by] :
       {std::pair{x, mask}, std::pair{x, none}, std::pair{square, turned}}) {
    Tensor a = call(operator_named("aten::index.Tensor"),
                    Values{self, IValue::list({IValue(by)}, TypeKind::Tensor)})[0]
                   .as_tensor();
    Tensor b = call(operator_named("aten::masked_select"), Values{self, by})[0].as_tensor();
    EXPECT_TRUE(bitwise_equal(a, b)) << describe(a) << " " << describe(b);
  }
  Tensor lines = normal({4}, DType::Bool, 9);
  Tensor a = call(operator_named("aten::index.Tensor"),
                  Values{x, IValue::list({IValue(lines)}, TypeKind::Tensor)})[0]
                 .as_tensor();
  int64_t next = 0;
  for (int64_t i = 0; i < 4; ++i) {
    if (element_as_int(lines, i) == 0) continue;
    for (int64_t k = 0; k < 35; ++k, ++next)
      EXPECT_EQ(element_as_double(a, next), element_as_double(x, 35 * i + k));
  }
  EXPECT_EQ(a.numel(), next);
}

TEST(NativeLines, GridsAreSampledTapByTap) {
  for (DType dtype : {DType::F32, DType::F64}) {
    Tensor images = to_dtype(odd({2, 3, 5, 1}), dtype);
    Tensor wide = normal({1, 2, 6, 9}, dtype), deep = normal({2, 2, 3, 4, 5}, dtype);
    Tensor points = to_dtype(odd({2, 11, 13, 2}), dtype), some = normal({1, 2, 3, 2}, dtype);
    Tensor deep_grid = to_dtype(odd({2, 3, 7, 9, 3}), dtype);
    for (int64_t mode : {0, 1, 2}) {
      for (int64_t padding : {0, 1, 2}) {
        for (bool corners : {false, true}) {
          expect_body("aten::grid_sampler", {images, points, mode, padding, corners});
          expect_body("aten::grid_sampler", {wide, some, mode, padding, corners});
          if (mode != 2)
            expect_body("aten::grid_sampler", {deep, deep_grid, mode, padding, corners});
        }
      }
    }
  }
}

// Taps of a point so far out that its neighbours are rounded to it still weigh 1 together.
TEST(NativeLines, PointsFarOut) {
  const Tensor image = Tensor::zeros({1, 1, 3, 3}, DType::F32);
  const Tensor grid = Tensor::zeros({1, 1, 1, 2}, DType::F32);
  for (int64_t k = 0; k < 9; ++k) image.data<float>()[k] = 2;
  for (float far : {2e7f, -2e7f, 1e12f}) {
    grid.data<float>()[0] = grid.data<float>()[1] = far;
    for (int64_t padding : {1, 2}) {
      const std::vector<IValue> args{image, grid, int64_t{2}, padding, false};
      EXPECT_EQ(
          element_as_double(call(operator_named("aten::grid_sampler"), args)[0].as_tensor(), 0), 2);
    }
  }
}

// As PyTorch 1.13.1 and 2.13 answer: what is no position on an axis is its first element where
// images go on beyond their edges, and weighs NaN where they do not.
TEST(NativeLines, PointsNowhere) {
  Tensor image = Tensor::empty({1, 1, 3, 4}, DType::F32);
  for (int i = 0; i < 12; ++i) image.data<float>()[i] = static_cast<float>(i + 1);
  struct Answer {
    int64_t mode, padding;
    float at, wanted;
  };
  for (const Answer& a :
       {Answer{0, 0, kNaN, kNaN}, Answer{0, 0, kInf, kNaN}, Answer{0, 1, kNaN, 5.0f},
        Answer{0, 1, kInf, 8.0f}, Answer{0, 1, -kInf, 5.0f}, Answer{0, 2, kNaN, 5.0f},
        Answer{0, 2, kInf, 5.0f}, Answer{1, 0, kNaN, 0.0f}, Answer{1, 0, kInf, 0.0f},
        Answer{1, 1, kNaN, 5.0f}, Answer{1, 1, kInf, 8.0f}, Answer{1, 2, -kInf, 5.0f},
        Answer{2, 0, kNaN, kNaN}, Answer{2, 1, kInf, kNaN}, Answer{2, 2, kNaN, kNaN}}) {
    Tensor grid = Tensor::zeros({1, 1, 1, 2}, DType::F32);
    grid.data<float>()[0] = a.at;
    for (bool corners : {false, true}) {
      const Values args{image, grid, a.mode, a.padding, corners};
      expect_body("aten::grid_sampler", args);
      const float got = natively("aten::grid_sampler", args)[0].as_tensor().data<float>()[0];
      EXPECT_TRUE(got == a.wanted || (std::isnan(got) && std::isnan(a.wanted)))
          << a.mode << " " << a.padding << " " << a.at << " " << got;
    }
  }
}

}  // namespace
}  // namespace fusillade
