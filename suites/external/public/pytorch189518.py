# pytorch#189518: cumsum of ones forgets dtype=.
import torch


def f():
    return torch.ones([2, 4, 4], dtype=torch.bool).cumsum(1, dtype=torch.bfloat16)
