// Operators that take complex tensors as pairs of real numbers (engine/aten/pairs): their
// arguments are drawn as those of the op whose place they take, with one dimension of 2 behind.
#pragma once

#include <string>
#include <string_view>

#include "engine/ops/operator.h"

namespace fusillade::fuzz {

constexpr std::string_view kOfPairs = "prim::complex_";
constexpr std::string_view kStaysReal = "real_";  // how arguments that are no pairs begin

constexpr std::string_view kOfReal =
    "_of_real";  // how operators end that take real tensors instead

inline bool of_pairs(const Operator& op) { return op.name.starts_with(kOfPairs); }

// Is the argument a pair, or a list of pairs?
inline bool takes_pairs(const Operator& op, const SchemaArg& formal) {
  const Type& type = formal.type.is(TypeKind::List) ? formal.type.element() : formal.type;
  return of_pairs(op) && type.is_tensor() && !formal.name.starts_with(kStaysReal) &&
         op.name != "prim::complex_of";
}

}  // namespace fusillade::fuzz
