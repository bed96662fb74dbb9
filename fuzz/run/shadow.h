// The shadow: eager execution that keeps, for every element, the set of values that a legal
// implementation may produce there.
//
// Each storage that eager execution touches has an equivalent of cells: intervals for floats
// (Bounded), ranges for integers and bools. Geometry (views, strides, aliasing, in-place writes) is
// eager's own, so only the values are modelled: pointwise operators by their Bounded formula,
// reductions and products for any order of summation, data movement by moving element numbers. What
// an operator does not say is unknown: every value is legal. A scalar read from a tensor must not
// depend on rounding, else Untrusted is thrown: control flow and sizes could legally differ.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "fuzz/run/allowed.h"
#include "fuzz/run/walk.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

struct Untrusted {
  std::string reason;
};

struct IntRange {
  int64_t lo = 0;
  int64_t hi = 0;
  bool exact() const { return lo == hi; }
};
// Every value of an integer dtype.
IntRange full_range(DType dtype);

struct OpenSum;

// Cells of one storage; `real` or `whole` is used.
struct Cells {
  Ref<Storage> keep;  // its address stays its own
  DType dtype;
  std::vector<Bounded> real;
  std::vector<IntRange> whole;
  std::vector<std::shared_ptr<const OpenSum>> sums;  // of `real`, or empty (open_sum.h)
};

// What is below the least normal number may be zero: some take subnormal numbers for it.
void or_zero_below(Bounded& b, double smallest);

class Shadow : public Walk {
 public:
  // Whose implementations are legal: ours, whose integers and conversions are what eager's are, or
  // those of any compiler (NoPromises in cell.h), with AnyHalf also those that round float16 and
  // bfloat16 between the steps of an op. `allowed deviation` outlives the shadow.
  enum class Of : uint8_t { Ours, Any, AnyHalf };
  explicit Shadow(Of of = Of::Ours, const EngineDeviation* allowed = nullptr)
      : of_(of), allowed_(allowed) {}
  // The cells of a tensor's storage; the first access initialises them exactly, from its elements.
  Cells& cells(const Tensor& t);
  // Is `observed` a legal outcome where eager gave `reference`? Fills in the mismatch; counts
  // elements.
  bool admits(const IValue& reference, const IValue& observed, const std::string& what,
              Verdict& verdict);

  // What deviations of external engines (deviation.h) ask, and do.
  // Nothing is known about the values of a result.
  void forget(const IValue& v);
  // One number of each element of a tensor of floats, in order.
  std::vector<double> middles(const Tensor& t);
  // Is every element of a tensor of floats known to be finite?
  bool all_finite(const IValue& v);
  double greatest_finite(const Tensor& t);  // magnitude
  // What no sum of a tensor's elements, with signs or rotated, is beyond.
  double sum_of_magnitudes(const Tensor& t);
  // Is a sequence known to ascend, without NaN, in the order that `sorter` (or None) takes it?
  bool in_order(const Tensor& sequence, const IValue& sorter);
  // Of cumprod: a running product may be kept in the stored dtype.
  void allow_products_in_steps(std::span<const IValue> args, const Tensor& result);

 protected:
  void run_op(const Operator& op, std::span<const IValue> args,
              std::vector<IValue>& results) override;
  void before_decomposing(const Operator& op) override;
  void after_decomposing(const Operator& op, std::span<const IValue> args,
                         const std::vector<IValue>& results) override;
  std::vector<IValue> neighbours(const Operator& op, std::span<const IValue> args) override;
  bool goes_on(const std::function<void()>& run) override;
  void neighbours_ran(const std::vector<IValue>& results,
                      const std::vector<IValue>* others) override;

 private:
  bool admits_tensor(const Tensor& reference, const Tensor& observed, const std::string& what,
                     Verdict& verdict);
  bool admits_floats(const Tensor& reference, const Tensor& observed, const std::string& what,
                     Verdict& verdict);
  bool admits_ints(const Tensor& reference, const Tensor& observed, const std::string& what,
                   Verdict& verdict);
  void pointwise(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results);
  void reduce(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results);
  Bounded divide_by_count(const ReducePlan& plan, Bounded b) const;
  void sums_so_far(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results);
  void contract(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results);
  void scatter(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results);
  bool exact(const IValue& v);  // is every element of every tensor in it?
  void move(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results);
  void copy_views(std::span<const IValue> args, const std::vector<IValue>& results);
  void require_decided(std::span<const IValue> args, const std::vector<IValue>& results);
  // Of ops that order: nothing is known of the index of one of several equal keys.
  void forget_ties(const Operator& op, std::span<const IValue> args,
                   const std::vector<IValue>& results);
  void learn(const IValue& v);
  Cells& fresh(const Tensor& t);  // cells for a tensor this op has just written

  const Of of_;
  const EngineDeviation* allowed_;
  int composed_ = 0;  // operators that round more than once, in whose bodies this is
  double neighbour_unit_ =
      0;  // of an operator's second run (shadow_perturbed.cpp): the unit of its neighbours
  std::unordered_map<const Storage*, Cells> memory_;
};

}  // namespace fusillade::fuzz
