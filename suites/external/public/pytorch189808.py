# pytorch#189808: sqrt of -1 is a NaN of another sign.
import torch


def f(x):
    return torch.sqrt(x).view(torch.int32)
