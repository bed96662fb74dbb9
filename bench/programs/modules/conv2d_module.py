# bench: backward Conv2dByHand(3,16,3) f32[1,3,N,N] N=16,64,512
"""A convolution written by hand as a module: windows of the image, then one product per pair of
channels, added in place into a slice of the output."""

import torch
import torch.nn as nn
from torch import Tensor


class Conv2dByHand(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, kernel_size: int):
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.weight = nn.Parameter(
            torch.randn(out_channels, in_channels, kernel_size * kernel_size) * 0.1
        )
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def windows(self, image: Tensor) -> Tensor:
        k = self.kernel_size
        height = image.size(2) - k + 1
        width = image.size(3) - k + 1
        parts = image.unfold(2, k, 1).unfold(3, k, 1)
        return parts.reshape(image.size(0), self.in_channels, height * width, k * k)

    def forward(self, image: Tensor) -> Tensor:
        height = image.size(2) - self.kernel_size + 1
        width = image.size(3) - self.kernel_size + 1
        windows = self.windows(image)
        out = torch.zeros(image.size(0), self.out_channels, height * width, dtype=image.dtype)
        for i in range(self.in_channels):
            for o in range(self.out_channels):
                out[:, o] += torch.matmul(windows[:, i], self.weight[o, i])
        for o in range(self.out_channels):
            out[:, o, :] += self.bias[o]
        return out.view(image.size(0), self.out_channels, height, width)
