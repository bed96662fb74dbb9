import torch


def f(x):
    one = torch.ones([])
    return x.to(torch.float32) * (one / one)
