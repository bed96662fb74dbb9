"""Models of sequences and codes as their authors write them; a detection head as YOLOv5 has it."""

import math
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

import torch
import torch.nn as nn
from torch import Tensor
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


@dataclass
class GPTConfig:
    block_size: int = 16
    vocab_size: int = 11
    n_layer: int = 2
    n_head: int = 2
    n_embd: int = 8
    dropout: float = 0.0
    bias: bool = True


class LayerNorm(nn.Module):
    def __init__(self, ndim, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(ndim))
        self.bias = nn.Parameter(torch.zeros(ndim)) if bias else None

    def forward(self, input):
        return F.layer_norm(input, self.weight.shape, self.weight, self.bias, 1e-5)


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.n_embd % config.n_head == 0
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.n_head = config.n_head
        self.n_embd = config.n_embd
        self.attn_dropout = nn.Dropout(config.dropout)
        self.register_buffer(
            "mask",
            torch.tril(torch.ones(config.block_size, config.block_size)).view(
                1, 1, config.block_size, config.block_size
            ),
        )

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf"))
        y = self.attn_dropout(F.softmax(att, dim=-1)) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_fc = nn.Linear(config.n_embd, 4 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(4 * config.n_embd, config.n_embd, bias=config.bias)

    def forward(self, x):
        x = self.c_fc(x)
        x = (
            0.5
            * x
            * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))
        )
        return self.c_proj(x)


class GPTBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = LayerNorm(config.n_embd, bias=config.bias)
        self.attn = CausalSelfAttention(config)
        self.ln_2 = LayerNorm(config.n_embd, bias=config.bias)
        self.mlp = MLP(config)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, **options):
        super().__init__()
        config = GPTConfig(**options)
        self.block_size = config.block_size
        self.transformer = nn.ModuleDict(
            dict(
                wte=nn.Embedding(config.vocab_size, config.n_embd),
                wpe=nn.Embedding(config.block_size, config.n_embd),
                h=nn.ModuleList([GPTBlock(config) for _ in range(config.n_layer)]),
                ln_f=LayerNorm(config.n_embd, bias=config.bias),
            )
        )
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.apply(self._init_weights)
        for pn, p in self.named_parameters():
            if pn.endswith("c_proj.weight"):
                torch.nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * config.n_layer))

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if module.bias is not None:
                torch.nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, idx, targets: Optional[Tensor] = None) -> Tuple[Tensor, Optional[Tensor]]:
        b, t = idx.size()
        assert t <= self.block_size, (
            f"Cannot forward sequence of length {t}, block size is only {self.block_size}"
        )
        pos = torch.arange(0, t, dtype=torch.long, device=idx.device).unsqueeze(0)
        x = self.transformer.wte(idx) + self.transformer.wpe(pos)
        for block in self.transformer.h:
            x = block(x)
        x = self.transformer.ln_f(x)
        loss: Optional[Tensor] = None
        if targets is not None:
            logits = self.lm_head(x)
            loss = F.cross_entropy(
                logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1
            )
        else:
            logits = self.lm_head(x[:, [-1], :])
        return logits, loss


class VectorQuantizer(nn.Module):
    def __init__(self, num_embeddings, embedding_dim, commitment_cost=0.25):
        super().__init__()
        self.embedding_dim = embedding_dim
        self.num_embeddings = num_embeddings
        self.embedding = nn.Embedding(num_embeddings, embedding_dim)
        self.embedding.weight.data.uniform_(-1 / num_embeddings, 1 / num_embeddings)
        self.commitment_cost = commitment_cost

    def forward(self, inputs):
        inputs = inputs.permute(0, 2, 3, 1).contiguous()
        input_shape = inputs.shape
        flat = inputs.view(-1, self.embedding_dim)
        distances = (
            torch.sum(flat**2, dim=1, keepdim=True)
            + torch.sum(self.embedding.weight**2, dim=1)
            - 2 * torch.matmul(flat, self.embedding.weight.t())
        )
        indices = torch.argmin(distances, dim=1).unsqueeze(1)
        encodings = torch.zeros(indices.shape[0], self.num_embeddings, device=inputs.device)
        encodings.scatter_(1, indices, 1)
        quantized = torch.matmul(encodings, self.embedding.weight).view(input_shape)
        loss = F.mse_loss(quantized, inputs.detach()) + self.commitment_cost * F.mse_loss(
            quantized.detach(), inputs
        )
        quantized = inputs + (quantized - inputs).detach()
        avg = torch.mean(F.one_hot(indices.flatten(), self.num_embeddings).float(), dim=0)
        perplexity = torch.exp(-torch.sum(avg * torch.log(avg + 1e-10)))
        used, _, counts = torch._unique2(indices, True, False, True)
        return loss, quantized.permute(0, 3, 1, 2).contiguous(), perplexity, used, counts


