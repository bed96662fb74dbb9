import torch


def f():
    x = torch.arange(4.0)
    y = x.as_strided_([2, 2], [2, 1])
    return y, x.size()
