"""Programs for results/conformance.md, each behind a line that names its construct;
see make_conformance.py."""
#: assignment
def main() -> int:
    a = 1
    a = a + 1
    return a
#: chained assignment
def main() -> int:
    a = b = 3
    return a + b
#: annotated assignment
def main() -> List[int]:
    a: List[int] = []
    a.append(4)
    return a
#: tuple unpacking
def main() -> int:
    a, b = (1, 2)
    return a * 10 + b
#: tuple assignment, each value as its name wants it
def main() -> Tuple[List[str], int]:
    words: List[str] = ["a"]
    n = 1
    if len(words) == n:
        words, n = [], 0
    return words, n
#: nested tuple unpacking
def main() -> int:
    a, (b, c) = (1, (2, 3))
    return a * 100 + b * 10 + c
#: starred unpacking
def main() -> int:
    a, *b = [1, 2, 3]
    return a + len(b)
#: swap
def main() -> int:
    a, b = 1, 2
    a, b = b, a
    return a * 10 + b
#: list-style target [a, b] = t
def main() -> int:
    [a, b] = (1, 2)
    return a * 10 + b
#: item assignment, list
def main() -> List[int]:
    a = [1, 2]
    a[0] = 5
    return a
#: item assignment, dict
def main() -> int:
    d = {"a": 1}
    d["b"] = 2
    return d["a"] + d["b"]
#: slice assignment, tensor
def main() -> float:
    x = torch.zeros(4)
    x[1:3] = 2.0
    return float(x.sum())
#: += -= *= /= on numbers
def main() -> float:
    a = 1.0
    a += 2
    a -= 0.5
    a *= 4
    a /= 8
    return a
#: //=
def main() -> int:
    a = -7
    a //= 2
    return a
#: %= on a negative int
def main() -> int:
    a = -7
    a %= 3
    return a
#: **=
def main() -> int:
    a = 3
    a **= 2
    return a
#: &= |= ^=
def main() -> int:
    a = 12
    a &= 10
    a |= 1
    a ^= 3
    return a
#: <<= >>=
def main() -> int:
    a = 3
    a <<= 4
    a >>= 1
    return a
#: @= on tensors
def main() -> float:
    a = torch.ones(2, 2)
    a @= torch.ones(2, 2)
    return float(a.sum())
#: += on a list is in place
def main() -> int:
    a = [1]
    b = a
    a += [2]
    return len(b)
#: += on a tensor is in place
def main() -> float:
    a = torch.ones(2)
    b = a
    a += 1
    return float(b.sum())
#: del of a name
def main() -> int:
    a = 1
    b = a
    del a
    return b
#: del of a list item
def main() -> List[int]:
    a = [1, 2, 3]
    del a[0]
    return a
#: del of a dict item
def main() -> int:
    d = {"a": 1, "b": 2}
    del d["a"]
    return len(d)
#: if, elif, else
def main() -> int:
    a = 5
    if a < 3:
        r = 1
    elif a < 6:
        r = 2
    else:
        r = 3
    return r
#: while
def main() -> int:
    a = 0
    while a < 5:
        a += 2
    return a
#: for over range
def main() -> int:
    s = 0
    for i in range(10, 0, -3):
        s = s * 10 + i
    return s
#: for over a list
def main() -> int:
    s = 0
    for i in [1, 2, 3]:
        s = s * 10 + i
    return s
#: for over a string
def main() -> str:
    s = ""
    for c in "abc":
        s = c + s
    return s
#: for over a tuple of several types
def main() -> float:
    s = 0.0
    for i in (1, 2.5):
        s += i
    return s
#: for over a dict
def main() -> str:
    s = ""
    for k in {"a": 1, "b": 2}:
        s += k
    return s
#: for over dict.items()
def main() -> int:
    s = 0
    for k, v in {"a": 1, "b": 2}.items():
        s += v
    return s
#: for over a tensor
def main() -> float:
    s = 0.0
    for x in torch.arange(4.0):
        s = s * 2 + float(x)
    return s
#: enumerate
def main() -> int:
    s = 0
    for i, v in enumerate([4, 5]):
        s += i * v
    return s
#: enumerate with a start
def main() -> int:
    s = 0
    for i, v in enumerate([4, 5], 2):
        s += i * v
    return s
