// Pointwise operators in the shadow: cells of the operands, converted to the compute dtype, through
// the operator's own Bounded formula (floats) or its native loop (integers that are exact).
#include <algorithm>
#include <cmath>

#include "engine/front/spelling.h"
#include "engine/ops/pointwise.h"
#include "engine/scalar/half_steps.h"
#include "engine/tensor/block.h"
#include "engine/tensor/iterate.h"
#include "fuzz/run/cell.h"
#include "fuzz/run/composed.h"
#include "fuzz/run/deviation.h"
#include "fuzz/run/open_sum.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kRun = 256;
constexpr double kOtherFormula = 4;  // ulp between two formulas for one op
// The same where one is a Chebyshev series: that of I1 up to 8 has coefficients whose magnitudes
// sum to 0.5 and a value of 0.018 at its end, so one ulp of them is 28 of the value.
constexpr double kOtherSeries = 28;

// One operand: cells of a tensor, or one value.
struct Source {
  const Cells* cells = nullptr;
  int64_t offset = 0;
  Bounded real;
  IntRange whole;
};

// Room for one run; each thread keeps its own, since clearing it would cost more than most
// programs' work.
struct Blocks {
  Bounded real[4][kRun];
  Bounded result[kRun];
  IntRange whole[4][kRun];
  int64_t ints[4][kRun];
};

Blocks& blocks_of_thread() {
  thread_local const std::unique_ptr<Blocks> blocks = std::make_unique<Blocks>();
  return *blocks;
}

class Computation {
 public:
  // `inside`: of an operator's body that rounds more than once; `neighbour_unit`: of a body's
  // second run, see neighbour_unit_.
  Computation(const Operator& op, const PointwisePlan& plan, std::vector<Source> sources,
              Cells& out, bool inside, double neighbour_unit)
      : anyones_(NoPromises::on()),
        series_(anyones_ && may_deviate(op, "series")),
        rounded_(series_ || (anyones_ && may_deviate(op, "double rounded"))),
        composed_(rounded_ || (anyones_ && is_float(plan.compute) &&
                               roundings_of(*plan.formula, compute_of(plan.compute)) > 1)),
        step_(anyones_ && !composed_ && inside && is_float(plan.compute) &&
              roundings_of(*plan.formula, compute_of(plan.compute)) > 0),
        shifts_(anyones_ && may_deviate(op, "any count")),
        signs_(op.pointwise_def->reads_nan_sign),
        shrinks_(anyones_ && may_deviate(op, "ends shrunk")),
        power_(anyones_ && may_deviate(op, "given exponent")),
        inside_(inside),
        orders_(anyones_ && is_float(plan.compute) &&
                orders(*plan.formula, compute_of(plan.compute))),
        joins_(anyones_ && keeps_open(plan.compute) && plan.result == plan.compute &&
               any_open(sources) && adds_two(*plan.formula, plan.compute)),
        neighbour_unit_(neighbour_unit),
        elsewhere_(anyones_ ? &op.pointwise_def->elsewhere : nullptr),
        plan_(plan),
        sources_(std::move(sources)),
        out_(out),
        floats_(is_float(plan.compute)),
        real_(blocks_of_thread().real),
        result_(blocks_of_thread().result),
        whole_(blocks_of_thread().whole),
        ints_(blocks_of_thread().ints) {}

  void run(const int64_t* offsets, int64_t n, const int64_t* steps) {
    for (int64_t i = 0; i < n; i += kRun) {
      int64_t count = std::min(kRun, n - i);
      for (size_t k = 0; k < sources_.size(); ++k) {
        gather(k, sources_[k].offset + offsets[k + 1] + i * steps[k + 1], steps[k + 1], count);
      }
      int64_t to = offsets[0] + i * steps[0];
      if (floats_) run_real(to, steps[0], count);
      else run_whole(to, steps[0], count);
    }
  }

