"""Calls at the edge of what rows take: numbers that do not fit, factors of integers, sizes and
dtypes of indices, bools."""

from sample_scripted_calls import BYTES, F, I, P, V, table
from sample_text import bound_text, inf, nan, numbers, tensor

M, W = tensor("i64", [1, 2, 3, 4], [2, 2]), tensor("i64", [1, 2])
FM, FW = M.float(), W.float()
BM, BW = tensor("bool", [1, 0, 1, 1], [2, 2]), tensor("bool", [1, 0])
SINGULAR = tensor("f32", [1.0, 2.0, 2.0, 4.0], [2, 2])
TINY = tensor("f32", [1e-30, 0.0, 0.0, 1e-30], [2, 2])
HOLE = numbers("f32", [0, 1, 0])


def alphas_and_betas(s):
    whole = [(b, a) for b in (0.5, -2.7, 2, True) for a in (1, 1.5, 0)] + [(nan, 1), (1, 1e30)]
    table(
        s,
        {
            "addmm": [(M, M, M, *f) for f in whole]
            + [
                (FM, FM, FM, 1e300),
                (FM, FM * 0.5, FM, 1, 1e300),
                (BYTES[:1], M.byte(), M.byte(), 300),
                (BYTES[:1], M.byte(), M.byte(), -3, -1),
            ],
            "baddbmm": [(M[None], M[None], M[None], *f) for f in whole],
            "addmv": [(W, M, W, *f) for f in whole]
            + [(FW, FM, FW, 1, 1e300), (W.byte(), M.byte(), W.byte(), 1, -3.0)],
            "addbmm": [(M, M[None], M[None], *f) for f in whole]
            + [(FM, FM[None][:0], FM[None][:0], 2), (FM, FM, FM)],
            "addr": [(M, W, W, *f) for f in whole]
            + [(BM, BW, BW, b, a) for b in (1, 0, 2) for a in (1, 0)]
            + [(BM, BW, BW, 2.5), (BM, BW, BW, 1, 1.0)]
            + [
                (BM, W, W),
                (M, FW, W),
                (FM.double(), FW, FW),
                (FM * nan, FW, FW, 0),
                (FM, FW, FW, 1, 1e300),
                (FM, FM, FW),
            ],
            "full": [([1], v, d) for v in (-1, -255, -256, -0.5, -1.5, 0.5) for d in (0, 1, 11)],
            "hardtanh": [
                (P, nan, 1.0),
                (P, 0.5, nan),
                (W, nan, 1.0),
                (tensor("f32", [nan, 3.0]), 0.0, 1.0),
            ],
        },
    )


