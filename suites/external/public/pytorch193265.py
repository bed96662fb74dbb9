import torch


def f():
    return torch.tensor(5.0).cumsum(0)
