// Operators that run natively against their bodies: bit by bit where the native way takes the
// body's steps, within rounding where it adds up in another order, and by what defines them where
// the algorithm is another. Each call is first seen to be taken natively.
#include <limits>

#include "suites/unit/native_answer.h"

namespace fusillade {
namespace {

TEST(Native, SoftmaxAndNormsTakeTheBodysSteps) {
  for (DType dtype : {DType::F32, DType::F64}) {
    for (int64_t n : {1, 3, 32, 33, 100, 2049}) {
      Tensor x = normal({4, n}, dtype);
      for (int64_t dim : {0, 1, -1}) {
        expect_body("aten::softmax.int", {x, dim, IValue()});
        expect_body("aten::log_softmax.int", {x, dim, IValue()});
      }
      Tensor w = normal({n}, dtype, 2);
      expect_body("aten::layer_norm", {x, ints({n}), w, IValue(), 1e-5, true});
      expect_body("aten::layer_norm", {x, ints({4, n}), IValue(), IValue(), 0.5, true});
      expect_body("aten::layer_norm", {x, ints({n}), IValue(), w, 1e-5, true});
    }
    Tensor x = normal({50, 9}, dtype), images = normal({2, 9, 5, 7}, dtype);
    for (int64_t reduction : {0, 1, 2}) {
      for (int64_t ignored : {-100, 3}) {
        expect_body("aten::nll_loss_nd", {x, below({50}, 9), IValue(), reduction, ignored});
        expect_body("aten::nll_loss_nd",
                    {images, below({2, 5, 7}, 9), IValue(), reduction, ignored});
      }
    }
  }
}

TEST(Native, SoftmaxOfLinesSideBySide) {
  Tensor odd = normal({3, 40, 70}, DType::F32);
  odd.data<float>()[77] = NAN;
  odd.data<float>()[200] = INFINITY;
  for (int64_t i = 0; i < 40; ++i) odd.data<float>()[9 + 70 * i] = -INFINITY;
  for (const Tensor& x : {odd, normal({2, 5, 300}, DType::F64), normal({2100, 3}, DType::F32),
                          normal({3, 700, 65}, DType::F32)}) {
    for (int64_t dim : {0, 1}) {
      expect_body("aten::softmax.int", {x, dim, IValue()});
      expect_body("aten::log_softmax.int", {x, dim, IValue()});
    }
  }
}

TEST(Native, HalvesAreRoundedWhereTheBodyRounds) {
  for (DType dtype : {DType::F16, DType::BF16}) {
    for (int64_t n : {1, 3, 33, 100, 2049}) {
      Tensor x = to_dtype(normal({4, n}, DType::F32), dtype);
      if (n == 33) set_element(x, 5, INFINITY), set_element(x, 40, NAN);
      expect_body("aten::softmax.int", {x, int64_t{1}, IValue()});
      expect_body("aten::log_softmax.int", {x, int64_t{-1}, IValue()});
      Tensor w = to_dtype(normal({n}, DType::F32, 2), dtype);
      expect_body("aten::layer_norm", {x, ints({n}), w, IValue(), 1e-5, true});
      expect_body("aten::layer_norm", {x, ints({n}), IValue(), w, 0.5, true});
      expect_body("aten::layer_norm", {x, ints({4, n}), IValue(), IValue(), 0.5, true});
    }
  }
}

TEST(Native, LinesTakeTheBodysSteps) {
  Tensor holed = normal({5, 7}, DType::F32);
  holed.data<float>()[9] = NAN;
  holed.data<float>()[20] = holed.data<float>()[13];
  for (const Tensor& x : {holed, normal({5, 7}, DType::F64), below({5, 7}, 4)}) {
    for (int64_t dim : {0, 1, -2}) {
      expect_body("aten::cumprod", {x, dim, IValue()});
      for (bool largest : {false, true}) expect_body("prim::running_extreme", {x, dim, largest});
    }
  }
  expect_body("aten::mode", {below({6, 40}, 7), int64_t{-1}, false});
  expect_body("aten::mode", {below({6, 40}, 7), int64_t{1}, true});
  for (bool counts : {false, true}) {
    expect_body("aten::_unique2", {below({30, 3}, 11), true, counts, counts});
    expect_body("aten::_unique2", {normal({20}, DType::F32), true, !counts, counts});
  }
  Tensor mask = normal({3, 4, 5}, DType::Bool);
  expect_body("aten::nonzero", {mask});
  expect_body("aten::nonzero", {Tensor::zeros({4}, DType::Bool)});
  expect_body("aten::cdist",
              {normal({5, 6}, DType::F32), normal({3, 6}, DType::F32, 2), 2.0, IValue()}, 8);
  expect_body("aten::cdist",
              {normal({5, 6}, DType::F32), normal({3, 6}, DType::F32, 2), 1.0, IValue()}, 8);
  Tensor offsets = below({4}, 3);
  const int64_t starts[] = {0, 4, 4, 9};
  std::copy(std::begin(starts), std::end(starts), offsets.data<int64_t>());
  expect_body("aten::embedding_bag.padding_idx",
              {normal({9, 4}, DType::F32), below({12}, 9), offsets, false, int64_t{1}, false,
               IValue(), false, IValue()});
}

TEST(Native, ProductsOfEachWithEach) {
  for (DType dtype : {DType::F32, DType::F64}) {
    for (int64_t n : {0, 1, 4, 33}) {
      const Tensor a = normal({n, 5}, dtype), x = normal({n}, dtype, 2), y = normal({5}, dtype, 3);
      expect_body("aten::kron", {a, normal({3, 2}, dtype, 4)});
      expect_body("aten::kron", {x, y});
      expect_body("aten::addr", {a, x, y, int64_t{1}, int64_t{1}});
      expect_body("aten::addr", {a, x, y, 0.3, -1.7});
      expect_body("aten::linalg_cross",
                  {normal({n, 3}, dtype, 5), normal({n, 3}, dtype, 6), int64_t{-1}});
      expect_body("aten::linalg_cross",
                  {normal({2, 3, n}, dtype, 5), normal({2, 3, n}, dtype, 6), int64_t{1}});
    }
  }
  expect_body("aten::kron", {below({3, 4}, 97), below({5, 1}, 31)});
  expect_body("aten::addr",
              {below({3, 4}, 97), below({3}, 31), below({4}, 13), int64_t{2}, int64_t{-3}});
  expect_body("aten::linalg_cross", {below({3, 4}, 97), below({3, 4}, 31), int64_t{0}});
  Values out;
  const Tensor square = normal({4, 4}, DType::F32);
  EXPECT_FALSE(
      native_of(operator_named("aten::kron"))->run(Values{transpose(square), square}, out));
  EXPECT_FALSE(
      native_of(operator_named("aten::addr"))
          ->run(Values{below({4, 4}, 9), below({4}, 9), below({4}, 9), 1.5, int64_t{1}}, out));
  EXPECT_FALSE(native_of(operator_named("aten::linalg_cross"))
                   ->run(Values{square, square, int64_t{1}}, out));
}

TEST(Native, LinesOnADiagonal) {
  for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::Bool}) {
    for (int64_t offset : {-3, 0, 2}) {
      expect_body("aten::diag", {normal({5}, dtype), offset});
      expect_body("aten::diag_embed", {normal({2, 3, 4}, dtype), offset, int64_t{-2}, int64_t{-1}});
      expect_body("aten::diag_embed", {normal({3, 1}, dtype), offset, int64_t{1}, int64_t{2}});
    }
  }
  Values out;
  EXPECT_FALSE(native_of(operator_named("aten::diag"))
                   ->run(Values{normal({4, 4}, DType::F32), int64_t{0}}, out));
  EXPECT_FALSE(
      native_of(operator_named("aten::diag_embed"))
          ->run(Values{normal({4, 4}, DType::F32), int64_t{0}, int64_t{0}, int64_t{1}}, out));
}

