# pytorch#183603: the gradient of a compiled gradient raises.
# https://github.com/pytorch/pytorch/issues/183603
# The report differentiates the output again: eager mode gives 12 x^2, the compiled output
# raises RuntimeError. Its x requires gradients.
import torch


def f(x):
    y = (x**4).sum()
    return torch.autograd.grad(y, x, create_graph=True)[0]
