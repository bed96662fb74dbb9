# Activations that fewer models use, as modules; see activation.py for the others.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Hardswish(nn.Module):
    __constants__ = ["inplace"]

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        if self.inplace:
            return torch.ops.aten.hardswish_(input)
        return torch.ops.aten.hardswish(input)


class Hardsigmoid(nn.Module):
    __constants__ = ["inplace"]

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        if self.inplace:
            return torch.ops.aten.hardsigmoid_(input)
        return torch.ops.aten.hardsigmoid(input)


class Mish(nn.Module):
    __constants__ = ["inplace"]

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        if self.inplace:
            return torch.ops.aten.mish_(input)
        return torch.ops.aten.mish(input)


class Threshold(nn.Module):
    __constants__ = ["threshold", "value", "inplace"]

    def __init__(self, threshold, value, inplace=False):
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input):
        if self.inplace:
            return torch.ops.aten.threshold_(input, self.threshold, self.value)
        return torch.ops.aten.threshold(input, self.threshold, self.value)


class PReLU(nn.Module):
    __constants__ = ["num_parameters"]

    def __init__(self, num_parameters=1, init=0.25):
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = nn.Parameter(torch.ones(num_parameters) * init)

    def forward(self, input):
        return torch.ops.aten.prelu(input, self.weight)


class LogSigmoid(nn.Module):
    def forward(self, input):
        return torch.ops.aten.log_sigmoid(input)


class Softsign(nn.Module):
    def forward(self, input):
        return F.softsign(input)


class Tanhshrink(nn.Module):
    def forward(self, input):
        return F.tanhshrink(input)


class Hardshrink(nn.Module):
    __constants__ = ["lambd"]

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        return torch.ops.aten.hardshrink(input, self.lambd)


class Softshrink(nn.Module):
    __constants__ = ["lambd"]

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        return torch.ops.aten.softshrink(input, self.lambd)


class GLU(nn.Module):
    __constants__ = ["dim"]

    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return torch.ops.aten.glu(input, self.dim)


class Softmax2d(nn.Module):
    def forward(self, input):
        if input.dim() != 4 and input.dim() != 3:
            raise ValueError("Softmax2d requires a 3D or 4D tensor as input")
        return torch.softmax(input, -3)


class RReLU(nn.Module):
    __constants__ = ["lower", "upper", "inplace"]

    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False):
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input):
        return F.rrelu(input, self.lower, self.upper, self.training)
