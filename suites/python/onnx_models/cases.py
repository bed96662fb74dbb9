"""One model or more for each operator of ONNX that Fusillade reads: nodes and inputs. Run by a
Python with onnx and onnxruntime (write.py)."""

import numpy as np
from onnx import helper

RANDOM = np.random.default_rng(7)
CASES = []


def f(*shape, low=None, high=None, dtype="float32"):
    if low is None:
        return RANDOM.standard_normal(shape).astype(dtype)
    return RANDOM.uniform(low, high, shape).astype(dtype)


def i(*values, dtype="int64"):
    return np.array(values, dtype=dtype)


def ints(*shape, low=-9, high=9, dtype="int64"):
    return RANDOM.integers(low, high, shape, dtype=dtype)


def case(op, inputs, constants=(), outputs=1, opset=None, approximate=False, **attributes):
    """`constants`: more inputs, which are initialisers; None leaves one out. `approximate`: ONNX
    Runtime's kernel rounds more often than the operator's formula does, so onnx's own is asked."""
    CASES.append(
        {
            "op": op,
            "inputs": inputs,
            "constants": list(constants),
            "outputs": outputs,
            "opset": opset or 18,
            "approximate": approximate,
            "attributes": attributes,
        }
    )


def branch(value):
    """A graph that gives this number."""
    node = helper.make_node("Constant", [], ["of"], value_floats=[float(value)])
    out = helper.make_tensor_value_info("of", 1, [1])
    return helper.make_graph([node], f"branch{value}", [], [out])


# ---- element-wise
for name in "Abs Ceil Floor Neg Relu Round Sign Identity IsNaN".split():
    case(name, [f(2, 5)])
for name in "Asinh Atan Cos Cosh Erf Exp Sigmoid Sin Sinh Softplus Tan Tanh Mish".split():
    case(name, [f(3, 4)])
case("Softsign", [f(3, 4)], approximate=True)
for name in "Acos Asin Atanh".split():
    case(name, [f(3, 4, low=-0.9, high=0.9)])
case("Acosh", [f(3, 4, low=1.5, high=4)])
for name in "Log Sqrt Reciprocal".split():
    case(name, [f(3, 4, low=0.2, high=4)])
case("HardSwish", [f(3, 4) * 3])
case("HardSigmoid", [f(3, 4) * 3], alpha=0.3, beta=0.4)
case("HardSigmoid", [f(3, 4) * 3])
case("LeakyRelu", [f(3, 4)])
case("LeakyRelu", [f(3, 4)], alpha=0.3)
case("Elu", [f(3, 4)], alpha=1.5)
case("Selu", [f(3, 4)])
case("Celu", [f(3, 4)], alpha=2.0)
case("ThresholdedRelu", [f(3, 4)], alpha=0.5)
case("Shrink", [f(3, 4)], lambd=0.4, bias=0.1)
case("PRelu", [f(2, 3, 4)], [f(3, 1)])
case("Gelu", [f(3, 4)], opset=20)
case("Gelu", [f(3, 4)], opset=20, approximate="tanh")
case("Swish", [f(3, 4)], opset=24, alpha=1.5)
case("IsInf", [np.array([1, np.inf, -np.inf], "float32")])
case("IsInf", [np.array([1, np.inf, -np.inf], "float32")], detect_negative=0)
case("Not", [f(3) > 0])
for name in "And Or Xor".split():
    case(name, [f(3, 4) > 0, f(4) > 0])
for name in "BitwiseAnd BitwiseOr BitwiseXor".split():
    case(name, [ints(3, 4), ints(4)])
case("BitwiseNot", [ints(3, dtype="int32")])
case(
    "BitShift",
    [i(1, 2, 200, dtype="uint8"), i(1, 3, 2, dtype="uint8")],
    direction="LEFT",
)
case(
    "BitShift",
    [i(1, 2, 200, dtype="uint8"), i(1, 3, 2, dtype="uint8")],
    direction="RIGHT",
)
for name in "Add Sub Mul Div".split():
    case(name, [f(2, 3), f(3)])
    case(name, [f(2, 3)], [np.float32(1.7)])
    case(name, [ints(2, 3), i(2, -3, 5)])
for name in "Equal Less LessOrEqual Greater GreaterOrEqual".split():
    case(name, [ints(4, 3), ints(3)])
    case(name, [f(4, 3)], [f(1)])
case("Mod", [ints(6), i(2, -3, 5, 4, -4, 3)])
case("Mod", [f(6), f(6)], fmod=1)
case("Pow", [f(6, low=0.1, high=2), f(6)])
case("Pow", [f(6)], [np.float32(2)])
case("Pow", [f(6)], [i(3)])
case("Pow", [ints(6, low=0, high=5)], [i(3)])
for name in "Max Min".split():
    case(name, [f(2, 3), f(3), f(1)])
