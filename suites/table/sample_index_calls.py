"""Calls that read, write, choose and arrange elements, or make tensors of data."""

from sample_text import ALL, CODES, bound_text, inf, nan, numbers, tensor, values_of, whole


def indexing(s):
    op = "aten::index.Tensor"
    x = numbers("f32", [3, 4])
    cube = whole("i32", [2, 3, 4])
    i, j = tensor("i64", [2, 0, -1]), tensor("i64", [1, 1, -4])
    grid = tensor("i64", [[0, 2], [1, -3]])
    rows = tensor("i64", [[0], [2]])
    mask = tensor("bool", [1, 0, 1])
    for t, indices in (
        (x, [i]),
        (x, [i, j]),
        (x, [None, j]),
        (x, [grid]),
        (x, [grid, grid]),
        (x, [rows, j]),
        (cube, [None, i]),
        (cube, [None, i, j]),
        (cube, [tensor("i64", [0, 1, 1]), None, j]),
        (cube, [tensor("i64", [1]), None, grid]),
        (cube, [None, None, j]),
        (cube, [tensor("i64", 1)]),
        (cube, [tensor("i64", 1), None, tensor("i64", 2)]),
        (x, [mask]),
        (x, [mask, j[:2]]),
        (x, [None, tensor("bool", [0, 1, 1, 0])]),
        (x, [x > 0]),
        (x, [tensor("u8", [1, 0, 1])]),
        (x, [tensor("bool", [0, 0, 0])]),
        (cube, [tensor("i64", [1]), tensor("bool", [[1, 0, 0, 1], [0, 0, 0, 0], [1, 1, 0, 0]])]),
        (x, [tensor("i64", [])]),
        (x[:0], [tensor("i64", [])]),
        (x, [tensor("i64", [3])]),
        (x, [tensor("i64", [-4])]),
        (x, [i, tensor("i64", [1, 2])]),
        (x, [tensor("bool", [1, 0])]),
        (x, [i, j, i]),
        (x, [tensor("f32", [1.0])]),
        (x, [tensor("i32", [1])]),
    ):
        s.add(op, t, indices)
    for dtype in ALL:
        s.add(
            op, tensor(dtype, (values_of(dtype) * 3)[:6], [2, 3]), [None, tensor("i64", [2, 0, 0])]
        )
    for name in ("aten::index_put_", "aten::index_put"):
        for indices, values in (
            ([i], tensor("f32", 9.0)),
            ([i], numbers("f32", [3, 4])),
            ([i, j], tensor("f32", [1.0, nan, -0.0])),
            ([None, j], numbers("f32", [3, 1])),
            ([mask], numbers("f32", [4])),
            ([x > 0], tensor("f32", 0.5)),
            ([grid], numbers("f32", [2, 4])),
            ([i], tensor("f64", 1.0)),
            ([i], numbers("f32", [5])),
            ([tensor("i64", [7])], tensor("f32", 1.0)),
        ):
            s.add(name, x, indices, values)
            s.add(name, x, indices, values, True)
        again = tensor("i64", [0, 0, 1, 0])
        for dtype in ("i64", "u8", "f32", "f64"):
            values = whole(dtype, [4, 4])
            s.add(name, whole(dtype, [3, 4]), [again], values, True)
    for dim, index in (
        (0, i.abs()),
        (1, tensor("i64", [3, 3])),
        (-1, tensor("i64", [])),
        (0, tensor("i32", [1, 2])),
        (0, tensor("i64", 1)),
        (0, tensor("i64", [3])),
        (0, tensor("i64", [-1])),
        (2, i.abs()),
        (0, rows),
        (0, tensor("f32", [1.0])),
    ):
        s.add("aten::index_select", x, dim, index)
    s.add("aten::index_select", tensor("f32", 2.5), 0, tensor("i64", [0]))
    for index in (
        grid.abs(),
        tensor("i64", []),
        tensor("i64", 1),
        tensor("i32", [1, 0]),
        tensor("i64", [3]),
    ):
        s.add("aten::embedding", x, index)
    s.add("aten::embedding", x, tensor("i64", [0, 1]), 1, False, False)
    s.add("aten::embedding", cube, tensor("i64", [0]))
    s.add("aten::embedding", x, tensor("i64", [-1]))
    for dim, index in (
        (0, tensor("i64", [[0, 1, 2, 0]])),
        (1, tensor("i64", [[3, 0], [1, 1], [2, 2]])),
        (-1, tensor("i64", [[3], [1]])),
        (0, tensor("i64", [], [0, 4])),
        (0, tensor("i64", [[3, 0, 0, 0]])),
        (0, tensor("i64", [[-1, 0, 0, 0]])),
        (0, tensor("i64", [0, 1])),
        (1, tensor("i64", [[0], [0], [0], [0]])),
        (0, tensor("i16", [[0]])),
    ):
        s.add("aten::gather", x, dim, index)
    s.add("aten::gather", tensor("f32", 2.5), 0, tensor("i64", [0]))
    for m in (x > 0, mask.reshape(3, 1), tensor("bool", [1, 0, 1, 0]), tensor("bool", 1), mask):
        s.add("aten::masked_select", x, m)
    s.add("aten::masked_select", x, tensor("i64", [1, 0, 1, 0]))


