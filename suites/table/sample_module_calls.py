"""Calls of what modules consist of: convolutions, pooling, normalisation, recurrence, losses."""

import torch
from sample_text import ALL, CODES, DTYPES, bound_text, inf, nan, numbers, tensor, values_of, whole


def convolutions(s):
    line = numbers("f32", [2, 4, 7])
    plane = numbers("f32", [2, 4, 5, 6])
    for groups, filters in ((1, 3), (2, 4), (4, 4)):
        share = 4 // groups
        thin, wide = numbers("f32", [filters, share, 3]), numbers("f32", [filters, share, 3, 2])
        bias = numbers("f32", [filters])
        for stride, padding, dilation in ((1, 0, 1), (2, 1, 1), (1, 2, 2), (3, 0, 2)):
            s.add("aten::conv1d", line, thin, bias, [stride], [padding], [dilation], groups)
            s.add("aten::conv2d", plane, wide, bias, [stride], [padding], [dilation], groups)
            s.add("aten::conv2d", plane, wide, None, [1, stride], [padding, 0], [1, 1], groups)
            s.add(
                "aten::_convolution",
                *(plane, wide, bias, [stride] * 2, [padding] * 2, [dilation] * 2),
                *(False, [0, 0], groups, False, False, True, True),
            )
        for word in ("same", "valid"):
            s.add("aten::conv1d.padding", line, thin, bias, [1], word, [1], groups)
            s.add("aten::conv2d.padding", plane, wide, None, [1], word, [1, 2], groups)
            s.add("aten::_convolution_mode", plane, wide, bias, [1, 1], word, [1, 2], groups)
    weight = numbers("f32", [3, 4, 3, 3])
    s.add("aten::conv2d", plane, weight)
    s.add("aten::conv2d", plane[0], weight)
    s.add("aten::conv1d", line[0], weight[:, :, 0])
    s.add("aten::conv1d.padding", line[0], weight[:, :, 0], None, [1], "same", [2])
    s.add("aten::conv2d", plane[:0], weight)
    s.add("aten::conv2d", plane, numbers("f32", [2, 4, 1, 1]))
    s.add("aten::conv2d", plane.double(), weight.double(), numbers("f64", [3]))
    for dtype in ("i64", "i32", "u8"):
        s.add("aten::conv2d", whole(dtype, [1, 2, 4, 4]), whole(dtype, [2, 2, 2, 2]))
    for values in ([nan, 0.0, 1.0], [inf, 0.0, 1.0], [inf, -inf, 0.0]):
        x = tensor("f32", values, [1, 3])
        s.add("aten::conv1d", x, tensor("f32", [1.0, 0.0], [1, 1, 2]))
        s.add("aten::conv1d", x, tensor("f32", [1.0, 2.0, 0.0], [1, 1, 3]), None, [1], [1])
    bad = [
        (plane, weight, None, [0]),
        (plane, weight, None, [1], [-1]),
        (plane, weight, None, [1], [0], [0]),
        (plane, weight, None, [1], [0], [1], 2),
        (plane, weight, None, [1], [0], [1], 0),
        (plane, weight, None, [1, 2, 3]),
        (plane, weight, numbers("f32", [2])),
        (plane, weight, numbers("f32", [1, 3])),
        (plane, weight.double()),
        (plane, weight, numbers("f64", [3])),
        (plane[0, 0], weight),
        (plane, weight[0]),
        (plane, numbers("f32", [3, 4, 6, 3])),
        (plane, weight[:0]),
        (plane > 0, weight > 0),
    ]
    for args in bad:
        s.add("aten::conv2d", *args)
    s.add("aten::conv2d.padding", plane, weight, None, [2], "same")
    s.add("aten::conv2d.padding", plane, weight, None, [1], "full")


