# pytorch#185715: the gradient of pow by a dynamic integer raises.
import torch


def f(x, exponent: int):
    x.requires_grad_()
    y = torch.pow(x, exponent)
    (grad,) = torch.autograd.grad(y.sum(), x)
    return y, grad