def scattering(s):
    for dtype in ("f32", "f64", "i64", "u8", "bool"):
        x = whole(dtype, [3, 4]) if dtype != "bool" else tensor(dtype, [1, 0, 0] * 4, [3, 4])
        source = whole(dtype, [3, 4]) if dtype != "bool" else tensor(dtype, [0, 1] * 6, [3, 4])
        rows = tensor("i64", [[0, 2, 1, 0], [2, 0, 0, 1]])
        columns = tensor("i64", [[3, 0], [1, 2]])
        line = tensor("i64", [2, 0])
        for tail in ("", "_"):
            for dim, index in ((0, rows), (1, columns), (-1, columns[:1])):
                s.add(f"aten::scatter{tail}.src", x, dim, index, source)
                s.add(f"aten::scatter{tail}.value", x, dim, index, 1)
                s.add(f"aten::scatter_add{tail}", x, dim, index, source)
            s.add(f"aten::index_add{tail}", x, 0, line, source[:2])
            s.add(f"aten::index_add{tail}", x, -1, line, source[:, :2], 2)
            s.add(f"aten::index_copy{tail}", x, 0, line, source[:2])
            s.add(f"aten::index_copy{tail}", x, 1, line, source[:, 1:3])
            s.add(f"aten::index_fill{tail}.int_Scalar", x, 0, line, 1)
            s.add(f"aten::index_fill{tail}.int_Scalar", x, -1, line, 0)
    x, again = numbers("f32", [3, 4]), tensor("i64", [1, 1, 1])
    s.add("aten::index_add", x, 0, again, x)
    s.add("aten::scatter_add", x, 0, tensor("i64", [[1, 1], [1, 1], [0, 1]]), x)
    for op in ("aten::scatter.src", "aten::scatter_add"):
        s.add(op, x, 0, tensor("i64", [[3]]), x)
        s.add(op, x, 0, tensor("i64", [[-1]]), x)
        s.add(op, x, 0, tensor("i64", [[0]]), x.double())
        s.add(op, x, 0, tensor("i64", [[0] * 5]), x)
        s.add(op, x, 0, tensor("i64", [0]), x)
        s.add(op, x, 2, tensor("i64", [[0]]), x)
    for op in ("aten::index_add", "aten::index_copy"):
        s.add(op, x, 0, tensor("i64", [3]), x[:1])
        s.add(op, x, 0, tensor("i64", [0]), x)
        s.add(op, x, 0, tensor("i64", [0]), x[:1].double())
    s.add("aten::index_fill.int_Scalar", x, 0, tensor("i64", [5]), 1)