def convolutions_by_time(s):
    op = "aten::conv_tbc"
    x, weight, bias = numbers("f32", [5, 2, 3]), numbers("f32", [3, 3, 2]), numbers("f32", [2])
    for pad in (0, 1, 3, -1):
        s.add(op, x, weight, bias, pad)
    s.add(op, x.double(), weight.double(), bias.double(), 2)
    s.add(op, x, weight, bias.double())
    s.add(op, x[:2], weight, bias)
    s.add(op, x[:0], weight, bias, 2)
    s.add(op, x[:, :0], weight, bias)
    s.add(op, x[:, :, :0], weight[:, :0], bias)
    for values in ([nan, 0.0, 1.0], [inf, -inf, -0.0]):
        line = tensor("f32", values, [3, 1, 1])
        s.add(op, line, tensor("f32", [1.0, 0.0], [2, 1, 1]), tensor("f32", [-0.0]), 1)
    for dtype in ("i64", "i32", "u8"):
        s.add(op, whole(dtype, [4, 1, 2]), whole(dtype, [2, 2, 1]), whole(dtype, [1]), 1)
    bad = [
        (x, weight, bias, -2),
        (x[:1], weight, bias),
        (x, weight[:, :2], bias),
        (x, weight, bias[:1]),
        (x[0], weight, bias),
        (x, weight[0], bias),
        (x, weight, bias[0]),
        (x.double(), weight, bias),
        (x > 0, weight > 0, bias > 0),
    ]
    for args in bad:
        s.add(op, *args)


def pads(s):
    op = "aten::constant_pad_nd"
    for dtype in ALL:
        x = tensor(dtype, (values_of(dtype) * 3)[:6], [2, 3])
        for pad in ([], [1, 0], [0, 2, 1, 1], [-1, 1], [-1, -2, -1, 0], [0, 0]):
            s.add(op, x, pad)
            s.add(op, x, pad, 3)
    x = tensor("f32", [1.0, -0.0, nan, inf], [2, 2])
    for value in (nan, -0.0, inf, 2.5):
        s.add(op, x, [1, 0, 0, 1], value)
    for pad in ([1], [1, 2, 3], [0, 0, 0, 0, 1, 1], [-3, 0], [-1, -1]):
        s.add(op, x, pad)
    s.add(op, tensor("f32", [], [0, 2]), [1, 1])
    s.add(op, tensor("f32", [], [0, 2]), [0, 0, 1, 1])
    s.add(op, tensor("f32", 2.5), [])
    for t, size, step in ((x, 2, 1), (x, 1, 1), (x, 0, 1), (x, 3, 1), (x, 2, 0), (x, 1, 3)):
        s.add("aten::unfold", t, 0, size, step)
    line = tensor("i16", range(7))
    for size, step in ((3, 1), (3, 2), (7, 1), (2, 5)):
        s.add("aten::unfold", line, -1, size, step)
    s.add("aten::unfold", tensor("f32", 2.5), 0, 1, 1)
    s.add("aten::unfold", numbers("f32", [2, 5, 3]), 1, 2, 2)


