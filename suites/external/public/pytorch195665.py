# pytorch#195665: as_strided past the end of its memory is not refused.
# https://github.com/pytorch/pytorch/issues/195665
# Eager mode raises RuntimeError; the compiled function returns what lies behind.
import torch


def f(x):
    v1 = torch.full([1, 2], 1, dtype=torch.float32)
    v2 = torch.as_strided(v1, size=[64, 64, 3], stride=[1, 64, 192])
    return torch.cumsum(v2, 1)
