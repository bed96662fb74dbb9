"""Calls of complex tensors, for the rows that take them as pairs: engine/aten/{pairs,fft}.

PyTorch is asked of aten::NAME and complex tensors; the lines name prim::complex_NAME and pairs.
"""

import torch
from sample_added_calls import CLOSE
from sample_text import bound_text, numbers, tensor

INF, NAN = float("inf"), float("nan")


def pairs(*sizes, step=0.25, start=-2.0):
    return torch.view_as_complex(numbers("f64", [*sizes, 2], step, start))


LINE, WIDE, CUBE = pairs(5), pairs(3, 4, step=0.5), pairs(2, 3, 4)
OTHER = pairs(3, 4, start=1.25)
POINT = pairs()
NARROW = torch.view_as_complex(numbers("f32", [2, 3, 2]))
REAL = numbers("f64", [3, 4], 0.5)
ONE, TWO = numbers("f64", [2, 3]), numbers("f64", [3], start=0.75)
MASK = tensor("bool", [1, 0, 0, 1])


def table(s, rows, arrow="=>"):
    for op, calls in rows.items():
        for args in calls:
            s.add(
                "prim::complex_" + op, *(args if isinstance(args, tuple) else (args,)), arrow=arrow
            )


def complex_parts(s):
    table(
        s,
        {
            "complex": [
                (ONE, TWO),
                (TWO, TWO),
                (TWO.float(), TWO.float()),
                (TWO, TWO.float()),
                (tensor("i64", [1]), tensor("i64", [2])),
            ],
            "view_as_complex": [
                numbers("f64", [3, 2]),
                numbers("f32", [2]),
                numbers("f64", [3, 3]),
                tensor("i64", [1, 2]),
                tensor("f32", 2.0),
            ],
            "is_complex": [LINE],
            "is_floating_point": [LINE],
            "dim": [LINE, POINT, CUBE],
            "numel": [CUBE, POINT],
            "len.Tensor": [CUBE, POINT],
            "size": [CUBE, POINT],
            "size.int": [(CUBE, 1), (CUBE, -1), (CUBE, 3), (CUBE, -4)],
        },
    )
    table(
        s,
        {
            op: [LINE, POINT, NARROW]
            for op in (
                "view_as_real",
                "real",
                "imag",
                "conj",
                "conj_physical",
                "neg",
                "positive",
                "detach",
                "clone",
                "contiguous",
                "numpy_T",
                "resolve_conj",
                "resolve_neg",
                "zeros_like",
                "ones_like",
            )
        },
    )
    table(
        s,
        {
            "polar": [
                (TWO, ONE),
                (ONE, TWO),
                (TWO, TWO.float()),
                (tensor("i64", [1]), tensor("i64", [2])),
            ],
            "abs": [WIDE, POINT, NARROW],
            "angle": [WIDE, POINT],
            "sgn": [WIDE, NARROW],
        },
        arrow=CLOSE,
    )
    table(
        s,
        {
            "zeros": [([2, 3], 10), ([], 9), ([0], 9)],
            "ones": [([2], 10), ([2, 1], 9)],
            "full": [([2, 1], 1.5, 10), ([2], 3, 9)],
        },
    )
    table(s, {"empty.memory_format": [([0, 2], 10)], "empty_like": [LINE[:0]]})
    table(s, {"to.dtype": [(LINE, 9), (NARROW, 10)]})


def complex_arithmetic(s):
    zeros = torch.view_as_complex(tensor("f64", [0.0, -0.0, -0.0, 0.0, -0.0, -0.0], [3, 2]))
    two = [(WIDE, OTHER), (WIDE, OTHER[0]), (LINE, POINT), (WIDE[:, :1], OTHER)]
    table(
        s,
        {
            **{
                op: [*two, (WIDE, OTHER, 2), (NARROW, NARROW, 0.5)]
                for op in ("add.Tensor", "sub.Tensor")
            },
            **{
                op: [(WIDE, 1.5), (WIDE, 3), (NARROW, -0.5, 2), (zeros, 0)]
                for op in ("add.Scalar", "sub.Scalar", "rsub.Scalar")
            },
            **{
                op: [(WIDE.clone(), OTHER), (WIDE.clone(), OTHER[0], 3)]
                for op in ("add_.Tensor", "sub_.Tensor")
            },
            "mul.Tensor": two,
            "mul_.Tensor": two[:2],
            "mul.Scalar": [(WIDE, 1.5), (NARROW, 2)],
            "mul_.Scalar": [(WIDE.clone(), 1.5)],
            "eq.Tensor": [*two, (WIDE, WIDE)],
            "ne.Tensor": [*two, (WIDE, WIDE)],
            "copy_": [(WIDE.clone(), OTHER), (WIDE.clone(), OTHER[0])],
            "zero_": [WIDE.clone()],
            "where.self": [(MASK, WIDE, OTHER), (MASK, WIDE, OTHER[:1])],
            "masked_fill.Scalar": [(WIDE, MASK, 1.5)],
            "dropout": [(WIDE, 0.5, False), (WIDE, 0.0, True)],
        },
    )
    table(
        s,
        {
            "div.Tensor": two,
            "div_.Tensor": two[:1],
            "div.Scalar": [(WIDE, 1.5), (NARROW, 4)],
            "div_.Scalar": [(WIDE.clone(), 3)],
            **{
                op: [OTHER, LINE[1:]]
                for op in ("reciprocal", "square", "exp", "log", "sqrt", "sin", "cos")
            },
            "pow.Tensor_Scalar": [(OTHER, 2), (OTHER, 3), (OTHER, 0.5), (OTHER, -1)],
        },
        arrow=CLOSE,
    )
    table(
        s,
        {op: [NARROW] for op in ("reciprocal", "square", "exp", "log", "sqrt", "sin", "cos")},
        arrow=bound_text(2.0**-14),
    )


