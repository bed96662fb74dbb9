"""Modules that call methods of their bases, by super() through several classes and through a
library's module."""

import torch
from torch import Tensor, nn


class Base(nn.Module):
    def __init__(self, k: int):
        super().__init__()
        self.k = k

    def pre(self, x: Tensor) -> Tensor:
        return x + self.k

    def forward(self, x: Tensor) -> Tensor:
        return self.pre(x) * 3


class Middle(Base):
    def pre(self, x: Tensor) -> Tensor:
        return super().pre(x) * 2


class Last(Middle):
    def pre(self, x: Tensor) -> Tensor:
        return super().pre(x) - 1

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) + super().pre(x)


class Norm(nn.LayerNorm):
    def forward(self, input: Tensor) -> Tensor:
        return super().forward(input.double().float())
