"""The end of a transformer's block, in evaluation: bias, dropout (which does nothing then), what went around it, a norm."""
import torch
import torch.nn.functional as F
from torch import Tensor


def bias_dropout_residual_layer_norm(x: Tensor, bias: Tensor, residual: Tensor, weight: Tensor, shift: Tensor) -> Tensor:
    y = residual + F.dropout(x + bias, 0.1, False)
    return F.layer_norm(y, [y.size(-1)], weight, shift, 1e-5)
