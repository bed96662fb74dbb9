# pytorch#185885: index_add takes an index of -1.
import torch


def f():
    x = torch.zeros(4, 3)
    index = torch.tensor([0, -1])
    y = torch.index_add(x, 0, index, torch.ones(2, 3))
    return y, y.clamp_max(1.0)
