// Claim: the gradients of an external engine are the tape's.
//
// It is about plans whose contract says that their worker answers the request `grad:ENGINE`: the
// program's results of f64 get drawn gradients, and each argument of f64 gives its own. A compiler
// is also compared with its eager mode: what both get wrong alike is not the compiler's, and what
// only the compiler refuses, or gives as no number, is a finding. All floats are f64 at points of
// ours (leaves.h). Every other call of one op is at multiples of a half, where ties, bounds and
// zeros are, if the contract says that subgradients are PyTorch's. Not compared is what else is not
// finite on either side, what either declines or refuses to walk back, and where PyTorch is
// mistaken (known_wrong.h).
//
// How far may the two differ? At smooth points, by what is not the same in samples a little aside
// (adjoint_oracle, fuzz/run/noise), whose passes forward and back are off by rounding: a jump that
// rounding decides, as fmod's where both operands are the same but for it, is no point at all. At
// halves, where a point aside is on no tie, samples are of our backward pass alone: PyTorch's
// gradient is compared with what rounding gives of ours. Only those that agree in less than half
// their digits are sampled.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "engine/aten/named.h"
#include "engine/front/autograd.h"
#include "engine/ir/visit.h"
#include "fuzz/oracle/against_eager.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/known_wrong.h"
#include "fuzz/oracle/leaves.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/run/foreign/engine.h"
#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/guarded.h"
#include "fuzz/run/noise.h"
#include "fuzz/run/tangents.h"

