# Embedding: rows of a table by their numbers; EmbeddingBag: sums, means and maxima of such rows.
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Embedding(nn.Module):
    __constants__ = [
        "num_embeddings",
        "embedding_dim",
        "padding_idx",
        "padding_row",
        "max_norm",
        "norm_type",
    ]

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = None if max_norm is None else float(max_norm)
        self.norm_type = float(norm_type)
        self.padding_row = -1
        if padding_idx is not None:
            self.padding_row = padding_idx if padding_idx >= 0 else num_embeddings + padding_idx
        self.padding_idx = padding_idx
        self.weight = nn.Parameter(torch.empty(num_embeddings, embedding_dim, dtype=dtype))
        self.weight.normal_()
        if padding_idx is not None:
            self.weight[self.padding_row] = 0

    @staticmethod
    def from_pretrained(
        embeddings,
        freeze=True,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        sparse=False,
    ):
        embedding = Embedding(
            embeddings.size(0),
            embeddings.size(1),
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
        )
        embedding.weight = nn.Parameter(embeddings, requires_grad=not freeze)
        return embedding

    def forward(self, input):
        if self.max_norm is not None:
            with torch.no_grad():
                torch.embedding_renorm_(self.weight, input, self.max_norm, self.norm_type)
        return torch.ops.aten.embedding(self.weight, input, self.padding_row, False, False)


class EmbeddingBag(nn.Module):
    __constants__ = [
        "num_embeddings",
        "embedding_dim",
        "mode",
        "include_last_offset",
        "padding_idx",
    ]

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        max_norm=None,
        norm_type=2.0,
        scale_grad_by_freq=False,
        mode="mean",
        sparse=False,
        _weight=None,
        include_last_offset=False,
        padding_idx=None,
        device=None,
        dtype=None,
    ):
        super().__init__()
        if max_norm is not None:
            raise ValueError("max_norm is not supported")
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.mode = mode
        self.include_last_offset = include_last_offset
        self.padding_idx = padding_idx
        self.weight = nn.Parameter(torch.empty(num_embeddings, embedding_dim, dtype=dtype))
        self.weight.normal_()
        if padding_idx is not None:
            self.weight[padding_idx] = 0

    def forward(
        self, input, offsets: Optional[Tensor] = None, per_sample_weights: Optional[Tensor] = None
    ):
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            None,
            2.0,
            False,
            self.mode,
            False,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )
