// The tape: what a recorded tensor remembers, and the steps back from it.
//
// A tensor's history is a TensorState: a leaf that accumulates its gradient, or result number
// `output` of a step. A step maps gradients of its results to gradients of its operands and passes
// these on along `next`. Steps point to earlier steps only, never to tensors of later ones. A saved
// tensor is stored without its history, next to the edge that represents it, so nothing forms a
// cycle.
//
// In-place writes: each storage counts its versions; a value saved of an older version is refused.
// A view knows its base. A write through a view enters the base's history as a write to that
// region. Other views then see a newer version and derive their history from the base.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/front/gradient.h"

namespace fusillade::front {

struct Step;
struct TensorState;

// Where a gradient goes: into a step, or into a leaf; nowhere when both are null.
struct Edge {
  Ref<Step> step;
  int output = 0;
  Ref<TensorState> leaf;
  explicit operator bool() const { return step || leaf; }
};

// Sizes and the like of a tensor that need not be there any more.
struct Layout {
  Dims sizes;
  Dims strides;
  int64_t offset = 0;
  DType dtype = DType::F32;
  Device device;
};
Layout layout_of(const Tensor& t);
// The same memory without a past; without `elements` only its layout.
Tensor without_history(const Tensor& t, bool elements = true);

struct Step : Counted {
  Step();
  virtual ~Step();
  // The gradients for `next`, of which those without an edge may stay undefined. An undefined
  // gradient is zero; not all are.
  virtual std::vector<Tensor> back(const std::vector<Tensor>& grads) = 0;
  // Gives back what was saved, if that were elements; was it?
  virtual bool forget() { return false; }
  virtual std::string name() const = 0;
  void take_number();

  std::vector<Edge> next;
  int outputs = 1;
  uint64_t number;      // greater than those of the steps that `next` leads to
  bool walked = false;  // and what it saved is gone, if that were elements
  std::vector<std::pair<int, TensorState*>> retaining;  // whose results keep their gradients
};

struct TensorState : TensorHistory {
  enum class View : uint8_t { None, Plain, OneOfMany, Unrecorded };
  ~TensorState() override;
  bool requires_grad() const override;

  bool leaf_requires = false;
  Tensor grad;
  Ref<Step> step;
  int output = 0;
  bool retains = false;
  View view = View::None;
  Tensor base;           // of a view: the tensor whose memory it shares, itself no view
  Layout layout;         // of a view: its own
  uint64_t version = 0;  // of a view: of the storage when `step` was right
};

// Throws: what the step saved is gone.
[[noreturn]] void fail_walked(const Step& step);

// The state of a tensor, created if absent.
TensorState& state_for(const Tensor& t);
TensorState* state_of(const Tensor& t);
// Where the gradient of `t` goes; brings a view up to date.
Edge edge_of(const Tensor& t);
// Does the result of a step keep its gradient, as a leaf does?
void keep_grad(TensorState& state, bool on);

// A value saved for the backward pass; its tensors are stored without their histories.
class Saved {
 public:
  Saved() = default;
  Saved(const IValue& value, Reads reads);
  // A result of the step itself: its edge is created when the value is read.
  static Saved result(const IValue& value, Reads reads, int first_output);
  // The saved value. Throws Error if it was written since, naming `what` and `owner`.
  IValue value(const Step& owner, const std::string& what) const;
  bool holds_elements() const;

 private:
  struct SavedTensor {
    Tensor plain{};
    Edge edge{};
    uint64_t version = 0;
    bool elements = false;
    int own = -1;
  };
  SavedTensor hold(const Tensor& t, Reads reads, int own) const;
  IValue unpack(const SavedTensor& saved, const Step& owner, const std::string& what) const;
  IValue shape_;  // the value itself where it holds no tensors; a list with None for its tensors
  std::vector<SavedTensor> tensors_;
};

}  // namespace fusillade::front
