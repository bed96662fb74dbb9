"""Calls of the element-wise ops, a function for each family."""

import math

import torch
from sample_text import (
    ALL,
    CODES,
    DENORMAL,
    DTYPES,
    FLOATS,
    INTS,
    LIMITS,
    bound_text,
    column_and_row,
    few,
    floats,
    inf,
    integers,
    nan,
    tensor,
    values_of,
    vector,
)


def unary(s):
    exact = "neg abs floor ceil trunc round frac square sign sgn reciprocal sqrt".split()
    inexact = (
        "rsqrt exp expm1 log log1p log2 log10 sin cos tan asin acos atan sinh cosh tanh erf erfc "
        "sigmoid exp2"
    ).split()
    for name in exact + inexact:
        arrow = "=>" if name in exact else "~>"
        for dtype in ALL:
            x = vector(dtype)
            if name == "log1p" and dtype in FLOATS:
                x = x[:-2]  # the vector library overflows at the largest number
            s.add(f"aten::{name}", x, arrow=arrow)
        for t in (tensor("f32", 0.75), tensor("f64", -0.25), tensor("f32", [], [0, 2])):
            s.add(f"aten::{name}", t, arrow=arrow)
        for t in (tensor("f32", [0.25, 1.75]), tensor("f64", [0.5]), tensor("i32", [1, 2])):
            s.add(f"aten::{name}_", t, arrow=arrow)
    for name in ("lgamma", "lgamma_"):
        s.add(
            "aten::" + name,
            tensor("f32", [0.0, nan, inf, -inf, -1.0, 1.0, 2.0, 3.5, 10.0, 1e4]),
            arrow="~>",
        )
        s.add(
            "aten::" + name,
            tensor("f64", [0.0, nan, inf, -1.0, 1.0, 2.0, 3.5, 0.25, 1e300]),
            arrow="~>",
        )
    s.add(
        "aten::lgamma",
        tensor("f32", [0.5, 1.25, 1.75, -0.5, -1.5]),
        arrow=bound_text(16 * 2.0**-23),
    )
    s.add("aten::lgamma", tensor("i16", [1, 2, 3, 10]), arrow="~>")
    for name in "isnan isinf isfinite isposinf isneginf logical_not".split():
        for dtype in ALL:
            s.add(f"aten::{name}", vector(dtype))
    for dtype in ("f32", "bool", "i16"):
        s.add("aten::logical_not_", vector(dtype))
    for dtype in ALL:
        s.both("aten::bitwise_not", vector(dtype))
    for dtype in ALL:
        s.both("aten::nan_to_num", vector(dtype))
    s.both("aten::nan_to_num", vector("f32"), 1.0, 2.0, -3.5)
    s.both("aten::nan_to_num", vector("f32"), None, None, 1e300)
    s.add("aten::nan_to_num", vector("f64"), 0.5, None, -0.0)


MIXED = [
    ("i32", "f32"),
    ("f16", "bf16"),
    ("u8", "i8"),
    ("bool", "i32"),
    ("bool", "f16"),
    ("i64", "f64"),
    ("u8", "i16"),
    ("f32", "f64"),
]


def mixed_pairs(left=None, right=None):
    """Operands that promote: dimensioned of two dtypes, and with 0-d."""
    for a, b in MIXED:
        yield tensor(a, left or [1, 0, 3]), tensor(b, right or [2, 1, 5])
    yield tensor("i8", left or [1, 0, 3]), tensor("i64", 2)
    yield tensor("i8", left or [1, 0, 3]), tensor("f64", 2.5)
    yield tensor("f16", left or [1, 0, 3]), tensor("f64", 2.5)
    yield tensor("f32", 1.5), tensor("f64", 2.5)


