"""Calls of Bessel functions, polynomials, copies of views, factors of matrices and resizing."""

from sample_scripted_calls import CUBE, ZERO, F, I, V, table
from sample_text import bound_text, inf, nan, numbers, tensor

LINE = tensor("f32", [-9.5, -3.25, -0.75, -1e-3, 0.0, 0.25, 1.0, 2.5, 7.0, 12.0, nan])
WIDE = tensor("f64", [-7.5, -0.5, 0.125, 1.0, 3.0, 9.5])
CLOSE = bound_text(2.0**-18)
SQUARE = tensor("f32", [4.0, 1.0, 0.5, 1.0, 3.0, -0.25, 0.5, -0.25, 2.0], [3, 3])
PAIR = tensor("f64", [4.0, 1.0, 0.5, 3.0, 0.0, 2.0, 1.0, 0.0], [2, 2, 2])
TALL = numbers("f64", [4, 2], 0.25)
KINDS = ("t", "u", "v", "w")
NAMES = [f"{shifted}chebyshev_polynomial_{k}" for shifted in ("", "shifted_") for k in KINDS]
NAMES += [
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
]


def bessel_functions(s):
    for name in (
        "bessel_j0",
        "bessel_j1",
        "bessel_y0",
        "bessel_y1",
        "modified_bessel_i0",
        "modified_bessel_i1",
        "modified_bessel_k0",
        "modified_bessel_k1",
        "scaled_modified_bessel_k0",
        "scaled_modified_bessel_k1",
        "spherical_bessel_j0",
        "airy_ai",
    ):
        wide = name.startswith(("modified_bessel_i", "scaled"))
        table(
            s,
            {"special_" + name: [LINE[4:] if wide else LINE, tensor("i64", [0, 1, 3])]},
            arrow=bound_text(2.0**-4) if name.startswith("modified_bessel_i") else CLOSE,
        )
        table(s, {"special_" + name: [WIDE[2:4]]}, arrow=bound_text(2.0**-24))
    a, x = (
        tensor("f32", [0.5, 1.0, 2.5, 7.0, 0.0, 1.0, -1.0, inf, 3.0, 0.0, nan]),
        tensor("f32", [0.25, 2.0, 2.5, 3.0, 1.0, 0.0, 1.0, 1.0, inf, 0.0, 1.0]),
    )
    table(
        s,
        {
            name: [(a, x), (a[:4].double(), x[:4].double()), (I, I)]
            for name in ("igamma", "igammac", "special_gammainc", "special_gammaincc")
        },
        arrow=CLOSE,
    )
    table(s, {name: [(a[:4].clone(), x[:4])] for name in ("igamma_", "igammac_")}, arrow=CLOSE)


def polynomials(s):
    x, n = (
        tensor("f64", [-1.5, -1.0, -0.25, 0.0, 0.5, 1.0, 2.0]),
        tensor("f64", [0.0, 3.0, 2.0, 5.0, 4.0, 3.0, 1.0]),
    )
    for name in NAMES:
        table(
            s,
            {
                "special_" + name: [
                    (x, n),
                    (x.float(), tensor("i64", 3)),
                    (x, tensor("f64", -2.0)),
                ],
                f"special_{name}.x_scalar": [(0.5, n), (2, tensor("i64", [0, 1, 2]))],
                f"special_{name}.n_scalar": [(x, 3), (x.float(), 2), (x, -1)],
            },
            arrow=CLOSE,
        )


def copies_of_views(s):
    table(
        s,
        {
            "narrow_copy": [(V, 0, 1, 2), (CUBE, 1, 0, 1), (V, 0, 4, 3)],
            "unsafe_split.Tensor": [(V, 2), (CUBE, 1, 1), (F, 2, 1)],
            "unsafe_split_with_sizes": [(V, [2, 3]), (V, [1, 1])],
            "conj": [F, I],
            "resolve_conj": [F, I],
            "resolve_neg": [F, I],
            "conj_physical": [F, I],
            "isreal": [F, I, ZERO],
            "angle": [LINE, I],
            "as_strided_scatter": [
                (CUBE, ZERO.expand(2, 2), [2, 2], [4, 1], 1),
                (V, V[:2], [2], [2]),
            ],
        },
    )


