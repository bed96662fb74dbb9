"""Programs as a user would write them, for results/conformance.md; see make_conformance.py."""
#: beam search
def step(logp: Tensor, scores: Tensor, k: int) -> Tuple[Tensor, Tensor, Tensor]:
    total = scores.unsqueeze(1) + logp
    best, flat = total.view(-1).topk(k)
    return best, torch.floor_divide(flat, logp.size(1)), flat % logp.size(1)
def main() -> List[int]:
    vocab, k, steps = 5, 3, 4
    table = torch.log_softmax(torch.sin(torch.arange(25.0).view(5, 5) * 1.7), dim=-1)
    beams: List[List[int]] = [[0]]
    scores = torch.zeros(1)
    for t in range(steps):
        last = torch.tensor([b[-1] for b in beams])
        scores, parent, token = step(table[last], scores, k)
        new_beams: List[List[int]] = []
        for i in range(k):
            p = int(parent[i].item())
            new_beams.append(beams[p] + [int(token[i].item())])
        beams = new_beams
    return beams[0] + beams[2]
#: tokenizer
def tokenize(text: str, vocab: Dict[str, int]) -> List[int]:
    out: List[int] = []
    word = ""
    for c in text.lower() + " ":
        if c.isalpha():
            word += c
            continue
        if word != "":
            if word not in vocab:
                vocab[word] = len(vocab)
            out.append(vocab[word])
            word = ""
        if c in ".,!?":
            if c not in vocab:
                vocab[c] = len(vocab)
            out.append(vocab[c])
    return out
def main() -> Tuple[List[int], int]:
    vocab: Dict[str, int] = {"<pad>": 0}
    ids = tokenize("The cat saw the dog. The dog, alas, fled!", vocab)
    return ids, len(vocab)
#: byte pair merges
def merge(word: List[str], pair: Tuple[str, str]) -> List[str]:
    out: List[str] = []
    i = 0
    while i < len(word):
        if i + 1 < len(word) and word[i] == pair[0] and word[i + 1] == pair[1]:
            out.append(word[i] + word[i + 1])
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out
def main() -> str:
    word = [c for c in "lowerlowest"]
    for _ in range(4):
        counts: Dict[str, int] = {}
        for a, b in zip(word[:-1], word[1:]):
            key = a + " " + b
            counts[key] = counts.get(key, 0) + 1
        best, n = "", 0
        for k, v in counts.items():
            if v > n:
                best, n = k, v
        if n < 2:
            break
        parts = best.split(" ")
        word = merge(word, (parts[0], parts[1]))
    return "-".join(word)
#: non-maximum suppression
def iou(a: Tensor, b: Tensor) -> Tensor:
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    area_a = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
    area_b = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    return inter / (area_a[:, None] + area_b - inter)
def nms(boxes: Tensor, scores: Tensor, threshold: float) -> Tensor:
    order = scores.argsort(descending=True)
    keep: List[int] = []
    ious = iou(boxes, boxes)
    alive = torch.ones(boxes.size(0), dtype=torch.bool)
    for i in range(order.numel()):
        j = int(order[i])
        if not bool(alive[j]):
            continue
        keep.append(j)
        alive &= ious[j] <= threshold
    return torch.tensor(keep, dtype=torch.long)
def main() -> List[int]:
    boxes = torch.tensor([[0.0, 0.0, 10.0, 10.0], [1.0, 1.0, 11.0, 11.0], [20.0, 20.0, 30.0, 30.0],
                          [21.0, 20.0, 31.0, 29.0], [0.0, 0.0, 5.0, 5.0]])
    scores = torch.tensor([0.9, 0.8, 0.7, 0.95, 0.3])
    r = nms(boxes, scores, 0.5)
    return r.tolist()
#: recurrent cell over a sequence
def run(xs: Tensor, w: Tensor) -> Tuple[Tensor, Tensor]:
    h = torch.zeros_like(xs[0])
    outs: List[Tensor] = []
    for x in xs.unbind(0):
        h = torch.tanh(x @ w + h)
        outs += [h]
    return torch.stack(outs), h