 private:
  void gather(size_t k, int64_t at, int64_t step, int64_t n) {
    const Source& s = sources_[k];
    first_[k] = at, steps_[k] = step;
    for (int64_t i = 0; i < n; ++i) {
      size_t from = static_cast<size_t>(at + i * step);
      if (floats_) {
        real_[k][i] = !s.cells                          ? s.real
                      : s.cells->dtype == plan_.compute ? s.cells->real[from]
                      : is_float(s.cells->dtype)
                          ? convert_bounds(s.cells->real[from], plan_.compute)
                      : neighbour_unit_ && s.cells->dtype != DType::Bool
                          ? next_to(to_real(s.cells->whole[from], plan_.compute))
                          : to_real(s.cells->whole[from], plan_.compute);
      } else {
        whole_[k][i] = !s.cells                   ? s.whole
                       : is_float(s.cells->dtype) ? to_whole(s.cells->real[from], plan_.compute)
                                                  : to_whole(s.cells->whole[from], plan_.compute);
      }
    }
  }

  Bounded next_to(Bounded b) const {
    b.lo -= 8 * neighbour_unit_ * std::fabs(b.lo);
    b.hi += 8 * neighbour_unit_ * std::fabs(b.hi);
    return b;
  }

  void run_real(int64_t to, int64_t step, int64_t n) {
    const Bounded* in[4] = {real_[0], real_[1], real_[2], real_[3]};
    if (plan_.formula->bounded) {
      plan_.formula->bounded(in, result_, n);
    } else {
      std::fill(result_, result_ + n, Bounded::all());
    }
    if (elsewhere_) {
      for (const Formula* formula : *elsewhere_) {
        Bounded other[kRun];
        formula->bounded(in, other, n);
        for (int64_t i = 0; i < n; ++i)
          result_[i] = select(Tri::Unsure, result_[i], other[i]);  // both are legal
      }
    }
    for (int64_t i = 0; i < n; ++i)
      store(to + i * step, signs_or(i, anyones_ ? loosen(i, result_[i]) : result_[i]));
    if (joins_) join(to, step, n);
  }

  static bool any_open(const std::vector<Source>& sources) {
    return std::any_of(sources.begin(), sources.end(),
                       [](const Source& s) { return s.cells && !s.cells->sums.empty(); });
  }

