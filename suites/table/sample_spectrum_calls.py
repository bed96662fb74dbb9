"""Calls of Fourier transforms, reflections, counts, fractional pools and statistics of norms."""

import torch
from sample_added_calls import CLOSE, PAIR, SQUARE, TALL
from sample_scripted_calls import F, I, V, table
from sample_text import CODES, bound_text, inf, nan, numbers, tensor, whole

IMAGE = numbers("f64", [3, 4], 0.5)
FRAMES = numbers("f64", [5, 3, 2], 0.25)  # of windows of 8
NONE = tensor("f32", [], [0])
MIRRORED = tensor("f64", [0.5, 2.0, 3.0, 2.0, -1.5, 1.0, 3.0, 1.0, 0.25], [3, 3])
LINE = tensor("f32", [1.0, 2.0, 3.0, 4.0, 5.0, nan])
POSITIONS = tensor("i64", [2, 0, 4])


def spectra(s):
    for name in ("irfft", "hfft"):
        table(
            s,
            {
                "fft_" + name: [
                    V,
                    (V, 5),
                    (V, 3, 0),
                    (V, 9, -1, "ortho"),
                    (I, None, 0, "forward"),
                    (I, 2, 1, "backward"),
                    (V, 0),
                    (V, None, 1),
                    (V, None, 0, "other"),
                    tensor("f32", 1.0),
                    NONE,
                    tensor("f16", [1.0, 2.0, 3.0]),
                    tensor("bool", [1, 0, 1]),
                ],
                f"fft_{name}2": [
                    IMAGE,
                    (IMAGE, [2, 5]),
                    (IMAGE, None, [1, 0], "ortho"),
                    (IMAGE, [2]),
                    (IMAGE, None, [0, 0]),
                ],
                f"fft_{name}n": [
                    IMAGE,
                    (IMAGE, [2, 2]),
                    (IMAGE, [-1, 3]),
                    (IMAGE, [4], [0]),
                    (IMAGE, None, [0, 1], "forward"),
                    (IMAGE, [1, 1, 1]),
                    (IMAGE, None, [2]),
                ],
            },
            arrow=CLOSE,
        )
    window, long = tensor("f64", [0.5, 1.0, 2.0, 1.0, 0.5]), numbers("f64", [2, 11], 0.5)
    table(
        s,
        {
            "stft": [
                (long, 8),
                (long[0], 5, 2),
                (long, 8, 2, 5, window, True, False),
                (long, 12),
                (long, 8, 0),
                (I, 2),
            ],
            "stft.center": [
                (long, 8),
                (long[0], 5, 2, None, window, True, "constant"),
                (long, 6, 3, 4, None, False, "reflect", True),
                (long, 8, 2, 9),
            ],
        },
        arrow=CLOSE,
    )
    table(
        s,
        {
            "istft": [
                (FRAMES, 8),
                (FRAMES, 8, 3),
                (FRAMES, 8, 2, 5, window),
                (FRAMES, 8, 2, None, None, False),
                (FRAMES, 8, 2, None, None, True, True),
                (FRAMES, 8, 2, None, None, True, False, True, 10),
                (FRAMES, 5, 2, None, None, True, False, False),
                (FRAMES, 7),
                (FRAMES, 8, 9),
                (F, 8),
            ]
        },
        arrow=CLOSE,
    )


