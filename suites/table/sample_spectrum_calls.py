"""Calls of the rows of engine/ops/scripted_{spectrum,reflect,count}.cpp."""

from sample_added_calls import NEAR, PAIR, SQUARE, TALL
from sample_scripted_calls import F, I, V, table
from sample_text import inf, nan, numbers, tensor

IMAGE = numbers("f64", [3, 4], 0.5)
FRAMES = numbers("f64", [5, 3, 2], 0.25)  # of windows of 8
NONE = tensor("f32", [], [0])
MIRRORED = tensor("f64", [0.5, 2.0, 3.0, 2.0, -1.5, 1.0, 3.0, 1.0, 0.25], [3, 3])
LINE = tensor("f32", [1.0, 2.0, 3.0, 4.0, 5.0, nan])
PLACES = tensor("i64", [2, 0, 4])


def spectra(s):
    for name in ("irfft", "hfft"):
        table(s, {
            "fft_" + name: [V, (V, 5), (V, 3, 0), (V, 9, -1, "ortho"), (I, None, 0, "forward"), (I, 2, 1, "backward"), (V, 0), (V, None, 1), (V, None, 0, "other"),
                            tensor("f32", 1.0), NONE, tensor("f16", [1.0, 2.0, 3.0]), tensor("bool", [1, 0, 1])],
            f"fft_{name}2": [IMAGE, (IMAGE, [2, 5]), (IMAGE, None, [1, 0], "ortho"), (IMAGE, [2]), (IMAGE, None, [0, 0])],
            f"fft_{name}n": [IMAGE, (IMAGE, [2, 2]), (IMAGE, [-1, 3]), (IMAGE, [4], [0]), (IMAGE, None, [0, 1], "forward"), (IMAGE, [1, 1, 1]), (IMAGE, None, [2])],
        }, arrow=NEAR)
    window = tensor("f64", [0.5, 1.0, 2.0, 1.0, 0.5])
    table(s, {"istft": [(FRAMES, 8), (FRAMES, 8, 3), (FRAMES, 8, 2, 5, window), (FRAMES, 8, 2, None, None, False), (FRAMES, 8, 2, None, None, True, True),
                        (FRAMES, 8, 2, None, None, True, False, True, 10), (FRAMES, 5, 2, None, None, True, False, False), (FRAMES, 7), (FRAMES, 8, 9), (F, 8)]}, arrow=NEAR)


def reflections(s):
    table(s, {
        "geqrf": [SQUARE, PAIR, TALL, TALL.t().contiguous(), tensor("f64", [0.0] * 6, [3, 2]), tensor("f64", [-1.0, 0.0, 0.0, 2.0], [2, 2]), I, V],
        "ormqr": [(TALL, TALL[0], TALL), (TALL, TALL[0], TALL, True, True), (SQUARE, SQUARE[0], F, False), (SQUARE, SQUARE[0], F[:, :3].contiguous(), False),
                  (PAIR, PAIR[:, 0], PAIR, False, True), (TALL, SQUARE[0], TALL)],
        "linalg_ldl_factor": [SQUARE, PAIR, MIRRORED, MIRRORED.float(), tensor("f64", [0.0] * 4, [2, 2]), TALL],
        "linalg_ldl_factor_ex": [SQUARE, tensor("f64", [0.0] * 4, [2, 2]), tensor("f64", [0.0, 1.0, 1.0, 0.0], [2, 2])],
        "linalg_ldl_solve": [(MIRRORED, tensor("i32", [1, 2, 3]), MIRRORED), (MIRRORED, tensor("i32", [1, -3, -3]), TALL[:3]), (MIRRORED, tensor("i32", [-2, -2, 3]), TALL[:3]),
                             (MIRRORED, tensor("i64", [1, 2, 3]), MIRRORED), (MIRRORED, tensor("i32", [1, 2, 3]), MIRRORED[0])],
        "linalg_lstsq": [(tall, right, None, driver) for tall, right in ((SQUARE, SQUARE), (TALL ** 2, TALL), (TALL.t().contiguous() ** 2, PAIR[0]), (PAIR, PAIR[:, 0]))
                         for driver in (None, "gels", "gelsd", "gelss")] + [(SQUARE, SQUARE, None, "other"), (I, I), (SQUARE, PAIR)],
        "symeig": [SQUARE, (SQUARE, False, False), (PAIR, True), TALL],
    }, arrow=NEAR)


def counts(s):
    points, edges = tensor("f64", [[0.0, 1.0], [0.5, 3.0], [2.0, 0.5], [1.0, 3.0]], [4, 2]), tensor("f64", [0.0, 1.0, 2.0])
    few = LINE[:5].clone()  # 1.13.1 counts NaN into the last bin; later versions do not
    table(s, {
        "histogram.bin_ct": [(few, 4), (few, 3, [2.0, 4.0]), (few, 2, [1.0, 1.0]), (LINE, 2), (few, 2, None, V), (few, 2, None, None, True),
                             (NONE, 2), (few, 0), (few, 2, [3.0, 1.0]), (few, 2, [0.0, inf]), (I, 2), (few, 2, None, V[:3])],
        "histogram.bins_tensor": [(few, tensor("f32", [1.0, 2.5, 5.0])), (few, tensor("f32", [2.0, 3.0, 3.0, 4.0])), (few, tensor("f32", [1.0, 2.0, 4.0]), V, True),
                                  (few, edges), (few, tensor("f32", [1.0]))],
        "histogramdd": [(points, [2, 3]), (points, [2, 2], [0.0, 1.0, 1.0, 3.0]), (points, [2]), (points, [1, 2], None, edges[:1].expand(4).contiguous() + 2, True)],
        "histogramdd.int_bins": [(points, 2), (few, 2)],
        "histogramdd.TensorList_bins": [(points, [edges, edges]), (points, [edges])],
        "_histogramdd_bin_edges": [(points, [2, 3])],
    }, arrow=NEAR)
    table(s, {"segment_reduce": [(LINE, kind, PLACES, None, None, 0, False, *start) for kind in ("max", "min", "sum", "mean", "prod") for start in ((), (3,))]
              + [(LINE[:5].clone(), "max", PLACES), (LINE, "sum", None, None, tensor("i64", [0, 2, 6])), (F, "mean", tensor("i64", [1, 2])), (LINE, "sum", PLACES[:2]),
                 (F, "sum", tensor("i64", [[1, 3], [4, 0], [2, 2]], [3, 2]), None, None, 1), (LINE, "median", PLACES), (LINE, "sum"), (I, "sum", PLACES)]})


FAMILIES = [spectra, reflections, counts]