def binary_ops(
    s,
    name,
    dtypes=ALL,
    arrow="=>",
    inplace=True,
    scalar=True,
    tensor_op=".Tensor",
    scalar_op=".Scalar",
    extra=(),
    mix=True,
):
    one = s.both if inplace else s.add
    for dtype in dtypes:
        s.add(name + tensor_op, *column_and_row(dtype, dtype), *extra, arrow=arrow)
    if mix:
        for a, b in mixed_pairs():
            s.add(name + tensor_op, a, b, *extra, arrow=arrow)
    one(
        name + tensor_op,
        tensor("f32", [1.5, -2.0, 0.25]),
        tensor("f32", [0.5, 4.0, -1.25]),
        *extra,
        arrow=arrow,
    )
    one(
        name + tensor_op,
        tensor("i32", [7, -9, 4]),
        tensor("f32", [2.0, 4.0, -3.0]),
        *extra,
        arrow=arrow,
    )
    one(
        name + tensor_op,
        tensor("i16", [7, -9, 4, 1], [2, 2]),
        tensor("i16", [2, -4]),
        *extra,
        arrow=arrow,
    )
    s.add(name + tensor_op, tensor("f32", [], [0]), tensor("f32", [1.0]), *extra, arrow=arrow)
    s.add(
        name + tensor_op,
        tensor("f32", [1.0, 2.0]),
        tensor("f32", [1.0, 2.0, 3.0]),
        *extra,
        arrow=arrow,
    )
    if not scalar:
        return
    for dtype, number in (
        ("f32", 2),
        ("f32", 0.1),
        ("f64", 0.1),
        ("f32", -inf),
        ("f32", nan),
        ("f16", 0.1),
        ("bf16", 3),
        ("i32", 3),
        ("i32", 2.5),
        ("u8", 3),
        ("i8", -2),
        ("bool", 1),
        ("bool", 0.5),
        ("i64", 5),
    ):
        if dtype in dtypes or dtype == "bool":
            values = floats(dtype)[:18] if dtype in FLOATS else integers(dtype)
            one(name + scalar_op, tensor(dtype, values), number, *extra, arrow=arrow)
    s.add(name + scalar_op, tensor("f32", 1.5), 2, *extra, arrow=arrow)
    s.add(name + scalar_op, tensor("i64", 5), 2.5, *extra, arrow=arrow)


def arithmetic(s):
    for name in ("add", "sub", "mul"):
        binary_ops(s, "aten::" + name)
    binary_ops(s, "aten::rsub", inplace=False)
    for name in ("add", "sub", "rsub"):
        op = f"aten::{name}.Tensor"
        for a, b, alpha in (
            (tensor("f32", [1.0, 2.0]), tensor("f32", [0.5, -4.0]), 2),
            (tensor("f64", [1.0, 2.0]), tensor("i32", [3, -4]), 2.5),
            (tensor("i32", [1, 2]), tensor("i32", [3, -4]), -3),
            (tensor("i32", [1, 2]), tensor("i32", [3, -4]), 2.0),
            (tensor("i8", [1, 2]), tensor("i8", [3, -4]), 300),
            (tensor("bool", [1, 0]), tensor("bool", [0, 0]), 2),
            (tensor("u8", [1, 2]), tensor("f16", [3, -4]), 0.5),
        ):
            s.add(op, a, b, alpha)
            s.add(f"aten::{name}.Scalar", a, 3, alpha)
    for name in ("add_", "sub_"):
        s.add(f"aten::{name}.Tensor", tensor("i32", [1, 2]), tensor("i32", [3, -4]), -3)
    s.add("aten::add.Scalar", tensor("u8", [1, 200]), 300)
    s.add("aten::add.Scalar", tensor("f32", [1.0]), 1e300)
    s.add("aten::add_.Tensor", tensor("f32", [1.0]), tensor("f32", [1.0, 2.0]))
    s.add(
        "aten::add_.Tensor", tensor("f32", [1.0, 2.0, 3.0, 4.0], [2, 2]), tensor("f32", [1.0, 2.0])
    )
    s.add("aten::mul.Tensor", tensor("i64", [2**62, 3**39]), tensor("i64", [3, 3**20]))


def dividends(dtype):
    values = few(dtype)
    return (
        values
        if dtype in FLOATS or dtype in ("u8", "i8", "i16")
        else [v for v in values if v > -(2**31)]
    )


