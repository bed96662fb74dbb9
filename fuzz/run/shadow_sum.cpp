// Reductions and matrix products in the shadow, for every order of evaluation.
//
// Sums are bounded by sum.h. Minimum and maximum do not round; their formula is folded in order.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <map>

#include "engine/aten/sort/choose.h"
#include "engine/scalar/expr.h"
#include "engine/scalar/half_steps.h"
#include "engine/tensor/block.h"
#include "fuzz/run/open_sum.h"

namespace fusillade::fuzz {

using namespace sums;

namespace {

Bounded product(const std::vector<Bounded>& terms, const Steps& steps) {
  Wide lo = 1, hi = 1, most = 1, least = 1;
  bool zero = false;
  for (const Bounded& b : terms) {
    if (b.must_nan) return nan_only();
  }
  for (const Bounded& b : terms) {
    if (b.may_nan || std::isinf(b.lo) || std::isinf(b.hi)) return Bounded::all();
    Wide p[4] = {lo * b.lo, lo * b.hi, hi * b.lo, hi * b.hi};
    lo = *std::min_element(p, p + 4);
    hi = *std::max_element(p, p + 4);
    most *= std::max<Wide>(1, std::max(std::fabs(b.lo), std::fabs(b.hi)));
    bool spans_zero = b.lo <= 0 && b.hi >= 0;
    zero = zero || (b.lo == 0 && b.hi == 0);
    if (!spans_zero) least *= std::min<Wide>(1, std::min(std::fabs(b.lo), std::fabs(b.hi)));
    else if (b.lo != b.hi) least = 0;
    if (most >= steps.largest) return Bounded::all();
  }
  if (zero) return any_zero(Bounded::range(0, 0));
  if (least <= steps.smallest * 4) return Bounded::all();
  if (terms.size() <= 1) return Bounded::range(static_cast<double>(lo), static_cast<double>(hi));
  Wide greatest = std::max(std::fabs(lo), std::fabs(hi));
  Wide slack = greatest * gamma(static_cast<Wide>(terms.size()), steps.unit) * 1.02L;
  if (!(greatest + slack < steps.largest)) return Bounded::all();
  return Bounded::range(down(lo - slack), up(hi + slack));
}

// What the combining formula is, asked of the formula itself.
enum class Combine { Sum, Product, Most, Least };

Combine kind_of(const Formula& f) {
  ExprPool pool;
  ExprPool::Scope scope(pool);
  FormulaModel model(Model::F64);
  Expr in[2] = {Expr::arg(0, Model::F64), Expr::arg(1, Model::F64)};
  ExprOp op = f.expr(in)->op;
  if (op == ExprOp::Add) return Combine::Sum;
  if (op == ExprOp::Mul) return Combine::Product;
  const double one = 1, two = 2;
  double which = 0;
  const void* both[2] = {&one, &two};
  f.loop[0][static_cast<int>(Model::F64)](both, &which, 1);
  return which == two ? Combine::Most : Combine::Least;
}

// The greatest (the least) of terms: between the greatest of their lower ends and that of their
// upper ones. Folding would lose that, for which of two that overlap is the greater is not known.
Bounded extreme(const std::vector<Bounded>& terms, bool most) {
  const auto further = [most](double a, double b) {
    return most ? std::max(a, b) : std::min(a, b);
  };
  Bounded out = terms[0];
  for (const Bounded& b : terms) {
    if (b.must_nan) return nan_only();
    out.lo = further(out.lo, b.lo);
    out.hi = further(out.hi, b.hi);
    out.may_nan = out.may_nan || b.may_nan;
    out.zero_sign_known = out.zero_sign_known && b.zero_sign_known;
  }
  return out;
}

Bounded reduce_real(const ReducePlan& plan, const std::vector<Bounded>& terms) {
  const DType each = half_steps(plan.result).value_or(plan.accumulate);
  const Steps steps = steps_of(each);
  Precision precision(compute_of(each));
  HalfSteps halves(half_steps(each));
  Bounded value;
  const Combine kind = kind_of(*plan.combine);
  switch (kind) {
    case Combine::Sum: {
      Sum sum(steps);
      for (const Bounded& b : terms) sum.add(b);
      value = sum.result();
      break;
    }
    case Combine::Product:
      value = product(terms, steps);
      break;
    case Combine::Most:
    case Combine::Least:
      if (terms.empty()) value = Bounded::exact(plan.identity);
      else value = extreme(terms, kind == Combine::Most);
      if (terms.size() > 1)
        value = any_zero(value);  // the least of 0 and -0 is whichever comes first
      break;
  }
  if (plan.finalize) {
    Bounded count = Bounded::exact(static_cast<double>(terms.size()));
    const Bounded* in[2] = {&value, &count};
    Bounded out;
    plan.finalize->bounded(in, &out, 1);
    value = out;
  }
  return value;
}

IntRange reduce_whole(const ReducePlan& plan, const std::vector<IntRange>& terms) {
  int64_t acc = plan.int_identity;
  NativeLoop loop = plan.combine->loop[0][static_cast<int>(Model::I64)];
  for (const IntRange& r : terms) {
    if (!r.exact()) return full_range(plan.result);
    int64_t next = 0;
    const void* in[2] = {&acc, &r.lo};
    loop(in, &next, 1);
    acc = next;
  }
  return to_whole(IntRange{acc, acc}, plan.result);
}

}  // namespace

// In an operator composed of several, others divide by a count in another way (Welford's, by its
// inverse).
Bounded Shadow::divide_by_count(const ReducePlan& plan, Bounded b) const {
  if (of_ == Of::Ours || !composed_ || !plan.finalize || b.must_nan) return b;
  if (!std::isfinite(b.lo) || !std::isfinite(b.hi)) return b;
  const double unit = steps_of(half_steps(plan.result).value_or(plan.accumulate)).unit;
  b.lo -= 8 * unit * std::fabs(b.lo);
  b.hi += 8 * unit * std::fabs(b.hi);
  return b;
}

namespace {

// An element as a reduction takes it, of floats and of integers.
Bounded real_term(const Cells& from, size_t i, DType convert) {
  if (!is_float(from.dtype)) return to_real(from.whole[i], convert);
  return from.dtype == convert ? from.real[i] : convert_bounds(from.real[i], convert);
}
IntRange whole_term(const Cells& from, size_t i, DType convert) {
  return is_float(from.dtype) ? to_whole(from.real[i], convert) : to_whole(from.whole[i], convert);
}

}  // namespace

void Shadow::reduce(const Operator& op, std::span<const IValue> args,
                    std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  Cells& from = cells(self);
  ReducePlan plan = op.reduce(op, infos_of(args));
  results = call(op, args);
  Tensor out = results[0].as_tensor();
  Dims kept, kept_strides, gone, gone_strides;
  for (int d = 0; d < self.rank(); ++d) {
    bool reduced = std::find(plan.axes.begin(), plan.axes.end(), d) != plan.axes.end();
    (reduced ? gone : kept).push_back(self.sizes()[d]);
    (reduced ? gone_strides : kept_strides).push_back(self.strides()[d]);
  }
  Cells& to = fresh(out);
  bool floats = is_float(plan.accumulate);
  std::vector<int64_t> indices;
  for_each_element(out.sizes(), out.strides(), out.offset(),
                   [&](int64_t at) { indices.push_back(at); });
  std::vector<Bounded> reals;
  std::vector<IntRange> wholes;
  size_t next = 0;
  for_each_element(kept, kept_strides, self.offset(), [&](int64_t start) {
    reals.clear();
    wholes.clear();
    for_each_element(gone, gone_strides, start, [&](int64_t at) {
      size_t i = static_cast<size_t>(at);
      if (floats) reals.push_back(real_term(from, i, plan.convert));
      else wholes.push_back(whole_term(from, i, plan.convert));
    });
    size_t k = static_cast<size_t>(indices[next++]);
    if (floats) to.real[k] = to_real(divide_by_count(plan, reduce_real(plan, reals)), out.dtype());
    else to.whole[k] = reduce_whole(plan, wholes);
  });
}

namespace {

// f(first, step, first of out, step of out): where each line along a dimension lies in both.
template <class F>
void for_each_line(const Tensor& self, const Tensor& out, int dim, F f) {
  Dims sizes = self.sizes(), strides = self.strides(), out_strides = out.strides();
  int64_t step = 0, out_step = 0;
  if (self.rank() > 0) {
    step = strides[dim], out_step = out_strides[dim];
    for (Dims* dims : {&sizes, &strides, &out_strides}) dims->erase(dim);
  }
  std::vector<int64_t> firsts;
  for_each_element(sizes, out_strides, out.offset(), [&](int64_t at) { firsts.push_back(at); });
  size_t next = 0;
  for_each_element(sizes, strides, self.offset(),
                   [&](int64_t first) { f(first, step, firsts[next++], out_step); });
}

int64_t length_of(const Tensor& t, int dim) { return t.rank() > 0 ? t.sizes()[dim] : 1; }

}  // namespace

// Of each element: the sum up to it. Ours holds it as the scan says, others may do with less.
void Shadow::sums_so_far(const Operator& op, std::span<const IValue> args,
                         std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor();
  const Cells& from = cells(self);
  const Scan scan = plan_scan(op, infos_of(args));
  const std::vector<IValue> asked{args[0], IValue::int_list({scan.dim}), IValue(false), args[2]};
  const ReducePlan plan = scan.whole->reduce(*scan.whole, infos_of(asked));
  results = call(op, args);
  const Tensor out = results[0].as_tensor();
  Cells& to = fresh(out);
  const DType least = half_steps(plan.result).value_or(plan.accumulate);
  const DType each = of_ == Of::Ours ? scan.accumulate : least;
  Precision precision(compute_of(each));
  HalfSteps halves(half_steps(each));
  const int64_t length = length_of(self, scan.dim);
  for_each_line(self, out, scan.dim,
                [&](int64_t start, int64_t step, int64_t end, int64_t out_step) {
                  Sum sum(steps_of(each));
                  std::vector<IntRange> so_far{{plan.int_identity, plan.int_identity}, {}};
                  for (int64_t k = 0; k < length; ++k) {
                    const auto i = static_cast<size_t>(start + k * step);
                    const auto o = static_cast<size_t>(end + k * out_step);
                    if (is_float(plan.accumulate)) {
                      sum.add(real_term(from, i, plan.convert));
                      to.real[o] = to_real(sum.result(), out.dtype());
                    } else {
                      so_far[1] = whole_term(from, i, plan.convert);
                      to.whole[o] = so_far[0] = reduce_whole(plan, so_far);
                    }
                  }
                });
}

// Others hold no more of a product so far than they store.
void Shadow::allow_products_in_steps(std::span<const IValue> args, const Tensor& result) {
  const Tensor self = args[0].as_tensor();
  if (!is_float(result.dtype()) || result.numel() == 0) return;
  const Cells& from = cells(self);
  Cells& to = cells(result);
  const int dim = wrap_dim(args[1].as_int(), self.rank());
  const int64_t length = length_of(self, dim);
  Precision precision(compute_of(result.dtype()));
  HalfSteps halves(half_steps(result.dtype()));
  for_each_line(self, result, dim, [&](int64_t start, int64_t step, int64_t end, int64_t out_step) {
    Bounded so_far = real_term(from, static_cast<size_t>(start), result.dtype());
    for (int64_t k = 1; k < length; ++k) {
      const auto i = static_cast<size_t>(start + k * step);
      so_far = to_real(so_far * real_term(from, i, result.dtype()), result.dtype());
      Bounded& known = to.real[static_cast<size_t>(end + k * out_step)];
      known = select(Tri::Unsure, known, so_far);
    }
  });
}

namespace {

// The cell offset of a batch's first element.
std::vector<int64_t> batch_offsets(const Tensor& t) {
  std::vector<int64_t> out;
  Dims sizes, strides;
  for (int d = 0; d + 2 < t.rank(); ++d) {
    sizes.push_back(t.sizes()[d]);
    strides.push_back(t.strides()[d]);
  }
  for_each_element(sizes, strides, t.offset(), [&](int64_t at) { out.push_back(at); });
  return out;
}

class Products {
 public:
  Products(const ContractPlan& plan, const Cells& a, const Cells& b, const Cells* bias, DType dtype)
      : plan_(plan), a_(a), b_(b), bias_(bias), dtype_(dtype) {}

