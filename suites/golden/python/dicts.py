"""Dicts: literals, methods, iteration, errors."""
from typing import Dict, List


def t1(a: int, b: int):
    d = {"x": a, "y": b}
    d["z"] = 3
    d["x"] += 10
    return d, d["x"], "y" in d, "q" in d, len(d), d.get("x"), d.get("q"), d.get("q", 5), list(d), \
        d == {"y": b, "z": 3, "x": a + 10}


def t2(a: int, b: int):
    d = {1: "a", 2: "b"}
    return d[a]


def t3(a: int, b: int):
    d = {1: "a", 2: "b", 3: "c"}
    del d[a]
    return d, list(d.keys()), list(d.values()), list(d.items())


def t4(a: int, b: int):
    d = {i: i * i for i in range(a)}
    e = {str(k): v for k, v in d.items() if v % 2 == 0}
    return d, e, sum(list(d.values()))


def t5(a: int, b: int):
    d: Dict[str, List[int]] = {}
    for i in range(a):
        d.setdefault(str(i % 2), []).append(i)
    return d


def t6(a: int, b: int):
    d = {"a": 1, "b": 2, "c": 3}
    x = d.pop("a")
    y = d.pop("zz", 9)
    k, v = d.popitem()
    e = d.copy()
    e.update({"q": 4, "b": 5})
    d.clear()
    return x, y, k, v, d, e


def t7(a: int, b: int):
    d = {"a": 1}
    return d.pop("ab"[b:])


def t8(a: int, b: int):
    s = ""
    for k in {"p": 1, "q": 2}:
        s += k
    for i, (k, v) in enumerate({"p": 1, "q": 2}.items()):
        s += k + str(v * i)
    return s


def t9(a: int, b: int):
    d: Dict[int, int] = {}
    for i in range(a):
        d[i] = i
    while d:
        d.popitem()
    return d.popitem()


def t10(a: int, b: int):
    d = dict([("a", 1), ("b", 2)])
    e = dict(x=1, y=2)
    f = dict(zip(["p", "q"], [a, b]))
    g = dict(d)
    g["new"] = 0
    return d, e, f, g


def t11(a: int, b: int):
    d = {1.5: "x", 2.0: "y"}
    e = {True: 1, False: 0}
    return d[2.0], e[a > 2], {1: 2}.get(a), {1: "one"}.get(a, "many")


def t12(a: int, b: int):
    d = {"a": {"b": [1, 2]}}
    d["a"]["b"][b] = a
    return d


def change(d: Dict[str, int], k: str) -> int:
    d[k] = d.get(k, 0) + 1
    return d[k]


def t13(a: int, b: int):
    d: Dict[str, int] = {}
    for i in range(a):
        change(d, "ab"[i % 2])
    return d, change(d, "a")


def t14(a: int, b: int):
    d = {"x": 1, "y": 2}
    n = 0
    for k in d:
        if a > 3:
            d[k + "z"] = 1
        n += 1
    return n


def t15(a: int, b: int):
    d = {"b": 1, "a": 2}
    return sorted(list(d)), max(list(d.values())), [k + "!" for k in d], len({}), \
        {"a": 1} == {"a": 1.0}