def complex_shapes(s):
    dims = [0, 1, -1, -3]
    table(
        s,
        {
            "select.int": [(CUBE, d, 1) for d in [*dims, 3, -4]],
            "slice.Tensor": [(CUBE, d, 1, 3) for d in dims] + [(CUBE, -1, 0, 4, 2)],
            "narrow": [(CUBE, d, 1, 1) for d in dims],
            "unsqueeze": [(CUBE, d) for d in [*dims, 3, -4, 4]],
            "squeeze": [CUBE[:1], CUBE[:, :, :1], POINT],
            "squeeze.dim": [(CUBE[:1], d) for d in dims] + [(POINT, 0)],
            "transpose.int": [(CUBE, 0, 2), (CUBE, -1, 1), (CUBE, 0, 3)],
            "swapaxes": [(CUBE, 0, -1)],
            "t": [WIDE, LINE, CUBE],
            "permute": [(CUBE, [2, 0, 1]), (CUBE, [-1, 0, 1])],
            "movedim.int": [(CUBE, 0, -1), (CUBE, -1, 0)],
            "reshape": [(CUBE, [6, 4]), (CUBE, [-1]), (CUBE, [5])],
            "view": [(CUBE, [4, -1]), (LINE, [5, 1])],
            "expand": [(LINE, [2, 5]), (WIDE[:, :1], [3, 2]), (WIDE[:, :1], [-1, 2])],
            "flatten.using_ints": [CUBE, (CUBE, 1), (CUBE, 0, -2), POINT, (POINT, 1)],
            "unflatten.int": [(CUBE, -1, [2, 2]), (CUBE, 1, [3, -1])],
            "repeat": [(LINE, [2]), (WIDE, [2, 1, 2])],
            "chunk": [(CUBE, 2, d) for d in dims],
            "split.Tensor": [(CUBE, 2, d) for d in dims],
            "unbind.int": [CUBE, (CUBE, -1)],
            "cat": [([WIDE, OTHER],), ([WIDE, OTHER[:, :2]], -1), ([WIDE, OTHER], 1)],
            "stack": [([WIDE, OTHER], d) for d in (0, 1, 2, -1, -3)],
            "index.Tensor": [
                (CUBE, [tensor("i64", [1, 0])]),
                (CUBE, [tensor("i64", [1]), tensor("i64", [2, 0])]),
                (WIDE, [tensor("bool", [1, 0, 1])]),
                (LINE, [tensor("i64", [1]), tensor("i64", [0])]),
            ],
            "index_select": [(CUBE, d, tensor("i64", [1, 0, 1])) for d in dims],
            "roll": [(CUBE, []), (CUBE, [1]), (CUBE, [1], [-1]), (WIDE, [1, 2], [0, 1])],
            "flip": [(CUBE, []), (CUBE, [-1]), (CUBE, [0, 1])],
            "tril": [WIDE, (WIDE, 1)],
            "triu": [WIDE, (CUBE, -1)],
            "sum": [WIDE, POINT],
            "sum.dim_IntList": [
                (CUBE, [0]),
                (CUBE, [-1], True),
                (CUBE, [0, 1]),
                (CUBE, []),
                (POINT, []),
                (POINT, [-1]),
                (POINT, [1]),
                (POINT, [0], True),
            ],
            "cumsum": [*[(CUBE, d) for d in dims], (POINT, 0)],
            "fft_fftshift": [LINE, WIDE, (CUBE, [-1]), POINT, (LINE, [])],
            "fft_ifftshift": [LINE, WIDE, (CUBE, [0, 2]), POINT],
        },
    )
    table(
        s,
        {
            "mean": [WIDE],
            "mean.dim": [(CUBE, [0]), (CUBE, [-1], True), (POINT, [0])],
            "prod.dim_int": [(CUBE, d) for d in dims]
            + [
                (CUBE, 1, True),
                (CUBE[:, :0], 1),
                (CUBE[:, :0], 1, True),
                (NARROW, 0, False, 10),
                (POINT, 0),
            ],
        },
        arrow=CLOSE,
    )