#: zip
def main() -> int:
    s = 0
    for a, b in zip([1, 2, 3], [4, 5]):
        s += a * b
    return s
#: reversed
def main() -> int:
    s = 0
    for a in reversed([1, 2, 3]):
        s = s * 10 + a
    return s
#: break
def main() -> int:
    s = 0
    for i in range(9):
        if i == 4:
            break
        s += i
    return s
#: continue
def main() -> int:
    s = 0
    for i in range(6):
        if i % 2 == 0:
            continue
        s += i
    return s
#: break in a nested loop
def main() -> int:
    s = 0
    for i in range(3):
        for j in range(5):
            if j == 2:
                break
            s += 1
    return s
#: early return in an if
def main() -> int:
    a = 3
    if a > 2:
        return 1
    return 2
#: early return in nested loops
def main() -> int:
    for i in range(5):
        for j in range(5):
            if i * j == 6:
                return i * 10 + j
    return -1
#: else of a loop
def main() -> int:
    s = 0
    for i in range(3):
        s += i
    else:
        s += 100
    return s
#: else of a loop that is left
def find(n: int) -> int:
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


def main() -> List[int]:
    return [find(3), find(10), find(77)]
#: else of a while loop
def main() -> List[int]:
    out: List[int] = []
    n = 7
    while n > 0:
        n -= 2
        if n == 20:
            break
    else:
        out.append(n)
    return out
#: name defined in both branches
def main() -> int:
    if len("ab") == 2:
        r = 1
    else:
        r = 2
    return r
#: name defined where the other branch returns
def main() -> int:
    if len("ab") == 3:
        return 9
    else:
        r = 2
    return r
#: assert with a message
def main() -> int:
    assert 1 < 2, "order"
    return 1
#: assert with a computed message
def main() -> int:
    a = 1
    assert a == 1, f"a is {a}"
    return a
#: raise
def main() -> int:
    a = 1
    if a == 2:
        raise ValueError("two")
    return a
#: pass
def main() -> int:
    for i in range(3):
        pass
    return 1
#: with torch.no_grad()
def main() -> float:
    with torch.no_grad():
        x = torch.ones(2).sum()
    return float(x)
#: try, except
def main() -> int:
    try:
        a = 1
    except ValueError:
        a = 2
    return a
#: nested function
def main() -> int:
    def f(x: int) -> int:
        return x + 1
    return f(1)
#: lambda
def main() -> int:
    f = lambda x: x + 1
    return f(1)
#: walrus
def main() -> int:
    if (a := 3) > 2:
        return a
    return 0
#: Optional refined in a with block that may return
def f(x: Optional[int], n: int) -> int:
    with torch.no_grad():
        if x is None:
            if n > 3:
                return 7
            x = n
    return x + 1


def main() -> List[int]:
    return [f(None, 2), f(None, 4), f(5, 0)]
#: another type of a Union assigned behind a branch that left
def f(x: Union[None, bool, float], n: int) -> bool:
    if x is None:
        if n > 3:
            return False
        x = 1.5
    if n > 2:
        x = True
    return isinstance(x, bool)


def main() -> List[bool]:
    return [f(None, 1), f(None, 3), f(None, 9), f(2.5, 1)]
#: walrus behind and
def f(n: int, x: Optional[int]) -> int:
    if x is not None and (m := n * x) > 4:
        return m
    return 0


def main() -> List[int]:
    return [f(2, 3), f(1, 3), f(9, None)]
#: walrus in the condition of a while loop
def main() -> int:
    xs = [1, 2, 3, 4]
    s = 0
    while len(xs) > 0 and (k := xs.pop()) != 2:
        s += k
    return s
#: walrus as an argument
def main() -> int:
    return max(y := 3, 2) + y
#: while True that returns
def f(n: int):
    while True:
        n += 1
        if n > 10:
            return n


def main() -> int:
    return f(3) + 1
#: asserts that contradict each other
def f(x: Optional[int]):
    assert x is None
    assert x is not None
    return 5


def main() -> int:
    n = 1
    if n > 3:
        return f(n) + 1
    return n
#: break in a loop over a tuple
def main() -> float:
    s = 0.0
    for x in (1, 2.5, 3):
        if x > 2.7:
            break
        s += x
    return s
