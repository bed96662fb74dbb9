"""ATen's element-wise ops and conversions in MLX: its formulas, term by term."""

import math

import mlx.core as mx
from aten import kind, need, with_overload
from aten_pointwise import add_pointwise, add_power, add_rounded_division, of_truths
from mlx_arrays import (
    MLX,
    OPS,
    cast,
    check,
    dtype_of,
    in_32_bits,
    number,
    op,
    to,
    where,
    zero,
)

in_common, in_float = MLX.in_common, MLX.in_float
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
IN_32_BITS = {
    "cos": mx.cos,
    "sin": mx.sin,
    "exp": mx.exp,
    "sigmoid": mx.sigmoid,
    "erf": mx.erf,
    "erfinv": mx.erfinv,
}
FLOAT = {
    "copysign.Tensor": copysign,
    "copysign.Scalar": copysign,
    "deg2rad": lambda x: x * (math.pi / 180),
    "rad2deg": lambda x: x * (180 / math.pi),
}
ONLY_FLOATS = {"frac": lambda x: x - trunc(x), "prelu": prelu}
KEPT = {  # one operand, of any dtype but bool; integers stay as they are
    "floor": mx.floor,
    "ceil": mx.ceil,
    "trunc": trunc,
    "round": mx.round,
}
COMMON = {
    "fmax": lambda a, b: where(a != a, b, where(b != b, a, mx.maximum(a, b))),
    "fmin": lambda a, b: where(a != a, b, where(b != b, a, mx.minimum(a, b))),
    "sign": sign,
    "sgn": sign,
}
IS = {
    "isnan": mx.isnan,
    "isinf": mx.isinf,
    "isfinite": mx.isfinite,
    "isposinf": mx.isposinf,
    "isneginf": mx.isneginf,
}


add_pointwise(MLX, in_single=in_32_bits, halves=True)
for table, named in (
    (STEPS, {"halves": True}),
    ({n: in_32_bits(f) for n, f in IN_32_BITS.items()}, {"halves": True}),
    (FLOAT, {}),
    (ONLY_FLOATS, {"promote": False}),
):
    OPS.update({with_overload(n): in_float(f, **named) for n, f in table.items()})
OPS["logaddexp.default"] = in_float(in_32_bits(mx.logaddexp), promote=False)
OPS.update(
    {with_overload(n): in_common(f, bools=False, integers=lambda x: x) for n, f in KEPT.items()}
)
OPS.update({with_overload(n): in_common(f, halves=True) for n, f in COMMON.items()})
for overload in ("Tensor", "Scalar"):
    OPS.update(
        {
            "fmod." + overload: in_common(fmod, False, of_integers(remainder_of_integers)),
            "remainder." + overload: in_common(mx.remainder, False, of_integers(mx.remainder)),
        }
    )
OPS["floor_divide.default"] = OPS["floor_divide.Scalar"] = in_common(
    floor_div, False, of_integers(mx.floor_divide)
)
OPS["remainder.Scalar_Tensor"] = OPS["remainder.Tensor"]
add_rounded_division(
    MLX, in_common(lambda a, b: trunc(a / b), False, of_integers(quotient_to_zero))
)


def power_of_integers(a, b):
    return mx.power(a, where((b < 0) | (b > 63), zero(b), b))


add_power(MLX, mx.power, power_of_integers, mx.square)
OPS["bitwise_not.default"] = lambda x: mx.logical_not(x) if dtype_of(x) == "bool" else ~x
OPS["logical_xor.default"] = of_truths(MLX, mx.not_equal)
OPS.update({n + ".default": f for n, f in IS.items()})


@op("square.default")
def square(x):
    return in_common(mx.square, halves=True)(cast(x, "int64") if dtype_of(x) == "bool" else x)


@op("exp2.default")
def exp2(x):
    return in_float(lambda x: mx.power(number(2, dtype_of(x)), x))(x)


@op("clamp.default", "clamp.Tensor")
def clamp(x, min=None, max=None):
    need(dtype_of(x) != "bool", "bools")
    dtype = MLX.common(x, min, max)
    return mx.clip(to(x, dtype), *(None if v is None else to(v, dtype) for v in (min, max)))


@op("hardtanh.default")
def hardtanh(x, min_val=-1, max_val=1):
    dtype = dtype_of(x)
    need(dtype != "bool", "bools")
    return MLX.clip_between(x, number(min_val, dtype), number(max_val, dtype))


OPS["relu.default"] = in_common(lambda x: mx.maximum(x, zero(x)), bools=False, halves=True)


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


@op("heaviside.default")
def heaviside(x, values):
    return where(x == 0, values, where(x > 0, number(1, dtype_of(x)), zero(x)))
