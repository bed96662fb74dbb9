// Patterns that tinygrad's rules of symbols and movements look for (peer_patterns.h). (law: rules
// name ops)
#include "fuzz/gen/peer_patterns.h"

namespace fusillade::fuzz {
namespace {

[[maybe_unused]] const bool kRegistered = add_peer_patterns(
    "tinygrad",
    {
        {"sum-of-constant", "", "sum(full([A, B], 3.0), [1], True)"},
        {"sum-of-arange-compare", "", "sum(mul(to(eq(unsqueeze(i, 1), arange(V)), f32), x), [1])",
         "i:N/below:V x:V/f32"},
        {"index-by-arange", "", "sum(mul(to(eq(unsqueeze(i, 1), arange(V)), i32), x), [1])",
         "i:N/below:V x:V/i32"},
        {"xor-twice", "", "bitwise_xor(bitwise_xor(x, y), y)", "x:*/i32 y:*/i32"},
        {"and-of-bools", "", "mul(c, d)", "c:*/bool d:*/bool"},
        {"or-of-bools", "", "maximum(c, d)", "c:*/bool d:*/bool"},
        {"mul-by-inverse", "", "mul(x, reciprocal(x))"},
        {"negative-by-mul", "", "add(x, mul(y, -1))"},
        {"quotient-of-remainder", "", "floor_divide(remainder(x, 12), 4)", "x:*/i32"},
        {"comparison-of-quotient", "", "lt(floor_divide(x, 4), 3)", "x:*/i32"},
        {"where-of-not", "", "where(logical_not(c), x, 0)", "c:*/bool"},
        {"where-sum", "", "add(where(c, x, 0), where(c, 0, y))", "c:*/bool"},
        {"exp2-of-log2", "", "exp2(log2(x))"},
        {"sigmoid-derivative", "", "mul(sigmoid(x), rsub(sigmoid(x), 1))"},
        {"trunc-of-int", "", "trunc(x)", "x:*/i32"},
        {"pad-then-shrink", "", "slice(constant_pad_nd(x, [1, 1]), -1, 1, 4)", "x:A3"},
        {"flip-of-expand", "", "flip(expand(x, [A, B]), [0])", "x:1B"},
    });

}  // namespace
}  // namespace fusillade::fuzz
