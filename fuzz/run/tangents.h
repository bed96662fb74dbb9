// Directional derivatives of whatever runs. Every f64 storage has a tangent, a storage that says
// how its elements move; each call of an operator computes the tangents of its results.
//
// Element-wise operators are followed on dual numbers by their own formulas; any other by its slope
// along the direction, from runs of the operator some steps away: a parabola through five of them,
// whose misfit is how wrong the slope may be. No gradient of the tape is used, so that the tape can
// be compared with this, its backward pass included: a gradient of f64 moves, too. Views and writes
// follow from storages. What is detached, or created where nothing is recorded, has tangent 0.
// Declined: other floats, random numbers, numbers that are not finite, the cases of kNoGradient,
// whose operators the `slopes` lines of entries (engine/aten/*/*ops.py) name, and writes once
// anything is detached.
//
// How exact is it? Nothing is judged here. A sample other than 0 computes the same with all that is
// not known drawn anew (Monte Carlo arithmetic: Parker, "Monte Carlo Arithmetic", 1997): every
// slope is off by up to its misfit, a jump of slopes at a kink included, and by a unit in the last
// place, and so is where an operator is run. What differs from sample to sample is noise.
#pragma once

#include <optional>
#include <unordered_map>

#include "engine/ops/call.h"
#include "fuzz/run/noise.h"

namespace fusillade::fuzz {

// Of a `slopes` line: "bounds meet", "detached". Throws Error that names what is legal.
std::vector<std::string> parse_slopes(std::string_view line);

// Does an operator write to positions given by integers, and to one of them twice? Nobody promises
// which value stays there.
bool writes_twice(const Operator& op, std::span<const IValue> args);

class Tangents : public Mode {
 public:
  explicit Tangents(uint64_t sample) : draw_(sample) {}
  void call(const Operator& op, const Site& site, std::span<const IValue> args,
            std::vector<IValue>& results) override;
  // How the elements of `t`, of f64, move: a tensor of its sizes. Writing it says so.
  Tensor of(const Tensor& t);

 private:
  struct InPlace {
    Ref<Storage> keep;  // its address stays its own
    Tensor moves;       // one element for each of the storage
  };
  // Results of f64, then arguments written: how they move.
  using Slopes = std::vector<Tensor>;
  struct Fit {
    Slopes slopes;
    bool exact = false;  // a parabola, but for rounding
  };
  bool moves(const Tensor& t);
  void detach_results(const Operator& op, std::vector<IValue>& results, size_t first);
  void round_anew(const Tensor& t);
  Slopes slopes(const Operator& op, const Site& site, std::span<const IValue> args);
  Slopes by_formula(const PointwisePlan& plan, std::span<const IValue> args, const Dims& sizes);
  Slopes by_steps(const Operator& op, const Site& site, std::span<const IValue> args);
  Slopes along_symmetric(const Operator& op, const Site& site, std::span<const IValue> args);
  std::optional<Fit> fit(const Operator& op, const Site& site, std::span<const IValue> args,
                         double step);
  std::vector<Tensor> run_along(const Operator& op, const Site& site, std::span<const IValue> args,
                                double steps, std::vector<int64_t>& chosen);

  Noise draw_;
  bool detached_ = false;  // something was cut off
  std::unordered_map<const Storage*, InPlace> tangents_;
};

}  // namespace fusillade::fuzz
