# pytorch#195422: a write through a dropout that drops nothing does not reach the input.
import torch.nn.functional as F


def f(x):
    y = F.dropout(x, 0.5, False)
    y += y
    return y