def divisors(dtype):
    if dtype in FLOATS:
        # fmod of the vector library gives NaN where the quotient overflows
        tiny = [] if dtype == "f64" else [DENORMAL[dtype]]
        return [0.0, -0.0, nan, inf, -inf, 0.5, -3.0, float(LIMITS[dtype].max)] + tiny
    if dtype == "bool":
        return [1]
    return [1, 2, 3, 7, 100] if dtype == "u8" else [1, -1, 2, -3, 7, 100]


def division(s):
    binary_ops(s, "aten::div")
    ones = [("aten::remainder", ()), ("aten::fmod", ()), ("aten::floor_divide", ())]
    ones += [("aten::div", (mode,)) for mode in (None, "trunc", "floor")]
    for name, extra in ones:
        suffix = "_mode" if extra else ""
        op = name + (".Tensor" + suffix if name != "aten::floor_divide" else "")
        inplace = "aten::floor_divide_.Tensor" if name == "aten::floor_divide" else None
        for dtype in ALL:
            # not the largest: see divisors
            left = dividends(dtype)[:-1] if dtype == "f64" else dividends(dtype)
            s.add(op, *column_and_row(dtype, dtype, left, divisors(dtype)), *extra)
        for a, b in mixed_pairs([7, 0, 9], [2, 1, 5]):
            s.add(op, a, b, *extra)
        s.both(
            op,
            tensor("f32", [7.0, -7.0, 5.5]),
            tensor("f32", [2.0, 2.0, -0.1]),
            *extra,
            inplace=inplace,
        )
        s.both(op, tensor("i32", [7, -7, 5]), tensor("i32", [2, 2, -3]), *extra, inplace=inplace)
        s.add(op, tensor("i32", [7, -7]), tensor("i32", [2, 0]), *extra)
        scalar = name + ".Scalar" + suffix
        for dtype, number in (
            ("f32", 3),
            ("f32", 0),
            ("f32", -0.1),
            ("f64", -0.1),
            ("i32", 3),
            ("i32", -3),
            ("i32", 2.5),
            ("u8", 3),
            ("bool", 2),
            ("i8", 0),
            ("f16", 3),
        ):
            s.both(scalar, tensor(dtype, dividends(dtype)), number, *extra)
    s.add("aten::div.Tensor_mode", tensor("f32", [1.0]), tensor("f32", [1.0]), "up")
    for number, t in (
        (7, tensor("i32", [2, -2, 3])),
        (-7, tensor("i8", [2, -2, 3])),
        (7.5, tensor("i32", [2, -2])),
        (-7, tensor("f32", [2.0, -2.0, 0.0, inf])),
        (3, tensor("i64", [0])),
    ):
        s.add("aten::remainder.Scalar_Tensor", number, t)


def comparison(s):
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        binary_ops(s, "aten::" + name)
        s.add(f"aten::{name}.Scalar", tensor("u8", [43, 44, 45]), 300)
        s.add(f"aten::{name}.Scalar", tensor("i64", [2**53 + 1, 2**53]), 2.0**53)
        s.add(
            f"aten::{name}.Tensor",
            tensor("i64", [2**53 + 1, 2**24 + 1]),
            tensor("f32", [2.0**53, 2.0**24]),
        )
        s.add(f"aten::{name}.Scalar", tensor("f16", [0.1, 0.099975585938]), 0.1)
    for name in ("logical_and", "logical_or", "logical_xor"):
        binary_ops(s, "aten::" + name, scalar=False, tensor_op="")