  void join(int64_t to, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const OpenSum* open[2];
      for (size_t k = 0; k < 2; ++k) {
        const Source& s = sources_[k];
        const bool same = s.cells && s.cells->dtype == plan_.compute;
        open[k] =
            same ? open_sum(*s.cells, static_cast<size_t>(first_[k] + i * steps_[k])) : nullptr;
      }
      const Bounded terms[2] = {real_[0][i], real_[1][i]};
      join_sums(out_, static_cast<size_t>(to + i * step), open, terms);
    }
  }

  // A NaN that was computed has no sign that is promised, so neither has what takes its sign from
  // one.
  Bounded signs_or(int64_t i, Bounded b) const {
    bool signless = signs_ && (real_[1][i].may_nan || real_[1][i].must_nan);
    if (!signless || b.must_nan) return b;
    double most = std::max(std::fabs(b.lo), std::fabs(b.hi));
    return Bounded::range(-most, most, b.may_nan);
  }

  // What is composed may be composed otherwise. softshrink gives 0 for a NaN, newer versions of
  // PyTorch x * 0.
  Bounded loosen(int64_t i, Bounded b) const {
    bool other = composed_ || (step_ && !is_short(b));
    if (other && !plan_.formula->predicate && !b.must_nan) {
      bool root = power_ && (inside_ || is_root(real_[1][i]));
      b.lo -= root ? root_slack(b.lo) : slack(b.lo);
      b.hi += root ? root_slack(b.hi) : slack(b.hi);
      if (b.lo < -largest()) b.lo = -INFINITY;
      if (b.hi > largest()) b.hi = INFINITY;
    }
    if (orders_ && zeros(i) > 1 && b.lo <= 0 && b.hi >= 0) b.zero_sign_known = false;
    if (shrinks_ && (real_[0][i].may_nan || real_[0][i].must_nan)) b.may_nan = true;
    if (shrinks_ && b.lo <= 0 && b.hi >= 0) b.zero_sign_known = false;
    return b;
  }

  // How many operands may be 0?
  int zeros(int64_t i) const {
    int count = 0;
    for (int k = 0; k < plan_.formula->arity; ++k)
      count += !real_[k][i].must_nan && real_[k][i].lo <= 0 && real_[k][i].hi >= 0;
    return count;
  }

  // One number of few bits, which nothing was rounded for, or equal steps would give?
  bool is_short(const Bounded& b) const {
    if (!b.is_exact() || b.may_nan) return false;
    int exponent = 0;
    double bits =
        std::ldexp(std::frexp(b.lo, &exponent), compute_of(plan_.compute) == Model::F64 ? 26 : 12);
    return bits == std::nearbyint(bits);
  }

  // Is the exponent 1 / n for a whole n, rounded? Then the n-th root is meant, as in a norm (whose
  // order need not be whole). Whoever computes it otherwise comes closer to it, by a part of
  // log(x ** e) ulp.
  static bool is_root(const Bounded& e) {
    double n = 1 / e.lo;
    return e.is_exact() && std::fabs(n) > 2 &&
           std::fabs(n - std::nearbyint(n)) <= std::fabs(n) * 0x1p-23;
  }

  double root_slack(double v) const {
    double one = slack(v);
    return one == 0 ? 0 : one * (1 + std::fabs(std::log(std::fabs(v))));
  }

  double largest() const { return steps_of(plan_.compute).largest; }

  double slack(double v) const {
    const Steps steps = steps_of(plan_.compute);
    double ulp = std::max(std::fabs(v) * 2 * steps.unit, steps.tiniest);
    return (v == 0 && !rounded_) || std::isinf(v) ? 0
                                                  : (series_ ? kOtherSeries : kOtherFormula) * ulp;
  }

  void store(int64_t at, const Bounded& b) {
    size_t k = static_cast<size_t>(at);
    if (is_float(out_.dtype)) out_.real[k] = to_real(b, out_.dtype);
    else out_.whole[k] = to_whole(b, out_.dtype);
  }

  void run_whole(int64_t to, int64_t step, int64_t n) {
    bool exact = true;
    size_t arity = static_cast<size_t>(plan_.formula->arity);
    for (size_t k = 0; k < arity; ++k) {
      for (int64_t i = 0; i < n; ++i) {
        exact = exact && whole_[k][i].exact();
        ints_[k][i] = whole_[k][i].lo;
      }
    }
    NativeLoop loop = plan_.formula->loop[0][static_cast<int>(Model::I64)];
    if (exact && loop) return run_exact(loop, to, step, n);
    for (int64_t i = 0; i < n; ++i) {
      Bounded in[4];
      const Bounded* pointers[4] = {&in[0], &in[1], &in[2], &in[3]};
      for (size_t k = 0; k < arity; ++k) in[k] = as_bounded(whole_[k][i]);
      Bounded b = Bounded::all();
      if (plan_.formula->bounded) plan_.formula->bounded(pointers, &b, 1);
      store_whole(to + i * step, b);
    }
  }

  // Integer arithmetic wraps, so a range that leaves the dtype says nothing.
  void store_whole(int64_t at, const Bounded& b) {
    IntRange full = full_range(out_.dtype);
    bool inside = !b.may_nan && b.lo >= -0x1p53 && b.hi <= 0x1p53;
    IntRange r = inside ? to_whole(b, out_.dtype) : full;
    out_.whole[static_cast<size_t>(at)] = r;
  }

  void run_exact(NativeLoop loop, int64_t to, int64_t step, int64_t n) {
    const void* in[4] = {ints_[0], ints_[1], ints_[2], ints_[3]};
    int64_t values[kRun];
    if (plan_.formula->predicate) {
      uint8_t bytes[kRun];
      loop(in, bytes, n);
      for (int64_t i = 0; i < n; ++i) values[i] = bytes[i];
    } else {
      loop(in, values, n);
    }
    for (int64_t i = 0; i < n; ++i) {
      out_.whole[static_cast<size_t>(to + i * step)] =
          is_portable(i) ? to_whole(IntRange{values[i], values[i]}, out_.dtype)
                         : full_range(out_.dtype);
    }
  }

  // Is element i of the run what every compiler gives? Of two operands, the least integer and -1
  // are no quotient; a shift counts bits that there are.
  bool is_portable(int64_t i) const {
    if (!anyones_ || plan_.formula->arity != 2) return true;
    int64_t a = ints_[0][i];
    int64_t b = ints_[1][i];
    if (shifts_) return b >= 0 && b < static_cast<int64_t>(8 * size_of(plan_.result));
    return b != -1 || a != full_range(plan_.result).lo;
  }

  const bool anyones_;  // any compiler's implementations are legal, not only ours
  const bool series_;
  const bool rounded_;  // a special function, computed in double: others compute in its own type
  const bool composed_;
  const bool step_;  // of an operator that is composed
  const bool shifts_;
  const bool signs_;
  const bool shrinks_;
  const bool power_;
  const bool inside_;
  const bool orders_;
  const bool joins_;             // its operands into one open sum
  const double neighbour_unit_;  // how far whole numbers may be off that become doubles here
  const std::vector<const Formula*>* const elsewhere_;
  const PointwisePlan& plan_;
  std::vector<Source> sources_;
  Cells& out_;
  bool floats_;
  Bounded (&real_)[4][kRun];
  Bounded (&result_)[kRun];
  IntRange (&whole_)[4][kRun];
  int64_t (&ints_)[4][kRun];
  int64_t first_[4] = {}, steps_[4] = {};  // of the run that is gathered
};

