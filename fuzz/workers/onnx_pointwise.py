"""ATen's element-wise ops and conversions in ONNX."""

import math

import numpy as np
from aten import HALVES, kind, need, wide, with_overload
from onnx_graph import (
    OPS,
    Graph,
    add,
    both,
    cast,
    check,
    common,
    constant,
    div,
    either,
    emit,
    equal,
    in_common,
    in_float,
    is_tensor,
    less,
    like,
    logical_not,
    mul,
    node,
    op,
    sub,
    to,
    where,
)

INF = math.inf
INT_LEAST = {
    "int8": -(2**7),
    "int16": -(2**15),
    "int32": -(2**31),
    "int64": -(2**63),
    "uint8": None,
}


def unary(name, **attributes):
    return lambda x: node(name, x, **attributes)


def of(name):
    return lambda a, b: node(name, a, b)


def zero(x):
    return like(x, 0)


def one(x):
    return like(x, 1)


def negative(x):
    return less(x, zero(x))


def trunc(x):
    return where(negative(x), node("Ceil", x), node("Floor", x))


def is_nan(x):
    return node("IsNaN", x, dtype="bool")


def fmod(a, b):
    return node("Mod", a, b, fmod=1)


def floor_mod(a, b):
    r = fmod(a, b)
    differs = both(logical_not(equal(r, zero(r))), node("Xor", negative(r), negative(b)))
    return where(differs, add(r, b), r)


def floor_div(a, b):
    ratio, r = div(a, b), fmod(a, b)
    whole = div(sub(a, r), b)
    opposite = either(both(negative(r), less(zero(b), b)), both(less(zero(r), r), negative(b)))
    whole = where(opposite, sub(whole, one(whole)), whole)
    down = node("Floor", whole)
    down = where(less(like(down, 0.5), sub(whole, down)), add(down, one(down)), down)
    signed = where(
        negative(ratio), like(ratio, -0.0), where(equal(ratio, zero(ratio)), ratio, zero(ratio))
    )
    return where(equal(b, zero(b)), ratio, where(equal(whole, zero(whole)), signed, down))


def safe(function):
    """Integers: by 0, and the least by -1, the processor raises; such calls are declined, and 1
    divides."""

    def run(a, b):
        bad = equal(b, zero(b))
        check(bad, "an integer divided by 0")
        if INT_LEAST[b.dtype] is not None:
            least = both(equal(b, like(b, -1)), equal(a, like(a, INT_LEAST[a.dtype])))
            check(least, "the least integer / -1")
            bad = either(bad, least)
        return function(a, where(bad, one(b), b))

    return run


def int_floor_div(a, b):
    """Div truncates; a - Mod(a, b), which is divided without a rest, may be beyond the dtype."""
    quotient, inexact = div(a, b), logical_not(equal(node("Mod", a, b), zero(a)))
    return where(
        both(inexact, node("Xor", negative(a), negative(b))), sub(quotient, one(quotient)), quotient
    )


def sign(x):
    return (
        where(less(zero(x), x), one(x), where(negative(x), like(x, -1), zero(x)))
        if x.dtype != "uint8"
        else where(less(zero(x), x), one(x), zero(x))
    )


def hypot(a, b):
    x, y = node("Abs", a), node("Abs", b)
    smaller = less(x, y)
    most = where(smaller, y, x)
    ratio = div(where(smaller, x, y), most)
    norm = where(
        equal(most, zero(most)), most, mul(most, node("Sqrt", add(one(ratio), mul(ratio, ratio))))
    )
    norm = where(is_nan(x), x, where(is_nan(y), y, norm))
    infinite = either(equal(x, like(x, INF)), equal(y, like(y, INF)))
    return where(infinite, like(x, INF), norm)


def copysign(a, b):
    minus = either(negative(b), both(equal(b, zero(b)), negative(div(one(b), b))))
    size = node("Abs", a)
    return where(minus, node("Neg", size), size)


def unit(x, alpha, scale, input_scale):
    low = mul(sub(node("Exp", mul(x, input_scale)), one(x)), mul(alpha, scale))
    return where(node("LessOrEqual", x, zero(x), dtype="bool"), low, mul(x, scale))


