# torch.nn.functional: images of other sizes, and along grids; see functional.py.
import math
from typing import List, Optional

import torch
from torch import Tensor
from torch._jit_internal import BroadcastingList1


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