namespace fusillade::fuzz {
namespace {

constexpr double kHalfTheDigits = 0x1p-26;

// Conditions of `peers` lines: of a program of more than one op, of values when they run.
constexpr const char* kSeveralOps = "beside others";
constexpr const char* kSeveralDTypes = "several dtypes";
constexpr const char* kAtThree = "at 3";
constexpr const char* kSingular = "singular";

// An engine whose worker does not start is one that the judge meets, and says so.
bool about(const Plan& plan) {
  if (!is_outside(plan.engine)) return false;
  try {
    return contract_of(plan.engine).gradients;
  } catch (const Exception&) {
    return true;
  }
}

bool is_eager(const Plan& plan) { return plan.engine == eager_of(plan.engine); }

// One of its operands is of integers, which PyTorch multiplies in their own dtype.
bool takes_integers(const Node* n) {
  return std::ranges::any_of(n->inputs(), [](const Value* v) {
    return v->type().is_tensor() &&
           !(v->type().info().has_dtype && is_float(v->type().info().dtype));
  });
}

// A bound on singular values that is more than rounding.
bool drops_values(const Node* n) {
  constexpr double kLeast = 1e-6;
  return std::ranges::any_of(n->inputs(), [](const Value* v) {
    const Node* producer = v->node();
    return !v->type().is_tensor() &&
           (!producer->is(prim::constant()) ||
            (producer->constant().is_float() && producer->constant().as_double() > kLeast));
  });
}

// An order of a norm that float32 does not hold, or may not.
bool inexact_order(const Node* n) {
  const std::vector<SchemaArg>& args = n->op().schema.args;
  for (size_t i = 0; i < n->inputs().size() && i < args.size(); ++i) {
    if (args[i].name != "p" && args[i].name != "ord") continue;
    const Node* producer = n->input(static_cast<int>(i))->node();
    if (!producer->is(prim::constant())) return true;
    const IValue& v = producer->constant();
    if (v.is_float() && static_cast<double>(static_cast<float>(v.as_double())) != v.as_double())
      return true;
  }
  return false;
}

// Of a matrix of more rows than columns.
bool is_tall(const Node* n) {
  const Type& type = n->input()->type();
  if (!type.is_tensor() || !type.info().rank_known || type.info().sizes.rank() != 2) return true;
  const Dims& sizes = type.info().sizes;
  return sizes[0] < 0 || sizes[1] < 0 || sizes[0] > sizes[1];
}

bool takes_scales(const Node* n) {
  const std::vector<SchemaArg>& args = n->op().schema.args;
  for (size_t i = 0; i < n->inputs().size() && i < args.size(); ++i)
    if (args[i].name.starts_with("scale") &&
        !n->input(static_cast<int>(i))->type().is(TypeKind::None))
      return true;
  return false;
}

struct NodeCondition {
  const char* name;
  bool (*holds)(const Node* n);
};
const NodeCondition kOfNodes[] = {{"integers", &takes_integers},
                                  {"inexact order", &inexact_order},
                                  {"scales", &takes_scales},
                                  {"tall", &is_tall},
                                  {"drops values", &drops_values}};

bool holds(const std::string& when, const Node* n) {
  for (const NodeCondition& c : kOfNodes)
    if (when == c.name) return c.holds(n);
  return when.empty();  // others are asked of the whole graph, or of values
}

bool wrong_when(const Operator& op, std::string_view condition) {
  return std::ranges::any_of(known_wrong(op),
                             [&](const KnownWrong& w) { return w.when == condition; });
}

void check_excluded(const Block* block) {
  each_node<Within::Callees>(block, [](const Node* n) {
    for (const KnownWrong& w : known_wrong(n->op()))
      if (holds(w.when, n)) decline("PyTorch's gradient of {}: {}", n->op().schema.name, w.reason);
  });
}

// Ties of what an earlier op rounded are no ties for another engine, nor are those of a hinge
// behind distances that an eps is added to. What reflects at a border has a kink there, whose side
// nobody promises.
bool is_one_op(const Graph& graph) {
  int ops = 0;
  for (const Node* n : graph.block()->nodes())
    if (wrong_when(n->op(), kSeveralOps)) return false;
    else if (!n->is(prim::constant()) && !n->is(prim::list_construct()) &&
             !n->is(prim::list_unpack()))
      ++ops;
  return ops == 1;
}

std::vector<Tensor> directions(const std::vector<Tensor>& outputs, uint64_t neighbour) {
  std::vector<Tensor> out;
  for (const Tensor& t : outputs) out.push_back(direction(2000 + out.size(), t.sizes(), neighbour));
  return out;
}

bool is_finite(const Tensor& t) {
  for (int64_t i = 0; i < t.numel(); ++i)
    if (!std::isfinite(element_as_double(t, i))) return false;
  return true;
}

struct Walked {
  std::vector<Tensor> grads, seeds;
};

// A float type other than double, computed from tensors: its rounding is as large as half the
// digits of a double.
bool narrows(std::span<const IValue> args, std::span<const IValue> results) {
  const auto is_defined = [](const IValue& v) {
    return v.is_tensor() && v.as_tensor().is_defined();
  };
  return std::ranges::any_of(args, is_defined) &&
         std::ranges::any_of(results, [&](const IValue& v) {
           return is_defined(v) && is_float(v.as_tensor().dtype()) &&
                  v.as_tensor().dtype() != DType::F64;
         });
}

// PyTorch's gradients of addcmul and addcdiv round products to one operand's dtype. Which dtypes
// meet is known at run time: a number that became a tensor stays float32 next to inputs that are
// doubles here.
bool takes_several_dtypes(const Operator& op, std::span<const IValue> args) {
  if (!wrong_when(op, kSeveralDTypes)) return false;
  std::optional<DType> only;
  for (const IValue& v : args) {
    if (!v.is_tensor() || !v.as_tensor().is_defined()) continue;
    const DType dtype = v.as_tensor().dtype();
    if (only.value_or(dtype) != dtype) return true;
    only = dtype;
  }
  return false;
}

// At 3 the gradient of hardswish in 1.13.1 is 1 in whole registers of elements, and 3/2 in the
// rest.
bool at_its_bound(const Operator& op, std::span<const IValue> args) {
  if (!wrong_when(op, kAtThree)) return false;
  for (const IValue& v : args) {
    if (!v.is_tensor() || !v.as_tensor().is_defined()) continue;
    for (int64_t i = 0; i < v.as_tensor().numel(); ++i)
      if (element_as_double(v.as_tensor(), i) == 3) return true;
  }
  return false;
}

// PyTorch's gradient of a determinant that is 0 is zeros; ours is computed from cofactors.
bool is_singular(const Operator& op, std::span<const IValue> results) {
  if (!wrong_when(op, kSingular)) return false;
  return std::ranges::any_of(results, [](const IValue& v) {
    if (!v.is_tensor() || !v.as_tensor().is_defined()) return false;
    for (int64_t i = 0; i < v.as_tensor().numel(); ++i)
      if (element_as_double(v.as_tensor(), i) == 0) return true;
    return false;
  });
}

// Operators that write a place twice: which value stays there nobody promises, nor whose gradient
// it is. Nor operators that round to less than doubles, or are at a bound that PyTorch takes for
// either side.
class Watched : public Mode {
 public:
  void call(const Operator& op, const Site& site, std::span<const IValue> args,
            std::vector<IValue>& results) override {
    if (writes_twice(op, args)) decline("{} writes a place twice", op.name);
    if (at_its_bound(op, args)) decline("{} at its bound", op.name);
    if (takes_several_dtypes(op, args))
      decline("PyTorch's gradient of {}: products are rounded to one operand's dtype", op.name);
    const size_t first = results.size();
    fusillade::call(op, site, args, results);
    if (is_singular(op, std::span(results).subspan(first)))
      decline("PyTorch's gradient of {}: of a singular matrix", op.name);
    if (narrows(args, std::span(results).subspan(first)))
      decline("{} rounds to less than doubles", op.name);
  }
};

// By the tape, its way forward and its walk back off by rounding as the samples say.
Walked ours(const Case& c, const Call& given, uint64_t forward, uint64_t sample) {
  static const Operator& clone = aten::clone();
  PipelineOptions options;
  options.recorded = true;
  const auto ready = prepare({*c.program, c.script, c.self}, reference_plan(), options);
  eager::Gradients on;
  Call call = copy_call(given);
  std::vector<Tensor> leaves, outputs, recorded, seeds;
  for (IValue& v : call.inputs) {
    if (!is_leaf(v)) continue;
    leaves.push_back(eager::requires_grad(v.as_tensor()));
    const IValue args[] = {v};
    if (leaves.back().is_contiguous()) v = fusillade::call(clone, args).at(0);
  }
  if (leaves.empty()) decline("no input of floats");
  {
    Jitter jitter(forward);
    ModeScope rounding(ModeKind::Device, jitter);
    Watched watched;
    ModeScope watching(ModeKind::Device, watched);
    for (const IValue& v : ready->run(call.inputs)) collect_doubles(v, outputs);
  }
  Walked out;
  out.seeds = directions(outputs, 0);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!is_finite(outputs[i])) decline("a result that is not finite");
    if (!outputs[i].requires_grad()) continue;
    recorded.push_back(outputs[i]);
    seeds.push_back(out.seeds[i]);
  }
  if (recorded.empty()) decline("no output that depends on floats");
  Jitter jitter(sample);
  ModeScope rounding(ModeKind::Device, jitter);
  out.grads = eager::gradients(recorded, leaves, {.seeds = seeds, .allow_unused = true});
  for (size_t i = 0; i < leaves.size(); ++i)
    if (!out.grads[i].is_defined()) out.grads[i] = Tensor::zeros(leaves[i].sizes(), DType::F64);
  return out;
}

