# pytorch#194706: the forward gradient of products of float16 does not compile.
import torch


def loss(x):
    a = torch.mm(torch.prod(x) + x, torch.sum(x) + x)
    return torch.sum(torch.mm(a, torch.sum(x) + x))


def f(x):
    return torch.func.jacfwd(loss)(x)
