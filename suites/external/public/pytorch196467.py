# pytorch#196467: a tensor of that size becomes a tensor with the sizes in it.
import torch
import torch.nn.functional as F


def f(x):
    y = F.linear(x, torch.ones(4, 10), torch.zeros(4))
    return torch.Tensor(y.size())
