// Claim: AutoDiff's gradients are the tape's.
//
// Every input of floats becomes a leaf, outputs that depend on one get a drawn direction, and the
// gradients by the leaves are compared: those of the unchanged program, operator by operator, with
// those of each plan with autodiff added. Then only some inputs are leaves, others in each call,
// and then the gradients of the gradients; all calls of a case under one executor, so that what was
// derived for one is not taken for another. Each plan meets groups of any size, and the whole
// function as one. Plans that have groups in common share what is derived of them
// (engine/run/derivations.h), which is most of what a judgement costs. All in the ring
// (ring_oracle), where sums in another order are the same sums, so that no tolerance is needed and
// one finding is enough. A plan that fuses fuses the graphs of the groups. What the tape itself
// refuses is skipped.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "engine/front/autograd.h"
#include "engine/ops/call.h"
#include "engine/ops/leaves.h"
#include "engine/run/derivations.h"
#include "engine/tensor/random.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/residues.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/stage.h"
#include "fuzz/run/guarded.h"
#include "fuzz/run/training.h"

namespace fusillade::fuzz {
namespace {

// How the calls of a case run, one after the other under one executor for each plan.
struct Round {
  int order = 1;            // 2: of the gradients again, of which every step was recorded
  bool some = false;        // only some of the leaves require gradients, others in each call
  size_t calls = SIZE_MAX;  // the first so many alone: what is derived for them serves the others
};
constexpr Round kRounds[] = {{}, {.some = true}, {.order = 2, .calls = 2}};

size_t calls_of(const Round& round, const Case& c) { return std::min(round.calls, c.calls.size()); }

bool requires_grad(const Round& round, size_t call, size_t input) {
  return !round.some || random_bits(call + 1, input)[0] % 3 != 0;
}

// Seeds for what depends on a leaf.
std::vector<Tensor> directions(const std::vector<Tensor>& outputs, uint64_t number) {
  std::vector<Tensor> seeds;
  for (const Tensor& t : outputs) {
    seeds.push_back(Tensor::zeros(t.sizes(), t.dtype()));
    fill_with_residues(seeds.back(), "", &number);
  }
  return seeds;
}

// Of what the first walk gave, which is recorded.
std::vector<Tensor> of_gradients(const std::vector<Tensor>& first,
                                 const std::vector<Tensor>& leaves) {
  std::vector<Tensor> outputs;
  for (const Tensor& t : first)
    if (t.is_defined()) collect_recorded(t, outputs);
  if (outputs.empty()) decline("gradients that depend on no leaf");
  return eager::gradients(outputs, leaves,
                          {.seeds = directions(outputs, 5000), .allow_unused = true});
}

// Declines where floats of two sizes meet. A group that is walked operator by operator runs its
// operators again, so what two walks give a cast is cast and summed, or summed and cast, which in
// the ring differ.
class OneFloat : public Mode {
 public:
  void call(const Operator& op, const Site& site, std::span<const IValue> args,
            std::vector<IValue>& results) override {
    fusillade::call(op, site, args, results);
    const auto look = [&](const IValue& leaf) { see(leaf); };
    for (const IValue& v : args) for_each_leaf_once(v, look);
    for (const IValue& v : results) for_each_leaf_once(v, look);
  }

 private:
  void see(const IValue& v) {
    if (v.is_tensor() && v.as_tensor().is_defined() && is_float(v.as_tensor().dtype())) {
      const DType dtype = v.as_tensor().dtype();
      if (only_.value_or(dtype) != dtype) decline("floats of two sizes, order 2");
      only_ = dtype;
    }
    if (v.is_float() && std::isnan(v.as_double())) decline("NaN in a formula, order 2");
  }
  std::optional<DType> only_;
};

// A plan prepared once for all calls.
class Walked {
 public:
  Walked(const Case& c, const Plan& plan) : case_(c), stage_(stage_under(plan)) {
    heartbeat();
    const StageScope stage(Stage::Compile);
    failure_ = run_guarded([&](Outcome&) {
      PipelineOptions options;
      options.recorded = true;
      ready_ = prepare({*c.program, c.script, c.self}, plan, options);
    });
  }

