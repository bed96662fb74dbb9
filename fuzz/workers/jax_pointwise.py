"""ATen's element-wise ops and conversions in JAX: its formulas, term by term."""

import math

import jax.numpy as jnp
from aten import HALVES, kind, need, wide, with_overload
from jax import lax
from jax_arrays import (
    OPS,
    check,
    clip_between,
    common,
    in_common,
    in_float,
    is_tensor,
    number,
    op,
    test,
    to,
    where,
    zero,
)

INF = math.inf


def floor_mod(a, b):
    r = lax.rem(a, b)
    return where((r != 0) & ((r < 0) != (b < 0)), r + b, r)


def floor_div(a, b):
    ratio, r = a / b, lax.rem(a, b)
    whole = (a - r) / b
    whole = where(((r < 0) & (b > 0)) | ((r > 0) & (b < 0)), whole - 1, whole)
    down = jnp.floor(whole)
    down = where(whole - down > 0.5, down + 1, down)
    zero = where(ratio < 0, number(-0.0, a.dtype), where(ratio == 0, ratio, number(0.0, a.dtype)))
    return where(b == 0, ratio, where(whole == 0, zero, down))


def of_integers(function):
    def run(a, b):
        a, b = jnp.broadcast_arrays(a, b)
        check(b == 0, "an integer divided by 0")
        return function(a, b)

    return run


def of_floats(function):
    return lambda a, b: function(*jnp.broadcast_arrays(a, b))


def sign(x):
    return where(
        x > 0,
        number(1, x.dtype),
        where(x < 0, number(-1, x.dtype) if kind(x.dtype) else x, zero(x)),
    )


def hypot(a, b):
    x, y = jnp.abs(a), jnp.abs(b)
    most = where(x < y, y, x)
    ratio = where(x < y, x, y) / most
    norm = where(most == 0, most, most * lax.sqrt(1 + ratio * ratio))
    either = where(x != x, x, where(y != y, y, norm))
    return where((x == INF) | (y == INF), number(INF, a.dtype), either)


def exponential_unit(x, alpha, scale, input_scale):
    return where(x <= 0, (lax.exp(x * input_scale) - 1) * (alpha * scale), x * scale)


def elu(x, alpha=1, scale=1, input_scale=1):
    return exponential_unit(x, *(number(v, x.dtype) for v in (alpha, scale, input_scale)))


def celu(x, alpha=1.0):
    one, alpha = number(1, x.dtype), number(alpha, x.dtype)
    return exponential_unit(x, alpha, one, one / alpha)


def softplus(x, beta=1, threshold=20):
    beta, threshold = number(beta, x.dtype), number(threshold, x.dtype)
    return where(x * beta > threshold, x, lax.log1p(lax.exp(x * beta)) / beta)


def gelu(x, approximate="none"):
    if approximate == "tanh":
        inner = (math.sqrt(2) * 2 / math.sqrt(math.pi) * 0.5) * (x + 0.044715 * (x * x * x))
        return 0.5 * x * (1 + lax.tanh(inner))
    return x * 0.5 * (1 + lax.erf(x * math.sqrt(0.5)))


def logit(x, eps=None):
    if eps is not None and eps >= 0:
        low = number(eps, x.dtype)
        high = 1 - low
        x = where(x < low, low, where(x > high, high, x))
    return lax.log(x / (1 - x))


def softshrink(x, lambd=0.5):
    limit = number(lambd, x.dtype)
    return where(x > limit, x - limit, where(x < -limit, x + limit, zero(x)))


def hardshrink(x, lambd=0.5):
    limit = number(lambd, x.dtype)
    return where((x >= -limit) & (x <= limit), zero(x), x)


def lerp(a, b, w):
    return where(jnp.abs(w) < 0.5, a + w * (b - a), b - (b - a) * (1 - w))