def pooling(s):
    line = numbers("f32", [2, 3, 7])
    plane = numbers("f32", [2, 2, 5, 6])
    empty = tensor("f32", [], [0, 2, 4, 4])
    windows = (
        ([2], [], [0], False),
        ([3], [1], [1], False),
        ([3], [2], [0], True),
        ([2], [3], [1], True),
        ([2], [2], [1], False),
        ([5], [4], [2], True),
        ([1], [2], [0], True),
    )
    for kernel, stride, padding, ceil in windows:
        s.add("aten::max_pool1d", line, kernel, stride, padding, [1], ceil)
        s.add("aten::max_pool2d", plane, kernel, stride, padding, [1], ceil)
        for inside in (True, False):
            s.add("aten::avg_pool1d", line, kernel, stride, padding, ceil, inside, arrow="~>")
            s.add("aten::avg_pool2d", plane, kernel, stride, padding, ceil, inside, arrow="~>")
            s.add("aten::avg_pool2d", plane, kernel, stride, padding, ceil, inside, 3, arrow="~>")
    for name in ("max", "avg"):
        op = f"aten::{name}_pool2d"
        s.add(op, plane, [2, 3], [1, 2], [1, 0], arrow="~>")
        s.add(op, plane[0], [2], arrow="~>")
        s.add(op, plane.double(), [3, 2], arrow="~>")
        s.add(op, empty, [2])
        s.add(f"aten::{name}_pool1d", line[0], [3], [2], arrow="~>")
        for bad in ([6], [0], [2, 2, 2], []):
            s.add(op, plane, bad)
        s.add(op, plane, [2], [0])
        s.add(op, plane, [2], [1], [2])
        s.add(op, plane, [2], [1], [-1])
        s.add(op, plane[0, 0], [2])
        s.add(op, tensor("f32", [], [2, 0, 4, 4]), [2])
        for dtype in (
            ("bool",) if op == "aten::max_pool2d" else ("i32", "bool")
        ):  # later versions take maxima of integers
            s.add(op, tensor(dtype, [1, 0, 1, 1], [1, 1, 2, 2]), [2])
        for values in ([nan, 1.0, 2.0, inf], [-inf, -inf, -inf, -inf], [-0.0, 0.0, -1.0, -0.0]):
            s.add(op, tensor("f32", values, [1, 2, 2]), [1, 2], arrow=bound_text(0.0))
            s.add(op, tensor("f32", values, [1, 2, 2]), [2], [1], [1], arrow=bound_text(0.0))
    s.add("aten::max_pool2d", plane, [2], [1], [0], [2])
    s.add("aten::max_pool1d", line, [3], [1], [1], [3])
    s.add("aten::max_pool2d", plane, [2], [1], [0], [0])
    s.add("aten::avg_pool2d", plane, [2], [], [0], False, True, 0)
    for size in ([1, 1], [2, 3], [5, 6], [3, 4], [7, 2], [1], [0, 2], [-1, 1]):
        s.add("aten::adaptive_avg_pool2d", plane, size, arrow="~>")
    s.add("aten::adaptive_avg_pool2d", plane[0], [2, 2], arrow="~>")
    s.add("aten::adaptive_avg_pool2d", plane[0, 0], [2, 2])
    for size in (1, 3, 7):
        s.add("aten::adaptive_avg_pool1d", line, [size], arrow="~>")
    for kernel, dilation, padding, stride in (
        ([2, 2], [1, 1], [0, 0], [1, 1]),
        ([3, 2], [1, 2], [1, 0], [2, 1]),
        ([1], [1], [1], [3]),
        ([6, 6], [1, 1], [0, 0], [1, 1]),
        ([2, 2], [0, 1], [0, 0], [1, 1]),
        ([2, 2], [1, 1], [-1, 0], [1, 1]),
    ):
        s.add("aten::im2col", plane, kernel, dilation, padding, stride)
        s.add("aten::im2col", plane[0], kernel, dilation, padding, stride)
    s.add("aten::im2col", empty, [2, 2], [1, 1], [0, 0], [1, 1])
    s.add("aten::im2col", plane[0, 0], [2, 2], [1, 1], [0, 0], [1, 1])


