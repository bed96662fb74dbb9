# torch.nn.functional: attention; see functional.py.
import math
from typing import List, Optional, Tuple

import torch
from torch import Tensor


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Optional[Tensor] = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Optional[float] = None,
    enable_gqa: bool = False,
) -> Tensor:
    return torch.ops.aten.scaled_dot_product_attention(
        query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
    )


# Queries, keys and values by one matrix on top of each other, or by one each.
def _in_projections(
    given: List[Tensor], weights: List[Tensor], bias: Optional[Tensor]
) -> List[Tensor]:
    out: List[Tensor] = []
    for i in range(3):
        if bias is None:
            out.append(torch.ops.aten.linear(given[i], weights[i], None))
        else:
            out.append(torch.ops.aten.linear(given[i], weights[i], bias.chunk(3)[i]))
    return out


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Optional[Tensor],
    in_proj_bias: Optional[Tensor],
    bias_k: Optional[Tensor],
    bias_v: Optional[Tensor],
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Optional[Tensor],
    training: bool = True,
    key_padding_mask: Optional[Tensor] = None,
    need_weights: bool = True,
    attn_mask: Optional[Tensor] = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Optional[Tensor] = None,
    k_proj_weight: Optional[Tensor] = None,
    v_proj_weight: Optional[Tensor] = None,
    static_k: Optional[Tensor] = None,
    static_v: Optional[Tensor] = None,
    average_attn_weights: bool = True,
) -> Tuple[Tensor, Optional[Tensor]]:
    batched = query.dim() == 3
    if static_k is not None or static_v is not None:
        raise NotImplementedError("multi_head_attention_forward with static keys and values")
    if query.dim() != key.dim() or key.dim() != value.dim() or not (batched or query.dim() == 2):
        raise RuntimeError(
            "multi_head_attention_forward takes queries, keys and values of three dims, or of two"
        )
    if query.shape[-1] != embed_dim_to_check or embed_dim_to_check % num_heads != 0:
        raise RuntimeError(
            f"queries of {query.shape[-1]} numbers for {num_heads} heads of {embed_dim_to_check} "
            "in all"
        )
    if (in_proj_weight is None) != use_separate_proj_weight:
        raise RuntimeError(
            "multi_head_attention_forward takes in_proj_weight or use_separate_proj_weight with "
            "three matrices"
        )
    weights: List[Tensor] = []
    if in_proj_weight is not None:
        weights = in_proj_weight.chunk(3)
    elif q_proj_weight is not None and k_proj_weight is not None and v_proj_weight is not None:
        weights = [q_proj_weight, k_proj_weight, v_proj_weight]
    else:
        raise RuntimeError(
            "use_separate_proj_weight takes q_proj_weight, k_proj_weight and v_proj_weight"
        )
    given = [x if batched else x.unsqueeze(1) for x in [query, key, value]]
    mapped = _in_projections(given, weights, in_proj_bias)
    length, batch = given[0].shape[0], given[0].shape[1]
    width = embed_dim_to_check // num_heads
    k, v = mapped[1], mapped[2]
    more = 0
    if bias_k is not None and bias_v is not None:
        k = torch.cat([k, bias_k.repeat([1, batch, 1])])
        v = torch.cat([v, bias_v.repeat([1, batch, 1])])
        more = more + 1
    if add_zero_attn:
        k = torch.cat([k, torch.zeros([1, batch, k.shape[2]], dtype=k.dtype)])
        v = torch.cat([v, torch.zeros([1, batch, v.shape[2]], dtype=v.dtype)])
        more = more + 1
    sources = k.shape[0]
    q = mapped[0].reshape([length, batch, num_heads, width]).permute([1, 2, 0, 3])
    k = k.reshape([sources, batch, num_heads, width]).permute([1, 2, 3, 0])
    v = v.reshape([sources, batch, num_heads, width]).permute([1, 2, 0, 3])
    scores = torch.matmul(q / math.sqrt(float(width)), k)
    if attn_mask is not None:
        mask = torch.constant_pad_nd(attn_mask, [0, more])
        if mask.dim() == 3:
            mask = mask.reshape([batch, num_heads, length, sources])
        scores = (
            scores.masked_fill(mask, float("-inf")) if mask.dtype == torch.bool else scores + mask
        )
    if key_padding_mask is not None:
        left_out = torch.constant_pad_nd(key_padding_mask, [0, more]).reshape(
            [batch, 1, 1, sources]
        )
        if left_out.dtype == torch.bool:
            scores = scores.masked_fill(left_out, float("-inf"))
        else:
            scores = scores + left_out
    shares = torch.ops.aten.dropout(torch.softmax(scores, -1), dropout_p, training)
    mixed = (
        torch.matmul(shares, v).permute([2, 0, 1, 3]).reshape([length, batch, embed_dim_to_check])
    )
    out = torch.ops.aten.linear(mixed, out_proj_weight, out_proj_bias)
    if not batched:
        out = out.squeeze(1)
    if not need_weights:
        return out, None
    if average_attn_weights:
        shares = shares.mean([1])
    return out, shares if batched else shares.squeeze(0)
