"""Modules and functions as torch.jit saves them: every kind of attribute, tensor, container,
statement and subscript.

Run with a folder, writes NAME.script.pt and NAME.trace.pt there, with inputs NAME.in0.npy, ... and
the flattened tensors of the result NAME.out0.npy, ...; test_archive_modules.py loads them. What
torch itself refuses to trace is not traced.
"""

import json
import math
import sys
from collections import OrderedDict
from enum import Enum
from pathlib import Path
from typing import Dict, Final, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch_traced

T = torch.Tensor


class Point(NamedTuple):
    x: T
    n: int


class Colour(Enum):
    RED = 1
    BLUE = 2


@torch.jit.script
class Box:
    def __init__(self, v: int):
        self.v = v
        self.names: List[str] = []

    def add(self, s: str) -> int:
        self.names.append(s)
        self.v += len(s)
        return self.v


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.table: Dict[str, List[int]] = {"a": [1, 2], "b": [3]}
        self.rows: List[List[float]] = [[1.0], [2.0, 3.0]]
        self.pairs: List[Tuple[str, int]] = [("a", 1), ("b", 2)]
        self.lookup: Dict[int, Tuple[int, float]] = {3: (1, 0.5)}
        self.tensors: List[T] = [torch.ones(2), torch.zeros(3)]
        self.named: Dict[str, T] = {"w": torch.full((1,), 2.0)}
        self.opt: Optional[List[int]] = None
        self.opts: List[Optional[int]] = [1, None]
        self.bools: List[bool] = [True, False]
        self.strs: List[str] = ["x", "y"]

    def forward(self, x):
        whole = (len(self.strs), "%s")
        shown = (
            "%d-%s" % (len(self.strs), "y")
            + "%s and %s" % whole
            + "%d" % (self.pairs[0][1],)
            + "%s" % self.strs[0]
        )
        x = x + len(shown) + ord(shown[0])
        y = (
            x * self.table["a"][1]
            + self.rows[1][0]
            + self.pairs[0][1]
            + self.lookup[3][1]
            + self.tensors[0].sum()
            + self.named["w"]
        )
        if self.opt is None and self.bools[0]:
            y = y + len(self.strs)
        o = self.opts[0]
        if o is not None:
            y = y + o
        return y


class Dtypes(nn.Module):
    def __init__(self):
        super().__init__()
        for i, d in enumerate(
            [
                torch.float32,
                torch.float64,
                torch.float16,
                torch.bfloat16,
                torch.int64,
                torch.int32,
                torch.int16,
                torch.int8,
                torch.uint8,
                torch.bool,
            ]
        ):
            self.register_buffer(f"b{i}", torch.tensor([0, 1, 2]).to(d))
        self.register_buffer("zero", torch.zeros(0, 3))
        self.register_buffer("scalar", torch.tensor(2.5))
        self.register_buffer("none", None)
        self.register_buffer("skipped", torch.ones(2), persistent=False)
        self.p0 = nn.Parameter(torch.tensor(1.5))
        self.pn = nn.Parameter(torch.randn(4, 3).t())
        self.pe = nn.Parameter(torch.ones(1).expand(3, 2), requires_grad=False)

    def forward(self, x):
        y = (
            x.sum()
            + self.b0.sum()
            + self.b1.sum()
            + self.b2.float().sum()
            + self.b3.float().sum()
            + self.b4.sum()
            + self.b5.sum()
            + self.b6.sum()
            + self.b7.sum()
            + self.b8.sum()
            + self.b9.sum()
        )
        return (
            y
            + self.zero.sum()
            + self.scalar
            + self.p0
            + self.pn.sum()
            + self.pe.sum()
            + self.skipped.sum()
        )


class SharedT(nn.Module):
    def __init__(self):
        super().__init__()
        base = torch.randn(6)
        self.register_buffer("a", base)
        self.register_buffer("b", base[2:])
        self.register_buffer("c", base.view(2, 3).t())
        self.register_buffer("d", base)
        self.l1 = nn.Linear(3, 3)
        self.l2 = self.l1
        self.l3 = nn.Linear(3, 3)
        self.l3.weight = self.l1.weight

    def forward(self, x):
        self.a.add_(1)
        return self.l1(x) + self.l2(x) + self.l3(x) + self.b.sum() + self.c.sum() + self.d.sum()


