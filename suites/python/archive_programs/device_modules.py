"""Modules that hold devices: each is saved, frozen, traced, read and run."""

from typing import Dict, List, Optional, Tuple

import torch
from torch import Tensor, nn


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.dev = torch.device("cpu")

    def forward(self, x: Tensor) -> Tensor:
        return x.to(self.dev) + torch.zeros(x.size(1), device=self.dev)


class Chosen(nn.Module):
    def __init__(self, device=None, dtype=None):
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.lin = nn.Linear(3, 3, **factory_kwargs)
        self.w = nn.Parameter(torch.ones(3, **factory_kwargs))
        self.to(self.device)

    def forward(self, x: Tensor) -> Tensor:
        h = torch.zeros(x.size(0), 3, device=self.device)
        return self.lin(x.to(self.device)) * self.w + h.to(x.device)


class Held(nn.Module):
    def __init__(self):
        super().__init__()
        self.places = [torch.device("cpu"), torch.device("cpu:0")]
        self.pair = (torch.device("cpu"), "cpu")
        self.by_name = {"a": torch.device("cpu")}
        self.some: Optional[torch.device] = torch.device("cpu")
        self.none: Optional[torch.device] = None
        self.name = "cpu"

    def forward(self, x: Tensor) -> Tensor:
        for d in self.places:
            if d.index is None:
                x = x.to(d) + 1
        y = torch.ones(1, device=self.pair[0]).to(self.pair[1]).to(self.by_name["a"])
        return (
            x + y.to(self.name) + torch.ones(1, device=self.some) + torch.ones(1, device=self.none)
        )


class Compared(nn.Module):
    def __init__(self):
        super().__init__()
        self.dev = torch.device("cpu:0")

    def forward(self, x: Tensor) -> Tensor:
        if x.device == self.dev or x.device != torch.device("cpu"):
            return x
        e = torch.ones(1, device=self.dev)
        if x.is_cuda:
            e = e.cuda()
        return x + e + (0 if self.dev.index is None else 2)


class Given(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Plain()
        self.dev = None
        self.dev = torch.device("cpu")

    def place(self) -> torch.device:
        return self.dev

    def made(self, n: int, device: Optional[torch.device] = None) -> Tensor:
        return torch.ones(n, device=self.place() if device is None else device)

    def forward(self, x: Tensor) -> Tensor:
        return (
            self.inner(x)
            + self.made(1)
            + self.made(1, torch.device("cpu"))
            + self.made(1, x.device)
        )
