# torch.nn.functional: functions that are no single op, by ops. Ours where the formula of a call in
# functional.cpp does not take the arguments: softmax without a dim, kl_div with 'batchmean'.
import math
from typing import List, Optional, Tuple

import torch
from torch import Tensor
from torch._jit_internal import BroadcastingList1, BroadcastingList2, BroadcastingList3


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


def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: int,
    stride: Optional[int] = None,
    ceil_mode: bool = False,
) -> Tensor:
    step = kernel_size if stride is None else stride
    means = torch.avg_pool1d(input.pow(norm_type), [kernel_size], [step], [0], ceil_mode)
    return (means.sign() * means.abs().relu() * kernel_size).pow(1.0 / norm_type)


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: BroadcastingList2[int],
    stride: Optional[BroadcastingList2[int]] = None,
    ceil_mode: bool = False,
) -> Tensor:
    step = kernel_size if stride is None else stride
    means = torch.avg_pool2d(input.pow(norm_type), kernel_size, step, [0, 0], ceil_mode)
    return (means.sign() * means.abs().relu() * (kernel_size[0] * kernel_size[1])).pow(
        1.0 / norm_type
    )


def interpolate(
    input: Tensor,
    size: Optional[BroadcastingList1[int]] = None,
    scale_factor: Optional[BroadcastingList1[float]] = None,
    mode: str = "nearest",
    align_corners: Optional[bool] = None,
    recompute_scale_factor: Optional[bool] = None,
    antialias: bool = False,
) -> Tensor:
    dims = input.dim() - 2
    linear = (
        (mode == "linear" and dims == 1)
        or (mode == "trilinear" and dims == 3)
        or ((mode == "bilinear" or mode == "bicubic") and dims == 2)
    )
    nearest = (mode == "nearest" or mode == "nearest-exact") and dims >= 1 and dims <= 3
    if not linear and not nearest and not (mode == "area" and (dims == 1 or dims == 2)):
        raise NotImplementedError(
            f"interpolate of {dims} dims by mode '{mode}'; there are 'nearest', 'nearest-exact', "
            "'area' of one and two dims, 'linear' of one, 'bilinear' and 'bicubic' of two and "
            "'trilinear' of three"
        )
    if antialias and mode != "bilinear" and mode != "bicubic":
        raise ValueError("antialias goes with the modes bilinear and bicubic")
    if align_corners is not None and not linear:
        raise ValueError(
            "align_corners goes with the modes linear, bilinear, bicubic and trilinear"
        )
    sizes: List[int] = []
    scales = [0.0] * dims
    if size is not None and scale_factor is None:
        sizes = size * dims if len(size) == 1 else size
    elif scale_factor is not None and size is None:
        scales = scale_factor * dims if len(scale_factor) == 1 else scale_factor
        if len(scales) != dims:
            raise ValueError(f"interpolate takes {dims} scale factors, given {len(scales)}")
        sizes = [int(math.floor(input.shape[i + 2] * scales[i])) for i in range(dims)]
    else:
        raise ValueError("interpolate takes one of size and scale_factor")
    if len(sizes) != dims:
        raise ValueError(f"interpolate takes {dims} sizes, given {len(sizes)}")
    for s in sizes:
        if s <= 0:
            raise RuntimeError(f"interpolate to {sizes}: sizes are positive")
    if mode == "area":
        if dims == 1:
            return torch.adaptive_avg_pool1d(input, sizes)
        return torch.adaptive_avg_pool2d(input, sizes)
    by_sizes = size is not None or (recompute_scale_factor is not None and recompute_scale_factor)
    given: Optional[List[int]] = sizes if by_sizes else None
    factors: Optional[List[float]] = None if by_sizes else scales
    corners = align_corners is not None and align_corners
    if antialias and mode == "bicubic":
        return torch.ops.aten._upsample_bicubic2d_aa(input, given, corners, factors)
    if antialias:
        return torch.ops.aten._upsample_bilinear2d_aa(input, given, corners, factors)
    if mode == "nearest-exact":
        if dims == 1:
            return torch.ops.aten._upsample_nearest_exact1d(input, given, factors)
        if dims == 2:
            return torch.ops.aten._upsample_nearest_exact2d(input, given, factors)
        return torch.ops.aten._upsample_nearest_exact3d(input, given, factors)
    if mode == "bicubic":
        return torch.ops.aten.upsample_bicubic2d(input, given, corners, factors)
    if mode == "linear":
        return torch.ops.aten.upsample_linear1d(input, given, corners, factors)
    if mode == "bilinear":
        return torch.ops.aten.upsample_bilinear2d(input, given, corners, factors)
    if mode == "trilinear":
        return torch.ops.aten.upsample_trilinear3d(input, given, corners, factors)
    if dims == 1:
        return torch.ops.aten.upsample_nearest1d(input, given, factors)
    if dims == 2:
        return torch.ops.aten.upsample_nearest2d(input, given, factors)
    return torch.ops.aten.upsample_nearest3d(input, given, factors)