  Outcome run(const Round& round, size_t number) const {
    if (!ready_) return failure_;
    heartbeat();
    const StageScope stage(stage_);
    return run_guarded([&](Outcome& o) { walk(round, number, o); });
  }

 private:
  void walk(const Round& round, size_t number, Outcome& o) const {
    eager::Gradients on;
    OneFloat one_float;
    std::optional<ModeScope> watched;
    if (round.order == 2) watched.emplace(ModeKind::Device, one_float);
    Call copy = copy_call(case_.calls[number]);
    std::vector<Tensor> leaves, outputs;
    for (size_t i = 0; i < copy.inputs.size(); ++i) {
      IValue& v = copy.inputs[i];
      if (!may_be_leaf(v) || !requires_grad(round, number, i)) continue;
      leaves.push_back(v.as_tensor());
      v = input_of_leaf(leaves.back());
    }
    if (leaves.empty()) decline("no input of floats");
    for (const IValue& v : ready_->run(copy.inputs)) collect_recorded(v, outputs);
    if (outputs.empty()) decline("no output that depends on floats");
    std::vector<Tensor> grads = eager::gradients(outputs, leaves,
                                                 {.seeds = directions(outputs, 1000),
                                                  .create_graph = round.order == 2,
                                                  .allow_unused = true});
    if (round.order == 2) grads = of_gradients(grads, leaves);
    for (size_t i = 0; i < grads.size(); ++i) {
      const Tensor& leaf = leaves[i];
      o.outputs.emplace_back(grads[i].is_defined() ? contiguous(grads[i], true)
                                                   : Tensor::zeros(leaf.sizes(), leaf.dtype()));
    }
  }

  const Case& case_;
  Stage stage_;
  std::unique_ptr<Executable> ready_;
  Outcome failure_;
};

// One plan against what the tape gives, by round and call; true: it differs.
bool judge(const Case& c, const Plan& plan, const Plan& given,
           const std::vector<std::vector<Outcome>>& expected, Judging& judging) {
  const Walked candidate(c, plan);
  for (size_t r = 0; r < std::size(kRounds); ++r) {
    for (size_t i = 0; i < calls_of(kRounds[r], c); ++i) {
      const Outcome& wanted = expected[r][i];
      const bool values = wanted.kind == Outcome::Kind::Values;
      const Outcome observed = values ? candidate.run(kRounds[r], i) : wanted;
      judging.count_runs(values ? 1 : 0);
      Verdict step;
      if (!classify(wanted, observed, step)) bitwise_equal(wanted, observed, step);
      const Round& round = kRounds[r];
      step.detail +=
          fmt::format(" (order {}, {} leaves)", round.order, round.some ? "some" : "all");
      if (judging.add(std::move(step), given, static_cast<int>(i))) return true;
    }
  }
  return false;
}

Verdict judge(const Case& given) {
  DomainScope ring(Domain::Ring);
  const Case c = with_residues(given);
  forget_gradients(*c.program);
  Judging judging;
  const Derivations shared;
  std::vector<std::vector<Outcome>> expected;
  {
    const Walked by_operators(c, reference_plan());
    for (const Round& round : kRounds) {
      expected.emplace_back();
      for (size_t i = 0; i < calls_of(round, c); ++i) {
        expected.back().push_back(by_operators.run(round, i));
        judging.count_runs();
      }
    }
  }
  for (const Plan& asked : c.plans) {
    for (const Plan& plan : plans_with_autodiff(asked))
      if (judge(c, plan, asked, expected, judging)) return judging.verdict();
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "gradient",
     .summary = "AutoDiff gives the gradients of the tape, in the ring",
     .judge = &judge,
     .share = 0.1,
     .blaming = {.adds = "autodiff", .without = "ring"}});

}  // namespace
}  // namespace fusillade::fuzz