def reflections(s):
    table(
        s,
        {
            "geqrf": [
                SQUARE,
                PAIR,
                TALL,
                TALL.t().contiguous(),
                tensor("f64", [0.0] * 6, [3, 2]),
                tensor("f64", [-1.0, 0.0, 0.0, 2.0], [2, 2]),
                I,
                V,
            ],
            "ormqr": [
                (TALL, TALL[0], TALL),
                (TALL, TALL[0], TALL, True, True),
                (SQUARE, SQUARE[0], F, False),
                (SQUARE, SQUARE[0], F[:, :3].contiguous(), False),
                (PAIR, PAIR[:, 0], PAIR, False, True),
                (TALL, SQUARE[0], TALL),
            ],
            "linalg_ldl_factor": [
                SQUARE,
                PAIR,
                MIRRORED,
                MIRRORED.float(),
                tensor("f64", [0.0] * 4, [2, 2]),
                TALL,
            ],
            "linalg_ldl_factor_ex": [
                SQUARE,
                tensor("f64", [0.0] * 4, [2, 2]),
                tensor("f64", [0.0, 1.0, 1.0, 0.0], [2, 2]),
            ],
            "linalg_ldl_solve": [
                (MIRRORED, tensor("i32", [1, 2, 3]), MIRRORED),
                (MIRRORED, tensor("i32", [1, -3, -3]), TALL[:3]),
                (MIRRORED, tensor("i32", [-2, -2, 3]), TALL[:3]),
                (MIRRORED, tensor("i64", [1, 2, 3]), MIRRORED),
                (MIRRORED, tensor("i32", [1, 2, 3]), MIRRORED[0]),
            ],
            "linalg_lstsq": [
                (tall, right, None, driver)
                for tall, right in (
                    (SQUARE, SQUARE),
                    (TALL**2, TALL),
                    (TALL.t().contiguous() ** 2, PAIR[0]),
                    (PAIR, PAIR[:, 0]),
                )
                for driver in (None, "gels", "gelsd", "gelss")
            ]
            + [(SQUARE, SQUARE, None, "other"), (I, I), (SQUARE, PAIR)],
            "symeig": [SQUARE, (SQUARE, False, False), (PAIR, True), TALL],
        },
        arrow=CLOSE,
    )


def counts(s):
    points, edges = (
        tensor("f64", [[0.0, 1.0], [0.5, 3.0], [2.0, 0.5], [1.0, 3.0]], [4, 2]),
        tensor("f64", [0.0, 1.0, 2.0]),
    )
    few = LINE[:5].clone()  # 1.13.1 counts NaN into the last bin; later versions do not
    table(
        s,
        {
            "histogram.bin_ct": [
                (few, 4),
                (few, 3, [2.0, 4.0]),
                (few, 2, [1.0, 1.0]),
                (LINE, 2),
                (few, 2, None, V),
                (few, 2, None, None, True),
                (NONE, 2),
                (few, 0),
                (few, 2, [3.0, 1.0]),
                (few, 2, [0.0, inf]),
                (I, 2),
                (few, 2, None, V[:3]),
            ],
            "histogram.bins_tensor": [
                (few, tensor("f32", [1.0, 2.5, 5.0])),
                (few, tensor("f32", [2.0, 3.0, 3.0, 4.0])),
                (few, tensor("f32", [1.0, 2.0, 4.0]), V, True),
                (few, edges),
                (few, tensor("f32", [1.0])),
            ],
            "histogramdd": [
                (points, [2, 3]),
                (points, [2, 2], [0.0, 1.0, 1.0, 3.0]),
                (points, [2]),
                (points, [1, 2], None, edges[:1].expand(4).contiguous() + 2, True),
            ],
            "histogramdd.int_bins": [(points, 2), (few, 2)],
            "histogramdd.TensorList_bins": [(points, [edges, edges]), (points, [edges])],
            "_histogramdd_bin_edges": [(points, [2, 3])],
        },
        arrow=CLOSE,
    )
    table(
        s,
        {
            "segment_reduce": [
                (LINE, kind, POSITIONS, None, None, 0, False, *start)
                for kind in ("max", "min", "sum", "mean", "prod")
                for start in ((), (3,))
            ]
            + [
                (LINE[:5].clone(), "max", POSITIONS),
                (LINE, "sum", None, None, tensor("i64", [0, 2, 6])),
                (F, "mean", tensor("i64", [1, 2])),
                (LINE, "sum", POSITIONS[:2]),
                (F, "sum", tensor("i64", [[1, 3], [4, 0], [2, 2]], [3, 2]), None, None, 1),
                (LINE, "median", POSITIONS),
                (LINE, "sum"),
                (I, "sum", POSITIONS),
            ]
        },
    )


