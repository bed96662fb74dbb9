// Normalisation in one step: x * a + (b - mean * a), where a = weight / sqrt(variance + eps).
//
// Ours subtracts the mean first. PyTorch's batch and group norms fold the mean into the bias, and
// where x and the mean are much larger than their difference the two formulas differ by that many
// ulp of the larger; `a` may be subnormal. Other rows that normalise call these three.
// (law: rules name ops)
#include <cmath>

#include "engine/tensor/iterate.h"
#include "fuzz/run/cell.h"

namespace fusillade::fuzz {
namespace {

constexpr double kFolded = 4;  // ulp of the two products: of the mean, of each, of the bias

int64_t product(const Dims& sizes, int first) {
  int64_t n = 1;
  for (int d = first; d < sizes.rank(); ++d) n *= sizes[d];
  return n;
}

// Where a row's operands stand, and which mean and which parameters an element is given.
struct Folding {
  const IValue *weight, *bias;
  double eps;
  int64_t inner, channels, groups;  // elements to a channel; 0 groups: a mean for each channel
  bool lines = false;               // of a layer: a mean for each line, parameters along it

  int64_t mean_of(int64_t i) const {
    if (lines) return i / inner;
    const int64_t channel = i / inner % channels;
    if (groups == 0) return channel;
    return i / (inner * channels) * groups + channel / (channels / groups);
  }
  int64_t parameter_of(int64_t i) const { return lines ? i % inner : i / inner % channels; }
};

Folding folding_of(const std::string& name, std::span<const IValue> args) {
  const Dims sizes = args[0].as_tensor().sizes();
  if (name == "aten::batch_norm")
    return {&args[1], &args[2], args[7].as_double(), product(sizes, 2), sizes[1], 0};
  if (name == "aten::group_norm")
    return {&args[2], &args[3], args[4].as_double(), product(sizes, 2), sizes[1], args[1].as_int()};
  const int own = static_cast<int>(args[1].items().size());
  const int64_t line = product(sizes, sizes.rank() - own);
  return {&args[2], &args[3], args[4].as_double(), line, 1, 0, true};
}

// Of each group its mean and 1 / sqrt(variance + eps).
struct Moments {
  std::vector<double> mean, scale;
};

Moments moments_of(const std::vector<double>& x, const Folding& f) {
  const int64_t n = static_cast<int64_t>(x.size());
  const size_t groups = static_cast<size_t>(f.mean_of(n - 1)) + 1;
  const double count = static_cast<double>(x.size() / groups);
  Moments m{std::vector<double>(groups), std::vector<double>(groups)};
  auto group = [&](int64_t i) { return static_cast<size_t>(f.mean_of(i)); };
  for (int64_t i = 0; i < n; ++i) m.mean[group(i)] += x[static_cast<size_t>(i)] / count;
  for (int64_t i = 0; i < n; ++i) {
    const double apart = x[static_cast<size_t>(i)] - m.mean[group(i)];
    m.scale[group(i)] += apart * apart / count;
  }
  for (double& v : m.scale) v = 1 / std::sqrt(v + f.eps);
  return m;
}

}  // namespace

std::vector<double> Shadow::middles(const Tensor& t) {
  const Cells& c = cells(t);
  std::vector<double> out;
  for_each_element(t.sizes(), t.strides(), t.offset(), [&](int64_t at) {
    const Bounded& b = c.real[static_cast<size_t>(at)];
    out.push_back(b.must_nan ? NAN : b.lo / 2 + b.hi / 2);
  });
  return out;
}

void Shadow::allow_folding(const Row& row, std::span<const IValue> args, const Tensor& result) {
  if (result.numel() == 0) return;
  const Folding f = folding_of(row.schema.name, args);
  const std::vector<double> x = middles(args[0].as_tensor());
  const bool known = row.schema.name == "aten::batch_norm" && !args[5].as_bool();
  Moments m;
  if (known) m = {middles(args[3].as_tensor()), middles(args[4].as_tensor())};
  else m = moments_of(x, f);
  if (known) {
    for (double& v : m.scale) v = 1 / std::sqrt(v + f.eps);
  }
  std::vector<double> weight, bias;
  if (f.weight->is_tensor()) weight = middles(f.weight->as_tensor());
  if (f.bias->is_tensor()) bias = middles(f.bias->as_tensor());
  const Steps steps = steps_of(result.dtype());
  Cells& to = cells(result);
  int64_t i = 0;
  for_each_element(result.sizes(), result.strides(), result.offset(), [&](int64_t at) {
    const size_t group = static_cast<size_t>(f.mean_of(i));
    const size_t own = static_cast<size_t>(f.parameter_of(i));
    const double size = std::fabs(x[static_cast<size_t>(i++)]) + std::fabs(m.mean[group]);
    const double a = m.scale[group] * (weight.empty() ? 1 : weight[own]);
    const double terms = size * std::fabs(a) + (bias.empty() ? 0 : std::fabs(bias[own]));
    const double slack = kFolded * (steps.unit * terms + steps.tiniest * size);
    Bounded& b = to.real[static_cast<size_t>(at)];
    if (b.must_nan) return;
    const double most = std::max(terms, size * m.scale[group]);  // the weight may come last
    if (!(most <= steps.largest)) {  // which overflows, or is an infinity less another
      b = Bounded::all();
      return;
    }
    b.lo -= slack;
    b.hi += slack;
  });
}

// PyTorch updates the statistics of each instance and adds those up before it divides.
void Shadow::allow_summed_statistics(std::span<const IValue> args) {
  if (!args[5].as_bool()) return;
  const double images = static_cast<double>(args[0].as_tensor().sizes()[0]);
  for (const IValue* v : {&args[3], &args[4]}) {
    if (!v->is_tensor()) continue;
    const Tensor t = v->as_tensor();
    Cells& c = cells(t);
    const double most = steps_of(t.dtype()).largest;
    for_each_element(t.sizes(), t.strides(), t.offset(), [&](int64_t at) {
      Bounded& b = c.real[static_cast<size_t>(at)];
      if (images * std::max(std::fabs(b.lo), std::fabs(b.hi)) > most) b = Bounded::all();
    });
  }
}

}  // namespace fusillade::fuzz
