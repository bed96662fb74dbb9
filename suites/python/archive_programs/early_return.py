"""Early returns inside loops, of every type: what has not been returned yet needs a value of the
type.

Every function of one int `n` is saved, loaded and called by test_archive_language.py; make_... only
loaded.
"""

from enum import Enum
from typing import Dict, List, NamedTuple, Optional, Tuple, Union
import torch
from torch import Tensor


class P(NamedTuple):
    a: int
    n: int


class Q(NamedTuple):
    p: P
    t: Tensor
    name: str


class K(Enum):
    X = 1
    Y = 2


class Acc:
    def __init__(self, v: int):
        self.v = v

    def add(self, n: int) -> int:
        self.v += n
        return self.v


def named(n: int) -> P:
    for i in range(n):
        if i == 3:
            return P(i, n)
    return P(0, n)


def nested(n: int) -> Q:
    i = 0
    while i < n:
        for j in range(i):
            if i * j == 6:
                return Q(P(i, j), torch.ones(2) * j, "in")
        i += 1
    return Q(P(0, n), torch.zeros(1), "out")


def in_tuple(n: int) -> Tuple[P, int]:
    for i in range(n):
        if i == 3:
            return P(i, n), 3
    return P(0, n), 4


def maybe_named(n: int) -> Optional[P]:
    while n > 0:
        n -= 2
        if n == 3:
            return P(n, 1)
    return None


def cls(n: int) -> int:
    a = make_find(n)
    return a.add(100)


def make_find(n: int) -> Acc:
    for i in range(n):
        if i == 3:
            return Acc(i)
    return Acc(-1)


def maybe_cls(n: int) -> int:
    a = make_look(n)
    if a is None:
        return -5
    return a.v


def make_look(n: int) -> Optional[Acc]:
    for i in range(n):
        for j in range(n):
            if i + j == 4:
                return Acc(j)
    return None


def enum(n: int) -> int:
    return make_which(n).value


def make_which(n: int) -> K:
    for i in range(n):
        if i == 2:
            return K.Y
    return K.X


def texts(n: int) -> str:
    while n < 9:
        n += 1
        if n > 5:
            return "x" + str(n)
    return "none"


def lists(n: int) -> List[int]:
    out: List[int] = []
    for i in range(n):
        out.append(i)
        if i == 3:
            return out
    return out + [7]


def dicts(n: int) -> Dict[str, int]:
    for i in range(n):
        if i == 3:
            return {"i": i}
    return {"n": n}


def tensors(n: int) -> Tensor:
    for i in range(n):
        while i < 5:
            i += 1
            if i == 4:
                return torch.full((2,), float(i))
    return torch.zeros(3)


def maybe(n: int) -> Optional[int]:
    for i in range(n):
        if i == 3:
            return i
    return None


def floats(n: int) -> float:
    for i in range(n):
        if i == 3:
            return 0.5
        elif i > 3:
            continue
    return 1.5


def list_of_named(n: int) -> List[P]:
    for i in range(n):
        if i == 3:
            return [P(i, i), P(0, 0)]
    return [P(n, n)]


def dict_of_lists(n: int) -> Dict[int, List[Tuple[int, str]]]:
    for i in range(n):
        if i == 3:
            return {i: [(i, "a")]}
    return {0: [(1, "b")]}


def deep(n: int) -> Tuple[List[P], Dict[str, P]]:
    for i in range(n):
        for j in range(n):
            for k in range(n):
                if i * j * k == 6:
                    return [P(i, j)], {"k": P(k, n)}
    return [P(0, 0)], {"none": P(n, n)}
