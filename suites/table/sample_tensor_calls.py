"""Calls of reductions, views, joins, products and creation, a function for each family."""

from sample_text import (
    ALL,
    CODES,
    DTYPES,
    FLOATS,
    bound_text,
    inf,
    nan,
    tensor,
    values_of,
    vector,
)


def reductions(s):
    eps = 2.0**-23
    m = tensor("f32", [1.0, -2.5, 0.25, 4.0, 8.0, -0.5], [2, 3])
    cases = [("sum", "sum.dim_IntList"), ("mean", "mean.dim"), ("prod", "prod.dim_int")]
    for whole, some in cases:
        arrow = "~>" if whole == "mean" else "=>"
        for dtype in ALL:
            t = tensor(dtype, [1, 0, 3, 2, 1, 1] if dtype == "bool" else [1, 2, 3, 2, 1, 4], [2, 3])
            if dtype == "bool":
                t = tensor(dtype, [1, 0, 1, 1, 1, 1], [2, 3])
            s.add(f"aten::{whole}", t, arrow=arrow)
            for dim in (0, [1], [-1, 0]) if whole != "prod" else (0, -1):
                dim = [dim] if whole != "prod" and not isinstance(dim, list) else dim
                s.add(f"aten::{some}", t, dim, arrow=arrow)
            if dtype not in FLOATS:
                s.add(f"aten::{whole}", vector(dtype), arrow=arrow)
        dim = 1 if whole == "prod" else [1]
        for code in (CODES["f64"], CODES["i32"], CODES["f32"], CODES["u8"]):
            s.add(f"aten::{whole}", tensor("i32", [1, 2, 3]), code, arrow=arrow)
            s.add(
                f"aten::{some}",
                tensor("f32", [1.5, 2.5, 3.0, 1.0], [2, 2]),
                dim,
                False,
                code,
                arrow=arrow,
            )
        for x in ([nan, 1.0], [inf, 1.0], [inf, -inf], [-0.0, -0.0], [0.0, inf]):
            s.add(f"aten::{whole}", tensor("f32", x), arrow="~>")
        for shape in ([0], [0, 2], [2, 0]):
            s.add(f"aten::{whole}", tensor("f32", [], shape), arrow=arrow)
            for dim in (0, -1):
                s.add(
                    f"aten::{some}",
                    tensor("f32", [], shape),
                    dim if whole == "prod" else [dim],
                    arrow=arrow,
                )
        s.add(f"aten::{whole}", tensor("f64", 2.5), arrow=arrow)
        s.add(f"aten::{some}", tensor("f64", 2.5), -1 if whole == "prod" else [-1], arrow=arrow)
        for dim in (2, -3):
            s.add(f"aten::{some}", m, dim if whole == "prod" else [dim], arrow=arrow)
        s.add(f"aten::{some}", m, dim if whole == "prod" else [0], True, arrow=arrow)
    for some in ("sum.dim_IntList", "mean.dim"):
        for dim in (None, [], [0, 1], [0, 0], [1, -1]):
            s.add(f"aten::{some}", m, dim, True, arrow="~>")
    x = [0.1 * i - 1.7 for i in range(37)]
    total = sum(abs(v) for v in x)
    s.add("aten::sum", tensor("f32", x), arrow=bound_text(37 * eps * total))
    s.add("aten::mean", tensor("f32", x), arrow=bound_text(37 * eps * total / 37))
    s.add("aten::sum", tensor("i32", [2**31 - 1] * 3))
    s.add("aten::prod", tensor("i64", [2**62, 3, 5]))
    s.add("aten::prod", tensor("u8", [100, 100, 100]))
    for name in ("amax", "amin"):
        op, free = "aten::" + name, bound_text(0.0)  # 0 and -0 are equal
        for dtype in ALL:
            s.add(op, vector(dtype), arrow=free)
            t = tensor(dtype, (values_of(dtype) * 3)[:6], [2, 3])
            for dim in ([], [0], [-1], [0, 1]):
                s.add(op, t, dim, arrow=free)
            s.add(op, t, [1], True, arrow=free)
        for dim in ([2], [0, 0], [-3]):
            s.add(op, m, dim)
        s.add(op, tensor("f32", []))
        s.add(op, tensor("f32", [], [0, 2]), [0])
        s.add(op, tensor("f32", [], [0, 2]), [1])
        s.add(op, tensor("f64", 2.5))
        s.add(op, tensor("f32", [[-inf, -inf], [inf, 1.0], [nan, 1.0]]), [1])