def elu(x, alpha=1, scale=1, input_scale=1):
    if (scale, input_scale) == (1, 1):
        return node("Elu", x, alpha=float(alpha))
    return unit(x, like(x, alpha), like(x, scale), like(x, input_scale))


def gelu(x, approximate="none"):
    if approximate == "tanh":
        cube = mul(mul(x, x), x)
        inner = mul(like(x, math.sqrt(2 / math.pi)), add(x, mul(like(x, 0.044715), cube)))
        return mul(mul(like(x, 0.5), x), add(one(x), node("Tanh", inner)))
    return mul(mul(x, like(x, 0.5)), add(one(x), node("Erf", mul(x, like(x, math.sqrt(0.5))))))


def softplus(x, beta=1, threshold=20):
    need((beta, threshold) == (1, 20), "a softplus of other limits")
    return where(less(like(x, 20), x), x, node("Softplus", x))


def logit(x, eps=None):
    if eps is not None and eps >= 0:
        low, high = like(x, eps), like(x, 1 - np.dtype(x.dtype).type(eps))
        x = where(less(x, low), low, where(less(high, x), high, x))
    return node("Log", div(x, sub(one(x), x)))


def lerp(a, b, w):
    way = sub(b, a)
    return where(
        less(node("Abs", w), like(w, 0.5)), add(a, mul(w, way)), sub(b, mul(way, sub(one(w), w)))
    )


def periodic(name):
    """In 64 bits close to a multiple of pi / 2 only the absolute error is small."""

    def run(x):
        need(x.dtype != "float64", "sines of float64 near their zeros")
        return node(name, x)

    return run


def by_log(base):
    return lambda x: div(node("Log", x), like(x, math.log(base)))


def prelu(x, w):
    if not x.ndim:
        w = emit("Reshape", [w, constant([], "int64", (0,))], w.dtype, ())
        return node("PRelu", x, w)
    shape = (1, -1) + (1,) * (x.ndim - 2) if x.ndim > 1 else (-1,)
    width = w.numel
    slope = emit(
        "Reshape",
        [w, constant(shape, "int64")],
        w.dtype,
        tuple(width if n == -1 else n for n in shape),
    )
    return node("PRelu", x, slope)


def leaky_relu(x, negative_slope=0.01):
    need(math.isfinite(negative_slope), "an infinite slope, which ONNX does not multiply 0 by")
    return node("LeakyRelu", x, alpha=float(negative_slope))


def shrink(bias):
    """What is on neither side of the limits, as a NaN, becomes 0 in ONNX."""

    def run(x, lambd=0.5):
        check(is_nan(x), "a NaN that shrinks to 0")
        need(not math.isnan(lambd), "a limit that is NaN")
        return node("Shrink", x, lambd=float(lambd), bias=float(lambd) if bias else 0.0)

    return run


SMALL_TANH = "tanh of numbers next to subnormal ones"


def tanh(x):
    """Of float32 it is a quotient of x * 0.0049 and another: where that is subnormal it is off by
    102 of the least number."""
    if x.dtype == "float32":
        size = node("Abs", x)
        check(both(less(like(x, 0), size), less(size, like(x, 2.0**-122))), SMALL_TANH)
    return node("Tanh", x)


def mish(x):
    """x * tanh(log(1 + exp(x)))."""
    if x.dtype == "float32":
        check(both(less(like(x, -INF), x), less(x, like(x, -84))), SMALL_TANH)
    return node("Mish", x)


def celu(x, alpha=1.0):
    need(math.isfinite(alpha), "an infinite alpha, which ONNX multiplies 0 by")
    need(np.float32(alpha) != 0, "an alpha that is 0 in 32 bits, by which ONNX divides")
    return node("Celu", x, alpha=float(alpha))


