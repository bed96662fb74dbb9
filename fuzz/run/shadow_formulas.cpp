// Rows for which there are several usual formulas: what the others come to.
//
// linspace steps in another precision, and from either end. 1 + erf(x) of ndtr and 1 + 2 ** -d of
// logaddexp2 round a number greater than their result. Where a resize or a grid samples is off by
// some ulp of the place; bytes it weighs in fixed point. Chebyshev's polynomials of higher degrees
// are cosines between -1 and 1. A product of three matrices is taken from either end. What is
// multiplied by the weight 0, padding, a recurrence and a variance that is folded into a scale meet
// infinities in one formula and not in another, as do the terms of a recurrence that are larger
// than what it gives. Recurrent cells of others take subnormal numbers for zero. Which of several
// equal values is the mode no one says. A Fourier transform rounds in as many orders as there are
// factors of its length. Of the three factors of addr any two come first. A cosine divides by the
// lengths before it multiplies or after; half weights of a resize round. A product so far is held
// as it is stored. (law: rules name ops)
#include <cmath>
#include <set>
#include <string>

#include "engine/tensor/iterate.h"
#include "fuzz/run/cell.h"

namespace fusillade::fuzz {
namespace {

constexpr double kOtherPlace = 8;         // ulp of a place to sample at
constexpr double kSteps = 32;             // ulp of a recurrence or a series, of terms about 1
constexpr double kWeights = 8;            // ulp of a half, of a number and its rounded weights
constexpr double kParts = 8;              // ulp of 1, of a sum of products of lengths up to 1
constexpr double kLargerTerms = 0x1p+12;  // how much larger than the result a term may be

using Names = std::set<std::string>;

const Names kOnes = {"aten::special_ndtr", "aten::logaddexp2", "aten::logaddexp",
                     "aten::soft_margin_loss", "aten::special_spherical_bessel_j0"};
const Names kRecurrent = {"aten::lstm",         "aten::gru",       "aten::rnn_tanh",
                          "aten::rnn_relu",     "aten::lstm_cell", "aten::gru_cell",
                          "aten::rnn_tanh_cell"};
const Names kSeries = {"aten::matrix_exp", "aten::linalg_matrix_exp",
                       "aten::linalg_householder_product", "aten::orgqr"};
const Names kNormal = {"aten::batch_norm", "aten::group_norm", "aten::layer_norm"};
const Names kReflections = {"aten::linalg_householder_product", "aten::orgqr", "aten::ormqr"};
const Names kChains = {"aten::linalg_multi_dot", "aten::chain_matmul"};
const Names kNorms = {"aten::norm", "aten::linalg_vector_norm"};
const Names kFolds = {"aten::group_norm",
                      "aten::native_group_norm",
                      "aten::layer_norm",
                      "aten::native_layer_norm",
                      "aten::batch_norm",
                      "aten::native_batch_norm",
                      "aten::instance_norm",
                      "aten::var_mean",
                      "aten::std_mean",
                      "aten::binary_cross_entropy_with_logits",
                      "aten::cosine_similarity",
                      "aten::ctc_loss",
                      "aten::cosine_embedding_loss",
                      "aten::linalg_solve_triangular",
                      "aten::ormqr",
                      "aten::triangular_solve"};

bool resizes(const std::string& name) {
  return name.find("upsample_") != std::string::npos && name.find("nearest") == std::string::npos;
}

// Rows that weigh what lies around a place, but for those that take the nearest.
bool interpolates(const std::string& name, std::span<const IValue> args) {
  return resizes(name) || (name.starts_with("aten::grid_sampler") && args[2].as_int() != 1);
}

bool folds(const std::string& name) { return kFolds.count(name) || name.find("aten::conv") == 0; }

bool transforms(const std::string& name) {
  const bool named = name.starts_with("aten::fft_") || name.starts_with("prim::complex_fft_");
  return (named && !name.ends_with("shift")) || name.ends_with("stft");
}

bool adds_terms(const std::string& name) {
  return name.find("_polynomial_") != std::string::npos || kSeries.count(name);
}

bool finite(const Bounded& b) {
  return !b.may_nan && !b.must_nan && std::isfinite(b.lo) && std::isfinite(b.hi);
}

void widen(Bounded& b, double slack) {
  b.lo -= slack;
  b.hi += slack;
}

constexpr double kRecurrence = 6;  // the highest degree that all take by recurrence

}  // namespace

bool Shadow::all_finite(const IValue& v) {
  const Tensor t = v.as_tensor();
  const Cells& c = cells(t);
  if (c.real.empty()) return true;
  bool all = true;
  for_each_element(t.sizes(), t.strides(), t.offset(),
                   [&](int64_t at) { all = all && finite(c.real[static_cast<size_t>(at)]); });
  return all;
}

double Shadow::greatest_finite(const Tensor& t) {
  const Cells& c = cells(t);
  double most = 0;
  for_each_element(t.sizes(), t.strides(), t.offset(), [&](int64_t at) {
    const size_t i = static_cast<size_t>(at);
    const Bounded b = c.real.empty() ? as_bounded(c.whole[i]) : c.real[i];
    if (finite(b)) most = std::max({most, std::fabs(b.lo), std::fabs(b.hi)});
  });
  return most;
}

double Shadow::sum_of_magnitudes(const Tensor& t) {
  const Cells& c = cells(t);
  double sum = 0;
  for_each_element(t.sizes(), t.strides(), t.offset(), [&](int64_t at) {
    if (c.real.empty()) sum += std::fabs(static_cast<double>(c.whole[static_cast<size_t>(at)].hi));
    else sum += std::fabs(c.real[static_cast<size_t>(at)].hi);
  });
  return sum;
}

void Shadow::forget_cosines(const IValue& degrees, const Tensor& result) {
  Cells& c = cells(result);
  if (c.real.empty() || !degrees.is_tensor()) return;  // with a number for it, the row within
  const Tensor wide = to_dtype(degrees.as_tensor(), DType::F64);
  const Dims strides = broadcast_strides(wide.sizes(), wide.strides(), result.sizes());
  std::vector<double> degree;
  for_each_element(result.sizes(), strides, 0,
                   [&](int64_t at) { degree.push_back(wide.data<double>()[at]); });
  size_t i = 0;
  for_each_element(result.sizes(), result.strides(), result.offset(), [&](int64_t at) {
    if (degree[i++] > kRecurrence) c.real[static_cast<size_t>(at)] = Bounded::all();
  });
}

// Where two of the factors meet first, their product is off by half the least number more if it
// underflows, which the third multiplies, and infinite if it overflows.
void Shadow::allow_orders_of_addr(std::span<const IValue> args, const Tensor& result) {
  const double alpha = std::fabs(args[4].as_double());
  if (alpha == 1 || !is_float(result.dtype())) return;
  const double left = greatest_finite(args[1].as_tensor());
  const double right = greatest_finite(args[2].as_tensor());
  const Steps steps = steps_of(result.dtype());
  if (std::max({left * right, alpha * left, alpha * right}) > steps.largest) return forget(result);
  const double most = std::max({alpha, left, right});
  Cells& c = cells(result);
  for_each_element(result.sizes(), result.strides(), result.offset(), [&](int64_t at) {
    Bounded& b = c.real[static_cast<size_t>(at)];
    if (finite(b)) widen(b, most * steps.tiniest);
  });
}

void Shadow::allow_formulas(const Row& row, std::span<const IValue> args,
                            const std::vector<IValue>& results) {
  NoPromises scope(true, of_ == Of::AnyHalf);
  const std::string& name = row.schema.name;
  if (name == "aten::mode") return forget(results[1]);
  allow_pairs(row, args, results);
  if (name.starts_with("aten::addr")) return allow_orders_of_addr(args, results[0].as_tensor());
  if (name == "aten::cumprod") return allow_products_in_steps(args, results[0].as_tensor());
  if (kNorms.count(name)) return allow_powers(args, results[0].as_tensor());
  if (kChains.count(name) && args[0].items().size() > 2) return forget(results[0]);
  if (interpolates(name, args) && (!is_float(args[0].as_tensor().dtype()) || !all_finite(args[0])))
    return forget(results[0]);
  if (kReflections.count(name) && !reflections_in_range(args)) return forget(results[0]);
  if (name == "aten::instance_norm") allow_summed_statistics(args);
  if (kNormal.count(name)) allow_folding(row, args, results[0].as_tensor());
  if (name.find("chebyshev") != std::string::npos) forget_cosines(args[1], results[0].as_tensor());
  if (name == "aten::linspace" && !is_float(results[0].as_tensor().dtype()))
    return forget(results[0]);
  auto each = [&](auto change) {
    for (const IValue& v : results) {
      if (!v.is_tensor() || !is_float(v.as_tensor().dtype())) continue;
      const Tensor t = v.as_tensor();
      Cells& c = cells(t);
      for_each_element(t.sizes(), t.strides(), t.offset(),
                       [&](int64_t at) { change(c.real[static_cast<size_t>(at)], t.dtype()); });
    }
  };
  if (folds(name) || adds_terms(name) || interpolates(name, args)) {
    each([](Bounded& b, DType) {
      if (!finite(b)) b = Bounded::all();
    });
  }
  if (adds_terms(name)) {
    each([](Bounded& b, DType dtype) {
      const double most = kLargerTerms * std::max(std::fabs(b.lo), std::fabs(b.hi));
      if (finite(b) && most > steps_of(dtype).largest) b = Bounded::all();
      if (finite(b)) widen(b, kSteps * steps_of(dtype).unit * std::max(1.0, std::fabs(b.hi)));
    });
  }
  if (kRecurrent.count(name)) {
    each([](Bounded& b, DType dtype) {
      if (finite(b)) or_zero_below(b, steps_of(dtype).smallest);
    });
  }
  if (kOnes.count(name)) {
    each([](Bounded& b, DType dtype) {
      if (finite(b)) widen(b, 4 * steps_of(dtype).unit);
    });
  }
  if (name == "aten::cosine_similarity") {  // of parts of at most 1, each of which is rounded
    each([](Bounded& b, DType dtype) {
      if (finite(b)) widen(b, kParts * steps_of(dtype).unit);
    });
  }
  if (name == "aten::logspace") {  // the exponent's last bit is worth |log| ulp
    each([](Bounded& b, DType dtype) {
      const double ulps = kSteps * (1 + std::fabs(std::log(std::fabs(b.hi) + 1e-300)));
      if (finite(b)) widen(b, ulps * steps_of(dtype).unit * std::fabs(b.hi));
    });
  }
  double most = 0, largest = 0;
  if (transforms(name) && args[0].is_tensor()) {
    double sum = sum_of_magnitudes(args[0].as_tensor());
    for (const IValue& window : args.subspan(1)) {  // of short-time transforms
      if (!window.is_tensor()) continue;
      if (!all_finite(window)) return forget(results[0]);
      sum *= std::max(1.0, greatest_finite(window.as_tensor()));
    }
    const bool far = 2 * sum > steps_of(results[0].as_tensor().dtype()).largest;
    if (far || !all_finite(args[0])) return forget(results[0]);
    most = kSteps * sum;
  }
  if (name == "aten::linspace")
    most = 8 * std::max(std::fabs(args[0].as_double()), std::fabs(args[1].as_double()));
  if (interpolates(name, args)) {
    const Tensor input = args[0].as_tensor();
    largest = most = greatest_finite(input);
    if (2 * largest > steps_of(input.dtype()).largest) return forget(results[0]);
    int64_t longest = 1;
    for (int d = 2; d < input.rank(); ++d) longest = std::max(longest, input.sizes()[d]);
    most *= kOtherPlace * static_cast<double>(longest);
  }
  if (most == 0) return;
  each([&](Bounded& b, DType dtype) {
    if (!finite(b)) return;
    widen(b, most * (dtype == DType::F64 ? 0x1p-53 : 0x1p-24));
    if (half_steps(dtype)) widen(b, kWeights * largest * steps_of(dtype).unit);
  });
}

}  // namespace fusillade::fuzz
