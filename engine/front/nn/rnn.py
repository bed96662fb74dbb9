# Recurrent cells and layers. Sequences are [time, batch, features], or batch first, or packed: what
# a call of a module with a PackedSequence runs is forward__1, which is also what PyTorch's archives
# name it.
import math
from typing import Optional, Tuple

import torch
import torch.nn as nn
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence


# The sequences of a state in another order.
def _along(state: Tensor, order: Optional[Tensor]) -> Tensor:
    return state if order is None else state.index_select(1, order)


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

    # An input without a batch is a batch of one.
    def rows(self, input):
        if input.dim() != 1 and input.dim() != 2:
            raise AssertionError(
                f"expected input to be 1-D or 2-D but received {input.dim()}-D tensor"
            )
        return input if input.dim() == 2 else input.unsqueeze(0)

    def state(self, input, hx: Optional[Tensor]):
        if hx is None:
            return torch.zeros(self.rows(input).size(0), self.hidden_size, dtype=input.dtype)
        return hx if input.dim() == 2 else hx.unsqueeze(0)


class RNNCell(_Cell):
    def __init__(
        self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None
    ):
        super().__init__()
        self.nonlinearity = nonlinearity
        self.relu = nonlinearity == "relu"
        self.setup(1, input_size, hidden_size, bias, dtype)

    def forward(self, input, hx: Optional[Tensor] = None):
        if self.nonlinearity != "tanh" and not self.relu:
            raise RuntimeError(f"nonlinearity is 'tanh' or 'relu', given '{self.nonlinearity}'")
        x, state = self.rows(input), self.state(input, hx)
        if self.relu:
            out = torch.rnn_relu_cell(
                x, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh
            )
        else:
            out = torch.rnn_tanh_cell(
                x, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh
            )
        return out if input.dim() == 2 else out.squeeze(0)


