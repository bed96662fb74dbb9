# pytorch#194062: torch.full of a number read from a tensor forgets that it is bool.
# https://github.com/pytorch/pytorch/issues/194062
# Eager mode gives 2, the compiled function twice the number read.
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x):
    return torch.full((2,), x.item(), dtype=torch.bool).sum()