class Peer {
 public:
  Peer(const Case& c, const Plan& plan)
      : family_(family_of(plan.engine)),
        request_("grad:" + name_in_family(plan.engine)),
        program_(foreign_program(*c.program, family_)),
        options_(options_of(plan)) {}
  ~Peer() { ForeignWorker::forget(family_, program_.id); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  std::vector<Tensor> gradients(const Call& given, const std::vector<Tensor>& seeds) const {
    Call call = copy_call(given);
    std::vector<IValue> items(seeds.begin(), seeds.end());
    call.inputs.push_back(IValue::list(std::move(items), TypeKind::Tensor));
    std::vector<Tensor> out;
    for (const IValue& v :
         ForeignWorker::of(family_).run(program_, request_, call.inputs, options_))
      out.push_back(v.as_tensor());
    return out;
  }

 private:
  const Family& family_;
  std::string request_;
  ForeignProgram program_;
  nlohmann::json options_;
};

// Elements of all gradients, one after the other.
using Numbers = std::vector<double>;

Numbers numbers_of(const std::vector<Tensor>& gradients) {
  Numbers out;
  for (const Tensor& t : gradients)
    for (int64_t i = 0; i < t.numel(); ++i) out.push_back(element_as_double(t, i));
  return out;
}

struct Differences {
  Numbers own = {}, theirs = {};
  size_t worst = 0;
  std::optional<size_t> lost = {};  // finite here, and not there
  double scale = 0;                 // the largest gradient
  uint64_t compared = 0;
  double by(size_t i) const { return theirs[i] - own[i]; }
};

// Throws Unsupported where nothing can be compared.
Differences compare_gradients(const std::vector<Tensor>& own, const std::vector<Tensor>& theirs) {
  if (own.size() != theirs.size()) decline("another number of gradients");
  for (size_t k = 0; k < own.size(); ++k)
    if (!(own[k].sizes() == theirs[k].sizes())) decline("gradients of other sizes");
  Differences out{numbers_of(own), numbers_of(theirs)};
  double most = -1;
  for (size_t i = 0; i < out.own.size(); ++i) {
    if (!out.lost && std::isfinite(out.own[i]) && !std::isfinite(out.theirs[i])) out.lost = i;
    if (!std::isfinite(out.own[i]) || !std::isfinite(out.theirs[i])) continue;
    ++out.compared;
    out.scale = std::max({out.scale, std::abs(out.own[i]), std::abs(out.theirs[i])});
    if (std::abs(out.by(i)) > most) most = std::abs(out.by(i)), out.worst = i;
  }
  return out;
}

class Judge {
 public:
  Judge(const Case& c, const Plan& plan)
      : case_(c), peer_(c, plan), contract_(contract_of(plan.engine)) {
    if (!is_eager(plan)) eager_.emplace(c, plan_of_engine(eager_of(plan.engine)));
  }