def softmaxes(s):
    for name in ("softmax", "log_softmax"):
        op = f"aten::{name}.int"
        for dtype, epsilon in (("f32", 2.0**-23), ("f64", 2.0**-52), ("bf16", 2.0**-8)):
            close = bound_text(16 * epsilon) if name == "log_softmax" else "~>"
            x = tensor(dtype, [1.0, 2.0, 3.5, -1.0, 0.0, -0.5], [2, 3])
            for dim in (0, 1, -1):
                s.add(op, x, dim, arrow=close)
            s.add(op, tensor(dtype, [0.0, 0.0, 0.0, 0.0]), 0, arrow=close)
        wide = tensor("f32", [1000.0, 0.0, -1000.0, 999.0])
        s.add(op, wide, 0, arrow=bound_text(2.0**-12) if name == "log_softmax" else "~>")
        for values in ([nan, 1.0], [inf, 1.0], [-inf, 1.0], [-inf, -inf], [inf, inf]):
            s.add(op, tensor("f32", values), 0, arrow=bound_text(2.0**-20))
        s.add(op, tensor("f32", 2.5), 0, arrow="~>")
        s.add(op, tensor("f32", [], [0, 3]), 0)
        s.add(op, tensor("f32", [], [3, 0]), 1)
        s.add(op, tensor("f32", [], [0, 3]), 1)
        s.add(op, tensor("f32", [1.0, 2.0]), 1)
        s.add(op, tensor("i32", [1, 2]), 0)
        s.add(op, tensor("i32", [1, 2]), 0, CODES["f32"], arrow=bound_text(2.0**-20))
        s.add(op, tensor("f32", [1.0, 2.0]), 0, CODES["f64"], arrow=bound_text(2.0**-48))
        s.add(op, tensor("bool", [1, 0]), 0)


def views(s):
    x = tensor("f32", range(12), [3, 4])
    cube = tensor("i16", range(24), [2, 3, 4])
    empty = tensor("f32", [], [0, 3])
    scalar = tensor("f64", 2.5)
    for name in ("view", "reshape"):
        op = "aten::" + name
        for sizes in (
            [12],
            [4, 3],
            [-1],
            [2, -1],
            [2, 1, 6],
            [5],
            [-1, -1],
            [0, -1],
            [-1, 5],
            [-2, 6],
        ):
            s.add(op, x, sizes)
        for t, sizes in (
            (empty, [0]),
            (empty, [3, 0]),
            (empty, [-1]),
            (empty, [-1, 3]),
            (empty, [0, -1]),
            (scalar, []),
            (scalar, [1]),
            (scalar, [-1]),
            (tensor("u8", [7]), []),
            (cube, [6, 4]),
        ):
            s.add(op, t, sizes)
    for dims in ([1, 0], [0, 1], [-1, -2], [0, 0], [0], [0, 2]):
        s.add("aten::permute", x, dims)
    for t, dims in ((cube, [2, 0, 1]), (cube, [-1, 1, 0]), (scalar, []), (empty, [1, 0])):
        s.add("aten::permute", t, dims)
    for a, b in ((0, 1), (-1, 0), (1, 1), (0, 2), (-3, 0)):
        s.add("aten::transpose.int", x, a, b)
    s.add("aten::transpose.int", cube, 0, 2)
    s.add("aten::transpose.int", scalar, 0, -1)
    for t in (x, empty, scalar, tensor("bool", [1, 0]), cube):
        s.add("aten::t", t)
    op = tensor("f32", [1.0, -0.0, nan], [1, 3])
    for sizes in (
        [2, 3],
        [-1, 3],
        [2, -1, 3],
        [2, 1, 3],
        [3],
        [2, 4],
        [0, 3],
        [1, -1],
        [-1, 2, 3],
        [2, 2, 2, 3],
    ):
        s.add("aten::expand", op, sizes)
    for sizes in ([2], [], [1, 2], [-1]):
        s.add("aten::expand", scalar, sizes)
    for dim, index in ((0, 0), (0, -1), (1, 3), (-1, -4), (0, 3), (1, -5), (2, 0)):
        s.add("aten::select.int", x, dim, index)
    s.add("aten::select.int", scalar, 0, 0)
    for args in (
        (),
        (0,),
        (1, 1, 3),
        (0, -2),
        (0, 0, 100),
        (1, -100, -1),
        (1, 0, 4, 2),
        (0, 2, 1),
        (1, None, None, 3),
        (1, 1, None, 2),
        (0, 0, 3, 0),
        (0, 0, 3, -1),
        (2, 0, 1),
        (-1, 3, 4),
    ):
        s.add("aten::slice.Tensor", x, *args)
    s.add("aten::slice.Tensor", scalar, 0, 0, 1)
    for dim in (0, 1, 2, -1, -3, 3, -4):
        s.add("aten::unsqueeze", x, dim)
    for dim in (0, -1, 1):
        s.add("aten::unsqueeze", scalar, dim)
    ones = tensor("i8", [1, 2, 3], [1, 3, 1])
    for t in (ones, x, scalar, tensor("f32", [], [1, 0])):
        s.add("aten::squeeze", t)
    for dim in (0, 1, 2, -1, -3, 3, -4):
        s.add("aten::squeeze.dim", ones, dim)
    for dim in (0, -1, 1):
        s.add("aten::squeeze.dim", scalar, dim)
    for chunks, dim in ((1, 0), (2, 0), (3, 1), (5, 1), (4, -1), (0, 0), (-1, 0), (2, 2)):
        s.add("aten::chunk", x, chunks, dim)
    s.add("aten::chunk", empty, 2)
    for size, dim in ((1, 0), (2, 0), (3, 1), (5, 1), (0, 0), (-1, 0), (2, 2)):
        s.add("aten::split.Tensor", x, size, dim)
    s.add("aten::split.Tensor", empty, 0)
    s.add("aten::split.Tensor", empty, 2)


