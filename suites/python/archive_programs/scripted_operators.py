"""TorchScript functions that call operators of ATen whose bodies are entries here.

Those are in engine/aten/*/*ops.py. Run with a folder, it writes NAME.theirs.pt there, with its
inputs NAME.in0.npy, ... and the flattened result NAME.out0.npy, ...
"""

import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

X = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4).sub(7).div(8)
Y = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4).mul(5).remainder(7).sub(3)
SIGNS = torch.where(Y > 0, 1.0, -1.0)
INDEX = torch.tensor([2, 0, 3, 2])


def fill(x):
    return (
        torch.eye(3),
        torch.eye(2, 4),
        torch.eye(2, 3, dtype=torch.int64),
        torch.linspace(0, 1, 5),
        torch.linspace(-1.5, 2.0, 4),
    )


def counts(x, index):
    return (
        torch.nonzero(x > 0),
        torch.count_nonzero(x),
        torch.count_nonzero(x, 1),
        torch.count_nonzero(x, (0, 1)),
        torch.bincount(index),
        torch.bincount(index, x[0, 0], 6),
    )


def asks(x, y):
    return torch.tensor(
        [
            torch.equal(x, y),
            torch.equal(x, x.clone()),
            torch.allclose(x, x + 1e-9),
            torch.allclose(x, y, 0.1, 0.2, equal_nan=True),
            torch.is_nonzero(x[0, 0, 0]),
            x.device.type == "cpu",
            "cuda" in x.device.type,
        ]
    )


def moved(x):
    return (
        torch.cumprod(x, 1),
        x.cumprod(-1, dtype=torch.float64),
        torch.tile(x, [2, 1]),
        torch.vstack([x, x]),
        torch.hstack([x, x]),
        torch.channel_shuffle(x, 3),
        torch.repeat_interleave(x, 2),
        torch.repeat_interleave(x, 2, dim=1),
        torch.diag(x[0]),
        torch.diag(x[0, 0]),
        torch.trace(x[1]),
        torch.median(x),
        torch.median(x, 1),
        x.median(0, keepdim=True),
        F.adaptive_max_pool1d(x, 3),
        F.adaptive_max_pool2d(x, (2, 3)),
        F.adaptive_max_pool2d(x, (2, 2), return_indices=True),
    )


def strides(x):
    return (
        torch.tensor(x.stride()),
        torch.tensor([x.stride(-1), x.stride(0)]),
        torch.tensor(x.transpose(0, 2).stride()),
    )


def distances(x, y):
    return (
        torch.cdist(x, y),
        torch.cdist(x, y, p=1.0),
        torch.cosine_similarity(x, y),
        F.cosine_similarity(x, y, dim=2),
        F.pairwise_distance(x, y),
        torch.pairwise_distance(x, y, keepdim=True),
    )


def arranged(x):
    return (
        F.pixel_shuffle(x.reshape(1, 12, 1, 2), 2),
        F.pixel_unshuffle(x.reshape(2, 1, 2, 6), 2),
        F.fold(x.reshape(2, 12, 1), [2, 3], [2, 3]),
        F.conv_transpose1d(x, torch.ones(3, 2, 2), torch.ones(2), stride=2),
        F.conv_transpose2d(x.reshape(2, 3, 2, 2), torch.ones(3, 2, 2, 2), padding=1),
    )


def resized(x):
    z = x.reshape(2, 3, 2, 2)
    return (
        F.interpolate(x, size=[7]),
        F.interpolate(x, scale_factor=2.0),
        F.interpolate(z, scale_factor=2.0),
        F.interpolate(z, size=[3, 5], mode="bilinear", align_corners=True),
        F.interpolate(z, scale_factor=1.5, mode="bilinear"),
        F.interpolate(x, size=[6], mode="linear", align_corners=False),
        F.interpolate(x.reshape(1, 3, 2, 2, 2), size=[3, 3, 3]),
        F.interpolate(
            x.reshape(1, 3, 2, 2, 2), size=[3, 3, 3], mode="trilinear", align_corners=True
        ),
        F.adaptive_avg_pool3d(x.reshape(1, 3, 2, 2, 2), (2, 1, 2)),
    )


