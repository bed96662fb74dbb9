// Operators on pairs (gen/pairs.h) in Python: the operators of complex tensors whose place they
// take.
//
//   %y : Tensor = prim::complex_mul(%x, %w)
//     ->  aten.view_as_real(aten.mul(aten.view_as_complex(x), aten.view_as_complex(w)))
//
// So values are real tensors everywhere, and an external engine computes with complex ones.
#pragma once

#include <functional>
#include <string>

#include "engine/ops/operator.h"

namespace fusillade::fuzz {

// The operator that a program names: of pairs the one whose place they take, else the operator
// itself.
const Operator& written_operator(const Operator& op);
// An argument's name there.
std::string written_name(const Operator& op, const SchemaArg& formal);

// Calls a function of complex tensors: "torch.view_as_complex", and what it is given.
using CallOfOne = std::function<std::string(const char* function, const std::string& operand)>;

// The argument as complex tensors, where the operator takes pairs.
std::string given_as_complex(const Operator& op, const SchemaArg& formal, const std::string& value,
                             const CallOfOne& call);
// What the call gives as pairs again, where the operator gives pairs.
std::string given_as_pairs(const Operator& op, const std::string& value, const CallOfOne& call);

// complex64, as Python libraries say it, for the dtype of its parts. Throws Unsupported.
std::string complex_name(DType parts);

}  // namespace fusillade::fuzz
