// The tape as operators see it: what programs ask of gradients, and who answers.
//
// Gradients are recorded by a mode (call.h) of the layer that knows graphs (front/autograd.h).
// While the mode is in force on a thread, operators ask `current_tape`; without one nothing is
// recorded and no tensor requires a gradient.
#pragma once

#include <vector>

#include "engine/tensor/tensor.h"

namespace fusillade {

// One walk back from `outputs`.
struct BackwardCall {
  std::vector<Tensor> outputs{};
  std::vector<Tensor> seeds{};   // a gradient for each output; undefined: 1, of one element
  std::vector<Tensor> inputs{};  // empty: every leaf, into its .grad
  bool keep = false;             // what was saved, for another walk
  bool create_graph = false;     // record the walk itself
  bool accumulate = false;       // into .grad of the inputs
  bool allow_unused = false;
};

class Tape {
 public:
  virtual ~Tape() = default;
  virtual bool is_enabled() const = 0;
  virtual void enable(bool on) = 0;
  // Throws Error for a tensor that cannot change, since it is not a leaf.
  virtual void require_grad(const Tensor& t, bool on) = 0;
  virtual bool is_leaf(const Tensor& t) const = 0;
  virtual void detach(const Tensor& t) = 0;  // in place
  virtual void retain_grad(const Tensor& t) = 0;
  virtual bool retains_grad(const Tensor& t) const = 0;
  virtual Tensor grad(const Tensor& t) const = 0;  // undefined: none was accumulated
  // The gradients of `inputs`, undefined ones where the outputs do not depend on them.
  virtual std::vector<Tensor> backward(const BackwardCall& call) = 0;
};

// Of this thread; null: nothing is recorded.
Tape* current_tape();
// Puts another in its place and returns the one before.
Tape* exchange_tape(Tape* tape);

// Whether it records is as before when this ends: a task's switches are its own, also where it
// raises between two of them.
class RecordsAsBefore {
 public:
  RecordsAsBefore() : tape_(current_tape()), was_(tape_ && tape_->is_enabled()) {}
  ~RecordsAsBefore() {
    if (tape_ && tape_->is_enabled() != was_) tape_->enable(was_);
  }
  RecordsAsBefore(const RecordsAsBefore&) = delete;
  RecordsAsBefore& operator=(const RecordsAsBefore&) = delete;

 private:
  Tape* tape_;
  bool was_;
};

}  // namespace fusillade
