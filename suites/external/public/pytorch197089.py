# pytorch#197089: std of numbers near 1e30 is infinite.
import torch


def f(x):
    return torch.std(x)
