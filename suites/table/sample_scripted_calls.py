"""Calls of the rows that are written in the language: a table of arguments for each."""

from sample_text import CODES, inf, nan, numbers, tensor, whole

F = numbers("f32", [3, 4])
CUBE = numbers("f32", [2, 3, 4])
V = numbers("f32", [5])
I = whole("i64", [3, 4])
ODD = tensor("f32", [1.5, nan, -2.0, 0.0, 3.0, nan], [2, 3])
NONE = tensor("f32", [], [0, 3])
P = tensor("f32", [0.25, 0.5, 1.0, 2.0, 3.5])
MASK = tensor("bool", [1, 0, 1, 1, 0, 0], [2, 3])
BYTES = tensor("u8", [3, 1, 4, 1, 5])
HALF = numbers("f16", [2, 3])
ZERO = tensor("f32", 2.5)
SQUARE = numbers("f64", [3, 3], 1, -4)


def table(s, rows, arrow="=>"):
    for op, calls in rows.items():
        for args in calls:
            s.add("aten::" + op, *(args if isinstance(args, tuple) else (args,)), arrow=arrow)


def scripted_shapes(s):
    table(
        s,
        {
            "ravel": [F, ZERO, CUBE],
            "mT": [F, CUBE, V],
            "mH": [F, CUBE, V],
            "adjoint": [F, V],
            "diagonal": [
                F,
                (F, 1),
                (F, -2),
                (F, 7),
                (CUBE, 0, 1, 2),
                (CUBE, 1, -1, 0),
                (CUBE, 0, 1, 1),
                V,
                (F, 0, 2, 1),
            ],
            "movedim.intlist": [
                (CUBE, [0, 1], [2, 0]),
                (CUBE, [-1], [0]),
                (CUBE, [0, 0], [1, 2]),
                (CUBE, [0], [3]),
                (CUBE, [], []),
            ],
            "atleast_1d": [ZERO, V],
            "atleast_2d": [ZERO, V, F],
            "atleast_3d": [ZERO, V, F, CUBE],
            "atleast_1d.Sequence": [([ZERO, V],)],
            "atleast_2d.Sequence": [([ZERO, V, F],)],
            "atleast_3d.Sequence": [([ZERO, V, F],)],
            "vstack": [([V, V],), ([F, F[:1]],), ([ZERO, ZERO],), ([V, F],), ([],)],
            "hstack": [([V, V],), ([F, F[:, :1]],), ([ZERO, V],), ([],)],
            "dstack": [([V, V],), ([F, F],), ([F, V],)],
            "column_stack": [([V, V],), ([F, F[:, 0]],), ([F, V],)],
            "tensor_split.sections": [(V, 2), (F, 3, 1), (F, 5, -1), (V, 0), (ZERO, 1), (F, 2, 2)],
            "tensor_split.indices": [
                (V, [1, 3]),
                (F, [2], 1),
                (V, []),
                (V, [3, 1, 9]),
                (F, [-1], 1),
            ],
            "tensor_split.tensor_indices_or_sections": [
                (V, tensor("i64", 2)),
                (V, tensor("i64", [1, 3])),
                (V, P),
            ],
            "hsplit.int": [(F, 2), (V, 5), (F, 3), (ZERO, 1)],
            "hsplit.array": [(F, [1, 2]), (V, [2])],
            "vsplit.int": [(F, 3), (F, 2), (V, 1)],
            "vsplit.array": [(F, [1]), (V, [1])],
            "dsplit.int": [(CUBE, 2), (F, 1), (CUBE, 3)],
            "dsplit.array": [(CUBE, [1, 3]), (F, [1])],
            "tile": [(F, [2]), (F, [2, 1, 3]), (V, []), (I, [1, 2]), (F, [-1])],
            "repeat_interleave.self_int": [
                (F, 2),
                (F, 3, 0),
                (I, 2, -1),
                (F, 0, 1),
                (F, -1),
                (F, 2, 2),
            ],
            "repeat_interleave.Tensor": [
                tensor("i64", [2, 0, 3]),
                tensor("i32", [1, 1]),
                tensor("i64", []),
                tensor("i64", [-1]),
                P,
            ],
            "repeat_interleave.self_Tensor": [
                (F, tensor("i64", [2, 0, 1]), 0),
                (V, tensor("i64", [1, 0, 2, 1, 1])),
                (F, tensor("i64", [2]), 1),
                (F, tensor("i64", [1, 2]), 0),
            ],
            "fliplr": [F, CUBE, V],
            "flipud": [F, V, ZERO],
            "rot90": [
                F,
                (F, 2),
                (F, 3),
                (F, 4),
                (F, -1),
                (CUBE, 1, [1, 2]),
                (CUBE, 1, [2, 0]),
                (V, 1),
                (F, 1, [0, 0]),
                (F, 1, [0]),
            ],
            "diag_embed": [
                V,
                F,
                (F, 1),
                (V, -2),
                (F, 0, 0, 2),
                (F, 1, 2, 0),
                (F, 0, 1, 1),
                (F, 0, 0, 5),
            ],
            "diag": [V, F, (F, 1), (F, -1), (V, 2), (I, 0), (F, 9), CUBE, ZERO],
            "diagflat": [F, V, (V, 1)],
            "trace": [F, I, SQUARE, V, CUBE],
            "select_scatter": [(F, V[:4], 0, 1), (F, V[:3], 1, -1), (F, V, 0, 1)],
            "slice_scatter": [(F, F[:2] * 2, 0, 1), (F, F[:, :2] * 2, 1, 0, 4, 2), (F, F, 0, 1)],
            "diagonal_scatter": [(F, V[:3]), (F, V[:3], 1), (F, V)],
            "fill_diagonal_": [
                (F.clone(), 7.0),
                (numbers("f32", [5, 2]), 3, True),
                (numbers("f32", [5, 2]), 3),
                (numbers("f32", [3, 3, 3]), 1.5),
                (V.clone(), 1),
                (CUBE.clone(), 1),
            ],
            "block_diag": [([F, V],), ([ZERO, F, I],), ([CUBE],)],
            "meshgrid": [([V, P[:2]],), ([ZERO, V],), ([F],), ([],)],
            "meshgrid.indexing": [([V[:3], P[:2]], "xy"), ([V[:3], P[:2]], "ij")],
            "cartesian_prod": [([V, P[:2]],), ([V],), ([F, V],)],
            "combinations": [V, (V, 3), (V, 2, True), (V, 1), (P[:2], 3), (F, 2), (V, -1)],
            "pixel_shuffle": [
                (numbers("f32", [1, 8, 2, 3]), 2),
                (CUBE, 2),
                (numbers("f32", [4, 1, 2]), 2),
                (V, 2),
                (CUBE, 0),
            ],
            "pixel_unshuffle": [(numbers("f32", [1, 2, 4, 6]), 2), (CUBE, 2), (CUBE, 0)],
            "channel_shuffle": [
                (numbers("f32", [2, 4, 3]), 2),
                (numbers("f32", [1, 6, 2, 2]), 3),
                (CUBE, 2),
                (CUBE, 0),
            ],
            "msort": [F, V, I, ODD],
        },
    )