def concatenations(s):
    a, b = tensor("f32", range(6), [2, 3]), tensor("f32", [9.0, nan, -0.0], [1, 3])
    for dim in (0, 1, -1, -2, 2):
        s.add("aten::cat", [a, a], dim)
        s.add("aten::cat", [a, b], dim)
    s.add("aten::cat", [a])
    s.add("aten::cat", [tensor("f32", []), a])
    s.add("aten::cat", [tensor("f32", []), tensor("i32", [1])])
    s.add("aten::cat", [tensor("f32", [], [0, 3]), a])
    s.add("aten::cat", [tensor("f32", [], [0, 2]), a])
    s.add("aten::cat", [tensor("f32", 1.0), tensor("f32", 2.0)])
    for dtype in ALL:
        t = tensor(dtype, (values_of(dtype) * 2)[:3])
        s.add("aten::cat", [t, tensor("i32", [1, 2])])
        s.add("aten::stack", [t, t], 1)
        s.add("aten::stack", [t, tensor("f32", [1.0, 2.0, 4.0])])
    for dim in (0, 1, 2, -1, -3, 3):
        s.add("aten::stack", [a, a], dim)
    s.add("aten::stack", [a, b])
    s.add("aten::stack", [tensor("f64", 1.0), tensor("f64", 2.0)])