def factors(s):
    eye = tensor("f64", [1.0, 0.0, 0.0, 1.0], [2, 2])
    table(
        s,
        {
            "linalg_inv_ex": [SQUARE, PAIR],
            "linalg_solve_ex": [(SQUARE, SQUARE), (PAIR, PAIR)],
            "linalg_cholesky_ex": [SQUARE, (SQUARE, True)],
            "linalg_cond": [SQUARE, (SQUARE, 1), (PAIR, inf), (SQUARE, -2), (TALL, 1)],
            "linalg_tensorinv": [
                (
                    numbers("f64", [4, 2, 2], 0.5)
                    + PAIR.reshape([2, 2, 2])[:1].expand(4, 2, 2).cumsum(0) ** 2,
                    1,
                ),
                (SQUARE, 1),
                (SQUARE, 0),
            ],
            "linalg_tensorsolve": [(PAIR[:1].reshape([2, 2, 1]), TALL[:2, 0]), (SQUARE, SQUARE[0])],
            "linalg_vander": [V, (V, 3), (I, 2), (CUBE[0], 4), (V, 1)],
            "linalg_matrix_exp": [SQUARE / 4, PAIR, F],
            "matrix_exp": [SQUARE / 4],
            "linalg_householder_product": [(TALL, TALL[0])],
            "orgqr": [(TALL, TALL[0])],
            "linalg_lu_factor": [SQUARE, PAIR, TALL],
            "linalg_lu_factor_ex": [SQUARE],
            "_lu_with_info": [PAIR],
            "linalg_lu": [SQUARE, PAIR, TALL],
            "lu_unpack": [
                (SQUARE, tensor("i32", [2, 3, 3])),
                (PAIR, tensor("i32", [2, 2, 1, 2], [2, 2])),
            ],
            "linalg_lu_solve": [
                (SQUARE, tensor("i32", [2, 3, 3]), SQUARE),
                (PAIR[0], tensor("i32", [1, 2]), eye, True, True),
            ],
            "lu_solve": [(SQUARE, SQUARE, tensor("i32", [2, 3, 3]))],
        },
        arrow=CLOSE,
    )
    table(
        s,
        {
            "linalg_matrix_rank": [(SQUARE, 0.5), (SQUARE, 2.0, True), (PAIR, 1.0)],
            "linalg_matrix_rank.tol_tensor": [
                (SQUARE, tensor("f32", 2.0)),
                (PAIR, tensor("f64", [0.5, 4.0])),
            ],
            "linalg_matrix_rank.atol_rtol_float": [
                (SQUARE,),
                (SQUARE, 2.0),
                (SQUARE, None, 0.5, True),
                (PAIR, 0.25, 0.5),
            ],
            "linalg_matrix_rank.atol_rtol_tensor": [
                (SQUARE, tensor("f32", 2.0)),
                (PAIR, None, tensor("f64", [0.5, 0.01])),
            ],
            "fft_fftshift": [V, F, (F, [1]), (CUBE, [0, 2])],
            "fft_ifftshift": [V, F, (F, [1]), (CUBE, [0, 2])],
        },
    )


def resizes(s):
    line, image, solid = (
        numbers("f32", [1, 2, 5]),
        numbers("f32", [1, 2, 3, 4], 0.25),
        numbers("f32", [1, 1, 2, 3, 2]),
    )
    for exact in ("upsample_nearest", "_upsample_nearest_exact"):
        table(
            s,
            {
                exact + "1d": [(line, [7]), (line, [3], 0.6), (line, [0])],
                exact + "2d": [(image, [2, 7]), (image, [6, 6], 2.0, 1.5), (line, [2, 2])],
                exact + "3d": [(solid, [3, 3, 3])],
            },
        )
    table(
        s,
        {
            "upsample_linear1d": [(line, [7], False), (line, [3], True), (line, [10], False, 2.0)],
            "upsample_bilinear2d": [
                (image, [5, 3], False),
                (image, [2, 2], True),
                (image, [6, 8], False, 2.0, 2.0),
            ],
            "upsample_trilinear3d": [(solid, [3, 4, 3], False), (solid, [3, 4, 3], True)],
            "upsample_bicubic2d": [(image, [5, 3], False), (image, [2, 2], True)],
            "_upsample_bilinear2d_aa": [(image, [2, 3], False)],
            "_upsample_bicubic2d_aa": [(image, [2, 3], False)],
        },
        arrow=CLOSE,
    )