case("Sum", [f(2, 3), f(3), f(1)])
case("Mean", [f(2, 3), f(3), f(1)], approximate=True)
case("Where", [f(2, 3) > 0, f(3), f(2, 1)])
case("Clip", [f(2, 3)], [np.float32(-0.5), np.float32(0.5)])
case("Clip", [f(2, 3)], [None, np.float32(0.5)])
case("Clip", [f(2, 3), np.float32(-0.5), np.float32(0.5)])
case("Clip", [ints(2, 3)], [np.int64(-2)])
case("Cast", [f(2, 3)], to=7)
case("Cast", [f(2, 3)], to=11)
case("Cast", [ints(2, 3)], to=1)
case("Cast", [f(2, 3)], to=10)
case("Cast", [f(2, 3)], to=9)
case("CastLike", [f(2, 3), ints(1)])
case("Dropout", [f(2, 3)])
case("QuantizeLinear", [f(2, 3)], [np.float32(0.1), np.uint8(100)])
case(
    "QuantizeLinear",
    [f(2, 3)],
    [f(3, low=0.1, high=0.2), i(1, 2, 3, dtype="int8")],
    axis=1,
)
case("DequantizeLinear", [ints(2, 3, low=0, dtype="uint8")], [np.float32(0.1), np.uint8(100)])
case("DequantizeLinear", [ints(2, 3, dtype="int8")], [f(2), i(1, 2, dtype="int8")], axis=0)

# ---- sizes and places
case("Shape", [f(2, 3, 4)])
case("Shape", [f(2, 3, 4)], start=-2, end=3)
case("Size", [f(2, 3, 4)])
case("Reshape", [f(2, 3, 4)], [i(0, -1)])
case("Reshape", [f(2, 0, 4)], [i(4, 0, 2)], allowzero=1)
case("Squeeze", [f(1, 2, 1)], [i(0)])
case("Squeeze", [f(1, 2, 1)])
case("Unsqueeze", [f(2, 3)], [i(-1, 0)])
case("Flatten", [f(2, 3, 4)])
case("Flatten", [f(2, 3, 4)], axis=0)
case("Flatten", [f(2, 3, 4)], axis=-1)
case("Transpose", [f(2, 3, 4)])
case("Transpose", [f(2, 3, 4)], perm=[1, 2, 0])
case("Expand", [f(3, 1)], [i(2, 1, 4)])
case("Expand", [f(3, 4)], [i(1)])
case("Tile", [f(2, 3)], [i(2, 3)])
case("Concat", [f(2, 3), f(2, 1)], axis=-1)
case("Split", [f(2, 6)], [i(1, 2, 3)], outputs=3, axis=1)
case("Split", [f(2, 7)], outputs=3, axis=1, num_outputs=3)
case("Slice", [f(5, 6)], [i(1, 0), i(4, 100), i(0, 1), i(1, 2)])
case("Slice", [f(5, 6)], [i(-1), i(-100), i(1), i(-2)])
case("Slice", [f(5, 6)], [i(-3, 4), i(1000, 1), i(-2, -1), i(1, -1)])
case("Gather", [f(4, 3), i(0, -1, 2)])
case("Gather", [f(4, 3), ints(2, 2, low=0, high=3)], axis=1)
case("Gather", [f(4, 3)], [i(1)[0]], axis=1)
case("Gather", [ints(4, 3)], [ints(2, 2, low=-3, high=3)], axis=1)
case("GatherElements", [f(4, 3), ints(2, 3, low=-4, high=4)])
case("ScatterElements", [f(1, 5), i([1, 3]), f(1, 2)], axis=1)
case("ScatterElements", [f(1, 5), i([1, 1]), f(1, 2)], axis=1, reduction="add")
case("ScatterElements", [f(1, 5), i([1, -2]), f(1, 2)], axis=1, reduction="max")
case("GatherND", [f(3, 4, 5), i([0, 1], [-1, 2])])
case("ScatterND", [f(4, 5), i([0], [2]), f(2, 5)])
case("ScatterND", [f(4, 5), i([0, 1], [0, 1]), f(2)], reduction="add")
case("Pad", [f(2, 3)], [i(0, 1, 2, 0)])
case("Pad", [f(2, 3)], [i(1, 1), np.float32(1.5), i(1)])
case("Pad", [f(1, 2, 5)], [i(0, 0, 2, 0, 0, 1)], mode="reflect")
case("Pad", [f(1, 2, 5)], [i(0, 0, 2, 0, 0, 1)], mode="edge")
case("Pad", [f(1, 2, 5)], [i(0, 0, 2, 0, 0, 1)], opset=19, mode="wrap")
case("Pad", [f(3, 5)], [i(0, -1, 0, -1)])
case("Constant", [], value_floats=[1.5, 2.5])
case("ConstantOfShape", [], [i(2, 3)])
case("Range", [], [np.int64(2), np.int64(11), np.int64(4)])
case("Range", [], [np.float32(2), np.float32(3), np.float32(0.25)])
case("OneHot", [i(0, 2, -1)], [np.int64(4), np.array([0.5, 2], "float32")])
case("OneHot", [i([0, 2], [1, 9])], [np.int64(4), i(0, 7)], axis=0)
case("Trilu", [f(3, 4)])
case("Trilu", [f(3, 4)], [np.int64(-1)], upper=0)
case("DepthToSpace", [f(1, 8, 2, 3)], blocksize=2)
case("DepthToSpace", [f(1, 8, 2, 3)], blocksize=2, mode="CRD")
case("SpaceToDepth", [f(1, 2, 4, 6)], blocksize=2)
case("NonZero", [(f(3, 4) > 0).astype("float32")])

