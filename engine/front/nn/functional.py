# torch.nn.functional: activations, dropout, norms, embeddings. Pools, losses, images and attention
# have texts of their own. A function that is not here is the op of its name.
#
# A function of one expression, perhaps behind assertions, is written out where it is called: which
# side of `a if dim is None else b` it is, types and constants tell there. Final[bool]: a parameter
# that decides what the call gives, so it is True or False as it is written.
from typing import List, Optional

import torch
from torch import Tensor
from torch._jit_internal import BroadcastingList2


def _implied_dim(dims: int) -> int:
    return 0 if dims == 0 or dims == 1 or dims == 3 else 1


def softmax(
    input: Tensor, dim: Optional[int] = None, _stacklevel: int = 3, dtype: Optional[int] = None
) -> Tensor:
    return torch.softmax(input, _implied_dim(input.dim()) if dim is None else dim, dtype)


def log_softmax(
    input: Tensor, dim: Optional[int] = None, _stacklevel: int = 3, dtype: Optional[int] = None
) -> Tensor:
    return torch.log_softmax(input, _implied_dim(input.dim()) if dim is None else dim, dtype)


def softmin(
    input: Tensor, dim: Optional[int] = None, _stacklevel: int = 3, dtype: Optional[int] = None
) -> Tensor:
    return torch.softmax(-input, _implied_dim(input.dim()) if dim is None else dim, dtype)


