"""ATen's element-wise ops and conversions in MLX: its formulas, term by term."""

import math

import mlx.core as mx
from aten import HALVES, kind, need, wide, with_overload
from mlx_arrays import (
    OPS,
    cast,
    check,
    clip_between,
    common,
    dtype_of,
    in_common,
    in_float,
    is_tensor,
    no_doubles,
    number,
    op,
    test,
    to,
    where,
    zero,
)

INF = math.inf


def trunc(x):
    return where(x < 0, mx.ceil(x), mx.floor(x))


def fmod(a, b):
    """By MLX's remainder, which is fmod where both are positive."""
    r = mx.remainder(mx.abs(a), mx.abs(b))
    return where(mx.view(a, bits_type(a)) < 0, -r, r)


def bits_type(x):
    return {"float16": mx.int16, "float32": mx.int32, "float64": mx.int64}[dtype_of(x)]


def remainder_of_integers(a, b):
    r = mx.remainder(a, b)
    return where((r != 0) & ((a < 0) != (b < 0)), r - b, r)


def floor_div(a, b):
    ratio, r = a / b, fmod(a, b)
    whole = (a - r) / b
    whole = where(((r < 0) & (b > 0)) | ((r > 0) & (b < 0)), whole - 1, whole)
    down = mx.floor(whole)
    down = where(whole - down > 0.5, down + 1, down)
    nothing = where(
        ratio < 0, number(-0.0, dtype_of(a)), where(ratio == 0, ratio, number(0.0, dtype_of(a)))
    )
    return where(b == 0, ratio, where(whole == 0, nothing, down))


def of_integers(function):
    """Where MLX divides nothing by 0."""

    def run(a, b):
        check(b == 0, "an integer divided by 0")
        return function(a, where(b == 0, number(1, dtype_of(b)), b))

    return run


def quotient_to_zero(a, b):
    """The least integer by -1 is nobody's promise."""
    q, r = mx.floor_divide(a, b), mx.remainder(a, b)
    return where((r != 0) & ((a < 0) != (b < 0)), q + 1, q)


def sign(x):
    return mx.sign(x) if dtype_of(x) != "bool" else x


def hypot(a, b):
    x, y = mx.abs(a), mx.abs(b)
    most = where(x < y, y, x)
    ratio = where(x < y, x, y) / most
    norm = where(most == 0, most, most * mx.sqrt(1 + ratio * ratio))
    either = where(x != x, x, where(y != y, y, norm))
    return where((x == INF) | (y == INF), number(INF, dtype_of(a)), either)


def exponential_unit(x, alpha, scale, input_scale):
    return where(x <= 0, (mx.exp(x * input_scale) - 1) * (alpha * scale), x * scale)


def elu(x, alpha=1, scale=1, input_scale=1):
    return exponential_unit(x, *(number(v, dtype_of(x)) for v in (alpha, scale, input_scale)))


def celu(x, alpha=1.0):
    one, alpha = number(1, dtype_of(x)), number(alpha, dtype_of(x))
    return exponential_unit(x, alpha, one, one / alpha)


def softplus(x, beta=1, threshold=20):
    beta, threshold = number(beta, dtype_of(x)), number(threshold, dtype_of(x))
    return where(x * beta > threshold, x, mx.log1p(mx.exp(x * beta)) / beta)


def gelu(x, approximate="none"):
    if approximate == "tanh":
        inner = (math.sqrt(2) * 2 / math.sqrt(math.pi) * 0.5) * (x + 0.044715 * (x * x * x))
        return 0.5 * x * (1 + mx.tanh(inner))
    no_doubles(dtype_of(x))
    return x * 0.5 * (1 + mx.erf(x * math.sqrt(0.5)))


def logit(x, eps=None):
    if eps is not None and eps >= 0:
        low = number(eps, dtype_of(x))
        high = 1 - low
        x = where(x < low, low, where(x > high, high, x))
    return mx.log(x / (1 - x))


def softshrink(x, lambd=0.5):
    limit = number(lambd, dtype_of(x))
    return where(x > limit, x - limit, where(x < -limit, x + limit, zero(x)))


def hardshrink(x, lambd=0.5):
    limit = number(lambd, dtype_of(x))
    return where((x >= -limit) & (x <= limit), zero(x), x)


def lerp(a, b, w):
    return where(mx.abs(w) < 0.5, a + w * (b - a), b - (b - a) * (1 - w))