def losses(x, y, signs):
    return (
        F.hinge_embedding_loss(x, signs),
        F.hinge_embedding_loss(x, signs, 0.5, reduction="none"),
        F.soft_margin_loss(x, signs, reduction="sum"),
        F.margin_ranking_loss(x, y, signs, 0.25),
        F.poisson_nll_loss(x, y.abs()),
        F.poisson_nll_loss(x.abs(), y.abs(), log_input=False, full=True, reduction="sum"),
        F.triplet_margin_loss(x, y, signs, swap=True),
        F.cosine_embedding_loss(x[0], y[0], signs[0, :, 0], reduction="none"),
    )


def norms(x):
    return (
        torch.norm(x, 2),
        torch.norm(x, dim=1),
        torch.norm(x, p=2, dim=1),
        torch.norm(x, 1.0, [1], True),
        torch.norm(x, p="fro", dim=(1, 2)),
        x.norm(p=1, dim=1),
        torch.norm(x),
        torch.norm(x, p=2.0, dim=1, dtype=torch.float64),
        torch.norm(x[0], p="nuc"),
        F.normalize(x, p=2.0, dim=1),
    )


def numbers(x):
    n = x.max().item()
    k = torch.tensor(7).item()
    if n > 1:
        x = x / n
    return (
        x,
        torch.tensor(
            [
                float(n * 2 + 1),
                1 / n,
                float(-n),
                float(n // 1),
                float(k % 4),
                float(min(n, 3)),
                float(max(1.0, n)),
                float(abs(-n)),
            ]
        ),
        torch.tensor([n == 2, n < 2.5, k >= 7]),
    )


def solved(x):
    a = x[0] @ x[0].mT + torch.eye(3)
    lower = torch.linalg.cholesky(a)
    q, r = torch.linalg.qr(x)
    u, s, v = torch.svd(x)
    values, vectors = torch.linalg.eigh(a)
    sign, size = torch.linalg.slogdet(a)
    again = (
        torch.linalg.solve(a, x[0]),
        torch.linalg.solve_triangular(a, x[0], upper=True),
        torch.cholesky_solve(x[0], lower),
    )
    return (
        lower,
        q.abs(),
        r.abs(),
        s,
        u @ torch.diag_embed(s) @ v.mT,
        values,
        vectors @ torch.diag(values) @ vectors.mT,
        sign,
        size,
        again[0],
        again[1],
        again[2],
    )


def layers(x):
    z = x.reshape(2, 3, 2, 2)
    y = (
        F.lp_pool2d(z, 2, 2),
        F.lp_pool1d(x, 3.0, 2),
        F.dropout2d(z, 0.5, False),
        F.dropout1d(x, 0.5, False),
        F.feature_alpha_dropout(z, 0.5, False),
    )
    mean, var = torch.zeros(3), torch.ones(3)
    normed = F.instance_norm(z, mean, var, use_input_stats=True, momentum=0.25)
    return (
        y[0],
        y[1],
        y[2],
        y[3],
        y[4],
        normed,
        mean,
        var,
        F.multilabel_margin_loss(x[0], torch.tensor([[3, 0, -1, 1], [0, 1, -1, 2], [-1, 0, 0, 0]])),
        torch.as_strided(x, [2, 3], [1, 2], 1),
        torch.round(x, decimals=1),
        torch.tensor([x.device == torch.device("cpu")]),
    )


PROGRAMS = [
    (norms, [X]),
    (numbers, [X]),
    (solved, [X]),
    (layers, [X]),
    (fill, [X]),
    (counts, [X, INDEX]),
    (asks, [X, Y]),
    (moved, [X]),
    (strides, [X]),
    (distances, [X, Y]),
    (arranged, [X]),
    (resized, [X]),
    (losses, [X, Y, SIGNS]),
]


def flattened(result):
    return (
        [result] if isinstance(result, torch.Tensor) else [t for r in result for t in flattened(r)]
    )


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for function, inputs in PROGRAMS:
        scripted = torch.jit.script(function)
        scripted.save(str(folder / f"{function.__name__}.theirs.pt"))
        for i, value in enumerate(inputs):
            np.save(folder / f"{function.__name__}.in{i}.npy", value.numpy())
        for i, value in enumerate(flattened(scripted(*inputs))):
            np.save(folder / f"{function.__name__}.out{i}.npy", value.numpy())
