// See autograd.h.
#include "engine/front/autograd.h"

#include "engine/front/record.h"

namespace fusillade::eager {
namespace {

Tape& tape() {
  Tape* tape = current_tape();
  if (!tape) fail("nothing records gradients on this thread: eager::Gradients does");
  return *tape;
}

BackwardCall call_of(const WalkBack& how) {
  return {.seeds = how.seeds,
          .keep = how.keep || how.create_graph,
          .create_graph = how.create_graph,
          .allow_unused = how.allow_unused};
}

}  // namespace

Gradients::Gradients() : recorder_(current_tape() ? nullptr : new Recorder) {}
Gradients::~Gradients() = default;

bool records() { return current_tape() && current_tape()->is_enabled(); }

GradMode::GradMode(bool on) : saved_(records()) {
  if (current_tape()) current_tape()->enable(on);
}
GradMode::~GradMode() {
  if (current_tape()) current_tape()->enable(saved_);
}

Tensor requires_grad(const Tensor& t, bool on) {
  if (on && !is_float(t.dtype()))
    fail("requires_grad: only tensors of floats can require gradients, this is of {}",
         name_of(t.dtype()));
  tape().require_grad(t, on);
  return t;
}

Tensor gradient(const Tensor& leaf) { return tape().grad(leaf); }

void backward(const Tensor& output, const WalkBack& how) {
  BackwardCall call = call_of(how);
  call.outputs = {output};
  tape().backward(call);
}

std::vector<Tensor> gradients(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                              const WalkBack& how) {
  BackwardCall call = call_of(how);
  call.outputs = outputs;
  call.inputs = inputs;
  if (inputs.empty()) fail("gradients: the inputs must be given");
  return tape().backward(call);
}

}  // namespace fusillade::eager
