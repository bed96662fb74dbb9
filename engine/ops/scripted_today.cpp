// Rows in the language: operators that archives of today's PyTorch name and 1.13.1 does not have.
//
// Attention gives zeros where a mask hides everything, as PyTorch's does. Half precision is
// computed in float and rounded once. Products of groups leave zeros where no group reaches, which
// PyTorch leaves unset, and take rows of any stride, where its kernels want 16 bytes.
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kText = R"py(
prim::wide(Tensor self) -> Tensor
    return self if self.dtype == torch.float64 else self.to(torch.float32)

prim::least_step(ScalarType dtype) -> float
    if dtype == torch.float64:
        return 2.220446049250313e-16
    if dtype == torch.float16:
        return 0.0009765625
    return 0.0078125 if dtype == torch.bfloat16 else 1.1920928955078125e-07

prim::group_ends(Tensor? offs, int groups, int size) -> int[]
    ends: List[int] = []
    if offs is None:
        raise RuntimeError("Have to provide offsets if there is a 2d matrix")
    if offs.dim() != 1:
        raise RuntimeError("offs has to be 1D")
    if offs.dtype != torch.int32:
        raise RuntimeError("Offsets have to be int32")
    if groups >= 0 and offs.shape[0] != groups:
        raise RuntimeError(f"matrix batch sizes have to match: {groups} groups, {offs.shape[0]} offsets")
    for i in range(offs.shape[0]):
        ends.append(max(0, min(int(offs[i]), size)))
    return ends

aten::_grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None) -> Tensor
    for t in [self, mat2]:
        if t.dtype != torch.float32 and t.dtype != torch.float16 and t.dtype != torch.bfloat16:
            raise RuntimeError("_grouped_mm: Expected mat_a and mat_b to be Float32, BFloat16 or Float16 matrices")
        if t.dim() != 2 and t.dim() != 3:
            raise RuntimeError("_grouped_mm: mat_a and mat_b have to be 2 or 3d")
    if self.dtype != mat2.dtype:
        raise RuntimeError("_grouped_mm: expected mat_a and mat_b to have the same dtype")
    if self.shape[-1] != mat2.shape[-2]:
        raise RuntimeError(f"_grouped_mm: contraction dimension of mat_a and mat_b must match, got {self.shape} and {mat2.shape}")
    if bias is not None:
        raise RuntimeError("_grouped_mm: Bias not supported yet")
    if out_dtype is not None and out_dtype != self.dtype:
        raise RuntimeError("_grouped_mm: Grouped gemm output dtype must match `mat_a` dtype")
    if self.dim() == 3 and mat2.dim() == 3:
        if offs is not None:
            raise RuntimeError("_grouped_mm: Have to provide offsets if there is a 2d matrix, and none if both are 3d")
        if self.shape[0] != mat2.shape[0]:
            raise RuntimeError(f"_grouped_mm: batched dimension has to match, got {self.shape} and {mat2.shape}")
        return torch.bmm(self, mat2)
    start = 0
    if mat2.dim() == 3:
        out = torch.zeros([self.shape[0], mat2.shape[2]], dtype=self.dtype)
        ends = torch.ops.prim.group_ends(offs, mat2.shape[0], self.shape[0])
        for i in range(len(ends)):
            if ends[i] > start:
                out[start:ends[i]] = torch.mm(self[start:ends[i]], mat2[i])
            start = ends[i]
        return out
    if self.dim() == 3:
        out = torch.zeros([self.shape[1], mat2.shape[1]], dtype=self.dtype)
        ends = torch.ops.prim.group_ends(offs, self.shape[0], mat2.shape[1])
        for i in range(len(ends)):
            if ends[i] > start:
                out[:, start:ends[i]] = torch.mm(self[i], mat2[:, start:ends[i]])
            start = ends[i]
        return out
    ends = torch.ops.prim.group_ends(offs, -1, self.shape[1])
    out = torch.zeros([len(ends), self.shape[0], mat2.shape[1]], dtype=self.dtype)
    for i in range(len(ends)):
        if ends[i] > start:
            out[i] = torch.mm(self[:, start:ends[i]], mat2[start:ends[i]])
        start = ends[i]
    return out

