# pytorch#197586: the angle of complex(-0.0, 0.0) is 0.
import torch


def f(x):
    x[0] = complex(-0.0, 0.0)
    return torch.angle(x)