def bits(s):
    for stem in ("and", "or", "xor"):
        binary_ops(s, f"aten::bitwise_{stem}")
        binary_ops(s, f"aten::__{stem}__", inplace=False, dtypes=["bool", "u8", "i64"], mix=False)
        for t in (tensor("i32", [6, -3]), tensor("bool", [0, 1])):
            s.add(f"aten::__i{stem}__.Tensor", t, t.flip(0))
            s.add(f"aten::__i{stem}__.Scalar", t, 5)
        for number, t in (
            (6, tensor("i8", [3, -1])),
            (1, tensor("bool", [0, 1])),
            (1.5, tensor("i32", [1])),
        ):
            s.add(f"aten::bitwise_{stem}.Scalar_Tensor", number, t)
    for stem, side in (("lshift", "left"), ("rshift", "right")):
        for op, scalar in (
            (f"aten::__{stem}__.Tensor", f"aten::__{stem}__.Scalar"),
            (f"aten::bitwise_{side}_shift.Tensor", f"aten::bitwise_{side}_shift.Tensor_Scalar"),
        ):
            in_place = (
                op.replace(f"__{stem}__", f"__i{stem}__").replace("shift.", "shift_."),
                scalar.replace(f"__{stem}__", f"__i{stem}__").replace("shift.", "shift_."),
            )
            for dtype in INTS:
                width = torch.iinfo(DTYPES[dtype]).bits
                amounts = [0, 1, width - 2 if dtype != "u8" else 7]
                s.add(op, *column_and_row(dtype, dtype, integers(dtype), amounts))
                s.add(scalar, vector(dtype), 3)
                s.add(in_place[1], vector(dtype), 2)
                s.add(in_place[0], vector(dtype), tensor(dtype, [1]))
            for dtype in ("bool", "f32"):
                s.add(op, tensor(dtype, [0, 1]), tensor(dtype, [1, 1]))
                s.add(scalar, tensor(dtype, [0, 1]), 2)
            s.add(op, tensor("u8", [1, 2]), tensor("i32", [3, 4]))
        s.add(f"aten::bitwise_{side}_shift.Scalar_Tensor", 5, tensor("i16", [0, 1, 2]))
        s.add(f"aten::bitwise_{side}_shift.Scalar_Tensor", 100, tensor("u8", [0, 1, 2]))


def extremes(s):
    # of 0 and -0 the vectorised kernels return the second operand, the others the first
    free = bound_text(0.0)
    for name in ("maximum", "max.other", "minimum", "min.other", "fmax", "fmin"):
        binary_ops(s, "aten::" + name, inplace=False, scalar=False, tensor_op="", arrow=free)
    for name in ("clamp_min", "clamp_max"):
        binary_ops(s, "aten::" + name, tensor_op=".Tensor", scalar_op="", arrow=free)
        for dtype, number in (
            ("u8", -1),
            ("u8", 300),
            ("i8", 200),
            ("f32", 1e300),
            ("i32", nan),
            ("f16", 1e6),
        ):
            s.add("aten::" + name, tensor(dtype, values_of(dtype)), number)
    for low, high in (
        (0, 1),
        (0.5, 1.5),
        (None, 1),
        (-1, None),
        (None, None),
        (3, 1),
        (nan, 1),
        (0, nan),
        (nan, None),
        (None, nan),
        (nan, inf),
        (-inf, nan),
        (0.0, inf),
        (-inf, 2.5),
        (-200, 300),
        (-0.0, 0.0),
        (-1, 1),
    ):
        for dtype in ("f32", "f64", "i32", "u8", "bool", "f16", "i8"):
            s.add("aten::clamp", vector(dtype), low, high, arrow=free)
        s.add("aten::clamp_", tensor("f32", [0.25, -3.0, 7.0]), low, high)
    s.add("aten::clamp_", tensor("i32", [1, -3]), 0.5, 1.5)
    for dtype in ALL:
        low, high = tensor(dtype, [0, 1]), tensor(dtype, [1, 1])
        for a, b in ((low, high), (None, high), (low, None), (None, None)):
            s.both("aten::clamp.Tensor", tensor(dtype, few(dtype)).reshape(-1, 1), a, b, arrow=free)
    s.add("aten::clamp.Tensor", vector("f32"), tensor("f32", nan), tensor("f32", 1.0))
    s.add("aten::clamp.Tensor", vector("f32"), tensor("f32", -1.0), tensor("f32", nan))
    s.add("aten::clamp.Tensor", vector("i32"), tensor("f32", [0.5]), tensor("i64", [3]))
    s.add("aten::clamp.Tensor", vector("f32"), tensor("f64", 0.1), None)


