"""Modules and functions of torch.jit.interface: what is called has a class that only the run knows.

Run with a folder, writes NAME.theirs.pt there, with the input x.npy and, for each integer that
`forward` takes, NAME.N.npy.
"""

import sys
from pathlib import Path
from typing import Dict

import numpy as np
import torch
from torch import Tensor, nn


@torch.jit.interface
class Block(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass

    def scale(self, k: int) -> float:
        pass


class Dense(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x)

    @torch.jit.export
    def scale(self, k: int) -> float:
        return 0.5 * k


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([1.0, 2.0, -1.0, 0.5]))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight

    @torch.jit.export
    def scale(self, k: int) -> float:
        return 2.0 * k


class Other(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y


class Held(nn.Module):
    chosen: Block

    def __init__(self):
        super().__init__()
        self.chosen = Weighted()
        self.other = Other()

    def forward(self, x: Tensor, i: int) -> Tensor:
        return self.other(self.chosen.forward(x), x) * self.chosen.scale(i)


class Indexed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Dense(), Weighted(), Dense(), Weighted()])

    def forward(self, x: Tensor, i: int) -> Tensor:
        block: Block = self.layers[i]
        for k in range(2):
            x = block.forward(x) * block.scale(k + 1)
        return x


class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Weighted() for _ in range(300)])

    def forward(self, x: Tensor, i: int) -> Tensor:
        block: Block = self.layers[i]
        return block.forward(x)


class Named(nn.Module):
    names: Dict[int, str]

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleDict({"a": Dense(), "b": Weighted()})
        self.names = {0: "a", 1: "b"}

    def forward(self, x: Tensor, i: int) -> Tensor:
        block: Block = self.layers[self.names[i % 2]]
        return block.forward(x)


@torch.jit.interface
class Layer(nn.Module):
    def forward(self, x: Tensor, i: int) -> Tensor:
        pass


class Raised(nn.Module):
    def forward(self, x: Tensor, i: int) -> Tensor:
        return x + i


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.by = nn.Parameter(torch.ones(1) * 3)

    def forward(self, x: Tensor, i: int) -> Tensor:
        return x * self.by


class Itself(nn.Module):
    """A module that has the methods of the interface that it calls."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Raised(), Scaled()])
        self.k = 1

    def forward(self, x: Tensor, i: int) -> Tensor:
        one: Layer = self.layers[self.k]
        other: Layer = self.layers[i]
        return one.forward(other.forward(x, i), i)


@torch.jit.interface
class Step:
    def run(self, x: Tensor) -> Tensor:
        pass

    def reset(self) -> None:
        pass


@torch.jit.script
class Times:
    def __init__(self):
        self.k = 2

    def run(self, x: Tensor) -> Tensor:
        self.k += 1
        return x * self.k

    def reset(self) -> None:
        self.k = 0


@torch.jit.script
class Plus:
    def __init__(self, b: float):
        self.b = b

    def run(self, x: Tensor) -> Tensor:
        return x + self.b

    def reset(self) -> None:
        self.b = 0.25


def twice(step: Step, x: Tensor) -> Tensor:
    x = step.run(x)
    step.reset()
    return step.run(x)


class Stepped(nn.Module):
    def forward(self, x: Tensor, i: int) -> Tensor:
        if i > 0:
            return twice(Times(), x)
        return twice(Plus(1.5), x)


PROGRAMS = [
    (Held, (1, 3)),
    (Indexed, (0, 1, 2)),
    (Wide, (0, 299)),
    (Named, (0, 1)),
    (Itself, (0, 1)),
    (Stepped, (0, 1)),
]

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    torch.manual_seed(0)
    x = torch.arange(8, dtype=torch.float32).reshape(2, 4) / 4 - 1
    np.save(folder / "x.npy", x.numpy())
    for made, numbers in PROGRAMS:
        scripted = torch.jit.script(made().eval())
        scripted.save(str(folder / f"{made.__name__}.theirs.pt"))
        for i in numbers:
            np.save(folder / f"{made.__name__}.{i}.npy", scripted(x, i).detach().numpy())
