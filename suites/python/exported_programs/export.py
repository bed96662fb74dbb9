"""Exports the programs of names.py into a folder: NAME.pt2, NAME_core.pt2 after decompositions, and
NAME.0.npy, NAME.1.npy... with what PyTorch gives for the inputs that come along.
"""

import argparse
import copy
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
import torch.utils._pytree as pytree
from names import CORE_REFUSED, NAMES
from torch import nn
from torch.export import Dim, export, save


class Of(nn.Module):
    """A module whose forward is a function, with parts that it calls."""

    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            if isinstance(part, torch.Tensor) and not isinstance(part, nn.Parameter):
                self.register_buffer(name, part)
            else:
                setattr(self, name, part)

    def forward(self, *args, **kwargs):
        return self.function(self, *args, **kwargs)


def conv_net():
    layers = [nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)]
    layers += [nn.Conv2d(8, 16, 3, stride=2, groups=2), nn.GELU(), nn.AdaptiveAvgPool2d(1)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(16, 10)).eval(), (T(2, 3, 16, 16),)


def batch_norm_train():
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()), (T(2, 3, 6, 6),)


def residual():
    def forward(self, x):
        return F.relu(x + self.n(self.b(F.relu(self.m(self.a(x))))))

    convs = {n: nn.Conv2d(4, 4, 3, padding=1, bias=False) for n in "ab"}
    norms = {n: nn.BatchNorm2d(4) for n in "mn"}
    return Of(forward, **convs, **norms).eval(), (T(1, 4, 8, 8),)


def encoder_layer():
    return nn.TransformerEncoderLayer(16, 4, 32, batch_first=True).eval(), (T(2, 5, 16),)


def decoder_layer():
    layer = nn.TransformerDecoderLayer(16, 4, 32, batch_first=True, norm_first=True)
    return layer.eval(), (T(2, 5, 16), T(2, 7, 16))


def attention():
    return nn.MultiheadAttention(16, 4, batch_first=True).eval(), (T(2, 5, 16),) * 3


def lstm():
    return nn.LSTM(5, 7, num_layers=2, bidirectional=True), (T(4, 3, 5),)


def gru():
    return nn.GRU(5, 7, batch_first=True), (T(4, 3, 5),)


def attention_function():
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    return Of(forward), (T(2, 2, 5, 8), T(2, 2, 5, 8), T(2, 2, 5, 8))


def embedding():
    def forward(self, i):
        return self.n(self.e(i) + self.p[: i.shape[1]])

    parts = {"e": nn.Embedding(11, 6, padding_idx=0), "p": nn.Parameter(T(7, 6))}
    return Of(forward, n=nn.LayerNorm(6), **parts), (torch.tensor([[1, 4, 10], [0, 3, 3]]),)


def embedding_bag():
    inputs = torch.tensor([1, 5, 3, 10, 2, 2]), torch.tensor([0, 3, 5])
    return nn.EmbeddingBag(11, 6, mode="mean"), inputs


def dynamic():
    def forward(self, x, y):
        b = x.shape[0]
        z = self.l(x).reshape(b * 2, 2)
        return z.view(b, -1) + y, torch.cat([x, x], 0)

    b = Dim("b", min=2, max=64)
    return Of(forward, l=nn.Linear(6, 4)), (T(3, 6), T(3, 4)), ({0: b}, {0: b})


def dynamic_mask():
    def forward(self, x):
        n = x.shape[1]
        seen = torch.ones(n, n, dtype=torch.bool).tril()
        shown = x.masked_fill(~seen, float("-inf")).softmax(-1)
        return shown, x.new_zeros(n + 1), torch.arange(n) * 2, x.sum() / n

    n = Dim("n")
    return Of(forward), (T(2, 5, 5),), ({1: n, 2: n},)


def branch():
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.l(x) + 1, lambda x: x.sin() - 1, (x,))

    return Of(forward, l=nn.Linear(3, 3)), (T(2, 3),)


def loop():
    def forward(self, x, i):
        more, step = (lambda x, i: i < 5), (lambda x, i: (x * 1.5 + 1, i + 1))
        return torch._higher_order_ops.while_loop(more, step, (x, i))

    return Of(forward), (T(2, 3), torch.tensor(0))


def mutation():
    def forward(self, x):
        self.n.add_(x.sum(0))
        return x * self.n

    return Of(forward, n=torch.zeros(3)), (T(2, 3),)


