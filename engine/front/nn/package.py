# Functions of the package torch itself that are Python's, not ops, or are found before an op of
# their name.
from typing import Optional

import torch
from torch import Tensor


def _assert(condition: bool, message: str):
    assert condition, message


def stft(
    input: Tensor,
    n_fft: int,
    hop_length: Optional[int] = None,
    win_length: Optional[int] = None,
    window: Optional[Tensor] = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: Optional[bool] = None,
    return_complex: Optional[bool] = None,
) -> Tensor:
    signal = input
    if center:
        shape = [1] * (3 - input.dim()) + list(input.size())
        wide = torch.ops.aten.pad(input.view(shape), [n_fft // 2, n_fft // 2], pad_mode)
        signal = wide.view(wide.size()[-input.dim() :])
    return torch.ops.aten.stft(
        signal, n_fft, hop_length, win_length, window, normalized, onesided, return_complex
    )