def scripted_reductions(s):
    table(
        s,
        {
            "aminmax": [F, (F, 0), (F, 1, True), (I, -1), V, NONE, (F, 2), BYTES],
            "count_nonzero.dim_IntList": [(I, [0]), (I, [0, 1]), (ODD, [1])],
            "count_nonzero": [I, (I, 1), (ODD, 0), MASK, (I, 2)],
            "equal": [(I, I.float()), (F, F.clone()), (F, F + 1), (F, V), (F, I)],
            "isclose": [
                (F, F * (1 + 1e-6)),
                (ODD, ODD, 1e-5, 1e-8, True),
                (ODD, ODD),
                (tensor("f32", [inf, -inf, 1.0]), tensor("f32", [inf, inf, 1.1]), 0.2),
                (I, I + 1, 0.5, 0.1),
                (F, I),
                (F, F, -1.0),
                (MASK, ~MASK),
            ],
            "allclose": [(F, F.clone()), (F, F + 0.1), (ODD, ODD), (ODD, ODD, 1e-5, 1e-8, True)],
            "is_nonzero": [ZERO, tensor("i32", [0]), F],
            "kthvalue": [
                (V, 2),
                (F, 1, 0),
                (F, 4, 1, True),
                (ODD, 3, 1),
                (V, 0),
                (V, 6),
                (ZERO, 1),
                (tensor("i64", [5, -1, 3]), 2),
            ],
            "median.dim": [
                (F, 0),
                (F, 1, True),
                (V, 0),
                (ODD, 1),
                (ZERO, 0),
                (NONE, 0),
                (tensor("i64", [5, -1, 3, 9]), -1),
            ],
            "median": [F, V, ODD, NONE, tensor("i64", [5, -1, 3, 9]), ZERO],
            "nanmedian.dim": [(F, 0), (ODD, 1), (ODD, 0, True), (tensor("f32", [nan]), 0)],
            "nanmedian": [F, ODD, NONE],
            "mode": [
                tensor("i64", [1, 2, 2, 3]),
                (tensor("f32", [2.0, 1.0, 2.0, 1.0, 0.0]),),
                (tensor("i32", [[1, 1], [0, 1]]), 0),
                (tensor("i32", [[1, 1], [0, 1]]), 1, True),
                ZERO,
            ],
            "histc": [
                (V, 4),
                (F, 5, -1, 2),
                (V, 3, 0.0, 0.0),
                (tensor("f32", [1.0, 1.0]), 4),
                (V, 0),
                (V, 2, 2, 1),
                (I, 3),
                (ODD, 2),
            ],
            "bincount": [
                tensor("i64", [1, 3, 1]),
                (tensor("i64", [0, 2]), tensor("f32", [0.5, 1.5])),
                (tensor("i64", [1]), None, 5),
                (BYTES, None),
                (tensor("i64", []), None, 2),
                tensor("i64", [-1]),
                P,
                (tensor("i64", [0, 2]), tensor("f64", [0.5])),
            ],
            "diff": [
                V,
                (F, 2),
                (F, 1, 0),
                (I, 1, 1),
                MASK,
                (V, 9),
                (V, 1, -1, P[:1], P[:2]),
                (V, 0),
                ZERO,
                (V, -1),
            ],
            "cummax": [
                (V, 0),
                (F, 1),
                (F, 0),
                (ODD, 1),
                (ZERO, 0),
                (tensor("i64", [1, 3, 3, 2]), 0),
                (F, 2),
            ],
            "cummin": [(V, 0), (F, 1), (ODD, 1), (tensor("i64", [3, 1, 1, 2]), -1)],
            "cumprod": [
                (V, 0),
                (F, 1),
                (I, 0),
                (tensor("i32", [2, 3]), 0, CODES["f32"]),
                (MASK, 1),
                (ZERO, 0),
                (F, 2),
            ]
            + [
                (values, 0)
                for tenths in (
                    tensor("f32", [1.1] * 12),
                    tensor("f32", [1e30, 1e30, 1e-30]),
                    tensor("bf16", [0.99] * 12),
                )
                for values in (tenths, tenths.unsqueeze(1).repeat(1, 2))
            ],
            "cumprod_": [(V.clone(), 0), (F.clone(), 1)],
            "cumsum_": [(V.clone(), 0), (F.clone(), 1), (I.clone(), 0)],
            "logcumsumexp": [(I, 0)],
            "cov": [MASK, (CUBE, 1)],
            "renorm": [(V, 2, 0, 1.0), (F, 0, 0, 1.0), (F, 2, 0, -1.0)],
            "renorm_": [(V.clone(), 2, 0, 1.0)],
            "quantile": [(V, tensor("f32", [2.0])), (I, P[:1]), (V, tensor("f64", [0.5]))],
        },
    )
    table(
        s,
        {
            "nansum": [F, (ODD, [0]), (ODD, [1], True), ODD, (I, [0])],
            "nanmean": [F, (ODD, [0]), (ODD, [1], True), ODD, I],
            "var_mean": [F, (F, False), V, I],
            "var_mean.dim": [(F, [0]), (F, [1], False, True), (F, None)],
            "var_mean.correction": [(F, [0], 1), (F, None, 0), (F, [1], 2, True)],
            "std_mean": [F, (F, False), I],
            "std_mean.dim": [(F, [0]), (F, [1], False, True)],
            "std_mean.correction": [(F, [0], 1), (F, None, 0)],
            "quantile": [
                (V, tensor("f32", [0.25, 0.5])),
                (F, P[:2], 1),
                (F, P[:2], 0, True),
                (F, P[:3], -1, False),
                (V, tensor("f32", 0.3)),
                (ODD, P[:2], 1),
                (V, P[:2], None, True),
            ],
            "quantile.scalar": [(V, 0.4), (F, 0.75, 1), (F, 0.5, 0, True)]
            + [(V, 0.3, None, False, mode) for mode in ("lower", "higher", "midpoint", "nearest")],
            "nanquantile": [(ODD, P[:2]), (ODD, P[:2], 1)],
            "nanquantile.scalar": [(ODD, 0.5), (ODD, 0.3, 0)],
            "logcumsumexp": [(V, 0), (F, 1), (tensor("f32", [-inf, 0.0, inf]), 0), (ZERO, 0)],
            "trapezoid.x": [(F, V[:4]), (F, F * 2), (V, P)],
            "trapezoid.dx": [V, (F, 2), (F, 0.5, 0), NONE],
            "trapz.x": [(F, V[:4])],
            "trapz.dx": [V, (F, 0.5, 0)],
            "cumulative_trapezoid.dx": [V, (F, 2, 0)],
            "cov": [F, V, (F, 0), (I, 1), CUBE],
            "corrcoef": [F, SQUARE, CUBE],
            "renorm": [(F, 2, 0, 1.0), (F, 1, 1, 0.5), (F, 2, 0, 100.0), (CUBE, 2, 1, 1.0)],
            "renorm_": [(F.clone(), 2, 0, 1.0)],
            "nuclear_norm": [
                F,
                (F, True),
                SQUARE,
                F.t().contiguous(),
                NONE,
                V,
                I,
                numbers("f32", [2, 2], 0, 1.0),
                tensor("f32", [[1.0, nan], [0.0, 1.0]]),
            ],
            "nuclear_norm.out": [
                (F, False, ZERO),
                (SQUARE, True, tensor("f64", [[0.0]])),
                (V, False, ZERO),
            ],
            "nuclear_norm.dim": [
                (CUBE, [0, 2]),
                (CUBE, [2, 0], True),
                (CUBE, [1, -1]),
                (CUBE, [0]),
                (CUBE, [1, 1]),
                (CUBE, [0, 5]),
            ],
            "nuclear_norm.dim_out": [
                (CUBE, [0, 1], False, tensor("f32", [0, 0, 0, 0])),
                (CUBE, [0], False, ZERO),
            ],
            "frobenius_norm": [F, V],
            "frobenius_norm.out": [
                (F, [0], False, tensor("f32", [0, 0, 0, 0])),
                (F, [1], True, tensor("f32", [0, 0, 0], [3, 1])),
            ],
            "frobenius_norm.dim": [(F, [0]), (F, [0, 1], True), (CUBE, [0, 1, 2])],
            "linalg_vector_norm": [F, (F, 1), (F, inf, [0]), (F, 3.0, [1], True), (F, 0)],
            "linalg_norm": [F, (V, 1), (F, None, [0]), (F, 2, [1], True), (F, None, None, True)],
            "linalg_norm.ord_str": [(F, "fro"), (F, "fro", [0, 1], True), (V, "fro"), (F, "none")],
        },
        arrow="~>",
    )