def copysign(a, b):
    a = mx.abs(a)
    return where(mx.view(b, bits_type(b)) < 0, -a, a)


def prelu(x, w):
    shape = (1, -1) + (1,) * (x.ndim - 2) if x.ndim > 1 else (-1,) * x.ndim
    return where(x > 0, x, w.reshape(shape) * x)


STEPS = {  # one step of MLX, which it takes in every float; integers become float32
    "acos": mx.arccos,
    "asin": mx.arcsin,
    "atan": mx.arctan,
    "tan": mx.tan,
    "tanh": mx.tanh,
    "expm1": mx.expm1,
    "log": mx.log,
    "log1p": mx.log1p,
    "log2": mx.log2,
    "log10": mx.log10,
    "sqrt": mx.sqrt,
    "rsqrt": mx.rsqrt,
    "reciprocal": mx.reciprocal,
    "sinh": mx.sinh,
    "cosh": mx.cosh,
    "div.Tensor": mx.divide,
    "div.Scalar": mx.divide,
    "atan2": mx.arctan2,
    "asinh": mx.arcsinh,
    "acosh": mx.arccosh,
    "atanh": mx.arctanh,
}
IN_32_BITS = {  # of float64, too
    "cos": mx.cos,
    "sin": mx.sin,
    "exp": mx.exp,
    "sigmoid": mx.sigmoid,
    "erf": mx.erf,
    "erfinv": mx.erfinv,
}
FLOAT = {
    "logit": logit,
    "copysign.Tensor": copysign,
    "copysign.Scalar": copysign,
    "angle": lambda x: where(x < 0, number(math.pi, dtype_of(x)), where(x != x, x, zero(x))),
    "deg2rad": lambda x: x * (math.pi / 180),
    "rad2deg": lambda x: x * (180 / math.pi),
}
ONLY_FLOATS = {
    "frac": lambda x: x - trunc(x),
    "hypot": hypot,
    "hardsigmoid": lambda x: clip_between(x + 3, 0, 6) / 6,
    "hardswish": lambda x: x * clip_between(x + 3, 0, 6) / 6,
    "softshrink": softshrink,
    "hardshrink": hardshrink,
    "lerp.Tensor": lerp,
    "gelu": gelu,
    "leaky_relu": lambda x, negative_slope=0.01: where(
        x > 0, x, x * number(negative_slope, dtype_of(x))
    ),
    "prelu": prelu,
}
ONLY_FLOATS_IN_32_BITS = {
    "silu": lambda x: x / (1 + mx.exp(-x)),
    "softplus": softplus,
    "mish": lambda x: x * mx.tanh(mx.log1p(mx.exp(x))),
    "elu": elu,
    "celu": celu,
    "log_sigmoid": lambda x: where(x < 0, x, zero(x)) - mx.log1p(mx.exp(-mx.abs(x))),
    "selu": lambda x: elu(x, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946),
    "logaddexp": mx.logaddexp,
}
KEPT = {  # one operand, of any dtype but bool; integers stay as they are
    "floor": mx.floor,
    "ceil": mx.ceil,
    "trunc": trunc,
    "round": mx.round,
}
COMMON = {
    "mul.Tensor": mx.multiply,
    "mul.Scalar": mx.multiply,
    "maximum": mx.maximum,
    "max.other": mx.maximum,
    "minimum": mx.minimum,
    "min.other": mx.minimum,
    "fmax": lambda a, b: where(a != a, b, where(b != b, a, mx.maximum(a, b))),
    "fmin": lambda a, b: where(a != a, b, where(b != b, a, mx.minimum(a, b))),
    "sign": sign,
    "sgn": sign,
    "abs": mx.abs,
    "positive": lambda x: x,
}
TESTS = {
    "eq": mx.equal,
    "ne": mx.not_equal,
    "lt": mx.less,
    "le": mx.less_equal,
    "gt": mx.greater,
    "ge": mx.greater_equal,
}
IS = {
    "isnan": mx.isnan,
    "isinf": mx.isinf,
    "isfinite": mx.isfinite,
    "isposinf": mx.isposinf,
    "isneginf": mx.isneginf,
}
LOGIC = {
    "and": mx.logical_and,
    "or": mx.logical_or,
    "xor": lambda a, b: mx.not_equal(a, b),
}
BITS = {"and": mx.bitwise_and, "or": mx.bitwise_or, "xor": mx.bitwise_xor}
SHIFTS = {"left": mx.left_shift, "right": mx.right_shift}


