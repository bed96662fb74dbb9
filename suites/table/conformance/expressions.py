"""Programs for results/conformance.md, one behind each name; see make_conformance.py."""
#: precedence of and, or
def main() -> bool:
    return True or True and False
#: precedence of not, ==
def main() -> bool:
    a = True
    return not a == False
#: precedence of unary minus, **
def main() -> int:
    a = 3
    return -a ** 2
#: x.item() before a tensor, and among sizes
def main() -> List[float]:
    x = torch.tensor([0.5, 1.5, 2.0])
    n, k = x[0].item(), x.long().max().item()
    y = n * x + (n - x) + n / x + (n < x).float() + torch.zeros(k + 1) + x.new_ones(k, 3).sum(0)
    return [round(float(v), 4) for v in y]
#: x[x.nonzero(as_tuple=True)]
def main() -> List[float]:
    x = torch.tensor([0.5, 1.5, 2.0])
    x[torch.nonzero(x > 1.7, as_tuple=True)] = 9.0
    return [float(v) for v in x[(x > 1).nonzero(as_tuple=True)]]
#: torch.norm by its word, over dims, by none
def main() -> List[float]:
    x = torch.tensor([[3.0, 4.0], [6.0, 8.0]])
    y = [torch.norm(x, dim=1), x.norm(dim=[0, 1], keepdim=True).flatten(), torch.norm(x, "fro"),
         x.norm(p="fro", dim=0), torch.norm(x, p="nuc"),
         torch.norm(x, dim=-1, keepdim=True).flatten(), torch.norm(x, p=1.0, dim=1), x.norm()]
    return [round(float(v.sum()), 4) for v in y]
#: nonzero(as_tuple=True)
def main() -> List[int]:
    x = torch.tensor([[0.0, 2.0], [3.0, 0.0]])
    rows, columns = torch.nonzero(x, as_tuple=True)
    r, c = (x > 1).nonzero(as_tuple=True)
    plain = x.nonzero(as_tuple=False)
    return [int(v) for v in rows * 10 + columns] + [int(v) for v in r - c] \
        + [plain.size(0), plain.size(1)]
#: ** associates to the right
def main() -> int:
    a = 2
    return a ** a ** 3
#: ** of ints is an int
def main() -> bool:
    a = 3
    return isinstance(a ** 2, int)
#: ** of a negative exponent
def main() -> float:
    a = 2
    return a ** -1
#: ** that overflows raises
def main() -> int:
    a = 10
    if a == 10:
        return 1
    return a ** 30
#: floor division of negatives
def main() -> int:
    a = -7
    return a // 2
#: modulo of negatives
def main() -> int:
    a = -7
    return a % 3
#: modulo of a negative float
def main() -> float:
    a = -7.5
    return a % 3.0
#: / of large ints is rounded once
def main() -> float:
    a = 9007199254740993
    return a / 6
#: int against float beyond 2 ** 53
def main() -> bool:
    a = 9007199254740993
    return a == 9007199254740992.0
#: shifts
def main() -> int:
    a = 5
    return (a << 3) + (a >> 1)
#: bit operators
def main() -> int:
    a = 12
    return (a & 10) + (a | 3) + (a ^ 5) + ~a
#: unary plus
def main() -> int:
    a = 5
    return +a
#: int of a float
def main() -> int:
    a = -2.7
    return int(a)
#: int of a string
def main() -> int:
    return int("42")
#: float of a string
def main() -> float:
    return float("1e3")
#: round half to even
def main() -> bool:
    a = 2.5
    return round(a) == 2 and round(a + 1) == 4
#: round is an int
def main() -> int:
    a = 2.7
    return round(a)
#: divmod
def main() -> int:
    a, b = divmod(-7, 2)
    return a * 10 + b
#: chained comparison
def main() -> bool:
    a = 2
    return 1 < a < 3 and not 1 < a < 2