def main() -> List[int]:
    y, h = run(torch.arange(24.0).view(3, 2, 4) / 24, torch.ones(4, 4) * 0.1)
    return ((y + h) * 1000).round().to(torch.int64).flatten().tolist()
#: LU decomposition
def lu(a: Tensor) -> Tuple[Tensor, Tensor]:
    n = a.shape[0]
    u = a.clone()
    l = torch.eye(n)
    for k in range(n - 1):
        for i in range(k + 1, n):
            f = u[i, k] / u[k, k]
            l[i, k] = f
            u[i, k:] -= f * u[k, k:]
    return l, u
def main() -> List[int]:
    a = torch.tensor([[4.0, 3.0, 2.0], [2.0, 5.0, 1.0], [1.0, 2.0, 6.0]])
    l, u = lu(a)
    return ((l @ u - a + l) * 1000).round().to(torch.int64).flatten().tolist()
#: inverse with pivoting
def inverse(a: Tensor) -> Tensor:
    n = a.size(0)
    m = torch.cat([a, torch.eye(n, dtype=a.dtype)], dim=1)
    for c in range(n):
        p = c + int(m[c:, c].abs().argmax())
        if p != c:
            row = m[c].clone()
            m[c] = m[p]
            m[p] = row
        m[c] /= m[c, c].clone()
        for r in range(n):
            if r == c:
                continue
            m[r] -= m[r, c].clone() * m[c]
    return m[:, n:]
def main() -> List[int]:
    return ((inverse(torch.tensor([[0.0, 2.0, 1.0], [1.0, 1.0, 0.0], [3.0, 0.0, 1.0]])))
            * 1000).round().to(torch.int64).flatten().tolist()
#: levenshtein
def lev(a: str, b: str) -> int:
    prev = [i for i in range(len(b) + 1)]
    for i, ca in enumerate(a):
        cur = [i + 1]
        for j, cb in enumerate(b):
            cost = 0 if ca == cb else 1
            cur.append(min(prev[j + 1] + 1, cur[j] + 1, prev[j] + cost))
        prev = cur
    return prev[-1]
def main() -> int:
    return lev("kitten", "sitting") * 10 + lev("", "abc")
#: class counter
@torch.jit.script
class Counter:
    def __init__(self):
        self.counts: Dict[str, int] = {}
    def add(self, key: str, n: int = 1) -> None:
        if key in self.counts:
            self.counts[key] += n
        else:
            self.counts[key] = n
    def top(self) -> Tuple[str, int]:
        best = ""
        n = -1
        for k, v in self.counts.items():
            if v > n:
                best = k
                n = v
        return best, n
def main() -> Tuple[str, int]:
    c = Counter()
    for w in "a b a c b a".split(" "):
        c.add(w)
    c.add("z", 2)
    return c.top()
#: namedtuple result
class Stats(NamedTuple):
    mean: Tensor
    std: Tensor
    count: int
def stats(x: Tensor, mask: Optional[Tensor] = None) -> Stats:
    if mask is not None:
        x = x[mask]
    n = x.numel()
    if n == 0:
        return Stats(torch.tensor(0.0), torch.tensor(0.0), 0)
    m = x.mean()
    return Stats(mean=m, std=((x - m) ** 2).mean().sqrt(), count=n)
def main() -> Tuple[float, float, int]:
    x = torch.arange(10.0)
    a = stats(x)
    b = stats(x, x > 4)
    c = stats(x, x > 40)
    return float(a.mean + b.mean), float(a.std - b.std), a.count * 100 + b.count * 10 + c.count
#: optional chain
def find(xs: List[int], key: int) -> Optional[int]:
    for i, x in enumerate(xs):
        if x == key:
            return i
    return None
def main() -> int:
    xs = [5, 3, 8]
    a = find(xs, 8)
    b = find(xs, 9)
    total = 0
    if a is not None:
        total += a
    if b is None:
        total += 100
    else:
        total -= b
    c = find(xs, 3)
    assert c is not None
    return total + c * 10
#: early return from nested loops
def search(grid: List[List[int]], want: int) -> Tuple[int, int]:
    for r in range(len(grid)):
        for c in range(len(grid[r])):
            if grid[r][c] == want:
                return r, c
            elif grid[r][c] < 0:
                break
    return -1, -1