TEST(Native, LinesOfNumbers) {
  const IValue none;
  for (int64_t steps : {0, 1, 2, 3, 17, 1000}) {
    for (const IValue& dtype : {none, IValue(int64_t{6}), IValue(int64_t{7})}) {
      expect_body("aten::linspace", {0.1, 1.0, steps, dtype, none, none, none});
      expect_body("aten::linspace", {int64_t{-3}, 1e30, steps, dtype, none, none, none});
    }
  }
  const IValue i64(int64_t{4});
  for (int64_t offset : {-1, 0, 1}) {
    for (const auto& [rows, columns] : {std::pair(3, 5), {5, 3}, {3, 3}}) {
      for (const char* name : {"aten::tril_indices", "aten::triu_indices"})
        expect_body(name, {int64_t{rows}, int64_t{columns}, offset, i64, none, none, none});
    }
  }
  Values out;
  EXPECT_FALSE(native_of(operator_named("aten::linspace"))
                   ->run(Values{0.0, 1e300, int64_t{4}, none, none, none, none}, out));
  EXPECT_FALSE(native_of(operator_named("aten::triu_indices"))
                   ->run(Values{int64_t{3}, int64_t{2}, int64_t{9}, i64, none, none, none}, out));
  EXPECT_FALSE(native_of(operator_named("aten::tril_indices"))
                   ->run(Values{int64_t{-1}, int64_t{2}, int64_t{0}, i64, none, none, none}, out));
}

TEST(Native, LargestOfImages) {
  for (DType dtype : {DType::F32, DType::F64}) {
    for (int64_t step : {1, 2, 3}) {
      for (bool ceil : {false, true}) {
        expect_body("aten::max_pool2d", {normal({2, 3, 17, 40}, dtype), ints({3, 2}), ints({step}),
                                         ints({1}), ints({1}), ceil});
        expect_body("aten::max_pool2d", {normal({3, 9, 21}, dtype), ints({2, 3}), ints({1, step}),
                                         ints({0, 1}), ints({2, 3}), ceil});
      }
    }
    expect_body("aten::max_pool2d", {normal({1, 2, 6, 6}, dtype), ints({2}),
                                     IValue::int_list(Dims()), ints({0}), ints({1}), false});
  }
  Tensor x = normal({1, 5, 30}, DType::F32);
  x.data<float>()[37] = std::numeric_limits<float>::quiet_NaN();
  for (int i = 60; i < 90; ++i) x.data<float>()[i] = -std::numeric_limits<float>::infinity();
  expect_body("aten::max_pool2d", {x, ints({2, 3}), ints({1}), ints({1}), ints({1}), false});
}

