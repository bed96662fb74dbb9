# pytorch#191821: a nested compile region reads the global of its first call.
from dataclasses import dataclass

import torch


@dataclass
class RegionInput:
    hidden: torch.Tensor


given = RegionInput(torch.tensor(0))


@torch.compiler.nested_compile_region
def region():
    return given.hidden + 1


def f(hidden):
    global given  # noqa: PLW0603
    for _ in range(2):
        given = RegionInput(hidden)
        hidden = region()
    return hidden
