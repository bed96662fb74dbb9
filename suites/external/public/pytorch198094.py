# pytorch#198094: what slice_scatter returned is overwritten by a later write to its input.
# https://github.com/pytorch/pytorch/issues/198094
# Eager mode returns the scattered rows, the compiled function zeros.
import torch


def f(x, src):
    y = torch.slice_scatter(x, src[1:3], dim=0, start=1, end=3)
    x.zero_()
    return y
