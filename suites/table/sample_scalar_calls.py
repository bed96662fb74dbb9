"""Calls of scalar rows, of metadata, and of the tensor rows that hand memory on.

Left out, because Python decides there and not PyTorch: division and remainder by zero or by ints
beyond 2**61, floor division and remainder where zeros or infinities meet, overflow of ints, powers
of ints (1.13.1 gives floats). Left out as well: rows on lists, which PyTorch takes in scripts only,
and what C++ leaves undefined (the least int by -1).
"""

import math

from sample_text import inf, nan, schema, tensor

INTS = [0, 1, -1, 2, 3, -7, 31, 1000003, -(2**40), 2**62, -(2**63), 2**63 - 1]
SMALL = [0, 1, -1, 2, 3, -7, 31]
FLOATS = [0.0, -0.0, 1.0, -1.5, 2.5, 0.1, -3.0, 1e300, 5e-324, inf, -inf, nan]
VALUES = {
    "int": INTS,
    "float": FLOATS,
    "bool": [False, True],
    "str": ["", "a", "ab", "b"],
    "number": [2, -3, 2.5, -0.0],
}
PLAIN = """
    Bool.float Bool.int Float.Scalar Float.bool Float.int Int.Scalar Int.bool __and__.bool
    __and__.int __not__ __or__.bool __or__.int __xor__.bool __xor__.int add.float add.float_int
    add.int_float div.float div.int eq.bool eq.float eq.float_int eq.int eq.int_float eq.str
    floordiv.int ge.float ge.float_int ge.int ge.int_float gt.float gt.float_int gt.int
    gt.int_float le.float le.float_int le.int le.int_float lt.float lt.float_int lt.int
    lt.int_float mul.float mul.float_int mul.int_float neg.Scalar ne.bool ne.float ne.float_int
    ne.int ne.int_float ne.str neg.float remainder.int sub.float sub.float_int sub.int_float add
    sub mul div floordiv remainder eq ne lt le gt ge
""".split()
MATHS = "cos exp expm1 log log10 log1p sin sqrt tan tanh".split()
DIVIDES = ("div", "floordiv", "remainder")


def values_of(op):
    names = [str(a.type) for a in schema(op).arguments]
    return [VALUES["number" if n in ("number", "Scalar") else n] for n in names]


def scalars(s):
    for name in PLAIN:
        op = "aten::" + name
        lists = values_of(op)
        if len(lists) == 1:
            for a in lists[0]:
                s.add(op, a)
            continue
        for a in lists[0]:
            for b in lists[1]:
                divides = name.startswith(DIVIDES)
                wide = name.endswith(".int") and abs(b) > 2**61
                if not divides or not (b == 0 or wide or (a == -(2**63) and b == -1)):
                    s.add(op, a, b)


def whole_numbers(s):
    for name in ("add", "sub", "mul"):
        for a in SMALL + [2**40, -(2**40)]:
            for b in SMALL:
                s.add(f"aten::{name}.int", a, b)
    for a in INTS[:-2]:
        s.add("aten::neg.int", a)
    for lo in (-3, 0, 5):
        for hi in (-3, 0, 4, 11):
            for step in (1, 2, 3, -1, -4):
                s.add("aten::__range_length", lo, hi, step)
                s.add("aten::__derive_index", 2, lo, step)


def floor_divisions(s):
    """Where PyTorch and Python agree: of ordinary numbers."""
    for name in ("floordiv", "remainder"):
        for a in (7, -7, 20, 1000003):
            for b in (2, -3, 16):
                s.add(f"aten::{name}.float", a + 0.5, b + 0.25)
                s.add(f"aten::{name}.float_int", a - 0.25, b)
                s.add(f"aten::{name}.int_float", a, b - 0.125)
    for a in (0, 1, -3, 300, 2**40):
        for b in (0, 1, 7, 20):
            s.add("aten::__lshift__.int", a, b)
            s.add("aten::__rshift__.int", a, b)


def any_values(s):
    for value in (0, -3, 2**62, True, False, 2.5, -0.125, inf, nan, "", "ab c"):
        s.add("aten::str", value)
    for a, b in ((None, None), (tensor("f32", [1.0]), None), (None, 3)):
        s.add("aten::__is__", a, b)
        s.add("aten::__isnot__", a, b)


