"""Programs that are written as programs of torch.export: what elements of tensors decide becomes a
part of the graph, all else is computed. test_save_exported.py says with which inputs."""

import torch
from torch import Tensor


def branch(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    if bool(x.sum() > 0):
        a = x + y
        b = x
    else:
        a = x - y
        b = y * 2
    return a, b


def conditions(x: Tensor) -> Tensor:
    n = 3
    if bool(x.sum() > 0) and bool(x.max() < 100) and n > 2:
        if bool(x.min() < 0):
            x = x * n
        n = 5
    else:
        n = 7
    return x + n


def both(x: Tensor) -> tuple[Tensor, int]:
    out = (x + 1, 2) if bool(x.sum() > 0) else (x.relu(), 5)
    return out


def numbers(x: Tensor) -> Tensor:
    s = float(x.sum())
    k = int(x.abs().max() * 10) + 2
    return x * s + k


def guard(x: Tensor) -> Tensor:
    if bool(x.sum() > 1000):
        raise RuntimeError("too much")
    return x + 1


def selection(x: Tensor) -> tuple[Tensor, int]:
    y = x[x > 0]
    return y * y.size(0) + torch.zeros(y.size(0)), y.size(0)


def halves(x: Tensor) -> Tensor:
    i = 0
    while bool(x.abs().max() > 1):
        x = x / 2
        i += 1
    return x + i


def repeats(x: Tensor) -> Tensor:
    out = x
    for i in range(int(x.abs().sum())):
        out = out + i * x
    return out


def in_lists(x: Tensor) -> tuple[list[Tensor], dict[str, Tensor]]:
    out: list[Tensor] = []
    for i in range(3):
        out.append(x[i] * i)
    return out, {"a": x.relu(), "b": torch.tensor([1.0, 2.0]) + x.sum()}


def several(x: Tensor) -> tuple[Tensor, Tensor]:
    a, b, c = torch.split(x, 1)
    v, i = torch.max(x, 1)
    return a + b + c, v * i


def in_place(x: Tensor) -> Tensor:
    y = x.clone()
    y[0] = 5
    y += 1
    y.mul_(x)
    return y


def optional(x: Tensor, w: Tensor | None, k: int = 3) -> Tensor:
    return x * w if w is not None else x * k


class Counts(torch.nn.Module):
    """A buffer that is written, one that is set, statistics, dropout that does nothing."""

    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(4)
        self.register_buffer("calls", torch.zeros(1))
        self.register_buffer("last", torch.zeros(3, 4))

    def forward(self, x: Tensor) -> Tensor:
        self.calls.add_(1)
        self.last = self.last + x
        return self.norm(x) + self.calls + self.last


def text(x: Tensor) -> tuple[Tensor, str]:
    return x, "yes"


def prints(x: Tensor) -> Tensor:
    print(x.sum().item())
    return x


def texts(x: Tensor) -> Tensor:
    return x + len(f"{x}")


def gradient(x: Tensor) -> Tensor:
    x.requires_grad_()
    slope = torch.autograd.grad([(x * x).sum()], [x])[0]
    assert slope is not None
    return slope


def resized_loop(x: Tensor) -> Tensor:
    while bool(x.sum() > 0):
        x = x[x > 1]
    return x


def appends(x: Tensor) -> Tensor:
    out: list[Tensor] = [x]
    if bool(x.sum() > 0):
        out.append(x)
    return torch.stack(out)


def shapes(x: Tensor) -> Tensor:
    if bool(x.sum() > 0):
        y = x
    else:
        y = x[0]
    return y


def growing(x: Tensor) -> Tensor:
    while bool(x.sum() < 100):
        x = torch.cat([x, x])
    return x


def written_outside(x: Tensor) -> Tensor:
    y = x.clone()
    if bool(x.sum() > 0):
        y.add_(1)
    return y


def kinds(x: Tensor) -> Tensor | None:
    return x if bool(x.sum() > 0) else None


def size_decides(x: Tensor) -> Tensor:
    y = x[x > 0]
    if y.size(0) % 2 == 0:
        y = y[0:2]
    return y


class Resized(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        self.seen = x
        return x


class Numbered(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return x * self.calls
