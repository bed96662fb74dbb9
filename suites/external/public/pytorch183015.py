# pytorch#183015: vmap of a Hessian raises.
import torch


def energy(x):
    return (x**3).sum()


def f(x):
    return torch.vmap(torch.func.hessian(energy))(x)
