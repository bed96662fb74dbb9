"""ATen's element-wise ops and conversions in JAX: its formulas, term by term."""

import math

import jax.numpy as jnp
from aten import kind, need, wide, with_overload
from aten_pointwise import add_pointwise, add_power, add_rounded_division, of_truths
from jax import lax
from jax_arrays import JAX, OPS, check, number, op, to, where, zero

in_common, in_float = JAX.in_common, JAX.in_float
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
    "div.Tensor": lambda a, b: a / b,
    "div.Scalar": lambda a, b: a / b,
    "copysign.Tensor": jnp.copysign,
    "copysign.Scalar": jnp.copysign,
    "atan2": of_floats(lax.atan2),
    "asinh": lax.asinh,
    "acosh": lax.acosh,
    "atanh": lax.atanh,
}
ONLY_FLOATS = {
    "frac": lambda x: x - jnp.trunc(x),
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
    "fmax": jnp.fmax,
    "fmin": jnp.fmin,
    "sign": sign,
    "sgn": sign,
}
IS = {
    "isnan": lambda x: x != x,
    "isinf": lambda x: jnp.abs(x) == INF,
    "isfinite": lambda x: jnp.abs(x) < INF,
    "isposinf": lambda x: x == INF,
    "isneginf": lambda x: x == -INF,
}


add_pointwise(JAX)
OPS.update({with_overload(n): in_float(f) for n, f in FLOAT.items()})
OPS.update({with_overload(n): in_float(f, promote=False) for n, f in ONLY_FLOATS.items()})
OPS.update(
    {with_overload(n): in_common(f, bools=False, integers=lambda x: x) for n, f in KEPT.items()}
)
OPS.update({with_overload(n): in_common(f) for n, f in COMMON.items()})
for overload in ("Tensor", "Scalar"):
    OPS.update(
        {
            "fmod." + overload: in_common(of_floats(lax.rem), False, of_integers(lax.rem)),
            "remainder." + overload: in_common(of_floats(floor_mod), False, of_integers(floor_mod)),
        }
    )
OPS["floor_divide.default"] = OPS["floor_divide.Scalar"] = in_common(
    of_floats(floor_div), False, of_integers(jnp.floor_divide)
)
OPS["remainder.Scalar_Tensor"] = OPS["remainder.Tensor"]
add_rounded_division(JAX, in_common(lambda a, b: jnp.trunc(a / b), False, of_integers(lax.div)))
add_power(JAX, of_floats(lax.pow), jnp.power, lambda x: x * x)
OPS["bitwise_not.default"] = lambda x: jnp.bitwise_not(x)
OPS["logical_xor.default"] = of_truths(JAX, jnp.logical_xor)
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


@op("square.default")
def square(x):
    return in_common(lambda x: x * x)(x.astype("int64") if x.dtype == bool else x)


@op("clamp.default", "clamp.Tensor")
def clamp(x, min=None, max=None):
    need(x.dtype != bool, "bools")
    dtype = JAX.common(x, min, max)
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
    return JAX.clip_between(x.astype(w), number(min_val, w), number(max_val, w)).astype(x.dtype)


OPS["relu.default"] = in_common(lambda x: where(x < 0, zero(x), x), bools=False)


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


@op("heaviside.default")
def heaviside(x, values):
    return where(x != x, x, where(x == 0, values, where(x < 0, zero(x), number(1, x.dtype))))
