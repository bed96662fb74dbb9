# torch.nn.utils.rnn: batches of sequences of different lengths.
from typing import List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor


class PackedSequence(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Optional[Tensor] = None
    unsorted_indices: Optional[Tensor] = None


def invert_permutation(permutation: Optional[Tensor]) -> Optional[Tensor]:
    if permutation is None:
        return None
    return torch.empty_like(permutation).scatter(0, permutation, torch.arange(permutation.numel()))


def pack_padded_sequence(
    input: Tensor, lengths: Tensor, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    counts = lengths.to(torch.int64)
    if enforce_sorted:
        data, sizes = torch._pack_padded_sequence(input, counts, batch_first)
        return PackedSequence(data, sizes, None, None)
    ordered, order = torch.sort(counts, -1, True)
    data, sizes = torch._pack_padded_sequence(
        input.index_select(0 if batch_first else 1, order), ordered, batch_first
    )
    return PackedSequence(data, sizes, order, invert_permutation(order))


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: Optional[int] = None,
) -> Tuple[Tensor, Tensor]:
    steps = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < steps:
            raise ValueError(
                f"pad_packed_sequence to {total_length} steps, but the longest sequence has {steps}"
            )
        steps = total_length
    padded, lengths = torch._pad_packed_sequence(
        sequence.data, sequence.batch_sizes, batch_first, padding_value, steps
    )
    order = sequence.unsorted_indices
    if order is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, order), lengths.index_select(0, order)


def pad_sequence(
    sequences: List[Tensor], batch_first: bool = False, padding_value: float = 0.0
) -> Tensor:
    return torch.ops.aten.pad_sequence(sequences, batch_first, padding_value)


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> List[Tensor]:
    lines = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [lines[i][: int(lengths[i])] for i in range(lines.size(0))]


def pack_sequence(sequences: List[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    lengths = torch.tensor([s.size(0) for s in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, False, enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> List[Tensor]:
    padded, lengths = pad_packed_sequence(packed_sequences, True)
    return unpad_sequence(padded, lengths, True)
