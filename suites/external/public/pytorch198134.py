# pytorch#198134: acosh of float64 1e200 is infinite under torch.compile.
import torch


def f(x):
    return torch.acosh(x)
