// See claim.h.
#include "fuzz/run/foreign/claim.h"

#include <cmath>
#include <optional>
#include <regex>

#include "engine/base/text.h"
#include "engine/tensor/iterate.h"
#include "fuzz/run/cell.h"
#include "fuzz/run/foreign/centred.h"
#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/outcome.h"
#include "fuzz/run/python/worker.h"

namespace fusillade::fuzz {
namespace {

using Kind = Claim::Kind;

// Verdicts say where in words: "input 4[1]: element 0 is ...".
std::optional<Place> place_in(const std::string& text) {
  static const std::regex said(
      R"(^(output|input) (\d{1,9})((?:\[\d{1,9}\])*)(?:: element (\d{1,18}))?)");
  std::smatch m;
  if (!std::regex_search(text, m, said)) return std::nullopt;
  Place place;
  place.of_input = m[1] == "input";
  place.index = std::stoul(m[2]);
  const std::string path = m[3];
  for (size_t at = 0; (at = path.find('[', at)) != std::string::npos; ++at)
    place.path.push_back(std::stoul(path.substr(at + 1)));
  if (m[4].matched) place.element = std::stoll(m[4]);
  return place;
}

const IValue* leaf_at(const Place& place, const std::vector<IValue>& outputs,
                      const std::vector<IValue>& inputs) {
  const std::vector<IValue>& all = place.of_input ? inputs : outputs;
  if (place.index >= all.size()) return nullptr;
  const IValue* v = &all[place.index];
  for (size_t i : place.path) {
    if (!v->is_sequence() || i >= v->items().size()) return nullptr;
    v = &v->items()[i];
  }
  return v;
}

// The case up to its call that shows the finding, ours under the shadow.
struct Ours {
  Ours(const Case& c, size_t call, const Contract& contract)
      : allowed(contract.allowed),
        shadow(contract.half_steps_rounded ? Shadow::Of::AnyHalf : Shadow::Of::Any, &allowed),
        copy(copy_call(c.calls[call])) {
    try {
      outputs = shadow.run(*c.program, copy.inputs);
      followed = true;
    } catch (const Untrusted&) {
    } catch (const Error& e) {
      error = e.what();
    }
  }
  // What is legal of an element; null where nothing is known of the leaf.
  const Cells* cells(const IValue* leaf, int64_t element, size_t* at) {
    if (!followed || !leaf || !leaf->is_tensor()) return nullptr;
    Tensor t = leaf->as_tensor();
    int64_t i = 0;
    for_each_element(t.sizes(), t.strides(), t.offset(), [&](int64_t place) {
      if (i++ == element) *at = static_cast<size_t>(place);
    });
    return element < i ? &shadow.cells(t) : nullptr;
  }