def normalisations(s):
    plane = numbers("f32", [2, 4, 3, 2])
    op = "aten::layer_norm"
    weight, bias = numbers("f32", [3, 2], 0.5), numbers("f32", [3, 2])
    close = bound_text(2.0**-18)
    for w in (None, weight):
        for b in (None, bias):
            s.add(op, plane, [3, 2], w, b, arrow=close)
            s.add(op, plane, [3, 2], w, b, 0.5, arrow=close)
    s.add(op, plane, [2], arrow=close)
    s.add(op, plane, [2, 4, 3, 2], arrow=close)
    s.add(op, plane.double(), [2], arrow=bound_text(2.0**-44))
    s.add(op, plane.bfloat16(), [3, 2], arrow=bound_text(2.0**-6))
    s.add(op, tensor("f32", [2.5, 2.5, 2.5, 2.5], [2, 2]), [2], arrow=close)
    s.add(op, tensor("f32", [[nan, 1.0], [inf, 1.0]]), [2], arrow=close)
    s.add(op, tensor("f32", [], [0, 2]), [2])
    for bad in ([], [3], [2, 3], [1, 2, 4, 3, 2]):
        s.add(op, plane, bad)
    s.add(op, plane, [2], weight)
    s.add(op, plane, [3, 2], weight.double())
    s.add(op, plane.int(), [2])
    op = "aten::group_norm"
    weight, bias = numbers("f32", [4], 0.5), numbers("f32", [4])
    for groups in (1, 2, 4):
        s.add(op, plane, groups, weight, bias, arrow=close)
        s.add(op, plane, groups, None, None, 0.25, arrow=close)
    s.add(op, plane[:, :, 0, 0], 2, weight, bias, arrow=close)
    s.add(op, plane, 3)
    s.add(op, plane, 0)
    s.add(op, plane[0, 0, 0], 1)
    s.add(op, plane, 2, weight[:2])
    op = "aten::batch_norm"
    mean, var = numbers("f32", [4]), numbers("f32", [4]) ** 2 + 0.5
    for training in (True, False):
        for w, b in ((None, None), (weight, bias), (weight, None)):
            s.add(op, plane, w, b, mean, var, training, 0.1, 1e-5, False, arrow=close)
            s.add(op, plane[:, :, 0], w, b, mean, var, training, 0.5, 0.25, False, arrow=close)
    s.add(op, plane[:, :, 0, 0], None, None, None, None, True, 0.1, 1e-5, False, arrow=close)
    s.add(op, plane.double(), None, None, None, None, True, 0.1, 1e-5, False, arrow=close)
    s.add(op, plane, None, None, None, None, False, 0.1, 1e-5, False)
    s.add(op, plane, weight, bias, mean.clone(), var.clone(), True, 0.25, 1e-5, False, arrow=close)
    s.add(
        op,
        plane[:, :, 0],
        None,
        None,
        mean.clone(),
        var.clone(),
        True,
        0.1,
        1e-5,
        False,
        arrow=close,
    )
    s.add(op, plane, weight[:2], None, None, None, True, 0.1, 1e-5, False)
    s.add(op, plane, None, None, mean[:2], var[:2], False, 0.1, 1e-5, False)
    s.add(op, plane.int(), None, None, None, None, True, 0.1, 1e-5, False)
    for name in ("var", "std"):
        op = f"aten::{name}"
        for dtype, error in (("f32", 2.0**-18), ("f64", 2.0**-44), ("bf16", 2.0**-5)):
            x, close = plane.to(DTYPES[dtype]), bound_text(error)
            for unbiased in (True, False):
                s.add(op, x, unbiased, arrow=close)
                s.add(op + ".dim", x, [1], unbiased, False, arrow=close)
                s.add(op + ".dim", x, [-1, 0], unbiased, True, arrow=close)
            s.add(op + ".correction", x, None, None, arrow=close)
            s.add(op + ".correction", x, [0, 1], 2, True, arrow=close)
            s.add(op + ".correction", x, [0], 0, arrow=close)
        for values in ([1.5], [nan, 1.0], [inf, 1.0], [], [2.5, 2.5]):
            s.add(op, tensor("f32", values), True, arrow="~>")
            s.add(op, tensor("f32", values), False, arrow="~>")
        s.add(op, plane.int())
        s.add(op + ".dim", plane, [4])
        s.add(op + ".dim", plane, [])
        s.add(op, tensor("f32", 2.0), False)