def mutated_input():
    def forward(self, x):
        x.add_(1)
        return x * 2

    return Of(forward), (T(2, 3),)


def no_grad():
    def forward(self, x):
        with torch.no_grad():
            y = x.sin() * 2
        return y + x

    return Of(forward), (T(2, 3),)


def autocast_off():
    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=False):
            return self.l(x).softmax(-1)

    return Of(forward, l=nn.Linear(8, 8)), (T(2, 8),)


def constants():
    def forward(self, x, flag, n):
        return x * torch.tensor([2, 3, 4]) + n if flag else x

    return Of(forward), (T(2, 3), True, 2)


def keywords():
    def forward(self, x, *, a):
        return {"sum": x + a["p"], "list": [x * a["q"][0], x - a["q"][1]]}

    return Of(forward), (T(2),), None, {"a": {"p": T(2), "q": [T(2), T(2)]}}


def dtypes():
    def forward(self, x):
        halves = x.to(torch.float16).float(), (x.bfloat16() + 1).float()
        whole = x.int() // 2, x > 0, x.long().abs().to(torch.uint8), x.to(torch.int16)
        return *halves, *whole, torch.zeros_like(x, dtype=torch.int8), torch.full((2,), True)

    return Of(forward), (T(3, 4) * 5,)


def lists():
    def forward(self, x):
        a, b, c = x.split([1, 2, 1], 1)
        first, second = torch.chunk(x, 2, 1)
        values, indices = x.topk(2)
        grid = torch.meshgrid(x[0], x[1], indexing="ij")
        sums = a * b.sum(1, keepdim=True) + c, torch.stack(x.unbind(0)), first - second
        picked = torch.where(x > 0, x, 0.0), x.clamp(min=0.0, max=1), torch.max(x, 1).values
        return *sums, values, indices, *picked, grid[0], torch.einsum("ij,kj->ik", x, x)

    return Of(forward), (T(4, 4),)


def indexing():
    def forward(self, x, i):
        written = x.clone()
        written[i] = 1.0
        written[:, 0] += 2
        read = x[i], x[:, i], x[x > 0].sum(), x.gather(1, i.expand(4, -1)), x.index_select(0, i)
        return *read, written, torch.scatter_add(x, 0, i.expand(4, -1), x[:, :3])

    return Of(forward), (T(4, 4), torch.tensor([1, 0, 3]))


def images():
    def forward(self, x):
        larger = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        sizes = larger, F.interpolate(x, size=(5, 7), mode="nearest"), F.avg_pool2d(x, 2)
        padded = F.pad(x, (1, 2, 0, 1)), F.pad(x, (1, 1, 1, 1), mode="reflect")
        at_centre = F.grid_sample(x, torch.zeros_like(x[:, :3, :3, :2]), align_corners=True)
        return *sizes, *padded, F.pixel_shuffle(x, 2), at_centre

    return Of(forward), (T(1, 4, 4, 4),)


def norms():
    layers = [nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True), nn.SiLU(), nn.Hardswish()]
    layers += [nn.LayerNorm([4, 4]), nn.Softplus(), nn.PReLU(), nn.ELU(), nn.Mish()]
    return nn.Sequential(*layers).eval(), (T(2, 4, 4, 4),)


def rms_norm():
    return nn.RMSNorm(8, eps=1e-6), (T(2, 8),)


def conv_transpose():
    layer = nn.ConvTranspose2d(3, 4, 3, stride=2, output_padding=1)
    return nn.Sequential(layer, nn.Dropout(0.5)).eval(), (T(1, 3, 4, 4),)


def conv_1d_3d():
    def forward(self, x):
        return self.b(self.a(x).reshape(1, 1, 4, 4, -1))

    parts = {"a": nn.Conv1d(3, 4, 3, padding="same"), "b": nn.Conv3d(1, 2, 2)}
    return Of(forward, **parts), (T(1, 3, 12),)


def item():
    def forward(self, x, n):
        k = n.item()
        torch._check(k >= 0)
        torch._check(k <= 4)
        return torch.zeros(k, 3) + x[0, 0]

    return Of(forward), (T(4, 4), torch.tensor(3))


def int_input():
    def forward(self, x, n):
        return x * n

    return Of(forward), (T(3), 4), (None, Dim.DYNAMIC)


