# pytorch#193288: torch.iinfo that lives across a graph break ends the process.
import torch


def f(x):
    info = torch.iinfo(x.dtype)
    y = x + info.min // 2
    print(y)
    return torch.clamp_max(y, info.max - 3)