# ---- reductions
for name in "ReduceSum ReduceMean ReduceProd ReduceMax ReduceMin ReduceL1 ReduceL2".split():
    case(name, [f(2, 3, 4)], [i(1, -1)])
    case(name, [f(2, 3, 4)], keepdims=0)
for name in "ReduceSumSquare ReduceLogSumExp".split():
    case(name, [f(2, 3, 4)], [i(-2)], keepdims=0)
case("ReduceLogSum", [f(2, 3, 4, low=0.5, high=2)], [i(0)])
case("ReduceSum", [f(2, 3)], noop_with_empty_axes=1)
case("ReduceSum", [ints(2, 3)], [i(0)])
case("ReduceMean", [f(2, 3)], opset=13, axes=[1])
case("ReduceMax", [ints(2, 3, dtype="int32")], [i(0)])
for name in "ArgMax ArgMin".split():
    case(name, [i([1, 5, 5], [7, 7, 1], dtype="int32")], axis=1)
    case(
        name,
        [i([1, 5, 5], [7, 7, 1], dtype="int32")],
        axis=1,
        keepdims=0,
        select_last_index=1,
    )
case("Softmax", [f(2, 3, 4)])
case("LogSoftmax", [f(2, 3, 4)], axis=1)
case("Hardmax", [f(2, 3, 4)])
case("TopK", [f(3, 7)], [i(3)], outputs=2)
case("TopK", [f(7, 3)], [i(2)], outputs=2, axis=0, largest=0)
for reverse in (0, 1):
    for exclusive in (0, 1):
        case("CumSum", [f(2, 5)], [np.int64(1)], reverse=reverse, exclusive=exclusive)
case("CumProd", [f(2, 5)], [np.int64(1)], opset=26)

# ---- layers
case("MatMul", [f(2, 3, 4), f(4, 5)])
case("MatMul", [f(4), f(4, 5)])
case("Gemm", [f(3, 4), f(5, 4), f(5)], transB=1)
case("Gemm", [f(4, 3), f(4, 5), f(3, 1)], transA=1, alpha=0.5, beta=2.0)
case("Gemm", [f(3, 4), f(4, 5)], alpha=0.5)
case("Einsum", [f(2, 3), f(3, 4)], equation="ij,jk->ik")
case("BatchNormalization", [f(2, 3, 4)], [f(3), f(3), f(3), f(3, low=0.5, high=2)])
case(
    "BatchNormalization",
    [f(4, 3, 5)],
    [f(3), f(3), f(3), f(3, low=0.5, high=2)],
    outputs=3,
    training_mode=1,
    momentum=0.7,
)
case("BatchNormalization", [f(4, 3)], [f(3), f(3), f(3), f(3)], outputs=3, training_mode=1)
case("InstanceNormalization", [f(2, 3, 8)], [f(3), f(3)])
case("LayerNormalization", [f(2, 3, 8)], [f(8), f(8)])
case("LayerNormalization", [f(2, 3, 8)], [f(3, 8)], axis=1)
case("RMSNormalization", [f(2, 3, 8)], [f(8)], opset=23)
case("GroupNormalization", [f(2, 6, 4)], [f(3), f(3)], num_groups=3)
case("GroupNormalization", [f(2, 6, 4)], [f(6), f(6)], opset=21, num_groups=3)
case("LRN", [f(1, 6, 3, 3)], size=3, alpha=0.1)
case("LpNormalization", [f(2, 5)])
case("LpNormalization", [f(2, 5)], p=1, axis=0)
case(
    "Resize",
    [f(1, 2, 3, 4)],
    [None, np.array([1, 1, 2, 2], "float32")],
    coordinate_transformation_mode="asymmetric",
    nearest_mode="floor",
)
# No place falls on a pixel, where rounding decides which two are mixed.
case("Resize", [f(1, 2, 2, 4)], [None, None, i(1, 2, 5, 7)], mode="linear")
case(
    "Resize",
    [f(1, 2, 3, 4)],
    [None, None, i(1, 2, 5, 7)],
    mode="linear",
    coordinate_transformation_mode="align_corners",
)
case("Resize", [f(1, 2, 4, 4)], [None, np.array([1, 1, 2, 2], "float32")], mode="cubic")