def scripted_functions(s):
    unit = tensor("f32", [-0.875, -0.5, 0.0, 0.25, 0.75])
    wide = tensor("f32", [0.001, -3.0, 100.0, 1e6, -1e20])
    table(
        s,
        {
            "promote_types": [
                (CODES[a], CODES[b])
                for a in ("bool", "u8", "i32", "f16")
                for b in ("i8", "i64", "bf16")
            ],
            "is_signed": [F, BYTES, MASK, I],
            "is_same_size": [(F, F), (F, V)],
            "result_type.Tensor": [
                (F, I),
                (ZERO, I),
                (BYTES, tensor("i8", [1])),
                (tensor("i64", 3), tensor("f16", [1.0])),
            ],
            "heaviside": [(unit, P), (I, I), (F, I), (ODD, ODD)],
            "heaviside_": [(unit.clone(), P)],
            "signbit": [tensor("f32", [-0.0, 0.0, -1.5, 2.0, -inf]), I, BYTES],
            "gcd": [
                (tensor("i64", [12, -18, 0, 7, 0]), tensor("i64", [18, 12, 5, 0, 0])),
                (tensor("i32", [12]), tensor("i32", [[8], [9]])),
                (F, F),
            ],
            "gcd_": [(tensor("i64", [12, -18]), tensor("i64", [18, 12]))],
            "lcm": [(tensor("i64", [4, -6, 0, 7]), tensor("i64", [6, 4, 5, 0])), (F, F)],
            "lcm_": [(tensor("i64", [4, -6]), tensor("i64", [6, 4]))],
            "fill.Scalar": [(F, 3), (I, 2.5), (F, nan)],
            "fill.Tensor": [(F, ZERO), (F, V)],
            "vdot": [(V, P), (F, F), (V, V[:2]), (V, tensor("f64", [1.0]))],
            "inner": [(V, P), (F, F), (F, V[:4]), (ZERO, F), (F, V), (CUBE, F)],
            "tensordot.out": [(F, F, [0], [0], numbers("f32", [4, 4]))],
            "tensordot": [
                (F, F, [0, 1], [0, 1]),
                (CUBE, F, [1], [0]),
                (CUBE, F, [-1], [-1]),
                (CUBE, F, [2, 1], [1, 0]),
                (F, F, [], []),
                (F, F, [0], [1]),
                (F, F, [0], []),
            ],
            "kron": [(F, P[:2]), (tensor("i64", [[1, 2]]), tensor("i64", [[3], [4]])), (ZERO, V)],
            "addmv": [
                (P[:3], F, V[:4]),
                (ZERO, F, V[:4], 2, 0.5),
                (P[:3], F, V),
                (P[:3] * nan, F, V[:4], 0),
                (P, F, V[:4]),
                (P[:3], V, V),
            ],
            "addmv_": [(P[:3].clone(), F, V[:4]), (P[:3].clone(), F, V)],
            "addr": [(F, V[:3], P[:4]), (ZERO, V[:2], P[:3], 2, 3), (F, V, P)],
            "addr_": [(F.clone(), V[:3], P[:4])],
            "addbmm": [
                (SQUARE.float(), CUBE, CUBE.transpose(1, 2).contiguous()),
                (ZERO, CUBE, CUBE.transpose(1, 2).contiguous(), 2, 0.5),
                (V, CUBE, CUBE),
            ],
            "addbmm_": [(SQUARE.float(), CUBE, CUBE.transpose(1, 2).contiguous())],
            "addmm_": [
                (SQUARE.float(), F, F.t().contiguous()),
                (ZERO.clone(), F, F.t().contiguous()),
            ],
            "baddbmm_": [(numbers("f32", [2, 3, 3]), CUBE, CUBE.transpose(1, 2).contiguous())],
            "chain_matmul": [([F, F.t().contiguous(), F],), ([F],), ([F, V],)],
            "cross": [(F, F * 2), (CUBE, CUBE + 1, 1), (SQUARE, SQUARE * 2), (V, V), (F, F, 1)],
            "linalg_cross": [(SQUARE, SQUARE.t().contiguous()), (F, F + 1, 0), (V, V)],
            "vander": [
                tensor("i64", [1, 2, 3]),
                (tensor("f32", [1.5, 2.0]), 3),
                (tensor("i32", [2, 3]), 4, True),
                F,
                (V, -1),
            ],
            "linalg_matrix_power": [
                (SQUARE, 2),
                (SQUARE, 0),
                (SQUARE, 1),
                (F, 2),
                (SQUARE.to(I.dtype), 2),
            ],
            "linalg_det": [F, I],
            "linalg_inv": [F, V],
            "logaddexp": [(I, I)],
            "logaddexp2": [(I, I)],
            "pairwise_distance": [(V, F)],
        },
    )
    table(
        s,
        {
            "deg2rad": [F, I, V],
            "deg2rad_": [F.clone(), I.clone()],
            "rad2deg": [F, I],
            "rad2deg_": [F.clone(), I.clone()],
            "float_power.Tensor_Tensor": [(P, V), (I, I)],
            "float_power.Tensor_Scalar": [(P, 2), (I, 0.5)],
            "float_power.Scalar": [(2, V), (0.5, I)],
            "logaddexp": [
                (V, P),
                (tensor("f32", [inf, -inf, nan]), tensor("f32", [inf, -inf, 1.0])),
                (F, ZERO),
            ],
            "logaddexp2": [(V, P), (tensor("f32", [inf, -inf]), tensor("f32", [inf, -inf]))],
            "xlogy.Tensor": [
                (V, P),
                (tensor("f32", [0.0, 0.0, 1.0]), tensor("f32", [0.0, nan, -1.0])),
                (I, I),
            ],
            "xlogy_.Tensor": [(V.clone(), P), (I.clone(), I)],
            "xlogy.Scalar_Other": [(V, 2.5), (V, 0)],
            "xlogy.Scalar_Self": [(2.5, P), (0, P)],
            "sinc": [unit, tensor("i64", [0, 1])],
            "sinc_": [unit.clone()],
            "asinh": [unit, wide, I, tensor("f32", [-0.0, inf, nan])],
            "asinh_": [unit.clone(), I.clone()],
            "acosh": [tensor("f32", [1.0, 1.25, 3.0, 1e6, 0.5, inf]), tensor("f64", [1.0001])],
            "acosh_": [tensor("f32", [1.0, 1.25, 3.0])],
            "atanh": [unit, tensor("f32", [1.0, -1.0, 2.0, -0.0]), tensor("f64", [0.999])],
            "atanh_": [unit.clone()],
            "ldexp.Tensor": [(V, tensor("i32", [1, 2, -1, 0, 3])), (V, V)],
            "ldexp_": [(V.clone(), tensor("i32", [1, 2, -1, 0, 3]))],
            "linalg_matrix_power": [(numbers("f64", [2, 2], 0.5), -1)],
            "linalg_det": [
                SQUARE,
                numbers("f64", [2, 2, 2]),
                tensor("f64", [[0.0, 1.0], [2.0, 3.0]]),
            ],
            "linalg_inv": [tensor("f64", [[0.0, 1.0], [2.0, 3.0]]), numbers("f64", [2, 2], 0.5)],
            "logdet": [tensor("f64", [[2.0, 1.0], [1.0, 3.0]])],
            "dist": [(F, F * 2), (V, P, 1), (V, P, inf), (F, V)],
            "cdist": [
                (F, F * 2),
                (F, F[:2] + 1, 1.0),
                (CUBE, CUBE + 0.5),
                (F, F + 1, inf),
                (F, V),
                (F, F, -1.0),
            ],
            "pdist": [F, (F, 1.0), V],
            "cosine_similarity": [(F, F * 2 + 1), (V, P, 0), (F, F + 1, -1, 1e-6)],
            "pairwise_distance": [(F, F + 1), (V, P, 1.0), (F, F * 2, 2.0, 0.5, True)],
        },
        arrow="~>",
    )


