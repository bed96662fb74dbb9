// See group_step.h. `next` has an edge for each input that the joint graph reaches.
#include "engine/run/group_step.h"

#include <algorithm>

#include "engine/front/autograd.h"
#include "engine/front/record.h"
#include "engine/ir/interpret.h"

namespace fusillade {
namespace {

using front::Reads;
using front::Saved;

// Hands a gradient on: one argument's position in the tape, separate from that of any other.
struct ThroughStep : front::Step {
  explicit ThroughStep(const front::Edge& edge) { next.push_back(edge); }
  std::string name() const override { return "an argument of a group"; }
  std::vector<Tensor> back(const std::vector<Tensor>& grads) override { return grads; }
};

IValue plain(const IValue& v) {
  return v.is_tensor() ? IValue(front::without_history(v.as_tensor())) : v;
}

}  // namespace

GroupStep::GroupStep(std::shared_ptr<const Graph> operators, std::shared_ptr<const Derived> derived,
                     std::span<const IValue> args)
    : operators_(std::move(operators)), derived_(std::move(derived)) {
  for (int i : derived_->joint.reached)
    next.push_back(front::edge_of(args[static_cast<size_t>(i)].as_tensor()));
  take_number();  // after views that were brought up to date
  for (const IValue& v : args) args_.emplace_back(v, Reads::Elements);
}

void GroupStep::note_results(std::span<const IValue> results, std::span<const IValue> captures) {
  outputs = static_cast<int>(results.size());
  for (const IValue& v : captures) captures_.emplace_back(v, Reads::Elements);
  for (int k : derived_->joint.seeded) {
    front::TensorState& state = front::state_for(results[static_cast<size_t>(k)].as_tensor());
    state.step = Ref<front::Step>(this);
    state.output = k;
  }
}

bool GroupStep::forget() {
  const bool has_elements = std::ranges::any_of(args_, &Saved::holds_elements) ||
                            std::ranges::any_of(captures_, &Saved::holds_elements);
  if (!has_elements) return false;
  args_.clear();
  captures_.clear();
  return true;
}

std::vector<Tensor> GroupStep::back(const std::vector<Tensor>& grads) {
  const bool recorded = eager::records();
  const bool all = std::ranges::all_of(
      derived_->joint.seeded, [&](int k) { return grads[static_cast<size_t>(k)].is_defined(); });
  return all && !recorded ? by_graph(grads) : by_operators(grads, recorded);
}

std::vector<Tensor> GroupStep::by_graph(const std::vector<Tensor>& grads) const {
  std::vector<IValue> args;
  for (const Saved& v : captures_) args.push_back(v.value(*this, "a value within it"));
  for (int i : derived_->partition.inputs)
    args.push_back(plain(args_[static_cast<size_t>(i)].value(*this, "an argument")));
  const bool plain_strides = derived_->joint.seeds == Seeds::Contiguous;
  for (int k : derived_->joint.seeded) {
    const Tensor grad = front::without_history(grads[static_cast<size_t>(k)]);
    args.emplace_back(plain_strides ? contiguous(grad) : grad);
  }
  std::vector<Tensor> out;
  for (const IValue& v : run_bytecode(*derived_->backward, args)) out.push_back(v.as_tensor());
  return out;
}

std::vector<Tensor> GroupStep::by_operators(const std::vector<Tensor>& grads, bool recorded) const {
  LiftModes lifted(ModeKind::Autograd);
  eager::Recorder tape;
  std::vector<IValue> args;
  for (const Saved& v : args_) args.push_back(plain(v.value(*this, "an argument")));
  BackwardCall walk{.keep = recorded, .create_graph = recorded, .allow_unused = true};
  for (size_t k = 0; k < next.size(); ++k) {
    const Tensor t = args[static_cast<size_t>(derived_->joint.reached[k])].as_tensor();
    if (recorded) front::state_for(t).step = Ref<front::Step>(new ThroughStep(next[k]));
    else tape.require_grad(t, true);
    walk.inputs.push_back(t);
  }
  std::vector<IValue> results = interpret(*operators_, args);
  for (int k : derived_->joint.seeded) {
    const Tensor t = results[static_cast<size_t>(k)].as_tensor();
    if (!grads[static_cast<size_t>(k)].is_defined() || !t.requires_grad()) continue;
    walk.outputs.push_back(t);
    walk.seeds.push_back(grads[static_cast<size_t>(k)]);
  }
  return tape.backward(walk);
}

}  // namespace fusillade