case("Attention", [f(1, 2, 3, 4), f(1, 2, 5, 4), f(1, 2, 5, 4)], opset=23)
case(
    "Attention",
    [f(1, 3, 8), f(1, 5, 4), f(1, 5, 4), f(3, 5)],
    opset=23,
    q_num_heads=2,
    kv_num_heads=1,
    scale=0.3,
)
case("Attention", [f(1, 2, 3, 4)] * 3, opset=23, is_causal=1)
case("If", [], [np.bool_(True)], then_branch=branch(1), else_branch=branch(2))
case("If", [], [np.bool_(False)], then_branch=branch(1), else_branch=branch(2))

# ---- windows
case("Conv", [f(1, 3, 7, 8)], [f(4, 3, 3, 3), f(4)])
case(
    "Conv",
    [f(1, 4, 7, 8)],
    [f(4, 2, 3, 3)],
    group=2,
    pads=[1, 2, 1, 2],
    strides=[2, 1],
)
case("Conv", [f(1, 3, 9)], [f(4, 3, 3)], pads=[0, 2], dilations=[2])
case("Conv", [f(1, 3, 7, 8)], [f(4, 3, 3, 2)], auto_pad="SAME_UPPER", strides=[2, 2])
case("Conv", [f(1, 3, 7, 8)], [f(4, 3, 2, 2)], auto_pad="SAME_LOWER")
case("Conv", [f(1, 2, 4, 5, 6)], [f(3, 2, 2, 2, 2)])
case(
    "ConvTranspose",
    [f(1, 3, 4, 5)],
    [f(3, 2, 3, 3), f(2)],
    strides=[2, 2],
    output_padding=[1, 1],
    pads=[1, 1, 1, 1],
)
case("ConvTranspose", [f(1, 3, 4)], [f(3, 2, 3)], strides=[2], pads=[0, 1])
case("MaxPool", [f(1, 2, 7, 8)], kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 0])
case("MaxPool", [f(1, 2, 7, 8)], kernel_shape=[2, 2], strides=[2, 2], pads=[0, 1, 1, 0])
case("MaxPool", [f(1, 2, 7)], kernel_shape=[2], strides=[2], ceil_mode=1)
case("AveragePool", [f(1, 2, 7, 8)], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
case(
    "AveragePool",
    [f(1, 2, 7, 8)],
    kernel_shape=[3, 3],
    pads=[1, 1, 1, 1],
    count_include_pad=1,
)
case("AveragePool", [f(1, 2, 7, 8)], kernel_shape=[2, 2], auto_pad="SAME_UPPER")
case("LpPool", [f(1, 2, 6, 6)], kernel_shape=[2, 2], strides=[2, 2])
case("GlobalAveragePool", [f(1, 2, 6, 6)])
case("GlobalMaxPool", [f(1, 2, 6, 6)])

# ---- recurrent
X = f(5, 2, 3)
case(
    "LSTM",
    [X],
    [f(1, 16, 3), f(1, 16, 4), f(1, 32)],
    outputs=3,
    approximate=True,
    hidden_size=4,
)
case(
    "LSTM",
    [X],
    [f(2, 16, 3), f(2, 16, 4), f(2, 32), None, f(2, 2, 4), f(2, 2, 4)],
    outputs=3,
    approximate=True,
    hidden_size=4,
    direction="bidirectional",
)
case(
    "GRU",
    [X],
    [f(1, 12, 3), f(1, 12, 4), f(1, 24)],
    outputs=2,
    hidden_size=4,
    linear_before_reset=1,
    direction="reverse",
)
case("RNN", [X], [f(1, 4, 3), f(1, 4, 4)], outputs=2, hidden_size=4)
# Places fall on pixels, where rounding decides which two are mixed: samples judge it.
case("Resize", [f(1, 2, 3, 4)], [None, None, i(1, 2, 5, 7)], mode="linear")