def upsample(
    input: Tensor,
    size: Optional[BroadcastingList1[int]] = None,
    scale_factor: Optional[BroadcastingList1[float]] = None,
    mode: str = "nearest",
    align_corners: Optional[bool] = None,
) -> Tensor:
    return interpolate(input, size, scale_factor, mode, align_corners)


# What old programs said by two flags.
def _reduction_name(reduction: str, size_average: Optional[bool], reduce: Optional[bool]) -> str:
    if size_average is None and reduce is None:
        return reduction
    if reduce is not None and not reduce:
        return "none"
    return "mean" if size_average is None or size_average else "sum"


# ATen's number of a reduction.
def _reduction(
    reduction: str, size_average: Optional[bool] = None, reduce: Optional[bool] = None
) -> int:
    name = _reduction_name(reduction, size_average, reduce)
    if name == "none":
        return 0
    if name == "mean":
        return 1
    if name == "sum":
        return 2
    raise ValueError(f"the reduction of a loss is 'none', 'mean' or 'sum', given '{name}'")


def _reduce(loss: Tensor, reduction: str) -> Tensor:
    kind = _reduction(reduction)
    if kind == 0:
        return loss
    return loss.mean() if kind == 1 else loss.sum()


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Optional[Tensor] = None,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    kind = _reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}) is deprecated. Please ensure they have the same size."
        )
    return torch.ops.aten.binary_cross_entropy(input, target, weight, kind)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Optional[Tensor] = None,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
    pos_weight: Optional[Tensor] = None,
) -> Tensor:
    kind = _reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Target size ({target.size()}) must be the same as input size ({input.size()})"
        )
    return torch.ops.aten.binary_cross_entropy_with_logits(input, target, weight, pos_weight, kind)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    terms = torch.kl_div(input, target, 0, log_target=log_target)
    name = _reduction_name(reduction, size_average, reduce)
    if name == "batchmean":
        return terms.sum() / input.shape[0]
    return _reduce(terms, name)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    spread = var.clamp_min(eps)
    loss = 0.5 * (spread.log() + (input - target).pow(2) / spread)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return _reduce(loss, reduction)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Optional[Tensor] = None,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    terms = -(target * torch.log_sigmoid(input) + (1 - target) * torch.log_sigmoid(-input))
    if weight is not None:
        terms = terms * weight
    return _reduce(terms.mean([-1]), _reduction_name(reduction, size_average, reduce))


def adaptive_max_pool1d(input: Tensor, output_size: BroadcastingList1[int]) -> Tensor:
    return torch.adaptive_max_pool1d(input, output_size)[0]


def adaptive_max_pool2d(input: Tensor, output_size: BroadcastingList2[int]) -> Tensor:
    return torch.ops.aten.adaptive_max_pool2d(input, output_size)[0]


def adaptive_max_pool3d(input: Tensor, output_size: BroadcastingList3[int]) -> Tensor:
    return torch.ops.aten.adaptive_max_pool3d(input, output_size)[0]


def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: BroadcastingList1[int]
) -> Tuple[Tensor, Tensor]:
    return torch.adaptive_max_pool1d(input, output_size)


def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: BroadcastingList2[int]
) -> Tuple[Tensor, Tensor]:
    return torch.ops.aten.adaptive_max_pool2d(input, output_size)


def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: BroadcastingList3[int]
) -> Tuple[Tensor, Tensor]:
    return torch.ops.aten.adaptive_max_pool3d(input, output_size)