def refusals(s):
    zero, one = tensor("i64", [0] * 5), tensor("f32", 1.0)
    table(
        s,
        {
            "isin.Tensor_Tensor": [(BW, BW), (W, BW), (BW, W)],
            "isin.Tensor_Scalar": [(BW, 1)],
            "isin.Scalar_Tensor": [(1, BW)],
            "trapz.dx": [BW, BW[:0], tensor("i16", [20000, 20000, 20000, -7])],
            "trapz.x": [(BW, BW), (FW, BW), (FM[:, :0], FW[:0])],
            "trapezoid.dx": [(tensor("i16", [3, 5, -7]), 3), (FM, 0.5, 0)],
            "cumulative_trapezoid.dx": [BW, (FM, 0.5)],
            "cumulative_trapezoid.x": [(FW, BW), (FM, FW)],
            "unique_dim": [(HOLE, 2), (HOLE[:, :, None], 0), (FM[:0], 0), (FM[:0], 1), (one, 0)],
            "unique_consecutive": [
                (FM[:0], True, True, 1),
                (FM[:0], True, True, 0),
                (one, False, False, 0),
            ],
            "scatter.src": [(V, 0, zero, one), (V, 0, zero[:1], one), (one, 0, zero[:2], V)],
            "scatter_add": [(V, 0, zero, one)],
            "index_fill.int_Scalar": [(V, 0, zero.int(), 1), (V, 0, zero[:2], 1)],
            "index_fill.int_Tensor": [(V, 0, zero.int(), one)],
            "index_copy": [(V, 0, zero.int(), V)],
            "index_add": [(V, 0, zero.int(), V)],
            "cross_entropy_loss": [
                (F, tensor("i64", [0, 1, 2]), None, 1, -100, n) for n in (3.0, -1.0, 0.25)
            ],
            "alpha_dropout": [(F, p, False) for p in (2.0, -1.0, nan)],
            "alpha_dropout_": [(F.clone(), 2.0, False)],
            "feature_alpha_dropout_": [(F.clone(), nan, False)],
            "rrelu": [(F, 0.5, 0.25), (F, nan, 0.25)],
            "native_dropout": [(F[:0], 3.0, False), (F[:0], 3.0, True), (F, 3.0, False)],
            "randint": [(1, [2], 11), (3, [0], 11)],
            "randint.low": [
                (low, low + 1, [1], d) for low, d in ((0, 11), (1, 11), (2, 11), (-1, 0), (255, 0))
            ]
            + [(low, low + 1, [1], d) for low, d in ((-129, 1), (65504, 5), (65505, 5))],
            **{
                f"{name}_": [(F[:0].clone(), 0.0, nan), (F[:0].clone(), 0.0, -1.0)]
                for name in ("normal", "log_normal")
            },
            "exponential_": [(F[:0].clone(), nan)],
            "normal.float_float": [(0.0, nan, [0]), (0.0, -1.0, [0]), (2.0, 0.0, [1])],
            "normal.Tensor_float": [(F[:0], nan), (F[:0], -1.0), (F[0], 0.0)],
            "randperm": [0, 1, (1, None), (1, 6)],
            "isclose": [(F, F, 1e-5, nan), (F, F, nan), (I, I, 1e-5, nan)],
            "bilinear": [(F, F, numbers("f32", [2, 4, 4]), b) for b in (V[:1], V[:3])]
            + [(F[:1], F, numbers("f32", [2, 4, 4]))],
            "cumsum_": [(W.clone(), 0, 7), (FW.clone(), 0, 7), (W.clone(), 0, 4)],
            "cumprod_": [(FW.clone(), 0, 7), (W.clone(), 0)],
            "linalg_vector_norm": [(F.double(), 2, None, False, 6), (F, 2, None, False, 7), I],
            "linalg_inv": [SINGULAR, TINY],
            "corrcoef": [F[:1], F[:1, :1]],
            "cov": [F[:1]],
            "sum_to_size": [(tensor("bool", True), []), (BW, []), (BW, [2])],
            "adaptive_max_pool2d": [
                (numbers("f32", [2, 0, 1, 3]), [1, 1]),
                (numbers("f32", [0, 1, 1, 3]), [1, 1]),
            ],
            "prelu": [(F, V[:4][None]), (F, V[:1][None]), (F, one)],
            "binary_cross_entropy_with_logits": [
                (FW, W.byte()),
                (FW, FW, None, FM[None]),
                (FW, FW, FM[None]),
                (FW, W),
            ],
            "special_zeta": [(tensor("f32", [nan, nan, 0.5]), tensor("f32", [-2.0, -2.5, -2.0]))],
            "_native_multi_head_attention": [
                (q, q, q, e, 2, w, b, numbers("f32", [4, 4]), V[:4])
                for q in [numbers("f32", [2, 3, 4])]
                for e, w, b in (
                    (6, numbers("f32", [12, 4]), V[:4].repeat(3)),
                    (4, numbers("f32", [18, 4]), V[:4].repeat(3)),
                    (4, numbers("f32", [12, 4]), V[:3].repeat(6)),
                )
            ],
        },
        arrow="~>",
    )
    close = bound_text(2.0**-22)
    table(
        s,
        {name + "_window": [2, 5, (5, 7)] for name in ("hann", "hamming", "blackman", "bartlett")},
        arrow=close,
    )
    table(
        s,
        {
            name + "_window.periodic": [(4, False), (5, False, 7), (1, False)]
            for name in ("hann", "hamming", "blackman", "bartlett")
        },
        arrow=close,
    )


