# pytorch#175966: an int64 arange times 1e9 wraps at 2^31.
import torch


def f(x):
    steps = torch.arange(0, 11, dtype=torch.int64)
    return steps * 1000000000 + x
