# Attention. Masks are bool (True is left out) or added to the scores.
import copy
import math
from typing import Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class NonDynamicallyQuantizableLinear(nn.Linear):
    pass


class MultiheadAttention(nn.Module):
    __constants__ = [
        "embed_dim",
        "num_heads",
        "head_dim",
        "dropout",
        "batch_first",
        "separate",
        "add_zero_attn",
        "more",
    ]

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        kdim=None,
        vdim=None,
        batch_first=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        if embed_dim % num_heads != 0:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = float(dropout)
        self.batch_first = batch_first
        self.add_zero_attn = add_zero_attn
        self.more = int(add_bias_kv) + int(add_zero_attn)  # keys added to those given
        widths = [embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim]
        self.separate = widths != [embed_dim, embed_dim]
        if self.separate:
            self.q_proj_weight = nn.Parameter(torch.empty(embed_dim, embed_dim, dtype=dtype))
            self.k_proj_weight = nn.Parameter(torch.empty(embed_dim, widths[0], dtype=dtype))
            self.v_proj_weight = nn.Parameter(torch.empty(embed_dim, widths[1], dtype=dtype))
        else:
            self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim, dtype=dtype))
        if bias:
            self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim, dtype=dtype))
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = NonDynamicallyQuantizableLinear(
            embed_dim, embed_dim, bias=bias, dtype=dtype
        )
        maps = (
            [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
            if self.separate
            else [self.in_proj_weight]
        )
        for weight in maps:
            nn.init.xavier_uniform_(weight)
        if bias:
            nn.init.zeros_(self.out_proj.bias)
        if add_bias_kv:
            self.bias_k = nn.Parameter(torch.empty(1, 1, embed_dim, dtype=dtype))
            self.bias_v = nn.Parameter(torch.empty(1, 1, embed_dim, dtype=dtype))
            nn.init.xavier_normal_(self.bias_k)
            nn.init.xavier_normal_(self.bias_v)
        else:
            self.register_parameter("bias_k", None)
            self.register_parameter("bias_v", None)

    def _heads(self, x):
        return x.reshape(x.size(0), x.size(1), self.num_heads, self.head_dim).transpose(1, 2)

    def _project(self, x, index: int):
        first = index * self.embed_dim
        last = first + self.embed_dim
        if self.separate:
            weight = (
                self.q_proj_weight
                if index == 0
                else (self.k_proj_weight if index == 1 else self.v_proj_weight)
            )
        else:
            weight = self.in_proj_weight[first:last]
        if self.in_proj_bias is not None:
            return torch.ops.aten.linear(x, weight, self.in_proj_bias[first:last])
        return torch.ops.aten.linear(x, weight, None)

    # Keys or values with one that is learned and one of zeros behind them, as was asked for.
    def _with_more(self, x, learned: Optional[Tensor]):
        if learned is not None:
            x = torch.cat([x, learned.expand(x.size(0), 1, self.embed_dim)], 1)
        if self.add_zero_attn:
            x = torch.cat([x, torch.zeros([x.size(0), 1, self.embed_dim], dtype=x.dtype)], 1)
        return x

    def forward(
        self,
        query,
        key,
        value,
        key_padding_mask: Optional[Tensor] = None,
        need_weights: bool = True,
        attn_mask: Optional[Tensor] = None,
        average_attn_weights: bool = True,
    ) -> Tuple[Tensor, Optional[Tensor]]:
        batched = query.dim() == 3
        if not batched:  # a batch of one
            if query.dim() != 2:
                raise AssertionError(
                    "query should be unbatched 2D or batched 3D tensor but received "
                    f"{query.dim()}-D query tensor"
                )
            query, key, value = query.unsqueeze(0), key.unsqueeze(0), value.unsqueeze(0)
            if key_padding_mask is not None:
                key_padding_mask = key_padding_mask.unsqueeze(0)
        elif not self.batch_first:
            query = query.transpose(0, 1)
            key = key.transpose(0, 1)
            value = value.transpose(0, 1)
        q = self._heads(self._project(query, 0)) * (1.0 / math.sqrt(float(self.head_dim)))
        k = self._heads(self._with_more(self._project(key, 1), self.bias_k))
        v = self._heads(self._with_more(self._project(value, 2), self.bias_v))
        scores = torch.matmul(q, k.transpose(-2, -1))
        if attn_mask is not None:
            mask = attn_mask
            if self.more > 0:
                mask = torch.constant_pad_nd(mask, [0, self.more])
            if mask.dim() == 3:
                mask = mask.reshape(query.size(0), self.num_heads, mask.size(1), mask.size(2))
            if mask.dtype == torch.bool:
                scores = scores.masked_fill(mask, float("-inf"))
            else:
                scores = scores + mask
        if key_padding_mask is not None:
            padding = key_padding_mask.unsqueeze(1).unsqueeze(2)
            if self.more > 0:
                padding = torch.constant_pad_nd(padding, [0, self.more])
            if padding.dtype == torch.bool:
                scores = scores.masked_fill(padding, float("-inf"))
            else:
                scores = scores + padding
        weights = torch.ops.aten.dropout(torch.softmax(scores, -1), self.dropout, self.training)
        mixed = torch.matmul(weights, v).transpose(1, 2)
        output = self.out_proj(mixed.reshape(query.size(0), query.size(1), self.embed_dim))
        if not batched:
            output = output.squeeze(0)
        elif not self.batch_first:
            output = output.transpose(0, 1)
        if not need_weights:
            return output, None
        if average_attn_weights:
            weights = weights.mean(1)
        return output, weights if batched else weights.squeeze(0)


# What the layers of encoder and decoder share: attention of a sequence to itself, and two linear
# maps with an activation between them.
class _TransformerLayer(nn.Module):
    __constants__ = ["batch_first", "norm_first", "use_gelu"]

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        device=None,
        dtype=None,
        decoder=False,
    ):
        super().__init__()
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, batch_first=batch_first, dtype=dtype
        )
        if decoder:
            self.multihead_attn = MultiheadAttention(
                d_model, nhead, dropout=dropout, batch_first=batch_first, dtype=dtype
            )
        self.linear1 = nn.Linear(d_model, dim_feedforward, dtype=dtype)
        self.dropout = nn.Dropout(dropout)
        self.linear2 = nn.Linear(dim_feedforward, d_model, dtype=dtype)
        self.norm_first = norm_first
        self.norm1 = nn.LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)
        self.norm2 = nn.LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)
        if decoder:
            self.norm3 = nn.LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)
        if decoder:
            self.dropout3 = nn.Dropout(dropout)
        if activation == "gelu" or activation == F.gelu:
            self.use_gelu = True
        elif activation == "relu" or activation == F.relu or activation == torch.relu:
            self.use_gelu = False
        else:
            raise ValueError("activation is 'relu' or 'gelu', given", activation)

    def _attend(self, x, mask: Optional[Tensor], padding: Optional[Tensor]):
        output, weights = self.self_attn(
            x, x, x, key_padding_mask=padding, need_weights=False, attn_mask=mask
        )
        return self.dropout1(output)

    def _expand(self, x):
        hidden = self.linear1(x)
        if self.use_gelu:
            hidden = torch.ops.aten.gelu(hidden)
        else:
            hidden = torch.relu(hidden)
        return self.linear2(self.dropout(hidden))


