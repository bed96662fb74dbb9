# Transposed convolutions, by the ops of the same names. Padding is zeros.
import math
from typing import List, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


def _whole(value, count):
    return (value,) * count if isinstance(value, int) else tuple(value)


class _ConvTransposeNd(nn.Module):
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
    ]

    def setup(
        self,
        count,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        output_padding,
        groups,
        bias,
        dilation,
        padding_mode,
        dtype,
    ):
        if in_channels % groups != 0 or out_channels % groups != 0:
            raise ValueError("in_channels and out_channels must be divisible by groups")
        if padding_mode != "zeros":
            raise ValueError(
                "Only 'zeros' padding mode is supported for transposed convolutions", padding_mode
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = _whole(kernel_size, count)
        self.stride = _whole(stride, count)
        self.padding = _whole(padding, count)
        self.dilation = _whole(dilation, count)
        self.transposed = True
        self.output_padding = _whole(output_padding, count)
        self.groups = groups
        self.padding_mode = padding_mode
        self.weight = nn.Parameter(
            torch.empty((in_channels, out_channels // groups) + self.kernel_size, dtype=dtype)
        )
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if bias:
            self.bias = nn.Parameter(torch.empty(out_channels, dtype=dtype))
            fan_in = out_channels // groups
            for size in self.kernel_size:
                fan_in = fan_in * size
            bound = 1 / math.sqrt(fan_in)
            self.bias.uniform_(-bound, bound)
        else:
            self.register_parameter("bias", None)

    # What makes the result as large as `output_size` says: between its least size and one stride
    # more.
    def _output_padding(
        self,
        input,
        output_size: Optional[List[int]],
        stride: List[int],
        padding: List[int],
        kernel_size: List[int],
        dilation: List[int],
        given: List[int],
    ) -> List[int]:
        if output_size is None:
            return given
        dims = len(kernel_size)
        wanted = output_size[len(output_size) - dims :]
        if len(output_size) != dims and len(output_size) != dims + 2:
            raise ValueError(
                f"output_size has {dims} or {dims + 2} elements (got {len(output_size)})"
            )
        out: List[int] = []
        for d in range(dims):
            least = (
                (input.size(d + 2) - 1) * stride[d]
                - 2 * padding[d]
                + dilation[d] * (kernel_size[d] - 1)
                + 1
            )
            if wanted[d] < least or wanted[d] > least + stride[d] - 1:
                raise ValueError(
                    f"requested an output size of {wanted}, but valid sizes of dim {d} range from "
                    f"{least} to {least + stride[d] - 1}"
                )
            out.append(wanted[d] - least)
        return out


class ConvTranspose1d(_ConvTransposeNd):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
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
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            dtype,
        )

    def forward(self, input, output_size: Optional[List[int]] = None):
        more = self._output_padding(
            input,
            output_size,
            self.stride,
            self.padding,
            self.kernel_size,
            self.dilation,
            self.output_padding,
        )
        return F.conv_transpose1d(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            more,
            self.groups,
            self.dilation,
        )


class ConvTranspose2d(_ConvTransposeNd):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
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
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            dtype,
        )

    def forward(self, input, output_size: Optional[List[int]] = None):
        more = self._output_padding(
            input,
            output_size,
            self.stride,
            self.padding,
            self.kernel_size,
            self.dilation,
            self.output_padding,
        )
        return F.conv_transpose2d(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            more,
            self.groups,
            self.dilation,
        )


class ConvTranspose3d(_ConvTransposeNd):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
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
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            dtype,
        )

    def forward(self, input, output_size: Optional[List[int]] = None):
        more = self._output_padding(
            input,
            output_size,
            self.stride,
            self.padding,
            self.kernel_size,
            self.dilation,
            self.output_padding,
        )
        return F.conv_transpose3d(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            more,
            self.groups,
            self.dilation,
        )
