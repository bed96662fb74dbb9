# torch.nn.functional: pools and what undoes them; see functional.py.
from typing import Final, List, Optional, Tuple, Union

import torch
from torch import Tensor
from torch._jit_internal import BroadcastingList1, BroadcastingList2, BroadcastingList3


# The op takes no stride by no items.
def _steps(stride: Optional[List[int]]) -> List[int]:
    return torch.jit.annotate(List[int], []) if stride is None else stride


def max_pool1d(
    input: Tensor,
    kernel_size: BroadcastingList1[int],
    stride: Optional[BroadcastingList1[int]] = None,
    padding: BroadcastingList1[int] = 0,
    dilation: BroadcastingList1[int] = 1,
    ceil_mode: bool = False,
    return_indices: Final[bool] = False,
) -> Union[Tensor, Tuple[Tensor, Tensor]]:
    return (
        max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
        if return_indices
        else torch.max_pool1d(input, kernel_size, _steps(stride), padding, dilation, ceil_mode)
    )


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList1[int],
    stride: Optional[BroadcastingList1[int]] = None,
    padding: BroadcastingList1[int] = 0,
    dilation: BroadcastingList1[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> Tuple[Tensor, Tensor]:
    return torch.ops.aten.max_pool1d_with_indices(
        input, kernel_size, _steps(stride), padding, dilation, ceil_mode
    )


def max_pool2d(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    stride: Optional[BroadcastingList2[int]] = None,
    padding: BroadcastingList2[int] = 0,
    dilation: BroadcastingList2[int] = 1,
    ceil_mode: bool = False,
    return_indices: Final[bool] = False,
) -> Union[Tensor, Tuple[Tensor, Tensor]]:
    return (
        max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
        if return_indices
        else torch.max_pool2d(input, kernel_size, _steps(stride), padding, dilation, ceil_mode)
    )


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    stride: Optional[BroadcastingList2[int]] = None,
    padding: BroadcastingList2[int] = 0,
    dilation: BroadcastingList2[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> Tuple[Tensor, Tensor]:
    return torch.ops.aten.max_pool2d_with_indices(
        input, kernel_size, _steps(stride), padding, dilation, ceil_mode
    )


def max_pool3d(
    input: Tensor,
    kernel_size: BroadcastingList3[int],
    stride: Optional[BroadcastingList3[int]] = None,
    padding: BroadcastingList3[int] = 0,
    dilation: BroadcastingList3[int] = 1,
    ceil_mode: bool = False,
    return_indices: Final[bool] = False,
) -> Union[Tensor, Tuple[Tensor, Tensor]]:
    return (
        max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
        if return_indices
        else torch.max_pool3d(input, kernel_size, _steps(stride), padding, dilation, ceil_mode)
    )


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList3[int],
    stride: Optional[BroadcastingList3[int]] = None,
    padding: BroadcastingList3[int] = 0,
    dilation: BroadcastingList3[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> Tuple[Tensor, Tensor]:
    return torch.ops.aten.max_pool3d_with_indices(
        input, kernel_size, _steps(stride), padding, dilation, ceil_mode
    )


def avg_pool1d(
    input: Tensor,
    kernel_size: BroadcastingList1[int],
    stride: Optional[BroadcastingList1[int]] = None,
    padding: BroadcastingList1[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    return torch.avg_pool1d(
        input, kernel_size, _steps(stride), padding, ceil_mode, count_include_pad
    )


def avg_pool2d(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    stride: Optional[BroadcastingList2[int]] = None,
    padding: BroadcastingList2[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Optional[int] = None,
) -> Tensor:
    return torch.avg_pool2d(
        input, kernel_size, _steps(stride), padding, ceil_mode, count_include_pad, divisor_override
    )


def avg_pool3d(
    input: Tensor,
    kernel_size: BroadcastingList3[int],
    stride: Optional[BroadcastingList3[int]] = None,
    padding: BroadcastingList3[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Optional[int] = None,
) -> Tensor:
    return torch.avg_pool3d(
        input, kernel_size, _steps(stride), padding, ceil_mode, count_include_pad, divisor_override
    )


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


def adaptive_max_pool1d(
    input: Tensor, output_size: BroadcastingList1[int], return_indices: Final[bool] = False
) -> Union[Tensor, Tuple[Tensor, Tensor]]:
    return (
        torch.ops.aten.adaptive_max_pool1d(input, output_size)
        if return_indices
        else torch.ops.aten.adaptive_max_pool1d(input, output_size)[0]
    )


def adaptive_max_pool2d(
    input: Tensor, output_size: BroadcastingList2[int], return_indices: Final[bool] = False
) -> Union[Tensor, Tuple[Tensor, Tensor]]:
    return (
        torch.ops.aten.adaptive_max_pool2d(input, output_size)
        if return_indices
        else torch.ops.aten.adaptive_max_pool2d(input, output_size)[0]
    )


def adaptive_max_pool3d(
    input: Tensor, output_size: BroadcastingList3[int], return_indices: Final[bool] = False
) -> Union[Tensor, Tuple[Tensor, Tensor]]:
    return (
        torch.ops.aten.adaptive_max_pool3d(input, output_size)
        if return_indices
        else torch.ops.aten.adaptive_max_pool3d(input, output_size)[0]
    )


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
