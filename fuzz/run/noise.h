// Monte Carlo arithmetic: random samples of what rounding may do to a computation.
//
// Sample 0 draws nothing. In any other sample a number is off by some units in the last place, a
// slope by up to its bound, and a step is up to twice as long. While a `Jitter` is active, it
// perturbs all f64 results of the operators that run. Two samples of a meaningful number agree;
// their distance is the effect of rounding. See `is_significant`. All this holds as long as nothing
// leaves the range of numbers: see `OutOfRange`.
#pragma once

#include <cfenv>
#include <span>

#include "engine/ops/call.h"

namespace fusillade::fuzz {

class Noise {
 public:
  static constexpr double kUnit = 0x1p-52;
  // `unit`: the unit in the last place of 1.
  explicit Noise(uint64_t sample, double unit = kUnit) : sample_(sample), unit_(unit) {}
  double perturb(double v) { return sample_ ? v * (1 + 2 * unit_ * draw()) : v; }
  double within(double v, double bound) { return sample_ ? perturb(v) + bound * draw() : v; }
  double step(double h) { return sample_ ? h * (1.5 + 0.5 * draw()) : h; }

 private:
  double draw();  // in [-1, 1)
  uint64_t sample_;
  double unit_;
  uint64_t at_ = 0;
};

// Did any operation of this thread since then underflow or overflow, within operators too? The
// flags of IEEE 754 say so.
class OutOfRange {
 public:
  OutOfRange() { std::feclearexcept(FE_UNDERFLOW | FE_OVERFLOW); }
  bool has_occurred() const { return std::fetestexcept(FE_UNDERFLOW | FE_OVERFLOW) != 0; }
};

class Jitter : public Mode {
 public:
  explicit Jitter(uint64_t sample, double unit = Noise::kUnit) : noise_(sample, unit) {}
  void call(const Operator& op, const Site& site, std::span<const IValue> args,
            std::vector<IValue>& results) override;

 private:
  Noise noise_;
};

// Samples that Student's test takes, and the quantile of his distribution (7 degrees of freedom)
// that one number in 10^9 is beyond where the truth is 0, on either side.
inline constexpr int kSamples = 8;
inline constexpr double kStudent = 42.8;

// What samples are compared with: 0, or a number drawn as they are, but once.
enum class Against : uint8_t { Zero, OneDraw };

// Is the mean of kSamples samples other than 0? With a false alarm in 10^9 where they are noise.
bool is_significant(std::span<const double> samples, Against against = Against::Zero);

}  // namespace fusillade::fuzz
