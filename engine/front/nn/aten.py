# Operators of ATen that are text of the library, with ATen's parameters: what serialised code calls by torch.NAME.
# An overload stands behind two underscores: eye__m is aten::eye.m. Some only load: code of PyTorch's own library names
# them in branches that others take.
from typing import List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor


def __word(reduction: int) -> str:
    return "none" if reduction == 0 else "mean" if reduction == 1 else "sum"


def eye(n: int, *, dtype: Optional[int] = None, layout: Optional[int] = None, device: Optional[torch.device] = None,
        pin_memory: Optional[bool] = None) -> Tensor:
    return torch.eye(n, None, dtype)


def eye__m(n: int, m: int, *, dtype: Optional[int] = None, layout: Optional[int] = None,
           device: Optional[torch.device] = None, pin_memory: Optional[bool] = None) -> Tensor:
    return torch.eye(n, m, dtype)


def linspace(start: float, end: float, steps: int, *, dtype: Optional[int] = None, layout: Optional[int] = None,
             device: Optional[torch.device] = None, pin_memory: Optional[bool] = None) -> Tensor:
    return torch.linspace(start, end, steps, dtype)


def nonzero(self: Tensor) -> Tensor:
    return torch.nonzero(self)


def equal(self: Tensor, other: Tensor) -> bool:
    return torch.equal(self, other)


def allclose(self: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    return torch.allclose(self, other, rtol, atol, equal_nan)


def cumprod(self: Tensor, dim: int, *, dtype: Optional[int] = None) -> Tensor:
    return torch.cumprod(self, dim, dtype)


def diag(self: Tensor, diagonal: int = 0) -> Tensor:
    if diagonal != 0:
        raise NotImplementedError("diag of another diagonal than the main one")
    return torch.diag(self)


def trace(self: Tensor) -> Tensor:
    return torch.trace(self)


def vstack(tensors: List[Tensor]) -> Tensor:
    return torch.vstack(tensors)


def hstack(tensors: List[Tensor]) -> Tensor:
    return torch.hstack(tensors)


def tile(self: Tensor, dims: List[int]) -> Tensor:
    return torch.tile(self, dims)


def count_nonzero(self: Tensor, dim: Optional[int] = None) -> Tensor:
    return torch.count_nonzero(self) if dim is None else (self != 0).sum([dim])


def count_nonzero__dim_IntList(self: Tensor, dim: List[int]) -> Tensor:
    return (self != 0).sum(dim)


def bincount(self: Tensor, weights: Optional[Tensor] = None, minlength: int = 0) -> Tensor:
    return torch.bincount(self, weights, minlength)


def repeat_interleave__self_int(self: Tensor, repeats: int, dim: Optional[int] = None, *,
                                output_size: Optional[int] = None) -> Tensor:
    return torch.repeat_interleave(self, repeats, dim)


def median(self: Tensor) -> Tensor:
    return torch.median(self)


def median__dim(self: Tensor, dim: int, keepdim: bool = False) -> Tuple[Tensor, Tensor]:
    values, places = self.sort(dim)
    middle = (self.shape[dim] - 1) // 2
    value, place = values.select(dim, middle), places.select(dim, middle)
    if keepdim:
        return value.unsqueeze(dim), place.unsqueeze(dim)
    return value, place


def channel_shuffle(self: Tensor, groups: int) -> Tensor:
    return torch.channel_shuffle(self, groups)


def is_nonzero(self: Tensor) -> bool:
    return torch.is_nonzero(self)


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: Optional[int] = None) -> Tensor:
    return torch.cdist(x1, x2, p)


def rrelu(self: Tensor, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = False) -> Tensor:
    return F.rrelu(self, lower, upper, training)


def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    return F.alpha_dropout(input, p, train)


def rrelu_(self: Tensor, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = False) -> Tensor:
    return self.copy_(F.rrelu(self, lower, upper, training))


def alpha_dropout_(self: Tensor, p: float, train: bool) -> Tensor:
    return self.copy_(F.alpha_dropout(self, p, train))


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    return F.cosine_similarity(x1, x2, dim, eps)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    return F.pairwise_distance(x1, x2, p, eps, keepdim)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Optional[Tensor] = None) -> Tensor:
    return F.bilinear(input1, input2, weight, bias)


def pixel_shuffle(self: Tensor, upscale_factor: int) -> Tensor:
    return F.pixel_shuffle(self, upscale_factor)


def pixel_unshuffle(self: Tensor, downscale_factor: int) -> Tensor:
    return F.pixel_unshuffle(self, downscale_factor)


def col2im(self: Tensor, output_size: List[int], kernel_size: List[int], dilation: List[int], padding: List[int],
           stride: List[int]) -> Tensor:
    return F.fold(self, output_size, kernel_size, dilation, padding, stride)


def conv_transpose1d(input: Tensor, weight: Tensor, bias: Optional[Tensor] = None, stride: BroadcastingList1[int] = 1,
                     padding: BroadcastingList1[int] = 0, output_padding: BroadcastingList1[int] = 0, groups: int = 1,
                     dilation: BroadcastingList1[int] = 1) -> Tensor:
    return F.conv_transpose1d(input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d__input(input: Tensor, weight: Tensor, bias: Optional[Tensor] = None,
                            stride: BroadcastingList2[int] = 1, padding: BroadcastingList2[int] = 0,
                            output_padding: BroadcastingList2[int] = 0, groups: int = 1,
                            dilation: BroadcastingList2[int] = 1) -> Tensor:
    return F.conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation)