FLOAT = {  # integers become float32
    "acos": lax.acos,
    "asin": lax.asin,
    "atan": lax.atan,
    "cos": lax.cos,
    "sin": lax.sin,
    "tan": lax.tan,
    "tanh": lax.tanh,
    "exp": lax.exp,
    "expm1": lax.expm1,
    "log": lax.log,
    "log1p": lax.log1p,
    "log2": jnp.log2,
    "log10": jnp.log10,
    "sqrt": lax.sqrt,
    "rsqrt": lambda x: 1 / lax.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "sigmoid": lambda x: 1 / (1 + lax.exp(-x)),
    "erf": lax.erf,
    "erfc": lax.erfc,
    "sinh": lax.sinh,
    "cosh": lax.cosh,
    "exp2": lambda x: of_floats(lax.pow)(number(2, x.dtype), x),
    "lgamma": lax.lgamma,
    "logit": logit,
    "div.Tensor": lambda a, b: a / b,
    "div.Scalar": lambda a, b: a / b,
    "copysign.Tensor": jnp.copysign,
    "copysign.Scalar": jnp.copysign,
    "angle": lambda x: where(x < 0, number(math.pi, x.dtype), where(x != x, x, zero(x))),
    "atan2": of_floats(lax.atan2),
    "asinh": lax.asinh,
    "acosh": lax.acosh,
    "atanh": lax.atanh,
}
ONLY_FLOATS = {
    "frac": lambda x: x - jnp.trunc(x),
    "silu": lambda x: x / (1 + lax.exp(-x)),
    "softplus": softplus,
    "gelu": gelu,
    "mish": lambda x: x * lax.tanh(lax.log1p(lax.exp(x))),
    "hypot": hypot,
    "elu": elu,
    "celu": celu,
    "log_sigmoid": lambda x: where(x < 0, x, zero(x)) - lax.log1p(lax.exp(-jnp.abs(x))),
    "hardsigmoid": lambda x: clip_between(x + 3, 0, 6) / 6,
    "hardswish": lambda x: x * clip_between(x + 3, 0, 6) / 6,
    "selu": lambda x: elu(x, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946),
    "softshrink": softshrink,
    "hardshrink": hardshrink,
    "lerp.Tensor": lerp,
    "leaky_relu": lambda x, negative_slope=0.01: where(
        x > 0, x, x * number(negative_slope, x.dtype)
    ),
    "prelu": lambda x, w: where(
        x > 0, x, w.reshape((1, -1) + (1,) * (x.ndim - 2) if x.ndim > 1 else (-1,)) * x
    ),
}
KEPT = {  # one operand, of any dtype but bool; integers stay as they are under the first ones
    "floor": jnp.floor,
    "ceil": jnp.ceil,
    "trunc": jnp.trunc,
    "round": lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
}
COMMON = {
    "mul.Tensor": jnp.multiply,
    "mul.Scalar": jnp.multiply,
    "maximum": jnp.maximum,
    "max.other": jnp.maximum,
    "minimum": jnp.minimum,
    "min.other": jnp.minimum,
    "fmax": jnp.fmax,
    "fmin": jnp.fmin,
    "sign": sign,
    "sgn": sign,
    "abs": jnp.abs,
    "positive": lambda x: x,
}
TESTS = {
    "eq": jnp.equal,
    "ne": jnp.not_equal,
    "lt": jnp.less,
    "le": jnp.less_equal,
    "gt": jnp.greater,
    "ge": jnp.greater_equal,
}
IS = {
    "isnan": lambda x: x != x,
    "isinf": lambda x: jnp.abs(x) == INF,
    "isfinite": lambda x: jnp.abs(x) < INF,
    "isposinf": lambda x: x == INF,
    "isneginf": lambda x: x == -INF,
}
LOGIC = {"and": jnp.logical_and, "or": jnp.logical_or, "xor": jnp.logical_xor}
BITS = {"and": jnp.bitwise_and, "or": jnp.bitwise_or, "xor": jnp.bitwise_xor}
SHIFTS = {"left": jnp.left_shift, "right": jnp.right_shift}


def integer_bits(function, bools=True):
    def run(a, b):
        dtype = common(a, b)
        need(kind(dtype) < 2 and (bools or dtype != "bool"), "bits of floats")
        return function(to(a, dtype), to(b, dtype))

    return run


OPS.update({with_overload(n): in_float(f) for n, f in FLOAT.items()})
OPS.update({with_overload(n): in_float(f, promote=False) for n, f in ONLY_FLOATS.items()})
OPS.update(
    {with_overload(n): in_common(f, bools=False, integers=lambda x: x) for n, f in KEPT.items()}
)
OPS.update({with_overload(n): in_common(f) for n, f in COMMON.items()})
OPS["neg.default"] = in_common(jnp.negative, bools=False)
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
            "fmod." + overload: in_common(of_floats(lax.rem), False, of_integers(lax.rem)),
            "remainder." + overload: in_common(of_floats(floor_mod), False, of_integers(floor_mod)),
            "__lshift__." + overload: integer_bits(jnp.left_shift, False),
            "__rshift__." + overload: integer_bits(jnp.right_shift, False),
        }
    )