def _unpooled_size(
    input: Tensor,
    kernel_size: List[int],
    stride: Optional[List[int]],
    padding: List[int],
    output_size: Optional[List[int]],
) -> List[int]:
    dims = len(kernel_size)
    step = kernel_size if stride is None else stride
    sizes = [
        (input.shape[input.dim() - dims + i] - 1) * step[i] + kernel_size[i] - 2 * padding[i]
        for i in range(dims)
    ]
    if output_size is None:
        return sizes
    wanted = output_size[len(output_size) - dims :]
    for i in range(dims):
        if (
            len(output_size) < dims
            or wanted[i] <= sizes[i] - step[i]
            or wanted[i] >= sizes[i] + step[i]
        ):
            raise ValueError(f"max_unpool to {output_size}: sizes lie within a stride of {sizes}")
    return wanted


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: BroadcastingList1[int],
    stride: Optional[BroadcastingList1[int]] = None,
    padding: BroadcastingList1[int] = 0,
    output_size: Optional[List[int]] = None,
) -> Tensor:
    size = _unpooled_size(input, kernel_size, stride, padding, output_size)
    return torch.ops.aten.max_unpool2d(
        input.unsqueeze(-1), indices.unsqueeze(-1), size + [1]
    ).squeeze(-1)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: BroadcastingList2[int],
    stride: Optional[BroadcastingList2[int]] = None,
    padding: BroadcastingList2[int] = 0,
    output_size: Optional[List[int]] = None,
) -> Tensor:
    size = _unpooled_size(input, kernel_size, stride, padding, output_size)
    return torch.ops.aten.max_unpool2d(input, indices, size)


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: BroadcastingList3[int],
    stride: Optional[BroadcastingList3[int]] = None,
    padding: BroadcastingList3[int] = 0,
    output_size: Optional[List[int]] = None,
) -> Tensor:
    size = _unpooled_size(input, kernel_size, stride, padding, output_size)
    return torch.ops.aten.max_unpool3d(
        input, indices, size, kernel_size if stride is None else stride, padding
    )


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: Optional[bool] = None,
) -> Tensor:
    if mode != "bilinear" and mode != "nearest" and mode != "bicubic":
        raise ValueError(
            f"grid_sample by mode '{mode}'; there are 'bilinear', 'nearest' and 'bicubic'"
        )
    if padding_mode != "zeros" and padding_mode != "border" and padding_mode != "reflection":
        raise ValueError(
            f"grid_sample pads by 'zeros', 'border' and 'reflection', not '{padding_mode}'"
        )
    pad = 0 if padding_mode == "zeros" else (1 if padding_mode == "border" else 2)
    corners = align_corners is not None and align_corners
    kind = 0 if mode == "bilinear" else (1 if mode == "nearest" else 2)
    return torch.grid_sampler(input, grid, kind, pad, corners)


def affine_grid(theta: Tensor, size: List[int], align_corners: Optional[bool] = None) -> Tensor:
    return torch.affine_grid_generator(theta, size, align_corners is not None and align_corners)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    kind = _reduction(reduction)
    return torch.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, kind, zero_infinity
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


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Optional[Tensor] = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Optional[float] = None,
    enable_gqa: bool = False,
) -> Tensor:
    return torch.ops.aten.scaled_dot_product_attention(
        query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
    )


