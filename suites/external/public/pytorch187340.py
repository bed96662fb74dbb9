import torch


def f(x):
    return torch.nextafter(x, torch.zeros_like(x))
