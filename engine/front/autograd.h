// Gradients in eager mode: a tape that records what operators do to tensors that require gradients,
// and walks it back.
//
//   eager::Gradients on;                             // records on this thread while alive
//   Tensor w = eager::requires_grad(eager::tensor({1, 2}));
//   Tensor loss = eager::sum(w * w);
//   eager::backward(loss);                           // eager::gradient(w) is 2 * w
//   Tensor g = eager::gradients({loss}, {w}, {.create_graph = true})[0];
//
// As PyTorch's: views and in-place writes are followed, a saved tensor that was written since is an
// error, gradients accumulate in leaves, `keep` is its retain_graph. What runs on other threads, or
// while no scope is there, is not recorded. See docs/inside/autograd.md.
#pragma once

#include <memory>
#include <vector>

#include "engine/ops/tape.h"

namespace fusillade::eager {

class Recorder;

// Records while alive; one within another adds nothing.
class Gradients {
 public:
  Gradients();
  ~Gradients();
  Gradients(const Gradients&) = delete;
  Gradients& operator=(const Gradients&) = delete;

 private:
  std::unique_ptr<Recorder> recorder_;
};

// Does a tape record on this thread?
bool records();

// Switches recording off or on while alive, where a tape is.
class GradMode {
 public:
  explicit GradMode(bool on);
  ~GradMode();
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  bool saved_;
};

struct WalkBack {
  std::vector<Tensor> seeds = {};  // for outputs that are not of one element
  bool keep = false;               // for another walk; create_graph keeps too
  bool create_graph = false;       // record the walk itself: gradients of gradients
  bool allow_unused = false;       // inputs that no output depends on give undefined tensors
};

// Each throws Error where no `Gradients` is alive on this thread.
Tensor requires_grad(const Tensor& t, bool on = true);  // `t` itself
Tensor gradient(const Tensor& leaf);                    // what it has collected; undefined: nothing
void backward(const Tensor& output, const WalkBack& how = {});
std::vector<Tensor> gradients(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                              const WalkBack& how = {});

}  // namespace fusillade::eager