def losses(s):
    x = tensor("f32", [0.5, -1.25, 2.0, 0.0, 3.5, -0.75], [2, 3])
    t = tensor("f32", [1.0, -1.0, 0.0, 0.25, 2.0, 4.0], [2, 3])
    probability = tensor("f32", [0.5, 0.125, 0.875, 1.0, 0.0, 0.25], [2, 3])
    target = tensor("f32", [1.0, 0.0, 0.75, 0.5, 0.0, 0.25], [2, 3])
    weight = tensor("f32", [1.0, 2.0, 0.5])
    close = bound_text(2.0**-18)
    for reduction in (0, 1, 2):
        for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
            op = "aten::" + name
            s.add(op, x, t, reduction, arrow=close)
            s.add(op, x.double(), t.double(), reduction, arrow=close)
            s.add(op, x, t[0], reduction, arrow=close)
            s.add(op, tensor("f32", [nan, inf, 1.0]), tensor("f32", [1.0, 1.0, -inf]), reduction)
            s.add(op, tensor("f32", []), tensor("f32", []), reduction)
            s.add(op, tensor("f32", 2.0), tensor("f32", 0.5), reduction, arrow=close)
        for extra in (0.0, 0.5, 2.0, -1.0):
            s.add("aten::smooth_l1_loss", x, t, reduction, extra, arrow=close)
            s.add("aten::huber_loss", x, t, reduction, extra, arrow=close)
        op = "aten::binary_cross_entropy"
        s.add(op, probability, target, None, reduction, arrow=close)
        s.add(op, probability, target, weight, reduction, arrow=close)
        for wrong in (-0.5, 1.5, nan):
            s.add(op, tensor("f32", [0.5, wrong]), tensor("f32", [1.0, 0.0]), None, reduction)
        s.add(op, tensor("f32", []), tensor("f32", []), None, reduction)
        op += "_with_logits"
        s.add(op, x, target, None, None, reduction, arrow=close)
        s.add(op, x, target, weight, None, reduction, arrow=close)
        s.add(op, x, target, weight, weight, reduction, arrow=close)
        s.add(op, x * 100, target, None, None, reduction, arrow=close)
        s.add("aten::kl_div", x, probability, reduction, arrow=close)
        s.add("aten::kl_div", x, t, reduction, True, arrow="~>")
        classes = tensor("i64", [2, 0])
        for w in (None, weight):
            for ignore in (-100, 0):
                s.add("aten::nll_loss", x, classes, w, reduction, ignore, arrow=close)
                s.add("aten::cross_entropy_loss", x, classes, w, reduction, ignore, arrow=close)
                s.add(
                    "aten::cross_entropy_loss", x, classes, w, reduction, ignore, 0.25, arrow=close
                )
            s.add("aten::nll_loss", x[0], tensor("i64", 1), w, reduction, arrow=close)
            s.add("aten::cross_entropy_loss", x[0], tensor("i64", 1), w, reduction, arrow=close)
            s.add("aten::cross_entropy_loss", x, probability, w, reduction, arrow=close)
            s.add("aten::cross_entropy_loss", x, probability, w, reduction, -100, 0.25, arrow=close)
        cube = numbers("f32", [2, 3, 2, 2])
        far = tensor("i64", [[[0, 2], [1, -100]], [[2, 2], [0, 1]]])
        s.add("aten::nll_loss_nd", cube, far, weight, reduction, arrow=close)
        s.add("aten::nll_loss2d", cube, far, None, reduction, arrow=close)
        s.add("aten::nll_loss_nd", cube[:, :, 0], far[:, 0], None, reduction, arrow=close)
        s.add("aten::cross_entropy_loss", cube, far, weight, reduction, arrow=close)
        s.add("aten::nll_loss", x, tensor("i64", [-100, -100]), None, reduction)
    for name in ("nll_loss", "cross_entropy_loss"):
        op = "aten::" + name
        s.add(op, x, tensor("i64", [3, 0]))
        s.add(op, x, tensor("i64", [-1, 0]))
        s.add(op, x, tensor("i64", [0, 1, 2]))
        s.add(op, x, tensor("i32", [0, 1]))
        s.add(op, x, tensor("i64", [0, 1]), weight[:2])
        s.add(op, x.int(), tensor("i64", [0, 1]))
    s.add("aten::mse_loss", x.int(), t.int())
    s.add("aten::mse_loss", x, tensor("f32", [1.0, 2.0]))


def batches(s):
    a, b = numbers("f32", [2, 2, 3]), numbers("f32", [2, 3, 4])
    bias = numbers("f32", [2, 2, 4], 0.5)
    for beta, alpha in ((1, 1), (0, 2), (0.5, -1.5), (-1, 2)):
        s.add("aten::baddbmm", bias, a, b, beta, alpha)
        s.add("aten::baddbmm", bias[0], a, b, beta, alpha)
    s.add("aten::baddbmm", tensor("f32", 2.0), a, b)
    s.add("aten::baddbmm", tensor("f32", [nan, inf, 1.0, 2.0]), a, b, 0)
    s.add(
        "aten::baddbmm",
        whole("i64", [2, 2, 4]),
        whole("i64", [2, 2, 3]),
        whole("i64", [2, 3, 4]),
        2,
        3,
    )
    s.add("aten::baddbmm", bias, a, a)
    s.add("aten::baddbmm", bias[:, :, :3], a, b)
    s.add("aten::baddbmm", bias[:, :, :], a[:, :, :0], b[:, :0])
    for dtype in ("f32", "f64", "i32", "u8"):
        s.add("aten::dot", whole(dtype, [5]), whole(dtype, [5]))
    s.add("aten::dot", tensor("f32", []), tensor("f32", []))
    s.add("aten::dot", tensor("f32", [inf, 0.0]), tensor("f32", [0.0, 1.0]))
    s.add("aten::dot", whole("f32", [5]), whole("f32", [4]))
    s.add("aten::dot", whole("f32", [5]), whole("f64", [5]))
    s.add("aten::dot", a, b)
    flat = numbers("f32", [12])
    for name in ("reshape_as", "view_as"):
        for like in (a, b, tensor("i64", [0] * 12, [4, 3]), tensor("bool", [1], [1])):
            s.add("aten::" + name, flat, like)


