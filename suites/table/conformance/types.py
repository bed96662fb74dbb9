"""Programs for results/conformance.md, each behind a line that names its construct;
see make_conformance.py."""
#: default arguments
def f(a: int, b: int = 5) -> int:
    return a * 10 + b
def main() -> int:
    return f(1) + f(2, 3)
#: default arguments that are computed
STEP = 1 / 4


def f(x: int, eps: float = STEP * 2, n: int = 2 * 3, low: float = -math.inf, s: str = "a" * 3,
      t: Tuple[int, float] = (1 << 4, 0.5)) -> Tuple[float, int, bool, str, int]:
    return eps + x, n, low < -1e300, s, t[0]


def main() -> Tuple[float, int, bool, str, int]:
    return f(1)
#: default argument that is a member of an enum
class Colour(Enum):
    RED = 1 << 1
    BLUE = 7


def f(k: Colour = Colour.RED) -> int:
    return k.value


def main() -> int:
    return f() + f(Colour.BLUE)
#: keyword arguments in any order
def f(a: int, b: int) -> int:
    return a * 10 + b
def main() -> int:
    return f(b=1, a=2)
#: keyword-only parameters
def f(a: int, *, b: int) -> int:
    return a * 10 + b
def main() -> int:
    return f(1, b=2)
#: *args in a call
def f(a: int, b: int) -> int:
    return a * 10 + b
def main() -> int:
    t = (1, 2)
    return f(*t)
#: *args parameter
def f(*a: int) -> int:
    return len(a)
def main() -> int:
    return f(1, 2)
#: functions called before they are defined
def main() -> int:
    return f(1)
def f(a: int) -> int:
    return a + 1
#: what is assigned again has the variable's type: [], {} and both values of a ternary
def f(d: Dict[str, Union[int, str]], key: str) -> int:
    v = d.get(key)
    if v is None:
        v = 7
    if isinstance(v, str):
        v = len(v) if v != "" else "none"
    return v if isinstance(v, int) else -1
def main() -> List[int]:
    xs: List[float] = [1.0]
    ys: Optional[Dict[str, List[int]]] = None
    zs: Union[int, List[float]] = 3
    for i in range(3):
        if i == 1:
            xs = []
            ys = {}
        elif ys is not None:
            ys["a"] = [i]
        xs.append(0.5)
        zs = [1.5, 2.5] if i > 1 else 7
    d: Dict[str, Union[int, str]] = {"a": 1, "b": "xyz", "c": ""}
    n = len(zs) if isinstance(zs, list) else zs
    return [f(d, k) for k in ["a", "b", "c", "d"]] + [len(xs), len(ys) if ys is not None else 0, n]
#: recursion
def f(a: int) -> int:
    return 1 if a == 0 else a * f(a - 1)
def main() -> int:
    return f(4)
#: result inferred
def f(a: int):
    return (a, "x")
def main() -> int:
    return f(3)[0]
#: Optional parameter and refinement
def f(a: Optional[int] = None) -> int:
    if a is not None:
        return a + 1
    return 0
def main() -> int:
    return f() * 10 + f(4)
#: refinement by and
def f(a: Optional[int]) -> bool:
    return a is not None and a > 2
def main() -> bool:
    return f(3) and not f(None)
#: refinement by an early return
def f(a: Optional[int]) -> int:
    if a is None:
        return -1
    return a
def main() -> int:
    return f(7)
#: refinement by continue
def f(xs: List[Optional[int]]) -> int:
    s = 0
    for x in xs:
        if x is None:
            continue
        s += x
    return s
def main() -> int:
    xs: List[Optional[int]] = [1, None, 3]
    return f(xs)
#: refinement by assert
def f(a: Optional[int]) -> int:
    assert a is not None
    return a
def main() -> int:
    return f(7)
#: Union and isinstance
def f(a: Union[int, str]) -> int:
    if isinstance(a, int):
        return a
    else:
        return len(a)
def main() -> int:
    return f(3) * 10 + f("ab")
#: Dict[str, List[int]]
def main() -> int:
    d: Dict[str, List[int]] = {}
    d["a"] = [1, 2]
    return d["a"][1]
#: list of tuples
def main() -> int:
    a: List[Tuple[int, str]] = [(1, "a"), (2, "b")]
    return a[1][0]
#: builtin generics list[int]
def f(a: list[int]) -> int:
    return len(a)
def main() -> int:
    return f([1, 2])
