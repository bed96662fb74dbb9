# pytorch#197807: logcumsumexp takes a 0-d uint8 tensor.
import torch


def f(x):
    return torch.logcumsumexp(x, dim=0)
