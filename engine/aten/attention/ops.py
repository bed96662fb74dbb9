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

aten::_native_multi_head_attention(Tensor query, Tensor key, Tensor value, int embed_dim,
                                   int num_head, Tensor qkv_weight, Tensor qkv_bias,
                                   Tensor proj_weight, Tensor proj_bias, Tensor? mask=None,
                                   bool need_weights=True, bool average_attn_weights=True,
                                   int? mask_type=None) -> (Tensor, Tensor)
    payload
    w_q, w_k, w_v = qkv_weight.unflatten(0, [3, embed_dim]).unbind(0)
    b_q, b_k, b_v = qkv_bias.unflatten(0, [3, embed_dim]).unbind(0)
    wide_q = torch.ops.aten.linear(query.unflatten(2, [embed_dim]), w_q, b_q)
    wide_k = torch.ops.aten.linear(key, w_k, b_k)
    wide_v = torch.ops.aten.linear(value, w_v, b_v)
    split = [num_head, -1]
    q = wide_q.unflatten(2, split).transpose(1, 2)
    k = wide_k.unflatten(2, split).transpose(1, 2)
    v = wide_v.unflatten(2, split).transpose(1, 2)
    scores = (q / math.sqrt(q.size(-1))).matmul(k.transpose(2, 3))
    if mask is not None:
        shaped = torch.ops.prim.attention_mask(mask, mask_type)
        scores = scores.masked_fill(shaped != 0, float("-inf"))
    attention = scores.softmax(3)
    merged = attention.matmul(v).transpose(1, 2).flatten(2, 3)
    result = torch.ops.aten.linear(merged, proj_weight, proj_bias)
    if not need_weights:
        return result, torch.zeros([0])
    return result, attention.mean([1]) if average_attn_weights else attention

aten::_transformer_encoder_layer_fwd(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight,
                                     Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias,
                                     bool use_gelu, bool norm_first, float eps,
                                     Tensor norm_weight_1, Tensor norm_bias_1, Tensor norm_weight_2,
                                     Tensor norm_bias_2, Tensor ffn_weight_1, Tensor ffn_bias_1,
                                     Tensor ffn_weight_2, Tensor ffn_bias_2, Tensor? mask=None,
                                     int? mask_type=None) -> Tensor
    shape = [embed_dim]
    first = src
    if norm_first:
        first = torch.ops.aten.layer_norm(src, shape, norm_weight_1, norm_bias_1, eps, False)
    attended, weights = torch.ops.aten._native_multi_head_attention(
        first,
        first,
        first,
        embed_dim,
        num_heads,
        qkv_weight,
        qkv_bias,
        proj_weight,
        proj_bias,
        mask,
        False,
        False,
        mask_type,
    )
    middle = attended + src
    if norm_first:
        inner = torch.ops.aten.layer_norm(middle, shape, norm_weight_2, norm_bias_2, eps, False)
    else:
        middle = torch.ops.aten.layer_norm(middle, shape, norm_weight_1, norm_bias_1, eps, False)
        inner = middle
    up = torch.ops.aten.linear(inner, ffn_weight_1, ffn_bias_1)
    active = torch.ops.aten.gelu(up) if use_gelu else up.relu()
    sum = torch.ops.aten.linear(active, ffn_weight_2, ffn_bias_2) + middle
    if norm_first:
        return sum
    return torch.ops.aten.layer_norm(sum, shape, norm_weight_2, norm_bias_2, eps, False)
    draw src=w[B,T,4] embed_dim=4 num_heads=2 qkv_weight==[12,4] qkv_bias==[12] proj_weight==[4,4]
        proj_bias==[4] eps=1e-5 norm_weight_1==[4] norm_bias_1==[4] norm_weight_2==[4]
        norm_bias_2==[4] ffn_weight_1==[5,4] ffn_bias_1==[5] ffn_weight_2==[4,5] ffn_bias_2==[4]
        mask=None mask_type=None

# Of operators in C++.
