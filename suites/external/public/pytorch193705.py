# pytorch#193705: a copy between two views in uint16 raises.
import torch


def f(x, y):
    bits = x.view(torch.uint16).clone()
    return bits.copy_(y.view(torch.uint16)).view(torch.float32).sum()