class GRUCell(_Cell):
    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__()
        self.setup(3, input_size, hidden_size, bias, dtype)

    def forward(self, input, hx: Optional[Tensor] = None):
        x, state = self.rows(input), self.state(input, hx)
        out = torch.gru_cell(x, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return out if input.dim() == 2 else out.squeeze(0)


class LSTMCell(_Cell):
    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__()
        self.setup(4, input_size, hidden_size, bias, dtype)

    def forward(self, input, hx: Optional[Tuple[Tensor, Tensor]] = None):
        x = self.rows(input)
        h, c = (
            self.state(input, None if hx is None else hx[0]),
            self.state(input, None if hx is None else hx[1]),
        )
        h, c = torch.lstm_cell(
            x, [h, c], self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh
        )
        return (h, c) if input.dim() == 2 else (h.squeeze(0), c.squeeze(0))


class _Layers(nn.Module):
    __constants__ = [
        "mode",
        "input_size",
        "hidden_size",
        "num_layers",
        "has_bias",
        "batch_first",
        "dropout",
        "bidirectional",
        "proj_size",
        "state_size",
        "directions",
        "relu",
    ]

    def setup(
        self,
        gates,
        input_size,
        hidden_size,
        num_layers,
        bias,
        batch_first,
        dropout,
        bidirectional,
        dtype,
        proj_size=0,
    ):
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
                shapes = [
                    ("weight_ih_l", (gates * hidden_size, width)),
                    ("weight_hh_l", (gates * hidden_size, self.state_size)),
                ]
                if bias:
                    shapes = shapes + [
                        ("bias_ih_l", (gates * hidden_size,)),
                        ("bias_hh_l", (gates * hidden_size,)),
                    ]
                if proj_size > 0:
                    shapes = shapes + [("weight_hr_l", (proj_size, hidden_size))]
                for name, shape in shapes:
                    weight = nn.Parameter(torch.empty(shape, dtype=dtype))
                    weight.uniform_(-bound, bound)
                    setattr(self, name + suffix, weight)
                    flat.append(weight)
        self._flat_weights = flat

    def _add_batch_dim(self, input: Tensor) -> Tensor:
        if input.dim() != 2 and input.dim() != 3:
            raise RuntimeError(
                f"a recurrent layer takes an input of 2 or 3 dims, given {input.dim()}"
            )
        return input if input.dim() == 3 else input.unsqueeze(0 if self.batch_first else 1)

    def _zeros(self, x: Tensor, batch: int, width: int) -> Tensor:
        return torch.zeros(self.num_layers * self.directions, batch, width, dtype=x.dtype)

    # The state given for an input of one sequence has no dim for the batch either.
    def _add_state_dim(self, state: Tensor, input: Tensor) -> Tensor:
        if state.dim() != input.dim():
            raise RuntimeError(
                f"for an input of {input.dim()} dims a state has as many, given {state.dim()}"
            )
        return state if state.dim() == 3 else state.unsqueeze(1)


# Layers of one state.
class _Plain(_Layers):
    def forward(self, input, hx: Optional[Tensor] = None):
        x = self._add_batch_dim(input)
        state = (
            self._zeros(x, x.size(0 if self.batch_first else 1), self.hidden_size)
            if hx is None
            else self._add_state_dim(hx, input)
        )
        output, h = self._run(x, None, state)
        if input.dim() == 2:
            return output.squeeze(0 if self.batch_first else 1), h.squeeze(1)
        return output, h

    def forward__1(self, input: PackedSequence, hx: Optional[Tensor] = None):
        state = self._zeros(input.data, int(input.batch_sizes[0]), self.hidden_size)
        if hx is not None:
            state = _along(hx, input.sorted_indices)
        output, h = self._run(input.data, input.batch_sizes, state)
        packed = PackedSequence(
            output, input.batch_sizes, input.sorted_indices, input.unsorted_indices
        )
        return packed, _along(h, input.unsorted_indices)


class RNN(_Plain):
    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        nonlinearity="tanh",
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        if nonlinearity != "tanh" and nonlinearity != "relu":
            raise ValueError(f"nonlinearity is 'tanh' or 'relu', given '{nonlinearity}'")
        self.mode = "RNN_RELU" if nonlinearity == "relu" else "RNN_TANH"
        self.relu = nonlinearity == "relu"
        self.setup(
            1, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, dtype
        )

    def _run(self, x: Tensor, sizes: Optional[Tensor], state: Tensor) -> Tuple[Tensor, Tensor]:
        if self.relu:
            if sizes is None:
                return torch.rnn_relu(
                    x,
                    state,
                    self._flat_weights,
                    self.has_bias,
                    self.num_layers,
                    self.dropout,
                    self.training,
                    self.bidirectional,
                    self.batch_first,
                )
            return torch.rnn_relu(
                x,
                sizes,
                state,
                self._flat_weights,
                self.has_bias,
                self.num_layers,
                self.dropout,
                self.training,
                self.bidirectional,
            )
        if sizes is None:
            return torch.rnn_tanh(
                x,
                state,
                self._flat_weights,
                self.has_bias,
                self.num_layers,
                self.dropout,
                self.training,
                self.bidirectional,
                self.batch_first,
            )
        return torch.rnn_tanh(
            x,
            sizes,
            state,
            self._flat_weights,
            self.has_bias,
            self.num_layers,
            self.dropout,
            self.training,
            self.bidirectional,
        )


class GRU(_Plain):
    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.mode = "GRU"
        self.setup(
            3, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, dtype
        )

    def _run(self, x: Tensor, sizes: Optional[Tensor], state: Tensor) -> Tuple[Tensor, Tensor]:
        if sizes is None:
            return torch.gru(
                x,
                state,
                self._flat_weights,
                self.has_bias,
                self.num_layers,
                self.dropout,
                self.training,
                self.bidirectional,
                self.batch_first,
            )
        return torch.gru(
            x,
            sizes,
            state,
            self._flat_weights,
            self.has_bias,
            self.num_layers,
            self.dropout,
            self.training,
            self.bidirectional,
        )


class LSTM(_Layers):
    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        proj_size=0,
        device=None,
        dtype=None,
    ):
        super().__init__()
        if proj_size < 0 or proj_size >= hidden_size:
            raise ValueError(
                "proj_size has to be a positive integer, smaller than hidden_size, or zero",
                proj_size,
            )
        self.mode = "LSTM"
        self.setup(
            4,
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            dtype,
            proj_size,
        )

    def _run(
        self, x: Tensor, sizes: Optional[Tensor], h: Tensor, c: Tensor
    ) -> Tuple[Tensor, Tensor, Tensor]:
        if sizes is None:
            return torch.lstm(
                x,
                [h, c],
                self._flat_weights,
                self.has_bias,
                self.num_layers,
                self.dropout,
                self.training,
                self.bidirectional,
                self.batch_first,
            )
        return torch.lstm(
            x,
            sizes,
            [h, c],
            self._flat_weights,
            self.has_bias,
            self.num_layers,
            self.dropout,
            self.training,
            self.bidirectional,
        )

    def forward(self, input, hx: Optional[Tuple[Tensor, Tensor]] = None):
        x = self._add_batch_dim(input)
        batch = x.size(0 if self.batch_first else 1)
        if hx is None:
            h0, c0 = self._zeros(x, batch, self.state_size), self._zeros(x, batch, self.hidden_size)
        else:
            h0, c0 = self._add_state_dim(hx[0], input), self._add_state_dim(hx[1], input)
        output, h, c = self._run(x, None, h0, c0)
        if input.dim() == 2:
            return output.squeeze(0 if self.batch_first else 1), (h.squeeze(1), c.squeeze(1))
        return output, (h, c)

    def forward__1(self, input: PackedSequence, hx: Optional[Tuple[Tensor, Tensor]] = None):
        x, batch = input.data, int(input.batch_sizes[0])
        if hx is None:
            h0, c0 = self._zeros(x, batch, self.state_size), self._zeros(x, batch, self.hidden_size)
        else:
            h0, c0 = _along(hx[0], input.sorted_indices), _along(hx[1], input.sorted_indices)
        output, h, c = self._run(x, input.batch_sizes, h0, c0)
        packed = PackedSequence(
            output, input.batch_sizes, input.sorted_indices, input.unsorted_indices
        )
        return packed, (_along(h, input.unsorted_indices), _along(c, input.unsorted_indices))