def fourier():
    def forward(self, x):
        c = torch.fft.rfft(x)
        return torch.view_as_real(c * c), c.abs(), torch.fft.irfft(c)

    return Of(forward), (T(2, 8),)


def rotary():
    def forward(self, x):
        turned = torch.view_as_complex(x.reshape(2, 5, 4, 2)) * self.by
        return torch.view_as_real(turned).flatten(2)

    by = torch.polar(torch.ones(5, 4), torch.arange(20.0).reshape(5, 4))
    return Of(forward, by=by), (T(2, 5, 8),)


def tied_weights():
    def forward(self, i):
        return self.o(self.e(i))

    e, o = nn.Embedding(11, 6), nn.Linear(6, 11, bias=False)
    o.weight = e.weight
    return Of(forward, e=e, o=o), (torch.tensor([[1, 4, 10], [0, 3, 3]]),)


def losses():
    def forward(self, x, y):
        of_classes = F.cross_entropy(x, y, label_smoothing=0.1), F.nll_loss(x.log_softmax(1), y)
        of_values = F.mse_loss(x, x * 2), F.huber_loss(x, x * 2)
        return *of_classes, *of_values, F.kl_div(x, x.softmax(1), reduction="batchmean")

    return Of(forward), (T(4, 5), torch.tensor([0, 1, 2, 4]))


def linear_algebra():
    def forward(self, x):
        sums = x.cumsum(0), x.var(0, unbiased=False), x.logsumexp(1), x.prod(1)
        moved = x.roll(1, 0), x.flip(0), x.tril(), x.repeat(2, 1), x.argsort(1)
        norm = torch.linalg.norm(x, dim=1), F.normalize(x), torch.cdist(x, x)
        return *sums, *moved, *norm, torch.outer(x[0], x[1]), torch.bmm(x[None], x[None])

    return Of(forward), (T(4, 4),)


def scan():
    def forward(self, state, xs):
        def step(state, x):
            state = torch.tanh(self.l(state) + x)
            return state, state * 2

        return torch._higher_order_ops.scan(step, state, xs)

    return Of(forward, l=nn.Linear(3, 3)), (T(3), T(4, 3))


def scan_of_dict():
    def forward(self, start, turn, xs):
        def step(state, x):
            state = {"sum": state["sum"] + x[0], "turn": state["turn"] + 1}
            return state, (state["sum"] * 1.5, x[1].sum(0))

        start = {"sum": start, "turn": turn}
        return torch._higher_order_ops.scan(step, start, xs, dim=1, reverse=True)

    return Of(forward), (T(3), torch.tensor(0), (T(3, 4), T(2, 4)))


def map():
    def forward(self, xs, y):
        return torch._higher_order_ops.map(lambda x, y: x.sin() @ y, xs, y)

    n = Dim("n", min=3)
    return Of(forward), (T(4, 2, 3), T(3, 5)), ({0: n}, None)


def map_of_pairs():
    def forward(self, xs, y):
        return torch._higher_order_ops.map(lambda x, y: (x[0] + y, x[1].sum()), xs, y)

    return Of(forward), ((T(4, 3), T(4, 2)), T(3))


def T(*sizes):
    return torch.randn(*sizes)


def results_of(module, args, kwargs):
    with torch.no_grad():
        leaves = pytree.tree_leaves(module(*args, **kwargs))
    return [leaf.detach().numpy() for leaf in leaves if isinstance(leaf, torch.Tensor)]


def export_one(name, folder):
    torch.manual_seed(len(name))
    module, args, shapes, kwargs = (*globals()[name](), None, None)[:4]
    kwargs = kwargs or {}

    def copies():
        return copy.deepcopy(module), *copy.deepcopy((args, kwargs))

    of, inputs, words = copies()
    dynamic = None if shapes is None else (shapes,)  # Of takes *args
    program = export(of, inputs, words, dynamic_shapes=dynamic)
    save(program, folder / f"{name}.pt2")
    if name not in CORE_REFUSED:
        save(program.run_decompositions(), folder / f"{name}_core.pt2")
    for i, array in enumerate(results_of(*copies())):
        np.save(folder / f"{name}.{i}.npy", array)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=NAMES)
    words = parser.parse_args()
    for name in words.names:
        export_one(name, words.folder)
