# pytorch#197489: a clone of a view keeps the view's offset in its memory.
# https://github.com/pytorch/pytorch/issues/197489
# Eager mode gives 0, the compiled function 1.
import torch


@torch.library.custom_op("storage_offset_repro::as_tensor", mutates_args=())
def storage_offset_as_tensor(x: torch.Tensor) -> torch.Tensor:
    return torch.tensor(x.storage_offset(), device=x.device, dtype=torch.int64)


@storage_offset_as_tensor.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty((), device=x.device, dtype=torch.int64)


def f(x):
    return storage_offset_as_tensor(x[1:].clone())
