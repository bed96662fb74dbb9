# Attention. Keys and values have the width of queries; masks are bool (True is left out) or added to the scores.
import math
import torch
import torch.nn as nn
from torch import Tensor
from typing import Optional, Tuple


class NonDynamicallyQuantizableLinear(nn.Linear):
    pass


class MultiheadAttention(nn.Module):
    __constants__ = ["embed_dim", "num_heads", "head_dim", "dropout", "batch_first"]

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False,
                 kdim=None, vdim=None, batch_first=False, device=None, dtype=None):
        super().__init__()
        if add_bias_kv or add_zero_attn or kdim is not None or vdim is not None:
            raise ValueError("add_bias_kv, add_zero_attn, kdim and vdim are not supported")
        if embed_dim % num_heads != 0:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = float(dropout)
        self.batch_first = batch_first
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim, dtype=dtype))
        if bias:
            self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim, dtype=dtype))
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, dtype=dtype)
        nn.init.xavier_uniform_(self.in_proj_weight)
        if bias:
            nn.init.zeros_(self.out_proj.bias)

    def _heads(self, x):
        return x.reshape(x.size(0), x.size(1), self.num_heads, self.head_dim).transpose(1, 2)

    def _project(self, x, index: int):
        first = index * self.embed_dim
        last = first + self.embed_dim
        if self.in_proj_bias is not None:
            return torch.ops.aten.linear(x, self.in_proj_weight[first:last], self.in_proj_bias[first:last])
        return torch.ops.aten.linear(x, self.in_proj_weight[first:last], None)

    def forward(self, query, key, value, key_padding_mask: Optional[Tensor] = None, need_weights: bool = True,
                attn_mask: Optional[Tensor] = None,
                average_attn_weights: bool = True) -> Tuple[Tensor, Optional[Tensor]]:
        if not self.batch_first:
            query = query.transpose(0, 1)
            key = key.transpose(0, 1)
            value = value.transpose(0, 1)
        q = self._heads(self._project(query, 0)) * (1.0 / math.sqrt(float(self.head_dim)))
        k = self._heads(self._project(key, 1))
        v = self._heads(self._project(value, 2))
        scores = torch.matmul(q, k.transpose(-2, -1))
        if attn_mask is not None:
            mask = attn_mask
            if mask.dim() == 3:
                mask = mask.reshape(query.size(0), self.num_heads, mask.size(1), mask.size(2))
            if mask.dtype == torch.bool:
                scores = scores.masked_fill(mask, float("-inf"))
            else:
                scores = scores + mask
        if key_padding_mask is not None:
            padding = key_padding_mask.unsqueeze(1).unsqueeze(2)
            if padding.dtype == torch.bool:
                scores = scores.masked_fill(padding, float("-inf"))
            else:
                scores = scores + padding
        weights = torch.ops.aten.dropout(torch.softmax(scores, -1), self.dropout, self.training)
        mixed = torch.matmul(weights, v).transpose(1, 2)
        output = self.out_proj(mixed.reshape(query.size(0), query.size(1), self.embed_dim))
        if not self.batch_first:
            output = output.transpose(0, 1)
        if not need_weights:
            return output, None
        if average_attn_weights:
            weights = weights.mean(1)
        return output, weights


class TransformerEncoderLayer(nn.Module):
    __constants__ = ["batch_first", "norm_first", "use_gelu"]

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation="relu", layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, device=None, dtype=None):
        super().__init__()
        if activation != "relu" and activation != "gelu":
            raise ValueError("activation is 'relu' or 'gelu', given", activation)
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, dtype=dtype)
        self.linear1 = nn.Linear(d_model, dim_feedforward, dtype=dtype)
        self.dropout = nn.Dropout(dropout)
        self.linear2 = nn.Linear(dim_feedforward, d_model, dtype=dtype)
        self.norm_first = norm_first
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)
        self.use_gelu = activation == "gelu"

    def _attend(self, x, mask: Optional[Tensor], padding: Optional[Tensor]):
        output, weights = self.self_attn(x, x, x, key_padding_mask=padding, need_weights=False, attn_mask=mask)
        return self.dropout1(output)

    def _feed(self, x):
        hidden = self.linear1(x)
        if self.use_gelu:
            hidden = torch.ops.aten.gelu(hidden)
        else:
            hidden = torch.relu(hidden)
        return self.dropout2(self.linear2(self.dropout(hidden)))

    def forward(self, src, src_mask: Optional[Tensor] = None, src_key_padding_mask: Optional[Tensor] = None):
        if self.norm_first:
            x = src + self._attend(self.norm1(src), src_mask, src_key_padding_mask)
            return x + self._feed(self.norm2(x))
        x = self.norm1(src + self._attend(src, src_mask, src_key_padding_mask))
        return self.norm2(x + self._feed(x))