TEST(Native, NearestElementsAreTheBodys) {
  for (DType dtype : {DType::F16, DType::F32, DType::F64, DType::I64, DType::U8}) {
    Tensor x = to_dtype(normal(Dims{2, 3, 7, 5}, DType::F32), dtype);
    for (int64_t dim : {0, 2, 3}) {
      for (int64_t size : {1, 3, 7, 20}) {
        for (double scale : {0.0, 0.3, 1.0, 2.0, 1e-3, 1e300}) {
          for (const char* mode : {"nearest", "exact"})
            expect_body("prim::resize_dim", Values{x, dim, size, scale, IValue::str(mode), false});
        }
      }
    }
  }
}

TEST(Native, MeansOfImages) {
  for (DType dtype : {DType::F32, DType::F64}) {
    Tensor x = normal({2, 3, 7, 9}, dtype);
    for (bool ceil : {false, true}) {
      for (bool counts : {false, true}) {
        expect_body("aten::avg_pool2d",
                    {x, ints({3, 2}), ints({2}), ints({1}), ceil, counts, IValue()}, 16);
      }
    }
    expect_body("aten::avg_pool2d",
                {x, ints({2}), IValue::int_list(Dims()), ints({0}), false, true, int64_t{-3}}, 16);
    expect_body("aten::adaptive_avg_pool2d", {x, ints({1, 1})}, 16);
    Tensor w = normal({3}, dtype, 2), v = Tensor::zeros({3}, dtype);
    expect_body("aten::batch_norm", {x, w, IValue(), w, v, false, 0.1, 0.5, true});
    expect_body("aten::batch_norm", {x, IValue(), w, v, v, false, 0.1, 1e-5, true});
  }
  expect_body("aten::bincount", {below({40}, 13), IValue(), int64_t{0}});
  expect_body("aten::bincount", {below({4}, 3), IValue(), int64_t{9}});
}

TEST(Native, LinesAreSearchedAsTheBodyHalvesThem) {
  const float lines[][6] = {{-INFINITY, -1, -0.0f, 2, 2, NAN},
                            {NAN, 2, 2, -0.0f, -1, -INFINITY},
                            {-1, NAN, 0, NAN, 2, 3},
                            {NAN, NAN, NAN, NAN, NAN, NAN}};
  Tensor wanted = Tensor::empty({7}, DType::F32);
  const float values[] = {0, -0.0f, 2, NAN, INFINITY, -INFINITY, -2};
  std::copy(std::begin(values), std::end(values), wanted.data<float>());
  for (const float* keys : lines) {
    Tensor line = Tensor::empty({6}, DType::F32);
    std::copy(keys, keys + 6, line.data<float>());
    for (bool right : {false, true}) {
      for (bool narrow : {false, true})
        expect_body("aten::searchsorted.Tensor", {line, wanted, narrow, right, IValue(), IValue()});
    }
  }
  for (int64_t n : {1, 2, 3, 5}) {  // fewer than are sought; they ascend
    for (const float* keys : lines) {
      Tensor line = Tensor::empty({n}, DType::F32);
      std::copy(keys, keys + n, line.data<float>());
      for (bool right : {false, true})
        expect_body("aten::searchsorted.Tensor", {line, wanted, false, right, IValue(), IValue()});
    }
  }
}

// Those of a batch that have an answer are given it.
TEST(Native, WhatHasNoInverseSaysSoNextToWhatHas) {
  Tensor batch = Tensor::zeros({3, 2, 2}, DType::F32);
  const double elements[] = {1, 0, 0, 2, 1, 2, 2, 4, -1, 0, 0, -1};
  for (int64_t i = 0; i < 12; ++i) set_element(batch, i, elements[i]);
  auto expect = [&](const char* name, Values args, std::vector<double> info,
                    std::vector<double> healthy, int64_t first) {
    Values out = call(operator_named(name), args);
    Tensor reported = out[1].as_tensor(), given = contiguous(out[0].as_tensor());
    ASSERT_EQ(reported.dtype(), DType::I32);
    ASSERT_EQ(reported.sizes(), Dims({3}));
    for (int64_t i = 0; i < 3; ++i) {
      EXPECT_EQ(reported.data<int32_t>()[i], info[static_cast<size_t>(i)]) << name << " " << i;
      bool failed = std::isnan(given.data<float>()[i * 4 + 3]);
      EXPECT_EQ(failed, reported.data<int32_t>()[i] != 0) << name << " " << i;
    }
    for (size_t i = 0; i < healthy.size(); ++i)
      EXPECT_EQ(given.data<float>()[first + static_cast<int64_t>(i)], healthy[i]) << name;
  };
  expect("aten::linalg_inv_ex", {batch, false}, {0, 2, 0}, {1, 0, 0, 0.5}, 0);
  expect("aten::linalg_inv_ex", {batch, false}, {0, 2, 0}, {-1, 0, 0, -1}, 8);
  expect("aten::linalg_solve_ex", {batch, batch, true, false}, {0, 2, 0}, {1, 0, 0, 1}, 8);
  expect("aten::linalg_solve_ex", {batch, batch, false, false}, {0, 2, 0}, {1, 0, 0, 1}, 0);
  expect("aten::linalg_cholesky_ex", {batch, false, false}, {0, 2, 1}, {1, 0, 0}, 0);
  expect("aten::linalg_cholesky_ex", {batch, true, false}, {0, 2, 1}, {1, 0, 0}, 0);
}