  void run(Cells& to, const std::vector<int64_t>& indices) {
    int r = plan_.a.rank();
    int64_t m = plan_.a.sizes()[r - 2], k = plan_.a.sizes()[r - 1], n = plan_.b.sizes()[r - 1];
    std::vector<int64_t> as = batch_offsets(plan_.a), bs = batch_offsets(plan_.b);
    std::vector<int64_t> biases;
    if (bias_)
      for_each_element(plan_.bias.sizes(), plan_.bias.strides(), plan_.bias.offset(),
                       [&](int64_t at) { biases.push_back(at); });
    size_t next = 0;
    for (size_t batch = 0; batch < as.size(); ++batch) {
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j, ++next) {
          int64_t a = as[batch] + i * plan_.a.strides()[r - 2];
          int64_t b = bs[batch] + j * plan_.b.strides()[r - 1];
          int64_t bias = bias_ ? biases[next] : -1;
          size_t at = static_cast<size_t>(indices[next]);
          if (is_float(dtype_)) put(to, at, products(a, b, k), k, bias);
          else to.whole[at] = whole(a, b, k, bias);
        }
      }
    }
  }

 private:
  Sum products(int64_t a, int64_t b, int64_t k) const {
    int r = plan_.a.rank();
    Sum sum(steps_of(dtype_));
    for (int64_t x = 0; x < k; ++x) {
      sum.add_product(a_.real[static_cast<size_t>(a + x * plan_.a.strides()[r - 1])],
                      b_.real[static_cast<size_t>(b + x * plan_.b.strides()[r - 2])]);
    }
    return sum;
  }

