// Claim: AutoDiff's gradients are the tape's.
//
// Every input of floats becomes a leaf, outputs that depend on one get a drawn direction, and the
// gradients by the leaves are compared: those of the program as it stands, row by row, with those
// of each plan with autodiff added. All in the ring (ring_oracle), where sums in another order are
// the same sums, so that no tolerance is needed and one finding is enough. A plan that fuses fuses
// the graphs of the groups. First order only; what the tape itself refuses is skipped.
#include <optional>

#include "engine/front/autograd.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/residues.h"
#include "fuzz/process/beat.h"
#include "fuzz/run/guarded.h"

namespace fusillade::fuzz {
namespace {

// The plan with groups of any size, or nothing for engines that take none.
std::optional<Plan> derived(const std::string& text) {
  Plan plan = parse_plan(text);
  const Engine& engine = engine_of(plan);
  if (!engine.runs_passes || !engine.ring || plan.device != Device()) return std::nullopt;
  std::string words = "1";
  for (const PassCall& call : plan.pipeline)
    if (call.pass->name == "fuse") words += "," + call.args.at(0) + "," + call.args.at(1);
  for (PassCall& call : parse_pipeline("autodiff(" + words + ")"))
    plan.pipeline.push_back(std::move(call));
  return plan;
}

void collect(const IValue& v, std::vector<Tensor>& out) {
  if (v.is_tensor() && is_float(v.as_tensor().dtype()) && v.as_tensor().requires_grad())
    out.push_back(v.as_tensor());
  if (!v.is_sequence()) return;
  for (const IValue& item : v.items()) collect(item, out);
}

// The program may write its inputs, which leaves are not; a copy has other strides where these are
// not plain.
IValue beside(const Tensor& leaf) {
  static const Row& clone = row("aten::clone");
  const IValue args[] = {eager::requires_grad(leaf)};
  return leaf.is_contiguous() ? call(clone, args).at(0) : args[0];
}

// Declared inputs may say that they require no gradient.
void forget_gradients(Value* input) {
  if (!input->type().is_tensor()) return;
  Type type = input->type();
  type.info().requires_grad = std::nullopt;
  input->set_type(type);
}

Outcome gradients(const Case& c, const Plan& plan, const Call& given) {
  beat();
  return guarded([&](Outcome& o) {
    PipelineOptions options;
    options.recorded = true;
    const auto ready = prepare({*c.program, c.script, c.self}, plan, options);
    eager::Gradients on;
    Call copy = copy_call(given);
    std::vector<Tensor> leaves, outputs, seeds;
    for (IValue& v : copy.inputs) {
      if (!v.is_tensor() || !is_float(v.as_tensor().dtype())) continue;
      leaves.push_back(v.as_tensor());
      v = beside(leaves.back());
    }
    if (leaves.empty()) decline("no input of floats");
    for (const IValue& v : ready->run(copy.inputs)) collect(v, outputs);
    if (outputs.empty()) decline("no output that depends on floats");
    uint64_t number = 1000;
    for (const Tensor& t : outputs) {
      seeds.push_back(Tensor::zeros(t.sizes(), t.dtype()));
      fill_with_residues(seeds.back(), "", &number);
    }
    const std::vector<Tensor> grads =
        eager::gradients(outputs, leaves, {.seeds = seeds, .allow_unused = true});
    for (size_t i = 0; i < grads.size(); ++i)
      o.outputs.emplace_back(grads[i].defined()
                                 ? contiguous(grads[i], true)
                                 : Tensor::zeros(leaves[i].sizes(), leaves[i].dtype()));
  });
}

Verdict judge(const Case& given) {
  DomainScope ring(Domain::Ring);
  const Case c = with_residues(given);
  for (Value* input : c.program->inputs()) forget_gradients(input);
  const Plan by_rows = parse_plan(reference_plan());
  Judging judging;
  for (size_t i = 0; i < c.calls.size(); ++i) {
    const Outcome expected = gradients(c, by_rows, c.calls[i]);
    judging.executed();
    for (const std::string& text : c.plans) {
      const std::optional<Plan> plan = derived(text);
      if (!plan) continue;
      Verdict step;
      const Outcome observed =
          expected.kind == Outcome::Kind::Values ? gradients(c, *plan, c.calls[i]) : expected;
      judging.executed();
      if (!settle(expected, observed, step)) bitwise_equal(expected, observed, step);
      if (judging.add(std::move(step), text, static_cast<int>(i))) return judging.verdict();
    }
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {"gradient", "AutoDiff's gradients are the tape's, on integers standing in for floats",
     &judge});

}  // namespace
}  // namespace fusillade::fuzz
