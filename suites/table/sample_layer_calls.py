"""Calls of layers, losses and decompositions that are written in the language: a table of arguments
for each."""

import torch
from sample_scripted_calls import (
    CUBE,
    ZERO,
    F,
    I,
    P,
    V,
    table,
)
from sample_text import CODES, bound_text, inf, numbers, tensor, whole


def scripted_lines(s):
    codes = [CODES["f64"], CODES["i64"], CODES["f16"], CODES["bool"]]
    table(
        s,
        {
            "eye": [3, 0, -1] + [(2, c) for c in codes],
            "eye.m": [(2, 3), (3, 2, CODES["i32"]), (-1, 2)],
            "tril_indices": [(3, 3), (2, 4, 1), (3, 2, -1, CODES["i32"]), (0, 2), (-1, 2)],
            "triu_indices": [(3, 3), (2, 4, 1), (3, 2, -1, CODES["i32"])],
            "range": [(0, 3), (1, 2.5)],
            "range.step": [(0, 2, 0.5), (3, 0, -1), (0, 3, -1), (0, 3, 0)],
        },
    )
    table(
        s,
        {
            "linspace": [
                (0, 1, 5),
                (-1.5, 2.0, 7),
                (3, 1, 4),
                (0, 1, 1),
                (0, 1, 0),
                (0, 1, -1),
                (0.0, 2.0, 4, CODES["f64"]),
            ],
            "logspace": [(0, 2, 3), (-1.0, 1.0, 5, 2.0), (0, 1, 1)],
            "hann_window": [5, 1, 0, -1],
            "hann_window.periodic": [(5, False), (4, True, CODES["f64"])],
            "hamming_window": [5, 0],
            "hamming_window.periodic": [(5, False)],
            "blackman_window.periodic": [(6, True, CODES["f64"])],
            "bartlett_window": [5, 1],
            "bartlett_window.periodic": [(5, False), (5, False, CODES["i64"])],
        },
        arrow="~0x1p-22>",
    )
    table(s, {"blackman_window": [5, 1]}, arrow="~0x1p-20>")