Source literal(const IValue& v, DType compute) {
  Source s;
  IntRange i{0, 0};
  Bounded b;
  if (v.is_float()) {
    double d = v.as_double();
    if (d != d) b.must_nan = b.may_nan = true;
    else b = Bounded::exact(d);
    i = to_whole(b, DType::I64);
  } else {
    i = {v.as_int(), v.as_int()};
  }
  if (is_float(compute)) s.real = v.is_float() ? convert_bounds(b, compute) : to_real(i, compute);
  else s.whole = to_whole(i, compute);
  return s;
}

bool is_power(const Operator& op) { return NoPromises::on() && may_deviate(op, "given exponent"); }

// The exponent as given, or rounded to the dtype: PyTorch takes both, by the element's position.
Bounded unrounded_too(double exponent, const Bounded& rounded) {
  if (!std::isfinite(exponent) || rounded.must_nan) return rounded;
  return select(Tri::Unsure, Bounded::exact(exponent), rounded);
}

}  // namespace

void Shadow::pointwise(const Operator& op, std::span<const IValue> args,
                       std::vector<IValue>& results) {
  PointwisePlan plan = op.pointwise(op, infos_of(args));
  std::vector<Source> sources;
  std::vector<Tensor> tensors;
  for (const auto& o : plan.operands) {
    if (o.arg >= 0 && args[o.arg].is_tensor()) {
      tensors.push_back(args[o.arg].as_tensor());
      Source s;
      s.cells = &cells(tensors.back());
      s.offset = tensors.back().offset();
      sources.push_back(s);
    } else {
      tensors.emplace_back();
      const IValue& number = o.arg < 0 ? o.literal : args[o.arg];
      sources.push_back(literal(number, plan.compute));
      if (sources.size() == 2 && is_power(op) && number.is_float() && is_float(plan.compute))
        sources.back().real = unrounded_too(number.as_double(), sources.back().real);
    }
  }
  if (op.in_place) cells(args[0].as_tensor());
  results = call(op, args);
  Tensor out = results[0].as_tensor();
  bool known = memory_.count(out.storage()) != 0;
  if (known && !op.in_place) return;  // `to` handed its operand on
  Cells staged;                       // results are written only when all operands have been read
  staged.dtype = plan.result;
  int64_t n = out.numel();
  if (is_float(plan.result)) staged.real.resize(static_cast<size_t>(n));
  else staged.whole.resize(static_cast<size_t>(n));
  std::vector<Dims> strides{contiguous_strides(out.sizes())};
  for (const Tensor& t : tensors) {
    strides.push_back(t.is_defined() ? broadcast_strides(t.sizes(), t.strides(), out.sizes())
                                     : Dims(out.rank()));
  }
  Precision precision(is_float(plan.compute) ? compute_of(plan.compute) : Model::I64);
  HalfSteps steps(half_steps(plan.compute));
  const bool widens = op.schema.name == front::op::kTo && plan.result == DType::F64;
  Computation computation(op, plan, std::move(sources), staged, composed_ > 0,
                          widens ? neighbour_unit_ : 0);
  StridedLoop(out.sizes(), strides.data(), static_cast<int>(strides.size()))
      .run([&](const int64_t* offsets, int64_t count, const int64_t* steps) {
        computation.run(offsets, count, steps);
      });
  Cells& target = known ? cells(out) : fresh(out);
  int64_t i = 0;
  for_each_element(out.sizes(), out.strides(), out.offset(),
                   [&](int64_t at) { convert_cell(staged, i++, target, at); });
}

}  // namespace fusillade::fuzz
