"""Tensors in scripts: indexing, in-place writes through views, conversions. Exact integers only."""
import math
from typing import List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor


def grid(a: int, b: int) -> Tensor:
    return torch.arange(24).reshape(2, 3, 4) + a * 100 + b


def total(x: Tensor) -> int:
    weights = torch.arange(x.numel()).reshape(x.shape) + 1
    return int((x * weights).sum())


def t1(a: int, b: int):
    x = grid(a, b)
    return total(x[0]), total(x[:, 1:]), total(x[1, ::2]), total(x[..., -1]), \
        total(x[:, None, 0, 1:3])


def t2(a: int, b: int):
    x = grid(a, b)
    x[0, 1] = 7
    x[1, :, 2] += 5
    x[..., 0] = x[..., 3]
    y = x[0]
    y *= 2
    return total(x), total(y), x.size(0), x.shape[2], x.dim(), len(x)


def t3(a: int, b: int):
    x = grid(a, b)
    y = x.permute(2, 0, 1)
    z = x.view(4, 6).t()
    w = 100 - x
    return total(y), total(z), total(x.T), total(-x), total(w + 3), total(2 * x // 3)


def t4(a: int, b: int):
    x = grid(a, b).to(torch.float32)
    y = torch.where(x > 10, x, x * -1)
    z = F.relu(y - 5.0, inplace=False).clamp(min=1, max=9)
    s = float(z.sum())
    return int(s), int(y.max(torch.zeros([2, 3, 4])).sum()), \
        int(x.sum(dim=[0, 2], keepdim=True).sum())


def t5(a: int, b: int):
    x = torch.zeros([3])
    for i in range(a):
        if i == 3:
            continue
        x[i % 3] = i + b
        if bool(x.sum() > 9):
            break
    if x.sum() > 2:
        x += 1
    return int(x.sum()), int(x[0]), int(x[-1])


def scaled(x: Tensor, factor: Optional[int] = None, extra: int = 1) -> Tensor:
    if factor is None:
        return x + extra
    return x * factor + extra


def t6(a: int, b: int):
    x = grid(a, b)
    parts: List[Tensor] = []
    for i in range(b + 1):
        parts.append(scaled(x[0], i if i > 0 else None, extra=i))
    p = torch.stack(parts)
    q, r = torch.chunk(x, 2)
    return total(p), total(torch.cat([q, r], dim=1)), len(parts)


def pair(x: Tensor, n: int) -> Tuple[Tensor, int]:
    while n > 2:
        n -= 2
        if n == 3:
            return x, n * 10
        x = x + n
    return x - 1, n


def t7(a: int, b: int):
    x, n = pair(grid(a, b), a + b)
    total_of_rows = 0
    for row in x[0]:
        total_of_rows += int(row.sum()) * n
    for piece in [x[0], x[1]]:
        total_of_rows -= int(piece.sum())
    return total(x), n, total_of_rows


def t8(a: int, b: int):
    x = grid(a, b)
    y = x
    y += 1
    z = x if a > 2 else x + 1
    z -= 3
    ok = x.size(0) == 2 and (not a > 3 or b < 2)
    return total(x), total(y), total(z), ok, \
        int(math.sqrt(float(b * b))) + max(a, b) - min(a, 2) + abs(-a)
