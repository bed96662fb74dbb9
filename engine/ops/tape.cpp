// What programs ask of gradients, as operators: backward, grad, requires_grad_, detach_ and the
// switch of recording. Each asks the tape of its thread (tape.h). A program that holds one of the
// operators marked `asks_gradients` is run under a tape by its engine, so without one such a call
// is an error.
#include "engine/ops/tape.h"

#include "engine/ops/opaque_operator.h"
#include "engine/ops/scalar_operator.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr const char* kFamily = "tape";

thread_local Tape* tape_in_force = nullptr;

Tape& tape_for(const Operator& op) {
  if (!tape_in_force) fail("{}: nothing records gradients here", op.schema.name);
  return *tape_in_force;
}

Tensor tensor_or_none(const IValue& v) { return v.is_none() ? Tensor() : v.as_tensor(); }

std::vector<Tensor> tensors_of(const IValue& v) {
  std::vector<Tensor> out;
  if (v.is_none()) return out;
  for (const IValue& item : v.items()) out.push_back(tensor_or_none(item));
  return out;
}

// retain_graph is create_graph where it is None.
void set_keeping(const IValue& retain, const IValue& create, BackwardCall& call) {
  call.create_graph = create.as_bool();
  call.keep = retain.is_none() ? call.create_graph : retain.as_bool();
}

// self, gradient, retain_graph, create_graph
void run_backward(const Operator& op, Values v, std::vector<IValue>&) {
  BackwardCall call{.outputs = {v[0].as_tensor()}, .seeds = {tensor_or_none(v[1])}};
  set_keeping(v[2], v[3], call);
  tape_for(op).backward(call);
}

// tensors, grad_tensors, retain_graph, create_graph
void run_backward_of_many(const Operator& op, Values v, std::vector<IValue>&) {
  BackwardCall call{.outputs = tensors_of(v[0]), .seeds = tensors_of(v[1])};
  set_keeping(v[2], v[3], call);
  tape_for(op).backward(call);
}

// self, inputs, gradient, retain_graph, create_graph
void run_backward_to(const Operator& op, Values v, std::vector<IValue>&) {
  BackwardCall call{.outputs = {v[0].as_tensor()},
                    .seeds = {tensor_or_none(v[2])},
                    .inputs = tensors_of(v[1]),
                    .accumulate = true,
                    .allow_unused = true};
  set_keeping(v[3], v[4], call);
  if (call.inputs.empty()) fail("{}: inputs must not be empty", op.schema.name);
  tape_for(op).backward(call);
}

// outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused
void run_grad(const Operator& op, Values v, std::vector<IValue>& results) {
  BackwardCall call{
      .outputs = tensors_of(v[0]), .seeds = tensors_of(v[2]), .inputs = tensors_of(v[1])};
  set_keeping(v[3], v[4], call);
  call.allow_unused = v[5].as_bool();
  if (call.inputs.empty()) fail("{}: inputs must not be empty", op.schema.name);
  std::vector<IValue> grads;
  for (Tensor& t : tape_for(op).backward(call))
    grads.push_back(t.is_defined() ? IValue(std::move(t)) : IValue());
  results.push_back(IValue::list(std::move(grads), Type::optional(TypeKind::Tensor)));
}

void run_accumulated(const Operator& op, Values v, std::vector<IValue>& results) {
  Tensor grad = tape_for(op).grad(v[0].as_tensor());
  if (!grad.is_defined())
    fail(
        "grad: no gradient of this tensor has been accumulated; backward() does that for leaves "
        "that require gradients");
  results.emplace_back(std::move(grad));
}

void run_requires_grad(const Operator& op, Values v, std::vector<IValue>& results) {
  DType dtype = v[0].as_tensor().dtype();
  if (v[1].as_bool() && !is_float(dtype))
    fail("{}: only tensors of floats can require gradients, this is of {}", op.name,
         name_of(dtype));
  if (tape_in_force) tape_in_force->require_grad(v[0].as_tensor(), v[1].as_bool());
  results.push_back(v[0]);
}