TEST(Native, EliminationTakesTheBodysSteps) {
  for (DType dtype : {DType::F32, DType::F64}) {
    for (int64_t n : {1, 2, 5, 33}) {
      Tensor a = normal({n, n}, dtype);
      expect_body("prim::eliminate", {a, normal({n, 3}, dtype, 2)});
      expect_body("prim::eliminate", {transpose(a), normal({n, 2}, dtype, 3)});
      expect_body("aten::linalg_det", {a});
      expect_body("prim::eliminate", {normal({2, n, n}, dtype), normal({2, n, 1}, dtype, 2)});
      Tensor square = call(operator_named("aten::mm"), Values{a, transpose(a)})[0].as_tensor();
      for (int64_t i = 0; i < n; ++i) set_element(square, i * (n + 1), 40.0);
      expect_body("prim::lower_factor", {square}, 64);
    }
    for (int64_t m : {1, 4, 7, 40}) {
      for (int64_t n : {1, 5, 36}) {
        for (bool complete : {false, true})
          expect_body("prim::householder_qr", {normal({m, n}, dtype), complete}, 64);
        expect_body("prim::factor_lu", {normal({m, n}, dtype), true});
        expect_body("prim::factor_lu", {normal({2, m, n}, dtype), true});
      }
    }
  }
}

// Beyond kSteps rows they are LAPACK's: the body's answers, but for rounding.
TEST(Native, EliminationOfManyRows) {
  expect_body("prim::eliminate", {normal({49, 49}, DType::F32), normal({49, 3}, DType::F32, 2)},
              64);
  for (int64_t n : {49, 90}) {
    Tensor a = normal({n, n}, DType::F64), sides = normal({2, n, 4}, DType::F64, 3);
    expect_body("prim::eliminate", {transpose(a), normal({n, 1}, DType::F64, 2)}, 1 << 20);
    expect_body("prim::eliminate", {normal({2, n, n}, DType::F64), sides}, 1 << 20);
    expect_body("aten::linalg_det", {a}, 1 << 20);
    expect_body("aten::linalg_inv", {transpose(a)}, 1 << 20);
    expect_body("aten::linalg_inv", {normal({2, n, n}, DType::F64)}, 1 << 20);
    Tensor turned = Tensor::zeros({n, n}, DType::F64);
    for (int64_t i = 0; i < n; ++i) set_element(turned, i * n + (i + 1) % n, 2.0);
    expect_body("prim::eliminate", {turned, normal({n, 1}, DType::F64, 2)}, 1);
    set_element(turned, 1, 0.0);
    Values out;
    EXPECT_FALSE(native_of(operator_named("prim::eliminate"))->run(Values{turned, a}, out));
    EXPECT_FALSE(native_of(operator_named("aten::linalg_det"))->run(Values{turned}, out));
    EXPECT_FALSE(native_of(operator_named("aten::linalg_inv"))->run(Values{turned}, out));
  }
}

// A determinant beyond what its dtype holds is no reason to leave LAPACK, and its logarithm is
// finite.
TEST(Native, DeterminantsBeyondADouble) {
  for (const double size : {100.0, 0.01, -100.0}) {
    Tensor a = Tensor::zeros({181, 181}, DType::F64);
    for (int64_t i = 0; i < 181; ++i) set_element(a, i * 182, size);
    Values out;
    EXPECT_TRUE(native_of(operator_named("prim::eliminate"))->run(Values{a, a}, out));
    EXPECT_EQ(element_as_double(out[0].as_tensor(), 182), 1.0);
    out.clear();
    EXPECT_TRUE(native_of(operator_named("aten::linalg_det"))->run(Values{a}, out));
    EXPECT_EQ(element_as_double(out[0].as_tensor(), 0), std::pow(size, 181));
    out.clear();
    EXPECT_TRUE(native_of(operator_named("aten::linalg_inv"))->run(Values{a}, out));
    EXPECT_EQ(element_as_double(out[0].as_tensor(), 182), 1 / size);
    const Values slogdet = call(operator_named("aten::linalg_slogdet"), Values{a});
    EXPECT_EQ(element_as_double(slogdet[0].as_tensor(), 0), size < 0 ? -1 : 1);
    const double log = 181 * std::log(std::fabs(size));
    EXPECT_NEAR(element_as_double(slogdet[1].as_tensor(), 0), log, 1e-9);
    const Values alone = call(operator_named("aten::logdet"), Values{a});
    EXPECT_EQ(std::isnan(element_as_double(alone[0].as_tensor(), 0)), size < 0);
  }
}

