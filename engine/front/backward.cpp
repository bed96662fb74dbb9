// The walk back: from outputs along the steps of the tape, later ones first, to leaves or to the
// inputs that were asked for.
//
// A step waits until all steps that lead to it have run, so each runs once, with the sum of what
// reached it. Only steps that lead to something wanted run. Gradients reach leaves at the end, one
// sum for each: what a leaf holds is not written where a walk fails.
#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "engine/front/record.h"
#include "engine/ops/device_mode.h"

namespace fusillade::eager {
namespace {

using front::Edge;
using front::edge_of;
using front::state_of;
using front::Step;
using front::TensorState;

Tensor add_gradients(const Tensor& a, const Tensor& b) {
  static const Operator& add = operator_named("prim::gradient_sum");
  const IValue args[] = {a, b};
  return call(add, args).at(0).as_tensor();
}

void add_to(Tensor& sum, const Tensor& t) {
  if (t.is_defined()) sum = sum.is_defined() ? add_gradients(sum, t) : t;
}

// Its memory is nobody else's, so a leaf may keep it and add to it.
bool is_unshared(const Tensor& t) {
  return t.impl()->use_count() == 1 && t.storage_uses() == 1 && t.is_contiguous();
}

class Walk {
 public:
  explicit Walk(const BackwardCall& call) : call_(call) {}

  std::vector<Tensor> run() {
    check();
    start();
    plan();
    while (!ready_.empty()) {
      Step* step = ready_.top();
      ready_.pop();
      walk(step);
    }
    return finish();
  }

 private:
  struct Later {
    bool operator()(const Step* a, const Step* b) const { return a->number < b->number; }
  };
  struct Arrived {
    std::vector<Tensor> grads;
    int waits = 0;        // steps that lead here and have not run
    bool wanted = false;  // something asked for lies behind it
  };

  void check() const {
    if (!call_.seeds.empty() && call_.seeds.size() != call_.outputs.size())
      fail("backward: {} gradients for {} outputs", call_.seeds.size(), call_.outputs.size());
    for (const Tensor& t : call_.outputs)
      if (!t.requires_grad())
        fail(
            "backward: an output ({}) requires no gradient and nothing that does was recorded on "
            "the way to it",
            describe(t));
    for (const Tensor& t : call_.inputs)
      if (!t.requires_grad()) fail("grad: an input ({}) requires no gradient", describe(t));
  }

  Tensor seed_of(size_t i) const {
    const Tensor& t = call_.outputs[i];
    const Tensor seed = call_.seeds.empty() ? Tensor() : call_.seeds[i];
    if (seed.is_defined()) {
      if (!(seed.sizes() == t.sizes()) || seed.dtype() != t.dtype())
        fail("backward: a gradient of {} for an output of {}", describe(seed), describe(t));
      return seed;
    }
    if (t.numel() != 1)
      fail("backward: an output of {} is not of one element, so its gradient must be given",
           describe(t));
    Tensor one = Tensor::empty(t.sizes(), t.dtype(), t.device());
    set_element(one, 0, 1);
    return one;
  }

  void start() {
    for (const Tensor& t : call_.inputs) inputs_.push_back(edge_of(t));
    for (size_t i = 0; i < call_.outputs.size(); ++i) {
      roots_.push_back(edge_of(call_.outputs[i]));
      arrive(roots_.back(), seed_of(i));
    }
  }

  // All steps behind the roots, each with how many lead to it, and whether it is wanted.
  void plan() {
    std::vector<Step*> found;
    for (const Edge& root : roots_)
      if (root.step && seen_.insert(root.step.get()).second) found.push_back(root.step.get());
    for (size_t i = 0; i < found.size(); ++i) {
      for (const Edge& e : found[i]->next) {
        if (!e.step) continue;
        ++arrived_[e.step.get()].waits;
        if (seen_.insert(e.step.get()).second) found.push_back(e.step.get());
      }
    }
    std::ranges::sort(found, {}, &Step::number);  // what lies behind a step has a lesser number
    for (Step* step : found) {
      Arrived& at = arrived_[step];
      at.wanted = call_.inputs.empty() || leads_to_wanted(step);
      if (at.waits == 0) ready_.push(step);
    }
  }

  bool leads_to_wanted(const Step* step) {
    return std::ranges::any_of(step->next, [&](const Edge& e) {
      if (!e) return false;
      if (e.step && arrived_[e.step.get()].wanted) return true;
      return std::ranges::any_of(inputs_, [&](const Edge& in) { return same(in, e); });
    });
  }

  static bool same(const Edge& a, const Edge& b) {
    return a.step == b.step && a.leaf == b.leaf && a.output == b.output;
  }

