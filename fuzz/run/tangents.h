// Exact directional derivatives of whatever runs: beside every storage of f64 stands one of how its
// elements move, and each call of a row moves its results.
//
// Element-wise rows are followed on dual numbers by their own formulas; any other by its slope
// along the direction, from runs of the row a few steps away (exact for what is linear, to the
// fourth order of the step for the rest). No gradient of the tape is asked, so that what the tape
// says can be held against it, its walk back included: a gradient of f64 moves, too. Views and
// writes follow from storages. What is
// detached, or made where nothing is recorded, stands still. Declined: other floats, random
// numbers, kinks within a step, numbers that are not finite, and writes beside what stands still.
#pragma once

#include <unordered_map>

#include "engine/ops/call.h"

namespace fusillade::fuzz {

class Tangents : public Mode {
 public:
  explicit Tangents(double step) : step_(step) {}
  void call(const Row& row, const Site& site, std::span<const IValue> args,
            std::vector<IValue>& results) override;
  // How the elements of `t`, of f64, move: a tensor of its sizes. Writing it says so.
  Tensor of(const Tensor& t);

 private:
  struct Twin {
    Ref<Storage> keep;  // its address stays its own
    Tensor moves;       // one element for each of the storage
  };
  using Slopes = std::vector<Tensor>;  // of the results of f64, then of the arguments written
  bool moves(const Tensor& t);
  void stand_apart(const Row& row, std::vector<IValue>& results, size_t first);
  Slopes slopes(const Row& row, const Site& site, std::span<const IValue> args);
  Slopes by_formula(const PointwisePlan& plan, std::span<const IValue> args, const Dims& sizes);
  Slopes by_steps(const Row& row, const Site& site, std::span<const IValue> args);
  std::vector<Tensor> ran(const Row& row, const Site& site, std::span<const IValue> args,
                          double steps, std::vector<int64_t>& chosen);

  double step_;
  bool apart_ = false;  // something was cut off
  std::unordered_map<const Storage*, Twin> twins_;
};

}  // namespace fusillade::fuzz