TEST(Native, LogarithmsOfDeterminantsOfWhatIsNoMatrixOfFullRank) {
  Tensor singular = Tensor::zeros({3, 3}, DType::F32);
  const Values slogdet = call(operator_named("aten::linalg_slogdet"), Values{singular});
  EXPECT_EQ(element_as_double(slogdet[0].as_tensor(), 0), 0);
  EXPECT_EQ(element_as_double(slogdet[1].as_tensor(), 0), -INFINITY);
  const Values none =
      call(operator_named("aten::linalg_slogdet"), Values{Tensor::zeros({2, 0, 0}, DType::F32)});
  EXPECT_EQ(none[0].as_tensor().sizes(), Dims{2});
  EXPECT_EQ(element_as_double(none[0].as_tensor(), 1), 1);
  EXPECT_EQ(element_as_double(none[1].as_tensor(), 1), 0);
  EXPECT_EQ(
      element_as_double(call(operator_named("aten::logdet"), Values{singular})[0].as_tensor(), 0),
      -INFINITY);
}

// By other algorithms than the bodies', of matrices that lose little.
TEST(Native, LeastSquaresAndFactorsOfMatrices) {
  for (DType dtype : {DType::F32, DType::F64}) {
    const double ulps = 1 << 14;
    for (int64_t m : {1, 4, 30}) {
      for (int64_t n : {1, 3, 30}) {
        Tensor a = normal({m, n}, dtype), right = normal({m, 2}, dtype, 3);
        for (int64_t i = 0; i < std::min(m, n); ++i) set_element(a, i * (n + 1), 20.0);
        expect_body("aten::linalg_lstsq", {a, right, IValue(), IValue()}, ulps);
        expect_body("aten::linalg_lstsq", {a, normal({m}, dtype), IValue(), IValue::str("gelsy")},
                    ulps);
      }
    }
    expect_body("aten::linalg_lstsq",
                {normal({2, 9, 4}, dtype), normal({2, 9, 1}, dtype, 2), IValue(), IValue()}, ulps);
    // Of rank 1: the shortest solution.
    Tensor ones = Tensor::empty({4, 3}, dtype);
    for (int64_t i = 0; i < 12; ++i) set_element(ones, i, 1.0);
    expect_body("aten::linalg_lstsq", {ones, normal({4, 2}, dtype), IValue(), IValue()}, ulps);
    for (bool upper : {false, true}) {
      for (int64_t n : {1, 5, 60}) {
        Tensor factor = normal({n, n}, dtype), some = normal({2, n, n}, dtype, 2);
        for (int64_t i = 0; i < n; ++i) {
          set_element(factor, i * (n + 1), 20.0);
          for (int64_t k : {0, 1}) set_element(some, k * n * n + i * (n + 1), -20.0);
        }
        expect_body("aten::cholesky_solve", {normal({n, 3}, dtype, 4), factor, upper}, ulps);
        expect_body("aten::cholesky_solve", {normal({n, 2}, dtype, 4), transpose(factor), upper},
                    ulps);
        expect_body("aten::cholesky_solve", {normal({2, n, 3}, dtype, 4), some, upper}, ulps);
      }
    }
    Values out;
    const Tensor singular = Tensor::zeros({2, 2}, dtype);
    EXPECT_FALSE(native_of(operator_named("aten::cholesky_solve"))
                     ->run(Values{singular, singular, false}, out));
    EXPECT_FALSE(native_of(operator_named("aten::linalg_lstsq"))
                     ->run(Values{singular, singular, IValue(), IValue::str("gelsd")}, out));
    EXPECT_TRUE(out.empty());
  }
}

// |a @ b - c| is small.
void expect_product(const Tensor& a, const Tensor& b, const Tensor& c) {
  Tensor p = call(operator_named("aten::matmul"), Values{a, b})[0].as_tensor();
  double unit = a.dtype() == DType::F64 ? 1e-13 : 1e-5;
  ASSERT_EQ(p.sizes(), c.sizes());
  for (int64_t i = 0; i < p.numel(); ++i)
    EXPECT_NEAR(element_as_double(p, i), element_as_double(c, i), 20 * unit);
}

Tensor times_row(const Tensor& a, const Tensor& line) {
  return call(operator_named("aten::mul.Tensor"), Values{a, line})[0].as_tensor();
}

