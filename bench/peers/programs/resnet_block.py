"""A residual block in evaluation, its norms folded into a scale and a shift of each channel."""
import torch
import torch.nn.functional as F
from torch import Tensor


def resnet_block(x: Tensor, w1: Tensor, scale1: Tensor, shift1: Tensor,
                 w2: Tensor, scale2: Tensor, shift2: Tensor) -> Tensor:
    y = torch.relu(F.conv2d(x, w1, None, 1, 1) * scale1 + shift1)
    return torch.relu(F.conv2d(y, w2, None, 1, 1) * scale2 + shift2 + x)
