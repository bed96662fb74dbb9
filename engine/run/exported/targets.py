"""What exported programs call and the table of operators lacks, in the language of scripts.

A function is named by its target: "torch.ops.aten._softmax.default" is aten__softmax. Names of
parameters, their order and defaults are ATen's. targets.cpp finds them.
"""

from typing import List, Optional, Tuple

import torch
from torch import Tensor


def aten__softmax(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
    return torch.softmax(self, dim, dtype=torch.float32 if half_to_float else None)


def aten__log_softmax(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
    return torch.log_softmax(self, dim, dtype=torch.float32 if half_to_float else None)


def aten__assert_scalar(self: bool, assert_msg: str):
    if not self:
        raise RuntimeError(assert_msg)


def aten__assert_async_msg(self: Tensor, assert_msg: str):
    if not bool(self):
        raise RuntimeError(assert_msg)


def torch_sym_ite(b: bool, t: int, f: int) -> int:
    return t if b else f
