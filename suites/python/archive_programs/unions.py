"""Variables of several types that loops carry: what enters a loop is narrower than what the loop
carries."""

from typing import Dict, List, Optional, Union


def by_a_for(n: int) -> str:
    v: Union[int, str] = n
    for i in range(n - 2):
        v = "s" + str(i)
    return f"{v}"


def from_a_constant(n: int) -> str:
    v: Union[int, str, None] = 7
    for i in range(n - 3):
        v = "s" if i > 0 else None
    return "none" if v is None else f"{v}"


def from_none(n: int) -> str:
    v: Union[int, str, None] = None
    for i in range(n - 3):
        v = i if i > 1 else "s"
    return "none" if v is None else f"{v}"


def nested(n: int) -> str:
    v: Union[int, str, None] = n
    for i in range(n - 1):
        for j in range(n - 3):
            v = "s"
        v = None
    return "none" if v is None else f"{v}"


def in_a_while(n: int) -> str:
    v: Union[int, str, float] = n
    for i in range(n):
        j = 3
        while j < n:
            v = "s" + str(j)
            j += 1
        if i == 2:
            v = 2.5
    return f"{v}"


def read_between(n: int) -> str:
    v: Union[Dict[str, str], None, float, str] = "s"
    out = ""
    for i in range(n):
        for j in range(n - 2):
            if v is None:
                out += "N"
            elif isinstance(v, float):
                out += "f"
            elif isinstance(v, str):
                out += v
            v = 0.5
        if v is None:
            out += "-"
        v = None
    return out + ("none" if v is None else "some")


def three_deep(n: int) -> str:
    v: Union[float, str, None, List[int]] = None
    for i in range(n):
        for j in range(2):
            v = 1.0
            for k in range(i):
                v = [k]
        if isinstance(v, list):
            v = "x" + str(v[0])
        for j in range(n - 3):
            v = None
    return "none" if v is None else f"{v}"


def optional(n: int) -> int:
    v: Optional[int] = n
    for i in range(n):
        for j in range(n - 3):
            v = j
        if v is not None and v > 2:
            v = None
    return -1 if v is None else v