def scripted_indices(s):
    line = tensor("f32", [1.0, 2.0, 2.0, 5.0])
    lines = tensor("i64", [[1, 3, 5], [2, 4, 6]])
    index = tensor("i64", [[0, 2], [1, 0]])
    runs = tensor("i64", [2, 2, 1, 1, 1, 2])
    table(
        s,
        {
            "nonzero": [I, F, MASK, ZERO, tensor("f32", 0.0), NONE, CUBE],
            "nonzero_numpy": [MASK, V],
            "where": [MASK, V],
            "argwhere": [MASK, ZERO],
            "take": [
                (F, index),
                (F, tensor("i64", [-1, 11])),
                (F, tensor("i64", [12])),
                (F, tensor("i32", [1])),
                (F, tensor("i64", 3)),
            ],
            "take_along_dim": [
                (F, index, 0),
                (F, tensor("i64", [[1], [0], [3]]), 1),
                (F, index),
                (F, tensor("i64", [1]), 0),
                (F, tensor("i64", [[9]]), 0),
            ],
            "put_": [
                (F.clone(), tensor("i64", [0, -1]), P[:2]),
                (F.clone(), tensor("i64", [1, 1]), P[:2], True),
                (F.clone(), tensor("i64", [1]), P[:2]),
                (F.clone(), tensor("i64", [1]), tensor("f64", [1.0])),
            ],
            "put": [(F, index, P[:4].reshape(2, 2)), (F, tensor("i64", [20]), P[:1])],
            "masked_scatter": [
                (ODD, MASK, P),
                (ODD, MASK, P[:2]),
                (ODD, MASK[:1], P),
                (ODD, MASK.to(I.dtype), P),
                (V, MASK[0, 0], P),
            ],
            "masked_scatter_": [(ODD.clone(), MASK, P)],
            "index_fill.int_Tensor": [
                (F, 0, tensor("i64", [0, 2]), ZERO),
                (F, 1, tensor("i64", [-1]), ZERO),
                (F, 0, tensor("i64", [0]), V),
            ],
            "searchsorted.Tensor": [
                (line, V),
                (line, line),
                (line, line, False, True),
                (line, line, True),
                (lines, lines + 1),
                (lines, tensor("i64", [[3], [3]]), False, False, "right"),
                (line, F, False, True, "left"),
                (line, I),
                (tensor("f32", [2.0, 1.0]), P, False, False, None, tensor("i64", [1, 0])),
                (lines, tensor("i64", [1])),
                (line, tensor("f32", [nan, inf, -inf])),
            ],
            "searchsorted.Scalar": [(line, 2), (line, 2.0, False, True), (lines, 1)],
            "bucketize.Tensor": [
                (F, line),
                (line, line, True, True),
                (F, F),
                (I, tensor("i64", [0, 1, 5])),
            ],
            "bucketize.Scalar": [(2.0, line), (2, line, False, True)],
            "isin.Tensor_Tensor": [
                (I, tensor("i64", [1, -3])),
                (I, tensor("i64", [1, -3]), False, True),
                (F, V),
                (I, tensor("i64", [])),
            ],
            "isin.Tensor_Scalar": [(I, 1), (I, 1, False, True)],
            "isin.Scalar_Tensor": [(1, I), (1, I, False, True)],
            "unique_consecutive": [
                runs,
                (runs, True),
                (runs, True, True),
                (F, False, True),
                (tensor("i64", [[1, 1], [1, 1], [2, 1]]), True, True, 0),
                (tensor("i64", []), True, True),
            ],
            "_unique2": [
                runs,
                (runs, True, True),
                (runs, True, True, True),
                (I, True, False, True),
                (MASK, True, True),
                (P, True, True, True),
            ],
            "unique_dim": [
                (tensor("i64", [[3, 1], [1, 2], [3, 1], [1, 0]]), 0, True, True, True),
                (tensor("i64", [[3, 1, 3], [1, 2, 1]]), 1, True, True, True),
            ],
            "scatter_reduce.two": [
                (F, 0, tensor("i64", [[0, 1, 2, 0]]), F[:1] * 2, "sum"),
                (F, 1, tensor("i64", [[0, 0], [1, 3], [2, 2]]), F[:, :2] * 2, "sum", False),
                (F, 1, tensor("i64", [[0, 0], [1, 3], [2, 2]]), F[:, :2] * 2, "prod"),
                (F, 1, tensor("i64", [[0, 0], [1, 3], [2, 2]]), F[:, :2] * 2, "amax"),
                (F, 1, tensor("i64", [[0, 0], [1, 3], [2, 2]]), F[:, :2] * 2, "amin", False),
                (V, 0, tensor("i64", [1, 1, 3, 0, 1]), V * 2, "mean"),
                (V, 0, tensor("i64", [1, 1, 3, 0, 1]), V * 2, "mean", False),
                (V, 0, tensor("i64", [1, 1, 9, 0, 1]), V, "sum"),
                (V, 0, tensor("i64", [1]), V, "most"),
            ],
        },
    )
    table(s, bags())