  // A sum that is multiplied by nothing stays open.
  void put(Cells& to, size_t at, Sum sum, int64_t k, int64_t bias) const {
    Precision precision(compute_of(dtype_));
    HalfSteps halves(half_steps(dtype_));
    const Bounded added = bias < 0 ? Bounded() : times_beta(bias_->real[static_cast<size_t>(bias)]);
    to.real[at] = to_real(real(sum, k, bias < 0 ? nullptr : &added), dtype_);
    if (plan_.alpha != 1 || !keeps_open(dtype_)) return;
    if (bias >= 0) sum.add(added);
    keep_open(to, at, std::move(sum));
  }

  Bounded times_beta(const Bounded& c) const {
    return plan_.beta == 1 ? c : Bounded(plan_.beta) * c;
  }

  Bounded real(const Sum& sum, int64_t k, const Bounded* bias) const {
    if (!bias) return scale(sum.result(0, alpha()), k);
    const Bounded& added = *bias;
    Wide extra = 0;
    bool finite = !added.may_nan && std::isfinite(added.lo) && std::isfinite(added.hi);
    if (finite && plan_.alpha != 0)
      extra = std::max(std::fabs(added.lo), std::fabs(added.hi)) / std::fabs(Wide(plan_.alpha));
    Bounded value = scale(sum.result(extra, alpha()), k);
    return plan_.beta == 0 ? value : added + value;
  }

