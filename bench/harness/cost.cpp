// See cost.h.
#include "bench/harness/cost.h"

#include <set>
#include <tuple>
#include <unordered_map>

#include "bench/harness/ready.h"
#include "engine/base/probe.h"
#include "engine/fuse/compile_log.h"
#include "engine/ir/composite.h"
#include "engine/ir/interpret.h"
#include "engine/kernel/work.h"
#include "engine/ops/native.h"
#include "engine/run/plan.h"
#include "engine/tensor/peak.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::bench {
namespace {

constexpr int kCalls = 4;  // a profiling executor compiles in its second, for dynamic sizes later

// Elements that differ in place: those that a stride of 0 repeats are one.
int64_t unique_elements(const Tensor& t) {
  int64_t n = 1;
  for (int d = 0; d < t.rank(); ++d)
    n *= t.strides()[d] == 0 && t.sizes()[d] > 0 ? 1 : t.sizes()[d];
  return n;
}

// Distinct tensors among values.
class Tensors {
 public:
  void add(std::span<const IValue> values) {
    for (const IValue& v : values) add(v);
  }
  void add(const IValue& v) {
    if (v.is_tensor() && v.as_tensor().is_defined()) add(v.as_tensor());
    else if (v.tag() == IValue::Tag::List || v.tag() == IValue::Tag::Tuple) add(v.items());
  }
  int64_t bytes() const { return bytes_; }
  int64_t elements() const { return elements_; }

 private:
  void add(const Tensor& t) {
    if (!seen_.insert({t.storage(), t.offset(), unique_elements(t)}).second) return;
    bytes_ += unique_elements(t) * static_cast<int64_t>(size_of(t.dtype()));
    elements_ += t.numel();
  }
  std::set<std::tuple<const Storage*, int64_t, int64_t>> seen_;
  int64_t bytes_ = 0, elements_ = 0;
};

int64_t flops_of(const Formula* formula, DType compute) {
  if (!formula || !formula->expr || !is_float(compute)) return 0;
  ExprPool pool;
  const ExprPool::Scope scope(pool);
  const Model model = compute_of(compute);
  const FormulaModel literals(model);
  std::vector<Expr> in;
  for (int i = 0; i < formula->arity; ++i) in.push_back(Expr::arg(i, model));
  return kernel::flops_of(formula->expr(in.data()));
}

bool is_tensor(const IValue& v) { return v.is_tensor() && v.as_tensor().is_defined(); }

// What operators do that run by themselves.
class OperatorWork : public Mode {
 public:
  int64_t bytes = 0, flops = 0;

  void call(const Operator& op, const Site& site, std::span<const IValue> args,
            std::vector<IValue>& results) override {
    const size_t first = results.size();
    if (is_composite(op)) return composite(op, site, args, results);
    if (op.contract) flops += product(op, args);
    if (op.reduce && is_tensor(args[0])) flops += reduction(op, args);
    fusillade::call(op, site, args, results);
    const std::span<const IValue> outputs(results.begin() + static_cast<std::ptrdiff_t>(first),
                                          results.end());
    if (op.kind == OpKind::Scalar || op.kind == OpKind::Prim || op.metadata) return;
    const bool copies = op.kind != OpKind::View || !shares(args, outputs);
    if (copies) bytes += bytes_moved(args, outputs);
    if (op.pointwise) flops += elements(op, args, outputs);
    else if (op.kind == OpKind::Opaque && !op.movement) flops += of(outputs).elements();
  }

 private:
  static Tensors of(std::span<const IValue> values) {
    Tensors t;
    t.add(values);
    return t;
  }

  static int64_t bytes_moved(std::span<const IValue> args, std::span<const IValue> outputs) {
    return of(args).bytes() + of(outputs).bytes();
  }

  static bool shares(std::span<const IValue> args, std::span<const IValue> outputs) {
    for (const IValue& a : args)
      for (const IValue& m : outputs)
        if (is_tensor(a) && is_tensor(m) && a.as_tensor().storage() == m.as_tensor().storage())
          return true;
    return false;
  }

  // Operators within are seen too. Where it runs natively, its body is also run, to be counted.
  void composite(const Operator& op, const Site& site, std::span<const IValue> args,
                 std::vector<IValue>& results) {
    const size_t first = results.size();
    const int64_t before = bytes;
    if (!native_of(op)) {
      const ModeScope again(ModeKind::Device, *this);
      for (IValue& v : interpret(composite_body(op), args)) results.push_back(std::move(v));
      return;
    }
    {
      const ModeScope again(ModeKind::Device, *this);
      interpret(composite_body(op), args);
    }
    fusillade::call(op, site, args, results);
    bytes = before + bytes_moved(args, {results.begin() + static_cast<std::ptrdiff_t>(first),
                                        results.end()});
  }

  static int64_t product(const Operator& op, std::span<const IValue> args) {
    const ContractPlan plan = op.contract(op, args);
    const int r = plan.a.rank();
    return 2 * plan.a.numel() * plan.b.sizes()[r - 1];
  }

  static int64_t reduction(const Operator& op, std::span<const IValue> args) {
    const ReducePlan plan = op.reduce(op, infos_of(args));
    return args[0].as_tensor().numel() * flops_of(plan.combine, plan.accumulate);
  }

  static int64_t elements(const Operator& op, std::span<const IValue> args,
                          std::span<const IValue> outputs) {
    const PointwisePlan plan = op.pointwise(op, infos_of(args));
    return of(outputs).elements() * flops_of(plan.formula, plan.compute);
  }
};

void add_launches(const fuse::CompileLog& log, Cost& cost) {
  std::unordered_map<const kernel::Program*, const kernel::Kernel*> kernels;
  for (const fuse::Compilation& m : log.compilations)
    if (m.program) kernels[m.program.get()] = &m.lowered.kernel;
  for (const fuse::Launch& l : log.launches) {
    const kernel::Work work = kernel::work_of(*kernels.at(l.program), l.scalars.data());
    cost.bytes += work.bytes;
    cost.flops += work.flops;
  }
}

int64_t allocation_count() { return static_cast<int64_t>(probe("tensor/allocated").count()); }

}  // namespace

std::optional<Cost> cost_of_call(const Program& program, const Plan& plan, uint64_t seed,
                                 bool typed) {
  if (fuzz::is_outside(plan.engine) || has_tasks(program.graph->block())) return {};
  Ready ready(program, plan, seed, typed);
  fuse::CompileLog log;
  Cost cost;
  const size_t before = Storage::live_bytes();
  ready.compile();
  for (int i = 0; i < kCalls; ++i) ready.call();
  const int64_t allocations = allocation_count();
  restart_peak();
  ready.call();
  cost.memory = {allocation_count() - allocations, static_cast<int64_t>(peak_bytes() - before)};
  Tensors given;
  given.add(ready.inputs().inputs);
  cost.footprint = given.bytes() + cost.memory.peak_bytes;
  log.launches.clear();
  OperatorWork unfused;
  const ModeScope seen(ModeKind::Device, unfused);
  ready.call();
  cost.bytes = unfused.bytes;
  cost.flops = unfused.flops;
  add_launches(log, cost);
  return cost;
}

}  // namespace fusillade::bench
