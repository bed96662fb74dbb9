// Claim: the tape's backward pass is the transpose of the program's derivative,
// <J u, v> = <u, J^T v>, for its results, and again for its first gradients (created with
// create_graph).
//
// J u comes from fuzz/run/tangents, which asks no gradient: a wrong gradient formula of an
// operator, a sum that was forgotten, a term that a walk drops, all show. The inputs of floats
// become leaves of f64 with values of the oracle's own, in ranges where functions are smooth; u and
// v are drawn. What is not differentiable there, or not finite, is skipped.
//
// How far may the two differ? Operator by operator they are equal, at the values that the operators
// were given: earlier rounding is the same to both, and only that of slopes and gradients is not.
// It is sampled (fuzz/run/noise): where the two differ, the same is measured in samples that differ
// in all that rounding, steps and kinks leave open, a little aside of the point. A gradient that is
// wrong is wrong by the same amount in each; Student's test says so with one false alarm in 10^9.
// Only those that agree in less than half their digits are sampled.
#include <cmath>
#include <optional>

#include "engine/aten/named.h"
#include "engine/front/autograd.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/leaves.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/stage.h"
#include "fuzz/run/guarded.h"
#include "fuzz/run/noise.h"
#include "fuzz/run/tangents.h"

namespace fusillade::fuzz {
namespace {

constexpr double kHalfTheDigits = 0x1p-26;

double inner(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.numel(); ++i) sum += element_as_double(a, i) * element_as_double(b, i);
  return sum;
}

struct Products {
  double forward = 0;   // <J u, v>
  double backward = 0;  // <u, J^T v>
  double scale = 0;     // of what was summed
  uint64_t elements = 0;
  double difference() const { return forward - backward; }
  bool out_of_range = false;
  bool finite() const { return std::isfinite(forward) && std::isfinite(backward); }
};

class Measurement {
 public:
  Measurement(const Case& c, const Call& given, const Point& at, int order)
      : case_(c),
        at_(at),
        order_(order),
        tangents_(at.neighbour),
        jitter_(at.neighbour),
        call_(at_point(c, given, at)) {}

  Products run() {
    heartbeat();
    const StageScope stage(Stage::Eager);
    OutOfRange out_of_range;
    make_leaves();
    outputs_of_order();
    Products out;
    std::vector<Tensor> outputs, seeds;
    uint64_t number = 3000;
    for (const Tensor& t : outputs_) {
      Tensor v = direction(number++, t.sizes(), at_.neighbour);
      add(out, inner(tangents_.of(t), v), 1, 0);
      out.elements += static_cast<uint64_t>(t.numel());
      if (!t.requires_grad()) continue;
      outputs.push_back(t);
      seeds.push_back(v);
    }
    if (outputs.empty()) return out;
    ModeScope rounding(ModeKind::Device, jitter_);
    const std::vector<Tensor> grads =
        eager::gradients(outputs, leaves_, {.seeds = seeds, .allow_unused = true});
    for (size_t i = 0; i < grads.size(); ++i) {
      if (!grads[i].is_defined()) continue;
      add(out, inner(directions_[i], grads[i]), 0, 1);
      out.elements += static_cast<uint64_t>(grads[i].numel());
    }
    out.out_of_range = out_of_range.has_occurred();
    return out;
  }

 private:
  static void add(Products& out, double term, double forward, double backward) {
    out.forward += forward * term;
    out.backward += backward * term;
    out.scale += std::abs(term);
  }

  void make_leaves() {
    static const Operator& clone = aten::clone();
    uint64_t number = 1;
    for (IValue& v : call_.inputs) {
      if (!is_leaf(v)) continue;
      const Tensor leaf = v.as_tensor();
      leaves_.push_back(eager::requires_grad(leaf));
      directions_.push_back(direction(1000 + number++, leaf.sizes(), at_.neighbour));
      copy_into(tangents_.of(leaf), directions_.back());
      if (!leaf.is_contiguous()) continue;
      const IValue args[] = {leaf};
      ModeScope moving(ModeKind::Device, tangents_);
      v = fusillade::call(clone, args).at(0);
    }
    if (leaves_.empty()) decline("no input of floats");
  }