def upsample_nearest1d__vec(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
    return F.interpolate(input, output_size, scale_factors)


def upsample_nearest2d__vec(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
    return F.interpolate(input, output_size, scale_factors)


def upsample_nearest3d__vec(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
    return F.interpolate(input, output_size, scale_factors)


def upsample_linear1d__vec(input: Tensor, output_size: Optional[List[int]], align_corners: bool,
                           scale_factors: Optional[List[float]]) -> Tensor:
    return F.interpolate(input, output_size, scale_factors, "linear", align_corners)


def upsample_bilinear2d__vec(input: Tensor, output_size: Optional[List[int]], align_corners: bool,
                             scale_factors: Optional[List[float]]) -> Tensor:
    return F.interpolate(input, output_size, scale_factors, "bilinear", align_corners)


def upsample_trilinear3d__vec(input: Tensor, output_size: Optional[List[int]], align_corners: bool,
                              scale_factors: Optional[List[float]]) -> Tensor:
    return F.interpolate(input, output_size, scale_factors, "trilinear", align_corners)


def _upsample_nearest_exact1d__vec(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
    raise NotImplementedError("_upsample_nearest_exact1d")


def _upsample_nearest_exact2d__vec(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
    raise NotImplementedError("_upsample_nearest_exact2d")


def _upsample_nearest_exact3d__vec(input: Tensor, output_size: Optional[List[int]], scale_factors: Optional[List[float]]) -> Tensor:
    raise NotImplementedError("_upsample_nearest_exact3d")


def upsample_bicubic2d__vec(input: Tensor, output_size: Optional[List[int]], align_corners: bool,
                            scale_factors: Optional[List[float]]) -> Tensor:
    raise NotImplementedError("upsample_bicubic2d")


def _upsample_bilinear2d_aa__vec(input: Tensor, output_size: Optional[List[int]], align_corners: bool,
                                 scale_factors: Optional[List[float]]) -> Tensor:
    raise NotImplementedError("_upsample_bilinear2d_aa")


def _upsample_bicubic2d_aa__vec(input: Tensor, output_size: Optional[List[int]], align_corners: bool,
                                scale_factors: Optional[List[float]]) -> Tensor:
    raise NotImplementedError("_upsample_bicubic2d_aa")


def adaptive_max_pool1d(self: Tensor, output_size: BroadcastingList1[int]) -> Tuple[Tensor, Tensor]:
    cells, old = output_size[0], self.shape[-1]
    values: List[Tensor] = []
    places: List[Tensor] = []
    for i in range(cells):
        first = i * old // cells
        value, place = self.narrow(-1, first, -(-(i + 1) * old // cells) - first).max(-1)
        values.append(value)
        places.append(place + first)
    return torch.stack(values, -1), torch.stack(places, -1)


def adaptive_max_pool2d(self: Tensor, output_size: BroadcastingList2[int]) -> Tuple[Tensor, Tensor]:
    columns, across = adaptive_max_pool1d(self, [output_size[1]])
    values, rows = adaptive_max_pool1d(columns.transpose(-1, -2), [output_size[0]])
    rows = rows.transpose(-1, -2)
    return values.transpose(-1, -2), rows * self.shape[-1] + across.gather(-2, rows)


def __averaged(input: Tensor, dim: int, cells: int) -> Tensor:
    old = input.shape[dim]
    parts = [input.narrow(dim, i * old // cells, -(-(i + 1) * old // cells) - i * old // cells).mean([dim])
             for i in range(cells)]
    return torch.stack(parts, dim)


def adaptive_avg_pool3d(self: Tensor, output_size: BroadcastingList3[int]) -> Tensor:
    return __averaged(__averaged(__averaged(self, -3, output_size[0]), -2, output_size[1]), -1, output_size[2])


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    return F.poisson_nll_loss(input, target, log_input, full, None, eps, None, __word(reduction))


def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 1) -> Tensor:
    return F.margin_ranking_loss(input1, input2, target, margin, None, None, __word(reduction))


def hinge_embedding_loss(self: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 1) -> Tensor:
    return F.hinge_embedding_loss(self, target, margin, None, None, __word(reduction))


def soft_margin_loss(self: Tensor, target: Tensor, reduction: int = 1) -> Tensor:
    return F.soft_margin_loss(self, target, None, None, __word(reduction))


def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2.0,
                        eps: float = 1e-6, swap: bool = False, reduction: int = 1) -> Tensor:
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, None, None, __word(reduction))


def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0,
                          reduction: int = 1) -> Tensor:
    return F.cosine_embedding_loss(input1, input2, target, margin, None, None, __word(reduction))


def multi_margin_loss(self: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Optional[Tensor] = None,
                      reduction: int = 1) -> Tensor:
    return F.multi_margin_loss(self, target, p, margin, weight, None, None, __word(reduction))