def choosing(s):
    x = tensor("f32", [1.0, -2.5, 4.0, 0.5, 3.0, -1.0, 2.0, 8.0, -4.0, 6.0, 0.0, 5.0], [3, 4])
    cube = tensor("i32", [5, 3, 9, 1, 7, 2, 8, 0, 6, 4, 11, 10], [2, 3, 2])
    ties = tensor("i64", [[2, 1, 2], [0, 0, 0]])
    special = tensor("f32", [[nan, 1.0, inf], [-inf, 1.0, nan], [2.0, nan, nan]])
    every = (
        x,
        cube,
        ties,
        special,
        x.double(),
        x.bfloat16(),
        tensor("f32", 2.5),
        tensor("u8", [3, 1, 2]),
    )
    for t in every:
        for name in ("argmax", "argmin"):
            op = "aten::" + name
            s.add(op, t)
            s.add(op, t, None, True)
            s.add(op, t, 0)
            s.add(op, t, -1, True)
        for name in ("max", "min"):
            s.add(f"aten::{name}", t)
            s.add(f"aten::{name}.dim", t, 0)
            s.add(f"aten::{name}.dim", t, -1, True)
    for t in (x, cube, x.double(), tensor("f32", 2.5), special[:1], tensor("bool", [1])):
        for dim in (0, -1):
            for descending in (False, True):
                s.add("aten::sort", t, dim, descending)
                s.add("aten::sort.stable", t, True, dim, descending)
                s.add("aten::argsort", t, dim, descending)
                s.add("aten::topk", t, 1, dim, descending)
        s.add("aten::topk", t, 2, -1, True, True)
        s.add("aten::topk", t, 0)
    s.add("aten::sort.stable", ties, True, 1, False)
    s.add("aten::sort.stable", ties, True, 1, True)
    for op in ("aten::argmax", "aten::sort", "aten::max.dim"):
        s.add(op, x, 2)
    for op in ("aten::argmax", "aten::max"):
        s.add(op, tensor("f32", []))
    s.add("aten::max.dim", tensor("f32", [], [0, 2]), 0)
    s.add("aten::max.dim", tensor("f32", [], [0, 2]), 1)
    s.add("aten::argmax", tensor("f32", [], [0, 2]), 1)
    s.add("aten::argmax", tensor("bool", [1, 0]))
    s.add("aten::topk", x, 5)
    s.add("aten::topk", x, -1)
    for classes in (-1, 3, 5, 2, 0):
        s.add("aten::one_hot", tensor("i64", [0, 2, 1]), classes)
    s.add("aten::one_hot", tensor("i64", [[1], [0]]), 2)
    s.add("aten::one_hot", tensor("i64", [-1]), 2)
    s.add("aten::one_hot", tensor("i64", []), 2)
    s.add("aten::one_hot", tensor("i64", []), -1)
    s.add("aten::one_hot", tensor("i32", [1]), 2)
    for dtype in ("f32", "f64", "i32", "u8", "bool", "bf16"):
        for dim in (0, 1, -1, 2):
            s.add(
                "aten::cumsum",
                whole(dtype, [2, 3]) if dtype != "bool" else tensor(dtype, [[1, 0], [1, 1]]),
                dim,
            )
    s.add("aten::cumsum", tensor("f32", [1.0, nan, 2.0]), 0)
    for series in (
        tensor("f32", [1.0] + [5e-8] * 12),
        tensor("f32", [3e38, 3e38, -3e38]),
        tensor("bf16", [1.0] + [2.0**-9] * 8),
    ):
        s.add("aten::cumsum", series, 0)
        s.add("aten::cumsum", series.unsqueeze(1).repeat(1, 2), 0)
    s.add("aten::cumsum", tensor("f32", [1.5, 2.5]), 0, 4)
    s.add("aten::cumsum", tensor("f32", 2.5), 0)


def arranging(s):
    x = tensor("f32", [1.0, -0.0, nan, 4.0, 5.0, 6.0], [2, 3])
    cube = whole("i16", [2, 3, 2])
    scalar = tensor("f64", 2.5)
    for t in (x, cube, scalar, tensor("bool", [1, 0]), tensor("f32", [], [0, 2])):
        for repeats in ([1], [2], [2, 1], [1, 3], [2, 1, 2], [0, 1, 1], [3, 1, 2, 1], []):
            s.add("aten::repeat", t, repeats)
        for dims in ([], [0], [-1], [0, 1], [1, 0], [0, 0], [2], [3]):
            s.add("aten::flip", t, dims)
        for shifts, dims in (
            ([1], []),
            ([-2], [0]),
            ([5], [-1]),
            ([1, 2], [0, 1]),
            ([1], [0, 1]),
            ([1], [3]),
            ([], []),
        ):
            if t.numel():
                s.add("aten::roll", t, shifts, dims)
        for diagonal in (0, 1, -1, 5, -5):
            s.add("aten::triu", t, diagonal)
            s.add("aten::tril", t, diagonal)
    for dtype in ALL:
        t = tensor(dtype, (values_of(dtype) * 4)[:4], [2, 2])
        s.add("aten::zero_", t)
        for value in (3, 0, 1.5):
            s.add("aten::fill_.Scalar", t, value)
        s.add("aten::fill_.Tensor", t, scalar)
        s.add("aten::new_zeros", t, [2, 1])
        s.add("aten::new_ones", t, [2])
        s.add("aten::new_full", t, [2], 3)
        s.add("aten::new_full", t, [], 1, CODES["f32"])
    s.add("aten::repeat", x, [-1, 1])
    s.add("aten::fill_.Scalar", x, nan)
    s.add("aten::fill_.Scalar", tensor("bool", [0, 1]), 0.5)
    s.add("aten::new_full", x, [2], 0.5, CODES["bool"])
    s.add("aten::fill_.Tensor", x, tensor("f32", [1.0]))
    for op in ("aten::empty_like", "aten::zeros_like"):
        s.add(op, tensor("f32", [], [0, 2]))
    s.add("aten::new_empty", x, [0, 3])
    s.add("aten::new_zeros", x, [-1])
    s.add("aten::empty.memory_format", [2, 0])
    for sizes, strides in (([0, 3], [3, 1]), ([2, 0], [1, 1]), ([0], [1, 1]), ([2], [-1])):
        s.add("aten::empty_strided", sizes, strides)
        s.add("aten::new_empty_strided", x, sizes, strides)
    for sizes, dim in (([1, 2], 1), ([3], 1), ([0, 2], 0), ([1, 1], 1), ([-1, 4], 1), ([2], 2)):
        s.add("aten::split_with_sizes", x, sizes, dim)
        s.add("aten::split.sizes", x, sizes, dim)
    for chunks, dim in ((2, 1), (3, 0), (1, -1), (0, 0), (2, 2)):
        s.add("aten::unsafe_chunk", x, chunks, dim)
    for a, b in ((0, 1), (-1, 0), (2, 0), (1, 1), (3, 0)):
        s.add("aten::movedim.int", cube, a, b)
        s.add("aten::swapaxes", cube, a, b)
        s.add("aten::swapdims", cube, a, b)
    for dim, sizes in (
        (1, [3, 1]),
        (1, [-1, 1]),
        (0, [1, 2, 1]),
        (1, [2, 2]),
        (1, []),
        (2, [1]),
        (-1, [3]),
    ):
        s.add("aten::unflatten.int", x, dim, sizes)
    for sizes in ([4, 2, 3], [2, 3], [1, 3], [-1, 3]):
        s.add("aten::broadcast_to", x, sizes)


