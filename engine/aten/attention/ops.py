# Scaled dot products of queries and keys. Rows that a mask hides whole are zeros, as PyTorch's are.

prim::attention_scores(Tensor scores, Tensor? attn_mask, bool is_causal) -> Tensor
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError("attention is causal or takes a mask, not both")
        seen = torch.ones([scores.shape[-2], scores.shape[-1]], dtype=torch.bool).tril()
        return scores.masked_fill(~seen, -float("inf"))
    if attn_mask is None:
        return scores
    if attn_mask.dtype == torch.bool:
        return scores.masked_fill(~attn_mask, -float("inf"))
    return scores + attn_mask

aten::_scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None,
                                    float dropout_p=0., bool need_attn_weights=False,
                                    bool is_causal=False) -> (Tensor, Tensor)
    random if dropout_p > 0 and dropout_p < 1
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(float(query.shape[-1]))
    weights = torch.softmax(torch.ops.prim.attention_scores(scores, attn_mask, is_causal), -1)
    kept = torch.ops.aten.dropout(weights, dropout_p, True) if dropout_p > 0.0 else weights
    return torch.matmul(kept, value), kept
    draw query=w[B,N,K] key==[B,M,K] value==[B,M,K] attn_mask=?=[N,M] dropout_p=0.0 is_causal=False

aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None,
                                   float dropout_p=0.0, bool is_causal=False, *, float? scale=None,
                                   bool enable_gqa=False) -> Tensor
    since 2
    random if dropout_p > 0 and dropout_p < 1
    q, k, v = torch.ops.prim.wide(query), torch.ops.prim.wide(key), torch.ops.prim.wide(value)
    if enable_gqa:
        k = k.repeat_interleave(q.shape[-3] // k.shape[-3], -3)
        v = v.repeat_interleave(q.shape[-3] // v.shape[-3], -3)
    width = 1.0 / math.sqrt(float(q.shape[-1])) if scale is None else scale
    scores = torch.ops.prim.attention_scores(
        torch.matmul(q, k.transpose(-2, -1)) * width, attn_mask, is_causal
    )
    weights = torch.ops.aten._safe_softmax(scores, -1)
    kept = torch.ops.aten.dropout(weights, dropout_p, True) if dropout_p > 0.0 else weights
    return torch.matmul(kept, v).to(query.dtype)
    draw query=w[B,N,K] key==[B,M,K] value==[B,M,K] attn_mask=?=[N,M] dropout_p=0.0 is_causal=False
        scale=None enable_gqa=False

# Of operators in C++.
aten::_transformer_encoder_layer_fwd
    draw src=w[B,T,4] embed_dim=4 num_heads=2 qkv_weight==[12,4] qkv_bias==[12] proj_weight==[4,4]
        proj_bias==[4] eps=1e-5 norm_weight_1==[4] norm_bias_1==[4] norm_weight_2==[4]
        norm_bias_2==[4] ffn_weight_1==[5,4] ffn_bias_1==[5] ffn_weight_2==[4,5] ffn_bias_2==[4]
        mask=None mask_type=None
