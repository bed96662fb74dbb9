# onnxruntime#32416: a Cast before a Mul by a folded 1: invalid model.
import torch


def f(x):
    one = torch.ones([])
    return x.to(torch.float32) * (one / one)
