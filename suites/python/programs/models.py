"""Models as users write them: classes, named tuples, enums, inheritance, containers, attention,
old-style modules."""

import math
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from typing import List, Dict, Optional, Tuple, NamedTuple
from torch.jit import Final
from enum import Enum


class Kind(Enum):
    A = "a"
    B = "b"


class Pair(NamedTuple):
    first: Tensor
    second: List[int]


@torch.jit.script
class Node:
    def __init__(self, value: int):
        self.value = value
        self.children: List[int] = []

    def total(self) -> int:
        s = self.value
        for c in self.children:
            s += c
        return s


@torch.jit.script
class Stack:
    def __init__(self):
        self.items: List[Node] = []
        self.names: Dict[str, int] = {}

    def push(self, n: Node) -> "Stack":
        self.items.append(n)
        self.names[str(n.value)] = len(self.items)
        return self

    def __len__(self) -> int:
        return len(self.items)


def use(n: int) -> Tuple[int, int]:
    s = Stack()
    for i in range(n):
        node = Node(i)
        node.children.append(i * 2)
        s.push(node)
    first = s.items[0]
    first.value = 100
    total = 0
    for item in s.items:
        total += item.total()
    return total, len(s)


class Base(nn.Module):
    limit: Final[int]
    cache: Optional[Tensor]

    def __init__(self, limit: int):
        super().__init__()
        self.limit = limit
        self.cache = None
        self.kinds = {"a": 1, "b": 2}

    def shared(self, x):
        return x + self.limit

    def forward(self, x):
        return self.shared(x)


class Derived(Base):
    def __init__(self, limit=3):
        super().__init__(limit)
        self.heads = nn.ModuleDict({"one": nn.Linear(3, 3), "two": nn.ReLU()})
        self.drop = nn.Dropout(p=0.0)

    def pick(self, kind: Kind) -> int:
        if kind == Kind.A:
            return 1
        return 2

    def make(self, x: Tensor) -> Pair:
        return Pair(x, [1, 2, 3])

    def forward(self, x: Tensor, n: int = 4) -> Tuple[Tensor, int]:
        x = self.shared(x)
        for name, head in self.heads.items():
            x = head(x)
            if name == "one":
                x = x * 2
        cached = self.cache
        if cached is not None:
            x = x + cached
        self.cache = x
        p = self.make(x)
        k = self.pick(Kind.B) + p.second[-1] + self.kinds["b"]
        total, count = use(n)
        for i in range(n):
            if i == 3:
                break
            x = x + float(i)
        return self.drop(F.relu(p.first)) + x.mean(), k + total + count


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = (q @ k.transpose(-2, -1)) * self.scale
        attn = attn.softmax(dim=-1)
        x = (attn @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(x)


class Positional(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(1)]


class Block(nn.Module):
    def __init__(self, dim, heads, ratio=2.0, act=nn.GELU, norm=nn.LayerNorm):
        super().__init__()
        self.pos = Positional(dim)
        self.norm1 = norm(dim)
        self.attn = Attention(dim, heads)
        self.norm2 = norm(dim)
        hidden = int(dim * ratio)
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), act(), nn.Linear(hidden, dim))
        self.apply(self._init)

    def _init(self, m):
        if isinstance(m, nn.Linear):
            nn.init.xavier_uniform_(m.weight)
            if m.bias is not None:
                nn.init.constant_(m.bias, 0)

    def forward(self, x):
        x = self.pos(x)
        x = x + self.attn(self.norm1(x))
        x = x + self.mlp(self.norm2(x))
        return x


# Left early from a loop over layers.
class Early(nn.Module):
    def __init__(self, depth: int):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(depth)])
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = torch.tanh(layer(x))
            if bool(x.sum() > 0.1):
                return x * (i + 1)
        return F.normalize(self.last(x), dim=-1)


class Old(torch.jit.ScriptModule):
    __constants__ = ["n"]

    def __init__(self, n):
        super().__init__()
        self.n = n
        self.w = nn.Parameter(torch.rand(n))

    @torch.jit.script_method
    def forward(self, x):
        for i in range(self.n):
            x = x * self.w
        return x


@torch.jit.interface
class Layer(nn.Module):
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        pass


