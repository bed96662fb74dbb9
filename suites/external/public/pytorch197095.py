# pytorch#197095: interpolate of no rows reads what is not there.
import torch.nn.functional as F


def f(x):
    return F.interpolate(x, size=[4, 4], mode="nearest")