def complex_products(s):
    right, stack = pairs(4, 2), pairs(2, 4, 3, step=0.125)
    table(
        s,
        {
            "matmul": [
                (WIDE, right),
                (CUBE, right),
                (CUBE, stack),
                (OTHER[0], right),
                (WIDE, OTHER[0]),
            ],
            "mm": [(WIDE, right)],
            "bmm": [(CUBE, stack)],
            "mv": [(WIDE, OTHER[0])],
            "outer": [(LINE, OTHER[0])],
            "linear": [(WIDE, right.t().contiguous())],
            "einsum": [
                ("ij,jk->ki", [WIDE, right]),
                ("ij->j", [WIDE]),
                ("bij,bjk->bik", [CUBE, stack]),
            ],
        },
        arrow=CLOSE,
    )


def fourier(s):
    line, plane = REAL[0], REAL
    lines = lambda x: [
        x,
        (x, 5),
        (x, 3, 0),
        (x, 9, -1, "ortho"),
        (x, None, 0, "forward"),
        (x, 2, 1, "backward"),
        (x, 0),
        (x, None, 2),
        (x, None, 0, "other"),
    ]
    planes = lambda x: [x, (x, [2, 5]), (x, None, [1, 0], "ortho"), (x, [2]), (x, None, [0, 0])]
    spaces = lambda x: [
        x,
        (x, [2, 2]),
        (x, [-1, 3]),
        (x, [4], [0]),
        (x, None, [0, 1], "forward"),
        (x, [1, 1, 1]),
        (x, None, [2]),
    ]
    for names, x in ((("fft", "ifft", "irfft", "hfft"), WIDE), (("rfft", "ihfft"), plane)):
        for name in names:
            table(
                s,
                {"fft_" + name: lines(x), f"fft_{name}2": planes(x), f"fft_{name}n": spaces(x)},
                arrow=CLOSE,
            )
    for name in ("fft", "ifft"):
        table(
            s,
            {
                f"fft_{name}_of_real": lines(plane),
                f"fft_{name}2_of_real": planes(plane),
                f"fft_{name}n_of_real": spaces(plane),
            },
            arrow=CLOSE,
        )
    table(
        s,
        {
            "fft_rfft": [line, tensor("i64", [1, 2, 5]), tensor("bool", [1, 0, 1]), line.float()],
            "fft_fft": [LINE, NARROW, POINT],
        },
        arrow=bound_text(2.0**-16),
    )
    window, long = tensor("f64", [0.5, 1.0, 2.0, 1.0, 0.5]), numbers("f64", [2, 11], 0.5)
    frames = pairs(5, 3)
    table(
        s,
        {
            "stft": [
                (long, 8, None, None, None, False, None, True),
                (long[0], 5, 2, None, None, True, False, True),
                (long, 8, 2, 5, window, False, None, True),
            ],
            "stft.center": [(long, 8, None, None, None, True, "reflect", False, None, True)],
            "istft": [
                (frames, 8),
                (frames, 8, 3),
                (frames, 8, 2, 5, window),
                (frames, 8, 2, None, None, True, True),
                (frames, 7),
            ],
        },
        arrow=CLOSE,
    )


def complex_measures(s):
    odd = torch.view_as_complex(
        tensor("f64", [1.0, INF, NAN, 0.0, 0.0, 0.0, -INF, NAN, 2.0, -3.0], [5, 2])
    )
    table(
        s,
        {
            op: [odd, WIDE, POINT]
            for op in ("isnan", "isinf", "isfinite", "isreal", "any", "all", "nonzero")
        },
    )
    table(
        s,
        {
            "equal": [(WIDE, WIDE.clone()), (WIDE, OTHER), (WIDE, LINE)],
            "element_size": [WIDE, NARROW],
            "allclose": [
                (NARROW, NARROW.to(torch.complex128)),
                (WIDE, WIDE + 1e-9),
                (WIDE, OTHER),
                (odd, odd),
                (odd[:2], odd[:2], 0.0, 0.0, True),
                (odd[3:], odd[3:], 0.0, 0.0, True),
            ],
        },
    )
    table(
        s,
        {
            "norm.Scalar": [WIDE, (WIDE, 1), (LINE, INF), (WIDE, 0), POINT],
            "norm.ScalarOpt_dim": [(WIDE, None, [0]), (WIDE, 3, [1], True), (CUBE, 2, [0, -1])],
            "frobenius_norm": [WIDE],
            "frobenius_norm.dim": [(WIDE, [1]), (CUBE, [0, 1], True), (CUBE, [0, 1, 2])],
            "linalg_vector_norm": [
                WIDE,
                (WIDE, 1, [0]),
                (CUBE, 3.0, [0, 2], True),
                (NARROW, 2, None, False, 10),
            ],
            "linalg_norm": [
                WIDE,
                LINE,
                (WIDE, 1),
                (WIDE, -INF, [0, 1]),
                (WIDE, 2, [1]),
                (CUBE, None, [1], True),
            ],
        },
        arrow=CLOSE,
    )