def main() -> List[int]:
    g = [[1, 2, 3], [4, -1, 6], [7, 8, 9]]
    a, b = search(g, 8)
    c, d = search(g, 6)
    return [a, b, c, d]
#: messages by f-strings
def check(n: int) -> str:
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}")
    return f"{n} items, {n * 0.5} each, {[n, n]}"
def main() -> str:
    return check(3)
#: viterbi
def viterbi(emit: Tensor, trans: Tensor) -> List[int]:
    T, S = emit.shape
    score = emit[0]
    back: List[Tensor] = []
    for t in range(1, T):
        total = score.unsqueeze(1) + trans
        best, idx = total.max(dim=0)
        score = best + emit[t]
        back.append(idx)
    last = int(score.argmax())
    path = [last]
    for t in range(len(back) - 1, -1, -1):
        last = int(back[t][last])
        path.insert(0, last)
    return path
def main() -> List[int]:
    return viterbi(torch.sin(torch.arange(12.0).view(4, 3)),
                   torch.cos(torch.arange(9.0).view(3, 3)))
#: attention mask
def attend(q: Tensor, k: Tensor, v: Tensor, mask: Optional[Tensor] = None) -> Tensor:
    s = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    if mask is not None:
        s = s.masked_fill(mask == 0, float("-inf"))
    return F.softmax(s, dim=-1) @ v
def main() -> List[int]:
    x = torch.arange(12.0).view(1, 3, 4) / 12
    m = torch.tril(torch.ones(3, 3))
    return ((attend(x, x, x, m) + attend(x, x, x))
            * 1000).round().to(torch.int64).flatten().tolist()
#: positional encoding
def encoding(n: int, d: int) -> Tensor:
    pe = torch.zeros(n, d)
    pos = torch.arange(0, n, dtype=torch.float).unsqueeze(1)
    div = torch.exp(torch.arange(0, d, 2).float() * (-math.log(10000.0) / d))
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe.unsqueeze(0)
def main() -> List[int]:
    return ((encoding(5, 6)) * 1000).round().to(torch.int64).flatten().tolist()
#: kmeans
def main() -> List[int]:
    x = torch.cat([torch.arange(6.0).view(3, 2), torch.arange(6.0).view(3, 2) + 20])
    c = x[[0, 5]].clone()
    for _ in range(5):
        d = ((x[:, None, :] - c[None, :, :]) ** 2).sum(-1)
        a = d.argmin(dim=1)
        for k in range(c.size(0)):
            m = a == k
            if m.any():
                c[k] = x[m].mean(dim=0)
    return ((c) * 1000).round().to(torch.int64).flatten().tolist()
