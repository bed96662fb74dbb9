# torch.*: functions that are no single op, by ops; those with a tensor in front are its methods as well.
from typing import List, Optional

import torch
from torch import Tensor


def eye(n: int, m: Optional[int] = None, dtype: Optional[int] = None) -> Tensor:
    columns = n if m is None else m
    same = torch.arange(n).unsqueeze(1) == torch.arange(columns)
    return same.to(torch.float32 if dtype is None else dtype)


def linspace(start: float, end: float, steps: int, dtype: Optional[int] = None) -> Tensor:
    at = torch.arange(steps, dtype=torch.float32)
    step = (end - start) / (steps - 1) if steps > 1 else 0.0
    line = torch.where(at < steps // 2, start + at * step, end - (steps - 1 - at) * step)
    return line if dtype is None else line.to(dtype)


def nonzero(self: Tensor) -> Tensor:
    flat = torch.arange(self.numel()).masked_select((self != 0).flatten())
    columns: List[Tensor] = []
    size = self.numel()
    for n in self.shape:
        size = size // n if n > 0 else 0
        columns.append(torch.floor_divide(flat, max(size, 1)))
        flat = torch.remainder(flat, max(size, 1))
    if len(columns) == 0:
        return flat.reshape(-1, 0)
    return torch.stack(columns, 1)


def equal(self: Tensor, other: Tensor) -> bool:
    return self.shape == other.shape and bool((self == other).all())


def allclose(self: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    close = (self == other) | ((self - other).abs() <= atol + rtol * other.abs()) & torch.isfinite(other)
    if equal_nan:
        close = close | (torch.isnan(self) & torch.isnan(other))
    return bool(close.all())


def cumprod(self: Tensor, dim: int, dtype: Optional[int] = None) -> Tensor:
    source = self if dtype is None else self.to(dtype)
    if source.dim() == 0 or source.shape[dim] == 0:
        return source.clone()
    so_far = source.select(dim, 0)
    parts = [so_far]
    for i in range(1, source.shape[dim]):
        so_far = so_far * source.select(dim, i)
        parts.append(so_far)
    return torch.stack(parts, dim)


def diag(self: Tensor) -> Tensor:
    if self.dim() == 1:
        return torch.where(torch.arange(self.shape[0]).unsqueeze(1) == torch.arange(self.shape[0]), self, torch.zeros_like(self))
    if self.dim() != 2:
        raise RuntimeError("diag takes a vector or a matrix")
    at = torch.arange(min(self.shape[0], self.shape[1]))
    return self[at, at]


def trace(self: Tensor) -> Tensor:
    return diag(self).sum()


def vstack(tensors: List[Tensor]) -> Tensor:
    return torch.cat([t.reshape(1, -1) if t.dim() < 2 else t for t in tensors], 0)


def hstack(tensors: List[Tensor]) -> Tensor:
    whole = [t.reshape(-1) if t.dim() == 0 else t for t in tensors]
    return torch.cat(whole, 0 if whole[0].dim() == 1 else 1)


def tile(self: Tensor, dims: List[int]) -> Tensor:
    return self.repeat([1] * max(self.dim() - len(dims), 0) + dims)


def count_nonzero(self: Tensor) -> Tensor:
    return (self != 0).sum()


def bincount(self: Tensor, weights: Optional[Tensor] = None, minlength: int = 0) -> Tensor:
    count = max(minlength, int(self.max()) + 1) if self.numel() > 0 else minlength
    if weights is None:
        return torch.zeros([count], dtype=torch.int64).scatter_add(0, self, torch.ones_like(self))
    return torch.zeros([count], dtype=weights.dtype).scatter_add(0, self, weights)


def repeat_interleave(self: Tensor, repeats: int, dim: Optional[int] = None) -> Tensor:
    source = self.flatten() if dim is None else self
    at = 0 if dim is None else dim
    index = torch.floor_divide(torch.arange(source.shape[at] * repeats), repeats)
    return source.index_select(at, index)



def median(self: Tensor) -> Tensor:
    values, places = self.flatten().sort(0)
    return values[(self.numel() - 1) // 2]


def channel_shuffle(self: Tensor, groups: int) -> Tensor:
    parts = self.reshape(self.shape[0], groups, self.shape[1] // groups, -1)
    return parts.transpose(1, 2).reshape(self.shape)


def is_nonzero(self: Tensor) -> bool:
    return bool(self)


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0) -> Tensor:
    return (x1.unsqueeze(-2) - x2.unsqueeze(-3)).norm(p, [-1])