#: chained comparison evaluates once
def f(x: List[int]) -> int:
    x.append(1)
    return len(x)
def main() -> int:
    x: List[int] = []
    if 0 < f(x) < 5:
        return len(x)
    return -1
#: and does not evaluate its right side
def f(x: List[int]) -> bool:
    x.append(1)
    return True
def main() -> int:
    x: List[int] = []
    a = False and f(x)
    return len(x)
#: or does not evaluate its right side
def f(x: List[int]) -> bool:
    x.append(1)
    return True
def main() -> int:
    x: List[int] = []
    a = len(x) == 0 or f(x)
    return len(x)
#: or of two values
def main() -> str:
    a = ""
    return a or "b"
#: ternary
def main() -> int:
    a = 3
    return 1 if a > 2 else 2
#: is None
def main() -> bool:
    a: Optional[int] = None
    return a is None
#: in, not in of a list
def main() -> bool:
    return 2 in [1, 2] and 3 not in [1, 2]
#: in of a dict
def main() -> bool:
    return "a" in {"a": 1}
#: in of a string
def main() -> bool:
    return "bc" in "abcd"
#: negative index
def main() -> int:
    a = [1, 2, 3]
    return a[-2]
#: slice
def main() -> List[int]:
    a = [1, 2, 3, 4]
    return a[1:3]
#: slice with a negative step
def main() -> List[int]:
    a = [1, 2, 3, 4]
    return a[::-1]
#: slice of a string
def main() -> str:
    return "abcdef"[1:-1:2]
#: slice of a tuple
def main() -> Tuple[int, float]:
    a = (1, 2.5, "x")
    return a[:2]
#: tensor index by a list
def main() -> float:
    x = torch.arange(4.0)
    return float(x[[1, 2]].sum())
#: tensor index with None and ...
def main() -> int:
    x = torch.zeros(2, 3, 4)
    return x[..., None, 0].dim()
#: tensor index by a mask
def main() -> float:
    x = torch.arange(4.0)
    return float(x[x > 1].sum())
#: list comprehension
def main() -> List[int]:
    return [i * i for i in range(4)]
#: filtered comprehension
def main() -> List[int]:
    return [i for i in range(6) if i % 2]
#: comprehension leaves its name alone
def main() -> int:
    i = 7
    a = [i for i in range(3)]
    return i
#: dict comprehension
def main() -> int:
    d = {i: i * i for i in range(4)}
    return d[3]
#: comprehension over two lists
def main() -> List[int]:
    return [a * b for a in [1, 2] for b in [3, 4]]
#: comprehension with an inner list that depends on the outer
def main() -> List[int]:
    return [c for a in [[[1, 2]], [[3], [4]]] for b in a if len(b) > 0 for c in b if c != 2]
#: dict comprehension over two ranges
def main() -> List[int]:
    d = {a * 10 + b: a for a in range(2) for b in range(2)}
    return list(d.keys())
#: tensor index by two lists
def main() -> float:
    x = torch.arange(6.0).view(3, 2)
    return float(x[[0, 2], [1, 0]].sum())
#: tensor item assignment by a list
def main() -> float:
    x = torch.arange(6.0).view(3, 2)
    x[[0, 2]] = 7.0
    return float(x.sum())
#: f-string
def main() -> str:
    a = 3
    return f"a={a}!"
#: f-string with a format
def main() -> str:
    a = 3.14159
    return f"{a:.2f}"
#: str.format
def main() -> str:
    return "{}-{}".format(1, "b")
#: % formatting
def main() -> str:
    return "%d%s" % (3, "x")
#: string concatenation and repetition
def main() -> str:
    return "ab" + "c" * 3
#: adjacent strings
def main() -> str:
    return "ab" "cd"
#: string escapes
def main() -> int:
    return len("a\tb\n\x41\\")
#: string comparison
def main() -> bool:
    return "abc" < "abd"
#: string methods
def main() -> str:
    return " Ab,c ".strip().upper().replace(",", "-")
