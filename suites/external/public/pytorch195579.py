# pytorch#195579: addmm takes a term that does not expand to the product.
import torch


def f(x, a, b):
    return torch.addmm(x, a, b)