def scripted_layers(s):
    box, solid = numbers("f32", [1, 2, 4, 4, 5]), numbers("f32", [4, 2, 2, 2, 2], 0.5)
    line, plane = numbers("f32", [1, 2, 5]), numbers("f32", [1, 2, 4, 5])
    thin, wide = numbers("f32", [2, 2, 3], 0.5), numbers("f32", [2, 3, 2, 3], 0.5)
    deep, places = numbers("f32", [2, 2, 2, 2, 3], 0.5), tensor("i64", [[[[0, 3], [9, 14]]] * 2])
    theta = tensor("f32", [[[0.5, 0.25, 0.125], [-0.25, 1.0, -0.5]]])
    shape = [2, 3, 4]
    log_probs = (whole("f32", [6, 2, 4]) / 8).log_softmax(2)
    labels, long, short = (
        tensor("i64", [[1, 2, 2], [3, 1, 0]]),
        tensor("i64", [6, 5]),
        tensor("i64", [3, 2]),
    )
    table(
        s,
        {
            "max_pool3d": [
                (box, [2, 2, 2]),
                (box, [2], [1], [1], [1], True),
                (box[0], [3, 2, 2], [1, 2, 1], [1, 0, 1]),
                (V, [2]),
            ],
            "max_pool1d_with_indices": [(line, [2]), (line, [3], [1], [1], [2], True), (V, [2])],
            "max_pool2d_with_indices": [
                (plane, [2, 2]),
                (plane, [3], [2], [1], [1], True),
                (plane[0] * 0, [2]),
                (plane, [2], [2], [3]),
            ],
            "max_pool3d_with_indices": [(box, [2]), (box, [2], [1], [1])],
            "adaptive_max_pool1d": [(line, [3]), (line, [5]), (line, [7]), (V, [2])],
            "adaptive_max_pool2d": [(plane, [2, 3]), (plane, [4, 5]), (plane, [3, 2])],
            "adaptive_max_pool3d": [(box, [2, 2, 3])],
            "max_unpool2d": [
                (numbers("f32", [1, 2, 2, 2]), places, [4, 4]),
                (numbers("f32", [1, 2, 2, 2]), places, [2, 2]),
                (V, places, [4, 4]),
            ],
            "max_unpool3d": [
                (
                    box[:, :, :1, :1, :2].contiguous(),
                    tensor("i64", [0, 7, 5, 3], [1, 2, 1, 1, 2]),
                    [2, 2, 2],
                    [2, 2, 2],
                    [0, 0, 0],
                )
            ],
            "upsample_nearest1d.vec": [
                (line, [8], None),
                (line, None, [1.5]),
                (line, None, None),
                (V, [3], None),
            ],
            "upsample_nearest2d.vec": [(plane, [3, 8], None), (plane, None, [2.0, 0.5])],
            "upsample_nearest3d.vec": [(box, None, [2.0, 1.0, 0.5])],
            "_upsample_nearest_exact1d.vec": [
                (line, [8], None),
                (line, None, [1.5]),
                (line, None, None),
                (V, [3], None),
            ],
            "_upsample_nearest_exact2d.vec": [(plane, [3, 8], None), (plane, None, [2.0, 0.5])],
            "_upsample_nearest_exact3d.vec": [(box, None, [2.0, 1.0, 0.5])],
            "pad_sequence": [([V, V[:1]],), ([V, V[:1]], True, 2.0), ([],)],
            "_pack_padded_sequence": [
                (plane[0, 0], tensor("i64", [4, 2, 2, 1, 1]), False),
                (line[0], tensor("i64", [5, 2]), True),
                (line[0], tensor("i64", [2, 5]), True),
            ],
            "_pad_packed_sequence": [
                (tensor("f32", [1.0, 2.0, 3.0]), tensor("i64", [2, 1]), False, 0.5, 3),
                (tensor("f32", [1.0, 2.0, 3.0]), tensor("i64", [2, 1]), False, 0.5, 1),
                (tensor("i64", [[1, 2], [3, 4], [5, 6]]), tensor("i64", [2, 1]), True, 7, 0),
                (tensor("i64", [[1, 2], [3, 4], [5, 6]]), tensor("i64", [2, 1]), False, 7, 0),
            ],
        },
    )
    table(
        s,
        {
            "conv3d": [
                (box, solid),
                (box, solid, P[:4], [2, 1, 2], [1, 0, 1], [1, 2, 1]),
                (box[0], solid),
                (box, solid[:, :1], None, [1], [0], [1], 2),
                (plane, solid),
                (box, solid, V),
            ],
            "conv3d.padding": [
                (box, solid, None, [1, 1, 1], "same"),
                (box, solid, P[:4], [2, 2, 2], "valid"),
                (box, solid, None, [2, 2, 2], "same"),
            ],
            "conv_transpose1d": [
                (line, thin),
                (line, thin, P[:2], [2], [1], [1]),
                (line[0], thin),
                (line, thin, None, [1], [0], [0], 2),
                (line, thin, None, [2], [0], [2]),
                (plane, thin),
            ],
            "conv_transpose2d.input": [
                (plane, wide),
                (plane, wide, P[:3], [2, 1], [1, 0], [1, 0], 1, [1, 2]),
                (plane[0], wide),
            ],
            "conv_transpose3d.input": [
                (box, deep),
                (box, deep, None, [2, 1, 1], [1, 0, 1], [1, 0, 0]),
                (plane, deep),
            ],
            "col2im": [
                (numbers("f32", [1, 8, 12]), [4, 5], [2, 2], [1, 1], [0, 0], [1, 1]),
                (numbers("f32", [8, 4]), [4, 4], [2, 2], [1, 1], [0, 0], [2, 2]),
                (numbers("f32", [8, 5]), [4, 4], [2, 2], [1, 1], [0, 0], [2, 2]),
            ],
            "avg_pool3d": [
                (box, [2, 2, 2]),
                (box, [2], [1], [1], True, False),
                (box[0], [3, 2, 2], [1, 2, 1], [1, 0, 1], False, True, 5),
                (V, [2]),
            ],
            "adaptive_avg_pool3d": [(box, [2, 3, 1]), (box[0], [4, 2, 5]), (V, [1, 1, 1])],
            "_upsample_bilinear2d_aa.vec": [
                (plane, [3, 8], False, None),
                (plane, [2, 2], True, None),
                (plane, None, False, [0.5, 0.4]),
            ],
            "_upsample_bicubic2d_aa.vec": [
                (plane, [6, 7], False, None),
                (plane, [2, 2], False, None),
            ],
            "upsample_linear1d.vec": [(line, [8], False, None), (line, None, True, [1.5])],
            "upsample_bilinear2d.vec": [
                (plane, [3, 8], False, None),
                (plane, None, True, [2.0, 0.5]),
            ],
            "upsample_trilinear3d.vec": [(box, [2, 3, 4], False, None)],
            "upsample_bicubic2d.vec": [
                (plane, [6, 7], False, None),
                (plane, [6, 7], True, None),
                (plane, None, False, [1.5, 2.0]),
            ],
            "grid_sampler": [
                (plane, numbers("f32", [1, 2, 3, 2], 0.15, -1.3), mode, pad, corners)
                for mode in (0, 1)
                for pad in (0, 1, 2)
                for corners in (False, True)
            ]
            + [(box, numbers("f32", [1, 1, 2, 2, 3], 0.1, -0.9), 0, 0, False), (V, V, 0, 0, False)],
            "affine_grid_generator": [
                (theta, [1, 2] + shape[:2], False),
                (theta, [1, 2] + shape[:2], True),
                (numbers("f32", [1, 3, 4]), [1, 1] + shape, False),
                (theta, [2, 2, 3, 4], False),
            ],
            "_convolution": [
                (
                    plane,
                    wide,
                    None,
                    [2, 1],
                    [0, 0],
                    [1, 1],
                    True,
                    [1, 0],
                    1,
                    False,
                    False,
                    False,
                    False,
                ),
                (
                    box,
                    solid,
                    None,
                    [1, 1, 1],
                    [0, 0, 0],
                    [1, 1, 1],
                    False,
                    [0, 0, 0],
                    1,
                    False,
                    False,
                    False,
                    False,
                ),
            ],
            "ctc_loss.Tensor": [(log_probs, labels, long, short, 0, kind) for kind in (0, 1, 2)]
            + [
                (log_probs, labels.reshape(-1)[:5], long, short),
                (log_probs, labels, tensor("i64", [2, 1]), short, 0, 0, True),
                (log_probs, labels, tensor("i64", [7, 1]), short),
                (log_probs, labels, long, tensor("i64", [0, 1]), 0, 0),
            ],
            "ctc_loss.IntList": [(log_probs, labels, [6, 5], [3, 2])],
        },
        arrow="~0x1p-18>",
    )