#: split and join
def main() -> str:
    return "-".join("a,b,c".split(","))
#: find, count, startswith
def main() -> int:
    s = "banana"
    return s.find("n") * 100 + s.count("a") * 10 + int(s.startswith("ba"))
#: len of a string with accents
def main() -> int:
    return len("h\u00e9")
#: ord and chr
def main() -> str:
    return chr(ord("a") + 1)
#: list methods
def main() -> List[int]:
    a = [3, 1, 2]
    a.sort()
    a.insert(0, 9)
    a.extend([7])
    a.reverse()
    return a
#: list.pop, remove, index, count
def main() -> int:
    a = [5, 6, 7, 6]
    b = a.pop()
    a.remove(5)
    return b * 100 + a.index(7) * 10 + a.count(6)
#: list repetition
def main() -> List[int]:
    return [1, 2] * 2
#: list times a negative count
def main() -> List[int]:
    return [1, 2] * -1
#: list equality
def main() -> bool:
    return [1, 2] == [1, 2] and [1] != [2]
#: sorted with reverse
def main() -> List[int]:
    return sorted([2, 3, 1], reverse=True)
#: min and max of several
def main() -> int:
    return min(3, 1, 2) * 10 + max([4, 6, 5])
#: sum, any, all
def main() -> int:
    return sum([1, 2, 3]) + int(any([False, True])) + int(all([True, False]))
#: abs of int and float
def main() -> float:
    return abs(-3) + abs(-1.5)
#: list(range(n))
def main() -> List[int]:
    return list(range(3))
#: tuple comparison
def main() -> bool:
    return (1, 2) == (1, 2)
#: dict methods
def main() -> int:
    d = {"a": 1}
    d.update({"b": 2})
    return d.get("b", 0) + d.get("c", 5) + len(d.keys()) + d.pop("a")
#: dict keeps the order of insertion
def main() -> List[int]:
    d = {3: 1, 1: 2}
    d[2] = 3
    return list(d.keys())
#: math functions
def main() -> float:
    return math.sqrt(2.0) + math.floor(2.5) + math.pi + math.exp(0.5)
#: an operation that cannot run, where nothing runs it
def f(x: Tensor, s: List[float]) -> float:
    if x.dim() == 5:
        return float(F.max_pool3d(x, [2, 2]).sum() + torch.zeros([2, -3]).sum()
                     + x.permute(0, 0).view([3, 4]).sum())
    return float(x.sum()) + s[0]
def main() -> float:
    return f(torch.ones(2, 3), [1.5])
#: math.hypot
def main() -> float:
    return math.hypot(3.0, 4.0)
#: math.floor is an int
def main() -> int:
    return math.floor(-2.5)
#: isinstance
def main() -> bool:
    a = 3
    return isinstance(a, int) and not isinstance(a, str)
#: hex, oct, bin
def main() -> str:
    return hex(255) + oct(8) + bin(5)
#: underscores and bases of numbers
def main() -> int:
    return 1_000 + 0x1f + 0b11 + 0o17
#: complex literal
def main() -> float:
    a = 2j
    return abs(a)
#: print
def main() -> int:
    print("")
    return 1
#: str.format with a specification
def main() -> str:
    return "{:>6}|{:<5d}|{:^8.2f}|{:+,}|{:#x}|{!r:>5}".format("ab", 42, 1.2345, 1234567, 255, "q")
#: f-string with alignment and !r
def main() -> str:
    a = "ab"
    return f"{a:>6}|{a!r:*^8}|{3:05d}|{0.25:.1%}"
#: hash
def main() -> List[bool]:
    return [hash(5) == 5, hash(-1) == -2, hash(2.0) == hash(2), hash("a") == hash("a")]
#: hash of a tuple
def main() -> int:
    return hash((1, 2.5))
#: id
class C:
    def __init__(self):
        self.x = 1