def bags():
    """Sums, means and maxima of bags; mode 3 and indices that torch does not look at (of no bag)
    crash 1.13.1."""
    weight = numbers("f32", [4, 3])
    low = tensor("f32", [[1.0, -inf], [-inf, 2.0], [3.0, 3.0]])
    line, starts, ends = (
        tensor("i64", [0, 2, 1, 1, 3]),
        tensor("i64", [0, 2, 2]),
        tensor("i64", [0, 2, 2, 5]),
    )
    nothing, shares = tensor("i64", []), tensor("f32", [1.0, 2.0, -3.0, 4.0, 0.5])
    plain, padded = [], []
    for mode in (0, 1, 2):
        for table_of in (weight, weight.double(), weight.half()):
            plain.append((table_of, line, starts, False, mode))
            padded.append((table_of, line, starts, False, mode, False, None, False, 1))
        plain += [
            (weight, line, ends, False, mode, False, None, True),
            (weight, line.int(), starts.int(), False, mode),
            (weight, line.int(), starts, False, mode),
            (weight, nothing, starts[:1], False, mode),
            (low, tensor("i64", [1, 1, 0, 2, 2]), starts, False, mode),
        ]
        padded += [
            (weight, line, ends, False, mode, False, None, True, -1),
            (low, line[:3] % 3, starts[:1], False, mode, False, None, False, 0),
        ]
    plain += [
        (weight, line, starts, False, 0, False, shares),
        (weight.double(), line, starts, False, 0, False, shares.double()),
        (weight, line, starts, False, 1, False, shares),
        (weight, line, tensor("i64", [1, 2])),
        (weight, line, tensor("i64", [0, 6])),
        (weight, line.float(), starts),
    ]
    padded.append((weight, line, starts, False, 0, False, shares, False, 2))
    return {"embedding_bag": plain, "embedding_bag.padding_idx": padded}


FAMILIES = [
    scripted_shapes,
    scripted_reductions,
    scripted_functions,
    scripted_indices,
]
