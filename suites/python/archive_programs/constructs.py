"""Constructs that TorchScript does not take, saved in its terms; see early_return.py."""

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import List, Optional, Tuple, Union

import torch
from torch import Tensor

RATE = 1 / 8
NAMES = ("a", "b" * 2)


class Colour(Enum):
    RED = 1 << 1
    BLUE = 7


@dataclass(order=True, frozen=True)
class Pair:
    a: int
    b: float = RATE * 2


class Box:
    SIZE = 2 * 3

    def __init__(self, a: int):
        self.a = a

    @property
    def twice(self) -> int:
        return 2 * self.a

    @twice.setter
    def twice(self, value: int):
        self.a = value // 2


def loop_else(n: int) -> int:
    r = 0
    for i in range(5):
        for k in (1, 2.5):
            if i * k == n:
                r = i
                break
        else:
            continue
        break
    else:
        return -1
    return r * 10


def walrus(n: int) -> int:
    x: Optional[int] = None if n == 4 else n
    if x is not None and (m := n * x) > 4:
        return m
    while (n := n - 1) > 0 and (k := n * n) > 5:
        if k > 50:
            break
    return n


def forever(n: int) -> int:
    while True:
        n += 1
        if n > 5:
            return n


def defaults(
    n: int,
    eps: float = RATE * 2,
    k: Colour = Colour.RED,
    low: float = -math.inf,
    t: Tuple[int, str] = (1 << 4, NAMES[1]),
) -> Tuple[float, int, bool, int, str]:
    return eps * n, k.value, low < n, t[0], t[1]


def ordered(n: int) -> List[bool]:
    p, q = Pair(n), Pair(4, 1.5)
    return [p < q, p <= q, p > q, p >= q, p == q]


def setters(n: int) -> Tuple[int, int]:
    box = Box(n)
    box.twice += 6
    return box.a * Box.SIZE, box.twice


def steps(n: int) -> List[List[int]]:
    a = [i * n for i in range(7)]
    a[::2] = [n, n + 1, n + 2, n + 3]
    b = a.copy()
    a[4:0:-2] = [50, 30]
    del a[::3]
    return [a, b]


def out(n: int) -> Tensor:
    x = torch.ones(2, 2) * n
    y = torch.zeros(2, 2)
    z = torch.add(x, x, out=y)
    z += 1
    w = torch.zeros(2, 2, 2)
    torch.stack([x, torch.mm(x, y)], out=w)
    return w


def attributes(n: int) -> Tuple[float, bool, bool]:
    x = torch.zeros(2, 2)
    x.data[0, 1] = 7.0 * n
    x.real[1, 1] = 8.0
    return float(x.H[1, 0] + x.sum()), x.is_leaf, x.requires_grad


def items(n: int) -> Tuple[float, int]:
    pair: Tuple[float, int] = (torch.tensor([n * 1.5]).item(), n)
    return pair


def grown(p: Optional[int]) -> int:
    p = 4 if p is None else p
    while p < 10:
        p += 3
    return p


def shapes(n: int) -> List[int]:
    x = torch.zeros(n + 1, 2, 3)
    ones = torch.ones((x.shape[0],) + (1,) * (x.dim() - 1))
    flat = x.view(x.shape[:-2] + (-1,))
    return list(ones.shape) + list(flat.shape) + list(((1, 2) * 2)) + [grown(n), grown(None)]


def sure(n: int) -> int:
    if n == 77:
        x: Optional[int] = None
        assert x is not None
        return x
    return n + 1


def either(v: Union[int, str], first: bool):
    if first:
        return 0
    return v


def united(n: int) -> List[str]:
    texts: List[str] = []
    for v in [either(n, n > 3), either("b", n == 0), either(n, False)]:
        texts.append(v if isinstance(v, str) else "number")
    return texts
