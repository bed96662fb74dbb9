// Operators whose bodies compute in double whatever they are given: special functions and matrices.
//
// Others compute those in the operand's own precision. Their result is that of a slightly perturbed
// operand (backward stability: Higham, "Accuracy and Stability of Numerical Algorithms", 2002, ch.
// 9 and 19; special functions lose as much where they cancel). So the body runs a second time, over
// operands each of which represents its neighbours, and both answers are legal:
//
//   digamma(1.46)  ->  the first run, 4 ulp; and digamma([1.46 - 4 ulp, 1.46 + 4 ulp])
//
// Where the first run knows an infinity or NaN it stays the only answer, as for erfinv(1). A second
// run that cannot go on (which pivot is the larger?) says that nothing is known.
#include <algorithm>
#include <cmath>

#include "engine/tensor/iterate.h"
#include "fuzz/run/cell.h"
#include "fuzz/run/composed.h"

namespace fusillade::fuzz {
namespace {

constexpr double kNeighbours = 4;  // ulp to either side; of matrices, for each of their rows

double unit_of(std::span<const IValue> args) {
  for (const IValue& v : args)
    if (v.is_tensor() && v.as_tensor().dtype() == DType::F64) return 0x1p-53;
  return 0x1p-24;
}

// Integers, which special functions take for numbers of float32.
bool none_real(std::span<const IValue> args) {
  return std::none_of(args.begin(), args.end(), [](const IValue& v) {
    return v.is_tensor() && is_float(v.as_tensor().dtype());
  });
}

}  // namespace

void or_zero_below(Bounded& b, double smallest) {
  if (std::min(std::fabs(b.lo), std::fabs(b.hi)) >= smallest) return;
  b.lo = std::min(b.lo, 0.0);
  b.hi = std::max(b.hi, 0.0);
}

std::vector<IValue> Shadow::neighbours(const Operator& op, std::span<const IValue> args) {
  const Widened kind = of_ == Of::Ours || neighbour_unit_ ? Widened::No : widening_of(op);
  if (kind == Widened::No) return {};
  const double unit = unit_of(args);
  const bool whole =
      kind == Widened::Special && none_real(args) &&
      std::all_of(args.begin(), args.end(), [&](const IValue& v) { return exact(v); });
  std::vector<IValue> out;
  for (const IValue& v : args) {
    if (!v.is_tensor() || !(whole || is_float(v.as_tensor().dtype()))) {
      out.push_back(v);
      continue;
    }
    const Tensor given = whole ? to_dtype(v.as_tensor(), DType::F32) : v.as_tensor();
    const Tensor copy = contiguous(given, true);
    const Cells from = cells(given);
    Cells& to = fresh(copy);
    const bool matrix = kind == Widened::Matrix;
    const double share = kNeighbours * 2 * unit *
                         (matrix && given.rank() ? static_cast<double>(given.sizes().back()) : 1);
    const double most = matrix ? greatest_finite(given) : 0;
    const double smallest = steps_of(given.dtype()).smallest;
    size_t i = 0;
    for_each_element(given.sizes(), given.strides(), given.offset(), [&](int64_t at) {
      Bounded b = from.real[static_cast<size_t>(at)];
      const bool zero = b.lo == 0 && b.hi == 0;  // a column of them is passed over
      if (kind == Widened::Special && is_finite(b)) or_zero_below(b, smallest);
      if (is_finite(b) && !zero) {
        b.lo -= share * (matrix ? most : std::fabs(b.lo));
        b.hi += share * (matrix ? most : std::fabs(b.hi));
      }
      to.real[i++] = b;
    });
    out.emplace_back(copy);
  }
  neighbour_unit_ = unit;
  return out;
}

bool Shadow::goes_on(const std::function<void()>& run) {
  const int composed = composed_;
  try {
    run();
    return true;
  } catch (const Untrusted&) {
  } catch (const Error&) {  // as a neighbour of a regular matrix may be singular
  }
  composed_ = composed;
  return false;
}

void Shadow::neighbours_ran(const std::vector<IValue>& results, const std::vector<IValue>* others) {
  neighbour_unit_ = 0;
  for (size_t k = 0; k < results.size(); ++k) {
    if (!results[k].is_tensor()) continue;
    if (!others) {
      forget(results[k]);
      continue;
    }
    const Tensor mine = results[k].as_tensor();
    const Tensor other = (*others)[k].as_tensor();
    const Cells from = cells(other);
    Cells& to = cells(mine);
    std::vector<size_t> offsets;
    for_each_element(other.sizes(), other.strides(), other.offset(),
                     [&](int64_t at) { offsets.push_back(static_cast<size_t>(at)); });
    size_t i = 0;
    for_each_element(mine.sizes(), mine.strides(), mine.offset(), [&](int64_t at) {
      const size_t index = static_cast<size_t>(at);
      const size_t next = offsets[i++];
      if (to.real.empty()) {
        IntRange& r = to.whole[index];
        r = {std::min(r.lo, from.whole[next].lo), std::max(r.hi, from.whole[next].hi)};
      } else if (is_finite(to.real[index])) {
        to.real[index] = select(Tri::Unsure, to.real[index], from.real[next]);
        or_zero_below(to.real[index], steps_of(mine.dtype()).smallest);
      }
    });
  }
}

}  // namespace fusillade::fuzz
