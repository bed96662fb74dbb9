// See centred.h.
#include "fuzz/run/foreign/centred.h"

#include <cmath>

#include "engine/base/text.h"
#include "engine/tensor/iterate.h"

namespace fusillade::fuzz {
namespace {

// Beyond this share of the greatest value around, another formula is no explanation.
constexpr double kCloseShare = 0.01;

// Differs: the eager result lies far outside the bound, and what was compiled may be either's.
enum class Word : uint8_t { Legal, Unknown, Differs, Wrong };

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

double away(const Bounded& set, double eager) {
  return eager < set.lo ? set.lo - eager : eager - set.hi;
}

// Another formula's, then.
bool is_close(const Bounded& set, double eager) {
  const double scale = std::max({std::fabs(set.lo), std::fabs(set.hi), std::fabs(eager)});
  return std::isfinite(scale) && away(set, eager) <= kCloseShare * scale;
}

Word judge(const Bounded& set, double eager, double v, double greatest) {
  const bool centre = admits(set, eager), inside = admits(set, v);
  if (centre && inside) return Word::Legal;
  if (std::isnan(eager) != std::isnan(v)) {
    // No rounding makes NaN of a number, or a number of NaN, where the bound has but one of them.
    const bool either = set.may_nan && !set.must_nan;
    return centre || !either ? Word::Wrong : Word::Differs;
  }
  if (std::isinf(v) && (std::isinf(eager) || centre)) return Word::Wrong;  // of the other sign
  const double width = allowance(set, eager, greatest);
  if (std::isinf(eager)) return centre || (inside && width == 0) ? Word::Wrong : Word::Differs;
  if (width == INFINITY) return centre ? Word::Unknown : Word::Differs;
  const bool ours = centre || is_close(set, eager);
  if (std::fabs(v - eager) <= width) return ours ? Word::Legal : Word::Differs;
  return ours || inside ? Word::Wrong : Word::Differs;
}

Word judge(const IntRange& set, int64_t eager, int64_t v) {
  if (set.lo <= eager && eager <= set.hi)
    return set.lo <= v && v <= set.hi ? Word::Legal : Word::Wrong;
  return Word::Differs;
}

std::string range_of(const Bounded& b) {
  if (b.must_nan) return "nan";
  return fmt::format("[{}, {}]", hexadecimal_float_text(b.lo), hexadecimal_float_text(b.hi));
}

bool mismatch_in(Verdict& verdict, const char* reason, const std::string& detail) {
  verdict.kind = VerdictKind::Mismatch;
  verdict.reason = reason;
  verdict.detail = detail;
  return false;
}

}  // namespace

double greatest_of(const Tensor& t) {
  double greatest = 0;
  if (is_float(t.dtype())) {
    for (int64_t i = 0; i < t.numel(); ++i) {
      const double v = std::fabs(element_as_double(t, i));
      if (std::isfinite(v)) greatest = std::max(greatest, v);
    }
  }
  return greatest;
}

double allowance(const Bounded& set, double eager, double greatest) {
  const bool centre = admits(set, eager);
  if (set.must_nan) return centre ? 0 : INFINITY;
  const double width = set.lo == set.hi ? 0 : set.hi - set.lo;
  if (!std::isfinite(eager)) return width == 0 && !set.may_nan ? 0 : INFINITY;
  if (centre) return width;
  if (is_close(set, eager)) return width + 2 * away(set, eager);
  return is_tight(set) ? std::max(width, kCloseShare * std::max(greatest, std::fabs(eager)))
                       : INFINITY;
}

bool Centred::admits_tensor(const Cells* cells, const Tensor* ours, const Tensor& eager,
                            const Tensor& observed, const std::string& what, Verdict& verdict) {
  bool floats = is_float(eager.dtype());
  std::vector<int64_t> offsets;
  if (cells)
    for_each_element(ours->sizes(), ours->strides(), ours->offset(),
                     [&](int64_t at) { offsets.push_back(at); });
  IntRange full = full_range(cells ? cells->dtype : DType::I64);
  const double greatest = cells ? greatest_of(eager) : 0;
  for (int64_t i = 0; i < eager.numel(); ++i) {
    size_t at = cells ? static_cast<size_t>(offsets[static_cast<size_t>(i)]) : 0;
    Bounded real = Bounded::all();
    IntRange whole = full;
    if (cells && floats) real = cells->real[at];
    else if (cells) whole = cells->whole[at];
    bool known = cells && (floats ? real.must_nan || !(real.lo == -INFINITY && real.hi == INFINITY)
                                  : whole.lo != full.lo || whole.hi != full.hi);
    double e = floats ? element_as_double(eager, i) : 0;
    double v = floats ? element_as_double(observed, i) : 0;
    int64_t m = floats ? 0 : element_as_int(eager, i);
    int64_t n = floats ? 0 : element_as_int(observed, i);
    bool equal = floats ? same(e, v) : m == n;
    Word word = equal    ? known || !cells ? Word::Legal : Word::Unknown
                : !known ? Word::Unknown
                : floats ? judge(real, e, v, greatest)
                         : judge(whole, m, n);
    if (word == Word::Unknown || word == Word::Differs) ++verdict.elements.untrusted;
    else ++verdict.elements.compared;
    if (word == Word::Unknown || (word == Word::Differs && !verdict.reason.empty())) continue;
    verdict.elements.tight +=
        word != Word::Differs && known && (floats ? is_tight(real) : whole.exact());
    if (word == Word::Legal) continue;
    std::string numbers = floats
                              ? fmt::format("{} ({}), its eager mode gives {} ({}), ours may be {}",
                                            hexadecimal_float_text(v), v, hexadecimal_float_text(e),
                                            e, range_of(real))
                              : fmt::format("{}, its eager mode gives {}, ours may be [{}, {}]", n,
                                            m, whole.lo, whole.hi);
    const std::string detail = fmt::format("{}: element {} is {}", what, i, numbers);
    if (word == Word::Wrong) return mismatch_in(verdict, "value", detail);
    verdict.reason = kEagerDiffers;
    verdict.detail = detail;
  }
  return true;
}

bool Centred::admits(const IValue* ours, const IValue& eager, const IValue& observed,
                     const std::string& what, Verdict& verdict) {
  auto differs = [&](const char* reason) {
    return mismatch_in(verdict, reason,
                       fmt::format("{}: got {}, its eager mode gives {}", what, describe(observed),
                                   describe(eager)));
  };
  if (eager.tag() != observed.tag()) return differs("type");
  if (ours && ours->tag() != eager.tag()) ours = nullptr;
  if (eager.is_tensor()) {
    Tensor a = eager.as_tensor();
    Tensor b = observed.as_tensor();
    if (a.dtype() != b.dtype()) return differs("dtype");
    if (!(a.sizes() == b.sizes())) return differs("shape");
    Tensor mine = ours ? ours->as_tensor() : Tensor();
    bool comparable = shadow_ && ours && mine.dtype() == a.dtype() && mine.sizes() == a.sizes();
    return admits_tensor(comparable ? &shadow_->cells(mine) : nullptr, &mine, a, b, what, verdict);
  }
  if (eager.is_sequence()) {
    if (eager.items().size() != observed.items().size()) return differs("length");
    if (ours && ours->items().size() != eager.items().size()) ours = nullptr;
    for (size_t i = 0; i < eager.items().size(); ++i) {
      if (!admits(ours ? &ours->items()[i] : nullptr, eager.items()[i], observed.items()[i],
                  fmt::format("{}[{}]", what, i), verdict))
        return false;
    }
    return true;
  }
  bool equal = eager.is_float()                  ? same(eager.as_double(), observed.as_double())
               : eager.tag() == IValue::Tag::Str ? eager.as_str() == observed.as_str()
                                                 : eager.identical(observed);
  // Numbers that depend on tensors are decided where the shadow could follow.
  if (!equal && (!shadow_ || !ours)) ++verdict.elements.untrusted;
  else if (!equal) return differs("value");
  else ++verdict.elements.compared, ++verdict.elements.tight;
  return true;
}

bool Centred::admits_all(const std::vector<IValue>& ours, const std::vector<IValue>& eager,
                         const std::vector<IValue>& observed, const char* what, Verdict& verdict) {
  if (eager.size() != observed.size())
    return mismatch_in(
        verdict, "count",
        fmt::format("{} {}s, its eager mode gives {}", observed.size(), what, eager.size()));
  bool known = ours.size() == eager.size();
  for (size_t i = 0; i < eager.size(); ++i)
    if (!admits(known ? &ours[i] : nullptr, eager[i], observed[i], fmt::format("{} {}", what, i),
                verdict))
      return false;
  return true;
}

}  // namespace fusillade::fuzz