class TransformerEncoderLayer(_TransformerLayer):
    def forward(
        self, src, src_mask: Optional[Tensor] = None, src_key_padding_mask: Optional[Tensor] = None
    ):
        if self.norm_first:
            x = src + self._attend(self.norm1(src), src_mask, src_key_padding_mask)
            return x + self.dropout2(self._expand(self.norm2(x)))
        x = self.norm1(src + self._attend(src, src_mask, src_key_padding_mask))
        return self.norm2(x + self.dropout2(self._expand(x)))


class TransformerDecoderLayer(_TransformerLayer):
    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        device=None,
        dtype=None,
    ):
        super().__init__(
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            device,
            dtype,
            decoder=True,
        )

    def _look_up(self, x, memory, mask: Optional[Tensor], padding: Optional[Tensor]):
        output, weights = self.multihead_attn(
            x, memory, memory, key_padding_mask=padding, need_weights=False, attn_mask=mask
        )
        return self.dropout2(output)

    def forward(
        self,
        tgt,
        memory,
        tgt_mask: Optional[Tensor] = None,
        memory_mask: Optional[Tensor] = None,
        tgt_key_padding_mask: Optional[Tensor] = None,
        memory_key_padding_mask: Optional[Tensor] = None,
    ):
        if self.norm_first:
            x = tgt + self._attend(self.norm1(tgt), tgt_mask, tgt_key_padding_mask)
            x = x + self._look_up(self.norm2(x), memory, memory_mask, memory_key_padding_mask)
            return x + self.dropout3(self._expand(self.norm3(x)))
        x = self.norm1(tgt + self._attend(tgt, tgt_mask, tgt_key_padding_mask))
        x = self.norm2(x + self._look_up(x, memory, memory_mask, memory_key_padding_mask))
        return self.norm3(x + self.dropout3(self._expand(x)))


class TransformerEncoder(nn.Module):
    __constants__ = ["num_layers"]

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True):
        super().__init__()
        self.layers = nn.ModuleList([copy.deepcopy(encoder_layer) for i in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self, src, mask: Optional[Tensor] = None, src_key_padding_mask: Optional[Tensor] = None
    ):
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, src_key_padding_mask=src_key_padding_mask)
        if self.norm is not None:
            output = self.norm(output)
        return output


class TransformerDecoder(nn.Module):
    __constants__ = ["num_layers"]

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = nn.ModuleList([copy.deepcopy(decoder_layer) for i in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt,
        memory,
        tgt_mask: Optional[Tensor] = None,
        memory_mask: Optional[Tensor] = None,
        tgt_key_padding_mask: Optional[Tensor] = None,
        memory_key_padding_mask: Optional[Tensor] = None,
    ):
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
            )
        if self.norm is not None:
            output = self.norm(output)
        return output


class Transformer(nn.Module):
    __constants__ = ["d_model", "nhead", "batch_first"]

    def __init__(
        self,
        d_model=512,
        nhead=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        custom_encoder=None,
        custom_decoder=None,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            layer = TransformerEncoderLayer(
                d_model,
                nhead,
                dim_feedforward,
                dropout,
                activation,
                layer_norm_eps,
                batch_first,
                norm_first,
                dtype=dtype,
            )
            self.encoder = TransformerEncoder(
                layer, num_encoder_layers, nn.LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)
            )
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            layer = TransformerDecoderLayer(
                d_model,
                nhead,
                dim_feedforward,
                dropout,
                activation,
                layer_norm_eps,
                batch_first,
                norm_first,
                dtype=dtype,
            )
            self.decoder = TransformerDecoder(
                layer, num_decoder_layers, nn.LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)
            )
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src,
        tgt,
        src_mask: Optional[Tensor] = None,
        tgt_mask: Optional[Tensor] = None,
        memory_mask: Optional[Tensor] = None,
        src_key_padding_mask: Optional[Tensor] = None,
        tgt_key_padding_mask: Optional[Tensor] = None,
        memory_key_padding_mask: Optional[Tensor] = None,
    ):
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
        )
