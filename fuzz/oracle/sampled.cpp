// See sampled.h.
#include "fuzz/oracle/sampled.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/ir/visit.h"
#include "engine/run/plan.h"
#include "fuzz/oracle/rounded.h"
#include "fuzz/run/noise.h"

namespace fusillade::fuzz {
namespace {

void add_tensors(const IValue& v, std::vector<Tensor>& out) {
  if (v.is_tensor()) out.push_back(v.as_tensor());
  if (v.is_sequence())
    for (const IValue& part : v.items()) add_tensors(part, out);
  if (v.tag() == IValue::Tag::Dict)
    for (const auto& [key, part] : v.as_dict().items()) add_tensors(part, out);
}

// The dtype of floats that a constant says for a parameter called so.
std::optional<DType> float_said(const SchemaArg& formal, const Value* given) {
  if (formal.name != "dtype" || !given->node()->is(prim::constant())) return {};
  const IValue& value = given->node()->constant();
  if (!value.is_int()) return {};
  for (int i = 0; i < kNumDTypes; ++i)
    if (const auto dtype = static_cast<DType>(i);
        is_float(dtype) && row_of(dtype).aten_code == value.as_int())
      return dtype;
  return {};
}

double unit_of(DType dtype) { return std::ldexp(1.0, -row_of(dtype).significand); }

// That takes and makes floats of double precision. `unit`: that of the least precise ones before.
std::unique_ptr<Graph> in_double(const Graph& program, double& unit) {
  std::unique_ptr<Graph> out = program.clone();
  for (Value* v : out->inputs())
    if (v->type().is_tensor()) v->set_type(TypeKind::Tensor);
  each_node(out->block(), [&](Node* n) {
    const std::vector<SchemaArg>& formal = n->op().schema.args;
    for (size_t i = 0; i < formal.size() && i < n->inputs().size(); ++i) {
      const auto at = static_cast<int>(i);
      const std::optional<DType> said = float_said(formal[i], n->input(at));
      if (!said) continue;
      unit = std::max(unit, unit_of(*said));
      n->set_input(at, out->constant(IValue(int64_t{row_of(DType::F64).aten_code}), n));
    }
  });
  return out;
}

void perturb(Call& call, Noise noise) {
  for (const Tensor& t : tensors_in(call.inputs))
    for (int64_t i = 0; t.dtype() == DType::F64 && i < t.numel(); ++i)
      set_element(t, i, noise.perturb(element_as_double(t, i)));
}

}  // namespace

std::vector<Tensor> tensors_in(const std::vector<IValue>& values) {
  std::vector<Tensor> out;
  for (const IValue& v : values) add_tensors(v, out);
  return out;
}

Samples::Samples(const Graph& program, const Call& call) {
  double unit = Noise::kUnit;
  for (const Tensor& t : tensors_in(call.inputs))
    if (is_float(t.dtype())) unit = std::max(unit, unit_of(t.dtype()));
  const std::unique_ptr<Graph> graph = in_double(program, unit);
  const std::optional<Call> doubles = fuzz::in_double(call, false);
  const auto ready = prepare({*graph}, reference_plan());
  for (uint64_t sample = 1; sample <= kSamples; ++sample) {
    Call given = copy_call(doubles ? *doubles : call);
    perturb(given, Noise(sample + kSamples, unit));
    Jitter jitter(sample, unit);
    const ModeScope rounding(ModeKind::Device, jitter);
    tensors_.push_back(tensors_in(ready->run(given.inputs)));
  }
}

bool Samples::admits(size_t number, const Tensor& observed, const std::string& what,
                     Verdict& step) const {
  const auto same_form = [&](const std::vector<Tensor>& sample) {
    return sample.at(number).dtype() == DType::F64 && sample.at(number).sizes() == observed.sizes();
  };
  if (!is_float(observed.dtype()) || !std::ranges::all_of(tensors_, same_form)) {
    step.elements.untrusted += static_cast<uint64_t>(observed.numel());
    return true;
  }
  for (int64_t i = 0; i < observed.numel(); ++i) {
    const double got = element_as_double(observed, i);
    std::array<double, kSamples> off;
    for (size_t k = 0; k < off.size(); ++k)
      off[k] = element_as_double(tensors_[k][number], i) - got;
    if (!std::ranges::all_of(off, [](double v) { return std::isfinite(v); })) {
      ++step.elements.untrusted;
      continue;
    }
    ++step.elements.compared;
    if (!is_significant(off, Against::OneDraw)) continue;
    step.kind = VerdictKind::Mismatch;
    step.reason = "value";
    step.detail = fmt::format("{}: element {} is {}, where samples of roundings give {} and such",
                              what, i, got, off[0] + got);
    return false;
  }
  return true;
}

}  // namespace fusillade::fuzz