def powers(s):
    binary_ops(
        s, "aten::pow.Tensor_Tensor", FLOATS, arrow="~>", inplace=False, scalar=False, tensor_op=""
    )
    op = "aten::pow.Tensor_Tensor"
    for dtype in ["bool"] + INTS:
        exponents = [0, 1, 2, 3, 5] if dtype in ("bool", "u8") else [0, 1, 2, 3, 5, -1, -2]
        s.add(op, *column_and_row(dtype, dtype, None, exponents))
    s.both(
        op,
        tensor("f32", [2.0, 3.0, -2.0]),
        tensor("f32", [0.5, 2.0, 3.0]),
        arrow="~>",
        inplace="aten::pow_.Tensor",
    )
    s.both(op, tensor("i32", [2, 3, -2]), tensor("i32", [5, 2, 3]), inplace="aten::pow_.Tensor")
    op = "aten::pow.Tensor_Scalar"
    for dtype in ("f32", "f64", "f16", "bf16", "i32", "u8", "bool"):
        values = floats(dtype) if dtype in FLOATS else integers(dtype)
        for e in (0, 1, 2, 3, -1, -2, 0.5, -0.5, 2.0, 1.75, -3.0, 4, nan, inf, 300):
            if dtype not in ("f32", "i32") and e in (1, 1.75, 4, nan, inf):
                continue
            s.add(
                op,
                tensor(dtype, values),
                e,
                arrow="~>" if dtype in FLOATS or isinstance(e, float) else "=>",
            )
    for e in (2, 0.5, -1):
        s.add("aten::pow_.Scalar", tensor("f32", [4.0, 0.25]), e, arrow="~>")
        s.add("aten::pow_.Scalar", tensor("i32", [4, 2]), e)
    op = "aten::pow.Scalar"
    for base in (0, 1, 2, 3, -2, 0.5, 1.0, nan, inf):
        s.add(
            op, base, tensor("f32", [0.0, -0.0, 1.0, -1.0, 2.5, nan, inf, -inf, 10.0]), arrow="~>"
        )
        s.add(op, base, tensor("i32", [0, 1, 2, 3, 5, -1]), arrow="~>")
    s.add(op, 3, tensor("u8", [0, 1, 2, 10]))
    s.add(op, 2, tensor("f64", [0.1, 100.5]), arrow="~>")
    s.add(op, 2, tensor("bool", [0, 1]))


def planes(s):
    binary_ops(
        s,
        "aten::atan2",
        arrow="~>",
        scalar=False,
        tensor_op="",
        dtypes=["f32", "f64", "bf16", "i32", "bool"],
    )
    binary_ops(
        s,
        "aten::hypot",
        arrow="~>",
        scalar=False,
        tensor_op="",
        dtypes=["f32", "f64", "bf16", "i32"],
    )
    binary_ops(s, "aten::copysign", arrow="=>", dtypes=["f64", "bf16", "i32", "bool"], mix=False)
    signs = [v for v in few("f32") if not math.isnan(v)]  # the sign of a NaN is nobody's business
    s.add("aten::copysign.Tensor", *column_and_row("f32", "f32", None, signs))
    s.add("aten::copysign.Scalar", vector("f32"), -0.0)


