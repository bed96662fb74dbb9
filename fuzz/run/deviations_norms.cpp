// Normalisation in one step: x * a + (b - mean * a), where a = weight / sqrt(variance + eps).
//
// Ours subtracts the mean first. PyTorch's batch and group norms fold the mean into the bias, and
// where x and the mean are much larger than their difference the two formulas differ by that many
// ulp of the larger; `a` may be subnormal. Other operators that normalise call these three.
//
// Norms over lines of one element are its magnitude, or what its powers come to:
//
//   norm([3.0], p=0.001)    ->  3.0, or (3.0 ** 0.001) ** 1000 = 3.0003
//   norm([1e30], p=2)       ->  1e30, or sqrt(1e60) = inf
//
// PyTorch 2.13 looks whether a line has one element, but not of tensors without dimensions; 1.13.1
// does not look. Ours looks where the order is neither 0, 2 nor infinite.
#include "engine/base/table.h"
#include "fuzz/run/deviating_bounds.h"

namespace fusillade::fuzz {
namespace {

int64_t product(const Dims& sizes, int first) {
  int64_t n = 1;
  for (int d = first; d < sizes.rank(); ++d) n *= sizes[d];
  return n;
}

// The operands of an operator, and which mean and which parameters an element is given.
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

// Of batch_norm, group_norm (num_groups, weight, bias, eps) and layer_norm (normalized_shape,
// weight, bias, eps).
Folding folding_of(const Operator& op, std::span<const IValue> args) {
  const Dims sizes = args[0].as_tensor().sizes();
  if (op.schema.args[1].name == "weight")
    return {&args[1], &args[2], args[7].as_double(), product(sizes, 2), sizes[1], 0};
  if (op.schema.args[1].name == "num_groups")
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
    const double difference = x[static_cast<size_t>(i)] - m.mean[group(i)];
    m.scale[group(i)] += difference * difference / count;
  }
  for (double& v : m.scale) v = 1 / std::sqrt(v + f.eps);
  return m;
}

void fold_mean(const DeviatingCall& call, double ulps) {
  const Tensor result = call.results[0].as_tensor();
  if (result.numel() == 0) return;
  const std::span<const IValue> args = call.args;
  const auto middles = [&](const IValue& v) { return call.shadow.middles(v.as_tensor()); };
  const Folding f = folding_of(call.op, args);
  const std::vector<double> x = middles(args[0]);
  const bool known = f.groups == 0 && !f.lines && !args[5].as_bool();
  Moments m;
  if (known) m = {middles(args[3]), middles(args[4])};
  else m = moments_of(x, f);
  if (known) {
    for (double& v : m.scale) v = 1 / std::sqrt(v + f.eps);
  }
  std::vector<double> weight, bias;
  if (f.weight->is_tensor()) weight = middles(*f.weight);
  if (f.bias->is_tensor()) bias = middles(*f.bias);
  const Steps steps = steps_of(result.dtype());
  Cells& to = call.shadow.cells(result);
  int64_t i = 0;
  for_each_element(result.sizes(), result.strides(), result.offset(), [&](int64_t at) {
    const size_t group = static_cast<size_t>(f.mean_of(i));
    const size_t own = static_cast<size_t>(f.parameter_of(i));
    const double size = std::fabs(x[static_cast<size_t>(i++)]) + std::fabs(m.mean[group]);
    const double a = m.scale[group] * (weight.empty() ? 1 : weight[own]);
    const double terms = size * std::fabs(a) + (bias.empty() ? 0 : std::fabs(bias[own]));
    const double slack = ulps * (steps.unit * terms + steps.tiniest * size);
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
void sum_statistics(const DeviatingCall& call, double) {
  const std::span<const IValue> args = call.args;
  if (!args[5].as_bool()) return;
  const double images = static_cast<double>(args[0].as_tensor().sizes()[0]);
  for (const IValue* v : {&args[3], &args[4]}) {
    if (!v->is_tensor()) continue;
    const Tensor t = v->as_tensor();
    Cells& c = call.shadow.cells(t);
    const double most = steps_of(t.dtype()).largest;
    for_each_element(t.sizes(), t.strides(), t.offset(), [&](int64_t at) {
      Bounded& b = c.real[static_cast<size_t>(at)];
      if (images * std::max(std::fabs(b.lo), std::fabs(b.hi)) > most) b = Bounded::all();
    });
  }
}

// (x ** p) ** (1 / p), where p and 1 / p may be rounded or not.
Bounded by_powers(const Bounded& x, double p) {
  const Bounded one = Bounded::exact(1);
  const Bounded power = select(Tri::Unsure, Bounded::exact(p), Bounded(p));
  return pow(pow(x, power), one / power);
}

void allow_powers(const DeviatingCall& call, double) {
  const std::span<const IValue> args = call.args;
  const Tensor result = call.results[0].as_tensor();
  const Tensor self = args[0].as_tensor();
  const double p = args[1].is_none() ? 2 : args[1].as_double();
  if (self.numel() != result.numel() || p == 0 || p == 1 || !std::isfinite(p)) return;
  Precision precision(compute_of(self.dtype()));
  const Cells& from = call.shadow.cells(self);
  std::vector<Bounded> lone;
  for_each_element(self.sizes(), self.strides(), self.offset(),
                   [&](int64_t at) { lone.push_back(abs(from.real[static_cast<size_t>(at)])); });
  Cells& to = call.shadow.cells(result);
  size_t i = 0;
  for_each_element(result.sizes(), result.strides(), result.offset(), [&](int64_t at) {
    Bounded& b = to.real[static_cast<size_t>(at)];
    const Bounded& x = lone[i++];
    if (b.must_nan || (x.lo == 0 && x.hi == 0)) return;
    b = select(Tri::Unsure, b, select(Tri::Unsure, x, by_powers(x, p)));
  });
}

[[maybe_unused]] const bool kRegistered = [] {
  auto& table = Table<DeviationKind>::instance();
  table.add({"mean folded", "ulp",
             "the mean is folded into the bias: ulp of each product, of the mean and of the bias",
             &fold_mean});
  table.add({"statistics summed", "",
             "running statistics of all instances are summed before the division",
             &sum_statistics});
  table.add({"powers", "", "the norm of one element by powers", &allow_powers});
  return true;
}();

}  // namespace
}  // namespace fusillade::fuzz