FLOAT = {
    **{
        name.lower(): unary(name)
        for name in (
            "Acos",
            "Asin",
            "Atan",
            "Tan",
            "Exp",
            "Log",
            "Sqrt",
            "Reciprocal",
            "Sigmoid",
            "Erf",
            "Sinh",
            "Cosh",
            "Asinh",
            "Acosh",
            "Atanh",
        )
    },
    "sin": periodic("Sin"),
    "cos": periodic("Cos"),
    "tanh": tanh,
    "rsqrt": lambda x: node("Reciprocal", node("Sqrt", x)),
    "log2": by_log(2),
    "log10": by_log(10),
    "logit": logit,
    "exp2": lambda x: node("Pow", like(x, 2), x),
    "div.Tensor": div,
    "div.Scalar": div,
    "copysign.Tensor": copysign,
    "copysign.Scalar": copysign,
}
ONLY_FLOATS = {
    "frac": lambda x: sub(x, trunc(x)),
    "silu": lambda x: mul(x, node("Sigmoid", x)),
    "mish": mish,
    "hardsigmoid": lambda x: node("HardSigmoid", x, alpha=1 / 6, beta=0.5),
    "hardswish": unary("HardSwish"),
    "elu": elu,
    "selu": unary("Selu"),
    "celu": celu,
    "softplus": softplus,
    "gelu": gelu,
    "hypot": hypot,
    "lerp.Tensor": lerp,
    "prelu": prelu,
    "log_sigmoid": lambda x: node("Neg", node("Softplus", node("Neg", x))),
    "leaky_relu": leaky_relu,
    "softshrink": shrink(1),
    "hardshrink": shrink(0),
}
KEPT = {"floor": unary("Floor"), "ceil": unary("Ceil"), "round": unary("Round"), "trunc": trunc}
COMMON = {
    "maximum": of("Max"),
    "max.other": of("Max"),
    "minimum": of("Min"),
    "min.other": of("Min"),
}


def order(name):
    def run(a, b):
        need(a.dtype != "bool", "ONNX orders numbers, not bools")
        return node(name, a, b, dtype="bool")

    return run


TESTS = {
    "eq": equal,
    "ne": lambda a, b: logical_not(equal(a, b)),
    "lt": order("Less"),
    "le": order("LessOrEqual"),
    "gt": order("Greater"),
    "ge": order("GreaterOrEqual"),
}
IS = {
    "isnan": is_nan,
    "isinf": lambda x: node("IsInf", x, dtype="bool"),
    "isposinf": lambda x: node("IsInf", x, dtype="bool", detect_negative=0),
    "isneginf": lambda x: node("IsInf", x, dtype="bool", detect_positive=0),
    "isfinite": lambda x: less(node("Abs", x), like(x, INF)),
}


def test(function):
    def run(*args):
        dtype = wide(common(*args))
        return function(*[to(a, dtype) for a in args])

    return run


def bits(name, bools):
    def run(a, b):
        dtype = common(a, b)
        need(kind(dtype) < 2 and (bools or dtype != "bool"), "bits of floats")
        logical = {"BitwiseAnd": "And", "BitwiseOr": "Or", "BitwiseXor": "Xor"}.get(name)
        return node(logical if dtype == "bool" else name, to(a, dtype), to(b, dtype))

    return run


def shift(direction):
    def run(a, b):
        dtype = common(a, b)
        need(dtype == "uint8", "ONNX shifts unsigned integers")
        return node("BitShift", to(a, dtype), to(b, dtype), direction=direction)

    return run


OPS.update({with_overload(n): in_float(f) for n, f in FLOAT.items()})
OPS.update({with_overload(n): in_float(f, promote=False) for n, f in ONLY_FLOATS.items()})
OPS["lerp.Scalar"] = in_float(lerp, promote=False, silent=1)
OPS.update({with_overload(n): in_common(f, False, lambda x: x) for n, f in KEPT.items()})
OPS.update({with_overload(n): in_common(f, False) for n, f in COMMON.items()})
OPS["fmax.default"] = in_common(
    lambda a, b: where(is_nan(a), b, where(is_nan(b), a, where(less(a, b), b, a))), False, of("Max")
)
OPS["fmin.default"] = in_common(
    lambda a, b: where(is_nan(a), b, where(is_nan(b), a, where(less(b, a), b, a))), False, of("Min")
)


def negative_of(x):
    need(x.dtype != "uint8", "ONNX negates signed numbers")
    return node("Neg", x)


OPS["neg.default"], OPS["abs.default"] = (
    in_common(negative_of, False),
    in_common(unary("Abs"), False),
)
OPS["sign.default"] = OPS["sgn.default"] = in_common(sign, False)
OPS["floor_divide.default"] = OPS["floor_divide.Scalar"] = in_common(
    floor_div, False, safe(int_floor_div)
)


def truths(*values):
    dtype = common(*values)
    return [to(to(v, dtype), "bool") for v in values]