def gumbel_softmax(
    logits: Tensor, tau: float = 1.0, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    uniform = torch.rand_like(logits).clamp(1e-20, 1.0 - 1e-7)
    soft = torch.softmax((logits - torch.log(-torch.log(uniform))) / tau, dim)
    if not hard:
        return soft
    best = soft.argmax(dim, keepdim=True)
    chosen = torch.zeros_like(logits).scatter(dim, best, 1.0)
    return chosen - soft.detach() + soft


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    return torch.dropout_(input, p, training) if inplace else torch.dropout(input, p, training)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    return (
        torch.feature_dropout_(input, p, training)
        if inplace
        else torch.feature_dropout(input, p, training)
    )


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    return (
        torch.alpha_dropout_(input, p, training)
        if inplace
        else torch.alpha_dropout(input, p, training)
    )


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    return (
        torch.feature_alpha_dropout_(input, p, training)
        if inplace
        else torch.feature_alpha_dropout(input, p, training)
    )


def _drop_channels(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if inplace:
        return torch.ops.aten.feature_dropout_(input, p, training)
    return torch.ops.aten.feature_dropout(input, p, training)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    if input.dim() != 2 and input.dim() != 3:
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input"
        )
    if input.dim() == 2:
        return _drop_channels(input.unsqueeze(0), p, training, inplace).squeeze(0)
    return _drop_channels(input, p, training, inplace)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    if input.dim() != 5:
        return _drop_channels(input.unsqueeze(0), p, training, inplace).squeeze(0)
    return _drop_channels(input, p, training, inplace)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    return torch.relu_(input) if inplace else torch.relu(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    return torch.relu6_(input) if inplace else torch.relu6(input)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    return torch.selu_(input) if inplace else torch.selu(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    return torch.silu_(input) if inplace else torch.silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    return torch.mish_(input) if inplace else torch.mish(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    return torch.hardswish_(input) if inplace else torch.hardswish(input)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    return torch.hardsigmoid_(input) if inplace else torch.hardsigmoid(input)


def elu(input: Tensor, alpha: number = 1.0, inplace: bool = False) -> Tensor:
    return torch.elu_(input, alpha) if inplace else torch.elu(input, alpha)


def celu(input: Tensor, alpha: number = 1.0, inplace: bool = False) -> Tensor:
    return torch.celu_(input, alpha) if inplace else torch.celu(input, alpha)


def leaky_relu(input: Tensor, negative_slope: number = 0.01, inplace: bool = False) -> Tensor:
    return (
        torch.leaky_relu_(input, negative_slope)
        if inplace
        else torch.leaky_relu(input, negative_slope)
    )


def hardtanh(
    input: Tensor, min_val: number = -1.0, max_val: number = 1.0, inplace: bool = False
) -> Tensor:
    return (
        torch.hardtanh_(input, min_val, max_val)
        if inplace
        else torch.hardtanh(input, min_val, max_val)
    )


def threshold(input: Tensor, threshold: number, value: number, inplace: bool = False) -> Tensor:
    return (
        torch.threshold_(input, threshold, value)
        if inplace
        else torch.threshold(input, threshold, value)
    )


def rrelu(
    input: Tensor,
    lower: number = 0.125,
    upper: number = 0.3333333333333333,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    return (
        torch.rrelu_(input, lower, upper, training)
        if inplace
        else torch.rrelu(input, lower, upper, training)
    )


def logsigmoid(input: Tensor) -> Tensor:
    return torch.log_sigmoid(input)


def tanhshrink(input: Tensor) -> Tensor:
    return input - input.tanh()


def softsign(input: Tensor) -> Tensor:
    return input / (input.abs() + 1)


# A variance over one value is none; `kind` names what there should be more of.
def _more_than_one(count: int, kind: str, size: List[int]):
    if count == 1:
        raise ValueError(f"Expected more than 1 {kind} when training, got input size {size}")


def _product(first: int, sizes: List[int]) -> int:
    for size in sizes:
        first *= size
    return first


def layer_norm(
    input: Tensor,
    normalized_shape: List[int],
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    eps: float = 1e-5,
) -> Tensor:
    return torch.layer_norm(input, normalized_shape, weight, bias, eps, False)


def batch_norm(
    input: Tensor,
    running_mean: Optional[Tensor],
    running_var: Optional[Tensor],
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    if training:
        size = input.shape
        _more_than_one(_product(size[0], size[2:]), "value per channel", size)
    return torch.ops.aten.batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps, False
    )


def instance_norm(
    input: Tensor,
    running_mean: Optional[Tensor] = None,
    running_var: Optional[Tensor] = None,
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    if use_input_stats:
        size = input.shape
        _more_than_one(_product(1, size[2:]), "spatial element", size)
    return torch.ops.aten.instance_norm(
        input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, False
    )


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    eps: float = 1e-5,
) -> Tensor:
    size = input.shape
    grouped = [size[0] * size[1] // num_groups, num_groups] + size[2:]
    _more_than_one(_product(grouped[0], size[2:]), "value per channel", grouped)
    return torch.ops.aten.group_norm(input, num_groups, weight, bias, eps, False)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    length = input.norm(p, [dim], True)
    return input / length.clamp_min(eps).expand_as(input)


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    squares = (input * input).unsqueeze(1)
    before, after = size // 2, (size - 1) // 2
    if input.dim() == 3:
        means = torch.avg_pool2d(
            torch.constant_pad_nd(squares, [0, 0, before, after]), [size, 1], [1, 1]
        )
    else:  # another operator: torch.autocast casts for it
        squares = torch.constant_pad_nd(squares.flatten(4), [0, 0, 0, 0, before, after])
        means = torch.avg_pool3d(squares, [size, 1, 1], [1, 1, 1])
    means = means.squeeze(1).view_as(input)
    return input / (means * alpha + k).pow(beta)


def bilinear(
    input1: Tensor, input2: Tensor, weight: Tensor, bias: Optional[Tensor] = None
) -> Tensor:
    return torch.bilinear(input1, input2, weight, bias)


def unfold(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    dilation: BroadcastingList2[int] = 1,
    padding: BroadcastingList2[int] = 0,
    stride: BroadcastingList2[int] = 1,
) -> Tensor:
    return torch.im2col(input, kernel_size, dilation, padding, stride)


def fold(
    input: Tensor,
    output_size: BroadcastingList2[int],
    kernel_size: BroadcastingList2[int],
    dilation: BroadcastingList2[int] = 1,
    padding: BroadcastingList2[int] = 0,
    stride: BroadcastingList2[int] = 1,
) -> Tensor:
    return torch.col2im(input, output_size, kernel_size, dilation, padding, stride)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: Optional[int] = None,
    max_norm: Optional[float] = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    assert max_norm is None, "'max_norm' of embedding is not supported: leave it out"
    return torch.embedding(
        weight, input, -1 if padding_idx is None else padding_idx, scale_grad_by_freq, sparse
    )


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Optional[Tensor] = None,
    max_norm: Optional[float] = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Optional[Tensor] = None,
    include_last_offset: bool = False,
    padding_idx: Optional[int] = None,
) -> Tensor:
    if max_norm is not None:
        raise NotImplementedError("embedding_bag with max_norm")
    if mode != "sum" and mode != "mean" and mode != "max":
        raise ValueError(f"embedding_bag by mode '{mode}'; there are 'sum', 'mean' and 'max'")
    kind = 0 if mode == "sum" else (1 if mode == "mean" else 2)
    starts = torch.zeros([0], dtype=torch.int64)
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError("embedding_bag: rows of indices are the bags, without offsets")
        starts = torch.arange(0, input.numel(), max(input.shape[1], 1))
    elif offsets is None:
        raise ValueError("embedding_bag of a line of indices takes offsets")
    else:
        starts = offsets
    shares: Optional[Tensor] = None
    if per_sample_weights is not None:
        shares = per_sample_weights.reshape(-1)
    return torch.embedding_bag(
        weight,
        input.reshape(-1),
        starts,
        scale_grad_by_freq,
        kind,
        sparse,
        shares,
        include_last_offset,
        padding_idx,
    )[0]


def grouped_mm(
    mat_a: Tensor,
    mat_b: Tensor,
    *,
    offs: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    out_dtype: Optional[int] = None,
) -> Tensor:
    return torch.ops.aten._grouped_mm(mat_a, mat_b, offs, bias, out_dtype)
