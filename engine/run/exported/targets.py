"""What exported programs call and the table of operators lacks, in the language of scripts.

A function is named by its target: "torch.ops.aten._softmax.default" is aten__softmax. Names of
parameters, their order and defaults are ATen's. targets.cpp finds them.
"""

from typing import List, Optional, Tuple  # noqa: UP035  (the language's own names)

import torch
from torch import Tensor


def aten__softmax(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
    if half_to_float:
        return torch.softmax(self, dim, dtype=torch.float32)
    return torch.softmax(self, dim)


def aten__log_softmax(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
    if half_to_float:
        return torch.log_softmax(self, dim, dtype=torch.float32)
    return torch.log_softmax(self, dim)


def aten_convolution(
    input: Tensor,
    weight: Tensor,
    bias: Optional[Tensor],
    stride: List[int],
    padding: List[int],
    dilation: List[int],
    transposed: bool,
    output_padding: List[int],
    groups: int,
) -> Tensor:
    return torch._convolution(
        input,
        weight,
        bias,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        False,
        False,
        True,
        True,
    )


def aten__to_copy(
    self: Tensor,
    dtype: Optional[int] = None,
    layout: Optional[int] = None,
    device: Optional[torch.device] = None,
    pin_memory: Optional[bool] = None,
    non_blocking: bool = False,
    memory_format: Optional[int] = None,
) -> Tensor:
    return self.to(
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        non_blocking=non_blocking,
        copy=True,
        memory_format=memory_format,
    )


def aten__native_batch_norm_legit_functional(
    input: Tensor,
    weight: Optional[Tensor],
    bias: Optional[Tensor],
    running_mean: Tensor,
    running_var: Tensor,
    training: bool,
    momentum: float,
    eps: float,
) -> Tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    mean = running_mean.clone()
    var = running_var.clone()
    out, saved_mean, saved_invstd = torch.native_batch_norm(
        input, weight, bias, mean, var, training, momentum, eps
    )
    return out, saved_mean, saved_invstd, mean, var


def aten__native_batch_norm_legit_no_training(
    input: Tensor,
    weight: Optional[Tensor],
    bias: Optional[Tensor],
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,
    eps: float,
) -> Tuple[Tensor, Tensor, Tensor]:
    return torch.native_batch_norm(
        input, weight, bias, running_mean, running_var, False, momentum, eps
    )


def aten__assert_scalar(self: bool, assert_msg: str):
    if not self:
        raise RuntimeError(assert_msg)


def aten__assert_async_msg(self: Tensor, assert_msg: str):
    if not bool(self):
        raise RuntimeError(assert_msg)


def torch_sym_ite(b: bool, t: int, f: int) -> int:
    return t if b else f
