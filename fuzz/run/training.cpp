// See training.h.
#include "fuzz/run/training.h"

#include "engine/aten/named.h"
#include "engine/front/autograd.h"
#include "engine/ops/call.h"

namespace fusillade::fuzz {

namespace {

std::optional<Plan> append_autodiff(Plan plan, std::string words) {
  const Engine& engine = engine_of(plan);
  if (!engine.runs_passes || !engine.ring || plan.device != Device()) return std::nullopt;
  for (const PassCall& call : plan.pipeline)
    if (call.pass->name == "autodiff") return plan;
  for (const PassCall& call : plan.pipeline)
    if (call.pass->name == "fuse") words += "," + call.args.at(0) + "," + call.args.at(1);
  for (PassCall& call : parse_pipeline("autodiff(" + words + ")"))
    plan.pipeline.push_back(std::move(call));
  return respell(std::move(plan));
}

}  // namespace

std::optional<Plan> with_autodiff(Plan plan, bool whole) {
  return append_autodiff(std::move(plan), whole ? "1,whole" : "1");
}

std::vector<Plan> plans_with_autodiff(const Plan& plan) {
  std::vector<Plan> out;
  for (const char* words : {plan.pipeline.size() % 2 ? "1,save" : "1", "1,whole"}) {
    const std::optional<Plan> with = append_autodiff(plan, words);
    if (with && (out.empty() || *with != out.front())) out.push_back(*with);
  }
  return out;
}

bool may_be_leaf(const IValue& v) { return v.is_tensor() && is_float(v.as_tensor().dtype()); }

// A copy has other strides where these are not plain.
IValue input_of_leaf(const Tensor& leaf) {
  static const Operator& clone = aten::clone();
  const IValue args[] = {eager::requires_grad(leaf)};
  return leaf.is_contiguous() ? call(clone, args).at(0) : args[0];
}

void forget_gradients(const Graph& program) {
  for (Value* input : program.inputs()) {
    if (!input->type().is_tensor()) continue;
    Type type = input->type();
    type.info().requires_grad = std::nullopt;
    input->set_type(type);
  }
}

void collect_recorded(const IValue& v, std::vector<Tensor>& out) {
  if (may_be_leaf(v) && v.as_tensor().requires_grad()) out.push_back(v.as_tensor());
  if (!v.is_sequence()) return;
  for (const IValue& item : v.items()) collect_recorded(item, out);
}

}  // namespace fusillade::fuzz
