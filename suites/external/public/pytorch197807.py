import torch


def f(x):
    return torch.logcumsumexp(x, dim=0)
