// See sampled.h.
#include "fuzz/oracle/sampled.h"

#include <algorithm>
#include <array>
#include <cmath>

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

// Of the least precise floats that go in.
double unit_of(const Call& call) {
  double out = Noise::kUnit;
  for (const Tensor& t : tensors_in(call.inputs))
    if (is_float(t.dtype())) out = std::max(out, std::ldexp(1.0, -row_of(t.dtype()).significand));
  return out;
}

// That takes tensors of any dtype.
std::unique_ptr<Graph> of_any_dtype(const Graph& program) {
  std::unique_ptr<Graph> out = program.clone();
  for (Value* v : out->inputs())
    if (v->type().is_tensor()) v->set_type(TypeKind::Tensor);
  return out;
}

}  // namespace

std::vector<Tensor> tensors_in(const std::vector<IValue>& values) {
  std::vector<Tensor> out;
  for (const IValue& v : values) add_tensors(v, out);
  return out;
}

Samples::Samples(const Graph& program, const Call& call) {
  const std::unique_ptr<Graph> graph = of_any_dtype(program);
  const double unit = unit_of(call);
  const std::optional<Call> doubles = in_double(call, false);
  const auto ready = prepare({*graph}, reference_plan());
  for (uint64_t sample = 1; sample <= kSamples; ++sample) {
    Call given = copy_call(doubles ? *doubles : call);
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
