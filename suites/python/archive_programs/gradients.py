"""Modules whose code switches gradients: parameters changed in place, early exits, exceptions,
managers of their own."""

import torch
from torch import Tensor, nn


class Meter:
    def __init__(self, n: int) -> None:
        self.n = n

    def __enter__(self) -> int:
        self.n += 1
        return self.n

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        self.n += 10


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))


class InPlace(Base):
    def forward(self, x: Tensor, k: int) -> Tensor:
        with torch.no_grad():
            self.w.mul_(2)
        return x * self.w


class Returns(Base):
    def forward(self, x: Tensor, k: int) -> Tensor:
        with torch.no_grad():
            self.w.mul_(2)
            if k > 2:
                return x * self.w
        return x * self.w


class ReturnsWithin(Base):
    def forward(self, x: Tensor, k: int) -> Tensor:
        with torch.autograd.no_grad():
            return x * self.w


class Breaks(Base):
    def forward(self, x: Tensor, k: int) -> Tensor:
        y = x
        for i in range(5):
            with torch.no_grad():
                if i > k:
                    break
                if i == 1:
                    continue
                y = y + self.w
        return y * self.w


class Nested(Base):
    def forward(self, x: Tensor, k: int) -> Tensor:
        with torch.no_grad():
            y = x * self.w
            with torch.enable_grad():
                z = y * self.w
            y = y * self.w
            with torch.no_grad():
                pass
        return y + z


class Chosen(Base):
    def forward(self, x: Tensor, k: int) -> Tensor:
        with torch.set_grad_enabled(k > 2):
            y = x * self.w
        return y


class Inference(Base):
    def forward(self, x: Tensor, k: int) -> Tensor:
        with torch.inference_mode():
            y = x * 2
        return y


class Raises(Base):
    def forward(self, x: Tensor, k: int) -> Tensor:
        with torch.no_grad():
            if k == 1:
                raise ValueError("one")
            y = x * self.w
        return y


class Managed(Base):
    def forward(self, x: Tensor, k: int) -> Tensor:
        m = Meter(k)
        with m as n, torch.no_grad():
            y = x * self.w * n
        return y + m.n


class Asks(Base):
    def forward(self, x: Tensor, k: int) -> bool:
        with torch.no_grad():
            a = torch.is_grad_enabled()
        return a
