import torch


def f(x):
    steps = torch.arange(0, 11, dtype=torch.int64)
    return steps * 1000000000 + x
