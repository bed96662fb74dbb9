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
// factors of its length. Of the three factors of addr any two come first. A norm of one number,
// which is its magnitude, is a root of its power to others. (law: rules name ops)
#include <cmath>
#include <set>
#include <string>

#include "engine/tensor/iterate.h"
#include "fuzz/run/cell.h"

namespace fusillade::fuzz {
namespace {

constexpr double kOtherPlace = 8;         // ulp of a place to sample at
constexpr double kSteps = 32;             // ulp of a recurrence or a series, of terms about 1
constexpr double kRootSteps = 4;          // ulp of a root, beside those of its exponent
constexpr double kLargerTerms = 0x1p+12;  // how much larger than the result a term may be

using Names = std::set<std::string>;

const Names kOnes = {"aten::special_ndtr", "aten::logaddexp2", "aten::logaddexp",
                     "aten::soft_margin_loss", "aten::special_spherical_bessel_j0"};
const Names kRecurrent = {"aten::lstm",         "aten::gru",       "aten::rnn_tanh",
                          "aten::rnn_relu",     "aten::lstm_cell", "aten::gru_cell",
                          "aten::rnn_tanh_cell"};
const Names kSeries = {"aten::matrix_exp", "aten::linalg_matrix_exp",
                       "aten::linalg_householder_product", "aten::orgqr"};
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
                      "aten::triangular_solve"};

bool resizes(const std::string& name) {
  return name.find("upsample_") != std::string::npos && name.find("nearest") == std::string::npos;
}

// Between elements of a grid: nearest takes one as it is.
bool samples(const std::string& name, std::span<const IValue> args) {
  return name.starts_with("aten::grid_sampler") && args[2].as_int() != 1;
}

bool folds(const std::string& name) {
  return kFolds.count(name) || resizes(name) || name.find("aten::conv") == 0;
}

bool transforms(const std::string& name) {
  return (name.starts_with("aten::fft_") && !name.ends_with("shift")) || name.ends_with("stft");
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

// The root of a number's power: the exponent's last bit is worth its logarithm, and the power may
// overflow or be subnormal.
void allow_root_of_power(Bounded& b, double power, const Steps& steps) {
  const double most = std::max(std::fabs(b.lo), std::fabs(b.hi));
  if (most == 0) return;
  const double raised = std::pow(most, power);
  if (raised > steps.largest || raised < steps.smallest) b = Bounded::range(0, INFINITY);
  else widen(b, kRootSteps * (1 + std::fabs(std::log(most))) * 2 * steps.unit * most);
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
  if (name.starts_with("aten::addr")) return allow_orders_of_addr(args, results[0].as_tensor());
  if (kChains.count(name) && args[0].items().size() > 2) return forget(results[0]);
  const bool placed = resizes(name) || samples(name, args);
  if (placed && (!is_float(args[0].as_tensor().dtype()) || !all_finite(args[0])))
    return forget(results[0]);
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
  if (folds(name) || adds_terms(name)) {
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
  if (name == "aten::logspace") {  // the exponent's last bit is worth |log| ulp
    each([](Bounded& b, DType dtype) {
      const double ulps = kSteps * (1 + std::fabs(std::log(std::fabs(b.hi) + 1e-300)));
      if (finite(b)) widen(b, ulps * steps_of(dtype).unit * std::fabs(b.hi));
    });
  }
  if (kNorms.count(name) && !args[1].is_none()) {
    const double power = args[1].as_double();
    const bool root = std::isfinite(power) && power != 0 && power != 1 && power != 2;
    each([&](Bounded& b, DType dtype) {
      if (root && finite(b)) allow_root_of_power(b, power, steps_of(dtype));
    });
  }
  double most = 0;
  if (transforms(name) && args[0].is_tensor()) {
    most = sum_of_magnitudes(args[0].as_tensor());
    const bool overflows = most > steps_of(args[0].as_tensor().dtype()).largest;
    if (overflows || !all_finite(args[0])) return forget(results[0]);
    most *= kSteps;
  }
  if (name == "aten::linspace")
    most = 8 * std::max(std::fabs(args[0].as_double()), std::fabs(args[1].as_double()));
  if (placed) {
    const Tensor input = args[0].as_tensor();
    most = greatest_finite(input);
    int64_t longest = 1;
    for (int d = 2; d < input.rank(); ++d) longest = std::max(longest, input.sizes()[d]);
    most *= kOtherPlace * static_cast<double>(longest);
  }
  if (most == 0) return;
  each([&](Bounded& b, DType dtype) {
    if (finite(b)) widen(b, most * (dtype == DType::F64 ? 0x1p-53 : 0x1p-24));
  });
}

}  // namespace fusillade::fuzz
