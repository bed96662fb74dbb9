# Python's built-in functions that are no single op.
import math
from typing import List

import torch
from torch import Tensor


def round_int(n: int, digits: int) -> int:
    if digits >= 0:
        return n
    if digits < -18:
        if digits == -19 and (n > 5 * 10**18 or n < -5 * 10**18):
            raise OverflowError("the result of round() does not fit 64 bits")
        return 0
    unit = 10**-digits
    rest = n % unit
    if rest * 2 < unit or (rest * 2 == unit and n // unit % 2 == 0):
        if n < rest - 9223372036854775807 - 1:
            raise OverflowError("the result of round() does not fit 64 bits")
        return n - rest
    if n > 9223372036854775807 - (unit - rest):
        raise OverflowError("the result of round() does not fit 64 bits")
    return n + (unit - rest)


# To tens, hundreds, ...: what is left behind them is exact, and so is the sum but for its own
# rounding.
def round_to_tens(x: float, digits: int) -> float:
    if not math.isfinite(x):
        return x
    if digits < -22:
        if abs(x) >= 1e22:
            raise NotImplementedError(
                "round() of a number that large to more than 22 digits before the point"
            )
        return math.copysign(0.0, x)
    unit = math.copysign(10.0 ** float(-digits), x)
    rest = math.fmod(x, unit)
    far = abs(rest) * 2.0
    if far > abs(unit) or (far == abs(unit) and math.fmod((x - rest) / unit, 2.0) != 0.0):
        return x + (unit - rest)
    return math.copysign(x - rest, x)


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


# How many dims meet is known when it runs.
def tensordot(a: Tensor, b: Tensor, dims: int) -> Tensor:
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
    if dims > min(a.dim(), b.dim()):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
    return torch.ops.aten.tensordot(a, b, [i - dims for i in range(dims)], [i for i in range(dims)])