def scalar_maths(s):
    for name in MATHS:
        domain = (lambda v: v > 0) if name.startswith("log") and name != "log1p" else None
        domain = (
            (lambda v: v > -1)
            if name == "log1p"
            else (lambda v: v >= 0)
            if name == "sqrt"
            else domain
        )
        for a in FLOATS:
            legal = (
                a == a
                and (domain is None or domain(a))
                and not (name in ("sin", "cos", "tan") and abs(a) > 1e9)
            )
            if legal and not (name.startswith("exp") and 700 < a < inf):
                s.add(f"aten::{name}.float", a, arrow="~>")
        for a in (1, 2, 3, 31):
            s.add(f"aten::{name}.int", a, arrow="~>")
    for a in (-2.5, -0.5, 0.5, 1.0, 1.5, 2.5, 1e15):
        s.add("aten::ceil.float", a)
        s.add("aten::floor.float", a)
        s.add("aten::Int.float", a)
    for a in (0.5, 2.0, 3.0):
        for b in (-2.0, 0.0, 0.5, 3.0):
            s.add("aten::pow.float", a, b, arrow="~>")
        for b in (-2, 0, 3):
            s.add("aten::pow.float_int", a, b, arrow="~>")
            s.add("aten::pow.int_float", 3, float(b), arrow="~>")
            s.add("aten::pow.int", 3, b, arrow="~>")
            s.add("aten::pow.Scalar_Scalar", a, b, arrow="~>")
            s.add("aten::pow.Scalar_Scalar", 3, b, arrow="~>")


def more_maths(s):
    """Where PyTorch and Python agree: within the domain, rounding aside."""
    pairs = [(2, 3), (7, 2), (-7, 2), (7, -3), (1, 31)]
    for name in (
        "acos asin atan sinh cosh asinh acosh atanh erf erfc gamma lgamma fabs degrees radians"
    ).split():
        for a in (0.25, 0.5, -0.5, 1.0, 1.5, 2.5):
            unit = name in ("acos", "asin", "atanh")
            outside = (
                (unit and abs(a) >= 1) or (name == "acosh" and a < 1) or ("gamma" in name and a < 0)
            )
            if not outside:
                s.add(f"aten::{name}.float", a, arrow="~>")
        s.add(f"aten::{name}.int", 0 if name in ("acos", "asin", "atanh") else 1, arrow="~>")
    for name in ("atan2", "copysign", "fmod", "mathremainder"):
        for a, b in pairs:
            s.add(f"aten::{name}.int", a, b, arrow="~>")
            s.add(f"aten::{name}.float", a + 0.5, float(b), arrow="~>")
            s.add(f"aten::{name}.int_float", a, b + 0.25, arrow="~>")
            s.add(f"aten::{name}.float_int", a - 0.25, b, arrow="~>")
    for a, b in ((8, 2), (3, 10)):
        s.add("aten::log.int_int", a, b, arrow="~>")
        s.add("aten::log.float_float", float(a), float(b), arrow="~>")
        s.add("aten::log.int_float", a, float(b), arrow="~>")
        s.add("aten::log.float_int", float(a), b, arrow="~>")
    for a in (0.0, -1.5, 2.5, inf, -inf, nan):
        for name in ("isnan", "isinf", "isfinite"):
            s.add(f"aten::{name}.float", a)
    for a in (0.0, -2.5, 0.75, 6.0):
        s.add("aten::round.float", a)
        s.add("aten::frexp", a)
        s.add("aten::modf", a)
        for i in (-3, 0, 5):
            s.add("aten::ldexp", a, i)
    for a, b in pairs:
        s.add("aten::divmod.int", a, b)
        s.add("aten::divmod.float", float(a), float(b))
        s.add("aten::divmod.int_float", a, float(b))
        s.add("aten::divmod.float_int", float(a), b)
        s.add("aten::gcd.int", a, b)
    for a in (0, 1, 5, 20, 97):
        for name in (
            "factorial.int",
            "hex",
            "oct",
            "bin",
            "chr",
            "floor.int",
            "ceil.int",
            "round.int",
        ):
            if a < 50 or name != "factorial.int":
                s.add("aten::" + name, a)