def blends(s):
    f = [0.5, -1.5, 2.0]
    exact32 = [tensor("f32", f), tensor("f32", [2.0, 3.0, -4.0]), tensor("f32", [0.25, 8.0, 1.5])]
    ints = [tensor("i32", [1, 2, 3]), tensor("i32", [4, -5, 6]), tensor("i32", [7, 8, -9])]
    for name in ("addcmul", "addcdiv"):
        op = "aten::" + name
        s.both(op, *exact32)
        s.both(op, *exact32, 2)
        s.add(op, *[t.double() for t in exact32], 0.5)
        s.add(op, *[t.bfloat16() for t in exact32], 0.5, arrow="~>")
        s.both(op, *ints)
        s.add(op, *ints, 2)
        s.add(op, *ints, 1.5)
        s.add(op, tensor("i32", [1, 2, 3]), exact32[1], ints[2], 1.5)
        s.add(op, exact32[0], ints[1], ints[2])
        s.add(op, exact32[0], ints[1], exact32[2])
        s.add(op, *[t > 2 for t in ints])
        s.add(op, ints[0] > 1, ints[1] > 0, ints[2])
        s.add(op, *[t.to(torch.int8) for t in ints], 300)
        s.add(op, *[t.to(torch.int8) for t in ints], 100)
        s.add(
            op,
            tensor("f32", [0.0, 1.0, nan]),
            tensor("f32", [inf, 0.0, 1.0]),
            tensor("f32", [0.0, -0.0, 2.0]),
        )
        s.add(op, tensor("f32", 1.0), tensor("f32", [2.0, 4.0]), tensor("f32", [[1.0], [0.5]]))
        s.add(op, *exact32, 1e300)
    a, b, w = (
        tensor("f32", [1.0, -2.0, 0.0, 8.0]),
        tensor("f32", [2.0, 6.0, -1.0, 4.0]),
        [0.25, 0.5, 0.75, 1.0],
    )
    s.both("aten::lerp.Tensor", a, b, tensor("f32", w))
    s.add("aten::lerp.Tensor", a.double(), b.double(), tensor("f64", w))
    s.add("aten::lerp.Tensor", a, b, tensor("f32", 0.5))
    s.add("aten::lerp.Tensor", a, b.double(), tensor("f32", w))
    s.add("aten::lerp.Tensor", a, b, tensor("f64", 0.5))
    s.add("aten::lerp.Tensor", a.long(), b.long(), tensor("i64", 1))
    for weight in (0, 1, 0.25, 0.5, 0.75, -1.5, 2.5, nan, inf, 1e300):
        s.both("aten::lerp.Scalar", a, b, weight)
    s.add("aten::lerp.Scalar", a, b.double(), 0.5)
    s.add("aten::lerp.Scalar", a.long(), b.long(), 0.5)
    s.add("aten::lerp.Scalar", a.double(), tensor("f64", [[1.0], [3.0]]), 0.5)