def main() -> List[bool]:
    a = C()
    b = C()
    return [id(a) == id(a), id(a) == id(b)]
#: getattr
class C:
    def __init__(self):
        self.x = 1
def main() -> int:
    a = C()
    return getattr(a, "x") * 10 + getattr(a, "y", 7)
#: a list of several types
def main() -> int:
    xs = [1, "ab", 2]
    n = 0
    for x in xs:
        if isinstance(x, int):
            n += x
    return n
#: a complex number
def main() -> float:
    return abs(3 + 4j)
#: identity of lists, dicts, tensors and objects
class V:
    def __init__(self, k: int):
        self.k = k
def main() -> List[bool]:
    a = [1, 2]
    b = a
    x = torch.zeros(2)
    y = x
    d = {"a": 1}
    v = V(1)
    w: Optional[V] = v
    return [a is b, a is a[:], a is not [1, 2], x is y, x + 0 is x + 0, d is d, v is w,
            v is not V(1)]
#: number // tensor
def main() -> List[int]:
    out: List[int] = (7 // torch.tensor([2, -2, 3])).tolist()
    return out
#: torch.tensor of ints and floats
def main() -> float:
    n = 2
    return float(torch.tensor([1.5, n, True]).sum())
#: x.item() into a list of ints
def main() -> List[int]:
    xs: List[int] = []
    xs.append(torch.tensor(3).item())
    return xs
#: a string as the sequence of its characters
def main() -> List[str]:
    v = "bca"
    return ["-".join(v), max(v), min(v), sorted(v)[0]]
#: float() of texts
def main() -> List[bool]:
    out: List[bool] = []
    for s in ["1_000", " 12 ", "+5", "1e400", "-1e400", "1e-400", ".5", "infinity"]:
        out.append(float(s) > 100)
    return out + [float("1_0") == 10.0, float(" +5 ") == 5.0]
#: lists unpacked into a list
def main() -> List[int]:
    a = [1, 2]
    return [0, *a, 9, *a, *range(2)]
#: dicts unpacked into a dict
def main() -> List[Tuple[str, int]]:
    d = {"a": 1, "b": 2}
    e = {"x": 0, **d, "b": 5, **{"c": 6}}
    return list(e.items()) + list(d.items())
#: max and min of dicts, of lists of tuples and of lists
def main() -> Tuple[str, str, Tuple[int, int], Tuple[int, int], List[int], List[int]]:
    d = {"b": 1, "a": 2}
    t = [(1, 2), (3, 0), (1, 1)]
    l = [[2, 1], [2], [2, 1, 0]]
    return max(d), min(d), max(t), min(t), max(l), min(l)
#: order of lists
def main() -> List[bool]:
    a = [1, 2]
    return [a < [1, 3], a < [1], a <= [1, 2], a > [1, 2, 0], a >= [0], [a] < [[1, 2, 0]]]
#: strings and lists times a bool
def main() -> str:
    return "ab" * True + False * "cd" + str([1] * True)
#: in range
def main() -> List[bool]:
    n = 5
    return [n in range(n), n not in range(2, 9, 3), n in range(9, 2, -2), -1 in range(3),
            n in range(7, 3), 0 in range(0)]
#: len(range)
def main() -> List[int]:
    return [len(range(3)), len(range(2, 9, 3)), len(range(9, 2, -3)), len(range(3, 1))]
#: repr
def main() -> str:
    return repr("it's") + repr([1.0, 2.5]) + repr(("a", 1))
#: str(), int(), float(), bool()
def main() -> Tuple[str, int, float, bool]:
    return str(), int(), float(), bool()
#: pow with a modulus
def main() -> List[int]:
    return [pow(7, 2, 5), pow(-7, 3, 5), pow(7, 2, -5), pow(7, -1, 5), pow(3, 1000, 1000003),
            pow(5, 0, 1)]
#: f-string with fields in the specification
def main() -> str:
    x, n = 3.14159, 2
    return f"{x:.{n}f}|{x:{n + 8}.{n}f}|{'a':>{n}}"
#: f-string that shows its expression
def main() -> str:
    n, s, l = 3, "a", [1, 2]
    return f"{n=} {s=} {l[0] + 1 = } {n=:>3d} {s = !s} {n==3} {n!=3}"
#: format with names
def main() -> str:
    return "{a}-{}-{b:>4}-{{a}}".format(1, a=2, b="x")
#: text of a dtype
def main() -> str:
    x = torch.zeros(2)
    d = x.to(torch.int64).dtype
    return f"{x.dtype}" + str(d) + "{}".format(torch.bool) + "%s" % torch.half
#: devices: type, index, ==, text
def main() -> Tuple[str, Optional[int], Optional[int], List[bool], str]:
    x = torch.zeros(2, device="cpu:0")
    d = torch.device("cpu:0")
    same = [x.device == d, x.device == torch.device("cpu"), d != torch.device("cpu"),
            torch.device("cuda:1") == torch.device("cuda:1")]
    return d.type, d.index, x.device.index, same, f"{d} {x.device}"
#: devices in lists, tuples and defaults
def ones(n: int, device: torch.device = torch.device("cpu"),
         like: Optional[torch.device] = None) -> Tensor:
    return torch.ones(n, device=device if like is None else like)
def main() -> float:
    places = [torch.device("cpu"), torch.device("cpu:0")]
    pair = (torch.device("cpu"), 2)
    x = ones(2) + ones(2, places[1]) + ones(pair[1], like=pair[0])
    for d in places:
        x = x.to(d) + x.to("cpu")
    return float(x.sum())
#: torch.cuda.is_available() chooses a device
def main() -> float:
    d = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return float(torch.ones(2, device=d).sum())
#: x.cuda() behind x.is_cuda
def main() -> float:
    x = torch.ones(2)
    e = torch.ones(2)
    if x.is_cuda:
        e = e.cuda()
    return float((x + e).sum())
#: tensors and bools
def main() -> float:
    x = torch.ones(2)
    n = 3
    x += True
    return float(((x + True) * (n > 2) / True).sum()) + float((torch.tensor([True]) + True).sum())
#: a class by another name
class Point:
    def __init__(self, a: int):
        self.a = a
Other = Point
def main() -> int:
    p: Other = Other(3)
    return p.a
#: == of Optionals
def half(n: int) -> Optional[int]:
    return n // 2 if n % 2 == 0 else None
def main() -> List[bool]:
    return [half(2) == half(2), half(2) == half(3), half(3) == half(5), half(4) != 2]
#: lists as items of Unions
def main() -> int:
    a: List[Union[int, List[int]]] = []
    a.append([1, 2])
    a.append(3)
    d: Dict[str, Union[int, Dict[str, int]]] = {}
    d.setdefault("k", {"x": 1})
    d["l"] = {"y": 2}
    return len(a) + len(d)
#: a function defined twice
def f() -> int:
    return 1
def f() -> int:
    return 2
def main() -> int:
    return f()
#: torch.unique by its flags
def main() -> List[List[int]]:
    x = torch.tensor([3, 1, 1, 2, 3, 3])
    a = torch.unique(x)
    b, back = torch.unique(x, return_inverse=True)
    c, count = torch.unique_consecutive(x, return_counts=True)
    out: List[List[int]] = []
    for t in [a, b, back, c, count, torch.unique(x.view(3, 2), dim=0).view(-1)]:
        row: List[int] = t.tolist()
        out.append(row)
    return out
#: x.where(condition, other)
def main() -> List[int]:
    x = torch.tensor([1, -2, 3])
    y = torch.tensor([7, 8, 9])
    b = torch.tensor([True, False, True])
    out: List[int] = torch.cat([x.where(x > 0, y), x.where(condition=x < 0, other=y),
                                b.where(x > 2, x < 0).to(torch.int64)]).tolist()
    return out
#: torch.tensordot by lists and by a number of dims
def main() -> List[float]:
    a = torch.arange(6.0).view(2, 3)
    out: List[float] = []
    for t in [torch.tensordot(a, a, dims=([1], [1])), torch.tensordot(a, a.t(), 1),
              torch.tensordot(a, a, dims=2)]:
        out.append(float(t.sum()))
    return out
#: torch.tensordot by a number of dims that the run tells
def meeting(a: Tensor, b: Tensor, n: int) -> List[int]:
    out: List[int] = torch.tensordot(a, b, dims=n).flatten().tolist()
    return out
def main() -> List[int]:
    a = torch.arange(6).view(2, 3)
    return meeting(a, a.t(), 1) + meeting(a, a, 2) + meeting(a[0], a[1], 0)
#: is of bools
def same(a: bool, b: bool, c: Optional[bool]) -> List[bool]:
    return [a is b, a is not b, a is True, b is not False, c is True, c is not b]
def main() -> List[bool]:
    return same(True, False, True) + same(False, False, None) + same(True, True, False)
#: dict(items, key=value)
def main() -> Tuple[Dict[str, int], Dict[str, int], Dict[str, int]]:
    d = {"a": 1, "z": 0}
    e = dict(d, a=d.pop("z"), b=4)
    return dict([("a", 1), ("b", 2)], b=5, c=6), d, e
#: the name Ellipsis in an index
def main() -> List[int]:
    z = torch.arange(12).view(2, 2, 3)
    z[Ellipsis, 0] = 7
    out: List[int] = torch.cat([z[Ellipsis, 1].flatten(), z[1, Ellipsis].flatten(),
                                z[0, Ellipsis, -1]]).tolist()
    return out
#: the types of the parameters in a comment, without the result's
def chosen(a, b, flag):
    # type: (int, List[int], bool)
    return b[0] if flag else a
def main() -> List[int]:
    return [chosen(1, [2], True), chosen(1, [2], False)]
#: a tuple times a number
def main() -> List[int]:
    a, b, c, d = (1, 2) * 2
    x = torch.zeros(2, 3, 4)
    return [a, b, c, d, len((0,) * 3), x.view(x.shape[:-2] + (-1,)).size(1),
            torch.ones((2,) + (1,) * (x.dim() - 1)).dim()]
#: slice objects as subscripts
def main() -> List[int]:
    z = torch.arange(12).view(3, 4)
    a = [1, 2, 3, 4, 5]
    a[slice(0, 2)] = [7]
    out: List[int] = z[slice(None), 1].tolist()
    last: List[int] = z[slice(1, 3), slice(None, None, 3)][1].tolist()
    return out + last + a[slice(1, None, 2)] + [len("hello"[slice(2)]), (1, 2, 3)[slice(1, 3)][0]]
#: torch.tensor of mixed lists, tuples, items of tensors and nothing
def main() -> List[float]:
    x = torch.tensor([1.5, 2.5])
    n = torch.tensor([3, 4]).sum().item()
    made = [torch.tensor([x.sum().item(), 2]), torch.tensor([[1.0, 0, 0], [0, 1, 0]]),
            torch.tensor(((1, 2.5), (3, 4))), torch.tensor([]),
            torch.tensor([[]]), torch.tensor([True, 2]), torch.tensor([n, 1]), torch.tensor(n),
            torch.tensor([], dtype=torch.long)]
    out: List[float] = []
    for t in made:
        out += [float(t.dim()), float(t.numel()), float(t.sum()), float(t.is_floating_point())]
    return out
#: tensors by their types, and x.type
def main() -> List[bool]:
    a = torch.LongTensor([1, 2])
    b = torch.FloatTensor([[1, 2], [3, 4]])
    return [a.dtype == torch.int64, b.dtype == torch.float32, float(b.sum()) == 10.0,
            a.type(torch.float64).dtype == torch.float64,
            torch.BoolTensor([True]).dtype == torch.bool,
            torch.DoubleTensor(2, 3).shape == torch.Size([2, 3]), torch.IntTensor().numel() == 0,
            a.type(torch.uint8).element_size() == 1, torch.HalfTensor(b.size()).numel() == 4]
#: torch.linalg
def main() -> List[float]:
    x = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
    y = torch.linalg.matrix_power(x, 2) + torch.linalg.inv(x)
    return [round(float(v), 4) for v in [torch.linalg.norm(x), torch.linalg.det(x), y[0, 1],
        torch.linalg.vector_norm(x, ord=1), torch.linalg.norm(x, dim=1)[0]]]
#: return_indices of F.max_pool2d and its kind
def main() -> List[int]:
    x = torch.arange(16.0).view(1, 1, 4, 4)
    v, i = F.max_pool2d(x, 2, return_indices=True)
    w, j = F.adaptive_max_pool1d(x[0], 2, return_indices=True)
    out: List[int] = i.flatten().tolist()
    return out + [int(v.sum()), int(w.sum()), int(j.sum()),
                  int(F.max_pool1d(x[0], 2, return_indices=False).sum()),
                  int(F.max_unpool2d(v, i, 2).sum())]
#: an int where a float is wanted
def main() -> List[float]:
    x = torch.tensor([[0.5, 1.0]])
    return [round(float(v), 4) for v in [F.triplet_margin_loss(x, x + 1, x - 2, margin=4, p=2),
                                         F.dropout(x, 0).sum(),
                                         F.interpolate(x.view(1, 1, 1, 2),
                                                       scale_factor=(2, 1)).sum(),
                                         F.layer_norm(x, (2,), eps=1).sum(),
                                         torch.empty(2, 2).normal_(1, 0).sum(),
                                         torch.normal(2, 0, (3,)).sum()]]
#: round of x.item()
def main() -> List[float]:
    t = torch.tensor(2.567)
    return [round(t.item(), 1), float(round(t.item()))]
#: torch.frexp of a tensor
def main() -> List[float]:
    m, e = torch.frexp(torch.tensor([8.0, -0.75]))
    return [float(m[0]), float(m[1]), float(e[0]), float(e[1])]
#: a parameter without annotation has the type of its default
def f(n=3, s="ab", half=0.5, deep=(1, 2)):
    return len(s) * n + half + deep[1]
def main() -> float:
    return f() + f(4, s="abc")
#: torch.finfo, torch.iinfo and torch.is_tensor
def f(x: Tensor) -> float:
    return torch.finfo(x.dtype).min
def main() -> List[float]:
    x = torch.tensor([1.0, 2.0])
    scores = x.masked_fill(torch.tensor([True, False]), torch.finfo(x.dtype).min)
    return [f(x), f(x.half()), float(scores[0]), torch.finfo(torch.float64).eps, torch.finfo().tiny,
            torch.finfo(torch.bfloat16).max,
            torch.finfo(torch.half).resolution, torch.finfo(torch.float64).resolution,
            float(torch.iinfo(torch.int32).max), float(torch.iinfo(torch.uint8).min),
            float(torch.finfo(torch.half).bits), float(torch.iinfo(torch.int64).min),
            float(torch.is_tensor(x)), float(torch.is_tensor(3))]
#: sum, max, min, formats and torch.tensor of tensors
def main() -> List[float]:
    v = torch.tensor([1.5, 2.5])
    x, n = v[0], torch.tensor([3, 4])[0]
    losses = [v.sum(), x, x * 2]
    picked = [max(x, 1.0), max(0, x), min(x, 0.5), max(x, 2), sum(losses), sum([v, v])[1],
              torch.tensor([x, x + 1])[1], torch.tensor([n, n]).sum()]
    return [float(t) for t in picked] \
        + [float(f"{x:.2f}"), float("{:5d}".format(n)), float([10, 20, 30][v.argmax().item()])]
