// See record.h. An operator is recorded as one step where formulas are known of it, else its body
// is run under the same tape, operator by operator. Operators on scalars and containers hand
// tensors on as they are.
#include "engine/front/record.h"

#include <algorithm>

#include "engine/front/operator_step.h"
#include "engine/ir/interpret.h"
#include "engine/ops/gradient.h"

namespace fusillade::eager {
namespace {

using front::edge_of;
using front::for_each_tensor;
using front::OperatorStep;
using front::state_for;
using front::state_of;
using front::Step;
using front::TensorState;
using View = front::TensorState::View;

bool any_requires_grad(std::span<const IValue> values) {
  bool any = false;
  for (const IValue& v : values)
    for_each_tensor(v, [&](const Tensor& t) { any = any || t.requires_grad(); });
  return any;
}

// As in PyTorch: an `out` tensor keeps no history.
void refuse_out(const Operator& op) {
  const auto& args = op.schema.args;
  if (std::ranges::any_of(args, [](const SchemaArg& a) { return a.written && a.name == "out"; }))
    fail(
        "{}: functions with out=... arguments don't support automatic differentiation, but one of "
        "the arguments requires grad",
        op.schema.name);
}

// Do floats come out of it?
bool any_float(std::span<const IValue> values) {
  bool any = false;
  for (const IValue& v : values)
    for_each_tensor(v, [&](const Tensor& t) { any = any || is_float(t.dtype()); });
  return any;
}

// "none" in the table: neither elements nor histories pass.
bool passes_nothing(const Operator& op) {
  const Gradient* g = gradient_of(op);
  return g && g->formulas.empty() && !g->unknown;
}

template <class F>
void for_each_written(const Operator& op, std::span<const IValue> args, F f) {
  for (size_t i = 0; i < args.size() && i < op.schema.args.size(); ++i)
    if (op.schema.args[i].written && args[i].is_tensor()) f(args[i].as_tensor());
}

void check_writable(const Operator& op, const Tensor& t, bool tracked) {
  TensorState* state = state_of(t);
  if (!state) return;
  const bool part = state->base.is_defined() && state->base.requires_grad();
  if (!tracked && !part && !t.requires_grad()) return;
  if (state->leaf_requires)
    fail(
        "{}: a leaf that requires a gradient is written in place; do it without recording, or "
        "write to a copy",
        op.schema.name);
  if (!state->base.is_defined()) return;
  if (TensorState* base = state_of(state->base); base && base->leaf_requires)
    fail(
        "{}: a view of a leaf that requires a gradient is written in place; do it without "
        "recording, or write to a copy",
        op.schema.name);
  if (state->view == View::OneOfMany)
    fail(
        "{}: one of several views that a call returned is written in place, which gradients do "
        "not follow; write to a copy",
        op.schema.name);
  if (state->view == View::Unrecorded)
    fail(
        "{}: a view that was made without recording is written in place while gradients are "
        "recorded; write to a copy",
        op.schema.name);
}

// Does a gradient flow back to one of the arguments? Throws where one requires a gradient of which
// no formula is known; without any formulas, the walk back will say so.
bool flows_back(const Operator& op, const front::GradientFormulas* formulas,
                std::span<const IValue> args) {
  bool flows = !formulas;
  for (size_t i = 0; formulas && i < args.size(); ++i) {
    if (!any_requires_grad(args.subspan(i, 1))) continue;
    const std::string& name = op.schema.args[i].name;
    const auto is_its = [&](const auto& f) { return f.arg == static_cast<int>(i); };
    const bool known = std::ranges::any_of(*formulas, is_its);
    if (!known && !std::ranges::count(gradient_of(op)->without, name))
      decline("{}: the gradient of '{}', which requires one, is not known", op.schema.name, name);
    flows = flows || known;
  }
  return flows;
}

// What was written has the step behind it from here on; a view, by way of its base.
void rebase(const Tensor& t, const Ref<Step>& step) {
  TensorState& state = state_for(t);
  TensorState& whole = state.base.is_defined() ? state_for(state.base) : state;
  const bool retains = whole.retains;
  keep_grad(whole, false);
  if (&whole == &state) {
    whole.step = step;
  } else {
    whole.step = Ref<Step>(new front::WriteStep(step, state.base, state.layout));
    state.version = t.storage()->version() - 1;
  }
  whole.output = 0;
  keep_grad(whole, retains);
}

bool same_as_any(const Tensor& t, std::span<const IValue> args) {
  bool same = false;
  for (const IValue& v : args)
    for_each_tensor(v, [&](const Tensor& a) { same = same || a.same(t); });
  return same;
}

void attach(const Ref<Step>& step, std::span<const IValue> args, std::span<const IValue> results) {
  int output = 0;
  for (const IValue& v : results) {
    for_each_tensor(v, [&](const Tensor& t) {
      const int own = output++;
      if (!is_float(t.dtype()) || same_as_any(t, args)) return;
      TensorState& state = state_for(t);
      state.step = step;
      state.output = own;
    });
  }
}

}  // namespace

void Recorder::call(const Operator& op, const Site& site, std::span<const IValue> args,
                    std::vector<IValue>& results) {
  run(op, site, args, results, enabled_ && any_requires_grad(args) && !passes_nothing(op));
  const bool hands_on = op.kind == OpKind::Prim || op.kind == OpKind::Scalar;
  if (op.schema.aliases() && !hands_on && !passes_nothing(op)) note_views(args, results);
}

void Recorder::run(const Operator& op, const Site& site, std::span<const IValue> args,
                   std::vector<IValue>& results, bool tracked) {
  if (tracked) refuse_out(op);
  const Gradient* known = tracked ? gradient_of(op) : nullptr;
  if (tracked && !known && is_composite(op)) return run_composite(op, args, results);
  const front::GradientFormulas* formulas =
      known && !known->unknown ? front::gradient_formulas(op) : nullptr;
  const bool writes = op.schema.writes() && !passes_nothing(op);
  if (writes && enabled_)
    for_each_written(op, args, [&](const Tensor& t) { check_writable(op, t, tracked); });
  const bool plain =
      op.kind == OpKind::Prim || op.kind == OpKind::Scalar || op.kind == OpKind::Create;
  if (tracked && (formulas || !plain) && flows_back(op, formulas, args))
    return record(op, site, args, formulas, results);
  fusillade::call(op, site, args, results);
  if (writes) for_each_written(op, args, [](const Tensor& t) { t.storage()->bump_version(); });
}

void Recorder::record(const Operator& op, const Site& site, std::span<const IValue> args,
                      const front::GradientFormulas* formulas, std::vector<IValue>& results) {
  const bool written = !args.empty() && args[0].is_tensor() && op.schema.args[0].written;
  auto* step = new OperatorStep(op, formulas, args, written);
  const Ref<Step> kept(step);
  const size_t first = results.size();
  fusillade::call(op, site, args, results);
  for_each_written(op, args, [](const Tensor& t) { t.storage()->bump_version(); });
  const std::span<const IValue> given(results.begin() + static_cast<ptrdiff_t>(first),
                                      results.end());
  if (!any_float(given)) return;
  step->note_results(given);
  if (written) rebase(args[0].as_tensor(), kept);
  attach(kept, args, given);
}

void Recorder::run_composite(const Operator& op, std::span<const IValue> args,
                             std::vector<IValue>& results) {
  if (operator_runs) count_run(op);
  ModeScope again(ModeKind::Autograd, *this);
  for (IValue& v : interpret(composite_body(op), args)) results.push_back(std::move(v));
}

// Results that lie in an argument's memory are views of it, or of what it is a view of.
void Recorder::note_views(std::span<const IValue> args, std::span<const IValue> results) const {
  auto note = [&](const Tensor& t, bool many) {
    if (same_as_any(t, args)) return;
    for (const IValue& v : args) {
      for_each_tensor(v, [&](const Tensor& a) {
        if (!a.shares_storage(t) || state_for(t).base.is_defined()) return;
        TensorState& state = state_for(t);
        TensorState* of = state_of(a);
        state.base = of && of->base.is_defined() ? of->base : a;
        state.layout = front::layout_of(t);
        state.version = t.storage()->version();
        const View inherited = of ? of->view : View::None;
        if (!enabled_ || inherited == View::Unrecorded) state.view = View::Unrecorded;
        else state.view = many || inherited == View::OneOfMany ? View::OneOfMany : View::Plain;
      });
    }
  };
  for (const IValue& v : results)
    for_each_tensor(v, [&](const Tensor& t) { note(t, v.tag() == IValue::Tag::List); });
}

void Recorder::require_grad(const Tensor& t, bool on) {
  if (on) {
    if (!t.requires_grad()) state_for(t).leaf_requires = true;
    return;
  }
  if (!is_leaf(t))
    fail(
        "requires_grad_: only leaves can stop requiring gradients; detach() gives a tensor "
        "without a history");
  if (TensorState* state = state_of(t)) state->leaf_requires = false;
}

bool Recorder::is_leaf(const Tensor& t) const { return !edge_of(t).step; }

void Recorder::detach(const Tensor& t) {
  TensorState* state = state_of(t);
  if (!state) return;
  if (state->base.is_defined()) fail("detach_: a view cannot be detached in place; use detach()");
  keep_grad(*state, false);
  state->step = {};
  state->leaf_requires = false;
}

void Recorder::retain_grad(const Tensor& t) {
  if (!t.requires_grad()) fail("retain_grad: this tensor requires no gradient");
  if (!is_leaf(t)) keep_grad(state_for(t), true);
}

bool Recorder::retains_grad(const Tensor& t) const {
  TensorState* state = state_of(t);
  return state && state->retains;
}

Tensor Recorder::grad(const Tensor& t) const {
  TensorState* state = state_of(t);
  return state ? state->grad : Tensor();
}

}  // namespace fusillade::eager