def integer_bits(function, bools=True):
    def run(a, b):
        dtype = common(a, b)
        need(kind(dtype) < 2 and (bools or dtype != "bool"), "bits of floats")
        return function(to(a, dtype), to(b, dtype))

    return run


for table, named in (
    (STEPS, {"halves": True}),
    (IN_32_BITS, {"halves": True, "doubles": False}),
    (FLOAT, {}),
    (ONLY_FLOATS, {"promote": False}),
    (ONLY_FLOATS_IN_32_BITS, {"promote": False, "doubles": False}),
):
    OPS.update({with_overload(n): in_float(f, **named) for n, f in table.items()})
OPS.update(
    {with_overload(n): in_common(f, bools=False, integers=lambda x: x) for n, f in KEPT.items()}
)
OPS.update({with_overload(n): in_common(f, halves=True) for n, f in COMMON.items()})
OPS["neg.default"] = in_common(mx.negative, bools=False, halves=True)
OPS["lerp.Scalar"] = in_float(lerp, promote=False, silent=1)
for overload in ("Tensor", "Scalar"):
    OPS.update({f"{n}.{overload}": test(f) for n, f in TESTS.items()})
    OPS.update(
        {
            f"{stem}{n}{end}.{overload}": integer_bits(f)
            for n, f in BITS.items()
            for stem, end in (("bitwise_", ""), ("__", "__"))
        }
    )
    OPS.update(
        {
            "fmod." + overload: in_common(fmod, False, of_integers(remainder_of_integers)),
            "remainder." + overload: in_common(mx.remainder, False, of_integers(mx.remainder)),
            "__lshift__." + overload: integer_bits(mx.left_shift, False),
            "__rshift__." + overload: integer_bits(mx.right_shift, False),
        }
    )
OPS["floor_divide.default"] = OPS["floor_divide.Scalar"] = in_common(
    floor_div, False, of_integers(mx.floor_divide)
)
OPS["remainder.Scalar_Tensor"] = OPS["remainder.Tensor"]
for side, f in SHIFTS.items():
    OPS.update(
        {
            f"bitwise_{side}_shift.{o}": integer_bits(f, False)
            for o in ("Tensor", "Tensor_Scalar", "Scalar_Tensor")
        }
    )
OPS.update({f"bitwise_{n}.Scalar_Tensor": integer_bits(f) for n, f in BITS.items()})
OPS["bitwise_not.default"] = lambda x: mx.logical_not(x) if dtype_of(x) == "bool" else ~x
OPS.update(
    {
        f"logical_{n}.default": (lambda f: lambda a, b: f(a != zero(a), b != zero(b)))(f)
        for n, f in LOGIC.items()
    }
)
OPS["logical_not.default"] = lambda x: x == zero(x)
OPS.update({n + ".default": f for n, f in IS.items()})


def sum_like(combine, bools):
    def run(a, b, alpha=1):
        dtype = common(a, b)
        need(
            bools
            or not any(is_tensor(v) and dtype_of(v) == "bool" or type(v) is bool for v in (a, b)),
            "bools",
        )
        inner = dtype if alpha == 1 else wide(dtype)
        a, b = to(a, inner), to(b, inner)
        times = (lambda v: v) if alpha == 1 else lambda v: number(alpha, dtype_of(v)) * v
        return cast(combine(a, b, times), dtype)

    return run


for name, f, bools in (
    ("add", lambda a, b, times: a + times(b), True),
    ("sub", lambda a, b, times: a - times(b), False),
    ("rsub", lambda a, b, times: b - times(a), False),
):
    OPS[name + ".Tensor"] = OPS[name + ".Scalar"] = sum_like(f, bools)


@op("div.Tensor_mode", "div.Scalar_mode")
def div_mode(a, b, rounding_mode):
    if rounding_mode is None:
        return OPS["div.Tensor"](a, b)
    if rounding_mode == "floor":
        return OPS["floor_divide.default"](a, b)
    return in_common(lambda a, b: trunc(a / b), False, of_integers(quotient_to_zero))(a, b)


