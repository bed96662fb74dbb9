# pytorch#195451: what slice_scatter returns becomes the input itself.
# https://github.com/pytorch/pytorch/issues/195451
# Eager mode returns a tensor of its own, the compiled function one that shares x's memory.
import torch


def f(x, src):
    updated = torch.slice_scatter(x, src, 0, 0, 1)
    x.copy_(updated)
    return updated