#: dynamic programming over a table
def main() -> int:
    dims = [10, 30, 5, 60, 8]
    n = len(dims) - 1
    cost = [[0 for _ in range(n)] for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            best = -1
            for k in range(i, j):
                c = cost[i][k] + cost[k + 1][j] + dims[i] * dims[k + 1] * dims[j + 1]
                if best < 0 or c < best:
                    best = c
            cost[i][j] = best
    return cost[0][n - 1]
#: table of text
def main() -> Dict[str, float]:
    text = "name,score\nann,1.5\nbob,2.25\nann,3.0\n"
    out: Dict[str, float] = {}
    lines = text.strip().split("\n")
    for line in lines[1:]:
        fields = line.split(",")
        name, value = fields[0], float(fields[1])
        out[name] = out.get(name, 0.0) + value
    return out
#: greedy decode
def main() -> str:
    alphabet = "_abc"
    logits = torch.tensor([[0.1, 2.0, 0.0, 0.0], [0.1, 2.0, 0.0, 0.0], [3.0, 0.0, 0.0, 0.0],
                           [0.0, 0.0, 5.0, 1.0], [0.0, 0.0, 1.0, 4.0]])
    out = ""
    prev = -1
    for t in range(logits.size(0)):
        k = int(logits[t].argmax().item())
        if k != prev and k != 0:
            out += alphabet[k]
        prev = k
    return out
#: loop that the data ends
def collatz(x: Tensor) -> Tensor:
    steps = torch.zeros_like(x)
    active = x != 1
    while bool(active.any()):
        x = torch.where(active, torch.where(x % 2 == 0, x // 2, 3 * x + 1), x)
        steps = steps + active.to(steps.dtype)
        active = x != 1
    return steps
def main() -> List[int]:
    return collatz(torch.tensor([1, 2, 3, 6, 7, 27])).tolist()
#: lists of objects with __eq__: in, ==, count, index, remove
class Word:
    def __init__(self, text: str):
        self.text = text
    def __eq__(self, other: "Word") -> bool:
        return self.text.lower() == other.text.lower()
def main() -> Tuple[bool, bool, int, int, int]:
    words = [Word("a"), Word("B"), Word("b")]
    same = words == [Word("A"), Word("b"), Word("B")]
    known, twice, place = Word("b") in words, words.count(Word("b")), words.index(Word("b"))
    words.remove(Word("b"))
    return known, same, twice, place, len(words)
#: lists of a dataclass: in, ==, !=
@dataclass
class Pair:
    a: int
    b: float = 1.0
def main() -> Tuple[bool, bool, bool]:
    pairs = [[Pair(1)], [Pair(2), Pair(3)]]
    return [Pair(2), Pair(3)] in pairs, pairs[0] == [Pair(1)], pairs[0] != [Pair(1, 2.0)]
#: text of a dataclass
@dataclass
class Point:
    x: float
    name: str = "p"
def main() -> List[str]:
    return [str(Point(1.0)), f"{Point(2.5, name='q')}", repr(Point(0.5))]
#: repr of objects, of dtypes and of what holds them, in f-strings, format and %
@dataclass
class Point:
    x: float
    def __str__(self) -> str:
        return "p" + str(self.x)
def main() -> List[str]:
    p = Point(1.0)
    far: Optional[Point] = None
    return [f"{p} {p!r} {p!s:>5}", "{0!r} {0} {b!r}".format(p, b=[p]),
            "%s %r %6r" % (p, {"a": p}, torch.int64), f"{(p, torch.half, far)}"]
#: text of tensors
def main() -> List[str]:
    x = torch.tensor([[1.5, -2.0], [0.25, 1000.0]])
    return [str(x), f"{x[0]} {x.sum()}", "%s" % (x > 0), str(torch.tensor([]))]
#: dataclass with fields that are no arguments, are not shown or are not compared
@dataclass(order=True)
class Part:
    name: str = field(compare=False)
    key: int
    twice: int = field(init=False)
    note: str = field(default="n", repr=False)
    seen: List[int] = field(default_factory=list, init=False, repr=False, compare=False)
    def __post_init__(self):
        self.twice = 2 * self.key
def main() -> List[str]:
    a = Part("a", 3)
    b = Part("b", 3, "n")
    b.seen.append(1)
    return [str(a), repr(b), str(a == b), str(a < Part("", 4)), b.note, str(len(a.seen))]
#: divmod of x.item()
def main() -> Tuple[str, str]:
    n = torch.tensor(-7)
    r = torch.tensor(7.5)
    return str(divmod(n.item(), 2)), str(divmod(r.item(), n.item()))
#: torch.norm with None as its order or its dims
def main() -> List[float]:
    x = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
    dims: Optional[List[int]] = None
    whole = torch.norm(x, 1, None) + torch.norm(x, p=None) \
        + torch.norm(x, p=3.0, dim=dims) + torch.norm(x, 2, None, dtype=torch.float32)
    rows: List[float] = torch.norm(x, None, 0).tolist()
    return [round(float(whole), 3), float(torch.norm(x, 1, None, True).dim())] + rows
#: dataclass with __post_init__
@dataclass
class Box:
    width: float
    height: float = 2.0
    names: List[str] = field(default_factory=list)
    def __post_init__(self):
        self.width = abs(self.width)
        self.area = self.width * self.height
        self.names.append("box")
    def grown(self, by: float) -> "Box":
        return Box(self.width * by, self.height, self.names)
def main() -> Tuple[float, float, List[str], bool, bool]:
    a = Box(-3.0)
    b = a.grown(2.0)
    return a.area, b.area, b.names, a == Box(3.0, names=["box"]), a == Box(3.0)
#: class with items of two indices
class Grid:
    def __init__(self, width: int):
        self.width = width
        self.cells: List[int] = [i for i in range(width * width)]
    def __getitem__(self, at: Tuple[int, int]) -> int:
        return self.cells[at[0] * self.width + at[1]]
    def __setitem__(self, at: Tuple[int, int], value: int) -> None:
        self.cells[at[0] * self.width + at[1]] = value
def main() -> Tuple[int, List[int]]:
    g = Grid(2)
    g[0, 1] = 7
    g[1, 0] += 5
    return g[0, 1] + g[(1, 0)], g.cells
#: stack class
@torch.jit.script
class Stack:
    def __init__(self, cap: int):
        self.data: List[int] = []
        self.cap = cap
    def push(self, x: int) -> bool:
        if len(self.data) == self.cap:
            return False
        self.data.append(x)
        return True
    def pop(self) -> Optional[int]:
        if len(self.data) == 0:
            return None
        return self.data.pop()
    def __len__(self) -> int:
        return len(self.data)
def main() -> int:
    s = Stack(2)
    ok = 0
    for i in range(4):
        if s.push(i):
            ok += 1
    total = 0
    while True:
        x = s.pop()
        if x is None:
            break
        total += x
    return ok * 100 + total * 10 + len(s)
#: calculator on a stack
def main() -> float:
    stack: List[float] = []
    for tok in "3 4 + 2 * 7 /".split():
        if tok in ["+", "-", "*", "/"]:
            b = stack.pop()
            a = stack.pop()
            if tok == "+":
                stack.append(a + b)
            elif tok == "-":
                stack.append(a - b)
            elif tok == "*":
                stack.append(a * b)
            else:
                stack.append(a / b)
        else:
            stack.append(float(tok))
    return stack[0]
#: conv by hand slices
def main() -> List[int]:
    x = torch.arange(25.0).view(5, 5)
    k = torch.tensor([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]])
    out = torch.zeros(3, 3)
    for i in range(3):
        for j in range(3):
            out[i, j] = (x[i:i + 3, j:j + 3] * k).sum()
    out[1, :] += 1
    out[:, -1] *= 2
    return ((out) * 1000).round().to(torch.int64).flatten().tolist()
#: game of life
def main() -> List[int]:
    g = torch.zeros(6, 6, dtype=torch.int64)
    g[1, 2] = 1
    g[2, 3] = 1
    g[3, 1:4] = 1
    for _ in range(4):
        n = torch.zeros_like(g)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy == 0 and dx == 0:
                    continue
                n += torch.roll(g, [dy, dx], [0, 1])
        g = ((n == 3) | ((g == 1) & (n == 2))).long()
    return ((g) * 1000).round().to(torch.int64).flatten().tolist()
#: dispatch by an enum
class Act(Enum):
    RELU = 0
    TANH = 1
    NONE = 2
def act(x: Tensor, a: Act) -> Tensor:
    if a == Act.RELU:
        return F.relu(x)
    elif a == Act.TANH:
        return torch.tanh(x)
    return x
def main() -> List[int]:
    x = torch.arange(4.0) - 2
    out = torch.zeros(4)
    for a in Act:
        out = out + act(x, a)
    return ((out) * 1000).round().to(torch.int64).flatten().tolist()
#: Union of three types
def size(x: Union[int, str, List[int]]) -> int:
    if isinstance(x, int):
        return x
    elif isinstance(x, str):
        return len(x)
    else:
        return sum(x)
def main() -> int:
    return size(3) * 100 + size("abcd") * 10 + size([1, 1])
#: context manager that logs
@torch.jit.script
class Scale:
    def __init__(self, k: float):
        self.k = k
        self.log: List[str] = []
    def __enter__(self) -> float:
        self.log.append("in")
        return self.k
    def __exit__(self, a: Any, b: Any, c: Any) -> None:
        self.log.append("out")
def main() -> str:
    s = Scale(2.0)
    with s as k:
        y = k * 3
    return ",".join(s.log) + str(y)
#: roman numerals
def main() -> int:
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    s = "MCMXCIV"
    total = 0
    for i in range(len(s)):
        v = values[s[i]]
        if i + 1 < len(s) and v < values[s[i + 1]]:
            total -= v
        else:
            total += v
    return total
#: torch.jit.fork and torch.jit.wait
def f(x: int, k: int = 2) -> int:
    return x * k
def main() -> int:
    a = torch.jit.fork(f, 3)
    b = torch.jit.fork(f, 4, k=5)
    return torch.jit.wait(a) * 100 + b.wait()
#: a list of tasks
def f(x: int) -> int:
    return x * x
def main() -> int:
    tasks: List[torch.jit.Future[int]] = []
    for i in range(4):
        tasks.append(torch.jit.fork(f, i))
    return sum([torch.jit.wait(t) for t in tasks])
#: @torch.jit.interface, two classes behind one name
@torch.jit.interface
class I:
    def one(self, x: int) -> int:
        pass
@torch.jit.script
class A:
    def __init__(self, k: int):
        self.k = k
    def one(self, x: int) -> int:
        return x + self.k
@torch.jit.script
class B:
    def __init__(self):
        self.n = 7
    def one(self, x: int) -> int:
        self.n += 1
        return x * self.n
def g(i: I, x: int) -> int:
    return i.one(x) * 1000 + i.one(1)
def main() -> List[int]:
    a: I = A(2)
    out = [g(a, 3), g(B(), 3)]
    for k in range(2):
        if k == 1:
            a = B()
        out.append(a.one(5))
    return out
#: @torch.jit.interface, a list of objects of two classes
@torch.jit.interface
class I:
    def one(self, x: int) -> int:
        pass
@torch.jit.script
class A:
    def __init__(self, k: int):
        self.k = k
    def one(self, x: int) -> int:
        return x + self.k
@torch.jit.script
class B:
    def __init__(self):
        self.n = 7
    def one(self, x: int) -> int:
        return x * self.n
def main() -> int:
    xs: List[I] = [A(1), B()]
    s = 0
    for x in xs:
        s = s * 100 + x.one(3)
    return s
#: an int as the default of a float
def f(x: float, gamma: float = 2) -> float:
    return x * gamma
def main() -> float:
    return f(1.5) + f(1.5, gamma=3.0)
#: __iadd__, and items of objects changed in place
class V:
    def __init__(self, n: int):
        self.xs = [0] * n
        self.k = 0
    def __iadd__(self, k: int) -> "V":
        self.k += k
        return self
    def __getitem__(self, i: int) -> int:
        return self.xs[i]
    def __setitem__(self, i: int, x: int):
        self.xs[i] = x
def main() -> List[int]:
    v = V(2)
    w = v
    v += 10
    v[1] += 3
    v[1] *= 5
    return [w.k, w[0], w[1]]
#: __str__ in f-strings, format and %
class V:
    def __init__(self, x: float):
        self.x = x
    def __str__(self) -> str:
        return f"V({self.x})"
def main() -> List[bool]:
    v = V(1.5)
    return [str(v) == "V(1.5)", f"<{v}>" == "<V(1.5)>", "{} {}".format(v, 1) == "V(1.5) 1",
            "%s, %d" % (v, 2) == "V(1.5), 2"]
#: unsqueeze_, squeeze_, transpose_ and t_ of a tensor that names alone hold
def after(x: Tensor) -> Tensor:
    y = x + 1
    v = y[0]
    z = y
    y.t_().unsqueeze_(1)
    z += 1
    v[0] = 7.0
    z.squeeze_(1)
    return y.transpose_(0, 1)
def main() -> List[List[float]]:
    out: List[List[float]] = after(torch.arange(6).view(2, 3).to(torch.float32)).tolist()
    return out
#: sort and sorted of objects by __lt__
@torch.jit.script
class Item:
    def __init__(self, key: int, tag: str):
        self.key = key
        self.tag = tag
    def __lt__(self, other: "Item") -> bool:
        return self.key < other.key
def main() -> str:
    xs = [Item(2, "a"), Item(1, "b"), Item(2, "c"), Item(0, "d"), Item(1, "e")]
    up = sorted(xs)
    down = sorted(xs, reverse=True)
    xs.sort()
    out = ""
    for ys in [up, down, xs]:
        for y in ys:
            out += y.tag
    return out
