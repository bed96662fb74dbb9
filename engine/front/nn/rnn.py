# Recurrent cells and layers. Sequences are [time, batch, features], or batch first.
import math
import torch
import torch.nn as nn
from torch import Tensor
from typing import List, Optional, Tuple


class _Cell(nn.Module):
    __constants__ = ["input_size", "hidden_size", "has_bias", "nonlinearity", "relu"]

    def setup(self, gates, input_size, hidden_size, bias, dtype):
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.has_bias = bias
        self.weight_ih = nn.Parameter(torch.empty(gates * hidden_size, input_size, dtype=dtype))
        self.weight_hh = nn.Parameter(torch.empty(gates * hidden_size, hidden_size, dtype=dtype))
        if bias:
            self.bias_ih = nn.Parameter(torch.empty(gates * hidden_size, dtype=dtype))
            self.bias_hh = nn.Parameter(torch.empty(gates * hidden_size, dtype=dtype))
        else:
            self.register_parameter("bias_ih", None)
            self.register_parameter("bias_hh", None)
        bound = 1.0 / math.sqrt(hidden_size) if hidden_size > 0 else 0.0
        for weight in self.parameters():
            weight.uniform_(-bound, bound)


class RNNCell(_Cell):
    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__()
        self.nonlinearity = nonlinearity
        self.relu = nonlinearity == "relu"
        self.setup(1, input_size, hidden_size, bias, dtype)

    def forward(self, input, hx: Optional[Tensor] = None):
        state = hx if hx is not None else torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype)
        if self.relu:
            return torch.rnn_relu_cell(input, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return torch.rnn_tanh_cell(input, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


class GRUCell(_Cell):
    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__()
        self.setup(3, input_size, hidden_size, bias, dtype)

    def forward(self, input, hx: Optional[Tensor] = None):
        state = hx if hx is not None else torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype)
        return torch.gru_cell(input, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


class LSTMCell(_Cell):
    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__()
        self.setup(4, input_size, hidden_size, bias, dtype)

    def forward(self, input, hx: Optional[Tuple[Tensor, Tensor]] = None):
        zeros = torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype)
        state = hx if hx is not None else (zeros, zeros)
        return torch.lstm_cell(input, [state[0], state[1]], self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


class _Layers(nn.Module):
    __constants__ = ["mode", "input_size", "hidden_size", "num_layers", "has_bias", "batch_first", "dropout",
                     "bidirectional", "proj_size", "state_size", "projected", "directions", "relu"]

    def setup(self, gates, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, dtype,
              proj_size=0):
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.proj_size = proj_size
        self.state_size = proj_size if proj_size > 0 else hidden_size
        self.num_layers = num_layers
        self.has_bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.directions = 2 if bidirectional else 1
        bound = 1.0 / math.sqrt(hidden_size) if hidden_size > 0 else 0.0
        flat = []
        for layer in range(num_layers):
            width = input_size if layer == 0 else self.state_size * self.directions
            for direction in range(self.directions):
                suffix = str(layer) + ("_reverse" if direction == 1 else "")
                shapes = [("weight_ih_l", (gates * hidden_size, width)),
                          ("weight_hh_l", (gates * hidden_size, self.state_size))]
                if bias:
                    shapes = shapes + [("bias_ih_l", (gates * hidden_size,)), ("bias_hh_l", (gates * hidden_size,))]
                if proj_size > 0:
                    shapes = shapes + [("weight_hr_l", (proj_size, hidden_size))]
                for name, shape in shapes:
                    weight = nn.Parameter(torch.empty(shape, dtype=dtype))
                    weight.uniform_(-bound, bound)
                    setattr(self, name + suffix, weight)
                    flat.append(weight)
        self._flat_weights = flat

    def _zeros(self, input):
        batch = input.size(0) if self.batch_first else input.size(1)
        return torch.zeros(self.num_layers * self.directions, batch, self.hidden_size, dtype=input.dtype)


class RNN(_Layers):
    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False, device=None, dtype=None):
        super().__init__()
        self.mode = "RNN_RELU" if nonlinearity == "relu" else "RNN_TANH"
        self.relu = nonlinearity == "relu"
        self.setup(1, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, dtype)

    def forward(self, input, hx: Optional[Tensor] = None):
        state = hx if hx is not None else self._zeros(input)
        if self.relu:
            return torch.rnn_relu(input, state, self._flat_weights, self.has_bias, self.num_layers, self.dropout,
                                  self.training, self.bidirectional, self.batch_first)
        return torch.rnn_tanh(input, state, self._flat_weights, self.has_bias, self.num_layers, self.dropout,
                              self.training, self.bidirectional, self.batch_first)


class GRU(_Layers):
    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, device=None, dtype=None):
        super().__init__()
        self.mode = "GRU"
        self.setup(3, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, dtype)

    def forward(self, input, hx: Optional[Tensor] = None):
        state = hx if hx is not None else self._zeros(input)
        return torch.gru(input, state, self._flat_weights, self.has_bias, self.num_layers, self.dropout,
                         self.training, self.bidirectional, self.batch_first)


