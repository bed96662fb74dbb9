# pytorch#183900: torch.full takes a parameter for its number.
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fill = nn.Parameter(torch.tensor(2.5))

    def forward(self, x):
        return torch.full((x.shape[0], x.shape[1], 2), fill_value=self.fill, dtype=x.dtype)
