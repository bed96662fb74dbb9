// See fold_in_ring.h.
#include "fuzz/oracle/fold_in_ring.h"

#include "engine/ir/visit.h"
#include "engine/passes/constants.h"
#include "engine/passes/fold_conv.h"
#include "fuzz/oracle/residues.h"

namespace fusillade::fuzz {
namespace {

bool is_convolution(const Node* n) { return folded_dims_of(n) > 0; }

// Something reads it as its first operand: what is convolved, among others.
bool is_changed(const Value* input) {
  return std::ranges::any_of(input->uses(), [](const Use& use) { return use.index == 0; });
}

bool share_memory(const Call& call) {
  std::vector<Tensor> seen;
  for (const IValue& v : call.inputs) {
    if (!v.is_tensor()) continue;
    for (const Tensor& t : seen)
      if (t.shares_storage(v.as_tensor())) return true;
    seen.push_back(v.as_tensor());
  }
  return false;
}

// Puts all steps that the pass takes behind each convolution of constant weights.
class Scaler {
 public:
  Scaler(Graph& graph, size_t first) : graph_(graph), count_(first) {}

  bool run() {
    std::vector<Node*> found;
    each_node(graph_.block(), [&](Node* n) {
      const IValue* weight = is_convolution(n) ? constant_of(n->input(1)) : nullptr;
      if (weight && weight->is_tensor() && is_float(weight->as_tensor().dtype()) &&
          weight->as_tensor().rank() > 0)
        found.push_back(n);
    });
    for (Node* n : found) scale(n);
    return !found.empty();
  }

 private:
  void scale(Node* conv) {
    const std::vector<Use> uses = conv->output()->uses();
    Node* before = conv->next();
    const Tensor weight = constant_of(conv->input(1))->as_tensor();
    Value* y = conv->output();
    for (size_t i = 0; i < kFoldedSteps; ++i)
      y = insert_folded_step(
          count_++ % kFoldedSteps, y, folded_dims_of(conv),
          [&](int d) { return insert_channels(weight, d, before); }, before);
    for (const Use& use : uses) use.user->set_input(use.index, y);
  }

  // A number for each channel of the result, `dims` dims before the last.
  Value* insert_channels(const Tensor& weight, int dims, Node* before) {
    Dims sizes = {weight.sizes()[0]};
    for (int d = 0; d < dims; ++d) sizes.push_back(1);
    const IValue numbers(Tensor::zeros(sizes, weight.dtype()));
    fill_with_residues(numbers, "", &number_);
    return graph_.constant(numbers, before);
  }

  Graph& graph_;
  size_t count_;            // of steps
  uint64_t number_ = 1000;  // apart from those of inputs
};

// The graph with what could be weights of this call as constants, scaled and shifted by the steps
// from number `first` on; null: there is none.
std::unique_ptr<Graph> scale_convolutions(const Graph& program, const Call& call, size_t first) {
  const Call held = copy_call(call);  // a program may write them
  std::unique_ptr<Graph> out = program.clone();
  for (size_t i = 0; i < held.inputs.size(); ++i) {
    Value* input = out->inputs()[static_cast<int>(i)];
    if (!held.inputs[i].is_tensor() || is_changed(input)) continue;
    input->replace_all_uses_with(out->constant(held.inputs[i], out->block()->first()));
  }
  return Scaler(*out, first).run() ? std::move(out) : nullptr;
}

}  // namespace

std::vector<Plan> folding_plans() {
  const std::string all = "vm/inline,types,fold_conv(all)";
  return parse_plans({all, all, "vm/inline,types,fold_conv(batch_norm)"});
}

bool judge_folding(const Case& given, Judging& judging) {
  if (!any_node(given.program->block(), &is_convolution)) return false;
  static const std::vector<Plan> plans = folding_plans();
  DomainScope ring(Domain::Ring);
  const Case c = with_residues(given);
  for (size_t i = 0; i < c.calls.size(); ++i) {
    const Call& call = c.calls[i];
    if (share_memory(call)) continue;
    const size_t first = c.program->node_count() + i;
    const std::unique_ptr<Graph> plain = scale_convolutions(*c.program, call, first),
                                 other = scale_convolutions(*c.program, call, first);
    if (!plain) return false;
    const Plan& plan = plans[first % plans.size()];
    const Outcome wanted = Prepared::of_graph(*plain, reference_plan()).run(call);
    const Outcome found = Prepared::of_graph(*other, plan).run(call);
    judging.count_runs(2);
    Verdict step;
    if (!classify(wanted, found, step)) bitwise_equal(wanted, found, step);
    if (is_finding(step.kind)) step.part = "fold_conv";
    if (judging.add(std::move(step), reference_plan(), static_cast<int>(i))) return true;
  }
  return false;
}

}  // namespace fusillade::fuzz
