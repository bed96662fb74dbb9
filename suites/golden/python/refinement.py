"""Types: Optional, Union, Any, refinement, annotations, metacompilation."""
from typing import Any, Dict, Final, List, Optional, Tuple, Union

import torch

LIMIT: Final = 3
NAME = "top"
FLAG = False
Pair = Tuple[int, int]


def length(x: Optional[List[int]]) -> int:
    if x is None:
        return -1
    return len(x)


def t1(a: int, b: int):
    return length(None), length([a]), length([a, b] if a > 1 else None)


def kind(x: Union[int, str, List[int]]) -> str:
    if isinstance(x, int):
        return "int" + str(x + 1)
    if isinstance(x, str):
        return "str" + x.upper()
    return "list" + str(len(x))


def t2(a: int, b: int):
    return kind(a), kind("q"), kind([a, b])


def what(x: Any) -> str:
    if isinstance(x, bool):
        return "bool"
    if isinstance(x, int):
        return "int" + str(x * 2)
    if isinstance(x, (float, str)):
        return "float or str"
    if isinstance(x, tuple):
        return "tuple"
    if x is None:
        return "none"
    return "other"


def t3(a: int, b: int):
    return what(a), what(a > 1), what(1.5), what("x"), what((1, 2)), what(None), what([1])


def t4(a: int, b: int):
    x: Optional[int] = None
    if a > 1:
        x = a
    if x is not None and x > 2:
        return x
    if x is None or x < 2:
        return -1
    y = x + 1
    return y


def t5(a: int, b: int):
    x: Optional[int] = a if b else None
    z = x if x is not None else 7
    assert not (x is None) or b == 0
    w = 1 if x is None else x * 2
    return z, w, x == a, x is None, x or 5


def t6(a: int, b: int):
    x: Optional[str] = None
    while x is None or len(x) < a:
        x = "a" if x is None else x + "b"
    return x


def pair(p: Pair, q: "Optional[int]" = None, r: "int | None" = None) -> Pair:
    if q is None:
        return p[1], p[0]
    return p[0] + q, p[1] + LIMIT


def t7(a: int, b: int):
    return pair((a, b)), pair((a, b), 1), pair(p=(b, a), q=a), NAME, LIMIT


def t8(a: int, b: int):
    # type: (int, int) -> List[str]
    out = []  # type: List[str]
    for i in range(b):
        out.append(str(i))
    return out


def t9(a: int, b: int):
    d: Dict[str, Optional[int]] = {"a": None, "b": a}
    v = d["a"]
    w = d["b"]
    if v is None and w is not None:
        return w + 1
    return 0


def t10(a: int, b: int):
    x: Final[int] = 5
    l: List[Union[int, str]] = [a, "s"]
    n = 0
    for v in l:
        if isinstance(v, int):
            n += v
        else:
            n += len(v)
    l.append(b)
    return n + x, l


def t11(a: int, b: int):
    t: Tuple[int, Optional[str]] = (a, None)
    u, v = t
    if v is not None:
        return u, len(v)
    if FLAG:
        return u.nonsense()
    return u, -1


def t12(a: int, b: int):
    x: Union[int, float, None] = a if b else None
    if isinstance(x, (int, float)):
        return x + 0.5
    return -1.0


def default(a: int, s: str = "d", f: float = 0.5, o: Optional[int] = None, n: bool = True) -> str:
    return f"{a} {s} {f} {o} {n}"


def t13(a: int, b: int):
    args = (a, "star")
    return default(a), default(*args), default(a, n=False), default(a, o=b), default(f=2.0, a=b)


def t14(a: int, b: int):
    x: Optional[List[int]] = [a]
    if x:
        x.append(b)
    n: Optional[int] = b
    if n:
        return x, n + 1
    return x, 0
