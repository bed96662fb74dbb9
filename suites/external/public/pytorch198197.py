# pytorch#198197: getattr of a built-in type finds what is not there.
# https://github.com/pytorch/pytorch/issues/198197
# Eager mode gives cos(x), the compiled function sin(x).
import torch


def f(x):
    def has(obj, name):
        try:
            getattr(obj, name)
        except AttributeError:
            return None
        else:
            return 1

    s = has(int, "__nonexistent__")
    return torch.cos(x) if s is None else torch.sin(x)