def from_tensors(s):
    one = [
        tensor("f32", 2.5),
        tensor("i64", -7),
        tensor("bool", 1),
        tensor("f64", [nan]),
        tensor("u8", [[200]]),
    ]
    many = [tensor("f32", [1.0, 2.0]), tensor("f32", [])]
    for t in one + many:
        numeric = not (t.numel() == 1 and t.is_floating_point() and t.isnan().item())
        for name in ("Bool.Tensor", "Float.Tensor", "FloatImplicit", "ScalarImplicit", "item"):
            s.add("aten::" + name, t)
        for name in ("Int.Tensor", "IntImplicit") if numeric else ():
            s.add("aten::" + name, t)
        for name in (
            "dim",
            "numel",
            "element_size",
            "size",
            "stride",
            "is_floating_point",
            "is_complex",
            "get_device",
            "storage_offset",
            "is_contiguous",
            "is_leaf",
            "len.Tensor",
        ):
            s.add("aten::" + name, t)
        for dim in (-2, -1, 0, 1):
            s.add("aten::size.int", t, dim)
            s.add("aten::stride.int", t, dim)
    for t in (
        tensor("f32", range(24), [2, 3, 4]),
        tensor("i64", [1, 2], [1, 2]),
        tensor("bool", [], [2, 0, 3]),
    ):
        s.add("aten::stride", t)
        for dim in (-4, -3, -1, 0, 2):
            s.add("aten::stride.int", t, dim)
    for shape in (
        [2, 3],
        [2, 3, 2, 2],
        [2, 1, 2, 3],
        [2, 3, 1, 1],
        [1, 3, 1, 1],
        [1, 1, 1, 1],
        [0, 1, 2, 2],
        [2, 3, 1, 2, 2],
        [2, 1, 3, 2, 2],
        [2, 3, 1, 1, 1],
    ):
        for layout in range(4):
            s.add(
                "aten::is_contiguous.memory_format",
                tensor("f32", range(math.prod(shape)), shape),
                layout,
            )
    for a in (0, 1, 3, 4, 6, 7, 11, 15):
        for b in (0, 4, 5, 6, 11):
            s.add("aten::can_cast", a, b)


def memory(s):
    x = tensor("f32", [0.0, 1.0, -0.0, 2.5, nan, inf], [2, 3])
    cube = tensor("i16", range(24), [2, 3, 4])
    for t in (x, cube, tensor("f64", 1.5), tensor("bool", [], [0, 2])):
        for name in ("alias", "clone", "contiguous", "detach", "flatten.using_ints"):
            s.add("aten::" + name, t)
        for dim in (-3, -1, 0, 1, 2):
            s.add("aten::unbind.int", t, dim)
            for start, length in ((0, 1), (1, 1), (-1, 1), (0, 0), (1, 9)):
                s.add("aten::narrow", t, dim, start, length)
    for first, last in ((0, 1), (1, 2), (-2, -1), (2, 0), (0, 3)):
        s.add("aten::flatten.using_ints", cube, first, last)
    for t in (x, tensor("i32", [3, 4]), tensor("f64", 1.5)):
        s.add("aten::numpy_T", t)
    for t in (x, tensor("i32", [[3, 4]]), tensor("f64", 1.5), cube, tensor("f64", [1.5, 2.5])):
        s.add("aten::matrix_H", t)
        s.add("aten::real", t)
    op = tensor("f64", [1.5, -2.5, 3.0])
    for dtype in ("f32", "f16", "i32", "bool"):
        for source in (
            op,
            tensor("i64", 7),
            tensor("f32", [[1.0], [0.0]]),
            tensor("f32", [1.0, 2.0]),
        ):
            s.add("aten::copy_", tensor(dtype, [0, 1, 0, 1, 1, 0], [2, 3]), source)
    for other in (cube, x, op):
        s.add("aten::expand_as", tensor("f32", [[1.0], [2.0]]), other)
        s.add("aten::expand_as", tensor("f32", 4.0), other)
    for dtype in ("f32", "f64", "i32"):
        s.add("aten::mv", tensor(dtype, [1, 2, 3, 4, 5, 6], [2, 3]), tensor(dtype, [1, -1, 2]))
        s.add("aten::mv", tensor(dtype, [], [0, 3]), tensor(dtype, [1, -1, 2]))
        s.add("aten::mv", tensor(dtype, [1, 2, 3, 4], [2, 2]), tensor(dtype, [1, -1, 2]))


FAMILIES = [
    scalars,
    whole_numbers,
    floor_divisions,
    any_values,
    scalar_maths,
    more_maths,
    from_tensors,
    memory,
]
