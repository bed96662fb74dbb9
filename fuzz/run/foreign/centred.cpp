// See centred.h.
#include "fuzz/run/foreign/centred.h"

#include <cmath>

#include "engine/base/text.h"
#include "engine/tensor/iterate.h"

namespace fusillade::fuzz {
namespace {

// Beyond this share of the greatest value around, another formula is no explanation.
constexpr double kNear = 0.01;

enum class Word : uint8_t { Legal, Unknown, Wrong };

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

Word judge(const Bounded& set, double eager, double v) {
  if (admits(set, v)) return Word::Legal;
  bool centre = admits(set, eager);
  Word unless_other = centre ? Word::Wrong : Word::Unknown;
  if (set.must_nan || std::isnan(v)) return unless_other;
  if (!std::isfinite(eager)) return std::isfinite(set.hi - set.lo) ? unless_other : Word::Unknown;
  double width = allowance(set, eager);
  if (!centre && width == INFINITY) return Word::Unknown;
  return std::fabs(v - eager) <= width ? Word::Legal : Word::Wrong;
}

Word judge(const IntRange& set, int64_t eager, int64_t v) {
  if (set.lo <= v && v <= set.hi) return Word::Legal;
  return set.lo <= eager && eager <= set.hi ? Word::Wrong : Word::Unknown;
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

double allowance(const Bounded& set, double eager) {
  bool centre = admits(set, eager);
  if (set.must_nan) return centre ? 0 : INFINITY;
  if (!std::isfinite(eager))
    return centre && std::isfinite(set.hi - set.lo) && !set.may_nan ? 0 : INFINITY;
  double width = set.hi - set.lo;
  if (centre) return width;
  double away = eager < set.lo ? set.lo - eager : eager - set.hi;
  double scale = std::max({std::fabs(set.lo), std::fabs(set.hi), std::fabs(eager)});
  return away <= kNear * scale ? width + 2 * away : INFINITY;
}

bool Centred::admits_tensor(const Cells* cells, const Tensor* ours, const Tensor& eager,
                            const Tensor& observed, const std::string& what, Verdict& verdict) {
  bool floats = is_float(eager.dtype());
  std::vector<int64_t> places;
  if (cells)
    for_each_element(ours->sizes(), ours->strides(), ours->offset(),
                     [&](int64_t at) { places.push_back(at); });
  IntRange full = full_range(cells ? cells->dtype : DType::I64);
  for (int64_t i = 0; i < eager.numel(); ++i) {
    size_t at = cells ? static_cast<size_t>(places[static_cast<size_t>(i)]) : 0;
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
                : floats ? judge(real, e, v)
                         : judge(whole, m, n);
    if (word == Word::Unknown) {
      ++verdict.elements.untrusted;
      continue;
    }
    ++verdict.elements.compared;
    verdict.elements.tight += known && (floats ? is_tight(real) : whole.exact());
    if (word == Word::Legal) continue;
    std::string numbers = floats
                              ? fmt::format("{} ({}), its eager mode gives {} ({}), ours may be {}",
                                            hexadecimal_float_text(v), v, hexadecimal_float_text(e),
                                            e, range_of(real))
                              : fmt::format("{}, its eager mode gives {}, ours may be [{}, {}]", n,
                                            m, whole.lo, whole.hi);
    return mismatch_in(verdict, "value", fmt::format("{}: element {} is {}", what, i, numbers));
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