class LSTM(_Layers):
    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):
        super().__init__()
        if proj_size < 0 or proj_size >= hidden_size:
            raise ValueError("proj_size has to be a positive integer, smaller than hidden_size, or zero", proj_size)
        self.mode = "LSTM"
        self.projected = proj_size > 0
        self.setup(4, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, dtype, proj_size)

    # One layer in one direction over [time, batch, features]; `weights`: of the input, of the state, the two biases if
    # there are any, of the projection.
    def _line(self, x, h, c, weights: List[Tensor], backwards: bool) -> Tuple[Tensor, Tensor, Tensor]:
        steps: List[Tensor] = []
        count = x.size(0)
        for t in range(count):
            item = x[count - 1 - t] if backwards else x[t]
            gates = item.matmul(weights[0].t()) + h.matmul(weights[1].t())
            if self.has_bias:
                gates = gates + weights[2] + weights[3]
            i, f, g, o = gates.chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = (o.sigmoid() * c.tanh()).matmul(weights[-1].t())
            steps.append(h)
        if backwards:
            steps.reverse()
        return torch.stack(steps), h, c

    def _project(self, input, hx: Optional[Tuple[Tensor, Tensor]]) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        x = input.transpose(0, 1) if self.batch_first else input
        lines = self.num_layers * self.directions
        h0 = torch.zeros(lines, x.size(1), self.state_size, dtype=x.dtype)
        c0 = torch.zeros(lines, x.size(1), self.hidden_size, dtype=x.dtype)
        if hx is not None:
            h0, c0 = hx
        per = len(self._flat_weights) // lines
        hs: List[Tensor] = []
        cs: List[Tensor] = []
        for layer in range(self.num_layers):
            if layer > 0 and self.training and self.dropout > 0.0:
                x = torch.dropout(x, self.dropout, True)
            outs: List[Tensor] = []
            for direction in range(self.directions):
                at = layer * self.directions + direction
                out, h, c = self._line(x, h0[at], c0[at], self._flat_weights[at * per:(at + 1) * per], direction == 1)
                outs.append(out)
                hs.append(h)
                cs.append(c)
            x = torch.cat(outs, -1)
        return x.transpose(0, 1) if self.batch_first else x, (torch.stack(hs), torch.stack(cs))

    def forward(self, input, hx: Optional[Tuple[Tensor, Tensor]] = None):
        if self.projected:
            return self._project(input, hx)
        zeros = self._zeros(input)
        state = hx if hx is not None else (zeros, zeros)
        output, h, c = torch.lstm(input, [state[0], state[1]], self._flat_weights, self.has_bias, self.num_layers,
                                  self.dropout, self.training, self.bidirectional, self.batch_first)
        return output, (h, c)