aten::rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor
    n = len(normalized_shape)
    if n == 0 or n > input.dim() or input.shape[input.dim() - n:] != normalized_shape:
        raise RuntimeError("rms_norm: the last sizes are the normalized shape")
    x = torch.ops.prim.wide(input)
    least = torch.ops.prim.least_step(input.dtype) if eps is None else eps
    out = x * torch.rsqrt((x * x).mean([i - n for i in range(n)], True) + least)
    if weight is not None:
        out = out * weight
    return out.to(input.dtype)

aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
    out = torch.softmax(self, dim, dtype)
    hidden = (self == -float("inf")).all(dim, True)
    return out.masked_fill(hidden, 0.0)

aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor  # random if dropout_p > 0 and dropout_p < 1
    q, k, v = torch.ops.prim.wide(query), torch.ops.prim.wide(key), torch.ops.prim.wide(value)
    if enable_gqa:
        k = k.repeat_interleave(q.shape[-3] // k.shape[-3], -3)
        v = v.repeat_interleave(q.shape[-3] // v.shape[-3], -3)
    width = 1.0 / math.sqrt(float(q.shape[-1])) if scale is None else scale
    scores = torch.ops.prim.attention_scores(torch.matmul(q, k.transpose(-2, -1)) * width, attn_mask, is_causal)
    weights = torch.ops.aten._safe_softmax(scores, -1)
    kept = torch.ops.aten.dropout(weights, dropout_p, True) if dropout_p > 0.0 else weights
    return torch.matmul(kept, v).to(query.dtype)

aten::stft.aligned(Tensor self, int n_fft, int? hop_length, int? win_length, Tensor? window, bool normalized, bool? onesided, bool? return_complex, bool? align_to_window) -> Tensor
    x = self
    if self.dim() > 0 and n_fft > self.shape[-1]:
        raise RuntimeError("stft takes a signal at least n_fft long")
    if align_to_window is not None and align_to_window and win_length is not None and win_length < n_fft:
        before = (n_fft - win_length) // 2
        x = torch.constant_pad_nd(self, [before, n_fft - win_length - before])
    return torch.ops.aten.stft(x, n_fft, hop_length, win_length, window, normalized, onesided, return_complex)

prim::truth(Tensor self) -> Tensor
    return (self != 0).to(torch.uint8) if self.dtype == torch.uint8 else self != 0

prim::all_or_named(Tensor self, int[]? dim, str name) -> int[]
    return [i for i in range(self.dim())] if dim is None else torch.ops.prim.named_dims(self, dim, name)

aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor
    out, dims = torch.ops.prim.truth(self), torch.ops.prim.all_or_named(self, dim, "any")
    for d in dims:
        out = out.any(d, True)
    return out if keepdim else torch.ops.prim.without(out, dims)

aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor
    out, dims = torch.ops.prim.truth(self), torch.ops.prim.all_or_named(self, dim, "all")
    for d in dims:
        out = out.all(d, True)
    return out if keepdim else torch.ops.prim.without(out, dims)

prim::without(Tensor self, int[] dims) -> Tensor
    gone = [d % max(self.dim(), 1) for d in dims]
    return self.reshape([self.shape[i] for i in range(self.dim()) if i not in gone])

aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)
    gone = torch.ops.prim.named_dims(self, dim, "squeeze")
    out = self
    for i in range(self.dim()):
        d = self.dim() - 1 - i
        if d in gone:
            out = out.squeeze(d)
    return out

prim::spread(Tensor self, int[1]? dim, float correction, bool keepdim) -> Tensor
    whole = torch.ops.prim.whole_dims(self, dim)
    count = 1
    for d in whole:
        count = count * self.shape[d]
    mean = self.mean(whole, True)
    return ((self - mean) * (self - mean)).sum(whole, keepdim) / (max(count - correction, 0.0) if count > 0 else 0.0)

aten::var.float_correction(Tensor self, int[1]? dim=None, *, float correction, bool keepdim=False) -> Tensor
    return torch.ops.prim.spread(torch.ops.prim.wide(self), dim, correction, keepdim).to(self.dtype)

aten::std.float_correction(Tensor self, int[1]? dim=None, *, float correction, bool keepdim=False) -> Tensor
    return torch.ops.prim.spread(torch.ops.prim.wide(self), dim, correction, keepdim).sqrt().to(self.dtype)

aten::var_mean.float_correction(Tensor self, int[1]? dim=None, *, float correction, bool keepdim=False) -> (Tensor, Tensor)
    out = torch.ops.prim.spread(torch.ops.prim.wide(self), dim, correction, keepdim).to(self.dtype)
    return out, self.mean(torch.ops.prim.whole_dims(self, dim), keepdim)

aten::std_mean.float_correction(Tensor self, int[1]? dim=None, *, float correction, bool keepdim=False) -> (Tensor, Tensor)
    out = torch.ops.prim.spread(torch.ops.prim.wide(self), dim, correction, keepdim).sqrt().to(self.dtype)
    return out, self.mean(torch.ops.prim.whole_dims(self, dim), keepdim)

aten::nonzero_static(Tensor self, *, int size, int fill_value=-1) -> Tensor
    found = torch.nonzero(self)
    kept = found.narrow(0, 0, min(size, found.shape[0]))
    return torch.cat([kept, torch.full([size - kept.shape[0], self.dim()], fill_value, dtype=torch.int64)], 0)

aten::_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor
    parts: List[Tensor] = []
    for t in tensors:
        if t.dtype != tensors[0].dtype:
            raise RuntimeError("_chunk_cat takes tensors of one dtype")
        if t.numel() == 0:
            raise RuntimeError("_chunk_cat takes tensors that have elements")
        size = t.shape[dim]
        each = (size + num_chunks - 1) // num_chunks
        shape = t.shape.copy()
        shape[dim] = each * num_chunks - size
        whole = torch.cat([t, torch.zeros(shape, dtype=t.dtype)], dim)
        lead: List[int] = t.shape[:dim]
        parts.append(whole.reshape(lead + [num_chunks, -1]))
    return torch.cat(parts, -1)

aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor
    return grad_output * mask * scale

aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor
    pooled, _ = torch.ops.aten.max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)
    if pooled.shape != grad_output.shape or pooled.shape != indices.shape or self.dtype != grad_output.dtype:
        raise RuntimeError(f"max_pool2d gives {pooled.shape}, of which the gradient and the indices are")
    out = torch.zeros_like(self).flatten(-2)
    return out.scatter_add(-1, indices.flatten(-2), grad_output.flatten(-2)).reshape(self.shape)