  Wide alpha() const { return plan_.alpha == 0 ? 1 : std::fabs(Wide(plan_.alpha)); }

  // Where alpha is 0, or there are no terms, who multiplies by it finds what is no number, and who
  // does not, finds 0.
  Bounded scale(const Bounded& sum, int64_t terms) const {
    if (plan_.alpha == 1) return sum;
    if ((plan_.alpha != 0 && terms != 0) || !NoPromises::on()) return Bounded(plan_.alpha) * sum;
    bool finite = !sum.may_nan && std::isfinite(sum.lo) && std::isfinite(sum.hi) &&
                  std::isfinite(plan_.alpha);
    return any_zero(Bounded::range(0, 0, !finite));
  }

  IntRange whole(int64_t a, int64_t b, int64_t k, int64_t bias) const {
    int r = plan_.a.rank();
    uint64_t sum = 0;
    for (int64_t x = 0; x < k; ++x) {
      const IntRange& p = a_.whole[static_cast<size_t>(a + x * plan_.a.strides()[r - 1])];
      const IntRange& q = b_.whole[static_cast<size_t>(b + x * plan_.b.strides()[r - 2])];
      if (!p.exact() || !q.exact()) return full_range(dtype_);
      sum += static_cast<uint64_t>(p.lo) * static_cast<uint64_t>(q.lo);
    }
    sum *= static_cast<uint64_t>(static_cast<int64_t>(plan_.alpha));
    if (bias >= 0) {
      const IntRange& c = bias_->whole[static_cast<size_t>(bias)];
      if (!c.exact()) return full_range(dtype_);
      sum += static_cast<uint64_t>(c.lo) * static_cast<uint64_t>(static_cast<int64_t>(plan_.beta));
    }
    int64_t value = static_cast<int64_t>(sum);
    return to_whole(IntRange{value, value}, dtype_);
  }

