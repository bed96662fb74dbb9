# pytorch#197431: as_strided of a slice of a repeat reads another place.
import torch


def f(x):
    full = x.repeat((3, 2))
    return torch.as_strided(full[:, ::2], (3, 2), full.stride())
