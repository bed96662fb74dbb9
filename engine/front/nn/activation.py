# Activations as modules, by the functional ops of the same names.
from typing import Optional

import torch
import torch.nn as nn


class ReLU(nn.Module):
    __constants__ = ["inplace"]

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        if self.inplace:
            return torch.relu_(input)
        return torch.relu(input)


class ReLU6(nn.Module):
    __constants__ = ["inplace"]

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        if self.inplace:
            return torch.ops.aten.relu6_(input)
        return torch.ops.aten.relu6(input)


class Sigmoid(nn.Module):
    def forward(self, input):
        return torch.sigmoid(input)


class Tanh(nn.Module):
    def forward(self, input):
        return torch.tanh(input)


class GELU(nn.Module):
    __constants__ = ["approximate"]

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return torch.ops.aten.gelu(input, approximate=self.approximate)


class SiLU(nn.Module):
    __constants__ = ["inplace"]

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        if self.inplace:
            return torch.ops.aten.silu_(input)
        return torch.ops.aten.silu(input)


class SELU(nn.Module):
    def __init__(self, inplace=False):
        super().__init__()

    def forward(self, input):
        return torch.selu(input)


# The dim of a softmax that names none, as it was before it had to.
def _softmax_dim(input, dim: Optional[int]) -> int:
    if dim is not None:
        return dim
    return 0 if input.dim() == 0 or input.dim() == 1 or input.dim() == 3 else 1


class Softmax(nn.Module):
    __constants__ = ["dim"]

    def __init__(self, dim: Optional[int] = None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return torch.softmax(input, _softmax_dim(input, self.dim))


class LogSoftmax(nn.Module):
    __constants__ = ["dim"]

    def __init__(self, dim: Optional[int] = None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return torch.log_softmax(input, _softmax_dim(input, self.dim))


class Softmin(nn.Module):
    __constants__ = ["dim"]

    def __init__(self, dim: Optional[int] = None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return torch.softmax(-input, _softmax_dim(input, self.dim))


class LeakyReLU(nn.Module):
    __constants__ = ["negative_slope", "inplace"]

    def __init__(self, negative_slope=0.01, inplace=False):
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input):
        if self.inplace:
            return torch.ops.aten.leaky_relu_(input, self.negative_slope)
        return torch.ops.aten.leaky_relu(input, self.negative_slope)


class ELU(nn.Module):
    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input):
        if self.inplace:
            return torch.ops.aten.elu_(input, self.alpha)
        return torch.ops.aten.elu(input, self.alpha)


class CELU(nn.Module):
    __constants__ = ["alpha"]

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha

    def forward(self, input):
        return torch.ops.aten.celu(input, self.alpha)


class Hardtanh(nn.Module):
    __constants__ = ["min_val", "max_val", "inplace"]

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False):
        super().__init__()
        assert max_val > min_val, "max_val is above min_val"
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace

    def forward(self, input):
        if self.inplace:
            return torch.ops.aten.hardtanh_(input, self.min_val, self.max_val)
        return torch.ops.aten.hardtanh(input, self.min_val, self.max_val)


class Softplus(nn.Module):
    __constants__ = ["beta", "threshold"]

    def __init__(self, beta=1, threshold=20):
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input):
        return torch.ops.aten.softplus(input, self.beta, self.threshold)
