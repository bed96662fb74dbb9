# torch.nn.functional: functions that are no single op, by ops. Ours where the formula of a call (engine/front/
# functional.cpp) takes none of the arguments: softmax without a dim, kl_div with 'batchmean'.
import math
from typing import List, Optional

import torch
from torch import Tensor
from torch._jit_internal import BroadcastingList1, BroadcastingList2


def _implied_dim(dims: int) -> int:
    return 0 if dims == 0 or dims == 1 or dims == 3 else 1


def softmax(input: Tensor, dim: Optional[int] = None, _stacklevel: int = 3, dtype: Optional[int] = None) -> Tensor:
    return torch.softmax(input, _implied_dim(input.dim()) if dim is None else dim, dtype)


def log_softmax(input: Tensor, dim: Optional[int] = None, _stacklevel: int = 3, dtype: Optional[int] = None) -> Tensor:
    return torch.log_softmax(input, _implied_dim(input.dim()) if dim is None else dim, dtype)


def softmin(input: Tensor, dim: Optional[int] = None, _stacklevel: int = 3, dtype: Optional[int] = None) -> Tensor:
    return torch.softmax(-input, _implied_dim(input.dim()) if dim is None else dim, dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1.0, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    uniform = torch.rand_like(logits).clamp(1e-20, 1.0 - 1e-7)
    soft = torch.softmax((logits - torch.log(-torch.log(uniform))) / tau, dim)
    if not hard:
        return soft
    best = soft.argmax(dim, keepdim=True)
    chosen = torch.zeros_like(logits).scatter(dim, best, 1.0)
    return chosen - soft.detach() + soft


def tanhshrink(input: Tensor) -> Tensor:
    return input - input.tanh()


def softsign(input: Tensor) -> Tensor:
    return input / (input.abs() + 1)


def rrelu(input: Tensor, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = False) -> Tensor:
    if training:
        slope = torch.rand_like(input) * (upper - lower) + lower
        return torch.where(input >= 0, input, input * slope)
    return torch.where(input >= 0, input, input * ((lower + upper) / 2))


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    length = input.norm(p, [dim], True)
    return input / length.clamp_min(eps).expand_as(input)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Optional[Tensor] = None) -> Tensor:
    left = input1.unsqueeze(-2).unsqueeze(-2).matmul(weight).squeeze(-2)
    out = (left * input2.unsqueeze(-2)).sum([-1])
    return out if bias is None else out + bias


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    squares = torch.constant_pad_nd((input * input).unsqueeze(1).flatten(3), [0, 0, size // 2, (size - 1) // 2])
    means = torch.avg_pool2d(squares, [size, 1], [1, 1]).squeeze(1).view_as(input)
    return input / (means * alpha + k).pow(beta)


def lp_pool1d(input: Tensor, norm_type: float, kernel_size: int, stride: Optional[int] = None,
              ceil_mode: bool = False) -> Tensor:
    step = kernel_size if stride is None else stride
    means = torch.avg_pool1d(input.pow(norm_type), [kernel_size], [step], [0], ceil_mode)
    return (means.sign() * means.abs().relu() * kernel_size).pow(1.0 / norm_type)


def lp_pool2d(input: Tensor, norm_type: float, kernel_size: BroadcastingList2[int],
              stride: Optional[BroadcastingList2[int]] = None, ceil_mode: bool = False) -> Tensor:
    step = kernel_size if stride is None else stride
    means = torch.avg_pool2d(input.pow(norm_type), kernel_size, step, [0, 0], ceil_mode)
    return (means.sign() * means.abs().relu() * (kernel_size[0] * kernel_size[1])).pow(1.0 / norm_type)


# The sum of columns back into their places: what unfold took apart, overlaps added up.
def fold(input: Tensor, output_size: BroadcastingList2[int], kernel_size: BroadcastingList2[int],
         dilation: BroadcastingList2[int] = 1, padding: BroadcastingList2[int] = 0,
         stride: BroadcastingList2[int] = 1) -> Tensor:
    x = input if input.dim() == 3 else input.unsqueeze(0)
    kh, kw = kernel_size[0], kernel_size[1]
    high, wide = output_size[0] + 2 * padding[0], output_size[1] + 2 * padding[1]
    rows = (high - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    cols = (wide - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    n, c, count = x.shape
    if c % (kh * kw) != 0 or count != rows * cols:
        raise RuntimeError(f"fold: {c} rows and {count} columns are no blocks of {kh} by {kw} at {rows} by {cols} places")
    parts = x.reshape(n, c // (kh * kw), kh, kw, rows, cols)
    out = x.new_zeros([n, c // (kh * kw), high, wide])
    for i in range(kh):
        for j in range(kw):
            top, left = i * dilation[0], j * dilation[1]
            out[:, :, top:top + (rows - 1) * stride[0] + 1:stride[0],
                left:left + (cols - 1) * stride[1] + 1:stride[1]] += parts[:, :, i, j]
    inner = out[:, :, padding[0]:padding[0] + output_size[0], padding[1]:padding[1] + output_size[1]].contiguous()
    return inner if input.dim() == 3 else inner.squeeze(0)


def conv_transpose1d(input: Tensor, weight: Tensor, bias: Optional[Tensor] = None, stride: BroadcastingList1[int] = 1,
                     padding: BroadcastingList1[int] = 0, output_padding: BroadcastingList1[int] = 0, groups: int = 1,
                     dilation: BroadcastingList1[int] = 1) -> Tensor:
    out = conv_transpose2d(input.unsqueeze(-2), weight.unsqueeze(-2), bias, [1, stride[0]], [0, padding[0]],
                           [0, output_padding[0]], groups, [1, dilation[0]])
    return out.squeeze(-2)


def conv_transpose2d(input: Tensor, weight: Tensor, bias: Optional[Tensor] = None, stride: BroadcastingList2[int] = 1,
                     padding: BroadcastingList2[int] = 0, output_padding: BroadcastingList2[int] = 0, groups: int = 1,
                     dilation: BroadcastingList2[int] = 1) -> Tensor:
    if input.dim() == 3:
        return conv_transpose2d_batched(input.unsqueeze(0), weight, bias, stride, padding, output_padding, groups,
                                        dilation).squeeze(0)
    return conv_transpose2d_batched(input, weight, bias, stride, padding, output_padding, groups, dilation)


# A convolution of the input with zeros between its items, by the weights turned around.
def conv_transpose2d_batched(input: Tensor, weight: Tensor, bias: Optional[Tensor], stride: List[int],
                             padding: List[int], output_padding: List[int], groups: int, dilation: List[int]) -> Tensor:
    n, c, h, w = input.shape
    spread = input.new_zeros([n, c, (h - 1) * stride[0] + 1, (w - 1) * stride[1] + 1])
    spread[:, :, ::stride[0], ::stride[1]] = input
    top = dilation[0] * (weight.shape[2] - 1) - padding[0]
    left = dilation[1] * (weight.shape[3] - 1) - padding[1]
    framed = torch.constant_pad_nd(spread, [left, left + output_padding[1], top, top + output_padding[0]])
    parts = weight.flip([2, 3]).reshape(groups, c // groups, weight.shape[1], weight.shape[2], weight.shape[3])
    kernel = parts.transpose(1, 2).reshape(groups * weight.shape[1], c // groups, weight.shape[2], weight.shape[3])
    return torch.conv2d(framed, kernel, bias, [1, 1], [0, 0], dilation, groups)


# Where each place of a line of `size` items, made of `old` ones, lies in the old line; `scale`: new / old, 0: by sizes.
def _places(old: int, size: int, scale: float, corners: bool, centred: bool) -> Tensor:
    at = torch.arange(size, dtype=torch.float32)
    if corners:
        return at * ((old - 1) / (size - 1) if size > 1 else 0.0)
    step = 1.0 / scale if scale > 0.0 else old / size
    if centred:
        return ((at + 0.5) * step - 0.5).clamp_min(0.0)
    return at * step


def _resized(input: Tensor, dim: int, size: int, scale: float, linear: bool, corners: bool) -> Tensor:
    old = input.shape[dim]
    places = _places(old, size, scale, corners, linear)
    low = places.floor().clamp(0.0, float(old - 1))
    first = input.index_select(dim, low.to(torch.int64))
    if not linear:
        return first
    second = input.index_select(dim, (low + 1.0).clamp(0.0, float(old - 1)).to(torch.int64))
    shape = [1] * input.dim()
    shape[dim] = size
    share = (places - low).to(input.dtype).reshape(shape)
    return first * (1 - share) + second * share


def interpolate(input: Tensor, size: Optional[BroadcastingList1[int]] = None,
                scale_factor: Optional[BroadcastingList1[float]] = None, mode: str = "nearest",
                align_corners: Optional[bool] = None, recompute_scale_factor: Optional[bool] = None,
                antialias: bool = False) -> Tensor:
    dims = input.dim() - 2
    linear = (mode == "linear" and dims == 1) or (mode == "bilinear" and dims == 2) or (mode == "trilinear" and dims == 3)
    if not linear and mode != "nearest" and not (mode == "area" and (dims == 1 or dims == 2)):
        raise NotImplementedError(f"interpolate of {dims} dims by mode '{mode}'; there are 'nearest', 'area' of one and "
                                  "two dims, 'linear' of one, 'bilinear' of two and 'trilinear' of three")
    if antialias:
        raise NotImplementedError("interpolate with antialias")
    if align_corners is not None and not linear:
        raise ValueError("align_corners goes with the modes linear, bilinear and trilinear")
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
        return torch.adaptive_avg_pool1d(input, sizes) if dims == 1 else torch.adaptive_avg_pool2d(input, sizes)
    by_sizes = recompute_scale_factor is not None and recompute_scale_factor
    corners = align_corners is not None and align_corners
    for i in range(dims):
        input = _resized(input, i + 2, sizes[i], 0.0 if by_sizes else scales[i], linear, corners)
    return input


def upsample(input: Tensor, size: Optional[BroadcastingList1[int]] = None,
             scale_factor: Optional[BroadcastingList1[float]] = None, mode: str = "nearest",
             align_corners: Optional[bool] = None) -> Tensor:
    return interpolate(input, size, scale_factor, mode, align_corners)


def _reduced(loss: Tensor, reduction: str) -> Tensor:
    if reduction == "none":
        return loss
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    raise ValueError(f"the reduction of a loss is 'none', 'mean' or 'sum', given '{reduction}'")


def kl_div(input: Tensor, target: Tensor, size_average: Optional[bool] = None, reduce: Optional[bool] = None,
           reduction: str = "mean", log_target: bool = False) -> Tensor:
    terms = torch.kl_div(input, target, 0, log_target=log_target)
    if reduction == "batchmean":
        return terms.sum() / input.shape[0]
    return _reduced(terms, reduction)


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool = True, full: bool = False,
                     size_average: Optional[bool] = None, eps: float = 1e-8, reduce: Optional[bool] = None,
                     reduction: str = "mean") -> Tensor:
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return _reduced(loss, reduction)


def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor, full: bool = False, eps: float = 1e-6,
                      reduction: str = "mean") -> Tensor:
    spread = var.clamp_min(eps)
    loss = 0.5 * (spread.log() + (input - target).pow(2) / spread)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return _reduced(loss, reduction)


def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0,
                        size_average: Optional[bool] = None, reduce: Optional[bool] = None,
                        reduction: str = "mean") -> Tensor:
    return _reduced((-target * (input1 - input2) + margin).clamp_min(0), reduction)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, size_average: Optional[bool] = None,
                         reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
    far = torch.where(target != 1, (margin - input).clamp_min(0), torch.zeros_like(input))
    near = torch.where(target != -1, input, torch.zeros_like(input))
    return _reduced(far + near, reduction)


def soft_margin_loss(input: Tensor, target: Tensor, size_average: Optional[bool] = None, reduce: Optional[bool] = None,
                     reduction: str = "mean") -> Tensor:
    return _reduced((-target * input).exp().log1p(), reduction)


def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2.0,
                        eps: float = 1e-6, swap: bool = False, size_average: Optional[bool] = None,
                        reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
    near = torch.pairwise_distance(anchor, positive, p, eps)
    far = torch.pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = torch.minimum(far, torch.pairwise_distance(positive, negative, p, eps))
    return _reduced((margin + near - far).clamp_min(0), reduction)


def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0,
                          size_average: Optional[bool] = None, reduce: Optional[bool] = None,
                          reduction: str = "mean") -> Tensor:
    products = (input1 * input2).sum([-1])
    lengths = ((input1 * input1).sum([-1]) + 1e-12) * ((input2 * input2).sum([-1]) + 1e-12)
    cosine = products / lengths.sqrt()
    far = (cosine - margin).clamp_min(0)
    zero = torch.zeros_like(cosine)
    return _reduced(torch.where(target == 1, 1 - cosine, zero) + torch.where(target == -1, far, zero), reduction)


def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Optional[Tensor] = None,
                                size_average: Optional[bool] = None, reduce: Optional[bool] = None,
                                reduction: str = "mean") -> Tensor:
    terms = -(target * torch.log_sigmoid(input) + (1 - target) * torch.log_sigmoid(-input))
    if weight is not None:
        terms = terms * weight
    return _reduced(terms.mean([-1]), reduction)


def multi_margin_loss(input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Optional[Tensor] = None,
                      size_average: Optional[bool] = None, reduce: Optional[bool] = None,
                      reduction: str = "mean") -> Tensor:
    x = input if input.dim() == 2 else input.unsqueeze(0)
    y = target.reshape(-1, 1)
    terms = (margin - x.gather(1, y) + x).clamp_min(0)
    if p == 2:
        terms = terms * terms
    if weight is not None:
        terms = terms * weight.index_select(0, y.flatten()).unsqueeze(1)
    loss = terms.scatter(1, y, 0.0).sum([1]) / x.shape[1]
    return _reduced(loss if input.dim() == 2 else loss[0], reduction)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False) -> Tensor:
    if training and p > 0.0:
        raise NotImplementedError("alpha_dropout in training")
    return input


# The items of cell i of `cells` begin at i * old // cells and end in front of -(-(i + 1) * old // cells).
def adaptive_max_pool1d(input: Tensor, output_size: BroadcastingList1[int]) -> Tensor:
    cells, old = output_size[0], input.shape[-1]
    parts = [input.narrow(-1, i * old // cells, -(-(i + 1) * old // cells) - i * old // cells).amax([-1])
             for i in range(cells)]
    return torch.stack(parts, -1)


def adaptive_max_pool2d(input: Tensor, output_size: BroadcastingList2[int]) -> Tensor:
    rows = adaptive_max_pool1d(input.transpose(-1, -2), [output_size[0]]).transpose(-1, -2)
    return adaptive_max_pool1d(rows, [output_size[1]])