def recurrence(s):
    close = bound_text(2.0**-20)
    x, h, c = (numbers("f32", [2, k], 0.25, -1.5 + 0.5 * i) for i, k in enumerate((3, 4, 4)))

    def weights(gates, k=3, m=4, biased=True):
        out = [numbers("f32", [gates * m, k], 0.125), numbers("f32", [gates * m, m], 0.125)]
        return (
            out + [numbers("f32", [gates * m], 0.125), numbers("f32", [gates * m], 0.0625)] * biased
        )

    for biased in (True, False):
        s.add("aten::lstm_cell", x, [h, c], *weights(4, biased=biased), arrow=close)
        s.add("aten::gru_cell", x, h, *weights(3, biased=biased), arrow=close)
        s.add("aten::rnn_tanh_cell", x, h, *weights(1, biased=biased), arrow=close)
        s.add("aten::rnn_relu_cell", x, h, *weights(1, biased=biased), arrow=close)
    s.add("aten::lstm_cell", x, [h, c], *weights(3))
    sequence = numbers("f32", [5, 2, 3])
    for layers, sides, biased, first in (
        (1, 1, True, False),
        (2, 1, False, True),
        (1, 2, True, True),
        (2, 2, True, False),
    ):
        start = numbers("f32", [layers * sides, 2, 4], 0.125)
        t = sequence.transpose(0, 1).contiguous() if first else sequence
        rest = (biased, layers, 0.0, False, sides == 2, first)
        for name, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)):
            params = []
            for layer in range(layers):
                for _ in range(sides):
                    params += weights(gates, 3 if layer == 0 else 4 * sides, 4, biased)
            state = [start, start * 0.5] if name == "lstm" else start
            s.add(f"aten::{name}.input", t, state, params, *rest, arrow=bound_text(2.0**-16))


def attentions(s):
    close = bound_text(2.0**-18)
    query = numbers("f32", [2, 3, 4], 0.25)
    qkv, qkv_bias = numbers("f32", [12, 4], 0.125), numbers("f32", [12], 0.125)
    out, out_bias = numbers("f32", [4, 4], 0.125), numbers("f32", [4], 0.125)
    op = "aten::_native_multi_head_attention"
    weights = (qkv, qkv_bias, out, out_bias)
    for heads in (1, 2):
        for average in (True, False):
            s.add(op, query, query, query, 4, heads, *weights, None, True, average, arrow=close)
    padding = tensor("bool", [0, 0, 1, 0, 0, 0], [2, 3])
    s.add(op, query, query, query, 4, 2, *weights, padding, True, True, 1, arrow=close)
    op = "aten::_transformer_encoder_layer_fwd"
    norm = (numbers("f32", [4], 0.25, 0.5), numbers("f32", [4], 0.25))
    up, up_bias = numbers("f32", [6, 4], 0.125), numbers("f32", [6], 0.125)
    down, down_bias = numbers("f32", [4, 6], 0.125), numbers("f32", [4], 0.125)
    for gelu in (False, True):
        for first in (False, True):
            rest = (*norm, *norm, up, up_bias, down, down_bias)
            s.add(op, query, 4, 2, *weights, gelu, first, 1e-5, *rest, arrow=bound_text(2.0**-14))


def gates(s):
    close = bound_text(2.0**-20)
    x = numbers("f32", [2, 4, 3])
    for weight in ([0.25], [0.25, -1.0, 0.0, 2.0]):
        s.add("aten::prelu", x, tensor("f32", weight), arrow=close)
    s.add("aten::prelu", x, tensor("f32", [0.5, 1.0]))
    s.add("aten::prelu", x, tensor("f64", [0.5]))
    s.add("aten::prelu", tensor("f32", -2.0, []), tensor("f32", [0.5]))
    s.add("aten::prelu", tensor("f32", [nan, inf, -inf, -0.0]), tensor("f32", [0.5]))
    for dim in (1, -2, 0, 2, 3):
        s.add("aten::glu", x, dim, arrow=close)
    s.add("aten::glu", x[:, :, :2], arrow=close)
    s.add("aten::glu", tensor("f32", 2.0))
    for pad in ([1, 1], [2, 0], [0, 1], [3, 1], [1, 2, 2, 1], [-1, 1], [1]):
        for mode in ("constant", "reflect", "replicate", "circular"):
            s.add("aten::pad", x, pad, mode)
    s.add("aten::pad", x, [1, 1], "constant", 2.5)
    s.add("aten::pad", x, [1, 1], "reflect", 2.5)
    s.add("aten::pad", x, [1, 1], "wrap")
    s.add("aten::pad", x[0, 0], [1, 1], "reflect")
    s.add("aten::broadcast_tensors", [x, x[0], tensor("i64", 1)])
    s.add("aten::broadcast_tensors", [x, tensor("f32", [1.0, 2.0])])


