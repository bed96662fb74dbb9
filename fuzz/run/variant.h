// A legal compiler's stand-in: runs a program with every freedom the numerical contract grants,
// taken at random. Sums and products associate in any order, products contract into fused
// multiply-adds, transcendental functions stray by a few units in the last place. Whatever it
// computes, the shadow must admit.
#pragma once

#include "fuzz/gen/generate.h"
#include "fuzz/run/walk.h"

namespace fusillade::fuzz {

class Variant : public Walk {
 public:
  // `ulps`: how far functions stray from this machine's libm, at most.
  Variant(Choices& choices, int ulps) : choices_(choices), ulps_(ulps) {}

 protected:
  void run_op(const Operator& op, std::span<const IValue> args,
              std::vector<IValue>& results) override;

 private:
  void pointwise(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results);
  void reduce(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results);
  void contract(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results);

  Choices& choices_;
  int ulps_;
};

}  // namespace fusillade::fuzz