def fractions(s):
    image, u = (
        numbers("f32", [2, 2, 5, 6], 0.5),
        tensor("f32", [0.25, 0.75, 0.5, 0.125, 0.9375, 0.0, 0.625, 0.375], [2, 2, 2]),
    )
    box, w = (
        numbers("f64", [1, 2, 4, 5, 6]),
        tensor("f64", [0.25, 0.75, 0.5, 0.125, 0.9375, 0.0], [1, 2, 3]),
    )
    table(
        s,
        {
            "fractional_max_pool2d": [
                (image, [2, 2], [3, 4], u),
                (image, [1, 3], [4, 2], u),
                (image[0], [2, 2], [3, 3], u[:1]),
                (image, [2, 2], [1, 1], u),
                (image, [2, 2], [5, 4], u),
            ],
            "fractional_max_pool3d": [
                (box, [2, 2, 2], [2, 3, 4], w),
                (box, [2, 2, 2], [3, 3, 4], w),
                (box[0], [2, 1, 3], [2, 4, 2], w),
                (box, [5, 2, 2], [1, 2, 2], w),
            ],
        },
    )


def statistics(s):
    x, w, b = numbers("f32", [3, 4, 2], 0.5), numbers("f32", [4]), numbers("f32", [4], 0.25)
    lines = ([4, 2], numbers("f32", [4, 2]), numbers("f32", [4, 2], 0.5), 0.5)
    table(
        s,
        {
            "_softmax_backward_data": [(F, F * 2, 0, 6), (F, F.softmax(1), -1, 6), (F, F, 2, 6)],
            "_log_softmax_backward_data": [(F, F.log_softmax(1), 1, 6), (F, F / 4, -2, 6)],
            "native_layer_norm": [
                (x, *lines),
                (x, [2], None, None, 0.25),
                (tensor("f32", [], [0, 3]), [3], None, None, 0.5),
                (x, [3], None, None, 0.5),
            ],
            "native_group_norm": [
                (x, w, b, 3, 4, 2, 2, 0.5),
                (x, None, None, 3, 4, 2, 4, 0.25),
                (x, None, None, 3, 4, 2, 3, 0.5),
            ],
            "native_batch_norm": [
                (x, w, b, b.clone(), w.abs(), training, 0.125, 0.5) for training in (True, False)
            ]
            + [(x, None, None, None, None, True, 0.125, 0.5)],
        },
        arrow=CLOSE,
    )


