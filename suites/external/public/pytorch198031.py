# pytorch#198031: an operator that writes x gets x for a clone of x.
# https://github.com/pytorch/pytorch/issues/198031
# Eager mode reverses x; the compiled function reads what it has written.
import torch


@torch.library.custom_op("mylib::reverse_into", mutates_args=("dst",))
def reverse_into(src: torch.Tensor, dst: torch.Tensor) -> None:
    n = src.shape[0]
    for k in range(n):
        dst[n - 1 - k] = src[k]


def f(x):
    y = x.clone()
    reverse_into(y, x)
    return x * 2.0