  void arrive(const Edge& edge, const Tensor& grad) {
    if (edge.leaf) {
      auto [at, fresh] = leaf_number_.emplace(edge.leaf.get(), leaves_.size());
      if (fresh) leaves_.emplace_back(edge.leaf, Tensor());
      return add_to(leaves_[at->second].second, grad);
    }
    std::vector<Tensor>& grads = arrived_[edge.step.get()].grads;
    grads.resize(static_cast<size_t>(edge.step->outputs));
    add_to(grads[static_cast<size_t>(edge.output)], grad);
  }

  void walk(Step* step) {
    Arrived at = std::move(arrived_[step]);
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i].step.get() == step && !at.grads.empty())
        captured_[i] = at.grads[static_cast<size_t>(inputs_[i].output)];
    if (!at.grads.empty()) keep_retained(step, at.grads);
    const bool any = std::ranges::any_of(at.grads, &Tensor::is_defined);
    std::vector<Tensor> grads(step->next.size());
    if (any && at.wanted) grads = back(step, at.grads);
    for (size_t i = 0; i < step->next.size(); ++i) {
      const Edge& edge = step->next[i];
      if (!edge) continue;
      if (grads[i].is_defined()) arrive(edge, grads[i]);
      if (edge.step && --arrived_[edge.step.get()].waits == 0) ready_.push(edge.step.get());
    }
  }

  std::vector<Tensor> back(Step* step, const std::vector<Tensor>& grads) const {
    if (step->walked) fail_walked(*step);
    std::vector<Tensor> out = step->back(grads);
    if (!call_.keep) step->walked = step->forget();
    return out;
  }

  void keep_retained(const Step* step, const std::vector<Tensor>& grads) const {
    for (const auto& [output, state] : step->retaining) {
      const Tensor& grad = grads[static_cast<size_t>(output)];
      if (grad.is_defined()) accumulate(*state, grad);
    }
  }

  void accumulate(TensorState& leaf, const Tensor& grad) const {
    if (!leaf.grad.is_defined()) {
      leaf.grad = call_.create_graph || is_unshared(grad) ? grad : contiguous(grad, true);
    } else if (call_.create_graph) {
      leaf.grad = add_gradients(leaf.grad, grad);
    } else {
      static const Operator& add = operator_named("aten::add_.Tensor");
      const IValue args[] = {leaf.grad, grad};
      call(add, args);
      leaf.grad.storage()->bump_version();
    }
  }

  std::vector<Tensor> finish() {
    std::vector<Tensor> out;
    const bool into_leaves = call_.inputs.empty() || call_.accumulate;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      out.push_back(captured_grad(i));
      if (!out.back().is_defined() && !call_.allow_unused)
        fail(
            "grad: input {} was not used on the way to the outputs; say allow_unused=True to get "
            "None for it",
            i);
    }
    if (!into_leaves) return out;
    for (auto& [leaf, grad] : leaves_) {
      const bool asked = call_.inputs.empty() || std::ranges::any_of(inputs_, [&](const Edge& in) {
                           return in.leaf == leaf;
                         });
      Tensor last = std::move(grad);
      if (asked) accumulate(*leaf, last);
    }
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i].step && out[i].is_defined()) accumulate(*state_of(call_.inputs[i]), out[i]);
    return out;
  }

  Tensor captured_grad(size_t i) const {
    if (inputs_[i].leaf) {
      auto at = leaf_number_.find(inputs_[i].leaf.get());
      return at == leaf_number_.end() ? Tensor() : leaves_[at->second].second;
    }
    auto at = captured_.find(i);
    return at == captured_.end() ? Tensor() : at->second;
  }

  const BackwardCall& call_;
  std::vector<Edge> roots_;
  std::vector<Edge> inputs_;
  std::unordered_set<const Step*> seen_;
  std::unordered_map<const Step*, Arrived> arrived_;
  std::priority_queue<Step*, std::vector<Step*>, Later> ready_;
  std::unordered_map<const TensorState*, size_t> leaf_number_;
  std::vector<std::pair<Ref<TensorState>, Tensor>> leaves_;  // in the order of arrival
  std::map<size_t, Tensor> captured_;                        // by input
};

}  // namespace

std::vector<Tensor> Recorder::backward(const BackwardCall& call) {
  struct Enabled {
    Recorder& tape;
    bool before;
    Enabled(Recorder& tape, bool on) : tape(tape), before(tape.enabled_) { tape.enabled_ = on; }
    ~Enabled() { tape.enabled_ = before; }
  } enabled(*this, call.create_graph);
  LiftModes lifted(ModeKind::Autograd);
  const DeviceScope devices(false);
  std::optional<ModeScope> recorded;
  if (call.create_graph) recorded.emplace(ModeKind::Autograd, *this);
  return Walk(call).run();
}

}  // namespace fusillade::eager