def corrections(s):
    """What campaigns of PyTorch's eager mode against ours found ours to do otherwise."""
    inf = float("inf")
    half, wide = tensor("f16", 1.5), tensor("f32", [[inf, 1.0], [2.0, 3.0]])
    table(
        s,
        {
            "gcd": [
                (tensor(d, [-128, 12, -128, -128]), tensor(d, [3, -128, -128, 0]))
                for d in ("i8", "i32")
            ]
            + [(tensor("i32", [-(2**31), 124]), tensor("i32", [3, -(2**31)]))],
            "lcm": [
                (tensor("i8", [109, -128, 3]), tensor("i8", [2, -1, 0])),
                (tensor("i16", [30000]), tensor("i16", [7])),
                (tensor("i32", [2**30 + 1]), tensor("i32", [7])),
                (tensor("u8", [109, 200]), tensor("u8", [4, 3])),
            ],
            "xlogy.Scalar_Other": [(half, 2)],
            "xlogy.Scalar_Self": [(2, half)],
            "xlogy.Tensor": [(half, tensor("i32", 8)), (half[None], tensor("i32", [8]))],
            "special_xlog1py.other_scalar": [(half, 2)],
            "special_xlog1py.self_scalar": [(2, half)],
            "cosine_similarity": [
                (tensor("bf16", [[1.0, 2.0]]), tensor("i64", [[1, 0]])),
                (I, I),
                (BM, BM),
            ],
            "isclose": [(BM, BW, 1.0, 0.0), (BW, BM, inf, 0.5)],
            "nanmean": [(F, None, False, 4), (I, None, False, 6)],
            "bincount": [(W[:0], FW[:0], 2), (W[:0], FW[:0].double(), 2), (W[:0], None, 2)],
            "diff": [(F, n, -1, HOLE) for n in (0, 1)] + [(F, 1, 0, F[:1, :1]), (F, 0, 0, F[:1])],
            "median": [W[:0]],
            "multi_margin_loss": [
                (tensor("f32", [[nan, 1.0, nan]]), tensor("i64", [1])),
                (tensor("f32", [[inf, 1.0, inf]]), tensor("i64", [0])),
            ],
            "norm_except_dim": [(HOLE, 2, 1), (HOLE, 2, 0)],
            "bilinear": [
                (FM[:, :0], FM, numbers("f32", [3, 0, 2])),
                (FM, FM[:, :0], numbers("f32", [3, 2, 0])),
            ],
            "unique_consecutive": [
                (tensor("f32", [[1.0, 1.0, 2.0]]), False, False, 1),
                (tensor("f32", [1.0, 1.0, 2.0]), False, False, 0),
                (tensor("f32", [1.0, 1.0, 2.0]), True, False, 0),
            ],
            "conv3d": [
                (numbers("f32", [1, 2, 2, 2, 2]), numbers("f32", [3, 2, 1, 1, 1]), b)
                for b in (V[:1], V[:3])
            ],
            "col2im": [(numbers("f32", [5, 0, 9]), [3, 3], [1, 1], [1, 1], [0, 0], [1, 1])],
            "max_pool2d_with_indices": [(numbers("f32", [1, 0, 1, 4]), [1, 1])],
            "max_unpool2d": [
                (numbers("f32", [2, 0, 1, 1]), tensor("i64", [], [2, 0, 1, 1]), [1, 1])
            ],
            "upsample_nearest3d.vec": [
                (numbers("f32", sizes), [2, 2, 2], None)
                for sizes in ([1, 0, 3, 3, 3], [0, 1, 3, 3, 3])
            ],
            "cross_entropy_loss": [
                (F, F, w, 1, i, 0.0) for w, i in ((None, 1), (None, -100), (V[:1], -100))
            ],
            "linalg_matrix_power": [(wide, n) for n in (0, 1, 2)],
            "logcumsumexp": [(FW, 1), (FW[:0], 1)],
            "special_zeta": [(tensor("f32", [2.5, 3.0, 2.5]), tensor("f32", [-1.0, -inf, -0.5]))],
        },
        arrow="~>",
    )
    close = bound_text(2.0**-22)
    table(
        s,
        {
            "_upsample_bilinear2d_aa.vec": [
                (
                    tensor("f32", [[[[1.0, nan, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]]]),
                    [2, n],
                    False,
                    None,
                )
                for n in (2, 4)
            ]
        },
        arrow=close,
    )


def turned_down(s):
    """What campaigns of PyTorch's eager mode against ours found ours to take, or to distinguish."""
    none, batch, wide = numbers("f32", [0, 0]), numbers("f32", [0, 2, 2]), numbers("f32", [2, 3])
    bits = [tensor(d, [[1, 1], [0, 1]]) for d in ("bool", "f16", "bf16", "i32", "u8")]
    plane = numbers("f32", [1, 4, 4])
    share, place = numbers("f32", [1, 2, 2]), tensor("i64", [0, 2, 8, 10], [1, 2, 2])
    planes = [(share, plane), (share[None], plane[None]), (share[0], plane[0])]
    zeros = tensor("f32", [[0.0, 1.0], [0.0, 1.0]])
    table(
        s,
        {
            "linalg_cond.p_str": [
                (m, p)
                for m in (FM, none, batch, wide, wide[:0], V, none.int())
                for p in ("none", "fro")
            ],
            "linalg_cond": [
                (m, p) for m in (wide, none, batch, wide[:0], V, M) for p in (1, -1, inf, 3, 0)
            ]
            + [(none, None), (none, -2), (FM, 1.5), (V, None)],
            "linalg_vander": [x[0] for x in bits[:3]] + [bits[0][0, :0]] + [x[0] for x in bits[3:]],
            "linalg_lu_factor": bits + [SINGULAR, none.int(), V],
            "linalg_lu": [x for x in bits if x.dtype.is_floating_point],
            "linalg_matrix_exp": [bits[0], bits[3], bits[4], bits[0][:0, :0], none.int()],
            "matrix_exp": [bits[0], none.int()],
            "linalg_matrix_rank": [
                (x, 0.5, h) for x in (*bits, none.int(), V) for h in (True, False)
            ],
            "linalg_matrix_rank.atol_rtol_tensor": [(none.int(),), (none,)],
            "linalg_matrix_rank.atol_rtol_float": [(none.int(),), (none,)],
            "linalg_householder_product": [(x, x[0]) for x in bits]
            + [(wide, FW), (wide.t(), V[:3]), (FM[None], FW), (FM, FW.double()), (V, V)],
            "orgqr": [(bits[0], bits[0][0]), (wide, FW)],
            "_lu_with_info": [
                tensor("f32", [[0.0]]),
                tensor("f32", [[0.0]], [1, 1, 1]),
                zeros,
                FM,
                (FM, False),
                none,
            ],
            "max_pool2d_with_indices_backward": [
                (g, x, k, [2, 2], [0, 0], [1, 1], False, place.reshape(g.shape))
                for g, x in planes
                for k in ([2, 2], [2], [0], [2, 0], [-1])
            ]
            + [(share[:, :0], plane[:0], [2], [2], [0], [1], False, place[:0])],
            "constant_pad_nd": [
                (numbers("f32", sizes), pads)
                for sizes in ([0, 2], [2, 2], [0])
                for pads in ([0, 0, 1, -1], [1, -3], [-3, 3], [1, -2])
            ],
        },
        arrow="~>",
    )
    small, large = tensor("i16", [256, 257, 0, 1]), tensor("i64", 65536)
    tiny = tensor("f64", 1e-300)
    table(
        s,
        {
            f"logical_{name}": [
                (small, large),
                (large, small),
                (FW, tiny),
                (FW.half(), tiny),
                (small, tiny),
                (BW, large),
                (FW * tensor("f32", [nan, 0.0]), HOLE.flatten()[:1].sum()),
            ]
            for name in ("and", "or", "xor")
        },
    )
    table(
        s,
        {
            f"logical_{name}_": [(small.clone(), large), (small.clone(), tiny)]
            for name in ("and", "or", "xor")
        },
    )


def at_the_ends(s):
    """Large and small numbers, no elements, one element, and second dtypes, as those campaigns
    found ours to differ there."""
    large = [tensor(d, [1.0, -3e4, 3e4, 300.0, -inf, nan]) for d in ("f16", "f32", "f64")] + [
        tensor("f64", [1e9, -1e10, 1e160, 1e308])
    ]
    plane, cube, no_channel = (
        numbers("f32", [1, 1, 3, 3]),
        numbers("f32", [1, 1, 2, 3, 3]),
        numbers("f32", [1, 0, 3, 3]),
    )
    one, none, odd = tensor("f32", 1.5), numbers("f32", [0]), numbers("f32", [2, 0])
    close, whole = tensor("i64", [16777216, 16777217, -5]), tensor("i64", [16777217, 16777216, 3])
    shares, classes = tensor("f32", [0.25, 0.75]), tensor("i64", [0, 1])
    table(
        s,
        {
            **dict.fromkeys(("asinh", "acosh"), large),
            "atanh": [tensor(d, [0.5, -0.999, 1e-5, 1.0]) for d in ("f16", "f32", "f64")],
            **{
                f"special_{scaled}modified_bessel_k{n}": [
                    tensor("f32", [1e-8, 1e-30, 1.0, 0.0]),
                    tensor("f64", [1e-30, 1.0, 2.0**-24, 2.0**-27]),
                ]
                for scaled in ("", "scaled_")
                for n in (0, 1)
            },
            "soft_margin_loss": [
                (tensor("f64", [0.25, -800.0, 0.5]), tensor("f64", [1.0, 1.0, -1.0]), n)
                for n in range(3)
            ],
            "native_dropout_backward": [(FW, BW, 2.0), (FW.double(), BW, 0.1), (W, BW, 2.0)],
            "linalg_vector_norm": [
                (tensor("f32", [[-1e30]]), p, d) for p in (0.5, 1) for d in (None, [0], [1])
            ],
            "cov": [(FM, c) for c in (0, 1, 2)]
            + [
                (FM, 0, W),
                (FM, 1, W, FW),
                (FM, 0, -W),
                (FM, 0, None, -FW),
                (FM, 0, FW),
                (FM, 0, None, W),
                (FM, 0, W[:1]),
                (FM, 0, M),
            ],
        },
        arrow="~>",
    )
    table(
        s,
        {
            "isclose": [
                (close, whole, r, a) for r, a in ((0.0, 0.0), (1e-8, 0.0), (0.0, 1.0), (0.5, 0.5))
            ]
            + [
                (tensor("f32", [inf, -inf, inf, 1.0]), tensor("f32", [inf, inf, 1.0, inf]), r, inf)
                for r in (0.0, 1.0)
            ],
            "cdist": [(tensor("f32", [[nan, 1.0]]), FM, 0.0)],
            "var.correction": [
                (x, d, c)
                for x in (none, odd, FW, FW[:1])
                for d in ([0], [-1])
                for c in (-1, 0, 1, 3)
            ],
            "std.correction": [(none, [0], -1), (odd, [1], -2), (odd, None, -2)],
            "var_mean.correction": [(none, [0], -1)],
            "l1_loss": [(W, W[:1], n) for n in range(5)]
            + [(BYTES, BYTES, 2), (W, FW, 2), (BW, BW, 2)],
            "binary_cross_entropy": [
                (shares, shares.double()),
                (shares.double(), shares),
                (shares, classes),
                (shares, shares, shares.double()),
                (shares, shares, shares, 0),
            ],
            "huber_loss": [(FW, FW.double() * 3, n, 2.5) for n in range(3)]
            + [(FW.double(), FW * 3)],
            "kl_div": [
                (FW, W),
                (FW, BW),
                (W, FW),
                (FW, tensor("bf16", 4.0)),
                (FW, tensor("f64", [0.5, 0.0]), 2, True),
                (FW, tensor("f64", [0.5, 0.0])),
            ],
            "multi_margin_loss": [(FM, classes, 1, 1.0, FW.double()), (FM, classes, 1, 1.0, FW)]
            + [
                (tensor("f32", [[inf, 0.0], [3e38, inf]]), classes, p, 4.0, w)
                for p in (1, 2)
                for w in (None, tensor("f32", [1.0, inf]), tensor("f32", [-1e30, 0.0]))
            ],
            "grid_sampler": [
                (plane[:, :, :0], numbers("f32", [1, 2, 3, 2]), 0, 0, False),
                (plane[:, :0], numbers("f32", [1, 2, 3, 2]), 0, 0, False),
            ],
            "bucketize.Scalar": [
                (v, tensor("i8", [-5, -1, -1, 0]), False, r)
                for v in (-0.75, 0, 2.5)
                for r in (False, True)
            ]
            + [(0.1, tensor(d, [0.1]), False, r) for d in ("f32", "f64") for r in (False, True)],
            "mode": [(one, 1), (one, -2), (one, 0)],
            "cummax": [(one, 1), (FM, 2), (none, 1)],
            "cumprod": [(one, 1), (FM, -3), (none, 1)],
            "renorm": [(FM, 2, 3, 1.0), (FM, 2, -1, 1.0)],
            "polygamma": [(1, tensor("f64", inf))]
            + [(n, tensor("f64", [9.5, 30.5, 0.75])) for n in (2, 4)],
            "special_zeta": [
                (tensor("f64", [3.0, 5.0, 20.0, 1.5]), tensor("f64", [9.5, 9.5, 10.5, 30.0]))
            ],
            "special_gammainc": [(tensor("f64", [nan, 1.0, nan]), tensor("f64", [0.0, nan, 1.0]))],
            "special_gammaincc": [(tensor("f64", [nan, 1.0, nan]), tensor("f64", [0.0, nan, 1.0]))],
            "pdist": [
                (tensor("f64", [[-6.5], [0.5], [1.25]]), p) for p in (0.6, 0.0, 1.0, 2.0, inf)
            ],
            "linear": [(x, FW, *b) for x in (FM, FW) for b in ((), (one,))],
            "cross_entropy_loss": [
                (FM, M),
                (FM, FM, FM),
                (FM, FM.half()),
                (FM, classes, FM),
                (FM, classes, FW.double()),
                (FM, classes, FW),
            ],
            "conv3d": [(cube, cube, one.reshape([1])), (cube, cube, one)],
            "linalg_vander": [(one,), (one, 2), (one, 0)],
            "lu_unpack": [(FM, p) for p in (tensor("i32", [2, 2]), tensor("i64", [2, 2]), FW)],
            "pixel_unshuffle": [
                (no_channel, 3),
                (no_channel[:0], 2),
                (no_channel, 0),
                (plane[:0], 3),
            ],
            "index_add": [(W, 0, classes, W * 5, a) for a in (0.5, 1.5, -2.5, 2)]
            + [
                (BW, 0, classes, BW, 0.5),
                (FW, 0, classes[:1], one),
                (one, 0, classes[:1], one),
                (one, 0, classes, FW),
                (one, 0, classes[:1], FM),
            ],
            "index_copy": [
                (FW, 0, classes[1:], one),
                (FW, 0, classes, one),
                (FM[:1, :1], 0, classes[:1], one),
                (one, 0, classes[:1], one),
                (one, 0, classes, FW),
                (one, 0, classes[:1], FW[:1]),
                (one, 0, classes[:0], FW[:0]),
            ],
            "index_fill.int_Scalar": [
                (one, 0, i, 2) for i in (classes[:1], classes[:0], classes * 0, classes)
            ]
            + [(one, 1, classes[:1], 2)],
            "avg_pool1d": [(tensor("i64", [2**60 + 7, 2**60 + 9, -3, -4], [1, 1, 4]), [2])],
            "_softmax_backward_data": [
                (g, y, 0, d)
                for g, y in ((FW, FW), (FW, FW.double()), (W, W), (FW, FM))
                for d in (6, 5, 4)
            ],
            "_log_softmax_backward_data": [
                (g, y, 0, d) for g, y in ((FW, FW), (FW, FW.double()), (W, W)) for d in (6, 5, 4)
            ],
            "linspace": [
                (a, b, n, d)
                for a, b in ((0, 1e6), (-1e6, 0), (0, 300))
                for n in (0, 1, 3)
                for d in (1, 5, 0)
            ],
            "logspace": [(a, b, n, 10.0, 5) for a, b in ((0, 1e6), (-1e6, 0)) for n in (0, 1, 3)],
            "logcumsumexp": [(FM, 2), (FM, -3), (one, 1), (one, 0)],
            "upsample_nearest2d": [(no_channel, [2, 2])],
            "upsample_bilinear2d": [(no_channel, [2, 2], False)],
            "upsample_bicubic2d": [(no_channel, [2, 2], True)],
            "grid_sampler_2d": [
                (cube, numbers("f32", [1, 2, 3, 3, 3]), 0, 0, False),
                (plane, numbers("f32", [1, 2, 3, 2]), 0, 0, False),
            ],
            "grid_sampler_3d": [(plane, numbers("f32", [1, 2, 3, 2]), 0, 0, False)],
            "as_strided_scatter": [(V, x, [2, 2], [1, 2]) for x in (FM, FM[:1], FW, FM[None])]
            + [(V, FW, [2], [2], 1)],
            "linalg_norm": [
                (x, p, d) for x in (FM, odd, odd.t()) for p in (0.5, 3, 0) for d in (None, [0, 1])
            ]
            + [(odd.t(), -3, [0]), (odd, -3, [0])],
            "fractional_max_pool3d": [
                (
                    tensor("f32", x * 16, [1, 1, 4, 4, 4]),
                    [2, 2, 2],
                    [1, 2, 1],
                    shares[:1].repeat(3).reshape([1, 1, 3]),
                )
                for x in ([nan] * 4, [0] * 4, [-inf] * 4, [nan, 2, 3, 5], [5, 2, nan, 5])
            ],
            "lcm": [
                (tensor("i8", [1, 2, -3]), n)
                for n in (
                    tensor("u8", 249),
                    tensor("i32", 249),
                    tensor("u8", [249, 6, 4]),
                    tensor("i32", [249, 1000, 7]),
                )
            ]
            + [(BYTES, tensor("i8", -3)), (tensor("i32", 249), tensor("i8", [1, 2]))],
            "fractional_max_pool2d": [
                (tensor("f32", x * 4, [1, 1, 4, 4]), [2, 3], [1, 2], shares.reshape([1, 1, 2]))
                for x in ([nan] * 4, [0] * 4, [nan, 2, 3, 5], [5, 2, nan, 5])
            ],
            "linalg_matrix_norm": [(x, p) for x in (FM, odd) for p in (0.5, 3)],
            "linalg_vector_norm": [
                (x, p, d) for x in (odd, none) for p in (-0.5, -3) for d in (None, [0], [-1], [])
            ],
            "gradient.scalarint": [
                (x, s, d, e)
                for x in (one, V, BYTES, W)
                for s, d in ((None, None), (2, 0))
                for e in (0, 1, 2, 3)
            ]
            + [(W.byte(), 1.0, None, 1), (W.char(), 1.0, None, 1)],
            "gradient.scalararray": [
                (x, 2, d, e)
                for x in (V, FM, W)
                for d in ([], [0], [0, 0], [0, -2])
                for e in (0, 1, 3)
            ],
            "gradient.array": [(FM, d, e) for d in ([], [0, 1], [1, 1]) for e in (0, 1)]
            + [(M.byte(), [0]), (M.int(), [0])],
            "gradient.tensorarrayint": [(x, [V], 0, e) for x in (V, BYTES) for e in (0, 1)]
            + [(x, [FW], None, 1) for x in (W.byte(), W.char())],
            "gradient.tensorarray": [(V, [p.bool()], [0], 1) for p in (V, W)]
            + [(W.float(), [W[:1].repeat(2)], [0], 1)]
            + [(x, [], [], e) for x in (V, one) for e in (0, 1)]
            + [(V, [V], [0], 2)],
            "max_pool2d_with_indices_backward": [
                (plane, plane, [2, 2], [1, 1], [0, 0], [1, 1], False, plane.long()),
                (
                    plane[..., :2, :2],
                    plane.double(),
                    [2, 2],
                    [1, 1],
                    [0, 0],
                    [1, 1],
                    False,
                    plane.long()[..., :2, :2],
                ),
            ],
        },
        arrow="~>",
    )


FAMILIES = [alphas_and_betas, refusals, corrections, turned_down, at_the_ends]