@op("pow.Tensor_Tensor", "pow.Scalar", "pow.Tensor_Scalar")
def power(a, b):
    dtype = common(a, b)
    need(dtype != "bool", "bools")
    if kind(dtype) == 2:
        x = to(a, wide(dtype))
        special = {
            0.5: lambda: mx.sqrt(x),
            -0.5: lambda: 1 / mx.sqrt(x),
            2: lambda: mx.square(x),
            3: lambda: x * x * x,
            -1: lambda: 1 / x,
            -2: lambda: 1 / (x * x),
        }
        if not is_tensor(b) and b in special and dtype not in HALVES:
            return special[b]()
        return cast(mx.power(x, to(b, wide(dtype))), dtype)
    b = to(b, dtype)
    check((b < 0) | (b > 63), "an integer's power beyond 63")
    return mx.power(to(a, dtype), where((b < 0) | (b > 63), zero(b), b))


@op("square.default")
def square(x):
    return in_common(mx.square, halves=True)(cast(x, "int64") if dtype_of(x) == "bool" else x)


@op("exp2.default")
def exp2(x):
    return in_float(lambda x: mx.power(number(2, dtype_of(x)), x))(x)


@op("clamp.default", "clamp.Tensor")
def clamp(x, min=None, max=None):
    need(dtype_of(x) != "bool", "bools")
    dtype = common(x, min, max)
    return mx.clip(to(x, dtype), *(None if v is None else to(v, dtype) for v in (min, max)))


@op("hardtanh.default")
def hardtanh(x, min_val=-1, max_val=1):
    dtype = dtype_of(x)
    need(dtype != "bool", "bools")
    return clip_between(x, number(min_val, dtype), number(max_val, dtype))


OPS["clamp_min.default"] = OPS["clamp_min.Tensor"] = lambda x, min: clamp(x, min=min)
OPS["clamp_max.default"] = OPS["clamp_max.Tensor"] = lambda x, max: clamp(x, max=max)
OPS["relu6.default"] = lambda x: hardtanh(x, 0, 6)
OPS["relu.default"] = in_common(lambda x: mx.maximum(x, zero(x)), bools=False, halves=True)


@op("threshold.default")
def threshold(x, threshold, value):
    need(dtype_of(x) != "bool", "bools")
    return where(x <= number(threshold, dtype_of(x)), number(value, dtype_of(x)), x)


def ternary(combine, integers):
    def run(s, a, b, value=1):
        dtype = common(s, a, b)
        need(dtype != "bool" and (integers or kind(dtype) == 2), "integers")
        s, a, b, value = (to(v, wide(dtype)) for v in (s, a, b, value))
        return cast(combine(s, a, b, value), dtype)

    return run


OPS["addcmul.default"] = ternary(lambda s, a, b, value: s + value * a * b, True)
OPS["addcdiv.default"] = ternary(lambda s, a, b, value: s + value * a / b, False)


@op("nan_to_num.default")
def nan_to_num(x, nan=None, posinf=None, neginf=None):
    dtype = dtype_of(x)
    if kind(dtype) < 2:
        return x
    if dtype != "float64":
        return mx.nan_to_num(x, 0.0 if nan is None else nan, posinf, neginf)
    most = mx.finfo(x.dtype).max
    nan, top, bottom = (
        number(default if v is None else v, dtype)
        for v, default in ((nan, 0.0), (posinf, most), (neginf, -most))
    )
    return where(x != x, nan, where(x == INF, top, where(x == -INF, bottom, x)))


@op("where.self", "where.Scalar", "where.ScalarOther", "where.ScalarSelf")
def where_of(condition, a, b):
    dtype = common(a, b)
    return where(condition != zero(condition), to(a, dtype), to(b, dtype))


@op("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(x, mask, value):
    return where(mask, to(value, dtype_of(x)), x)


@op("xlogy.Tensor", "xlogy.Scalar_Other", "xlogy.Scalar_Self")
def xlogy(a, b):
    return in_float(lambda a, b: where(b != b, b, where(a == 0, zero(a), a * mx.log(b))))(a, b)


@op("heaviside.default")
def heaviside(x, values):
    return where(x == 0, values, where(x > 0, number(1, dtype_of(x)), zero(x)))


# ---- conversions

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
        f"_cast_{n}.default": (lambda d: lambda x, non_blocking=False: cast(x, d))(d)
        for n, d in CASTS.items()
    }
)


@op("to.device", "to.prim_Device")
def to_device(x, device, dtype=None, **unused):
    return x if dtype is None else cast(x, dtype)


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


@op("to.other", "type_as.default")
def to_other(x, other, **unused):
    return cast(x, dtype_of(other))