  // Whether ties and bounds have the gradients of PyTorch.
  bool has_subgradients() const { return contract_.subgradients; }

  Verdict call(const Call& given, bool halves) const {
    Verdict step;
    Point at{.range = {-2, 2}, .halves = halves};
    std::optional<Differences> seen;
    Outcome how;
    for (const auto& range : kSmoothRanges) {
      at.range = range;
      how = run_guarded([&](Outcome&) { seen = measure(given, at, peer_); });
      if (seen && (seen->compared > 0 || seen->lost)) break;
    }
    if (!seen) {
      if (how.kind == Outcome::Kind::Error && eager_ && by_eager(given, at))
        return mismatch("error: " + stable_phrase(how.message),
                        how.message + "\nits eager mode gives gradients");
      const bool judged_elsewhere = how.kind == Outcome::Kind::Crash && !eager_;
      if (how.kind == Outcome::Kind::Error || judged_elsewhere) {
        step.kind = VerdictKind::Skip;
        step.reason = judged_elsewhere ? "a crash, which conformance judges"
                                       : "the program or its walk back raises";
      } else {
        classify(how, how, step);
      }
      return step;
    }
    step.kind = VerdictKind::Ok;
    step.elements.compared = step.elements.tight = seen->compared;
    if (seen->lost && !halves && stays_lost(given, at, *seen->lost))
      return mismatch("gradient that is no number",
                      fmt::format("gradient element {}: {}, the tape says {}", *seen->lost,
                                  seen->theirs[*seen->lost], seen->own[*seen->lost]));
    const size_t worst = seen->worst;
    if (seen->compared == 0 || std::abs(seen->by(worst)) <= kHalfTheDigits * seen->scale)
      return step;
    if (halves ? !beyond_ours(given, at, *seen) : !stays(given, at, worst)) {
      step.kind = VerdictKind::Skip;
      step.reason = "declined: rounding is as large";
      return step;
    }
    if (eager_ && is_eagers(given, at, *seen)) {
      step.kind = VerdictKind::Skip;
      step.reason = "its eager mode gives the same gradient";
      return step;
    }
    return mismatch("gradient", fmt::format("gradient element {}: {}, the tape says {}", worst,
                                            seen->theirs[worst], seen->own[worst]));
  }

 private:
  Differences measure(const Call& given, const Point& at, const Peer& peer) const {
    heartbeat();
    const Call call = at_point(case_, given, at);
    const Walked own = ours(case_, call, at.neighbour, at.neighbour);
    return compare_gradients(own.grads, peer.gradients(call, own.seeds));
  }