TEST(Native, DecompositionsAreWhatTheyAreNamedFor) {
  for (DType dtype : {DType::F32, DType::F64}) {
    for (int64_t n : {1, 3, 12}) {
      Tensor a = normal({n, n}, dtype);
      Tensor both = call(operator_named("aten::add.Tensor"), Values{a, transpose(a), int64_t{1}})[0]
                        .as_tensor();
      for (const char* triangle : {"L", "U"}) {
        Values e = natively("aten::linalg_eigh", {both, IValue::str(triangle)});
        Tensor vectors = e[1].as_tensor();
        expect_product(both, vectors, times_row(vectors, e[0].as_tensor()));
        Values alone = natively("aten::linalg_eigvalsh", {both, IValue::str(triangle)});
        expect_product(vectors, transpose(vectors),
                       call(operator_named("aten::eye"),
                            Values{n, row_of(dtype).aten_code, IValue(), IValue(), IValue()})[0]
                           .as_tensor());
        for (int64_t i = 0; i < n; ++i) {
          EXPECT_NEAR(element_as_double(alone[0].as_tensor(), i),
                      element_as_double(e[0].as_tensor(), i), 1e-4);
        }
      }
      for (int64_t m : {2, 12}) {
        Tensor wide = normal({m, n}, dtype, 5);
        Values s = natively("aten::linalg_svd", {wide, false, IValue()});
        expect_product(times_row(s[0].as_tensor(), s[1].as_tensor()), s[2].as_tensor(), wide);
        Values full = natively("aten::linalg_svd", {wide, true, IValue()});
        EXPECT_EQ(full[0].as_tensor().sizes(), (Dims{m, m}));
        EXPECT_EQ(full[2].as_tensor().sizes(), (Dims{n, n}));
        EXPECT_EQ(describe(natively("aten::linalg_svdvals", {wide, IValue()})[0].as_tensor()),
                  describe(s[1].as_tensor()));
      }
      for (bool upper : {false, true}) {
        Tensor half =
            call(operator_named(upper ? "aten::triu" : "aten::tril"), Values{both, int64_t{0}})[0]
                .as_tensor();
        for (int64_t i = 0; i < n; ++i) set_element(half, i * (n + 1), 30.0);
        Tensor b = normal({n, 2}, dtype, 3);
        Values x = natively("aten::linalg_solve_triangular", {half, b, upper, true, false});
        expect_product(half, x[0].as_tensor(), b);
      }
    }
  }
}

TEST(Native, ConvolutionsAddUpWhatTheBodyDoes) {
  for (DType dtype : {DType::F32, DType::F64}) {
    for (int64_t groups : {1, 2, 4}) {
      for (int64_t stride : {1, 2}) {
        for (int64_t pad : {0, 2}) {
          Tensor x = normal({2, 4, 9, 6}, dtype), bias = normal({8}, dtype, 3);
          Tensor w = normal({8, 4 / groups, 3, 2}, dtype, 2);
          expect_body("aten::conv2d",
                      {x, w, bias, ints({stride}), ints({pad, 1}), ints({1, 2}), groups}, 64);
          Tensor line = normal({4, 11}, dtype), short_w = normal({4, 4 / groups, 3}, dtype, 2);
          expect_body("aten::conv1d",
                      {line, short_w, IValue(), ints({stride}), ints({pad}), ints({2}), groups},
                      64);
          Tensor turned = normal({4, 3, 3, 2}, dtype, 4);
          expect_body("prim::conv_transpose",
                      {x, turned, IValue(), ints({stride, 2}), ints({pad / 2, 1}), ints({0, 1}),
                       groups, ints({1, 1}), int64_t{2}},
                      64);
        }
      }
    }
    expect_body("aten::conv2d",
                {normal({3, 5, 4}, dtype), normal({2, 3, 1, 1}, dtype), IValue(), ints({1}),
                 ints({0}), ints({1}), int64_t{1}},
                64);
  }
}

// Layers, directions, biases, a projection (of LSTM), single sequences and batches, and more steps
// than one product of the inputs holds.
TEST(Native, RecurrentLayersTakeTheBodysSteps) {
  struct Kind {
    const char* name;
    int64_t gates;
  };
  // `scale` of the weights: where a step amplifies differences, many steps show nothing else.
  auto layers = [](const Kind& kind, DType dtype, int64_t steps, int64_t batch, int64_t cell,
                   int64_t width, int choice, double scale = 1) {
    const bool biased = choice & 1, both = choice & 2, first = choice & 4;
    const int64_t count = choice & 8 ? 2 : 1, sides = both ? 2 : 1, features = 3;
    std::vector<IValue> params, states;
    for (int64_t at = 0; at < count * sides; ++at) {
      const uint64_t seed = static_cast<uint64_t>(at) * 5;
      const int64_t rows = kind.gates * cell;
      params.emplace_back(normal({rows, at < sides ? features : sides * width}, dtype, seed + 1));
      params.emplace_back(scale_by(normal({rows, width}, dtype, seed + 2), scale));
      for (uint64_t k = 3; biased && k < 5; ++k)
        params.emplace_back(normal({rows}, dtype, seed + k));
      if (width != cell) params.emplace_back(normal({width, cell}, dtype, seed + 5));
    }
    states.emplace_back(normal({count * sides, batch, width}, dtype, 90));
    states.emplace_back(normal({count * sides, batch, cell}, dtype, 91));
    const Type tensor(TypeKind::Tensor);
    const Dims sizes = first ? Dims{batch, steps, features} : Dims{steps, batch, features};
    expect_body(
        kind.name,
        {normal(sizes, dtype, 92), kind.gates == 4 ? IValue::list(states, tensor) : states[0],
         IValue::list(params, tensor), biased, count, 0.25, false, both, first},
        1 << 10);
  };
  for (const Kind& kind : {Kind{"aten::lstm.input", 4}, Kind{"aten::gru.input", 3},
                           Kind{"aten::rnn_tanh.input", 1}, Kind{"aten::rnn_relu.input", 1}}) {
    for (DType dtype : {DType::F32, DType::F64}) {
      for (int choice = 0; choice < 16; ++choice) {
        for (int64_t batch : {1, 3}) layers(kind, dtype, 4, batch, 5, 5, choice);
        if (kind.gates == 4) layers(kind, dtype, 3, 2, 11, 2, choice);
      }
    }
  }
  layers({"aten::gru.input", 3}, DType::F64, 70, 33, 40, 40, 3, 0.1);
}

