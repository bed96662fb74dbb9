"""What PyTorch 1.13.1 has no operator for, as functions that an archive brings along when it needs
them.

portable.cpp replaces operators by calls of these; the text is read by this engine's front end and,
as the archive writes it, by PyTorch, so it uses only what both know. Each gives what the operator
gives, errors included.
"""

import math
from typing import Dict, List

import torch


def int_power(a: int, b: int) -> int:
    if b < 0:
        raise ValueError(f"int ** {b} is no int: give the base as a float")
    if b == 0 or a == 1:
        return 1
    if a == 0:
        return 0
    if a == -1:
        return 1 if b % 2 == 0 else -1
    out = 1
    for i in range(b):
        more = out * a
        if more // a != out:
            raise OverflowError(f"{a} ** {b} does not fit 64 bits")
        out = more
    return out


def inverted(a: int) -> int:
    return a ^ -1


def log2(a: float) -> float:
    if a <= 0.0:
        raise ValueError("math domain error")
    return float(torch.log2(torch.tensor(a, dtype=torch.float64)))


def log2_int(a: int) -> float:
    return log2(float(a))


def is_text(a: str) -> bool:
    return len(a) > 0


def text_holds(text: str, part: str) -> bool:
    return text.find(part) >= 0


def repeated(text: str, n: int) -> str:
    out: List[str] = []
    for i in range(n):
        out.append(text)
    return "".join(out)


def repeats(n: int, text: str) -> str:
    return repeated(text, n)


def all_texts(items: List[str]) -> bool:
    for item in items:
        if len(item) == 0:
            return False
    return True


def bare(text: str) -> str:
    """A number in another base without its prefix."""
    return text.replace("0x", "").replace("0o", "").replace("0b", "")


def centred(text: str, width: int, fill: str) -> str:
    left = (width - len(text)) // 2
    return repeated(fill, left) + text + repeated(fill, width - len(text) - left)


def signed(text: str, plus: str) -> str:
    return text if text.startswith("-") else plus + text


def zero_filled(text: str, width: int) -> str:
    sign = text[0:1] if text[0:1] in ["-", "+", " "] else ""
    return sign + text[len(sign) :].rjust(width - len(sign), "0")


def large(y: float) -> str:
    """A whole number from 2 ** 53 on: its first 53 bits in words of nine digits, doubled as often
    as needed."""
    doublings = 0
    while y >= 9007199254740992.0:
        y = y / 2.0
        doublings += 1
    words: List[int] = []
    rest = int(y)
    while rest > 0:
        words.append(rest % 1000000000)
        rest = rest // 1000000000
    while doublings > 0:
        factor = 1
        for i in range(min(doublings, 30)):
            factor = factor * 2
            doublings -= 1
        carry = 0
        for k in range(len(words)):
            value = words[k] * factor + carry
            words[k] = value % 1000000000
            carry = value // 1000000000
        while carry > 0:
            words.append(carry % 1000000000)
            carry = carry // 1000000000
    words.reverse()
    text = str(words[0])
    for k in range(1, len(words)):
        text += str(words[k]).rjust(9, "0")
    return text


def fixed(x: float, digits: int) -> str:
    """x with so many digits behind the point, rounded once: its fraction is split into words
    of 53 bits."""
    if math.isnan(x):
        return "nan"
    sign = "-" if math.copysign(1.0, x) < 0.0 else ""
    y = abs(x)
    if y == math.inf:
        return sign + "inf"
    words: List[int] = []
    decimals: List[int] = []
    text = ""
    if y >= 9007199254740992.0:
        text = large(y)
        for i in range(digits):
            decimals.append(0)
    else:
        whole = int(y)
        rest = y - float(whole)
        while rest > 0.0:
            rest = rest * 9007199254740992.0
            words.append(int(rest))
            rest = rest - float(int(rest))
        for i in range(digits):
            carry = 0
            for k in range(len(words) - 1, -1, -1):
                word = words[k] * 10 + carry
                carry = word >> 53
                words[k] = word & 9007199254740991
            decimals.append(carry)
        order = 0
        for k in range(len(words)):
            half = 4503599627370496 if k == 0 else 0
            if order == 0 and words[k] != half:
                order = 1 if words[k] > half else -1
        last = whole if digits == 0 else decimals[-1]
        up = len(words) > 0 and (order > 0 or (order == 0 and last % 2 == 1))
        for i in range(digits - 1, -1, -1):
            if up:
                up = decimals[i] == 9
                decimals[i] = 0 if up else decimals[i] + 1
        if up:
            whole += 1
        text = str(whole)
    return sign + text + ("." if digits > 0 else "") + "".join([str(d) for d in decimals])


def rounded(x: float, digits: int) -> float:
    if not math.isfinite(x) or digits > 400:
        return x
    if digits < 0:
        raise ValueError("round with a negative number of digits is not supported")
    return float(fixed(x, digits))


def into(out: torch.Tensor, result: torch.Tensor, op: str, exact: bool) -> torch.Tensor:
    if out.dtype != result.dtype and (exact or not torch.can_cast(result.dtype, out.dtype)):
        raise RuntimeError(op + ": the result's dtype does not go into that of 'out'")
    if out.size() != result.size():
        out.resize_(result.size())
    return out.copy_(result)