  // What the eager mode of a compiler gives there; none: it does not.
  std::optional<Differences> by_eager(const Call& given, const Point& at) const {
    std::optional<Differences> out;
    run_guarded([&](Outcome&) { out = measure(given, at, *eager_); });
    return out;
  }

  // A compiler whose eager mode is as far from the tape at this element is not to blame.
  bool is_eagers(const Call& given, const Point& at, const Differences& seen) const {
    const std::optional<Differences> eager = by_eager(given, at);
    return !eager || std::abs(eager->theirs.at(seen.worst) - seen.theirs[seen.worst]) <=
                         kHalfTheDigits * seen.scale;
  }

  // Does a compiler give no number for an element that is one here and in its eager mode, at points
  // aside, too?
  bool stays_lost(const Call& given, Point at, size_t element) const {
    if (!eager_ || !contract_.subgradients) return false;
    for (at.neighbour = 0; at.neighbour <= kSamples; ++at.neighbour) {
      std::optional<Differences> again;
      run_guarded([&](Outcome&) { again = measure(given, at, peer_); });
      if (!again || element >= again->own.size() || !std::isfinite(again->own[element]) ||
          std::isfinite(again->theirs[element]))
        return false;
      const std::optional<Differences> eager = by_eager(given, at);
      if (!eager || !std::isfinite(eager->theirs.at(element))) return false;
    }
    return true;
  }

  // Is an element off by about the same at points aside?
  bool stays(const Call& given, Point at, size_t element) const {
    std::vector<double> samples;
    for (at.neighbour = 1; at.neighbour <= kSamples; ++at.neighbour) {
      Differences again;
      const Outcome o = run_guarded([&](Outcome&) { again = measure(given, at, peer_); });
      if (o.kind != Outcome::Kind::Values || element >= again.own.size() ||
          !std::isfinite(again.by(element)))
        return false;
      samples.push_back(again.by(element));
    }
    return is_significant(samples);
  }

  bool beyond_ours(const Call& given, const Point& at, const Differences& seen) const {
    std::vector<double> samples;
    for (uint64_t k = 1; k <= kSamples; ++k) {
      heartbeat();
      Walked own;
      const Outcome o =
          run_guarded([&](Outcome&) { own = ours(case_, at_point(case_, given, at), 0, k); });
      if (o.kind != Outcome::Kind::Values) return false;
      const double v = numbers_of(own.grads).at(seen.worst);
      if (!std::isfinite(v)) return false;
      samples.push_back(seen.theirs[seen.worst] - v);
    }
    return is_significant(samples, Against::OneDraw);
  }

  const Case& case_;
  Peer peer_;
  Contract contract_;
  std::optional<Peer> eager_;  // of a compiler
};

Verdict judge(const Case& given) {
  const Case c = given.clone();
  for (Value* input : c.program->inputs()) input->set_type(input->type().without_shapes());
  Judging judging;
  for (const Plan& plan : c.plans) {
    if (!about(plan)) continue;
    std::optional<Judge> judge;
    const Outcome outcome = run_guarded([&](Outcome&) {
      check_excluded(given.program->block());
      judge.emplace(c, plan);
    });
    const bool at_ties = judge && is_one_op(*c.program) && judge->has_subgradients();
    for (size_t i = 0; i < c.calls.size(); ++i) {
      Verdict step;
      if (judge) step = judge->call(c.calls[i], at_ties && i % 2 == 1);
      else classify(outcome, outcome, step);
      judging.count_runs(2);
      if (judging.add(std::move(step), plan, static_cast<int>(i))) return judging.verdict();
    }
  }
  return judging.verdict();
}

const Oracle& registered =
    Table<Oracle>::instance().add({.name = "peer_gradient",
                                   .summary = "an external engine gives the gradients of the tape",
                                   .judge = &judge,
                                   .about = &about,
                                   .blaming = {.trusts_eager = false}});

}  // namespace

const std::vector<std::string>& known_wrong_conditions() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{kSeveralOps, kSeveralDTypes, kAtThree, kSingular};
    for (const NodeCondition& c : kOfNodes) all.emplace_back(c.name);
    return all;
  }();
  return names;
}
}  // namespace fusillade::fuzz
