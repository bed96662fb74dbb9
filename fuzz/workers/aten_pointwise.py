"""ATen's element-wise formulas, term by term, and its conversions, for any Library
(aten_arrays)."""

import math

from aten import HALVES, kind, need, wide, with_overload

INF = math.inf
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


def hypot(lib, a, b):
    np, where = lib.np, lib.where
    x, y = np.abs(a), np.abs(b)
    most = where(x < y, y, x)
    ratio = where(x < y, x, y) / most
    norm = where(most == 0, most, most * np.sqrt(1 + ratio * ratio))
    either = where(x != x, x, where(y != y, y, norm))
    return where((x == INF) | (y == INF), lib.number(INF, lib.dtype_of(a)), either)


def exponential_unit(lib, x, alpha, scale, input_scale):
    np = lib.np
    return lib.where(x <= 0, (np.exp(x * input_scale) - 1) * (alpha * scale), x * scale)


def elu(lib, x, alpha=1, scale=1, input_scale=1):
    dtype = lib.dtype_of(x)
    return exponential_unit(lib, x, *(lib.number(v, dtype) for v in (alpha, scale, input_scale)))


def selu(lib, x):
    return elu(lib, x, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


def celu(lib, x, alpha=1.0):
    one, alpha = lib.number(1, lib.dtype_of(x)), lib.number(alpha, lib.dtype_of(x))
    return exponential_unit(lib, x, alpha, one, one / alpha)


def softplus(lib, x, beta=1, threshold=20):
    np, dtype = lib.np, lib.dtype_of(x)
    beta, threshold = lib.number(beta, dtype), lib.number(threshold, dtype)
    return lib.where(x * beta > threshold, x, np.log1p(np.exp(x * beta)) / beta)


def mish(lib, x):
    np = lib.np
    return x * np.tanh(np.log1p(np.exp(x)))


def log_sigmoid(lib, x):
    np = lib.np
    return lib.where(x < 0, x, lib.zero(x)) - np.log1p(np.exp(-np.abs(x)))


def gelu(lib, x, approximate="none"):
    if approximate == "tanh":
        inner = (math.sqrt(2) * 2 / math.sqrt(math.pi) * 0.5) * (x + 0.044715 * (x * x * x))
        return 0.5 * x * (1 + lib.np.tanh(inner))
    return x * 0.5 * (1 + lib.erf(x * math.sqrt(0.5)))


def logit(lib, x, eps=None):
    where = lib.where
    if eps is not None and eps >= 0:
        low = lib.number(eps, lib.dtype_of(x))
        high = 1 - low
        x = where(x < low, low, where(x > high, high, x))
    return lib.np.log(x / (1 - x))


def angle(lib, x):
    half_turn = lib.number(math.pi, lib.dtype_of(x))
    return lib.where(x < 0, half_turn, lib.where(x != x, x, lib.zero(x)))


def softshrink(lib, x, lambd=0.5):
    limit = lib.number(lambd, lib.dtype_of(x))
    return lib.where(x > limit, x - limit, lib.where(x < -limit, x + limit, lib.zero(x)))


def hardshrink(lib, x, lambd=0.5):
    limit = lib.number(lambd, lib.dtype_of(x))
    return lib.where((x >= -limit) & (x <= limit), lib.zero(x), x)


def leaky_relu(lib, x, negative_slope=0.01):
    return lib.where(x > 0, x, x * lib.number(negative_slope, lib.dtype_of(x)))


def lerp(lib, a, b, w):
    return lib.where(lib.np.abs(w) < 0.5, a + w * (b - a), b - (b - a) * (1 - w))


FLOAT = {"angle": angle, "logit": logit}  # integers become float32
ONLY_FLOATS = {
    "gelu": gelu,
    "hardshrink": hardshrink,
    "hardsigmoid": lambda lib, x: lib.clip_between(x + 3, 0, 6) / 6,
    "hardswish": lambda lib, x: x * lib.clip_between(x + 3, 0, 6) / 6,
    "hypot": hypot,
    "leaky_relu": leaky_relu,
    "lerp.Tensor": lerp,
    "softshrink": softshrink,
}
ONLY_FLOATS_BY_EXP = {
    "celu": celu,
    "elu": elu,
    "log_sigmoid": log_sigmoid,
    "mish": mish,
    "selu": selu,
    "silu": lambda lib, x: x / (1 + lib.np.exp(-x)),
    "softplus": softplus,
}


def integer_bits(lib, function, bools=True):
    def run(a, b):
        dtype = lib.common(a, b)
        need(kind(dtype) < 2 and (bools or dtype != "bool"), "bits of floats")
        return function(lib.to(a, dtype), lib.to(b, dtype))

    return run


def add_bits(lib):
    np = lib.np
    of_bits = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
    for name, function in of_bits.items():
        plain = integer_bits(lib, function)
        lib.op(
            f"bitwise_{name}.Scalar_Tensor",
            *(f"{n}.{o}" for n in (f"bitwise_{name}", f"__{name}__") for o in ("Tensor", "Scalar")),
        )(plain)
    for side, function in (("left", np.left_shift), ("right", np.right_shift)):
        lib.op(
            *(f"__{side[0]}shift__.{o}" for o in ("Tensor", "Scalar")),
            *(f"bitwise_{side}_shift.{o}" for o in ("Tensor", "Tensor_Scalar", "Scalar_Tensor")),
        )(integer_bits(lib, function, False))


def of_truths(lib, function):
    return lambda *args: function(*map(lib.truth, args))


def add_tests(lib, halves):
    """Comparisons and logic. `halves`: of 16-bit floats as they are."""
    np = lib.np

    def compare(function):
        def run(*args):
            dtype = lib.common(*args)
            return function(*[lib.to(a, dtype if halves else wide(dtype)) for a in args])

        return run

    for name, function in (
        ("eq", np.equal),
        ("ne", np.not_equal),
        ("lt", np.less),
        ("le", np.less_equal),
        ("gt", np.greater),
        ("ge", np.greater_equal),
    ):
        lib.op(name + ".Tensor", name + ".Scalar")(compare(function))
    lib.op("logical_and.default")(of_truths(lib, np.logical_and))
    lib.op("logical_or.default")(of_truths(lib, np.logical_or))


def add_sums(lib, halves):
    """add, sub and rsub. `halves`: 16-bit floats as they are, where there is one step."""

    def sum_like(combine, bools):
        def run(a, b, alpha=1):
            dtype = lib.common(a, b)
            need(
                bools
                or not any(
                    lib.is_tensor(v) and lib.dtype_of(v) == "bool" or type(v) is bool
                    for v in (a, b)
                ),
                "bools",
            )
            inner = dtype if halves and alpha == 1 else wide(dtype)
            a, b = lib.to(a, inner), lib.to(b, inner)

            def times(v):
                return v if alpha == 1 else lib.number(alpha, lib.dtype_of(v)) * v

            return lib.cast(combine(a, b, times), dtype)

        return run

    for name, function, bools in (
        ("add", lambda a, b, times: a + times(b), True),
        ("sub", lambda a, b, times: a - times(b), False),
        ("rsub", lambda a, b, times: b - times(a), False),
    ):
        lib.op(name + ".Tensor", name + ".Scalar")(sum_like(function, bools))


def ternary(lib, combine, integers):
    def run(s, a, b, value=1):
        dtype = lib.common(s, a, b)
        need(dtype != "bool" and (integers or kind(dtype) == 2), "integers")
        s, a, b, value = (lib.to(v, wide(dtype)) for v in (s, a, b, value))
        return lib.cast(combine(s, a, b, value), dtype)

    return run


def threshold(lib, x, threshold, value):
    dtype = lib.dtype_of(x)
    need(dtype != "bool", "bools")
    return lib.where(x <= lib.number(threshold, dtype), lib.number(value, dtype), x)


def where_of(lib, condition, a, b):
    dtype = lib.common(a, b)
    return lib.where(lib.truth(condition), lib.to(a, dtype), lib.to(b, dtype))


def masked_fill(lib, x, mask, value):
    return lib.where(mask, lib.to(value, lib.dtype_of(x)), x)


def xlogy(lib, a, b):
    where = lib.where
    return where(b != b, b, where(a == 0, lib.zero(a), a * lib.np.log(b)))


def to_dtype(lib, x, dtype=None, **unused):
    return x if dtype is None else lib.cast(x, dtype)


def to_device(lib, x, device, dtype=None, **unused):
    return to_dtype(lib, x, dtype)


def to_other(lib, x, other, **unused):
    return lib.cast(x, lib.dtype_of(other))


SAME = {  # names with overloads, of operands as they are
    **dict.fromkeys(("masked_fill.Scalar", "masked_fill.Tensor"), masked_fill),
    **dict.fromkeys(("to.device", "to.prim_Device"), to_device),
    **dict.fromkeys(("to.dtype", "to.dtype_layout", "to.prim_dtype", "to.prim_other"), to_dtype),
    **dict.fromkeys(("as_tensor.default", "cpu.default"), to_dtype),
    **dict.fromkeys(("to.other", "type_as.default"), to_other),
    **dict.fromkeys(
        ("where.self", "where.Scalar", "where.ScalarOther", "where.ScalarSelf"), where_of
    ),
    "logical_not.default": lambda lib, x: x == lib.nothing(x),
    "threshold.default": threshold,
}


def add_rounded_division(lib, to_zero):
    @lib.op("div.Tensor_mode", "div.Scalar_mode")
    def div_mode(a, b, rounding_mode):
        if rounding_mode is None:
            return lib.ops["div.Tensor"](a, b)
        return (lib.ops["floor_divide.default"] if rounding_mode == "floor" else to_zero)(a, b)


def add_power(lib, of_floats, of_integers, square):
    @lib.op("pow.Tensor_Tensor", "pow.Scalar", "pow.Tensor_Scalar")
    def power(a, b):
        dtype, sqrt = lib.common(a, b), lib.np.sqrt
        need(dtype != "bool", "bools")
        if kind(dtype) == 2:
            x = lib.to(a, wide(dtype))
            special = {
                0.5: lambda: sqrt(x),
                -0.5: lambda: 1 / sqrt(x),
                2: lambda: square(x),
                3: lambda: x * x * x,
                -1: lambda: 1 / x,
                -2: lambda: 1 / (x * x),
            }
            if not lib.is_tensor(b) and b in special and dtype not in HALVES:
                return special[b]()
            return lib.cast(of_floats(x, lib.to(b, wide(dtype))), dtype)
        b = lib.to(b, dtype)
        lib.check((b < 0) | (b > 63), "an integer's power beyond 63")
        return of_integers(lib.to(a, dtype), b)


def add_steps(lib, halves):
    """One function of the library each, and what consists of such an op."""
    np, ops = lib.np, lib.ops
    for names, function in (
        (("mul.Tensor", "mul.Scalar"), np.multiply),
        (("maximum.default", "max.other"), np.maximum),
        (("minimum.default", "min.other"), np.minimum),
        (("abs.default",), np.abs),
        (("positive.default",), lambda x: x),
    ):
        lib.op(*names)(lib.in_common(function, halves=halves))
    ops["neg.default"] = lib.in_common(np.negative, bools=False, halves=halves)
    lib.op("clamp_min.default", "clamp_min.Tensor")(lambda x, min: ops["clamp.default"](x, min=min))
    lib.op("clamp_max.default", "clamp_max.Tensor")(lambda x, max: ops["clamp.default"](x, max=max))
    ops["relu6.default"] = lambda x: ops["hardtanh.default"](x, 0, 6)


def add_pointwise(lib, in_single=lambda function: function, halves=False):
    """`in_single`: put around what consists of exp; `halves` as in Library.in_float."""
    ops = lib.ops
    for table, around, named in (
        (FLOAT, None, {}),
        (ONLY_FLOATS, None, {"promote": False}),
        (ONLY_FLOATS_BY_EXP, in_single, {"promote": False}),
    ):
        for name, function in lib.of(table).items():
            function = around(function) if around else function
            ops[with_overload(name)] = lib.in_float(function, **named)
    ops["lerp.Scalar"] = lib.in_float(lib.of(ONLY_FLOATS)["lerp.Tensor"], promote=False, silent=1)
    ops.update(lib.of(SAME))
    lib.op("xlogy.Tensor", "xlogy.Scalar_Other", "xlogy.Scalar_Self")(
        lib.in_float(lib.of({"xlogy": xlogy})["xlogy"])
    )
    ops["addcmul.default"] = ternary(lib, lambda s, a, b, value: s + value * a * b, True)
    ops["addcdiv.default"] = ternary(lib, lambda s, a, b, value: s + value * a / b, False)
    for name, dtype in CASTS.items():
        ops[f"_cast_{name}.default"] = (lambda to: lambda x, non_blocking=False: lib.cast(x, to))(
            dtype
        )
    add_steps(lib, halves)
    add_bits(lib)
    add_tests(lib, halves)
    add_sums(lib, halves)