class Exported(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return self.l(x) * self.calls

    @torch.jit.export
    def twice(self, x, n: int = 2):
        return self.forward(x) * n

    @torch.jit.ignore
    def not_there(self, x):
        import os

        return os.getcwd()

    @torch.jit.unused
    def also_not(self, x: T) -> T:
        return x.numpy()


class Constants(nn.Module):
    __constants__ = ["k", "names"]
    size: Final[int]

    def __init__(self):
        super().__init__()
        self.k = 3
        self.names = ["a", "b"]
        self.size = 4
        self.f = 0.1
        self.s = 'it\'s "quoted" \\ é'
        self.t = (1, 2.0, "x")
        self.pi = math.pi
        self.inf = float("inf")

    def forward(self, x):
        if self.s == 'it\'s "quoted" \\ é':
            x = x + 1
        return (
            x * self.k
            + self.size
            + self.f
            + self.t[1]
            + self.pi
            + len(self.names)
            + float(self.inf > 3)
        )


class Enums(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = Colour.BLUE
        self.cs: List[Colour] = [Colour.RED, Colour.BLUE]

    def forward(self, x):
        if self.c == Colour.BLUE and self.cs[0] != Colour.BLUE:
            return x * self.c.value
        return x


class Named(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = Point(torch.ones(2), 3)

    def forward(self, x):
        q = Point(x=x + self.p[0], n=self.p[1])
        a, n = q
        return q, a * n


class NamedIn(nn.Module):
    def forward(self, x):
        return self.inner(Point(x, 2))

    def inner(self, p: Point):
        return p.x * p.n


def work(x: torch.Tensor, k: int) -> torch.Tensor:
    return x * k + 1


class Forked(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.ReLU()

    def forward(self, x):
        first = torch.jit.fork(self.l, x)
        second = torch.jit.fork(work, x, 3)
        return self.l(-x) + torch.jit.wait(first) * torch.jit.wait(second)


class ForkedMany(nn.Module):
    def forward(self, x):
        tasks: List[torch.jit.Future[torch.Tensor]] = []
        for i in range(3):
            tasks.append(torch.jit.fork(work, x, i))
        if x.dim() > 1:
            tasks.append(torch.jit.fork(work, x, 7))
        out = torch.zeros_like(x)
        for task in tasks:
            out = out + torch.jit.wait(task)
        return out


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)

        def pre(self, inp: Tuple[T]) -> T:
            return inp[0] + 1

        def post(self, inp: Tuple[T], out: T) -> T:
            return out * 2

        self.l.register_forward_pre_hook(pre)
        self.l.register_forward_hook(post)

    def forward(self, x):
        return self.l(x)


class Cont(nn.Module):
    def __init__(self):
        super().__init__()
        self.seq = nn.Sequential(
            OrderedDict([("first", nn.Linear(2, 2)), ("act", nn.ReLU()), ("last", nn.Linear(2, 2))])
        )
        self.d = nn.ModuleDict({"x": nn.Linear(2, 2), "y-z": nn.Tanh()})
        self.pl = nn.ParameterList([nn.Parameter(torch.ones(2)), nn.Parameter(torch.zeros(2))])
        self.pd = nn.ParameterDict({"q": nn.Parameter(torch.ones(2))})
        self.empty = nn.ModuleList([])

    def forward(self, x):
        x = self.seq(x)
        for k, m in self.d.items():
            x = m(x)
        for m in self.d.values():
            x = m(x)
        for i, m in enumerate(self.seq):
            x = m(x)
        for p in self.pl:
            x = x + p
        return x + self.seq[0](x) + self.seq.last(x)


class Boxed(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)

    def forward(self, x):
        b = Box(3)
        n = b.add("abc")
        n = b.add("d")
        return self.l(x) * n + len(b.names)


class Control(nn.Module):
    def forward(self, x, n: int):
        out: List[T] = []
        i = 0
        while i < n:
            i += 1
            if i == 2:
                continue
            if i == 5:
                break
            out.append(x * i)
        for j in range(1, n, 2):
            for k in [1, 2]:
                if j * k == 6:
                    return torch.stack(out)
        d = {"a": x}
        for key, v in d.items():
            out.append(v)
        assert len(out) > 0, f"empty {n}"
        return torch.stack(out, 0) + sum([i for i in range(3)])


class Opt(nn.Module):
    def __init__(self, bias: bool):
        super().__init__()
        self.bias: Optional[T] = torch.ones(2) if bias else None
        self.sub: Optional[nn.Module] = nn.Linear(2, 2) if bias else None
        self.k: Optional[int] = 3 if bias else None
        self.name: Optional[str] = None

    def forward(self, x, y: Optional[T] = None):
        if self.bias is not None:
            x = x + self.bias
        if self.sub is not None:
            x = self.sub(x)
        k = self.k
        if k is not None:
            x = x * k
        if y is not None:
            x = x + y
        return x


class Strs(nn.Module):
    def forward(self, x):
        s = "a,b,c"
        parts = s.split(",")
        n = 0
        for p in parts:
            if p.startswith("b"):
                n += ord(p)
        return (
            x * n
            + len("{}-{}".format(parts[0], n))
            + len("%s" % parts[1])
            + int("12")
            + float("0.5")
        )


class Idx(nn.Module):
    def forward(self, x):
        y = x.clone()
        y[0, 1:] = 3
        y[:, 0] += 1
        y[y > 2] = 0.5
        i = torch.tensor([1, 0])
        return y[i], y[..., -1], x[:, None, 1], x[-1], x[x > 0].sum(), y[1:2, ::2]


class Tup(nn.Module):
    def forward(self, x) -> Tuple[Tuple[T, T], Dict[str, T], List[T]]:
        a, b = x.chunk(2, 1)
        (m, i) = x.max(1)
        return (a, m), {"b": b, "i": i.float()}, [x, a]


class Nograd(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)

    def forward(self, x):
        with torch.no_grad():
            y = self.l(x)
            if True:
                z = y * 2
        return y + z


class Factories(nn.Module):
    def forward(self, x):
        b = x.size(0)
        a = torch.arange(b, dtype=torch.float, device=x.device)
        z = torch.zeros_like(x) + torch.ones(x.shape) + torch.full_like(x, 2) + x.new_zeros(x.shape)
        return (
            a,
            torch.empty(0, 2).sum() + torch.zeros([2, 2], dtype=torch.int64).sum(),
            z,
            torch.tensor([[1, 2], [3, 4]], dtype=torch.float64),
            torch.tensor(3),
        )


class Fin(nn.Module):
    def forward(self, x):
        y = F.pad(x, [1, 1])
        y = (
            F.softmax(y, dim=-1)
            + F.log_softmax(y, -1)
            + F.gelu(y)
            + F.leaky_relu(y, 0.1)
            + F.softplus(y)
            + F.hardtanh(y)
            + F.elu(y)
            + F.silu(y)
        )
        y = F.layer_norm(y, [y.shape[-1]]) + F.normalize(y, dim=1)
        return (
            torch.where(y > 0, y, -y).cumsum(1).clamp(-1, 1),
            torch.topk(y, 2)[0],
            y.sort(1)[0],
            torch.cat([y, y], 1).reshape(-1).unfold(0, 2, 2),
        )


class Dims(nn.Module):
    def forward(self, x):
        s = x.shape
        y = x.view(s[0], -1).expand(s[0], x.numel() // s[0]).permute(1, 0).contiguous()
        y = y.reshape(y.size(1), y.size(0)).flatten().unsqueeze(0).repeat(2, 1).squeeze()
        return (
            y.transpose(0, 1),
            y.to(torch.float64).type_as(x),
            x.float().half().float(),
            int(x.sum() > 0) + y.dim(),
        )


class Rec(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.LSTMCell(2, 3), nn.GRUCell(3, 3), nn.RNNCell(3, 2)

    def forward(self, x):
        h = torch.zeros(x.size(0), 3)
        h, c = self.a(x, (h, h))
        return self.c(self.b(h)), c


class BN(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = nn.Sequential(
            nn.Conv2d(1, 2, 3, padding="same"),
            nn.BatchNorm2d(2),
            nn.GroupNorm(1, 2),
            nn.InstanceNorm2d(2, affine=True),
            nn.PReLU(2),
            nn.AdaptiveAvgPool2d(2),
            nn.Dropout(0.5),
            nn.Flatten(),
            nn.Hardswish(),
            nn.Softmax(1),
        )

    def forward(self, x):
        return self.m(x)


class Emb(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(5, 3, padding_idx=0)
        self.b = nn.Identity()
        self.bl = nn.Linear(3, 2)

    def forward(self, i):
        y = self.e(i)
        return self.bl(y), self.b(y)


class Div(nn.Module):
    def forward(self, x):
        return (
            x // 2,
            x % 2,
            -x // 3,
            torch.div(x, 2, rounding_mode="floor"),
            x**2,
            2**x,
            1 / x,
            x / 3,
            abs(x),
            ~(x > 0),
            (x > 0) & (x < 1),
            (x > 0) ^ (x < 1),
        )


class Train(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.Dropout(0.5)

    def forward(self, x):
        if self.training:
            return self.d(x) * 0
        return self.d(x)


class Try(nn.Module):
    def forward(self, x, n: int):
        if n > 3:
            raise ValueError("too big")
        elif n > 2:
            raise RuntimeError(f"n is {n}")
        return x * n


class Inplace(nn.Module):
    def forward(self, x):
        y = x.clone().add_(1).mul_(2).relu_().clamp_(0, 3)
        y[0].zero_()
        z = y.t()
        z += 1
        y.fill_(2) if bool(y.sum() > 1000) else y
        return y, z


class Lists(nn.Module):
    def forward(self, x):
        a = [1, 2, 3]
        a.extend([4])
        a.insert(0, 9)
        a.reverse()
        b = a.pop()
        a += [7]
        a[1] = 5
        c = sorted(a)
        a.sort(reverse=True)
        t = torch.jit.annotate(List[T], [])
        for i in c[1:3]:
            t.append(x * i)
        return torch.stack(t) + b + len(a) + max(a) + min(a) + a.index(7) + a.count(
            5
        ), torch.tensor(a)


def flattened(value):
    if isinstance(value, torch.Tensor):
        return [value.detach().numpy()]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in flattened(item)]
    return []


X = torch.arange(4.0).view(2, 2) / 3 - 0.4
WIDE = torch.arange(12.0).view(3, 4) / 5 - 1
MODULES = {
    Nested: [X],
    Dtypes: [X],
    SharedT: [WIDE[:, :3]],
    Exported: [X],
    Constants: [X],
    Enums: [X],
    Named: [X],
    NamedIn: [X],
    Hooked: [X],
    Cont: [X],
    Boxed: [X],
    Control: [X, 9],
    Strs: [X],
    Idx: [WIDE],
    Tup: [WIDE],
    Nograd: [X],
    Factories: [X],
    Fin: [WIDE],
    Dims: [WIDE.view(3, 2, 2)],
    Rec: [X],
    BN: [torch.randn(2, 1, 5, 5)],
    Emb: [torch.tensor([1, 0, 4])],
    Div: [WIDE],
    Train: [X],
    Try: [X, 2],
    Inplace: [X],
    Lists: [X],
    Forked: [X],
    ForkedMany: [X],
}
MADE = {cls.__name__: (cls, inputs) for cls, inputs in MODULES.items()}
MADE["OptT"] = (lambda: Opt(True), [X])
MADE["OptF"] = (lambda: Opt(False), [X])
UNTRACED = [
    "SharedT",
    "Exported",
    "Constants",
    "Enums",
    "Named",
    "Boxed",
    "Control",
    "Tup",
    "Dims",
    "Train",
    "Try",
]


def write(folder, name, kind, program, inputs):
    torch.jit.save(program, str(folder / f"{name}.{kind}.pt"))
    torch.manual_seed(0)
    results = flattened(program(*[i.clone() if isinstance(i, torch.Tensor) else i for i in inputs]))
    for i, result in enumerate(results):
        np.save(folder / f"{name}.{kind}.out{i}.npy", result)
    for i, value in enumerate(inputs):
        if isinstance(value, torch.Tensor):
            np.save(folder / f"{name}.{kind}.in{i}.npy", value.contiguous().numpy())
        else:
            (folder / f"{name}.{kind}.in{i}.json").write_text(json.dumps(value))


if __name__ == "__main__":
    where = Path(sys.argv[1])
    for made_name, (make, given) in MADE.items():
        torch.manual_seed(1)
        write(where, made_name, "script", torch.jit.script(make().eval()), given)
        if made_name not in UNTRACED:
            traced = torch.jit.trace(
                make().eval(), tuple(i.clone() for i in given), check_trace=False
            )
            write(where, made_name, "trace", traced, given)
    write(where, "overl", "script", torch_traced.overl, [WIDE])
    for made_name in [n for n in dir(torch_traced) if n.startswith("tr_")]:
        function = getattr(torch_traced, made_name)
        traced = torch.jit.trace(function, X, strict=False, check_trace=False)
        write(where, made_name, "trace", traced, [X])
    torch.jit.save(torch.jit.script(Hooked().l), str(where / "HookedItself.refused.pt"))