class Chosen(nn.Module):
    """Layers chosen while it runs; buffers that are no part of the state."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Tanh()])
        self.heads = nn.ModuleDict({"one": nn.Linear(3, 2), "two": nn.Linear(3, 4)})
        self.register_buffer("steps", torch.arange(3), persistent=False)
        self.register_buffer("later", None)
        self.later = torch.ones(3)

    def forward(self, x, which):
        for i in range(4):
            layer: Layer = self.layers[i % 2]
            x = layer.forward(x) + self.steps * self.later
        name = "one" if bool(which > 0) else "two"
        head: Layer = self.heads[name]
        return head.forward(x)


class Width:
    hidden = 4
    eps: float = 1e-3


class Habits(nn.Module):
    """What people write in constructors."""

    expansion = 2
    __annotations__ = {"sizes": List[int]}

    def __init__(self, norm_layer=None):
        super().__init__()
        norm_layer = norm_layer or partial(nn.LayerNorm, eps=1e-2)
        self.norm = norm_layer(Width.hidden * Habits.expansion)
        self.flat = partial(norm_layer, elementwise_affine=False)(8, eps=Width.eps)
        self.first: nn.Linear = nn.Linear(3, 8)
        self.act: nn.Module = nn.ReLU()
        self.skipped: Optional[nn.Linear] = None
        self.later: nn.Tanh
        self.add_module("later", nn.Tanh())
        self.acts = nn.ModuleDict([["relu", nn.ReLU()], ["tanh", nn.Tanh()]])
        self.order = nn.ModuleList([nn.Tanh()])
        self.order.insert(0, nn.Linear(8, 8))
        self.rates = [x.item() for x in torch.linspace(0, 0.5, 3)]
        mask = torch.zeros(2, 8)
        for i, part in enumerate((slice(0, -4), slice(-4, None))):
            mask[:, part] = self.rates[i + 1]
        self.register_buffer("mask", mask)
        self.sizes = []
        self.w = nn.Parameter(torch.empty(8, 8))
        fan_in, _ = nn.init._calculate_fan_in_and_fan_out(self.w)
        nn.init.uniform_(self.w, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))
        nn.init.trunc_normal_(self.w, std=0.02)
        for p in self.first.parameters():
            p.requires_grad = False

    def forward(self, x):
        x = self.act(self.norm(self.first(x)) @ self.w)
        if self.skipped is not None:
            x = self.skipped(x)
        if "relu" in self.acts and "gelu" not in self.acts:
            for layer in self.order:
                x = layer(x)
        x = x + self.mask * self.rates[1]
        ones = torch.ones((1,) * (x.dim() - 1) + (8,))
        return self.acts["tanh"](x) + self.flat(x) + self.later(x * ones) + len(self.sizes)


class Settled(nn.Module):
    """Optionals that the constructor alone assigns: its tests of them are decided."""

    def __init__(self, times: Optional[int] = None, bias=False):
        super().__init__()
        self.times: Optional[int] = times
        self.bias: Optional[Tensor] = torch.ones(3) if bias else None
        self.weight: Optional[nn.Parameter] = nn.Parameter(torch.full((3,), 0.5)) if bias else None
        self.act: Optional[nn.Module] = nn.Tanh() if bias else None

    def forward(self, x):
        if self.bias is not None:
            x = x + self.bias
        y = x * (self.times if self.times is not None else 3)
        if self.times is not None:
            y = y + self.times
        if self.act is not None:
            y = self.act(y)
        if self.weight is not None:
            y = y * self.weight
        return y


class Switched(nn.Module):
    """Flags and options that attributes hold, by keyword and by place."""

    def __init__(self, inplace, stride=None):
        super().__init__()
        self.inplace = inplace
        self.stride: Optional[int] = stride
        self.p = 0.5
        self.mode = "nearest"
        self.approximate = "tanh"

    def forward(self, x):
        x = x + 0
        outs: List[Tensor] = [x]
        outs.append(F.relu(x, self.inplace) + x)
        outs.append(F.leaky_relu(outs[1] - 1, 0.2, inplace=self.inplace) + outs[1])
        outs.append(F.hardtanh(x - 1, -0.5, 0.5, self.inplace))
        outs.append(F.elu(x - 1, self.p, True) + x)
        outs.append(F.threshold(outs[4], 0.1, self.p, self.inplace) + outs[4])
        outs.append(F.dropout(x, self.p, False, self.inplace) + F.silu(x, True))
        outs.append(F.gelu(x, approximate=self.approximate))
        pooled = F.max_pool2d(x, 2, self.stride)
        table = F.embedding(torch.tensor([0, 2]), torch.ones(4, 2), padding_idx=self.stride)
        return outs, pooled, F.interpolate(x, scale_factor=2.0, mode=self.mode), table


class Translator(nn.Module):
    """The layers of a transformer, masked and padded."""

    def __init__(self, width, first):
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            width, 2, 8, dropout=0.0, activation=F.gelu, norm_first=first
        )
        self.encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(width))
        self.layer = nn.TransformerDecoderLayer(width, 2, 8, dropout=0.0, norm_first=first)
        self.decoder = nn.TransformerDecoder(self.layer, 1)

    def forward(self, source, target, padding):
        mask = torch.triu(torch.full((target.size(0), target.size(0)), float("-inf")), 1)
        memory = self.encoder(source, src_key_padding_mask=padding)
        y = self.decoder(target, memory, tgt_mask=mask, memory_key_padding_mask=padding)
        return y + self.layer(target, memory)
