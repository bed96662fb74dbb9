# Convolutions. Padding is given in numbers or as "valid" and "same"; it is zeros, or what
# padding_mode says.
import math

import torch
import torch.nn as nn


def _tuple(value, count):
    if isinstance(value, (int, str)):
        return value if isinstance(value, str) else (value,) * count
    return tuple(value)


class _ConvNd(nn.Module):
    __constants__ = [
        "stride",
        "padding",
        "dilation",
        "groups",
        "padding_mode",
        "output_padding",
        "in_channels",
        "out_channels",
        "kernel_size",
        "transposed",
        "bordered",
        "border",
    ]

    def setup(
        self,
        count,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        dilation,
        groups,
        bias,
        padding_mode,
        dtype,
    ):
        if in_channels % groups != 0 or out_channels % groups != 0:
            raise ValueError("in_channels and out_channels must be divisible by groups")
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError(
                "padding_mode must be one of zeros, reflect, replicate, circular", padding_mode
            )
        if isinstance(padding, str):
            if padding != "same" and padding != "valid":
                raise ValueError("padding is a number, 'same' or 'valid'", padding)
            if padding == "same" and any([s != 1 for s in _tuple(stride, count)]):
                raise ValueError("padding='same' is not supported for strided convolutions")
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
        self.bordered = padding_mode != "zeros"
        self.border = self._border(count)
        self.weight = nn.Parameter(
            torch.empty((out_channels, in_channels // groups) + self.kernel_size, dtype=dtype)
        )
        if bias:
            self.bias = nn.Parameter(torch.empty(out_channels, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    # What the border takes of each side, the last dim first.
    def _border(self, count):
        sides = []
        for d in range(count):
            i = count - 1 - d
            left, right = 0, 0
            if self.padding == "same":
                total = self.dilation[i] * (self.kernel_size[i] - 1)
                left, right = total // 2, total - total // 2
            elif self.padding != "valid":
                left, right = self.padding[i], self.padding[i]
            sides = sides + [left, right]
        return tuple(sides)

    def reset_parameters(self):
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = self.in_channels // self.groups
            for size in self.kernel_size:
                fan_in = fan_in * size
            bound = 1 / math.sqrt(fan_in)
            self.bias.uniform_(-bound, bound)


class Conv1d(_ConvNd):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.setup(
            1,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            dtype,
        )

    def forward(self, input):
        if self.bordered:
            return torch.ops.aten.conv1d(
                torch.ops.aten.pad(input, self.border, self.padding_mode, None),
                self.weight,
                self.bias,
                self.stride,
                [0],
                self.dilation,
                self.groups,
            )
        return torch.ops.aten.conv1d(
            input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups
        )


class Conv2d(_ConvNd):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.setup(
            2,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            dtype,
        )

    def forward(self, input):
        if self.bordered:
            return torch.ops.aten.conv2d(
                torch.ops.aten.pad(input, self.border, self.padding_mode, None),
                self.weight,
                self.bias,
                self.stride,
                [0, 0],
                self.dilation,
                self.groups,
            )
        return torch.ops.aten.conv2d(
            input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups
        )


class Conv3d(_ConvNd):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.setup(
            3,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            dtype,
        )

    def forward(self, input):
        if self.bordered:
            return torch.ops.aten.conv3d(
                torch.ops.aten.pad(input, self.border, self.padding_mode, None),
                self.weight,
                self.bias,
                self.stride,
                [0, 0, 0],
                self.dilation,
                self.groups,
            )
        return torch.ops.aten.conv3d(
            input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups
        )