OPS["floor_divide.default"] = OPS["floor_divide.Scalar"] = in_common(
    of_floats(floor_div), False, of_integers(jnp.floor_divide)
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
OPS["bitwise_not.default"] = lambda x: jnp.bitwise_not(x)
OPS.update(
    {
        f"logical_{n}.default": (lambda f: lambda a, b: f(a != 0, b != 0))(f)
        for n, f in LOGIC.items()
    }
)
OPS["logical_not.default"] = lambda x: x == 0
OPS.update(
    {
        n + ".default": (
            lambda f, n: (
                lambda x: (
                    f(x.astype(wide(x.dtype)))
                    if kind(x.dtype) == 2
                    else jnp.full(x.shape, n == "isfinite")
                )
            )
        )(f, n)
        for n, f in IS.items()
    }
)


def sum_like(combine, bools):
    def run(a, b, alpha=1):
        dtype = common(a, b)
        need(
            bools or not any(is_tensor(v) and v.dtype == bool or type(v) is bool for v in (a, b)),
            "bools",
        )
        a, b = to(a, wide(dtype)), to(b, wide(dtype))
        return combine(
            a, b, (lambda v: v) if alpha == 1 else lambda v: number(alpha, v.dtype) * v
        ).astype(dtype)

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
    return in_common(lambda a, b: jnp.trunc(a / b), False, of_integers(lax.div))(a, b)


@op("pow.Tensor_Tensor", "pow.Scalar", "pow.Tensor_Scalar")
def power(a, b):
    dtype = common(a, b)
    need(dtype != "bool", "bools")
    if kind(dtype) == 2:
        x = to(a, wide(dtype))
        special = {
            0.5: lambda: lax.sqrt(x),
            -0.5: lambda: 1 / lax.sqrt(x),
            2: lambda: x * x,
            3: lambda: x * x * x,
            -1: lambda: 1 / x,
            -2: lambda: 1 / (x * x),
        }
        if not is_tensor(b) and b in special and dtype not in HALVES:
            return special[b]()
        return of_floats(lax.pow)(x, to(b, wide(dtype))).astype(dtype)
    b = to(b, dtype)
    check((b < 0) | (b > 63), "an integer's power beyond 63")
    return jnp.power(to(a, dtype), b)


@op("square.default")
def square(x):
    return in_common(lambda x: x * x)(x.astype("int64") if x.dtype == bool else x)


@op("clamp.default", "clamp.Tensor", "hardtanh.default")
def clamp(x, min=None, max=None, min_val=-1, max_val=1):
    need(x.dtype != bool, "bools")
    dtype = common(x, min, max)
    x = to(x, wide(dtype))
    if min is not None:
        x = jnp.maximum(x, to(min, x.dtype))
    if max is not None:
        x = jnp.minimum(x, to(max, x.dtype))
    return x.astype(dtype)


@op("hardtanh.default")
def hardtanh(x, min_val=-1, max_val=1):
    need(x.dtype != bool, "bools")
    w = wide(x.dtype)
    return clip_between(x.astype(w), number(min_val, w), number(max_val, w)).astype(x.dtype)


OPS["clamp_min.default"] = OPS["clamp_min.Tensor"] = lambda x, min: clamp(x, min=min)
OPS["clamp_max.default"] = OPS["clamp_max.Tensor"] = lambda x, max: clamp(x, max=max)
OPS["relu6.default"] = lambda x: hardtanh(x, 0, 6)
OPS["relu.default"] = in_common(lambda x: where(x < 0, zero(x), x), bools=False)


@op("threshold.default")
def threshold(x, threshold, value):
    need(x.dtype != bool, "bools")
    return where(x <= number(threshold, x.dtype), number(value, x.dtype), x)


def ternary(combine, integers):
    def run(s, a, b, value=1):
        dtype = common(s, a, b)
        need(dtype != "bool" and (integers or kind(dtype) == 2), "integers")
        s, a, b, value = (to(v, wide(dtype)) for v in (s, a, b, value))
        return combine(s, a, b, value).astype(dtype)

    return run


OPS["addcmul.default"] = ternary(lambda s, a, b, value: s + value * a * b, True)
OPS["addcdiv.default"] = ternary(lambda s, a, b, value: s + value * a / b, False)


@op("nan_to_num.default")
def nan_to_num(x, nan=None, posinf=None, neginf=None):
    if kind(x.dtype) < 2:
        return x
    most = float(jnp.finfo(x.dtype).max)
    nan, top, bottom = (
        number(default if v is None else v, x.dtype)
        for v, default in ((nan, 0.0), (posinf, most), (neginf, -most))
    )
    return where(x != x, nan, where(x == INF, top, where(x == -INF, bottom, x)))


@op("where.self", "where.Scalar", "where.ScalarOther", "where.ScalarSelf")
def where_of(condition, a, b):
    dtype = common(a, b)
    return where(condition != 0, to(a, dtype), to(b, dtype))


@op("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(x, mask, value):
    return where(mask, to(value, x.dtype), x)


@op("xlogy.Tensor", "xlogy.Scalar_Other", "xlogy.Scalar_Self")
def xlogy(a, b):
    return in_float(lambda a, b: where(b != b, b, where(a == 0, zero(a), a * lax.log(b))))(a, b)


@op("heaviside.default")
def heaviside(x, values):
    return where(x != x, x, where(x == 0, values, where(x < 0, zero(x), number(1, x.dtype))))


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
        f"_cast_{n}.default": (lambda d: lambda x, non_blocking=False: x.astype(d))(d)
        for n, d in CASTS.items()
    }
)


@op("to.device", "to.prim_Device")
def to_device(x, device, dtype=None, **unused):
    return x if dtype is None else x.astype(dtype)


@op(
    "to.dtype",
    "to.dtype_layout",
    "to.prim_dtype",
    "to.prim_other",
    "as_tensor.default",
    "cpu.default",
)
def to_dtype(x, dtype=None, **unused):
    return x if dtype is None else x.astype(dtype)


@op("to.other", "type_as.default")
def to_other(x, other, **unused):
    return x.astype(other.dtype)