prim::held_inside(Tensor self, Tensor?[] indices) -> Tensor?[]
    out: List[Optional[Tensor]] = []
    for i in range(len(indices)):
        at = indices[i]
        if at is None:
            out.append(None)
        elif at.dtype != torch.int64 and at.dtype != torch.int32:
            raise RuntimeError("a masked index takes indices of int64 or int32")
        else:
            size = self.shape[i] if i < self.dim() else 1
            out.append(at.clamp(-size, size - 1))
    if len(indices) == 0 or len(indices) > self.dim():
        raise IndexError(f"a masked index of {self.dim()} dims takes 1 to {self.dim()} indices, got {len(indices)}")
    return out

aten::_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor
    held = torch.ops.prim.held_inside(self, indices)
    if self.numel() > 0:
        return torch.ops.aten.index(self, held).masked_fill(mask.logical_not(), fill)
    sizes = self.shape.copy()
    for i in range(len(held)):
        if held[i] is not None and sizes[i] == 0:
            sizes[i] = 1
    return torch.ops.aten.index(torch.full(sizes, fill, dtype=self.dtype), held)

aten::_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor
    if self.numel() == 0:
        return self.clone()
    return torch.ops.aten.index_put(self, torch.ops.prim.held_inside(self, indices), values.masked_fill(mask.logical_not(), 0), True)

aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor
    if input.dim() != 4:
        raise RuntimeError("grid_sampler_2d takes an input of 4 dims")
    return torch.grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)

aten::grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor
    if input.dim() != 5:
        raise RuntimeError("grid_sampler_3d takes an input of 5 dims")
    return torch.grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(kText, "scripted_today");
  return true;
}();

}  // namespace
}  // namespace fusillade
