import torch


def f(p):
    return torch.bernoulli(p)
