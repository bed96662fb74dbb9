# pytorch#193265: cumsum of a 0-d constant raises.
import torch


def f():
    return torch.tensor(5.0).cumsum(0)