def assembling(s):
    v, w = numbers("f32", [3]), numbers("f32", [4])
    for op in ("aten::outer", "aten::ger"):
        s.add(op, v, w)
        s.add(op, v, w[:0])
        s.add(op, tensor("f32", [nan, inf]), tensor("f32", [0.0, 1.0]))
        s.add(op, v.reshape(1, 3), w)
    for dtype in ALL:
        for values in ([0, 0, 0, 0], [1, 0, 0, 1], [1, 1, 1, 1]):
            for op in ("aten::any", "aten::all"):
                t = tensor(dtype, values, [2, 2])
                s.add(op, t)
                s.add(op + ".dim", t, 0)
                s.add(op + ".dim", t, -1, True)
    for op in ("aten::any", "aten::all"):
        s.add(op, tensor("f32", [nan, 0.0]))
        s.add(op, tensor("f32", []))
        s.add(op + ".dim", tensor("f32", [], [0, 2]), 0)
        s.add(op + ".dim", v, 1)
    op = "aten::logsumexp"
    x = numbers("f32", [2, 3])
    for dim in ([0], [1], [-1, 0]):
        for keep in (False, True):
            s.add(op, x, dim, keep, arrow=bound_text(2.0**-20))
            s.add(op, x.double(), dim, keep, arrow=bound_text(2.0**-48))
    for values in ([nan, 1.0], [inf, 1.0], [-inf, 1.0], [-inf, -inf], [inf, -inf], [1000.0, 999.0]):
        s.add(op, tensor("f32", values), [0], arrow=bound_text(2.0**-12))
    s.add(op, tensor("f32", 2.5), [0], arrow="~>")


def dropping(s):
    x = tensor("f32", [1.0, -0.0, nan, inf], [2, 2])
    for name in ("dropout", "dropout_", "feature_dropout"):
        op = "aten::" + name
        for p in (0.0, 0.5, 1.0):
            s.add(op, x, p, False)
        for t in (x, x.double()):
            s.add(op, t, 0.0, True)
            s.add(op, t, 1.0, True, arrow="~>")
        for p in (-0.5, 1.5, nan):
            s.add(op, x, p, True)
        s.add(op, tensor("i64", [1, 2], [1, 2]), 0.5, False)
    s.add("aten::rand", [0])
    s.add("aten::randn", [2, 0], CODES["f64"])
    s.add("aten::rand", [-1])
    s.add("aten::rand_like", tensor("f64", []))
    s.add("aten::randn_like", tensor("f32", [], [0, 2]))
    s.add("aten::rand_like", tensor("i32", []))


def data(s):
    for source in ("f32", "i64", "bool"):
        s.add("aten::as_tensor", tensor(source, [1, 0, 1]))
        for code in (CODES["f64"], CODES["u8"], CODES[source]):
            s.add("aten::as_tensor", tensor(source, [[1], [0]]), code)
    for name in ("tensor", "as_tensor"):
        op = "aten::" + name
        for code in (None, CODES["f64"], CODES["i32"], CODES["bool"], CODES["u8"]):
            for value in (1.5, -2, True):
                s.add(f"{op}.{type(value).__name__}", value, code)
            if name == "tensor":
                lists = op
            else:
                lists = op + ".list"
            for value in (
                [1, 2, 3],
                [1.5, -0.0, nan],
                [True, False],
                [[1, 2], [3, 4]],
                [[0.5], [2.5]],
            ):
                if nan in value and code not in (None, CODES["f64"]):
                    continue
                s.add(lists, value, code)
        s.add(lists, [[1, 2], [3]])


FAMILIES = [indexing, scattering, choosing, arranging, assembling, dropping, data]
