"""Modules of PyTorch's library that fewer models use, put together by what they take."""

from typing import Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Lines(nn.Module):
    """Modules on [batch, channels, length] with 4 channels and 8 places."""

    def __init__(self):
        super().__init__()
        self.all = nn.ModuleList(
            [
                nn.InstanceNorm1d(4),
                nn.InstanceNorm1d(4, affine=True, track_running_stats=True),
                nn.ConstantPad1d(2, 1.5),
                nn.ReflectionPad1d((1, 2)),
                nn.ReplicationPad1d(3),
                nn.Conv1d(4, 6, 3, padding=2, padding_mode="circular"),
                nn.Conv1d(4, 4, 4, padding="same", padding_mode="reflect", dilation=2),
                nn.Conv1d(4, 2, 3, padding="valid"),
                nn.Conv1d(4, 4, 3, padding="valid", padding_mode="replicate", groups=2),
                nn.Unflatten(1, (2, 2)),
                nn.ConvTranspose1d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2),
                nn.Upsample(scale_factor=2),
                nn.Upsample(size=11, mode="linear", align_corners=True),
                nn.AdaptiveMaxPool1d(3),
                nn.LPPool1d(2, 3, stride=2),
                nn.Dropout1d(0.0),
                nn.LocalResponseNorm(3, alpha=0.5),
            ]
        )

    def forward(self, x):
        out = torch.zeros(0)
        for layer in self.all:
            out = torch.cat([out, layer(x).flatten()])
        return out


class Planes(nn.Module):
    """Modules on [batch, channels, height, width] with 4 channels and 6 by 5 places."""

    def __init__(self):
        super().__init__()
        self.all = nn.ModuleList(
            [
                nn.InstanceNorm2d(4, affine=True),
                nn.InstanceNorm2d(4, track_running_stats=True, momentum=0.3),
                nn.ZeroPad2d((1, 2, 0, 3)),
                nn.ConstantPad2d(1, -0.5),
                nn.ReflectionPad2d((2, 1, 3, 0)),
                nn.ReplicationPad2d(2),
                nn.Conv2d(4, 6, 3, padding=(1, 2), padding_mode="circular", groups=2),
                nn.Conv2d(4, 3, (3, 2), padding="same"),
                nn.Conv2d(4, 3, (2, 3), padding="same", padding_mode="replicate", dilation=(1, 2)),
                nn.Conv2d(4, 4, 3, stride=2, padding=1, padding_mode="reflect"),
                nn.ConvTranspose2d(
                    4, 6, (3, 2), stride=(2, 1), padding=(1, 0), output_padding=(1, 0), bias=False
                ),
                nn.Upsample(scale_factor=(2.0, 1.5), mode="bilinear"),
                nn.UpsamplingNearest2d(size=(4, 7)),
                nn.UpsamplingBilinear2d(scale_factor=2),
                nn.PixelShuffle(2),
                nn.ChannelShuffle(2),
                nn.Softmax2d(),
                nn.Unfold((2, 3), padding=1, stride=(2, 1)),
                nn.AdaptiveMaxPool2d((3, 2)),
                nn.LPPool2d(3, 2),
                nn.LocalResponseNorm(2),
                nn.GroupNorm(2, 4),
                nn.Flatten(1, 2),
                nn.Unflatten(-3, [2, 2]),
                nn.Identity(),
                nn.Sequential(nn.PixelShuffle(2), nn.ZeroPad2d((0, 0, 0, 0)), nn.PixelUnshuffle(2)),
                nn.Dropout3d(0.0),
            ]
        )
        self.fold = nn.Fold((6, 5), (3, 2), padding=(1, 0), stride=(2, 1))
        self.unfold = nn.Unfold((3, 2), padding=(1, 0), stride=(2, 1))

    def forward(self, x):
        out = self.fold(self.unfold(x)).flatten()
        for layer in self.all:
            out = torch.cat([out, layer(x).flatten()])
        return out


class Volumes(nn.Module):
    def __init__(self):
        super().__init__()
        self.all = nn.ModuleList(
            [
                nn.InstanceNorm3d(2),
                nn.BatchNorm3d(2),
                nn.ConstantPad3d(1, 2.0),
                nn.ReplicationPad3d(1),
                nn.ReflectionPad3d((1, 1, 0, 1, 1, 0)),
            ]
        )

    def forward(self, x):
        out = torch.zeros(0)
        for layer in self.all:
            out = torch.cat([out, layer(x).flatten()])
        return out


