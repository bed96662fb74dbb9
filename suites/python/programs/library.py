"""Modules of PyTorch's library, one per class, as users put them together."""

from typing import Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Mlp(nn.Module):
    def __init__(self, sizes, activation, last=None):
        super().__init__()
        layers = []
        for i in range(len(sizes) - 1):
            layers.append(nn.Linear(sizes[i], sizes[i + 1], bias=i % 2 == 0))
            if i + 2 < len(sizes):
                layers.append(activation)
        if last is not None:
            layers.append(last)
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x)


class Activations(nn.Module):
    def __init__(self):
        super().__init__()
        self.all = nn.ModuleList(
            [
                nn.ReLU(),
                nn.ReLU6(),
                nn.Sigmoid(),
                nn.Tanh(),
                nn.GELU(),
                nn.SiLU(),
                nn.SELU(),
                nn.Softmax(dim=-1),
                nn.LogSoftmax(1),
                nn.LeakyReLU(0.2),
                nn.ELU(0.7),
                nn.CELU(1.3),
                nn.Hardtanh(-0.5, 0.8),
                nn.Softplus(2.0),
                nn.Identity(),
                nn.Dropout(0.5),
            ]
        )

    def forward(self, x):
        y = torch.zeros_like(x)
        for i, layer in enumerate(self.all):
            y = y + layer(x) * (i + 1)
        return y


class RareActivations(nn.Module):
    def __init__(self):
        super().__init__()
        self.all = nn.ModuleList(
            [
                nn.Hardswish(),
                nn.Hardsigmoid(),
                nn.Mish(),
                nn.Threshold(0.1, 2.0),
                nn.PReLU(),
                nn.PReLU(4, 0.1),
                nn.LogSigmoid(),
                nn.Softsign(),
                nn.Tanhshrink(),
                nn.Hardshrink(),
                nn.Softshrink(0.3),
                nn.Softmin(1),
            ]
        )
        self.gate = nn.GLU(1)
        self.divergence = nn.KLDivLoss(reduction="batchmean")
        self.margin = nn.MarginRankingLoss(0.5)
        self.cosine = nn.CosineSimilarity(dim=1)

    def forward(self, x):
        y = torch.zeros_like(x)
        for i, layer in enumerate(self.all):
            y = y + layer(x) * (i + 1)
        log = torch.log_softmax(x, 1)
        return (
            y,
            self.gate(x),
            self.divergence(log, x.abs()),
            self.margin(x, x * 2, x.sign()),
            self.cosine(x, x * x),
        )


class Block(nn.Module):
    def __init__(self, channels, stride=1, groups=1):
        super().__init__()
        self.conv1 = nn.Conv2d(
            channels, channels, 3, stride=stride, padding=1, groups=groups, bias=False
        )
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, (3, 1), padding=(1, 0), dilation=1)
        self.bn2 = nn.BatchNorm2d(channels, affine=False)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = None
        if stride != 1:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels, channels, 1, stride=stride), nn.BatchNorm2d(channels)
            )

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        if self.shortcut is not None:
            x = self.shortcut(x)
        return self.relu(x + y)


class Pools(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 6, 3, padding="same")
        self.bn = nn.BatchNorm1d(6, momentum=0.3)
        self.a = nn.MaxPool1d(2)
        self.b = nn.AvgPool1d(3, stride=2, padding=1)
        self.c = nn.MaxPool2d((2, 3), ceil_mode=True)
        self.d = nn.AvgPool2d(2, count_include_pad=False, padding=1)
        self.e = nn.AdaptiveAvgPool2d(1)
        self.f = nn.AdaptiveAvgPool1d(3)
        self.flatten = nn.Flatten()

    def forward(self, x, image):
        x = self.b(self.a(self.bn(self.conv(x))))
        return self.f(x), self.c(image), self.d(image), self.flatten(self.e(image))


class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.LayerNorm(8)
        self.b = nn.LayerNorm([4, 8], elementwise_affine=False)
        self.c = nn.GroupNorm(2, 4)
        self.table = nn.Embedding(10, 8, padding_idx=2)

    def forward(self, x, words):
        return self.a(x) + self.b(x) + self.c(x), self.table(words)


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.RNNCell(4, 6)
        self.b = nn.GRUCell(6, 5, bias=False)
        self.c = nn.LSTMCell(5, 3)

    def forward(self, x):
        a = self.a(x)
        a = self.a(x, a)
        b = self.b(a)
        h, c = self.c(b)
        h, c = self.c(b, (h, c))
        return a, b, h, c


class Recurrent(nn.Module):
    def __init__(self, batch_first, layers, both):
        super().__init__()
        self.lstm = nn.LSTM(4, 6, num_layers=layers, batch_first=batch_first, bidirectional=both)
        self.gru = nn.GRU(12 if both else 6, 5, layers, batch_first=batch_first, bias=False)
        self.rnn = nn.RNN(5, 3, batch_first=batch_first)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        y, (h, c) = self.lstm(x, (h, c))
        z, g = self.gru(y)
        r, last = self.rnn(z)
        return y, h, c, z, g, r, last


class Losses(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.MSELoss()
        self.b = nn.L1Loss(reduction="sum")
        self.c = nn.SmoothL1Loss(beta=0.5)
        self.d = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5]))
        self.e = nn.NLLLoss(ignore_index=1)
        self.f = nn.BCELoss(reduction="none")
        self.g = nn.BCEWithLogitsLoss()
        self.h = nn.HuberLoss()

    def forward(self, x, y, classes):
        p = torch.sigmoid(x)
        q = torch.sigmoid(y)
        return (
            self.a(x, y),
            self.b(x, y),
            self.c(x, y),
            self.d(x, classes),
            self.e(torch.log_softmax(x, 1), classes),
            self.f(p, q),
            self.g(x, q),
            self.h(x, y),
        )


class Transformer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.layers = nn.ModuleList(
            [
                nn.TransformerEncoderLayer(
                    width, heads, dim_feedforward=16, dropout=0.0, batch_first=True
                ),
                nn.TransformerEncoderLayer(
                    width, heads, 12, 0.0, "gelu", batch_first=True, norm_first=True
                ),
            ]
        )

    def forward(self, x):
        y, weights = self.attention(x, x, x)
        mask = torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu(1)
        z, none = self.attention(x, x, x, need_weights=False, attn_mask=mask)
        for layer in self.layers:
            y = layer(y)
        return y, weights, z


class Counter(nn.Module):
    scale: float

    def __init__(self):
        super().__init__()
        self.scale = 2.0
        self.register_buffer("count", torch.zeros(1))
        self.history = [1, 2]

    @torch.jit.export
    def bump(self, by: int) -> int:
        self.history.append(by)
        self.count += by
        return len(self.history)

    def forward(self, x, mask: Optional[Tensor] = None):
        self.bump(3)
        y = x * self.scale
        self.scale = self.scale + 1.0
        if mask is not None:
            y = y * mask
        return y * self.scale, self.count, self.history[-1], F.relu(y)