def scripted_losses(s):
    x, y, z = numbers("f32", [4, 3]), numbers("f32", [4, 3], 1, -3), numbers("f32", [4, 3], 2, 1)
    signs = tensor("f32", [1, -1, 1, -1, -1, 1, 1, 1, -1, -1, 1, -1], [4, 3])
    line = tensor("f32", [1, -1, -1, 1])
    counts = tensor("f32", [0, 1, 2, 3, 4, 5, 1, 1, 0, 2, 7, 1], [4, 3])
    classes = tensor("i64", [0, 2, 1, 1])
    table(
        s,
        {
            "poisson_nll_loss": [
                (x, counts, log, full, 1e-8, r)
                for log, full, r in ((True, False, 1), (True, True, 0), (True, True, 2))
            ],
            "margin_ranking_loss": [(x, y, signs), (x, y, signs, 0.5, 0), (x, y, signs, 0.5, 2)],
            "hinge_embedding_loss": [(x, signs), (x, signs, 0.5, 0), (x, signs, 2.0, 2)],
            "soft_margin_loss": [(x, signs), (x, signs, 2)],
            "triplet_margin_loss": [
                (x, y, z),
                (x, y, z, 0.5, 1.0, 1e-6, True, 0),
                (x, y, z, 2.0, 2.0, 1e-6, True, 2),
            ],
            "cosine_embedding_loss": [(x, y, line), (x, y, line, 0.25, 0), (x, y, line, -0.5, 2)],
            "multi_margin_loss": [
                (x, classes),
                (x, classes, 2, 0.5, tensor("f32", [1, 2, 0.5]), 0),
                (x, classes, 1, 2, None, 2),
            ],
            "bilinear": [
                (numbers("f32", [2, 3]), numbers("f32", [2, 4]), numbers("f32", [5, 3, 4])),
                (numbers("f32", [2, 3]), numbers("f32", [2, 4]), numbers("f32", [5, 3, 4]), V),
            ],
            "alpha_dropout": [(x, 0.5, False), (x, 0.0, True), (x, 1.0, True), (x, 1.5, False)],
            "alpha_dropout_": [(x, 0.5, False), (x, 1.0, True)],
            "feature_alpha_dropout": [(x, 0.5, False), (x, 1.0, True), (V, 0.5, True)],
            "feature_alpha_dropout_": [(x, 0.5, False)],
            "rrelu_": [(x, 0.25, 0.5, False)],
        },
        arrow="~>",
    )
    # Of log(1 + e): 4 ulp of e and one of 1 + e where e < 1, 4 ulp of 5 where it is large.
    close, far = (
        tensor("f32", [0.25, 1.5, 1.25, 3, 0.75, 1]),
        tensor("f32", [-2, -3.25, -5, -0.5, -4.75, -2.75]),
    )
    both = tensor("f32", [1, -1, 1, 1, -1, -1])
    table(s, {"soft_margin_loss": [(close * both, both, 0)]}, arrow="~0x1p-21>")
    table(s, {"soft_margin_loss": [(far * both, both, 0)]}, arrow="~0x1p-19>")