  void outputs_of_order() {
    PipelineOptions options;
    options.recorded = true;
    const auto ready =
        prepare({*case_.program, case_.script, case_.self}, reference_plan(), options);
    ModeScope moving(ModeKind::Device, tangents_);
    for (const IValue& v : ready->run(call_.inputs)) collect_doubles(v, outputs_);
    std::vector<Tensor> recorded, seeds;
    uint64_t number = 2000;
    for (const Tensor& t : outputs_)
      if (t.requires_grad()) recorded.push_back(t);
    if (recorded.empty()) decline("no output that depends on floats");
    if (order_ == 1) return;
    for (const Tensor& t : recorded) seeds.push_back(direction(number++, t.sizes(), at_.neighbour));
    outputs_.clear();
    for (const Tensor& t : eager::gradients(
             recorded, leaves_, {.seeds = seeds, .create_graph = true, .allow_unused = true}))
      if (t.is_defined()) outputs_.push_back(t);
  }

  const Case& case_;
  Point at_;
  int order_;
  eager::Gradients on_;
  Tangents tangents_;
  Jitter jitter_;
  Call call_;
  std::vector<Tensor> leaves_, directions_, outputs_;
};

Verdict judge_order(const Case& c, const Call& call, int order) {
  Verdict step;
  std::optional<Products> seen;
  Point at;
  Outcome how;
  for (const auto& range : kSmoothRanges) {
    at.range = range;
    how = run_guarded([&](Outcome&) {
      const Products p = Measurement(c, call, at, order).run();
      if (!p.finite()) decline("no finite number");
      seen = p;
    });
    if (seen) break;
  }
  if (!seen) {
    classify(how, how, step);
    return step;
  }
  step.kind = VerdictKind::Ok;
  step.elements.compared = step.elements.tight = seen->elements;
  const double difference = seen->difference();
  if (std::abs(difference) <= kHalfTheDigits * seen->scale) return step;
  if (seen->out_of_range) {
    step.kind = VerdictKind::Skip;
    step.reason = "declined: a number leaves the range of doubles";
    return step;
  }
  std::vector<double> samples;
  for (at.neighbour = 1; at.neighbour <= kSamples; ++at.neighbour) {
    Products p;
    const Outcome again = run_guarded([&](Outcome&) { p = Measurement(c, call, at, order).run(); });
    if (again.kind != Outcome::Kind::Values || !p.finite()) break;
    samples.push_back(p.difference());
    if (p.difference() * difference <= 0) break;  // no significant one has samples of both signs
  }
  if (samples.size() < kSamples || !is_significant(samples)) {
    step.kind = VerdictKind::Skip;
    step.reason = "declined: rounding is as large";
    return step;
  }
  Verdict found = mismatch(
      "gradient", fmt::format("order {}: <J u, v> is {}, <u, J^T v> is {}; what they sum is of {}",
                              order, seen->forward, seen->backward, seen->scale));
  found.part = "tape";
  return found;
}

Verdict judge(const Case& given) {
  const Case c = given.clone();
  for (Value* input : c.program->inputs()) input->set_type(input->type().without_shapes());
  Judging judging;
  for (size_t i = 0; i < c.calls.size(); ++i) {
    for (int order : {1, 2}) {
      Verdict step = judge_order(c, c.calls[i], order);
      judging.count_runs();
      const bool first_compared = step.kind == VerdictKind::Ok;
      if (judging.add(std::move(step), reference_plan(), static_cast<int>(i)))
        return judging.verdict();
      if (!first_compared) break;
    }
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "adjoint",
     .summary = "gradients of the tape, first and second order, agree with directional derivatives",
     .judge = &judge,
     .share = 0.15,
     .blaming = {.alone = Alone::Graph}});

}  // namespace
}  // namespace fusillade::fuzz
