"""Calls of the special functions and of the other rows of engine/aten/special/ops.py."""

from sample_scripted_calls import BYTES, CUBE, ZERO, F, I, P, V, table
from sample_text import bound_text, inf, nan, numbers, tensor

UNIT = tensor(
    "f32", [-1.0, -0.9999, -0.75, -0.5, -0.1, -0.0, 0.0, 1e-6, 0.3, 0.5, 0.9, 1.0, 1.5, nan]
)
LINE = tensor(
    "f32", [-10.5, -3.25, -1.5, -0.75, -1e-3, 0.25, 0.5, 1.0, 2.5, 7.0, 40.0, 1e4, inf, nan]
)
WIDE = tensor("f64", [-3.25, -0.5, 0.125, 1.0, 3.0, 9.5, 31.0, 100.0])
EDGES = tensor("f32", [0.0, -0.0, 1.0, -2.0, 0.75, 1e-40, -3.5e38, inf, -inf, nan, 8388608.0, -0.1])
DOUBLE_EDGES = tensor(
    "f64", [0.0, -0.0, 1.0, -2.0, 0.75, 5e-324, 1e-310, -1.7e308, inf, nan, 2.0**-1022]
)


def special_functions(s):
    q, k, v = (
        numbers("f32", [2, 3, 4], 0.125),
        numbers("f32", [2, 5, 4], 0.25),
        numbers("f32", [2, 5, 6]),
    )
    seen = tensor("bool", [1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0], [3, 5])
    table(
        s,
        {
            "positive": [F, I, seen],
            "Size": [([2, 12],), ([],)],
            "sum_to_size": [
                (CUBE, [3, 4]),
                (CUBE, [2, 1, 4]),
                (I, [1, 4]),
                (CUBE, [1]),
                (F, [3, 4]),
                (F, [2, 4]),
                (V, [1, 5]),
                (CUBE, []),
            ],
            "frexp.Tensor": [EDGES, DOUBLE_EDGES, F, I],
            "nextafter": [
                (EDGES, EDGES * 2),
                (EDGES, -EDGES),
                (EDGES, ZERO),
                (EDGES, tensor("f32", -inf)),
                (DOUBLE_EDGES, -DOUBLE_EDGES),
                (DOUBLE_EDGES, tensor("f64", inf)),
                (F, DOUBLE_EDGES[:4]),
                (I, I),
                (F, tensor("f32", nan)),
            ],
            "nextafter_": [(V.clone(), P), (V.clone(), I)],
            "gradient.scalarint": [
                V,
                F,
                (F, 2),
                (F, 0.5, 1),
                (CUBE, None, -1, 2),
                (V, 2.0, 0, 2),
                (F, None, 0, 2),
                (V[:1],),
                (F, None, 2),
                (F, None, 0, 3),
            ],
            "gradient.scalararray": [(CUBE, 2, [0, 2]), (F, 0.25, [1])],
            "gradient.array": [(CUBE, [0, 2]), (F, [1, 0]), (F, [0], 2), (F, [3])],
            "index_reduce": [
                (F, 0, tensor("i64", [0, 2, 0]), F + 1, reduce, among)
                for reduce in ("prod", "mean", "amax", "amin")
                for among in (True, False)
            ]
            + [
                (V, 0, tensor("i64", [1, 1]), P[:2], "amax"),
                (F, 1, tensor("i64", [3]), F[:, :1] * 2, "amin"),
                (F, 0, tensor("i64", [0]), F[:1], "sum"),
                (F, 0, tensor("i64", [5]), F[:1], "prod"),
                (F, 0, tensor("i64", [0, 1]), F[:1], "prod"),
            ],
            "index_reduce_": [(F.clone(), 0, tensor("i64", [0, 2, 0]), F + 1, "prod")],
            "linalg_diagonal": [F, CUBE, V],
        },
    )
    table(
        s,
        {
            "erfinv": [UNIT, tensor("i64", [0, 1, -1, 2]), tensor("f64", [-1e-300, 0.4999999])],
            "erfinv_": [UNIT.clone(), I.clone()],
            "special_ndtri": [UNIT, tensor("f64", [1e-300, 0.5, 0.75])],
            "special_entr": [LINE, UNIT, I, tensor("f64", [0.0, -inf, inf])],
            "special_xlog1py": [
                (V, P),
                (tensor("f32", [0.0, 0.0, 1.0]), tensor("f32", [-1.0, nan, -2.0])),
                (I, I),
            ],
            "special_xlog1py.other_scalar": [(V, 2.5), (V, 0)],
            "special_xlog1py.self_scalar": [(2.5, P), (0, P)],
            "digamma": [I, tensor("f32", [0.0, -0.0, -1.0, -2.0])],
            "digamma_": [P[2:].clone(), I.clone()],
            "special_zeta": [
                (tensor("f32", [2.0, 3.5, 1.0, 0.5, 30.0]), P),
                (tensor("f64", [2.0, 3.0, 4.0, 2.5]), tensor("f64", [0.5, -1.5, 0.0, -0.5])),
                (I, I),
            ],
            "special_zeta.other_scalar": [(P + 1, 2.0), (V, 1)],
            "special_zeta.self_scalar": [(2.0, P), (3, P)],
            "polygamma": [(0, P[2:]), (1, P), (2, P), (3, LINE[:12]), (1, I.abs() + 1), (-1, P)],
            "polygamma_": [(P.clone(), 1), (P.clone(), 3), (I.clone(), 1)],
            "mvlgamma": [(P + 1.5, 2), (P, 1), (P, 2), (BYTES, 2), (P, 0)],
            "i0": [V, tensor("f32", [0.0, -0.5, 8.5, -20.0, 50.0, 88.0]), WIDE, I],
            "i0_": [V.clone(), I.clone()],
            "special_i0e": [V, tensor("f32", [0.0, -0.5, 8.5, -20.0, 500.0, 1e6]), WIDE, I],
            "special_i1": [V, tensor("f32", [-0.5, 8.5, -20.0, 50.0]), WIDE, I],
            "special_i1e": [V, tensor("f32", [-0.5, 8.5, -20.0, 500.0, 1e6]), WIDE, I],
            "special_erfcx": [V, tensor("f32", [-5.0, 1.5, 3.0, 9.5, 11.0, 100.0, 1e10, inf]), I],
            "special_log_ndtr": [LINE[:9], tensor("f64", [-1.5, -0.5])],
        },
        arrow="~>",
    )
    close = bound_text(2.0**-20)
    table(
        s,
        {
            "_scaled_dot_product_attention": [
                (q, k, v, None, 0.0, True),
                (q, k, v, seen, 0.0, True),
                (q, k, v, seen.float(), 0.0, True, False),
                (q, k, v, None, 0.0, True, True),
                (q, k, v, seen, 0.0, True, True),
                (q, k[:, :, :3].contiguous(), v, None, 0.0, True),
            ],
            "special_ndtr": [LINE, I],
            "digamma": [LINE],
            "special_erfcx": [tensor("f64", [-5.0, 1.5, 3.0, 9.5, 11.0, 100.0])],
            "special_log_ndtr": [I, tensor("f64", [-10.0, 0.5, 3.0, -30.0])],
        },
        arrow=close,
    )
    table(
        s,
        {
            "erfinv": [UNIT.double()],
            "special_ndtr": [WIDE],
            "special_ndtri": [(UNIT.double() + 1) / 2],
            "digamma": [WIDE],
            "polygamma": [(4, WIDE[3:]), (2, WIDE)],
        },
        arrow=bound_text(2.0**-36),
    )


FAMILIES = [special_functions]
