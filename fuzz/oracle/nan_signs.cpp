// See nan_signs.h.
#include "fuzz/oracle/nan_signs.h"

#include <algorithm>
#include <cmath>

#include "engine/ops/class_type.h"
#include "engine/ops/pointwise.h"
#include "engine/tensor/random.h"
#include "fuzz/run/guarded.h"
#include "fuzz/run/walk.h"

namespace fusillade::fuzz {
namespace {

constexpr uint64_t kTries = 10;  // the first: all positive, the second: all negative

// One try; counts the NaNs whose sign was read.
class OtherSigns : public Walk {
 public:
  explicit OtherSigns(uint64_t number) : number_(number) {}
  uint64_t read_count() const { return asked_; }

 protected:
  // The sign that is read is the second operand's.
  void run_op(const Operator& op, std::span<const IValue> args,
              std::vector<IValue>& results) override {
    if (!op.pointwise_def || !op.pointwise_def->reads_nan_sign || args.size() < 2)
      return Walk::run_op(op, args, results);
    std::vector<IValue> given(args.begin(), args.end());
    if (given[1].is_tensor() && is_float(given[1].as_tensor().dtype())) {
      const Tensor t = contiguous(given[1].as_tensor(), true);
      for (int64_t i = 0; i < t.numel(); ++i)
        if (std::isnan(element_as_double(t, i))) set_element(t, i, draw_nan());
      given[1] = t;
    } else if (given[1].is_float() && std::isnan(given[1].as_double())) {
      given[1] = IValue(draw_nan());
    }
    Walk::run_op(op, given, results);
  }

 private:
  double draw_nan() {
    const uint64_t at = asked_++;
    const bool negative = number_ == 1 || (number_ > 1 && random_bits(number_, at)[0] % 2 == 1);
    return std::copysign(std::nan(""), negative ? -1.0 : 1.0);
  }

  uint64_t number_;
  uint64_t asked_ = 0;
};

Outcome run_with_signs(const Graph& program, const Call& call, uint64_t number, uint64_t* asked) {
  OtherSigns walk(number);
  const Call copy = copy_call(call);
  Outcome out = run_guarded([&](Outcome& o) { o.outputs = walk.run(program, copy.inputs); });
  out.inputs = copy.inputs;
  *asked = walk.read_count();
  return out;
}

// Tensors and scalars, in order. A list's items follow a tensor without elements, whose sizes say
// how many there are.
void flatten(const IValue& v, std::vector<IValue>& out) {
  auto each = [&](const std::vector<IValue>& items) {
    out.emplace_back(Tensor::zeros({static_cast<int64_t>(items.size()), 0}, DType::Bool));
    for (const IValue& item : items) flatten(item, out);
  };
  if (v.tag() == IValue::Tag::List || v.tag() == IValue::Tag::Tuple) return each(v.items());
  if (v.tag() == IValue::Tag::Object) return each(v.as_object().slots);
  if (v.tag() != IValue::Tag::Dict) return out.push_back(v);
  for (const auto& [key, value] : v.as_dict().items()) {
    flatten(key, out);
    flatten(value, out);
  }
}

std::vector<IValue> flat(const std::vector<IValue>& values) {
  std::vector<IValue> out;
  for (const IValue& v : values) flatten(v, out);
  return out;
}

bool alike(const IValue& a, const IValue& b) {
  if (a.tag() != b.tag() || !a.is_tensor()) return a.tag() == b.tag();
  return a.as_tensor().dtype() == b.as_tensor().dtype() &&
         a.as_tensor().sizes() == b.as_tensor().sizes();
}

bool alike(const std::vector<IValue>& a, const std::vector<IValue>& b) {
  return std::ranges::equal(a, b, [](const IValue& x, const IValue& y) { return alike(x, y); });
}

int64_t elements_of(const IValue& v) { return v.is_tensor() ? v.as_tensor().numel() : 1; }

bool same_double(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

// Element i of values that are alike.
bool same(const IValue& a, const IValue& b, int64_t i) {
  if (a.is_tensor()) {
    const Tensor &x = a.as_tensor(), &y = b.as_tensor();
    return is_float(x.dtype()) ? same_double(element_as_double(x, i), element_as_double(y, i))
                               : element_as_int(x, i) == element_as_int(y, i);
  }
  if (a.is_float()) return same_double(a.as_double(), b.as_double());
  if (a.tag() == IValue::Tag::Str) return a.as_str() == b.as_str();
  return a.identical(b) || same_member(a, b);
}

// The elements of a list of values, without those that depend on signs.
class WithoutSigns {
 public:
  explicit WithoutSigns(const std::vector<IValue>& values) : values_(flat(values)) {
    for (const IValue& v : values_) hang_.emplace_back(elements_of(v), false);
  }

  // What other signs gave; false: that is built otherwise.
  bool mark_changes(const std::vector<IValue>& others) {
    const std::vector<IValue> o = flat(others);
    if (!alike(values_, o)) return false;
    for (size_t k = 0; k < o.size(); ++k)
      for (size_t i = 0; i < hang_[k].size(); ++i)
        hang_[k][i] = hang_[k][i] || !same(values_[k], o[k], static_cast<int64_t>(i));
    return true;
  }

  // Are all others the same? Counts them.
  bool same_elsewhere(const std::vector<IValue>& observed, uint64_t* count) const {
    const std::vector<IValue> o = flat(observed);
    if (!alike(values_, o)) return false;
    for (size_t k = 0; k < o.size(); ++k) {
      for (size_t i = 0; i < hang_[k].size(); ++i) {
        if (hang_[k][i]) continue;
        if (!same(values_[k], o[k], static_cast<int64_t>(i))) return false;
        ++*count;
      }
    }
    return true;
  }

 private:
  std::vector<IValue> values_;
  std::vector<std::vector<bool>> hang_;
};

void mark_untrusted(Verdict& step) {
  step = Verdict();
  step.kind = VerdictKind::Untrusted;
  step.reason = "the sign of a NaN decides";
}

}  // namespace

void unless_nan_signs_decide(const Graph& program, const Call& call, const Outcome& expected,
                             const Outcome& observed, Verdict& step) {
  if (!is_finding(step.kind)) return;
  WithoutSigns outputs(expected.outputs), inputs(expected.inputs);
  for (uint64_t number = 0; number < kTries; ++number) {
    uint64_t asked = 0;
    Outcome other = run_with_signs(program, call, number, &asked);
    if (expected.inputs.empty()) other.inputs.clear();
    if (number == 0 && asked == 0) return;
    const bool as_expected = expected.kind == Outcome::Kind::Values && other.kind == expected.kind;
    if (!as_expected || !outputs.mark_changes(other.outputs) || !inputs.mark_changes(other.inputs))
      return mark_untrusted(step);
  }
  if (observed.kind != Outcome::Kind::Values) return;
  uint64_t given = 0, after = 0;
  if (!outputs.same_elsewhere(observed.outputs, &given) ||
      !inputs.same_elsewhere(observed.inputs, &after)) {
    step.detail += " (another element than those that hang on the sign of a NaN differs)";
    return;
  }
  if (given == 0) return mark_untrusted(step);
  step = Verdict();
  step.kind = VerdictKind::Ok;
  step.elements.compared = step.elements.tight = given + after;
}

}  // namespace fusillade::fuzz
