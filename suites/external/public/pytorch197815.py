# pytorch#197815: ones_like does not keep the stride of a dimension of size 1.
import torch


def f(x):
    return torch.ones_like(x)