void run_detach(const Operator&, Values v, std::vector<IValue>& results) {
  if (tape_in_force) tape_in_force->detach(v[0].as_tensor());
  results.push_back(v[0]);
}

void run_retain(const Operator& op, Values v, std::vector<IValue>&) {
  tape_for(op).retain_grad(v[0].as_tensor());
}

// Without a tape nothing is recorded, whatever the switch says.
void run_enabled(const Operator&, Values, std::vector<IValue>& results) {
  results.emplace_back(tape_in_force && tape_in_force->is_enabled());
}

void run_enable(const Operator&, Values v, std::vector<IValue>&) {
  if (tape_in_force) tape_in_force->enable(v[0].as_bool());
}

void infer_same(const Operator&, std::span<const ArgInfo> args, std::vector<Type>& results) {
  results.push_back(args[0].type);
}

void add_asking(const char* schema, RunFn run) {
  Operator r = effect_operator(schema, kFamily, run);
  r.asks_gradients = true;
  OperatorTable::instance().add(std::move(r));
}

[[maybe_unused]] const bool kRegistered = [] {
  add_asking(
      "aten::backward(Tensor self, Tensor? gradient=None, bool? retain_graph=None, bool "
      "create_graph=False) -> ()",
      &run_backward);
  add_asking(
      "aten::backward.TensorList(Tensor[] tensors, Tensor?[]? grad_tensors=None, bool? "
      "retain_graph=None, bool create_graph=False) -> ()",
      &run_backward_of_many);
  add_asking(
      "aten::_backward(Tensor self, Tensor[] inputs, Tensor? gradient=None, bool? "
      "retain_graph=None, bool create_graph=False) -> ()",
      &run_backward_to);
  add_asking(
      "aten::grad(Tensor[] outputs, Tensor[] inputs, Tensor?[]? grad_outputs=None, bool? "
      "retain_graph=None, bool create_graph=False, bool allow_unused=False) -> Tensor?[]",
      &run_grad);
  add_asking("prim::grad(Tensor a) -> Tensor(*)", &run_accumulated);
  add_asking("aten::retain_grad(Tensor(a!) self) -> ()", &run_retain);
  OperatorTable::instance().add(
      effect_operator("aten::is_grad_enabled() -> bool", kFamily, &run_enabled));
  OperatorTable::instance().add(
      effect_operator("aten::set_grad_enabled(bool val) -> ()", kFamily, &run_enable));
  Operator grad = opaque_operator(
      "aten::requires_grad_(Tensor(a!) self, bool requires_grad=True) -> Tensor(a!)", kFamily,
      &run_requires_grad, &infer_same);
  grad.drawn_dtypes = kFloatDTypes;
  OperatorTable::instance().add(std::move(grad));
  OperatorTable::instance().add(opaque_operator("aten::detach_(Tensor(a!) self) -> Tensor(a!)",
                                                kFamily, &run_detach, &infer_same));
  ScalarOptions meta;
  meta.generate = false;
  add_scalar(
      "prim::requires_grad(Tensor a) -> bool",
      [](Values v) { return IValue(v[0].as_tensor().requires_grad()); }, meta);
  add_scalar(
      "aten::is_leaf(Tensor self) -> bool",
      [](Values v) { return IValue(!tape_in_force || tape_in_force->is_leaf(v[0].as_tensor())); },
      meta);
  add_scalar(
      "aten::retains_grad(Tensor self) -> bool",
      [](Values v) {
        return IValue(tape_in_force && tape_in_force->retains_grad(v[0].as_tensor()));
      },
      meta);
  return true;
}();

}  // namespace

Tape* current_tape() { return tape_in_force; }

Tape* exchange_tape(Tape* tape) { return std::exchange(tape_in_force, tape); }

}  // namespace fusillade
