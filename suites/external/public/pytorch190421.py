# pytorch#190421: a sum of -inf to int32 does not compile.
# https://github.com/pytorch/pytorch/issues/190421
# Eager mode returns 0; the compiled function raises OverflowError.
import torch


def f():
    x = torch.full((2,), 0.0)
    y = torch.log(x)
    z = torch.sum(y, dtype=torch.int32).float()
    return z