#: continue in a loop over a tuple
def main() -> float:
    s = 0.0
    for x in (1, 2.5, 3):
        if x > 2.2 and x < 2.8:
            continue
        s += x
    return s
#: return in a loop over a tuple
def main() -> int:
    for k in range(4):
        for x in (1, 2):
            if x + k > 4:
                return x * 10 + k
    return -1
#: loop over a list in a loop over a tuple, each left early
def main() -> int:
    t = 0
    for xs in ([1, 2, 3], [4, 5]):
        for x in xs:
            if x == 2:
                break
            if x == 5:
                return t + 100
            t += x
    return t
#: for over an enum
class C(Enum):
    A = 1
    B = 2
def main() -> int:
    s = 0
    for c in C:
        s = s * 10 + c.value
    return s
#: return of values of several types as Any
def f(a: bool) -> Any:
    if a:
        return 1
    return "x"
def main() -> List[bool]:
    return [isinstance(f(True), int), isinstance(f(False), str)]
#: return of values of several types as Union
def f(a: bool) -> Union[int, str]:
    if a:
        return 1
    return "x"
def main() -> List[bool]:
    return [isinstance(f(True), int), isinstance(f(False), str)]
#: returns of a Union and of one of its types without annotation
def of(v: Union[int, str], first: bool):
    if first:
        return 0
    return v
def back(v: Union[int, str], w: Optional[int], way: int):
    for i in range(3):
        if i == way:
            return v
    if way == 4:
        return w
    return 5
def main() -> List[str]:
    texts: List[str] = []
    for r in [of(3, True), of(3, False), of("b", False), back("c", None, 1), back(7, 2, 4),
              back("d", 2, 5)]:
        if isinstance(r, str):
            texts.append("str " + r)
        elif isinstance(r, int):
            texts.append("int " + str(r))
    return texts
#: a Union of which a test left two stays so where a branch assigns it
def after(p: Union[int, str, None]) -> int:
    assert p is not None
    if isinstance(p, int):
        p += 1
    return p if isinstance(p, int) else len(p)
def either(p: Union[int, str, List[int]], b: bool) -> int:
    if isinstance(p, str):
        return 0
    if isinstance(p, list):
        p = p + [1]
    else:
        p = p + 1
    if b:
        p = [7]
    return p if isinstance(p, int) else 10 * len(p)
def main() -> List[int]:
    return [after(3), after("abc"), either(4, False), either([1, 2], False), either(4, True),
            either("a", True)]
#: a Union of which a test left two stays so in a loop that assigns it
def turned(p: Union[int, str, List[int], None]) -> str:
    if p is None:
        p = 3
    for i in range(4):
        if isinstance(p, int):
            p = [p, i]
        elif isinstance(p, list):
            p = "s" + str(len(p))
        else:
            p = len(p)
    if isinstance(p, int):
        return "i" + str(p)
    return "l" + str(p[0]) if isinstance(p, list) else p
def left(p: Union[int, str, List[int], None]) -> int:
    p = 4
    k = 0
    while k < 3:
        k += 1
        if isinstance(p, int) and k > 1:
            p = "abc"
            break
    return p if isinstance(p, int) else len(p)
def main() -> List[str]:
    return [turned(None), turned(2), turned("x"), turned([5, 6, 7]), str(left(None))]
#: slice assignment, list
def main() -> List[int]:
    xs = [1, 2, 3, 4]
    ys = xs
    xs[1:3] = [9]
    xs[:0] = xs
    xs[-1:-5] = (7, 8)
    return ys
#: slice assignment, list, with a step
def main() -> List[int]:
    xs = [1, 2, 3, 4]
    xs[::2] = [9, 8]
    return xs
#: slice assignment, list, with a negative step
def main() -> List[int]:
    a = [1, 2, 3, 4, 5, 6]
    b = a
    a[4:0:-2] = [50, 30]
    a[::-1] = a
    return b
#: del of a slice with a step
def main() -> List[int]:
    a = [1, 2, 3, 4, 5, 6, 7]
    del a[::3]
    del a[-1::-2]
    return a
#: del of a slice
def main() -> List[int]:
    xs = [1, 2, 3, 4]
    del xs[1:3]
    return xs
#: indentation by tabs
def main() -> int:
	a = 1
	if a > 0:
		a = 2
	return a
#: annotation without a value
def main() -> int:
    x: int
    x = 3
    return x
