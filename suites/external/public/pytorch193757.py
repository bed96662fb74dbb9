import torch
import torch.nn.functional as F


def f(t):
    return F.binary_cross_entropy(torch.ones_like(t), t)