def sizes(s):
    x = numbers("f32", [2, 3])
    for p in (2, 1, 0, inf, -inf, 3, 0.5):
        s.add("aten::norm.Scalar", x, p, arrow=bound_text(2.0**-16))
        for dim in ([0], [1], [0, 1], [-1]):
            s.add("aten::norm.ScalarOpt_dim", x, p, dim, dim == [1], arrow=bound_text(2.0**-16))
    s.add("aten::norm.ScalarOpt_dim", x.double(), None, [1], arrow=bound_text(2.0**-44))
    s.add("aten::norm.Scalar", tensor("f32", [nan, 1.0]))
    s.add("aten::norm.Scalar", tensor("f32", []))
    s.add("aten::norm.Scalar", x.int())
    for dtype in ("f64", "f16", "i32"):
        s.add("aten::norm.ScalarOpt_dtype", x, 2, CODES[dtype], arrow=bound_text(2.0**-8))
        s.add(
            "aten::norm.ScalarOpt_dim_dtype",
            x,
            None,
            [1],
            True,
            CODES[dtype],
            arrow=bound_text(2.0**-8),
        )
    s.add("aten::norm.ScalarOpt_dtype", x.int(), 1, CODES["f32"])
    s.add(
        "aten::norm.ScalarOpt_dim_dtype",
        x[0],
        3,
        [],
        False,
        CODES["f32"],
        arrow=bound_text(2.0**-16),
    )
    s.add("aten::norm.out", x, 1, [1], False, tensor("f32", [0, 0]), arrow=bound_text(2.0**-16))
    s.add(
        "aten::norm.dtype_out",
        x,
        2,
        [0],
        False,
        CODES["f64"],
        tensor("f64", [0] * 3),
        arrow=bound_text(2.0**-44),
    )
    op = "aten::instance_norm"
    plane = numbers("f32", [2, 3, 2, 2])
    close = bound_text(2.0**-16)
    weight, bias = numbers("f32", [3], 0.5), numbers("f32", [3])
    mean, var = numbers("f32", [3]), numbers("f32", [3]) ** 2 + 0.5
    s.add(op, plane, None, None, None, None, True, 0.1, 1e-5, False, arrow=close)
    s.add(op, plane, weight, bias, None, None, True, 0.1, 0.25, False, arrow=close)
    s.add(op, plane[:, :, 0], weight, bias, mean, var, False, 0.1, 1e-5, False, arrow=close)
    s.add(op, plane, weight[:2], None, None, None, True, 0.1, 1e-5, False)


def ambient(s):
    """Here nothing tracks gradients, so PyTorch is asked with that switched off."""
    with torch.no_grad():
        for mode in ("is_grad_enabled", "is_autocast_enabled", "is_autocast_cpu_enabled"):
            s.add(f"aten::{mode}")
        s.add("aten::set_grad_enabled", False)
    for dtype in ("f32", "f64", "f16", "i64"):
        s.add("aten::div.out", numbers(dtype, [2, 3]), numbers(dtype, [3]), numbers("f32", [2, 3]))
        s.add(
            "aten::div.out",
            numbers(dtype, [2, 3]),
            numbers(dtype, [2, 3]),
            numbers("f64", [3, 2]).t(),
        )
    for dtype in ("f32", "f64"):
        for flag in (True, False):
            s.add("aten::requires_grad_", numbers(dtype, [2, 3]), flag)
    for a, b in (
        ([2, 1], [3]),
        ([], [4]),
        ([2, 3], [2, 3]),
        ([0], [1]),
        ([2], [3]),
        ([1, 5, 1], [4, 1, 6]),
    ):
        s.add("aten::_infer_size", a, b)


FAMILIES = [
    ambient,
    convolutions,
    convolutions_by_time,
    pads,
    pooling,
    normalisations,
    losses,
    batches,
    recurrence,
    attentions,
    gates,
    sizes,
]