OPS["logical_not.default"] = lambda x: logical_not(to(x, "bool"))
OPS["bitwise_not.default"] = lambda x: node("Not" if x.dtype == "bool" else "BitwiseNot", x)
for overload in ("Tensor", "Scalar"):
    OPS.update({f"{n}.{overload}": test(f) for n, f in TESTS.items()})
    OPS["fmod." + overload] = in_common(fmod, False, safe(fmod))
    OPS["remainder." + overload] = in_common(floor_mod, False, safe(of("Mod")))
    OPS["mul." + overload] = in_common(
        lambda a, b: node("And" if a.dtype == "bool" else "Mul", a, b)
    )
    OPS.update({f"__{n}shift__.{overload}": shift(d) for n, d in (("l", "LEFT"), ("r", "RIGHT"))})
for side, direction in (("left", "LEFT"), ("right", "RIGHT")):
    OPS.update(
        {
            f"bitwise_{side}_shift.{o}": shift(direction)
            for o in ("Tensor", "Tensor_Scalar", "Scalar_Tensor")
        }
    )
for stem in ("And", "Or", "Xor"):
    low = stem.lower()
    OPS.update(
        {
            f"bitwise_{low}.{o}": bits("Bitwise" + stem, True)
            for o in ("Tensor", "Scalar", "Scalar_Tensor")
        }
    )
    OPS.update({f"__{low}__.{o}": bits("Bitwise" + stem, True) for o in ("Tensor", "Scalar")})
    OPS[f"logical_{low}.default"] = (lambda s: lambda a, b: node(s, *truths(a, b)))(stem)


def float_test(function, name):
    def run(x):
        if kind(x.dtype) < 2:
            return constant(np.full(x.shape, name == "isfinite"), "bool")
        return function(to(x, wide(x.dtype)))

    return run


OPS.update({n + ".default": float_test(f, n) for n, f in IS.items()})


def sum_like(combine, bools):
    def run(a, b, alpha=1):
        dtype = common(a, b)
        given = any(v.dtype == "bool" if is_tensor(v) else type(v) is bool for v in (a, b))
        need(bools or not given, "bools")
        if dtype == "bool":
            need(alpha == 1, "bools")
            return node("Or", to(a, dtype), to(b, dtype))
        a, b = to(a, wide(dtype)), to(b, wide(dtype))
        return to(
            combine(a, b, (lambda v: v) if alpha == 1 else lambda v: mul(like(v, alpha), v)), dtype
        )

    return run


for name, f, bools in (
    ("add", lambda a, b, times: add(a, times(b)), True),
    ("sub", lambda a, b, times: sub(a, times(b)), False),
    ("rsub", lambda a, b, times: sub(b, times(a)), False),
):
    OPS[name + ".Tensor"] = OPS[name + ".Scalar"] = sum_like(f, bools)


@op("div.Tensor_mode", "div.Scalar_mode")
def div_mode(a, b, rounding_mode):
    if rounding_mode is None:
        return OPS["div.Tensor"](a, b)
    if rounding_mode == "floor":
        return OPS["floor_divide.default"](a, b)
    return in_common(lambda a, b: trunc(div(a, b)), False, safe(div))(a, b)


@op("pow.Tensor_Tensor", "pow.Scalar", "pow.Tensor_Scalar")
def power(a, b):
    dtype = common(a, b)
    if kind(dtype) < 2:
        need(dtype in ("int32", "int64"), "integers of less than 32 bits")
        a, b = to(a, dtype), to(b, dtype)
        size = node("Pow", node("Abs", to(a, Graph.widest)), to(b, Graph.widest))
        check(
            either(negative(b), less(like(size, 2.0 ** (30 if dtype == "int32" else 62)), size)),
            "an integer's overflow",
        )
        return node("Pow", a, b)
    x = to(a, wide(dtype))
    root = {0.5: lambda: node("Sqrt", x), -0.5: lambda: node("Reciprocal", node("Sqrt", x))}
    if not is_tensor(b) and b in root and dtype not in HALVES:
        return root[b]()
    return to(node("Pow", x, to(b, wide(dtype))), dtype)


@op("square.default")
def square(x):
    return in_common(lambda x: mul(x, x))(to(x, "int64") if x.dtype == "bool" else x)