# Queries, keys and values by one matrix on top of each other, or by one each.
def _in_projections(
    given: List[Tensor], weights: List[Tensor], bias: Optional[Tensor]
) -> List[Tensor]:
    out: List[Tensor] = []
    for i in range(3):
        if bias is None:
            out.append(torch.ops.aten.linear(given[i], weights[i], None))
        else:
            out.append(torch.ops.aten.linear(given[i], weights[i], bias.chunk(3)[i]))
    return out


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Optional[Tensor],
    in_proj_bias: Optional[Tensor],
    bias_k: Optional[Tensor],
    bias_v: Optional[Tensor],
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Optional[Tensor],
    training: bool = True,
    key_padding_mask: Optional[Tensor] = None,
    need_weights: bool = True,
    attn_mask: Optional[Tensor] = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Optional[Tensor] = None,
    k_proj_weight: Optional[Tensor] = None,
    v_proj_weight: Optional[Tensor] = None,
    static_k: Optional[Tensor] = None,
    static_v: Optional[Tensor] = None,
    average_attn_weights: bool = True,
) -> Tuple[Tensor, Optional[Tensor]]:
    batched = query.dim() == 3
    if static_k is not None or static_v is not None:
        raise NotImplementedError("multi_head_attention_forward with static keys and values")
    if query.dim() != key.dim() or key.dim() != value.dim() or not (batched or query.dim() == 2):
        raise RuntimeError(
            "multi_head_attention_forward takes queries, keys and values of three dims, or of two"
        )
    if query.shape[-1] != embed_dim_to_check or embed_dim_to_check % num_heads != 0:
        raise RuntimeError(
            f"queries of {query.shape[-1]} numbers for {num_heads} heads of {embed_dim_to_check} "
            "in all"
        )
    if (in_proj_weight is None) != use_separate_proj_weight:
        raise RuntimeError(
            "multi_head_attention_forward takes in_proj_weight or use_separate_proj_weight with "
            "three matrices"
        )
    weights: List[Tensor] = []
    if in_proj_weight is not None:
        weights = in_proj_weight.chunk(3)
    elif q_proj_weight is not None and k_proj_weight is not None and v_proj_weight is not None:
        weights = [q_proj_weight, k_proj_weight, v_proj_weight]
    else:
        raise RuntimeError(
            "use_separate_proj_weight takes q_proj_weight, k_proj_weight and v_proj_weight"
        )
    given = [x if batched else x.unsqueeze(1) for x in [query, key, value]]
    mapped = _in_projections(given, weights, in_proj_bias)
    length, batch = given[0].shape[0], given[0].shape[1]
    width = embed_dim_to_check // num_heads
    k, v = mapped[1], mapped[2]
    more = 0
    if bias_k is not None and bias_v is not None:
        k = torch.cat([k, bias_k.repeat([1, batch, 1])])
        v = torch.cat([v, bias_v.repeat([1, batch, 1])])
        more = more + 1
    if add_zero_attn:
        k = torch.cat([k, torch.zeros([1, batch, k.shape[2]], dtype=k.dtype)])
        v = torch.cat([v, torch.zeros([1, batch, v.shape[2]], dtype=v.dtype)])
        more = more + 1
    sources = k.shape[0]
    q = mapped[0].reshape([length, batch, num_heads, width]).permute([1, 2, 0, 3])
    k = k.reshape([sources, batch, num_heads, width]).permute([1, 2, 3, 0])
    v = v.reshape([sources, batch, num_heads, width]).permute([1, 2, 0, 3])
    scores = torch.matmul(q / math.sqrt(float(width)), k)
    if attn_mask is not None:
        mask = torch.constant_pad_nd(attn_mask, [0, more])
        if mask.dim() == 3:
            mask = mask.reshape([batch, num_heads, length, sources])
        scores = (
            scores.masked_fill(mask, float("-inf")) if mask.dtype == torch.bool else scores + mask
        )
    if key_padding_mask is not None:
        left_out = torch.constant_pad_nd(key_padding_mask, [0, more]).reshape(
            [batch, 1, 1, sources]
        )
        if left_out.dtype == torch.bool:
            scores = scores.masked_fill(left_out, float("-inf"))
        else:
            scores = scores + left_out
    shares = torch.ops.aten.dropout(torch.softmax(scores, -1), dropout_p, training)
    mixed = (
        torch.matmul(shares, v).permute([2, 0, 1, 3]).reshape([length, batch, embed_dim_to_check])
    )
    out = torch.ops.aten.linear(mixed, out_proj_weight, out_proj_bias)
    if not batched:
        out = out.squeeze(1)
    if not need_weights:
        return out, None
    if average_attn_weights:
        shares = shares.mean([1])
    return out, shares if batched else shares.squeeze(0)


def grouped_mm(
    mat_a: Tensor,
    mat_b: Tensor,
    *,
    offs: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    out_dtype: Optional[int] = None,
) -> Tensor:
    return torch.ops.aten._grouped_mm(mat_a, mat_b, offs, bias, out_dtype)
