// Composite operators that also run natively: what their bodies say, computed in C++ or by a
// library.
//
// The body stays the definition: the ring runs it, and so do walks that judge (fuzz/run), as far as
// the native way is the body's up to the rounding of each step (Likeness::Formula). One by another
// algorithm (Likeness::Other), whose results differ from the body's by more than that or in their
// signs, is opaque to them. Executors run natives in the real domain; fusers and inference read the
// body. Results have the sizes and strides of the body's.
//
// Natives register themselves by the name of the operator, as operators do:
//
//   [[maybe_unused]] const NativeBody& kCholesky = add_native({"prim::lower_factor", &run_lower});
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/ops/operator.h"

namespace fusillade {

enum class Likeness : uint8_t { Formula, Other };

// Appends the results; false, and nothing appended, for arguments it leaves to the body: those that
// are illegal among them, so that errors are the body's.
using NativeFn = bool (*)(std::span<const IValue> args, std::vector<IValue>& results);

struct NativeBody {
  std::string name;  // of the operator
  NativeFn run = nullptr;
  Likeness likeness = Likeness::Formula;
};
const NativeBody& add_native(NativeBody row);

// nullptr where there is none.
const NativeBody* native_of(const Operator& op);

}  // namespace fusillade