class Solids(nn.Module):
    """Modules on [batch, channels, depth, height, width] with 2 channels."""

    def __init__(self):
        super().__init__()
        self.all = nn.ModuleList(
            [
                nn.Conv3d(2, 3, 2, padding=1),
                nn.Conv3d(2, 4, (1, 2, 2), stride=(1, 2, 1), groups=2, bias=False),
                nn.Conv3d(2, 2, 3, padding="same"),
                nn.ConvTranspose3d(2, 3, 2, stride=2),
                nn.MaxPool3d(2),
                nn.AvgPool3d(2, 1, padding=1, count_include_pad=False),
                nn.AdaptiveAvgPool3d((2, 1, 3)),
                nn.AdaptiveMaxPool3d(2),
                nn.Upsample(scale_factor=2.0, mode="trilinear"),
            ]
        )

    def forward(self, x):
        out = torch.zeros(0)
        for layer in self.all:
            out = torch.cat([out, layer(x).flatten()])
        return out


class Unpooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool2d(2, return_indices=True)
        self.back = nn.MaxUnpool2d(2)

    def forward(self, x):
        y, places = self.pool(x)
        return self.back(y, places), places


class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.total = nn.EmbeddingBag(5, 3, mode="sum", padding_idx=1)
        self.mean = nn.EmbeddingBag(5, 3)
        self.most = nn.EmbeddingBag(5, 2, mode="max")

    def forward(self, rows, line, offsets):
        return self.total(rows), self.mean(line, offsets), self.most(line, offsets)


class Attends(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True)
        self.table = nn.Embedding.from_pretrained(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))

    def forward(self, q, k, v, mask):
        out, shares = self.attention(q, k, v, attn_mask=mask, average_attn_weights=False)
        return out, shares, self.attention(q, k, v, need_weights=False)[0], self.table(mask.long())


