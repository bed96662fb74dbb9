# bench: backward Layer(128,128) f32[N,16,128] N=4,16,64
"""An LSTM written by hand as two modules: a cell, and a layer that runs it over a sequence and
stacks the outputs."""

from typing import List, Tuple

import torch
import torch.nn as nn
from torch import Tensor


class Cell(nn.Module):
    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        bound = 1.0 / hidden_size**0.5
        self.weight_ih = nn.Parameter(torch.empty(4 * hidden_size, input_size))
        self.weight_hh = nn.Parameter(torch.empty(4 * hidden_size, hidden_size))
        self.bias_ih = nn.Parameter(torch.empty(4 * hidden_size))
        self.bias_hh = nn.Parameter(torch.empty(4 * hidden_size))
        for weight in self.parameters():
            nn.init.uniform_(weight, -bound, bound)

    def forward(
        self, x: Tensor, state: Tuple[Tensor, Tensor]
    ) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        hx, cx = state
        gates = (
            torch.mm(x, self.weight_ih.t())
            + self.bias_ih
            + torch.mm(hx, self.weight_hh.t())
            + self.bias_hh
        )
        in_gate, forget_gate, cell_gate, out_gate = gates.chunk(4, 1)
        in_gate = torch.sigmoid(in_gate)
        forget_gate = torch.sigmoid(forget_gate)
        cell_gate = torch.tanh(cell_gate)
        out_gate = torch.sigmoid(out_gate)
        cy = (forget_gate * cx) + (in_gate * cell_gate)
        hy = out_gate * torch.tanh(cy)
        return hy, (hy, cy)


class Layer(nn.Module):
    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        self.hidden_size = hidden_size
        self.cell = Cell(input_size, hidden_size)

    def forward(self, inputs: Tensor) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        zeros = torch.zeros(inputs.size(1), self.hidden_size, dtype=inputs.dtype)
        state = (zeros, zeros)
        steps = inputs.unbind(0)
        outputs: List[Tensor] = []
        for i in range(len(steps)):
            out, state = self.cell(steps[i], state)
            outputs += [out]
        return torch.stack(outputs), state