// Boxes that overlap, touch or hold nothing; parts of images within, across and outside.
TEST(Native, PartsOfImagesTakeTheBodysSteps) {
  for (DType dtype : {DType::F32, DType::F64}) {
    for (int64_t n : {0, 1, 2, 40}) {
      Tensor boxes = normal({n, 4}, dtype);
      for (int64_t i = 0; i < 4 * n; ++i)
        set_element(boxes, i, element_as_double(boxes, i) * 2 + static_cast<double>(i % 4 / 2 * 3));
      for (double most : {-1.0, 0.0, 0.2, 0.7})
        expect_body("torchvision::nms", {boxes, normal({n}, dtype, 3), most});
      Tensor rois = normal({n, 5}, dtype, 4), image = normal({2, 3, 5, 7}, dtype, 5);
      for (int64_t i = 0; i < 5 * n; ++i) {
        const double at = element_as_double(rois, i) * 3 + static_cast<double>(i % 5);
        set_element(rois, i, i % 5 == 0 ? static_cast<double>(i / 5 % 2) : at);
      }
      for (int64_t ratio : {-1, 1, 3}) {
        for (bool aligned : {false, true}) {
          expect_body("torchvision::roi_align",
                      {image, rois, 0.75, int64_t{2}, int64_t{3}, ratio, aligned}, 64);
        }
      }
    }
  }
}

// Zeros around an image make NaN of weights that are not finite; strides beyond two, and rows of
// more and of fewer results than a register has.
TEST(Native, ConvolutionsMeetTheZerosAround) {
  for (double beyond : {double{INFINITY}, double{NAN}}) {
    for (int64_t groups : {1, 3}) {
      for (int64_t stride : {1, 2, 3}) {
        Tensor x = normal({2, 3, 7, 29}, DType::F32), w = normal({3, 3 / groups, 3, 3}, DType::F32);
        set_element(w, 4, beyond);
        set_element(w, 9, -beyond);
        Values args{x, w, IValue(), ints({stride}), ints({1, 2}), ints({1}), groups};
        Tensor got = natively("aten::conv2d", args)[0].as_tensor();
        Tensor wanted =
            interpret(composite_body(operator_named("aten::conv2d")), args)[0].as_tensor();
        ASSERT_EQ(describe(got), describe(wanted));
        for (int64_t i = 0; i < got.numel(); ++i) {
          double a = element_as_double(got, i), b = element_as_double(wanted, i);
          if (std::isfinite(b)) EXPECT_NEAR(a, b, 1e-5);
          else EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << a << " is not " << b;
        }
      }
    }
  }
}

// Short lines, planes and what broadcasts, element by element.
TEST(Native, CopiesOfEveryLayout) {
  for (DType dtype : {DType::U8, DType::F16, DType::F32, DType::F64}) {
    for (int64_t n : {1, 2, 3, 4, 5, 8, 16, 17, 33, 64, 65, 300, 5000}) {
      const Tensor x = to_dtype(below({3, 4, n}, 251), dtype),
                   line = to_dtype(below({7, 1}, 99), dtype);
      const Tensor views[] = {Tensor::view_of(x, 0, Dims{4, 3, n}, Dims{n, 4 * n, 1}),
                              Tensor::view_of(x, 0, Dims{3, 2, n}, Dims{4 * n, 2 * n, 1}),
                              Tensor::view_of(x, 0, Dims{3, 1, 2, n}, Dims{4 * n, 7, 2 * n, 1}),
                              Tensor::view_of(x, 0, Dims{n, 3, 4}, Dims{1, 4 * n, n}),
                              Tensor::view_of(line, 0, Dims{7, n}, Dims{1, 0}),
                              Tensor::view_of(x, 0, Dims{3, n, 2}, Dims{4 * n, 0, 1})};
      for (const Tensor& view : views) {
        const Tensor copy = contiguous(view, true);
        bool same = true;
        for (int64_t i = 0; i < view.numel(); ++i)
          same = same && element_as_int(copy, i) == element_as_int(view, i);
        EXPECT_TRUE(same) << describe(view) << " " << to_string(view.strides());
      }
    }
  }
}

TEST(Native, CopiesOfNothing) {
  const Tensor x = below({8}, 100), y = below({8}, 7);
  for (const Dims& sizes : {Dims{3, 0}, Dims{0, 3}, Dims{0}, Dims{1, 0, 2}})
    copy_into(Tensor::view_of(x, 2, sizes, contiguous_strides(sizes)),
              Tensor::view_of(y, 5, sizes, contiguous_strides(sizes)));
  EXPECT_TRUE(bitwise_equal(x, below({8}, 100)));
}

