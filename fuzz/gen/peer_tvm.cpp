// Patterns that TVM's simplifiers and fusers look for (peer_patterns.h). (law: rules name ops)
#include "fuzz/gen/peer_patterns.h"

namespace fusillade::fuzz {
namespace {

[[maybe_unused]] const bool kRegistered = add_peer_patterns(
    "tvm",
    {
        {"conv-bias-relu-pool", "", "max_pool2d(relu(conv2d(x, w, b)), [2, 2])",
         "x:NCHH w:OC22 b:O"},
        {"parallel-dense", "", "cat([linear(x, w), linear(x, u)], -1)", "x:MK w:NK u:LK"},
        {"parallel-conv", "openvino tensorflow", "add(conv2d(x, w), conv2d(x, u))",
         "x:NCHH w:OC22 u:OC22"},
        {"scale-axis-forward", "", "conv2d(mul(relu(x), s), w)", "x:NCHH s:C11 w:OC22"},
        {"scale-axis-backward", "", "mul(relu(conv2d(x, w)), s)", "x:NCHH w:OC22 s:O11"},
        {"transpose-pair-conv", "", "permute(relu(permute(x, [0, 2, 3, 1])), [0, 3, 1, 2])",
         "x:NCHW"},
        {"full-elementwise", "", "add(x, full([A, B], 0.0))", "x:AB"},
        {"eye-matmul", "", "matmul(x, eye(K))", "x:MK"},
        {"min-of-sums", "", "minimum(add(x, z), add(y, z))", "x:*/i32 y:*/i32 z:*/i32"},
        {"max-of-differences", "", "maximum(sub(x, z), sub(y, z))", "x:*/i32 y:*/i32 z:*/i32"},
        {"quotient-of-product", "tinygrad", "floor_divide(mul(x, 6), 3)", "x:*/i32"},
        {"quotient-of-sum", "tinygrad", "floor_divide(add(mul(x, 4), y), 4)", "x:*/i32 y:*/i32"},
        {"remainder-of-sum", "tinygrad", "remainder(add(mul(x, 4), y), 4)", "x:*/i32 y:*/i32"},
        {"remainder-of-product", "tinygrad", "remainder(mul(x, 6), 3)", "x:*/i32"},
        {"truncated-remainder", "", "fmod(fmod(x, 6), 3)", "x:*/i32"},
        {"compare-of-products", "", "lt(mul(x, 2), mul(y, 2))", "x:*/i32 y:*/i32"},
        {"dynamic-to-static-reshape", "", "reshape(x, [-1, B, 1])", "x:AB"},
    });

}  // namespace
}  // namespace fusillade::fuzz