def interpolated_positions(s):
    x, at = F.double(), [tensor("f64", [0.0, 1.0, 4.0]), tensor("f64", [0.0, 0.5, 2.0, 2.5])]
    table(
        s,
        {
            "gradient.tensorarray": [(x, at, [0, 1]), (x, at, [0, 1], 2), (x, at[:1], [0, 1])],
            "gradient.tensorarrayint": [(x, at), (x, at[1:], 1, 2)],
            "logsumexp": [(I, [0]), (tensor("bool", [1, 0, 1]), [0])],
            "linalg_pinv": [(SQUARE, 0.125, True), (PAIR, 0.5, True)],
            "linalg_pinv.atol_rtol_float": [(SQUARE, None, 0.125, True)],
            "linalg_vander": [(tensor("f32", 2.5), 3)],
            "logspace": [
                (0, 3.5, 4, 10.0, 4),
                (2, -3, 4, 1.5, 4),
                (0.3, 2.7, 5, 2.0, 15),
                (0.3, 2.7, 1, 2.0, 15),
                (0, 1, -1),
            ],
            "grid_sampler": [
                (
                    numbers("f32", [1, 2, 3, 4], 0.5),
                    numbers("f32", [1, 2, 2, 2], 0.25),
                    2,
                    padding,
                    corners,
                )
                for padding in (0, 1, 2)
                for corners in (True, False)
            ],
            "polygamma": [(1, tensor("f64", [-2.5, 0.0, 0.25])), (1, tensor("i64", [0, 2]))],
        },
        arrow=CLOSE,
    )
    # a pole, seen through a sine in float
    table(s, {"polygamma": [(1, tensor("i64", [-1, -2]))]}, arrow=bound_text(2.0**32))
    ties = tensor("i64", [3, 1, 3, 3, 2, 1, 3, 2, 2, 1])
    table(
        s,
        {
            "topk": [(ties, k, -1, largest) for k in (1, 2, 3, 5, 9) for largest in (True, False)]
            + [(ties.repeat(20), 3), (ties.repeat(20), 3, 0, False)],
            "kthvalue": [(ties, k) for k in (1, 4, 6, 10)]
            + [(ties[:1], 1), (ties[:2], 2), (ties, 11)],
            "gather": [(V, 0, tensor("u8", [])), (F, 0, tensor("u8", []))],
            "arange.start_step": [
                (1.0, 5.25, 2.0, 4),
                (0.0, -8.25, -4.0, 4),
                (0.5, 5.5, 1.5, 4),
                (1.0, 5.25, 2.0, 3),
            ],
            "pad": [
                (numbers("f32", [1, 2, 4]), [-4, 5], "replicate"),
                (numbers("f32", [1, 2, 4]), [2, -4], "replicate"),
                (numbers("f32", [1, 2, 4]), [-4, 0], "replicate"),
            ],
            "index_fill.int_Tensor": [
                (tensor("f32", 2.0), 0, tensor("i64", [0]), tensor("f32", 3.0))
            ],
            "linalg_norm": [(tensor("f64", [], [0, 2]), 1), (tensor("f64", [], [2, 0]), -1)],
            "linalg_vector_norm": [(numbers("bf16", [5], 0.5), -2.5)],
            "mT": [tensor("f32", 2.0)],
            "mH": [tensor("f32", 2.0)],
            "adjoint": [tensor("f32", 2.0)],
            "avg_pool1d": [
                (I.reshape([1, 3, 4]), [2]),
                (I.reshape([1, 3, 4]), [3], [1], [1], True, False),
            ],
            "avg_pool2d": [
                (I.reshape([1, 3, 4]), [2, 3], [1]),
                (I.reshape([1, 3, 4]), [2], [], [0], False, True, -3),
                (I.to(torch.int32).reshape([1, 3, 4]), [2]),
            ],
            "avg_pool3d": [
                (I.reshape([1, 1, 3, 4]), [1, 2, 2]),
                (numbers("f32", [0, 1, 2, 3, 4]), [2, 2, 2]),
                (whole("i64", [1, 3, 4, 4]), [2, 2, 2], [1], [1, 1, 1], True, False),
            ],
            "adaptive_avg_pool3d": [(numbers("f32", [0, 1, 2, 3, 4]), [2, 2, 2])],
            "multi_margin_loss": [
                (tensor("f32", 2.0), tensor("i64", 0)),
                (tensor("f32", 2.0), tensor("i64", [0]), 1, 1, None, 0),
            ],
            "multilabel_margin_loss": [
                (tensor("f32", 2.0), tensor("i64", 0)),
                (tensor("f32", 2.0), tensor("i64", -1), 0),
            ],
            "index_reduce": [
                (tensor("f32", 2.0), 0, tensor("i64", [0]), tensor("f32", 3.0), kind)
                for kind in ("prod", "mean", "amax")
            ],
        },
    )


def frequencies(s):
    for name in ("fft_fftfreq", "fft_rfftfreq"):
        table(
            s,
            {
                name: [
                    5,
                    4,
                    1,
                    0,
                    (4, 0.5),
                    (7, 0.25, CODES["f64"]),
                    (3, -2.0),
                    (4, 1.0, 4),
                    (7, 1.0, CODES["f16"]),
                    (4, 0.0),
                    (4, -0.0),
                ]
            },
            arrow=CLOSE,
        )
    table(s, {"fft_fftfreq": [-2]})


FAMILIES = [
    frequencies,
    spectra,
    reflections,
    counts,
    fractions,
    statistics,
    interpolated_positions,
]
