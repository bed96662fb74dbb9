// See rounded.h.
#include "fuzz/oracle/rounded.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/ops/text.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "fuzz/oracle/judging.h"

namespace fusillade::fuzz {
namespace {

constexpr double kOfEager = 100;            // what eager mode errs by, so many times
constexpr double kOfTypical = 16;           // what half of its elements err by, many times
constexpr double kOfChange = 16;            // what changed inputs move, so many times
constexpr double kOfShaken = 16;            // what other roundings move, so many times
constexpr double kClose = 0.1;              // of a number: what may be beside it is near it
constexpr double kChange = 0x1p-18;         // of each element: 32 units of float32
constexpr double kUnitsOfLargest = 0x1p10;  // of the result's dtype, of the largest element
constexpr double kUnitsInDouble = 0x1p22;   // where float64 is all that there is

// The values within results, in order, and what holds them.
struct Leaves {
  std::vector<IValue> values;
  std::string form;    // "(f32[2,3], [int])": what must be the same
  std::string sizes;   // of tensors without their dtypes: what tells whether runs can be compared
  std::string dtypes;  // of tensors with their ranks: what drawn values do not change

  std::array<std::string*, 3> texts() { return {&form, &sizes, &dtypes}; }
};

void add_leaf(const IValue& v, Leaves& out) {
  std::string form = v.type().text(), sizes = form, dtypes = form;
  if (v.is_tensor()) {
    const Tensor& t = v.as_tensor();
    sizes = fmt::format("{}{}", static_cast<int>(category_of(t.dtype())), to_string(t.sizes()));
    form = name_of(t.dtype()) + to_string(t.sizes());
    dtypes = fmt::format("{} of {} dimensions", name_of(t.dtype()), t.sizes().rank());
  }
  out.values.push_back(v);
  out.form += form;
  out.sizes += sizes;
  out.dtypes += dtypes;
}

void add_leaves(const std::vector<IValue>& values, Leaves& out) {
  for (const IValue& v : values) {
    if (v.is_sequence()) {
      const char* brackets = v.tag() == IValue::Tag::Tuple ? "()" : "[]";
      for (std::string* text : out.texts()) *text += brackets[0];
      add_leaves(v.items(), out);
      for (std::string* text : out.texts()) *text += brackets[1];
    } else {
      add_leaf(v, out);
    }
    for (std::string* text : out.texts()) *text += ", ";
  }
}

Leaves leaves_of(const std::vector<IValue>& values) {
  Leaves out;
  add_leaves(values, out);
  return out;
}

// Elements of a leaf as doubles; of what is no number none.
std::vector<double> numbers_of(const IValue& v) {
  std::vector<double> out;
  if (v.is_float()) out = {v.as_double()};
  if (!v.is_tensor()) return out;
  const Tensor& t = v.as_tensor();
  out.resize(static_cast<size_t>(t.numel()));
  for (size_t i = 0; i < out.size(); ++i) out[i] = element_as_double(t, static_cast<int64_t>(i));
  return out;
}

bool is_rounded(const IValue& v) {
  return v.is_float() || (v.is_tensor() && is_float(v.as_tensor().dtype()));
}

double largest_of(const std::vector<double>& values) {
  double out = 0;
  for (double v : values)
    if (std::isfinite(v)) out = std::max(out, std::abs(v));
  return out;
}

// Of the largest element, the share that values may differ by in any case.
double share_of(const IValue& v) {
  const DType dtype = v.is_tensor() ? v.as_tensor().dtype() : DType::F64;
  const double unit = std::ldexp(1.0, -row_of(dtype).significand);
  return unit * (dtype == DType::F64 ? kUnitsInDouble : dtype == DType::F32 ? kUnitsOfLargest : 32);
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// What eager mode errs by, in half of a result's elements: one may be right by luck. And what other
// roundings move.
struct Typical {
  double absolute = 0, relative = 0, shaken = 0;
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

Typical typical_error(const std::vector<double>& eager, const std::vector<double>& exact,
                      const std::vector<double>& shaken) {
  std::vector<double> absolute, relative, moved;
  for (size_t i = 0; i < shaken.size() && i < eager.size(); ++i)
    if (const double by = std::abs(shaken[i] - eager[i]); std::isfinite(by)) moved.push_back(by);
  for (size_t i = 0; i < eager.size(); ++i) {
    const double error = std::abs(eager[i] - exact[i]);
    if (!std::isfinite(error)) continue;
    absolute.push_back(error);
    if (exact[i] != 0) relative.push_back(error / std::abs(exact[i]));
  }
  return {median(std::move(absolute)), median(std::move(relative)), median(std::move(moved))};
}

// None: nothing can be said of it; else whether a legal run may give `observed`.
std::optional<bool> admits(double observed, double eager, double exact, double changed,
                           double least, const Typical& typical) {
  if (same_number(observed, eager)) return true;
  if (std::isnan(eager) && std::isnan(exact) && std::isnan(changed)) return false;
  if (!std::isfinite(eager) || !std::isfinite(exact) || !std::isfinite(changed)) return {};
  const double usual = std::max(typical.absolute, typical.relative * std::abs(exact));
  const double may = kOfEager * std::abs(eager - exact) + kOfTypical * usual +
                     kOfChange * std::abs(changed - exact) + kOfShaken * typical.shaken;
  if (std::abs(observed - exact) <= may + least) return true;
  // Beside a pole, or where all digits cancel, a rounding decides what the number is.
  return may <= kClose * std::abs(exact) + least ? std::optional(false) : std::nullopt;
}

// Where plain runs in another precision are not to be had, and nothing is rounded.
std::optional<bool> admits_exact(double observed, double eager, const double* exact,
                                 const double* changed) {
  if (same_number(observed, eager)) return true;
  if (!exact || !changed || !same_number(eager, *exact) || !same_number(eager, *changed)) return {};
  return false;
}

// One value within results, as the runs give it.
struct LeafRuns {
  IValue eager, exact, changed, shaken;
};

void compare_numbers(const LeafRuns& runs, const IValue& observed_leaf, bool alone,
                     const std::string& where, Verdict& step) {
  const IValue& eager_leaf = runs.eager;
  const std::vector<double> eager = numbers_of(eager_leaf), observed = numbers_of(observed_leaf);
  const std::vector<double> exact = numbers_of(runs.exact), changed = numbers_of(runs.changed);
  const bool followed = exact.size() == eager.size() && changed.size() == eager.size();
  const bool rounded = is_rounded(eager_leaf);
  const double least = followed ? share_of(eager_leaf) * largest_of(exact) : 0;
  const Typical typical =
      followed ? typical_error(eager, exact, numbers_of(runs.shaken)) : Typical();
  for (size_t i = 0; i < eager.size(); ++i) {
    const double* of_exact = followed ? &exact[i] : alone ? &eager[i] : nullptr;
    const double* of_changed = followed ? &changed[i] : alone ? &eager[i] : nullptr;
    const std::optional<bool> fits =
        !rounded   ? admits_exact(observed[i], eager[i], of_exact, of_changed)
        : followed ? admits(observed[i], eager[i], exact[i], changed[i], least, typical)
        : same_number(observed[i], eager[i]) ? std::optional(true)
                                             : std::nullopt;
    if (!fits) ++step.elements.untrusted;
    else step.elements.compared += 1, step.elements.tight += !rounded;
    if (fits.value_or(true)) continue;
    const std::string exactly = followed ? fmt::format(", in double precision {}", exact[i]) : "";
    const Elements counted = step.elements;
    step = mismatch("value", fmt::format("{}: element {} is {}, plain Python gives {}{}", where, i,
                                         observed[i], eager[i], exactly));
    step.elements = counted;
    return;
  }
}

Tensor widen(const Tensor& t, bool changed) {
  const Tensor out = Tensor::zeros(t.sizes(), DType::F64);
  uint64_t noise = 0x9e3779b97f4a7c15;
  for (int64_t i = 0; i < t.numel(); ++i) {
    noise ^= noise << 13, noise ^= noise >> 7, noise ^= noise << 17;  // xorshift64
    const double by = static_cast<double>(static_cast<int64_t>(noise)) * 0x1p-63 * kChange;
    const double v = element_as_double(t, i);
    set_element(out, i, changed ? v * (1 + by) : v);
  }
  return out;
}

}  // namespace

void compare_rounded(const PlainRuns& runs, const std::vector<IValue>& observed, const char* what,
                     Verdict& step) {
  const Leaves eager = leaves_of(runs.eager), seen = leaves_of(observed);
  if (eager.form != seen.form) {
    step = mismatch("form",
                    fmt::format("{}s are {}, plain Python gives {}", what, seen.form, eager.form));
    return;
  }
  const Leaves exact = leaves_of(runs.exact), changed = leaves_of(runs.changed);
  const bool followed = exact.sizes == eager.sizes && changed.sizes == eager.sizes;
  const Leaves shaken = leaves_of(runs.shaken);
  const bool has_shaken = shaken.form == eager.form;
  // No float goes in: nothing else is needed to know what is exact.
  const bool alone = runs.exact.empty() && runs.changed.empty();
  for (size_t i = 0; i < eager.values.size() && step.kind == VerdictKind::Ok; ++i) {
    const IValue &plain = eager.values[i], &got = seen.values[i];
    const std::string where = fmt::format("{} {}", what, i);
    if (plain.is_tensor() || plain.is_float()) {
      compare_numbers(
          {plain, followed ? exact.values[i] : IValue(), followed ? changed.values[i] : IValue(),
           has_shaken ? shaken.values[i] : IValue()},
          got, alone, where, step);
    } else if (python_repr(plain) != python_repr(got)) {
      const bool sure = alone || (followed && python_repr(plain) == python_repr(exact.values[i]) &&
                                  python_repr(plain) == python_repr(changed.values[i]));
      if (sure)
        step = mismatch("value", fmt::format("{} is {}, plain Python gives {}", where,
                                             python_repr(got), python_repr(plain)));
      else ++step.elements.untrusted;
    } else {
      step.elements += {1, 1, 0};
    }
  }
}

void compare_dtypes(const PlainRuns& runs, const std::vector<IValue>& observed, const char* what,
                    Verdict& step) {
  const Leaves eager = leaves_of(runs.eager), again = leaves_of(runs.again),
               seen = leaves_of(observed);
  if (eager.dtypes != again.dtypes || eager.dtypes == seen.dtypes) return;
  step = mismatch(
      "form", fmt::format("{}s are {}, plain Python gives {}", what, seen.dtypes, eager.dtypes));
}

std::optional<Call> in_double(const Call& call, bool changed) {
  Call out = copy_call(call);
  bool any = false;
  for (IValue& v : out.inputs) {
    if (v.is_float()) v = changed ? v.as_double() * (1 + kChange) : v.as_double();
    if (!v.is_tensor() || !is_float(v.as_tensor().dtype())) continue;
    any = true;
    v = widen(v.as_tensor(), changed);
  }
  return any ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace fusillade::fuzz
