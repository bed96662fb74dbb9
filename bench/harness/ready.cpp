// See ready.h.
#include "bench/harness/ready.h"

#include <algorithm>
#include <optional>

#include "engine/front/autograd.h"
#include "engine/run/examples.h"
#include "engine/tensor/random.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::bench {
namespace {

constexpr uint64_t kWeightSeed = 20190501;

void collect_recorded(const IValue& v, std::vector<Tensor>& out) {
  if (v.is_tensor() && is_float(v.as_tensor().dtype()) && v.as_tensor().requires_grad())
    out.push_back(v.as_tensor());
  if (!v.is_sequence()) return;
  for (const IValue& item : v.items()) collect_recorded(item, out);
}

PassCall gradients_pass(const Plan& plan) {
  std::string words = "whole,mincut,2";
  for (const PassCall& call : plan.pipeline)
    if (call.pass->name == "fuse") words += "," + call.args.at(0) + "," + call.args.at(1);
  return parse_pipeline("autodiff(" + words + ")").at(0);
}

}  // namespace

Plan plan_of(const Program& program, const Plan& asked) {
  if (!program.backward) return asked;
  if (fuzz::is_outside(asked.engine))
    fail("{}: gradients are measured under our own engines, not under '{}'", program.name,
         asked.text);
  Plan plan = asked;
  const auto knows_gradients = [](const PassCall& p) { return p.pass->name == "autodiff"; };
  if (plan.pipeline.empty() || std::ranges::any_of(plan.pipeline, knows_gradients)) return plan;
  plan.pipeline.push_back(gradients_pass(plan));
  return respell(std::move(plan));
}

Ready::Ready(const Program& program, const Plan& plan, uint64_t seed, bool typed)
    : program_(program), plan_(plan_of(program, plan)), inputs_(make_inputs(program, seed)) {
  options_.recorded = program.backward;
  if (program.backward) mark_leaves();
  if (typed) options_.inputs = example_types(*program.graph, inputs_.inputs);
}

void Ready::mark_leaves() {
  const eager::Gradients recorded;
  const size_t drawn = inputs_.inputs.size() - program_.bound_inputs.size();
  for (size_t i = 0; i < inputs_.inputs.size(); ++i) {
    const IValue& v = inputs_.inputs[i];
    const bool asked = i < drawn || program_.bound_inputs[i - drawn].parameter;
    if (asked && v.is_tensor() && is_float(v.as_tensor().dtype()))
      leaves_.push_back(eager::requires_grad(v.as_tensor()));
  }
  if (leaves_.empty()) fail("{}: no input of floats to ask gradients by", program_.name);
}

void Ready::compile() {
  executable_ = prepare({*program_.graph, {}, program_.self()}, plan_, options_);
}

void Ready::call() {
  std::optional<eager::Gradients> recorded;
  if (!leaves_.empty()) recorded.emplace();
  const std::vector<IValue> outputs = executable_->run(inputs_.inputs);
  if (!leaves_.empty()) walk_back(outputs);
}

void Ready::walk_back(const std::vector<IValue>& outputs) {
  std::vector<Tensor> results;
  for (const IValue& v : outputs) collect_recorded(v, results);
  if (results.empty()) fail("no output depends on an input of floats: there are no gradients");
  for (size_t i = weights_.size(); i < results.size(); ++i) {
    weights_.push_back(Tensor::empty(results[i].sizes(), results[i].dtype()));
    fill_normal(weights_.back(), kWeightSeed, i << 32);
  }
  eager::gradients(results, leaves_, {.seeds = weights_, .allow_unused = true});
}

}  // namespace fusillade::bench