def decompositions(s):
    wide, tall = numbers("f64", [3, 4]), numbers("f64", [4, 3])
    full = tensor("f64", [[4.0, 1.0, -2.0], [1.0, 5.0, 0.5], [-2.0, 0.5, 6.0]])
    many = torch.stack([full, full * 2 + torch.eye(3, dtype=torch.float64)])
    flat, empty = tensor("f64", [[1.0, 2.0], [2.0, 4.0]]), tensor("f64", [], [0, 0])
    factor = full.tril()
    table(
        s,
        {
            "linalg_cholesky": [
                full,
                (full, True),
                many,
                (full + full.triu(1), True),
                full.float(),
                flat - 3,
                wide,
                I,
            ],
            "cholesky": [full, (full, True), flat - 3],
            "cholesky_solve": [
                (tall[:3], factor),
                (tall[:3], factor.t().contiguous(), True),
                (tall, factor),
            ],
            "cholesky_inverse": [factor, (factor.t().contiguous(), True)],
            "linalg_qr": [
                wide,
                tall,
                (tall, "complete"),
                (wide, "r"),
                many,
                tall.float(),
                flat,
                (tall, "all"),
                full.triu(),
            ],
            "qr": [tall, (tall, False), V],
            "linalg_solve": [
                (full, tall[:3]),
                (full, tall[:3, 0]),
                (many, full),
                (full, wide[:2, :3], False),
                (flat, flat),
                (full, tall),
                (full, tall[:3].float()),
                (wide, wide),
            ],
            "linalg_solve_triangular": [
                (full, tall[:3], True),
                (full, tall[:3], False),
                (full, wide[:2, :3], True, False),
                (full, tall[:3], True, True, True),
            ],
            "triangular_solve": [
                (tall[:3], full),
                (tall[:3], full, False),
                (tall[:3], full, True, True),
                (tall[:3], full, False, True, True),
            ],
            "linalg_slogdet": [full, many, -full, full.float(), wide],
            "slogdet": [full],
            "linalg_svdvals": [wide, tall, many, full.float(), V],
            "linalg_eigvalsh": [
                full,
                many,
                (full + full.triu(1), "U"),
                (full, "M"),
                full.float(),
                wide,
            ],
            "linalg_pinv": [(tall, 1e-15), (full, 0.5)],
            "linalg_pinv.atol_rtol_float": [wide, (full, None, 0.5)],
            "pinverse": [wide, tall],
            "linalg_multi_dot": [([wide, tall, wide],), ([wide],), ([V[:4].double(), tall],)],
            "linalg_vecdot": [(wide, wide + 1), (wide, wide, 0), (wide, tall)],
            "linalg_matrix_norm": [(wide, p) for p in (1, -1, 2, -2, inf, -inf, 3)]
            + [(CUBE.double(), p, [0, -1], True) for p in (1, 2, -inf)]
            + [(many, 1, [0, 2]), (many, -2, [2, 0])],
            "linalg_matrix_norm.str_ord": [
                wide,
                (wide, "nuc"),
                (CUBE.double(), "fro", [2, 0], True),
                (CUBE.double(), "nuc", [0, 1], True),
                (wide, "max"),
            ],
            "nuclear_norm": [wide, (wide, True), V],
            "nuclear_norm.dim": [(CUBE.double(), [0, 2]), (CUBE.double(), [1, 2], True)],
            "nuclear_norm.out": [(wide, False, tensor("f64", 0.0))],
            "nuclear_norm.dim_out": [(CUBE.double(), [0, 2], False, tensor("f64", [0.0] * 3))],
        },
        arrow=bound_text(2.0**-18),
    )
    table(
        s,
        {
            "as_strided": [
                (F, [2, 2], [1, 2]),
                (F, [3], [4], 1),
                (F, [2, 5], [0, 1], 3),
                (F, [], [], 7),
                (F, [13], [1]),
                (F, [2], [1, 1]),
                (F, [2], [-1]),
                (F, [1], [1], -1),
                (F, [0], [9]),
            ],
            "linalg_cholesky": [empty],
            "linalg_svdvals": [tensor("f64", [], [0, 3])],
            "embedding_renorm_": [(F.clone(), tensor("i64", [0, 2, 0]), 100.0, 2.0)],
            "detach_": [F.clone()],
            "feature_dropout_": [(CUBE.clone(), 0.5, False), (CUBE.clone(), 1.0, True)],
            "argsort.stable": [(I, True), (I, True, 0, True)],
            "scatter.reduce": [
                (F, 1, tensor("i64", [[0, 1], [1, 2], [3, 3]]), F[:, :2] + 1, "add"),
                (F[:2, :2], 0, tensor("i64", [[0, 0], [0, 1]]), F[:2, :2] + 1, "multiply"),
                (F, 0, I[:1, :1] * 0, F, "mean"),
            ],
            "scatter_.reduce": [
                (F.clone(), 1, tensor("i64", [[0, 0], [1, 2], [3, 3]]), F[:, :2] + 1, "add")
            ],
            "scatter.value_reduce": [
                (F, 0, tensor("i64", [[0, 2, 0, 2]]), 3, "add"),
                (F, 0, tensor("i64", [[0, 2, 0, 2]]), 0.5, "multiply"),
            ],
            "scatter_.value_reduce": [(F.clone(), 0, tensor("i64", [[0, 2, 0, 2]]), 3, "add")],
            "scatter_reduce_.two": [
                (F.clone(), 0, tensor("i64", [[0, 2, 0, 2]]), F[:1] + 1, "sum")
            ],
            "index_fill_.int_Tensor": [
                (F.clone(), 1, tensor("i64", [0, -1]), ZERO),
                (F.clone(), 1, tensor("i64", [0]), V),
            ],
            "round.decimals": [
                (tensor("f64", [1.2345, -2.675, 1550.0]), 2),
                (tensor("f64", [1.2345, -2675.5, 1550.0]), -2),
                (tensor("f32", [0.25, 0.75]), 1),
                (I, 1),
            ],
            "round_.decimals": [(tensor("f64", [1.2345, -2.675]), 2)],
        },
    )
    table(
        s,
        {
            "cumulative_trapezoid.x": [(F, V[:4]), (F, F * 2), (F, V[:3], 0)],
            "hamming_window.periodic_alpha": [(5, True, 0.5), (4, False, 0.25)],
            "hamming_window.periodic_alpha_beta": [(5, True, 0.5, 0.25), (5, True, 0.75, 0.25)],
            "embedding_renorm_": [
                (F.clone(), tensor("i64", [0, 2, 0]), 1.0, 2.0),
                (F.clone(), tensor("i64", [[1]]), 0.5, 1.0),
            ],
            "norm_except_dim": [F, (F, 2, 1), (CUBE, 1, 1), (CUBE, 2, -1), (CUBE, 2, 2), V],
            "_weight_norm": [(F, F[:, :1] + 1), (CUBE, CUBE[:1, :, :1], 1), (F, ZERO, -1)],
            "multilabel_margin_loss": [
                (F, tensor("i64", [[3, 0, -1, 1], [-1, 0, 1, 2], [0, 1, 2, 3]]), r)
                for r in (0, 1, 2)
            ]
            + [(F[0], tensor("i64", [1, 2, -1, 0]), 0), (F, I)],
        },
        arrow="~>",
    )


FAMILIES = [decompositions, scripted_losses, scripted_layers, scripted_lines]