  EngineDeviation allowed;
  Shadow shadow;
  Call copy;
  std::vector<IValue> outputs;
  bool followed = false;
  std::string error;
};

std::string tolerance_text(double width, const Dialect& dialect) {
  if (width == 0) return "got == expected";
  if (std::isinf(width)) return "got == got";
  return fmt::format("abs(got - expected) <= {}", number_text(width, DType::F64, dialect));
}

// How far from `eager` an element may lie; inf: any number, no NaN.
double bound_of(const Bounded& set, double eager, const Tensor& all) {
  if (!admits(set, eager) || set.may_nan || set.must_nan)
    return allowance(set, eager, greatest_of(all));
  if (std::isinf(eager)) return set.lo == set.hi ? 0 : INFINITY;
  return set.hi - set.lo;
}

// Around what the eager mode gave.
void claim_around(Claim& claim, const Tensor& eager, const Cells* cells, size_t at,
                  const Dialect& dialect) {
  if (!is_float(eager.dtype())) {
    claim.got_is_legal = "got == expected";
    return;
  }
  claim.expected_is_asked = true;
  double e = element_as_double(eager, claim.place.element);
  if (std::isnan(e)) claim.got_is_legal = "got != got";
  else
    claim.got_is_legal = tolerance_text(cells ? bound_of(cells->real[at], e, eager) : 0, dialect);
}

// Between what ours may be.
void within(Claim& claim, const Tensor& ours, const Cells* cells, size_t at,
            const Dialect& dialect) {
  claim.got_is_legal = "expected[0] <= got <= expected[1]";
  auto between = [&](const std::string& lo, const std::string& hi) {
    bool one = lo == hi;
    claim.expected = one ? lo : fmt::format("({}, {})", lo, hi);
    if (one) claim.got_is_legal = "got == expected";
  };
  if (!is_float(ours.dtype())) {
    int64_t v = element_as_int(ours, claim.place.element);
    IntRange range = cells ? cells->whole[at] : IntRange{v, v};
    return between(std::to_string(range.lo), std::to_string(range.hi));
  }
  double v = element_as_double(ours, claim.place.element);
  Bounded set = cells ? cells->real[at] : Bounded::exact(v);
  if (set.must_nan || std::isnan(v)) {
    claim.expected = number_text(NAN, DType::F64, dialect);
    claim.got_is_legal = "got != got";
    return;
  }
  between(number_text(set.lo, DType::F64, dialect), number_text(set.hi, DType::F64, dialect));
  if (set.may_nan) claim.got_is_legal += " or got != got";
}

void ask_element(Claim& claim, const IValue& leaf, const Cells* cells, size_t at, bool ours,
                 const Dialect& dialect) {
  if (leaf.is_tensor()) {
    if (claim.place.element < 0 || claim.place.element >= leaf.as_tensor().numel())
      decline("no element that differs");
    claim.single = leaf.as_tensor().numel() == 1;
    ours ? within(claim, leaf.as_tensor(), cells, at, dialect)
         : claim_around(claim, leaf.as_tensor(), cells, at, dialect);
    return;
  }
  if (!leaf.is_number() && leaf.tag() != IValue::Tag::Str) decline("no such value in a script");
  bool nan = leaf.is_float() && std::isnan(leaf.as_double());
  claim.got_is_legal = nan ? "got != got" : "got == expected";
  claim.expected_is_asked = !ours && leaf.is_float();
  if (!ours) return;
  claim.expected = leaf.is_float() ? number_text(leaf.as_double(), DType::F64, dialect)
                   : leaf.tag() == IValue::Tag::Str ? python_string(leaf.as_str())
                                                    : python_text(leaf);
}

// "output 1 lies in the memory of input 0, in its eager mode in its own memory", or where it
// begins.
void ask_aliases(Claim& claim, const std::string& detail) {
  auto place = place_in(detail);
  if (!place) decline("no place that a script can ask");
  claim.place = *place;
  claim.offsets = detail.find(" begins at element ") != std::string::npos;
  claim.got_is_legal = "got == expected";
  for (size_t at = 0; (at = detail.find("the memory of ", at)) != std::string::npos; ++at)
    if (auto other = place_in(detail.substr(at + 14))) claim.other = *other;
  if (!claim.offsets && detail.find("the memory of ") == std::string::npos)
    decline("no place that a script can ask");
}

Kind kind_of(const Verdict& v) {
  if (v.kind == VerdictKind::Crash) return Kind::Dies;
  if (v.kind == VerdictKind::Hang) return Kind::Late;
  if (v.kind != VerdictKind::Mismatch) decline("no script says such a finding");
  if (v.reason.starts_with("error: class ")) return Kind::Classes;
  if (v.reason.starts_with("missing error")) return Kind::Missing;
  if (of_another_shape(v)) return Kind::Facts;
  if (v.reason.starts_with("error")) return Kind::Raises;
  if (v.reason == "strides") return Kind::Strides;
  if (v.reason == "aliases") return Kind::Aliases;
  if (v.reason == "dtype" || v.reason == "shape" || v.reason == "sizes") return Kind::Facts;
  if (v.reason == "value") return Kind::Element;
  if (v.reason == "type" || v.reason == "length") return Kind::Whole;
  decline("no script says such a finding: {}", v.reason);
}

std::string quote(const std::string& text) {
  return python_string(text.substr(0, std::min(text.find('\n'), size_t{70})));
}

void ask_leaf(Claim& claim, const IValue& leaf, const Cells* cells, size_t at, bool ours,
              const Dialect& dialect) {
  if (claim.kind == Kind::Element) return ask_element(claim, leaf, cells, at, ours, dialect);
  claim.got_is_legal = "got == expected";
  if (!ours) return;
  if (!leaf.is_tensor()) decline("no script says such a finding");
  Tensor t = leaf.as_tensor();
  claim.expected = fmt::format("({}, {})", quote(python_name(t.dtype())), sizes_text(t.sizes()));
}

}  // namespace

bool of_another_shape(const Verdict& verdict) {
  return verdict.reason.starts_with("error: RuntimeError: ONNX Runtime gives ");
}

Claim claim_of(const Case& c, const Verdict& verdict, const Dialect& dialect) {
  Claim claim;
  claim.kind = kind_of(verdict);
  const std::string& engine = c.plans.at(0).engine;
  const bool ours = engine == eager_of(engine);
  claim.call =
      verdict.call < 0 ? 0 : std::min(c.calls.size() - 1, static_cast<size_t>(verdict.call));
  const bool ends = claim.kind == Kind::Dies || claim.kind == Kind::Late;
  const Family& family = family_of(engine);
  Contract contract = ForeignWorker::of(family).contract(name_in_family(engine));
  Ours reference(c, claim.call, contract);
  if (ours) claim.outputs = reference.outputs;
  if (!ours && !ends) {
    Prepared eager(c, plan_of_engine(eager_of(engine)));
    Outcome wanted;
    for (size_t i = 0; i <= claim.call; ++i) wanted = eager.run(c.calls[i]);
    claim.outputs = wanted.outputs;
    if (claim.kind == Kind::Missing || claim.kind == Kind::Classes || claim.kind == Kind::Raises)
      return claim;
    if (claim.kind == Kind::Aliases) return ask_aliases(claim, verdict.detail), claim;
    auto place = place_in(verdict.detail);
    if (!place && claim.kind != Kind::Facts) decline("no place that a script can ask");
    claim.place = place.value_or(Place());
    const IValue* leaf = leaf_at(claim.place, wanted.outputs, wanted.inputs);
    if (!leaf) decline("no place that a script can ask");
    size_t at = 0;
    const Cells* cells = reference.cells(
        leaf_at(claim.place, reference.outputs, reference.copy.inputs), claim.place.element, &at);
    ask_leaf(claim, *leaf, cells, at, ours, dialect);
    return claim;
  }
  if (ends || claim.kind == Kind::Raises || claim.kind == Kind::Missing) {
    std::string what = claim.outputs.empty() ? "results" : describe(claim.outputs[0]);
    if (!ends || ours)
      claim.expected = quote(reference.error.empty() ? what : "an error: " + reference.error);
    return claim;
  }
  auto place = place_in(verdict.detail);
  const IValue* leaf = nullptr;
  if (place) leaf = leaf_at(claim.place = *place, reference.outputs, reference.copy.inputs);
  if (!leaf) decline("no place that a script can ask");
  size_t at = 0;
  const Cells* cells = reference.cells(leaf, claim.place.element, &at);
  ask_leaf(claim, *leaf, cells, at, ours, dialect);
  return claim;
}

}  // namespace fusillade::fuzz
