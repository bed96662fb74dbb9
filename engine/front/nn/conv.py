# Convolutions. Padding is zeros, in numbers or as "valid" and "same".
import math
import torch
import torch.nn as nn


def _tuple(value, count):
    if isinstance(value, (int, str)):
        return value if isinstance(value, str) else (value,) * count
    return tuple(value)


class _ConvNd(nn.Module):
    __constants__ = ["stride", "padding", "dilation", "groups", "padding_mode", "output_padding", "in_channels",
                     "out_channels", "kernel_size", "transposed"]

    def setup(self, count, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
              padding_mode, dtype):
        if in_channels % groups != 0 or out_channels % groups != 0:
            raise ValueError("in_channels and out_channels must be divisible by groups")
        if padding_mode != "zeros":
            raise ValueError("padding_mode is 'zeros'", padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = _tuple(kernel_size, count)
        self.stride = _tuple(stride, count)
        self.padding = _tuple(padding, count)
        self.dilation = _tuple(dilation, count)
        self.transposed = False
        self.output_padding = (0,) * count
        self.groups = groups
        self.padding_mode = padding_mode
        self.weight = nn.Parameter(torch.empty((out_channels, in_channels // groups) + self.kernel_size, dtype=dtype))
        if bias:
            self.bias = nn.Parameter(torch.empty(out_channels, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = self.in_channels // self.groups
            for size in self.kernel_size:
                fan_in = fan_in * size
            bound = 1 / math.sqrt(fan_in)
            self.bias.uniform_(-bound, bound)


class Conv1d(_ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        super().__init__()
        self.setup(1, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode,
                   dtype)

    def forward(self, input):
        return torch.ops.aten.conv1d(input, self.weight, self.bias, self.stride, self.padding, self.dilation,
                                     self.groups)


class Conv2d(_ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        super().__init__()
        self.setup(2, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode,
                   dtype)

    def forward(self, input):
        return torch.ops.aten.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation,
                                     self.groups)