def clip(x, low, high):
    """Clip's limits are numbers; of tensors Max and Min. A limit that is NaN limits nothing in ONNX
    Runtime, and one that is left out is the largest finite number."""
    dtype = common(x, low, high)
    x = to(x, wide(dtype))
    low, high = (None if v is None else to(v, x.dtype) for v in (low, high))
    if kind(x.dtype) == 2:
        for v in (low, high):
            if v is not None:
                check(is_nan(v), "a limit that is NaN")
        low, high = (like(x, end) if v is None else v for v, end in ((low, -INF), (high, INF)))
    if all(v is None or v.ndim == 0 for v in (low, high)):
        return to(emit("Clip", [x, low, high], x.dtype, x.shape), dtype)
    x = x if low is None else node("Max", x, low)
    return to(x if high is None else node("Min", x, high), dtype)


@op("clamp.default", "clamp.Tensor")
def clamp(x, min=None, max=None):
    need(x.dtype != "bool", "bools")
    return clip(x, min, max)


@op("hardtanh.default")
def hardtanh(x, min_val=-1, max_val=1):
    need(x.dtype != "bool", "bools")
    w = wide(x.dtype)
    return to(clip(to(x, w), constant(min_val, w), constant(max_val, w)), x.dtype)


OPS["clamp_min.default"] = OPS["clamp_min.Tensor"] = lambda x, min: clamp(x, min, None)
OPS["clamp_max.default"] = OPS["clamp_max.Tensor"] = lambda x, max: clamp(x, None, max)
OPS["relu6.default"] = lambda x: hardtanh(x, 0, 6)
OPS["relu.default"] = in_common(unary("Relu"), False)


@op("threshold.default")
def threshold(x, threshold, value):
    need(x.dtype != "bool", "bools")
    return where(node("LessOrEqual", x, like(x, threshold), dtype="bool"), like(x, value), x)


def ternary(combine, integers):
    def run(s, a, b, value=1):
        dtype = common(s, a, b)
        need(dtype != "bool" and (integers or kind(dtype) == 2), "integers")
        s, a, b, value = (to(v, wide(dtype)) for v in (s, a, b, value))
        return to(add(s, combine(mul(value, a), b)), dtype)

    return run


OPS["addcmul.default"], OPS["addcdiv.default"] = ternary(mul, True), ternary(div, False)


@op("nan_to_num.default")
def nan_to_num(x, nan=None, posinf=None, neginf=None):
    if kind(x.dtype) < 2:
        return x
    most = float(np.finfo(x.dtype).max)
    nan, top, bottom = (
        like(x, d if v is None else v) for v, d in ((nan, 0.0), (posinf, most), (neginf, -most))
    )
    infinite = where(equal(x, like(x, INF)), top, where(equal(x, like(x, -INF)), bottom, x))
    return where(is_nan(x), nan, infinite)


@op("where.self", "where.Scalar", "where.ScalarOther", "where.ScalarSelf")
def where_of(condition, a, b):
    dtype = common(a, b)
    return where(to(condition, "bool"), to(a, dtype), to(b, dtype))


@op("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(x, mask, value):
    return where(mask, to(value, x.dtype), x)


CASTS = {
    "Byte": "uint8",
    "Char": "int8",
    "Double": "float64",
    "Float": "float32",
    "Half": "float16",
    "Int": "int32",
    "Long": "int64",
    "Short": "int16",
}
OPS.update(
    {
        f"_cast_{n}.default": (lambda d: lambda x, non_blocking=False: to(x, d))(d)
        for n, d in CASTS.items()
    }
)


@op(
    "to.dtype",
    "to.dtype_layout",
    "to.prim_dtype",
    "to.prim_other",
    "as_tensor.default",
    "cpu.default",
)
def to_dtype(x, dtype=None, **unused):
    return x if dtype is None else cast(x, dtype)


@op("dropout.default")
def dropout(x, p, train):
    need(not train, "random numbers")
    return emit("Dropout", [x], x.dtype, x.shape) if kind(x.dtype) == 2 else x


@op("to.device", "to.prim_Device")
def to_device(x, device, dtype=None, **unused):
    return x if dtype is None else to(x, dtype)


@op("to.other", "type_as.default")
def to_other(x, other, **unused):
    return to(x, other.dtype)
