# pytorch#194547: a sample of Normal has another dtype.
import torch


def f(loc, scale):
    return torch.distributions.Normal(loc, scale).sample()
