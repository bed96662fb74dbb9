"""Sequences of different lengths: padded, packed, through recurrent layers."""

from typing import List, Optional, Tuple

import torch
import torch.nn as nn
from torch.nn.utils.rnn import (
    PackedSequence,
    pack_padded_sequence,
    pad_packed_sequence,
    pad_sequence,
)
import torch.nn.utils.rnn as rnn_utils


class Tagger(nn.Module):
    def __init__(self, words, hidden, tags, layers=1, both=False, batch_first=True, proj=0):
        super().__init__()
        self.batch_first = batch_first
        self.words = nn.Embedding(words, 6)
        self.rnn = nn.LSTM(
            6, hidden, layers, batch_first=batch_first, bidirectional=both, proj_size=proj
        )
        self.out = nn.Linear((proj if proj > 0 else hidden) * (2 if both else 1), tags)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(
            self.words(x), lengths, batch_first=self.batch_first, enforce_sorted=False
        )
        states, (h, c) = self.rnn(packed)
        padded, counts = pad_packed_sequence(
            states, batch_first=self.batch_first, padding_value=-1.0, total_length=7
        )
        return self.out(padded), counts, h, c, states.data, states.batch_sizes


class Plain(nn.Module):
    def __init__(self, kind, layers, both, relu=False):
        super().__init__()
        if kind == "gru":
            self.rnn = nn.GRU(4, 5, layers, bidirectional=both)
        else:
            self.rnn = nn.RNN(
                4,
                5,
                layers,
                nonlinearity="relu" if relu else "tanh",
                bidirectional=both,
                bias=False,
            )
        self.lines = layers * (2 if both else 1)

    def forward(self, x, lengths):
        packed = rnn_utils.pack_padded_sequence(x, lengths)
        out, h = self.rnn(packed, torch.ones(self.lines, x.size(1), 5))
        y, counts = rnn_utils.pad_packed_sequence(out)
        z, g = self.rnn(x)
        one, last = self.rnn(x[:, 0])
        return y, counts, h, z, g, one, last


class Single(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 3, 2, batch_first=True)

    def forward(self, x, h):
        a, (b, c) = self.rnn(x)
        d, (e, f) = self.rnn(x, (h, h * 2))
        return a, b, c, d, e, f


class Packs(nn.Module):
    def step(
        self, p: PackedSequence, order: Optional[torch.Tensor]
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        return p.data * 2, p.batch_sizes

    def forward(self, a, b, c):
        lines: List[torch.Tensor] = [a, b, c]
        padded = pad_sequence(lines, batch_first=True, padding_value=0.5)
        packed = rnn_utils.pack_sequence(lines, enforce_sorted=False)
        data, sizes = self.step(packed, packed.sorted_indices)
        first = rnn_utils.pad_sequence([a, b])
        return padded, data, sizes, first, pad_packed_sequence(packed, True)
