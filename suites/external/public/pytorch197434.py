# pytorch#197434: places of an adaptive_max_pool2d of transposed images are transposed.
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return F.adaptive_max_pool2d(x, (2, 2), return_indices=True)[1]