def fixed_cases(s):
    none, i = tensor("f32", [], [0, 3, 3]), tensor("i64", [[1, 0], [1, 1]], [2, 2])
    table(
        s,
        {
            "pixel_shuffle": [
                (numbers("f32", [2, 4, 3, 0]), 2),
                (numbers("f32", [2, 1, 4, 2, 2]), 2),
            ],
            "scatter_reduce.two": [
                (F, 1, i, F[:2, :2] * 2, reduce, among)
                for reduce in ("prod", "amax", "amin", "sum")
                for among in (True, False)
            ]
            + [(ZERO, 0, tensor("i64", 0), ZERO + 1, "amax"), (F, 0, i[:0], F, "prod")],
            "nextafter": [
                (
                    tensor("bf16", [1.0, -2.0, 0.0, inf, 3.0]),
                    tensor("bf16", [2.0, -1.0, -1.0, 0.0, 3.0]),
                ),
                (tensor("i32", 2147483647), tensor("bf16", [0.0, inf])),
            ],
            "linspace": [(0, 4, 5, 4), (4.3, 8.0, 5, 4)],
            "_shape_as_tensor": [F, I, tensor("f32", 1.0), none],
            "linalg_inv": [none, tensor("f64", [], [2, 0, 0])],
            "special_zeta": [(tensor("bool", [1, 0]), tensor("bool", [1, 1]))],
            "logaddexp": [
                (numbers("bf16", [40], 0.375), numbers("bf16", [40], 0.25).flip(0)),
                (tensor("bf16", [inf, -inf, nan, 1.0]), tensor("bf16", [inf, -inf, 1.0, -inf])),
            ],
            "logaddexp2": [(numbers("bf16", [40], 0.375), numbers("bf16", [40], 0.25).flip(0))],
        },
    )
    table(
        s,
        {
            "cov": [
                (F.double(), c, f, a)
                for c in (0, 1)
                for f in (None, tensor("i64", [1, 2, 0, 1]))
                for a in (None, tensor("f64", [0.5, 0.25, 1.0, 2.0]))
            ],
            "linalg_norm.ord_str": [(SQUARE, "nuc"), (SQUARE, "fro"), (PAIR, "nuc", [1, 2], True)],
            "linalg_norm": [(SQUARE, 2), (SQUARE, -2), (PAIR, -1, [0, 1])],
            "upsample_linear1d": [(numbers("f64", [1, 1, 7], 0.125), [9], False)],
        },
        arrow=CLOSE,
    )


def searches(s):
    """Where NaNs are, and lines that do not ascend: by PyTorch's halves."""
    wanted = tensor("f32", [nan, inf, 1.5, -inf, 2.0])
    lines = [
        tensor("f32", line)
        for line in (
            [1.0, 2.0, nan],
            [nan, nan],
            [nan, 1.0, 2.0],
            [1.0, nan, 2.0, 3.0, 4.0],
            [3.0, 2.0, 1.0],
        )
    ]
    both = tensor("f64", [1.0, nan, 3.0, nan, nan, nan], [2, 3])
    table(
        s,
        {
            "searchsorted.Tensor": [
                (line, wanted, False, right) for line in lines for right in (False, True)
            ]
            + [(both, both, True, right) for right in (False, True)]
            + [
                (lines[2], wanted, False, right, None, tensor("i64", [1, 2, 0]))
                for right in (False, True)
            ]
            + [
                (lines[0][:0], wanted),
                (lines[0], wanted[:0]),
                (tensor("bf16", [1.0, nan]), tensor("bf16", [nan, 2.0])),
                (lines[0], numbers("f32", [3, 2]).t()),
            ],
            "searchsorted.Scalar": [(lines[1], nan), (lines[0], 2.0, False, True)],
            "bucketize.Tensor": [
                (wanted, line, False, right) for line in lines for right in (False, True)
            ],
            "bucketize.Scalar": [(nan, lines[0]), (inf, lines[0])],
        },
    )


def failures(s):
    """Matrices without an answer: what is reported of them, and of those next to them."""
    zeros, singular, minus = (
        tensor("f32", [0.0] * 4, [2, 2]),
        tensor("f32", [1.0, 2.0, 2.0, 4.0], [2, 2]),
        -tensor("f32", [1.0, 0.0, 0.0, 1.0], [2, 2]),
    )
    late = tensor("f32", [4.0, 1.0, 2.0, 1.0, -3.0, 5.0, 2.0, 5.0, 6.0], [3, 3])
    holes = tensor("f32", [nan, 1.0, 1.0, 1.0], [2, 2])
    table(
        s,
        {
            "linalg_inv_ex": [(m, True) for m in (zeros, singular, SQUARE)] + [zeros],
            "linalg_solve_ex": [(m, m, True, True) for m in (zeros, singular, SQUARE)],
            "linalg_cholesky_ex": [(m, False, True) for m in (zeros, minus, late, SQUARE)],
            "linalg_cond": [
                (m, p) for m in (zeros, singular, holes, minus) for p in (1, -1, inf, -inf)
            ]
            + [(zeros, 2), (zeros, -2), (zeros[None], 1)],
            "linalg_cond.p_str": [
                (zeros, "fro"),
                (zeros, "nuc"),
                (singular, "fro"),
                (holes, "fro"),
                (SQUARE, "nuc"),
                (PAIR, "nuc"),
            ],
        },
        arrow=CLOSE,
    )


