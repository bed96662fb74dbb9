# bench: backward medium f32[64,512] f32[64,512] f32[64,512] f32[2048,512] f32[2048,512] f32[2048] f32[2048]
"""One step of an LSTM written out: two matrix products, then element-wise gates."""

from typing import Tuple

import torch
from torch import Tensor


def lstm_cell(
    x: Tensor, hx: Tensor, cx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor, b_hh: Tensor
) -> Tuple[Tensor, Tensor]:
    gates = torch.mm(x, w_ih.t()) + torch.mm(hx, w_hh.t()) + b_ih + b_hh
    hidden = hx.size(1)
    in_gate = torch.sigmoid(gates[:, 0:hidden])
    forget_gate = torch.sigmoid(gates[:, hidden : 2 * hidden])
    cell_gate = torch.tanh(gates[:, 2 * hidden : 3 * hidden])
    out_gate = torch.sigmoid(gates[:, 3 * hidden : 4 * hidden])
    cy = forget_gate * cx + in_gate * cell_gate
    hy = out_gate * torch.tanh(cy)
    return hy, cy
