# pytorch#188217: a fractional pool with a kernel of -2 raises.
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.FractionalMaxPool2d(-2, output_size=(2, 2), return_indices=True)
        self.norm = nn.LocalResponseNorm(2, alpha=0.028)
        self.gate = nn.Hardsigmoid(inplace=True)

    def forward(self, x):
        y = self.norm(self.pool(x)[0])
        return self.gate(F.logsigmoid(y))