def in_place(s):
    cube = numbers("f64", [2, 3, 4])
    table(
        s,
        {
            name: [
                F.clone(),
                (F.clone(), 1),
                (F.clone(), -1),
                (F.clone(), 9),
                (cube.clone(), -1),
                (cube.transpose(0, 2), 1),
                (tensor("bool", [1, 1, 1, 1], [2, 2]),),
                (tensor("f32", [1.0, 2.0]),),
                (tensor("f32", [], [0, 3]), 1),
            ]
            for name in ("tril_", "triu_")
        },
    )
    table(
        s,
        {
            "cdist": [
                (tensor("f32", [], [*lead, 3, 0]), tensor("f32", [], [*lead, 4, 0]), p)
                for lead in ([], [2])
                for p in (inf, 0.0, 1.0, 2.0, 0.5)
            ]
        },
    )


def sizes_in_place(s):
    cube, line = numbers("f64", [2, 3, 4]), numbers("f32", [6])
    ones = numbers("f32", [1, 3, 1])
    table(
        s,
        {
            "unsqueeze_": [(t, dim) for t in (F, line, ZERO) for dim in (0, 1, -1, -2, 3)],
            "squeeze_": [(t,) for t in (ones, F, ZERO)],
            "squeeze_.dim": [(t, dim) for t in (ones, ZERO) for dim in (0, 1, -1, 3)],
            "t_": [(t,) for t in (F, line, ZERO, cube)],
            "transpose_": [
                (t, a, b) for t in (cube, F, ZERO) for a, b in ((0, 1), (-1, 0), (1, 1), (0, 3))
            ],
            "swapaxes_": [(cube, 0, 2), (F, -1, 0)],
            "swapdims_": [(cube, 0, 2), (F, -1, 0)],
            "as_strided_": [
                (line, [2, 2], [1, 2]),
                (line, [3], [2], 1),
                (line, [], [], 5),
                (line, [2], [-1]),
                (line, [2], [1, 1]),
            ],
            "resize_as_": [
                (line, half, *format)
                for half in (F[:1], F[:, :1], F.t()[:2, :2], ZERO)
                for format in ((), (0,), (1,))
            ]
            + [
                (F, line),
                (cube, numbers("f32", [1, 2, 3, 4]), 2),
                (line, numbers("f32", [1, 2, 3]), 2),
            ],
            "resize_": [(line, sizes) for sizes in ([2, 3], [3], [2, 2], [], [0, 4], [-1])]
            + [(cube, [1, 2, 3, 4]), (F, [6])],
        },
    )


def quantisations(s):
    op = "aten::fake_quantize_per_tensor_affine"
    x = tensor("f32", [-9.5, -1.75, -0.25, -0.1, -0.0, 0.1, 0.25, 0.75, 1.25, 9.5, -inf, nan])
    for scale, *ends in ((0.5, 0, -4, 3), (0.1, 3, -8, 7), (1.5, -2, -2, 2), (-0.5, 1, 1, 1)):
        for given in (x, x.double(), x.half()):
            s.add(op, given, scale, *ends)
    s.add(op, x.double() / 0, 0.5, 0, -4, 3)
    s.add(op, x[:6].reshape([2, 3]).t(), 0.25, 1, 0, 255)
    s.add(op, x[1], 0.25, 1, 0, 255)
    s.add(op, x[:0], 0.25, 1, 0, 255)
    for values in ((x, 0.5, 9, -8, 7), (x, 0.5, 0, 8, 7), (x > 0, 0.5, 0, -8, 7)):
        s.add(op, *values)


FAMILIES = [
    searches,
    failures,
    in_place,
    sizes_in_place,
    fixed_cases,
    bessel_functions,
    polynomials,
    copies_of_views,
    factors,
    resizes,
    quantisations,
]