def complex_fills(s):
    index = tensor("i64", [2, 0])
    table(
        s,
        {
            **{
                op: [(WIDE.clone(), 1.5), (NARROW.clone(), -0.5, 2)]
                for op in ("add_.Scalar", "sub_.Scalar")
            },
            "fill_.Scalar": [(WIDE.clone(), 2.5), (NARROW.clone(), 3)],
            "fill_.Tensor": [(WIDE.clone(), POINT), (WIDE.clone(), LINE)],
            "masked_fill_.Scalar": [(WIDE.clone(), MASK, 1.5)],
            "index_put_": [
                (WIDE.clone(), [index], OTHER[:2]),
                (WIDE.clone(), [index], OTHER[0], True),
                (WIDE.clone(), [tensor("bool", [1, 0, 1])], POINT),
                (WIDE.clone(), [index, tensor("i64", [1, 1])], LINE[:2]),
            ],
            "where.ScalarOther": [(MASK, WIDE, 0.5)],
            "where.ScalarSelf": [(MASK, 0.5, WIDE)],
            "new_zeros": [(LINE, [2, 1]), (NARROW, [2], 10)],
            "new_ones": [(NARROW, [2])],
            "new_full": [(LINE, [2], 1.5)],
            "full_like": [(NARROW, 2.5), (WIDE, 1, 9)],
            "eye": [(2, 9), (3, 10)],
            "eye.m": [(2, 3, 10)],
        },
    )


def complex_functions(s):
    small = OTHER * 0.25
    table(
        s,
        {
            op: [small, LINE[1:] * 0.5]
            for op in ("sinh", "cosh", "tanh", "tan", "log2", "log10", "rsqrt", "sigmoid")
        },
        arrow=bound_text(2.0**-46),
    )
    table(
        s,
        {
            op: [NARROW]
            for op in ("sinh", "cosh", "tanh", "tan", "log2", "log10", "rsqrt", "sigmoid")
        },
        arrow=bound_text(2.0**-12),
    )
    table(s, {"prod": [WIDE, (NARROW, 10), POINT, WIDE[:0]]}, arrow=CLOSE)
    right, stack = pairs(4, 2), pairs(2, 4, 3, step=0.125)
    table(
        s,
        {
            "addmm": [(OTHER[:, :2], WIDE, right), (OTHER[0, :2], WIDE, right, 2, 0.5)],
            "baddbmm": [(WIDE[:, :3], CUBE, stack), (WIDE[:, :3], CUBE, stack, 0.5, 2)],
            "addcmul": [(WIDE, OTHER, WIDE), (WIDE, OTHER, LINE[0], 2)],
        },
        arrow=CLOSE,
    )


def complex_views(s):
    table(
        s,
        {
            "expand_as": [(WIDE[:, :1], OTHER)],
            "view_as": [(WIDE, pairs(4, 3)), (WIDE, LINE)],
            "reshape_as": [(WIDE.t(), pairs(2, 6))],
            "mT": [WIDE, CUBE, LINE],
            "matrix_H": [WIDE, CUBE],
            "adjoint": [WIDE, CUBE],
            "trace": [WIDE, WIDE[:, :2]],
            "diagonal": [WIDE, (WIDE, 1), (CUBE, 0, -1, 0)],
            "diag_embed": [LINE, (WIDE, 1), (WIDE, 0, 0, 2)],
            "split.sizes": [(CUBE, [1, 2], 1), (CUBE, [1, 3], -1)],
            "split_with_sizes": [(CUBE, [1, 2], 1), (CUBE, [1, 1], 1)],
            "hstack": [([WIDE, OTHER],), ([LINE, LINE[:2]],), ([POINT, POINT],)],
            "vstack": [([WIDE, OTHER],), ([OTHER[0], WIDE],), ([POINT, POINT],)],
            "gather": [(WIDE, d, tensor("i64", [1, 0], [2, 1])) for d in (0, 1, -1)],
            "constant_pad_nd": [(WIDE, [1, 2]), (WIDE, [0, 1, -1, 2], 1.5)],
        },
    )


FAMILIES = [
    complex_parts,
    complex_arithmetic,
    complex_shapes,
    complex_products,
    fourier,
    complex_measures,
    complex_fills,
    complex_functions,
    complex_views,
]
