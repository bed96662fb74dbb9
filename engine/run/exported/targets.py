"""What exported programs call and the table of operators lacks, in the language of scripts.

A function is named by its target: "torch.ops.aten._softmax.default" is aten__softmax. Names of
parameters, their order and defaults are ATen's. targets.cpp finds them; size_in_range is called by
the reader itself.
"""

import torch
from torch import Tensor


def size_in_range(x: Tensor, dim: int, name: str, least: int, most: int):
    """What a program says of the sizes that it takes."""
    size = x.size(dim)
    if size < least or size > most:
        raise RuntimeError(f"{name} has size {size} in dimension {dim}; legal: {least} to {most}")


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
    bias: Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    transposed: bool,
    output_padding: list[int],
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
    dtype: int | None = None,
    layout: int | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
    non_blocking: bool = False,
    memory_format: int | None = None,
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
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    mean = running_mean.clone()
    var = running_var.clone()
    out, saved_mean, saved_invstd = torch.native_batch_norm(
        input, weight, bias, mean, var, training, momentum, eps
    )
    return out, saved_mean, saved_invstd, mean, var


def aten__native_batch_norm_legit_no_training(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    return torch.native_batch_norm(
        input, weight, bias, running_mean, running_var, False, momentum, eps
    )


def aten__embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    padding: int | None = None
    if padding_idx >= 0:
        padding = padding_idx
    return torch.embedding_bag(
        weight,
        indices,
        offsets,
        scale_grad_by_freq,
        mode,
        sparse,
        per_sample_weights,
        include_last_offset,
        padding,
    )


def aten__linalg_check_errors(info: Tensor, api_name: str, is_matrix: bool):
    if bool(torch.any(info != 0)):
        raise RuntimeError(f"{api_name}: the input is singular")


def aten_copy(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    return self.clone().copy_(src)


def aten__assert_tensor_metadata(
    a: Tensor,
    size: list[int] | None = None,
    stride: list[int] | None = None,
    dtype: int | None = None,
    device: torch.device | None = None,
    layout: int | None = None,
):
    if size is not None:
        if a.size() != size:
            raise RuntimeError(f"a tensor of sizes {a.size()}, where {size} is expected")
    if stride is not None:
        if a.stride() != stride:
            raise RuntimeError(f"a tensor of strides {a.stride()}, where {stride} is expected")
    if dtype is not None:
        if a.dtype != dtype:
            raise RuntimeError(f"a tensor of dtype {a.dtype}, where {dtype} is expected")
    if device is not None:
        if a.device != device:
            raise RuntimeError(f"a tensor on {a.device}, where {device} is expected")


def aten_sym_constrain_range(size: int, min: int | None = None, max: int | None = None):
    if min is not None:
        if size < min:
            raise RuntimeError(f"a size of {size}, where at least {min} is expected")
    if max is not None:
        if size > max:
            raise RuntimeError(f"a size of {size}, where at most {max} is expected")


def aten_sym_constrain_range_for_size(size: int, min: int | None = None, max: int | None = None):
    if min is not None:
        if size < min:
            raise RuntimeError(f"a size of {size}, where at least {min} is expected")
    if max is not None:
        if size > max:
            raise RuntimeError(f"a size of {size}, where at most {max} is expected")


def aten__assert_async(self: Tensor):
    if not bool(self):
        raise RuntimeError("Expected Tensor with single nonzero value, but got zero")


def aten__unsafe_view(self: Tensor, size: list[int]) -> Tensor:
    return self.reshape(size)


def aten__reshape_alias(self: Tensor, size: list[int], stride: list[int]) -> Tensor:
    return self.reshape(size)


def aten__unsafe_index_Tensor(self: Tensor, indices: list[Tensor | None]) -> Tensor:
    return torch.ops.aten.index(self, indices)


def aten__unsafe_index_put(
    self: Tensor, indices: list[Tensor | None], values: Tensor, accumulate: bool = False
) -> Tensor:
    return torch.ops.aten.index_put(self, indices, values, accumulate)


def aten__adaptive_avg_pool2d(self: Tensor, output_size: list[int]) -> Tensor:
    return torch.ops.aten.adaptive_avg_pool2d(self, output_size)


def aten__adaptive_avg_pool3d(self: Tensor, output_size: list[int]) -> Tensor:
    return torch.ops.aten.adaptive_avg_pool3d(self, output_size)


def aten_reflection_pad1d(self: Tensor, padding: list[int]) -> Tensor:
    return torch.nn.functional.pad(self, padding, "reflect")


def aten_reflection_pad2d(self: Tensor, padding: list[int]) -> Tensor:
    return torch.nn.functional.pad(self, padding, "reflect")


def aten_reflection_pad3d(self: Tensor, padding: list[int]) -> Tensor:
    return torch.nn.functional.pad(self, padding, "reflect")


def aten_replication_pad1d(self: Tensor, padding: list[int]) -> Tensor:
    return torch.nn.functional.pad(self, padding, "replicate")


def aten_replication_pad2d(self: Tensor, padding: list[int]) -> Tensor:
    return torch.nn.functional.pad(self, padding, "replicate")


def aten_replication_pad3d(self: Tensor, padding: list[int]) -> Tensor:
    return torch.nn.functional.pad(self, padding, "replicate")


def aten__cdist_forward(x1: Tensor, x2: Tensor, p: float, compute_mode: int | None) -> Tensor:
    return torch.cdist(x1, x2, p)


def aten__scaled_dot_product_flash_attention_for_cpu(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    attn_mask: Tensor | None = None,
    scale: float | None = None,
) -> tuple[Tensor, Tensor]:
    out = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask, dropout_p, is_causal, scale
    )
    return out, log_of_sums(query, key, is_causal, attn_mask, scale)


def log_of_sums(
    query: Tensor,
    key: Tensor,
    is_causal: bool,
    attn_mask: Tensor | None,
    scale: float | None,
) -> Tensor:
    factor = 1.0 / float(query.size(-1)) ** 0.5
    if scale is not None:
        factor = scale
    scores = torch.matmul(query.float(), key.float().transpose(-2, -1)) * factor
    if is_causal:
        seen = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool).tril()
        scores = scores.masked_fill(seen.logical_not(), -float("inf"))
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            scores = scores.masked_fill(attn_mask.logical_not(), -float("inf"))
        else:
            scores = scores + attn_mask
    return scores.logsumexp(-1)


def aten__weight_norm_interface(v: Tensor, g: Tensor, dim: int = 0) -> tuple[Tensor, Tensor]:
    norm = torch.ops.aten.norm_except_dim(v, 2, dim)
    return v * (g / norm), norm


def aten__assert_scalar(self: bool, assert_msg: str):
    if not self:
        raise RuntimeError(assert_msg)


def aten__assert_async_msg(self: Tensor, assert_msg: str):
    if not bool(self):
        raise RuntimeError(assert_msg)


def torch_sym_ite(b: bool, t: int, f: int) -> int:
    return t if b else f