def activations(s):
    moderate = [
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.0,
        -1.0,
        2.5,
        -2.5,
        0.1,
        -0.3,
        5.0,
        -5.0,
        7.75,
        -7.75,
        1e-5,
        -1e-5,
    ]
    simple = [
        0.0,
        -0.0,
        nan,
        inf,
        -inf,
        0.5,
        -0.5,
        1.5,
        -1.5,
        3.0,
        -3.0,
        3.5,
        -3.5,
        6.0,
        7.0,
        -20.0,
        100.0,
    ]
    for name in ("relu", "relu6"):
        for dtype in ALL:
            s.both("aten::" + name, vector(dtype))
    for name in ("hardsigmoid", "hardswish"):
        for dtype in FLOATS + ["i32", "bool"]:
            s.both(
                "aten::" + name, tensor(dtype, simple if dtype in FLOATS else [0, 1]), arrow="~>"
            )
    for args in ((), (-2, 2), (0, 0.5), (0, 300), (0, 1e300), (1, -1)):
        for dtype in ("f32", "f64", "bf16", "i32", "u8", "i8", "bool"):
            s.add("aten::hardtanh", tensor(dtype, values_of(dtype)), *args)
        s.add("aten::hardtanh_", tensor("f32", [0.25, -3.0, 7.0]), *args)
    for args in ((0, 1), (1, -2.5), (0.5, 7), (300, 1), (-1, 0)):
        for dtype in ("f32", "f64", "bf16", "i32", "i8", "bool"):
            s.add("aten::threshold", tensor(dtype, values_of(dtype)), *args)
        s.add("aten::threshold_", tensor("f32", [0.25, -3.0, 7.0]), *args)
    for args in ((), (0.5,), (-2,), (0,), (1e300,)):
        for dtype in ("f32", "f64", "bf16", "i32"):
            s.add("aten::leaky_relu", tensor(dtype, values_of(dtype)), *args, arrow="~>")
        s.add("aten::leaky_relu_", tensor("f32", [0.25, -3.0, 7.0]), *args)
    for args in ((), (1,), (0,), (-1,)):
        for dtype in ("f32", "f64", "bf16", "i32"):
            s.add("aten::hardshrink", tensor(dtype, values_of(dtype)), *args)
            s.add("aten::softshrink", tensor(dtype, values_of(dtype)), *args)
    for dtype, epsilon in (("f32", 2.0**-23), ("f64", 2.0**-52), ("bf16", 2.0**-7)):
        # 1 + erf(x), exp(x) - 1 cancel: an absolute error of a few ulp of 1, times |x| <= 8
        close = bound_text(32 * epsilon)
        x = tensor(dtype, moderate)
        special = tensor(dtype, [nan, inf, -inf, 100.0])
        for args in ((), ("none",), ("tanh",)):
            s.both("aten::gelu", x, *args, arrow=close)
            s.add("aten::gelu", special, *args, arrow="~>")
        for args in ((), (2,), (0.5, 1.5), (1, 2, 0.5), (0,)):
            s.both("aten::elu", x, *args, arrow=close)
            s.add("aten::elu", special, *args, arrow="~>")
        for args in ((), (2,), (0.5,), (0,)):
            s.both("aten::celu", x, *args, arrow=close)
            s.add("aten::celu", special, *args, arrow="~>")
        s.both("aten::selu", x, arrow=close)
        s.add("aten::selu", special, arrow="~>")
        for name in ("silu", "mish", "log_sigmoid"):
            s.add("aten::" + name, x, arrow="~>")
            s.add("aten::" + name, special, arrow="~>")
        for args in ((), (2,), (0.5, 3), (1, -1)):
            s.add("aten::softplus", x, *args, arrow="~>")
            s.add("aten::softplus", special, *args, arrow="~>")
        for args in ((), (None,), (0.125,), (2.0**-6,), (0.0,)):  # 1 - eps is exact in bf16
            s.both(
                "aten::logit",
                tensor(dtype, [0.25, 0.75, 0.125, 0.0, 1.0, nan, -1.0, 2.0]),
                *args,
                arrow="~>",
            )
        s.add("aten::logit", tensor(dtype, [0.5, 0.5]), arrow="~>")
    s.add("aten::gelu", tensor("f32", [1.0]), "fast")
    for name in ("silu_", "mish_"):
        s.add("aten::" + name, tensor("f32", [1.0, -2.0]), arrow="~>")
    for name in ("gelu", "elu", "celu", "selu", "silu", "mish", "softplus", "log_sigmoid", "logit"):
        for dtype in ("i32", "bool"):
            s.add("aten::" + name, tensor(dtype, [0, 1]), arrow="~>")
    s.add("aten::elu", tensor("f32", [1.0, -1.0]), 1e300)