def products(s):
    """Small integers and halves, so that any order of summing is exact."""
    a, b = (
        tensor("f32", [1.0, 2.0, -3.0, 0.5, 4.0, 1.5], [2, 3]),
        tensor("f32", [2.0, -1.0, 0.25, 8.0, 1.0, 3.0], [3, 2]),
    )
    bias = tensor("f32", [1.0, -4.0])
    for dtype in ("f32", "f64", "i32", "i64", "u8"):
        x, y = a.to(DTYPES[dtype]), b.to(DTYPES[dtype])
        if dtype == "u8":
            x, y = x.clone().fill_(20), y.clone().fill_(7)
        s.add("aten::mm", x, y)
        s.add("aten::matmul", x, y)
        s.add("aten::bmm", x.reshape(1, 2, 3), y.reshape(1, 3, 2))
        s.add("aten::linear", x, y.t())
        s.add("aten::addmm", bias.to(DTYPES[dtype]), x, y)
        s.add("aten::addmm", bias.to(DTYPES[dtype]), x, y, 2, 3)
    for op in ("aten::mm", "aten::matmul"):
        s.add(op, a, a)
        s.add(op, a, b.double())
        s.add(op, tensor("f32", [], [0, 3]), b)
        s.add(op, tensor("f32", [], [2, 0]), tensor("f32", [], [0, 2]))
        s.add(op, tensor("f32", [inf, 0.0], [1, 2]), tensor("f32", [0.0, 1.0], [2, 1]))
        s.add(op, tensor("f32", [nan, 0.0], [1, 2]), tensor("f32", [0.0, 1.0], [2, 1]))
        s.add(op, bias, b)
        s.add(op, tensor("bool", [[1]]), tensor("bool", [[1]]))
    x, y = [0.1 * i - 1.0 for i in range(20)], [0.3 * i - 2.0 for i in range(20)]
    total = sum(abs(p * q) for p, q in zip(x, y))
    s.add(
        "aten::mm",
        tensor("f32", x, [1, 20]),
        tensor("f32", y, [20, 1]),
        arrow=bound_text(20 * 2.0**-23 * total),
    )
    s.add("aten::addmm", bias, a, b, 0.5, -1.5)
    s.add("aten::addmm", tensor("f32", [nan, inf]), a, b, 0)
    s.add("aten::addmm", tensor("f32", 7.0), a, b)
    s.add("aten::addmm", tensor("f32", [[1.0], [2.0]]), a, b)
    s.add("aten::addmm", tensor("f32", [1.0, 2.0, 3.0]), a, b)
    s.add("aten::addmm", bias, tensor("f32", [], [2, 0]), tensor("f32", [], [0, 2]))
    s.add("aten::addmm", bias.double(), a, b)
    batch = tensor("f32", range(12), [2, 2, 3])
    s.add("aten::bmm", batch, batch.transpose(1, 2).contiguous())
    s.add("aten::bmm", batch, batch)
    s.add("aten::bmm", a, b)
    s.add("aten::bmm", tensor("f32", [], [0, 2, 3]), tensor("f32", [], [0, 3, 2]))
    s.add("aten::bmm", tensor("f32", [], [2, 2, 0]), tensor("f32", [], [2, 0, 2]))
    v3 = tensor("f32", [1.0, 2.0, 4.0])
    for x, y in (
        (v3, v3),
        (a, v3),
        (v3, b),
        (batch, v3),
        (v3, b.reshape(1, 3, 2)),
        (batch, b),
        (a, batch.transpose(1, 2)),
        (batch.reshape(2, 1, 2, 3), b.reshape(1, 3, 2)),
        (tensor("f32", 1.0), v3),
        (v3, bias),
        (batch, tensor("f32", range(18), [3, 3, 2])),
    ):
        s.add("aten::matmul", x, y)
    weight = b.t().contiguous()
    for x in (a, v3, batch, tensor("f32", [], [0, 3])):
        s.add("aten::linear", x, weight)
        s.add("aten::linear", x, weight, bias)
        s.add("aten::linear", x, weight, None)
    s.add("aten::linear", a, b)
    s.add("aten::linear", a, v3)
    s.add("aten::linear", a.double(), weight)
    s.add("aten::linear", a, weight, v3)


def creation(s):
    for dtype in [None] + ALL:
        code = None if dtype is None else CODES[dtype]
        s.add("aten::zeros", [2, 1], code)
        s.add("aten::ones", [2], code)
        s.add("aten::full", [2], 3, code)
        s.add("aten::full", [2], 1.5, code)
        s.add("aten::scalar_tensor", 1.5, code)
        s.add("aten::arange", 3, code)
        s.add("aten::arange.start_step", 1, 4, 2, code)
        for source in ("f32", "i8", "bool"):
            s.add("aten::zeros_like", tensor(source, [1, 1]), code)
            s.add("aten::ones_like", tensor(source, [[1], [1]]), code)
            s.add("aten::full_like", tensor(source, 1), 7, code)
    for sizes in ([], [0], [2, 0, 3], [-1]):
        s.add("aten::zeros", sizes)
        s.add("aten::ones", sizes)
        s.add("aten::full", sizes, 2.5)
    s.add("aten::full", [1], nan)
    for value in (0.5, -0.25, nan, 1e-45, -0.0):
        s.add("aten::full", [2], value, CODES["bool"])
        s.add("aten::full_like", tensor("bool", [1, 0]), value)
    s.add("aten::full", [1], -0.0)
    s.add("aten::full", [1], 300, CODES["i8"])
    s.add("aten::full", [1], 1e300)
    s.add("aten::full", [1], -1, CODES["u8"])
    s.add("aten::full_like", tensor("f16", [1.0]), 1e6)
    s.add("aten::scalar_tensor", inf, CODES["i8"])
    for end in (0, 5, 2.5, -1, 0.0):
        s.add("aten::arange", end)
    for start, end in ((1, 4), (1.0, 4), (0.5, 3), (3, 1), (-2, 2), (2, 2)):
        s.add("aten::arange.start", start, end)
    for start, end, step in (
        (0, 10, 3),
        (10, 0, -3),
        (0, 1, 0.25),
        (0, 1, 0),
        (0, 1, -1),
        (0, 7, 7),
        (1, 0, 0.5),
    ):
        s.add("aten::arange.start_step", start, end, step)


FAMILIES = [reductions, softmaxes, views, concatenations, products, creation]
