# pytorch#197062: adaptive_max_pool2d takes int64.
# https://github.com/pytorch/pytorch/issues/197062
# Eager mode raises NotImplementedError; the compiled function returns.
import torch.nn.functional as F


def f(x):
    return F.adaptive_max_pool2d(x, (1, 1))