class Aligned(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.CTCLoss()
        self.each = nn.CTCLoss(blank=2, reduction="none", zero_infinity=True)

    def forward(self, x, targets, long, short):
        lp = torch.log_softmax(x, 2)
        return self.mean(lp, targets, long, short), self.each(lp, targets - 1, long, short)


class Single(nn.Module):
    """Inputs without a batch."""

    def __init__(self):
        super().__init__()
        self.norm = nn.InstanceNorm1d(4)
        self.pad = nn.ReflectionPad1d(1)
        self.fold = nn.Fold(4, 2)

    def forward(self, x):
        return self.norm(x), self.pad(x), self.fold(torch.cat([x, x], 1)[:, :9])


class Tracked(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.InstanceNorm1d(4, momentum=0.3, track_running_stats=True)

    def forward(self, x):
        y = self.norm(x) + self.norm(x * 2)
        return y, self.norm.running_mean, self.norm.running_var


class Unfilled(nn.Module):
    """A batch of no samples leaves the running statistics as they are."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        self.plane = nn.BatchNorm2d(2, momentum=None)

    def forward(self, x):
        first = self.plane(x.view(-1, 2, 2, 1))
        y = self.norm(x[:0]), self.norm(x[:0].unsqueeze(-1)), self.plane(x[:0].view(0, 2, 1, 2))
        statistics = (
            self.norm.running_mean,
            self.norm.running_var,
            self.plane.running_mean,
            self.plane.running_var,
        )
        return first, y, self.norm(x), statistics


class Larger(nn.Module):
    """A transposed convolution told how large its result is."""

    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1)

    def forward(self, x):
        return self.up(x, output_size=[10, 9])


class Held(nn.Module):
    """Parameters in lists and dicts."""

    def __init__(self, count):
        super().__init__()
        self.weights = nn.ParameterList([nn.Parameter(torch.randn(3)) for i in range(count)])
        self.weights.append(nn.Parameter(torch.ones(3)))
        self.named = nn.ParameterDict(
            {"scale": nn.Parameter(torch.randn(3)), "shift": nn.Parameter(torch.randn(3))}
        )

    def forward(self, x):
        for i, w in enumerate(self.weights):
            x = x + w * i
        return x * self.named["scale"] + self.named["shift"] + self.weights[-1] * self.weights[0]


class Projected(nn.Module):
    def __init__(self, layers, both, batch_first, bias):
        super().__init__()
        self.lstm = nn.LSTM(
            3,
            5,
            num_layers=layers,
            bidirectional=both,
            proj_size=2,
            batch_first=batch_first,
            bias=bias,
        )

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        z, (h2, c2) = self.lstm(x, (h, c))
        return y, h, c, z, h2, c2


class Pairs(nn.Module):
    def __init__(self):
        super().__init__()
        self.both = nn.Bilinear(4, 4, 3)
        self.plain = nn.Bilinear(4, 4, 2, bias=False)
        self.distance = nn.PairwiseDistance(2.0)

    def forward(self, x, y):
        return self.both(x, y), self.plain(x, y), self.distance(x, y)


class RareLosses(nn.Module):
    def __init__(self):
        super().__init__()
        self.poisson = nn.PoissonNLLLoss(full=True)
        self.gauss = nn.GaussianNLLLoss(full=True, reduction="sum")
        self.hinge = nn.HingeEmbeddingLoss(margin=0.5)
        self.triplet = nn.TripletMarginLoss(margin=0.7, swap=True)
        self.cosine = nn.CosineEmbeddingLoss(margin=0.1)
        self.labels = nn.MultiLabelSoftMarginLoss(weight=torch.tensor([1.0, 2.0, 0.5]))
        self.margins = nn.MultiMarginLoss(p=2, margin=0.8, weight=torch.tensor([1.0, 0.5, 2.0]))
        self.plain = nn.MultiMarginLoss(reduction="none")

    def forward(self, x, y, z, classes):
        signs = torch.where(x > 0, torch.ones_like(x), -torch.ones_like(x))
        rows = signs[:, 0]
        positive = y.abs() + 0.1
        return (
            self.poisson(x, positive),
            self.gauss(x, y, positive),
            self.hinge(x, signs),
            self.triplet(x, y, z),
            self.cosine(x, y, rows),
            self.labels(x, (signs + 1) / 2),
            self.margins(x, classes),
            self.plain(x, classes),
        )


@torch.jit.interface
class Step(nn.Module):
    def forward(self, input: Tensor) -> Tensor:
        pass


class Scale(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.w = nn.Parameter(torch.full((3,), float(k)))
        self.calls = 0

    def forward(self, input: Tensor) -> Tensor:
        self.calls += 1
        return input * self.w + self.calls


class Steps(nn.Module):
    """Modules of several classes behind one interface, chosen at run time."""

    def __init__(self):
        super().__init__()
        self.steps = nn.ModuleList(
            [nn.Linear(3, 3), Scale(2), nn.Sequential(nn.Linear(3, 3), nn.Tanh()), Scale(5)]
        )

    def forward(self, x: Tensor, order: Tensor):
        for i in range(order.size(0)):
            step: Step = self.steps[int(order[i])]
            x = step.forward(x)
        return x


class Picked(nn.Module):
    """Results by the names of the schema."""

    def __init__(self):
        super().__init__()
        self.row = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))

    def forward(self, x):
        x = self.row[0](x)
        top = torch.max(x, 1)
        order = x.sort(1)
        return x + top.values.unsqueeze(1), top.indices, order.indices, x.is_cuda


class Sliced(nn.Module):
    """Slices of containers, which TorchScript has for tuples only."""

    def __init__(self):
        super().__init__()
        self.steps = nn.ModuleList([nn.Linear(3, 3) for _ in range(4)])
        self.row = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))

    def forward(self, x):
        for step in self.steps[1:]:
            x = step(x)
        for i, step in enumerate(self.steps[:-1:2]):
            x = step(x) + i
        for step in self.row[:2]:
            x = step(x)
        two = self.steps[1:3]
        return two[0](x), len(self.steps[1:])


class Unbatched(nn.Module):
    """Inputs without a batch."""

    def __init__(self):
        super().__init__()
        self.lstm, self.gru, self.rnn = (
            nn.LSTMCell(4, 4),
            nn.GRUCell(4, 4),
            nn.RNNCell(4, 4, nonlinearity="relu"),
        )
        self.attention = nn.MultiheadAttention(4, 2)
        self.layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)
        self.last = nn.Sequential(
            nn.Identity(4, unused=True), nn.Softmax(), nn.FeatureAlphaDropout(0.0)
        )

    def forward(self, x, padding):
        h, c = self.lstm(x[0])
        h, c = self.lstm(x[1], (h, c))
        y, weights = self.attention(x, x, x, key_padding_mask=padding)
        assert weights is not None
        return (
            h,
            c,
            self.gru(x[0], self.gru(x[1])),
            self.rnn(x[0], self.rnn(h)),
            y,
            weights,
            self.layer(y),
            self.last(x),
        )


class OldLosses(nn.Module):
    """The reduction by the two flags of old programs, and by an attribute that is no constant."""

    def __init__(self, reduction="sum"):
        super().__init__()
        self.square = nn.MSELoss(size_average=False)
        self.single = nn.L1Loss(reduce=False)
        self.smooth = nn.SmoothL1Loss(True, True, "none")
        self.logits = nn.BCEWithLogitsLoss(size_average=False)
        self.soft = nn.SoftMarginLoss(None, False)
        self.margin = nn.MultiLabelMarginLoss(size_average=False)
        self.reduction = reduction

    def forward(self, x, y):
        place = torch.tensor([[1, -1, 0]] * 4)
        return (
            self.square(x, y),
            self.single(x, y),
            self.smooth(x, y),
            self.logits(x, torch.sigmoid(y)),
            self.soft(x, y),
            self.margin(x, place),
            F.huber_loss(x, y, reduction=self.reduction),
            F.kl_div(x, y.exp(), reduction=self.reduction),
        )
