import torch


def f(x):
    y = torch.ceil(x)
    return torch.reciprocal(y + torch.zeros_like(y))