  const ContractPlan& plan_;
  const Cells& a_;
  const Cells& b_;
  const Cells* bias_;
  DType dtype_;
};

}  // namespace

void Shadow::contract(const Operator& op, std::span<const IValue> args,
                      std::vector<IValue>& results) {
  ContractPlan plan = op.contract(op, args);
  const Cells& a = cells(plan.a);
  const Cells& b = cells(plan.b);
  const Cells* bias = nullptr;
  if (plan.bias.is_defined() && plan.beta != 0) {
    bias = &cells(plan.bias);
    const Dims sizes = plan.sizes;  // without dimensions of vectors
    Dims strides(sizes.rank());
    int skip = sizes.rank() - plan.bias.rank();
    for (int d = 0; d < plan.bias.rank(); ++d) {
      if (plan.bias.sizes()[d] == sizes[skip + d]) strides[skip + d] = plan.bias.strides()[d];
    }
    plan.bias = Tensor::view_of(plan.bias, plan.bias.offset(), sizes, strides);
  }
  results = call(op, args);
  Tensor out = results[0].as_tensor();
  std::vector<int64_t> indices;
  for_each_element(out.sizes(), out.strides(), out.offset(),
                   [&](int64_t at) { indices.push_back(at); });
  Products(plan, a, b, bias, out.dtype()).run(fresh(out), indices);
}

// Every index gets the sum of its old value and all that is added there, in any order.
void Shadow::scatter(const Operator& op, std::span<const IValue> args,
                     std::vector<IValue>& results) {
  ScatterPlan plan = op.scatter(op, args);
  Cells& to = cells(plan.self);
  const Cells& from = cells(plan.values);
  results = call(op, args);
  DType dtype = plan.self.dtype();
  bool rounds_each = dtype == DType::F16 || dtype == DType::BF16;
  std::vector<int64_t> values;
  for_each_element(plan.values.sizes(), plan.values.strides(), plan.values.offset(),
                   [&](int64_t at) { values.push_back(at); });
  std::map<int64_t, std::vector<int64_t>> added;
  for (size_t i = 0; i < values.size(); ++i) added[plan.indices[i]].push_back(values[i]);
  std::vector<std::pair<int64_t, Bounded>> reals;
  std::vector<std::pair<int64_t, IntRange>> wholes;
  for (const auto& [index, parts] : added) {
    if (is_float(dtype)) {
      Sum sum(steps_of(dtype));
      sum.add(to.real[static_cast<size_t>(index)]);
      for (int64_t at : parts) sum.add(from.real[static_cast<size_t>(at)]);
      reals.emplace_back(index, rounds_each ? Bounded::all() : sum.result());
      continue;
    }
    IntRange r = to.whole[static_cast<size_t>(index)];
    bool known = r.exact();
    uint64_t total = static_cast<uint64_t>(r.lo);
    for (int64_t at : parts) {
      known = known && from.whole[static_cast<size_t>(at)].exact();
      total += static_cast<uint64_t>(from.whole[static_cast<size_t>(at)].lo);
    }
    int64_t value = static_cast<int64_t>(total);
    wholes.emplace_back(index, known ? to_whole(IntRange{value, value}, dtype) : full_range(dtype));
  }
  for (const auto& [index, b] : reals) to.real[static_cast<size_t>(index)] = b;
  for (const auto& [index, r] : wholes) to.whole[static_cast<size_t>(index)] = r;
}

}  // namespace fusillade::fuzz
