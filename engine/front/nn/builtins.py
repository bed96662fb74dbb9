# Python's built-in functions that are no single op.
from typing import List

import torch
from torch import Tensor


def pow(base: int, exp: int, mod: int) -> int:
    if mod == 0:
        raise ValueError("pow() 3rd argument cannot be 0")
    if mod > 3037000499 or mod < -3037000499:
        raise OverflowError("pow() takes a modulus whose square fits 64 bits")
    factor, left = base % mod, exp
    if exp < 0:
        divisor, rest = factor, mod
        inverse, other = 1, 0
        while rest != 0:
            times = divisor // rest
            divisor, rest = rest, divisor - times * rest
            inverse, other = other, inverse - times * other
        if divisor != 1 and divisor != -1:
            raise ValueError("base is not invertible for the given modulus")
        factor, left = (inverse * divisor) % mod, -exp
    out = 1 % mod
    while left > 0:
        if left % 2 == 1:
            out = out * factor % mod
        factor = factor * factor % mod
        left = left // 2
    return out


def sum(items: List[Tensor]) -> Tensor:
    out = torch.zeros([], dtype=torch.int64)
    for t in items:
        out = out + t
    return out


# torch.tensor of a list of tensors.
def tensor(items: List[Tensor]) -> Tensor:
    for t in items:
        if t.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
    return torch.stack(items)