class VQVAE(nn.Module):
    def __init__(self, hidden=8, dim=4, codes=6):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(3, hidden // 2, 4, 2, 1),
            nn.ReLU(True),
            nn.Conv2d(hidden // 2, hidden, 3, 1, 1),
        )
        self.pre = nn.Conv2d(hidden, dim, 1)
        self.vq = VectorQuantizer(codes, dim)
        self.decoder = nn.Sequential(
            nn.Conv2d(dim, hidden, 3, padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(hidden, 3, kernel_size=4, stride=2, padding=1),
        )

    def forward(self, x):
        loss, quantized, perplexity, used, counts = self.vq(self.pre(self.encoder(x)))
        return loss, self.decoder(quantized), perplexity, used, counts


class CausalConv1d(nn.Conv1d):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.left = (self.kernel_size[0] - 1) * self.dilation[0]

    def forward(self, x):
        return F.conv1d(
            F.pad(x, (self.left, 0)),
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self.dilation,
        )


class ResidualUnit(nn.Module):
    def __init__(self, channels, skip, dilation):
        super().__init__()
        self.dilated = CausalConv1d(channels, 2 * channels, 2, dilation=dilation)
        self.res = nn.Conv1d(channels, channels, 1)
        self.skip = nn.Conv1d(channels, skip, 1)

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        a, b = self.dilated(x).chunk(2, dim=1)
        y = torch.tanh(a) * torch.sigmoid(b)
        return self.res(y) + x, self.skip(y)


class WaveNet(nn.Module):
    def __init__(self, classes=6, channels=4, skip=5, layers=3, stacks=2):
        super().__init__()
        self.classes = classes
        self.start = CausalConv1d(classes, channels, kernel_size=2)
        self.units = nn.ModuleList(
            [ResidualUnit(channels, skip, 2**i) for _ in range(stacks) for i in range(layers)]
        )
        self.field = sum([2**i for i in range(layers)]) * stacks + 2
        self.end = nn.Sequential(
            nn.ReLU(), nn.Conv1d(skip, skip, 1), nn.ReLU(), nn.Conv1d(skip, classes, 1)
        )
        for name, p in self.named_parameters():
            if "weight" in name:
                nn.init.xavier_uniform_(p, gain=nn.init.calculate_gain("relu"))

    def forward(self, samples):
        x = self.start(F.one_hot(samples, self.classes).float().transpose(1, 2))
        total = torch.zeros(1)
        for unit in self.units:
            x, skip = unit(x)
            total = total + skip
        return self.end(total), self.field


class LocationAttention(nn.Module):
    def __init__(self, rnn_dim, memory_dim, dim, filters, kernel):
        super().__init__()
        self.query = nn.Linear(rnn_dim, dim, bias=False)
        self.memory = nn.Linear(memory_dim, dim, bias=False)
        self.v = nn.Linear(dim, 1, bias=False)
        self.location_conv = nn.Conv1d(2, filters, kernel, padding=(kernel - 1) // 2, bias=False)
        self.location = nn.Linear(filters, dim, bias=False)
        self.score_mask_value = -float("inf")

    def forward(
        self,
        query: Tensor,
        memory: Tensor,
        processed: Tensor,
        weights: Tensor,
        mask: Optional[Tensor],
    ) -> Tuple[Tensor, Tensor]:
        loc = self.location(self.location_conv(weights).transpose(1, 2))
        energies = self.v(torch.tanh(self.query(query.unsqueeze(1)) + loc + processed)).squeeze(-1)
        if mask is not None:
            energies.masked_fill_(mask, self.score_mask_value)
        attention = F.softmax(energies, dim=1)
        return torch.bmm(attention.unsqueeze(1), memory).squeeze(1), attention


def get_mask_from_lengths(lengths: Tensor) -> Tensor:
    max_len = int(torch.max(lengths).item())
    ids = torch.arange(0, max_len, device=lengths.device)
    return ids < lengths.unsqueeze(1)


class Tacotron(nn.Module):
    def __init__(self, symbols=12, dim=6, mels=4):
        super().__init__()
        self.embedding = nn.Embedding(symbols, dim)
        std = math.sqrt(2.0 / (symbols + dim))
        val = math.sqrt(3.0) * std
        self.embedding.weight.data.uniform_(-val, val)
        convs = []
        for _ in range(2):
            convs.append(nn.Sequential(nn.Conv1d(dim, dim, 5, padding=2), nn.BatchNorm1d(dim)))
        self.convolutions = nn.ModuleList(convs)
        self.lstm = nn.LSTM(dim, dim // 2, 1, batch_first=True, bidirectional=True)
        self.prenet = nn.ModuleList(
            [nn.Linear(a, b, bias=False) for a, b in zip([mels, 5], [5, 5])]
        )
        self.attention_rnn = nn.LSTMCell(5 + dim, 7)
        self.attention = LocationAttention(7, dim, 6, 3, 3)
        self.projection = nn.Linear(7 + dim, mels)
        for name, p in self.lstm.named_parameters():
            if "weight_hh" in name:
                nn.init.orthogonal_(p)

    def encode(self, text: Tensor, lengths: Tensor) -> Tensor:
        x = self.embedding(text).transpose(1, 2)
        for conv in self.convolutions:
            x = F.dropout(F.relu(conv(x)), 0.5, self.training)
        x = x.transpose(1, 2)
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        outputs, _ = self.lstm(packed)
        padded, _ = pad_packed_sequence(outputs, batch_first=True)
        return padded

    def forward(self, text: Tensor, lengths: Tensor, frames: Tensor) -> Tuple[Tensor, Tensor]:
        memory = self.encode(text, lengths)
        processed = self.attention.memory(memory)
        mask = ~get_mask_from_lengths(lengths)
        B, T, _ = memory.size()
        h = torch.zeros(B, 7, dtype=memory.dtype)
        c = torch.zeros(B, 7, dtype=memory.dtype)
        weights = memory.data.new_zeros(B, T)
        cumulative = torch.zeros_like(weights)
        context = memory.new_zeros(B, memory.size(2))
        mels: List[Tensor] = []
        alignments: List[Tensor] = []
        for t in range(frames.size(0)):
            x = frames[t]
            for linear in self.prenet:
                x = F.relu(linear(x))
            h, c = self.attention_rnn(torch.cat((x, context), -1), (h, c))
            both = torch.cat((weights.unsqueeze(1), cumulative.unsqueeze(1)), dim=1)
            context, weights = self.attention(h, memory, processed, both, mask)
            cumulative += weights
            mels += [self.projection(torch.cat([h, context], 1))]
            alignments += [weights]
        return torch.stack(mels, 1), torch.stack(alignments).transpose(0, 1)


def autopad(k, p=None):
    if p is None:
        p = k // 2 if isinstance(k, int) else [x // 2 for x in k]
    return p


class Conv(nn.Module):
    default_act = nn.SiLU()

    def __init__(self, c1, c2, k=1, s=1, p=None, g=1, act=True):
        super().__init__()
        self.conv = nn.Conv2d(c1, c2, k, s, autopad(k, p), groups=g, bias=False)
        self.bn = nn.BatchNorm2d(c2)
        self.act = (
            nn.SiLU() if act is True else act if isinstance(act, nn.Module) else nn.Identity()
        )

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class Bottleneck(nn.Module):
    def __init__(self, c1, c2, shortcut=True, g=1, e=0.5):
        super().__init__()
        c_ = int(c2 * e)
        self.cv1 = Conv(c1, c_, 1, 1)
        self.cv2 = Conv(c_, c2, 3, 1, g=g)
        self.add = shortcut and c1 == c2

    def forward(self, x):
        return x + self.cv2(self.cv1(x)) if self.add else self.cv2(self.cv1(x))


class C3(nn.Module):
    def __init__(self, c1, c2, n=1, shortcut=True, g=1, e=0.5):
        super().__init__()
        c_ = int(c2 * e)
        self.cv1 = Conv(c1, c_, 1, 1)
        self.cv2 = Conv(c1, c_, 1, 1)
        self.cv3 = Conv(2 * c_, c2, 1)
        self.m = nn.Sequential(*(Bottleneck(c_, c_, shortcut, g, e=1.0) for _ in range(n)))

    def forward(self, x):
        return self.cv3(torch.cat((self.m(self.cv1(x)), self.cv2(x)), 1))


class Detect(nn.Module):
    stride: List[int]

    def __init__(self, nc=3, anchors=(), ch=()):
        super().__init__()
        self.nc = nc
        self.no = nc + 5
        self.nl = len(anchors)
        self.na = len(anchors[0]) // 2
        self.stride = [2, 4]
        self.register_buffer("anchors", torch.tensor(anchors).float().view(self.nl, -1, 2))
        self.m = nn.ModuleList(nn.Conv2d(x, self.no * self.na, 1) for x in ch)

    def _make_grid(self, nx: int, ny: int, i: int) -> Tuple[Tensor, Tensor]:
        d = self.anchors.device
        t = self.anchors.dtype
        shape = [1, self.na, ny, nx, 2]
        y, x = torch.arange(ny, device=d, dtype=t), torch.arange(nx, device=d, dtype=t)
        yv, xv = torch.meshgrid(y, x, indexing="ij")
        grid = torch.stack((xv, yv), 2).expand(shape) - 0.5
        anchor_grid = (self.anchors[i] * self.stride[i]).view((1, self.na, 1, 1, 2)).expand(shape)
        return grid, anchor_grid

    def forward(self, x: List[Tensor]) -> Tensor:
        z: List[Tensor] = []
        for i, m in enumerate(self.m):
            y = m(x[i])
            bs, _, ny, nx = y.shape
            y = y.view(bs, self.na, self.no, ny, nx).permute(0, 1, 3, 4, 2).contiguous()
            grid, anchor_grid = self._make_grid(nx, ny, i)
            xy, wh, conf = y.sigmoid().split((2, 2, self.nc + 1), 4)
            xy = (xy * 2 + grid) * self.stride[i]
            wh = (wh * 2) ** 2 * anchor_grid
            z.append(torch.cat((xy, wh, conf), 4).view(bs, self.na * nx * ny, self.no))
        return torch.cat(z, 1)


class Yolo(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = Conv(3, 4, 6, 2, 2)
        self.c3 = C3(4, 4, n=2)
        self.down = Conv(4, 8, 3, 2)
        self.sppf = nn.Sequential(C3(8, 8, shortcut=False), Conv(8, 8, act=nn.LeakyReLU(0.1)))
        self.up = nn.Upsample(None, 2, "nearest")
        self.merge = C3(12, 4, n=1, shortcut=False)
        self.detect = Detect(3, ((10, 13, 16, 30), (30, 61, 62, 45)), (4, 8))
        for m in self.modules():
            if isinstance(m, nn.BatchNorm2d):
                m.eps = 1e-3
                m.momentum = 0.03

    def forward(self, x):
        a = self.c3(self.stem(x))
        b = self.sppf(self.down(a))
        a = self.merge(torch.cat([self.up(b), a], 1))
        return self.detect([a, b])
