"""Attention of queries to keys, written out: two products around a softmax of scaled scores."""
import torch
from torch import Tensor


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = torch.matmul(q, k.transpose(-2, -1)) * 0.125
    return torch.matmul(torch.softmax(scores, -1), v)