#: NamedTuple
class P(NamedTuple):
    x: int
    y: float
def main() -> float:
    p = P(1, 2.5)
    return p.x + p.y
#: text of a NamedTuple
class P(NamedTuple):
    x: int
    y: float
def main() -> str:
    p = P(1, 2.5)
    return f"{p} {[p]} {str(p)}"
#: Enum
class C(Enum):
    A = 1
    B = 2
def main() -> int:
    c = C.B
    return c.value if c == C.B else 0
#: torch.jit._unwrap_optional
def main() -> int:
    x: Optional[int] = 3
    return torch.jit._unwrap_optional(x) + 1
#: text of an Enum's member
class C(Enum):
    A = 1
    B = 2
def main() -> List[str]:
    return [str(C.A), repr(C.B), f"{C.A}", str([C.B]), "%s" % C.A]
#: Enum found by value
class C(Enum):
    A = 1
    B = 2
def main() -> str:
    return C(2).name
#: dataclass
@torch.jit.script
@dataclass
class P:
    x: int
    y: float = 2.0
def main() -> float:
    return P(1).y
#: dataclass with a default factory
@torch.jit.script
@dataclass
class P:
    x: int
    y: List[int] = field(default_factory=list)
def main() -> int:
    p = P(1)
    p.y.append(4)
    return len(p.y) * 10 + len(P(2).y)
#: dataclass with order
@dataclass(order=True)
class P:
    a: int
    b: str = "x" * 2


def main() -> List[bool]:
    p, q = P(1), P(1, "y")
    return [p < q, p <= q, p > q, p >= P(1), p == q]
#: dataclass that is frozen
@dataclass(frozen=True)
class P:
    a: int
    b: float = 1 / 2


def main() -> float:
    return P(3).a + P(4).b
#: refinement of an attribute
@torch.jit.script
class P:
    def __init__(self, x: Optional[int]):
        self.x = x
    def f(self) -> int:
        if self.x is not None:
            return self.x + 1
        return 0
def main() -> int:
    return P(3).f()
#: class
@torch.jit.script
class P:
    def __init__(self, x: int):
        self.x = x
    def twice(self) -> int:
        return self.x * 2
def main() -> int:
    p = P(4)
    p.x += 1
    return p.twice()
#: constant of a class
class P:
    SIZE = 2 * 3

    def __init__(self, a: int):
        self.a = a

    def f(self) -> int:
        return self.a * self.SIZE


def main() -> int:
    return P(2).f() + P.SIZE
#: property with a setter
class P:
    def __init__(self, a: int):
        self.a = a

    @property
    def twice(self) -> int:
        return 2 * self.a

    @twice.setter
    def twice(self, value: int):
        self.a = value // 2


def main() -> int:
    p = P(2)
    p.twice += 6
    return p.a * 100 + p.twice
#: operator methods of a class
@torch.jit.script
class V:
    def __init__(self, x: int):
        self.x = x
    def __add__(self, other: "V") -> "V":
        return V(self.x + other.x)
def main() -> int:
    return (V(1) + V(2)).x
#: variable changes its type
def main() -> str:
    a = 1
    b = a
    a = "x"
    return a
#: list of two types
def main() -> int:
    a = [1, "x"]
    return len(a)
#: loop variable is known behind the loop
def main() -> int:
    for i in range(3):
        pass
    return i
#: global constant
N = 5
def main() -> int:
    return N + 1
#: global constant that is computed
RATE = 1 / 8
NAMES = ("a", "b" * 2)


def main() -> Tuple[float, str]:
    return RATE, NAMES[1]
#: list shared between two names
def main() -> int:
    a = [1]
    b = a
    b.append(2)
    return len(a)
#: list changed by a callee
def f(a: List[int]) -> None:
    a.append(2)
def main() -> int:
    a = [1]
    f(a)
    return len(a)
#: tensor changed through a view
def main() -> float:
    x = torch.zeros(3)
    y = x[1:]
    y.add_(1)
    return float(x.sum())
#: Tensor to int and float
def main() -> float:
    x = torch.ones(1)
    return int(x) + float(x) + x.item()
#: arithmetic with x.item(), whose kind the run decides
def main():
    n = torch.tensor(1.5).item()
    k = torch.tensor(7).item()
    return n * 2 + 1, 1 / n, -n, n // 1, k // 2, k % 4, k + 1, k * 0.5, abs(-n), max(n, 1), \
        min(k, 9)
#: comparisons with x.item()
def main():
    n = torch.tensor(1.5).item()
    return n == 1, n != 1, n < 2, 1 < n, n <= 1, bool(n - 1)
#: math functions of x.item()
def main():
    n = torch.tensor(-1.5).item()
    return math.floor(n), math.ceil(n), math.sqrt(-n), divmod(n, 1), math.atan2(n, 2)
#: item() of a tensor in an annotated tuple
def main() -> float:
    t: Tuple[float, int] = (torch.tensor([1.5]).item(), 3)
    return t[0]
#: tensor in a condition
def main() -> int:
    x = torch.ones(1)
    if x > 0:
        return 1
    return 0
#: number on the left of a tensor
def main() -> float:
    return float((1 - torch.ones(2)).sum() + (2 / torch.ones(1)))
#: dtype argument
def main() -> float:
    return float(torch.ones(2, dtype=torch.int64).to(torch.float32).sum())
#: out=
def main() -> float:
    x = torch.ones(2, 2)
    y = torch.zeros(2, 2)
    z = torch.add(x, x, out=y)
    z += 1
    m = torch.zeros(2, 2)
    torch.mm(x, y, out=m)
    w = torch.zeros(2, 2, 2)
    torch.stack([m, y], out=w)
    return float(w.sum())
#: out= of another dtype is refused
def main() -> bool:
    return torch.can_cast(torch.int64, torch.float32) \
        and not torch.can_cast(torch.float32, torch.int64)
#: data, real, H, is_leaf, requires_grad
def main() -> Tuple[float, bool, bool]:
    x = torch.zeros(2, 2)
    x.data[0, 1] = 7.0
    x.real[1, 1] = 8.0
    return float(x.H[1, 0] + x.sum()), x.is_leaf, x.requires_grad
#: shape unpacking
def main() -> int:
    a, b = torch.zeros(2, 3).shape
    return a * 10 + b
#: List[Any]
def f(xs: List[Any]) -> int:
    n = 0
    for x in xs:
        if isinstance(x, int):
            n += x
        elif isinstance(x, str):
            n += 100 * len(x)
    return n
def main() -> int:
    ys: List[Any] = [1, "ab", 2.5]
    return f(ys)
#: refinement of Any by assert isinstance
def f(x: Any) -> int:
    assert isinstance(x, int)
    return x + 1
def main() -> int:
    return f(2)
#: a Union parameter is given another of its types behind an early return
def f(x: Union[Dict[str, str], int], n: int) -> int:
    if isinstance(x, (int, dict)):
        x = 0
    if n > 0:
        w = 0
        while w < n:
            w += 1
            if w > 2:
                return w
    if isinstance(x, int):
        x = {"a": "b"}
    return len(x)
def main() -> List[int]:
    return [f(1, 5), f(1, 0), f({"x": "y"}, 1)]
#: a Union narrowed before a loop and further in its head
def f(x: Union[bool, float, int]) -> int:
    if isinstance(x, bool):
        return 1
    n = 0
    while n < 3 and (not isinstance(x, float) and x in [0, -6, 6]):
        n += 1
    return n
def main() -> List[int]:
    return [f(True), f(6), f(7), f(6.0)]
#: a narrowed Union parameter grows in a loop
def f(x: Union[List[bool], float]) -> int:
    if not isinstance(x, list):
        return 0
    for i in range(3):
        x += [True]
    return len(x)
def main() -> List[int]:
    return [f([False]), f(1.5)]
#: an Optional narrowed before a loop that assigns it
def f(p: Optional[int]) -> int:
    p = 4 if p is None else p
    while p < 10:
        p += 3
    return p
def g(p: Optional[List[int]]) -> int:
    if p is None:
        return 0
    for i in range(3):
        p = p + [i]
        if len(p) > 3:
            break
    return len(p)
def h(p: Optional[int]) -> int:
    n = 0
    if p is not None:
        for i in range(3):
            n += p
            p = p + 1
    return n
def main() -> List[int]:
    return [f(None), f(3), g([]), g([1, 2]), g(None), h(5), h(None)]
#: a Union narrowed before a loop that assigns its other type
def f(x: Union[List[bool], float]) -> float:
    if not isinstance(x, list):
        return x
    for i in range(3):
        x = 1.5 * i
    if isinstance(x, float):
        return x
    return 0.0
def main() -> List[float]:
    return [f([True]), f(2.5)]