def choices(s):
    c = tensor("bool", [1, 0, 1])
    a, b = tensor("f32", [1.0, nan, -0.0]), tensor("f32", [4.0, 5.0, inf])
    op = "aten::where.self"
    s.add(op, c, a, b)
    for x, y in mixed_pairs():
        if x.dim():
            s.add(op, c, x, y)
    for dtype in ALL:
        values = values_of(dtype)[:3]
        s.add(
            op, c, tensor(dtype, values), tensor(dtype, values[::-1] if len(values) == 3 else [1])
        )
    s.add(op, tensor("u8", [2, 0, 255]), a, b)
    s.add(op, tensor("i32", [1, 0, 1]), a, b)
    s.add(op, a, a, b)
    s.add(op, c.reshape(3, 1), a, tensor("f32", 7.0))
    s.add(op, tensor("bool", 1), a, b)
    s.add(op, c, a, tensor("f32", [1.0, 2.0]))
    for dtype in ALL:
        t = tensor(dtype, (values_of(dtype) + [1])[:3])
        for number in (2, 2.5, -1, 300, 1e300):
            s.add("aten::where.ScalarOther", c, t, number)
            s.add("aten::where.ScalarSelf", c, number, t)
            s.both("aten::masked_fill.Scalar", t, c, number)
    for x, y in ((1, 2), (1.5, 2), (0.1, -0.0), (3, inf)):
        s.add("aten::where.Scalar", c, x, y)
    for dtype, other in (
        ("f32", "f32"),
        ("f32", "f64"),
        ("i32", "f32"),
        ("bool", "i64"),
        ("i8", "i8"),
        ("f16", "f32"),
    ):
        s.both(
            "aten::masked_fill.Tensor",
            tensor(dtype, [1, 0, 3]),
            c,
            tensor(other, 2.5 if other in FLOATS else 2),
        )
    s.add("aten::masked_fill.Tensor", a, c, tensor("f32", [1.0]))
    s.both("aten::masked_fill.Scalar", a, c.reshape(3, 1), 3)
    s.both("aten::masked_fill.Scalar", a, tensor("u8", [1, 0, 1]), 3)
    s.both("aten::masked_fill.Scalar", a, tensor("bool", [1, 0]), 3)


def casts(s):
    def castable(source, target):
        """Values whose conversion C++ defines."""
        values = values_of(source)
        if source in FLOATS and target in INTS:
            values = [0.0, -0.0, 0.5, 0.99, 1.5, 2.5, 100.75, DENORMAL[source]]
            values += [] if target == "u8" else [-0.5, -1.5, -100.75]
        return tensor(source, values)

    for target in ALL:
        code = CODES[target]
        for source in ALL:
            s.add("aten::to.dtype", castable(source, target), code)
        for source in ("f32", "i64", "bool", target):
            x = castable(source, target)
            s.add("aten::to.other", x, tensor(target, [1]))
            s.add("aten::type_as", x, tensor(target, 1))
            s.add("aten::to.dtype_layout", x, code)
            s.add("aten::to.device", x, "cpu", code)
            s.add("aten::to.prim_dtype", x, code)
            s.add("aten::to.prim_Device", x, "cpu", code)
    for source in ("f32", "f16", "bf16", "f64", "i32"):
        for on in (True, False):
            x = castable(source, "bf16")
            s.add("aten::_autocast_to_full_precision", x, False, on)
            s.add("aten::_autocast_to_reduced_precision", x, False, on, CODES["f16"], CODES["bf16"])
    for dtype, name in (
        ("u8", "Byte"),
        ("i8", "Char"),
        ("i16", "Short"),
        ("i32", "Int"),
        ("i64", "Long"),
        ("f16", "Half"),
        ("f32", "Float"),
        ("f64", "Double"),
    ):
        for source in ALL:
            s.add(f"aten::_cast_{name}", castable(source, dtype))
    x = tensor("f32", [1.5, nan])
    s.add("aten::to.dtype", x, 6, False, True)
    s.add("aten::to.dtype", x, 7, True, True, None)
    s.add("aten::to.prim_dtype", x)
    s.add("aten::to.prim_other", x)
    s.add("aten::to.prim_Device", x, "cpu")
    s.add("aten::to.prim_Device", x, None, 7)
    s.add("aten::cpu", x)
    s.add("aten::cuda", x)  # an error without such a device
    s.add("aten::to.dtype_layout", x)
    s.add("aten::to.dtype", tensor("f64", [1e300, 2.0**-150, 1 + 2.0**-24, 1 + 3 * 2.0**-25]), 6)
    s.add(
        "aten::to.dtype",
        tensor("f32", [65519.0, 65520.0, 2.0**-25, 1 + 2.0**-11, 1 + 3 * 2.0**-11]),
        5,
    )
    s.add("aten::to.dtype", tensor("f32", [1 + 2.0**-8, 1 + 3 * 2.0**-8, 3.4e38]), 15)


FAMILIES = [
    unary,
    arithmetic,
    division,
    comparison,
    bits,
    extremes,
    powers,
    planes,
    blends,
    activations,
    choices,
    casts,
]
