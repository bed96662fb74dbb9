# pytorch#197554: index_add takes a source with a dimension too few.
import torch


def f(x, source):
    index = torch.tensor([0, 2])
    return torch.index_add(x, 0, index, source)
