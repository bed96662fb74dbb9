# pytorch#198133: erfinv near 1 has half its digits.
import torch


def f(x):
    return torch.erfinv(x)
