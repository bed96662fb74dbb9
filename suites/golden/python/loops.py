"""Loops, comprehensions, unpacking, chained comparisons, control flow."""
from typing import List, Optional


def t1(a: int, b: int):
    s = 0
    for i, x in enumerate([5, 6, 7], 1):
        s += i * x
    for i, x in enumerate("ab"):
        s += i * ord(x)
    for x, y in zip([1, 2, 3], [4, 5]):
        s += x * y
    for x, (y, z) in zip(range(3), zip("ab", [True, False])):
        s += x if z else 10
    for x in reversed([1, 2, a]):
        s = s * 2 + x
    for x in reversed(range(0, 10, 3)):
        s = s * 2 + x
    for i, (x, y) in enumerate(zip([1, 2], reversed([3, 4]))):
        s += i * x * y
    return s


def t2(a: int, b: int):
    return [i for i in range(a, -1, -1)], [i for i in range(b, 10, 3)], \
        [i for i in range(5, a, -2)], list(range(a)), \
        [x * y for x, y in zip([1, 2], [3, 4])], [(i, c) for i, c in enumerate("xy")], \
        [[j for j in range(i)] for i in range(b)]


def t3(a: int, b: int):
    i = 100
    l = [i for i in range(3) if i != a if i > b - 2]
    return i, l, [i if i > 1 else -i for i in range(4)], sum(i * i for i in range(a)), \
        any([i == a for i in range(3)]), \
        all(x > 0 for x in [a, b])


def t4(a: int, b: int):
    for i in range(1, 10, b):
        a += i
    return a


def t5(a: int, b: int):
    t = (1, "x", 2.5)
    s = ""
    for v in t:
        s += str(v)
    for i, v in enumerate(t):
        s += str(i) + str(v)
    for v, w in zip(t, (4, 5, 6)):
        s += str(v) + str(w)
    return s


def t6(a: int, b: int):
    x, y = a, b
    x, y = y, x
    p = q = [a]
    p.append(b)
    (c, d), e = (1, 2), 3
    [f, g] = [4, 5]
    return x, y, q, c + d + e + f + g, 0 <= a < 3, a < b < 2, a == b == 0, 0 < a != b, \
        -1 <= a <= 1 <= b


def t7(a: int, b: int):
    n = 0
    while True:
        n += 1
        if n % 2 == 0:
            continue
        if n > a:
            break
        for j in range(n):
            if j > b:
                break
            if j == 1:
                continue
            n += 1
    return n


def t8(a: int, b: int) -> Optional[int]:
    for i in range(a):
        for j in range(3):
            if i * j == b + 1:
                return i * 10 + j
        if i == 4:
            return None
    return -1


def t9(a: int, b: int):
    t = (1, 2, 3, 4)
    return t[1:], t[::-1], t[a - 1] if 0 < a < 5 else 0, t[-1], len(t), 3 in t, a in t, \
        t + (5, "x"), t == (1, 2, 3, 4), t != (1, 2)


def drop(l: List[int]) -> int:
    return l.pop(0)


def t10(a: int, b: int):
    l = [1, 2, 3]
    m = l
    for x in l:
        if a > 3:
            break
        if x == b:
            drop(m)
            break
    return l


def t11(a: int, b: int):
    x = [1, 2, 3]
    y = 7
    del y
    y = "s"
    del x[0], x[0]
    assert len(x) == 1, f"bad {x}"
    assert a < 4, "too big: " + str(a)
    if a == 3:
        raise ValueError(f"three {b}")
    if a == 2:
        raise IndexError
    return x, y


def t12(a: int, b: int):
    return (a or b), (a and b), (a or b or 3), (not a), ([b][1:] or [a]), ("" or "x"), \
        (a > 1 and b > 0), (a > 1 or b > 0), (None or a)


def t13(a: int, b: int):
    return a if a > b else b if b > 1 else -1, (a, b) if a else (b, a), not a == b, not (a and b), \
        a > 0 or b > 0 and a > 5


def t14(a: int, b: int):
    return -a ** 2, 2 ** -1, (-2) ** 2, ~a & 3, a | b ^ 1 << 2, 1 + 2 << 1, -3 // 2 * 2, \
        not a > b, a & 1 == 1, 7 & 3 | 8


def t15(a: int, b: int):
    n = 0
    for i in range(3):
        for j in range(3):
            for k in (1, 2):
                n = n * 3 % 1000 + i * j * k + a
    return n


def t16(a: int, b: int):
    out: List[int] = []
    i = a
    while i and len(out) < 3:
        out.append(i)
        i -= 1
    return out, out[:0] and out, out or [9]