// What is illegal or beyond a native is the body's, errors too.
TEST(Native, WhatItDoesNotTakeIsTheBodys) {
  Tensor singular = Tensor::zeros({2, 2}, DType::F32), halves = normal({2, 2}, DType::F16);
  Values out;
  EXPECT_FALSE(native_of(operator_named("prim::eliminate"))->run(Values{singular, singular}, out));
  EXPECT_FALSE(native_of(operator_named("aten::softmax.int"))
                   ->run(Values{halves, int64_t{0}, IValue()}, out));
  Values conv{normal({1, 1, 2, 4}, DType::F32),
              normal({1, 1, 5, 3}, DType::F32),
              IValue(),
              ints({1}),
              ints({1}),
              ints({1}),
              int64_t{1}};
  EXPECT_FALSE(native_of(operator_named("aten::conv2d"))->run(conv, out));
  const Type tensor(TypeKind::Tensor);
  Tensor x = normal({2, 1, 3}, DType::F32), h = normal({1, 1, 3}, DType::F32);
  std::vector<IValue> params{normal({3, 3}, DType::F32), normal({3, 3}, DType::F32)};
  for (auto [dropout, train, state] :
       {std::tuple(0.5, true, h), std::tuple(2.0, false, h), std::tuple(0.0, false, x)}) {
    Values rnn{x,     state, IValue::list(params, tensor), false, int64_t{1}, dropout, train,
               false, false};
    EXPECT_FALSE(native_of(operator_named("aten::rnn_tanh.input"))->run(rnn, out));
    rnn[2] = IValue::list({params[0], x}, tensor);
    rnn[5] = 0.0;
    EXPECT_FALSE(native_of(operator_named("aten::rnn_tanh.input"))->run(rnn, out));
  }
  Tensor images = normal({1, 1, 3, 3}, DType::F32);
  for (double place : {1.0, -1.0, double{NAN}}) {
    for (double side : {1.0, double{INFINITY}, 1e12}) {
      Tensor roi = Tensor::zeros({1, 5}, DType::F32);
      set_element(roi, 0, side == 1 ? place : 0);
      set_element(roi, 3, side);
      set_element(roi, 4, side);
      Values args{images, roi, 1.0, int64_t{1}, int64_t{1}, int64_t{0}, true};
      EXPECT_FALSE(native_of(operator_named("torchvision::roi_align"))->run(args, out))
          << place << side;
    }
  }
  EXPECT_TRUE(out.empty());
  EXPECT_THROW(call(operator_named("aten::linalg_solve"), Values{singular, singular, true}), Error);
}

// Sums of one line are equal whatever its layout, and their error does not grow with the count.
TEST(Native, ReductionsTakeOneOrderInEveryLayout) {
  for (const char* name : {"aten::sum.dim_IntList", "aten::mean.dim"}) {
    for (int64_t n : {1, 2, 31, 32, 33, 95, 2048, 2049, 9000}) {
      Tensor lines = normal({5, n}, DType::F32);
      Tensor across = contiguous(transpose(lines));
      IValue last = ints({1});
      Tensor a = call(operator_named(name), Values{lines, last, false, IValue()})[0].as_tensor();
      Tensor b = call(operator_named(name), Values{transpose(across), last, false, IValue()})[0]
                     .as_tensor();
      EXPECT_TRUE(bitwise_equal(a, b)) << name << " " << n;
      Tensor c =
          call(operator_named(name), Values{across, ints({0}), false, IValue()})[0].as_tensor();
      EXPECT_TRUE(bitwise_equal(a, c)) << name << " " << n;
    }
  }
  // Runs of neighbours: those of several dimensions, and what lies between them stays.
  for (DType dtype : {DType::F16, DType::F32, DType::I64}) {
    for (const Dims& sizes : {Dims{3, 5, 700}, Dims{70, 3, 40}, Dims{2, 3, 33}, Dims{40, 2, 9}}) {
      const Tensor x = to_dtype(normal(sizes, DType::F32), dtype);
      const Tensor turned = Tensor::view_of(x, 0, Dims{sizes[1], sizes[0], sizes[2]},
                                            Dims{sizes[2], sizes[1] * sizes[2], 1});
      Tensor a =
          call(operator_named("aten::sum.dim_IntList"), Values{x, ints({0, 2}), false, IValue()})[0]
              .as_tensor();
      Tensor b = call(operator_named("aten::sum.dim_IntList"),
                      Values{contiguous(turned), ints({1, 2}), false, IValue()})[0]
                     .as_tensor();
      EXPECT_TRUE(bitwise_equal(a, b)) << to_string(sizes);
    }
  }
  Tensor ones = Tensor::empty({1 << 25}, DType::F32);
  std::fill_n(ones.data<float>(), ones.numel(), 1.0f);
  Tensor total = call(operator_named("aten::sum"), Values{ones, IValue()})[0].as_tensor();
  EXPECT_EQ(total.data<float>()[0], static_cast<float>(1 << 25));
  // Windows: what goes lies in no one step.
  Tensor image = normal({3, 40, 42}, DType::F64);
  Tensor windows = Tensor::view_of(image, 0, Dims{3, 20, 40, 2, 3}, Dims{1680, 84, 1, 42, 1});
  Tensor a = call(operator_named("aten::sum.dim_IntList"),
                  Values{windows, ints({3, 4}), false, IValue()})[0]
                 .as_tensor();
  Tensor b = call(operator_named("aten::sum.dim_IntList"),
                  Values{contiguous(windows), ints({3, 4}), false, IValue()})[0]
                 .as_tensor();
  EXPECT_TRUE(bitwise_equal(a, b));
}

}  // namespace
}  // namespace fusillade
