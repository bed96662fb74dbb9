# pytorch#193932: a product of a plain tensor subclass raises in its kernel.
# https://github.com/pytorch/pytorch/issues/193932
# Eager mode returns; the compiled function raises TypeError. The report passes s as the input.
import torch


class Bare(torch.Tensor):
    @staticmethod
    def __new__(cls, x):
        return torch.Tensor._make_subclass(cls, x, require_grad=False)


s = torch.randn(4, 4).as_subclass(Bare)


def f():
    return s @ s.t()
