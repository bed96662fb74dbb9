"""Control flow in scripts: early exits from branches and loops, refinement, calls.
Exact integers only."""
from typing import List, Optional, Tuple

import torch


def helper(a: int, b: int = 3) -> int:
    if a > b:
        return a
    return b + 1


def t1(a: int, b: int):
    if a > 2:
        return a
    b += 1
    if b > 2:
        return b * 10
    return b * 100


def t2(a: int, b: int):
    s = 0
    for i in range(a):
        if i == 2:
            continue
        if i == 4:
            break
        s += i * 10 + b
    return s


def t3(a: int, b: int):
    s = 0
    i = 0
    while i < a:
        i += 1
        j = 0
        while True:
            j += 1
            if j > b + 2:
                break
            if j == 2:
                continue
            if i * j == 8:
                return -s
            s += i * j
    return s


def t4(a: int, b: int):
    if a > 0:
        if a > 3:
            return b
        y = 1
    else:
        y = 2
    return y + a


def t5(a: int, b: int) -> int:
    for i in range(a, -3, -2):
        for j in range(1, 4):
            if i + j == b:
                return i * 100 + j
            if j > b:
                break
        if i == b:
            continue
        a += 1
    return a


def t6(a: int, b: int):
    x: Optional[int] = None
    if a > 1:
        x = a
    if x is None:
        y = 5
    else:
        y = x + 1
    if x is not None and x > 3:
        y += 100
    return y


def t7(a: int, b: int):
    assert a >= 0, "neg"
    if b == 2:
        raise ValueError("two")
    else:
        z = 3
    return helper(a) + helper(a, b) + helper(b=a, a=b) + z


def t8(a: int, b: int):
    c = a < b < 3 or not a == 4 and b != 0
    d = 1 if c else (2 if a > 0 else 3)
    x = y = d
    x, (y, z) = y + 1, (a, b)
    return x * 1000 + y * 100 + z * 10 + d - -a * 2 + (-2) * 2


def t9(a: int, b: int):
    xs: List[int] = []
    for i in range(a):
        xs.append(i * i)
    t = 0
    for x in xs:
        t = t * 10 + x
        if t > 50:
            return t, xs
    return t + len(xs), xs


def t10(a: int, b: int):
    if a > 3:
        return None
    if b > 1:
        return a
    for i in range(a):
        if i == b:
            return i
    return 7


def t11(a: int, b: int):
    r = 0
    while a > 0:
        a -= 1
        if a == 3:
            if b == 1:
                continue
            elif b == 2:
                break
            r += 1000
        r += a
    return r, a % 3, (r, a)[0], a > 2 and b > 1


def t12(a: int, b: int):
    k = 0
    for p in (a, b, 3):
        k = k * 10 + p
    while True:
        k += 1
        if k % 7 == 0:
            if k > 20:
                return k
            k += 3
        elif k > 500:
            break
    return -k


def t13(a: int, b: int):
    if a > 1:
        if b > 0:
            if a > 4:
                return 1
            q = 3
        else:
            return 2
        r = q
    elif b > 1:
        raise RuntimeError("x")
    else:
        r = 9
        while r > 3:
            r -= 4
            if r == b:
                return 77
    return r


def half(x: Optional[int], y: Optional[int] = None) -> int:
    if x is None:
        raise ValueError("no x")
    if y is not None and y > x:
        x = y
    if not (y is None or x == 4):
        return y + x
    return x * 2


def t15(a: int, b: int):
    p: Optional[int] = None
    if a > 1:
        p = a
    q = b if b > 1 else None
    while p is not None:
        if p is not None and p > 4:
            p = None
        elif p is not None:
            p += 1
            b += half(p, q)
    return half(a if a >= 0 else None, q), b


def t14(a: int, b: int):
    i = 10
    for i in range(a):
        b += i
    return i, b
