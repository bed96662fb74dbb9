# pytorch#185246: bernoulli takes probabilities of 2 and -1.
import torch


def f(p):
    return torch.bernoulli(p)
