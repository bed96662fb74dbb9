# Norms, tests, fills and functions of complex tensors as pairs (pairs/ops). A norm is that of the
# absolute values; tan(z) is -i tanh(iz).

prim::complex_norm.Scalar(Tensor self, Scalar p=2) -> Tensor
    return torch.ops.aten.norm(torch.ops.prim.complex_abs(self), p)
    others complex norm

prim::complex_norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor
    return torch.ops.aten.norm(torch.ops.prim.complex_abs(self), p, dim, keepdim)
    others complex norm

prim::complex_frobenius_norm(Tensor self) -> Tensor
    return torch.ops.aten.norm(torch.ops.prim.complex_abs(self), 2)
    others complex norm

prim::complex_frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor
    return torch.frobenius_norm(torch.ops.prim.complex_abs(self), dim, keepdim)
    others complex norm

prim::complex_linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *,
                                 ScalarType? dtype=None) -> Tensor
    return torch.ops.aten.linalg_vector_norm(
        torch.ops.prim.complex_abs(self), ord, dim, keepdim, dtype=dtype
    )
    others complex norm

prim::complex_linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *,
                          ScalarType? dtype=None) -> Tensor
    of_matrix = self.dim() == 3 if dim is None else len(dim) == 2
    if ord is not None and of_matrix and abs(float(ord)) == 2.0:
        raise RuntimeError("linalg.norm of a complex matrix is not there for singular values")
    return torch.ops.aten.linalg_norm(
        torch.ops.prim.complex_abs(self), ord, dim, keepdim, dtype=dtype
    )
    draw self=f[*,N] ord=?1|2|0.5 dim=?<-1> dtype=None
    others complex norm

prim::complex_isnan(Tensor self) -> Tensor
    return torch.isnan(torch.ops.prim.re(self)) | torch.isnan(torch.ops.prim.im(self))

prim::complex_isinf(Tensor self) -> Tensor
    return torch.isinf(torch.ops.prim.re(self)) | torch.isinf(torch.ops.prim.im(self))

prim::complex_isfinite(Tensor self) -> Tensor
    return torch.isfinite(torch.ops.prim.re(self)) & torch.isfinite(torch.ops.prim.im(self))

prim::complex_isreal(Tensor self) -> Tensor
    return torch.ops.prim.im(self) == 0

prim::complex_equal(Tensor self, Tensor other) -> bool
    return torch.equal(self, other)

prim::complex_allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08,
                       bool equal_nan=False) -> bool
    if self.dtype != other.dtype:
        raise RuntimeError("allclose compares tensors of one dtype")
    if rtol < 0.0 or atol < 0.0:
        raise RuntimeError("allclose takes rtol and atol of at least 0")
    same = (self == other).all(-1)
    if equal_nan:
        same = same | (torch.ops.prim.complex_isnan(self) & torch.ops.prim.complex_isnan(other))
    distance = torch.ops.prim.complex_abs(torch.ops.prim.complex_sub(self, other))
    close = (distance <= atol + rtol * torch.ops.prim.complex_abs(other)) & torch.isfinite(distance)
    return bool((same | close).all())

prim::complex_nonzero(Tensor self) -> Tensor
    values
    traits dynamic shape
    return (self != 0).any(-1).nonzero()

prim::complex_any(Tensor self) -> Tensor
    return (self != 0).any()

prim::complex_all(Tensor self) -> Tensor
    return (self != 0).any(-1).all()

prim::complex_element_size(Tensor self) -> int
    return 2 * self.element_size()

prim::complex_add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)
    return self.copy_(torch.ops.prim.complex_add(self, other, alpha))
    others complex product

prim::complex_sub_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)
    return self.copy_(torch.ops.prim.complex_sub(self, other, alpha))
    others complex product

prim::complex_fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)
    part = torch.ops.prim.re(self)
    return self.copy_(torch.ops.prim.pair(torch.full_like(part, value), torch.zeros_like(part)))

prim::complex_fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)
    if value.dim() != 1:
        raise RuntimeError("fill_ takes a tensor without dims")
    return self.copy_(value)

prim::complex_masked_fill_.Scalar(Tensor(a!) self, Tensor real_mask, Scalar value) -> Tensor(a!)
    return self.copy_(torch.ops.prim.complex_masked_fill(self, real_mask, value))

prim::complex_index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values,
                         bool accumulate=False) -> Tensor(a!)
    if len(indices) >= self.dim():
        raise IndexError(f"too many indices for {self.dim() - 1} dims")
    return self.index_put_(indices, values, accumulate)

prim::complex_where.ScalarOther(Tensor real_condition, Tensor self, Scalar other) -> Tensor
    a, b = torch.ops.prim.re(self), torch.ops.prim.im(self)
    return torch.ops.prim.pair(
        torch.where(real_condition, a, torch.full_like(a, other)),
        torch.where(real_condition, b, torch.zeros_like(b)),
    )

prim::complex_where.ScalarSelf(Tensor real_condition, Scalar self, Tensor other) -> Tensor
    a, b = torch.ops.prim.re(other), torch.ops.prim.im(other)
    return torch.ops.prim.pair(
        torch.where(real_condition, torch.full_like(a, self), a),
        torch.where(real_condition, torch.zeros_like(b), b),
    )

prim::complex_new_zeros(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? layout=None,
                        Device? device=None, bool? pin_memory=None) -> Tensor
    return torch.zeros(size + [2], dtype=self.dtype if dtype is None else dtype)

prim::complex_new_ones(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? layout=None,
                       Device? device=None, bool? pin_memory=None) -> Tensor
    return torch.ops.prim.complex_of(torch.ones(size, dtype=self.dtype if dtype is None else dtype))

prim::complex_new_full(Tensor self, int[] size, Scalar fill_value, *, ScalarType? dtype=None,
                       Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
    return torch.ops.prim.complex_of(
        torch.full(size, fill_value, dtype=self.dtype if dtype is None else dtype)
    )

prim::complex_full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None,
                        Layout? layout=None, Device? device=None, bool? pin_memory=None,
                        MemoryFormat? memory_format=None) -> Tensor
    return torch.ops.prim.complex_of(
        torch.full_like(
            torch.ops.prim.re(self), fill_value, dtype=dtype, memory_format=memory_format
        )
    )

prim::complex_eye(int n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,
                  bool? pin_memory=None) -> Tensor
    return torch.ops.prim.complex_of(torch.eye(n, dtype=dtype))

prim::complex_eye.m(int n, int m, *, ScalarType? dtype=None, Layout? layout=None,
                    Device? device=None, bool? pin_memory=None) -> Tensor
    return torch.ops.prim.complex_of(torch.eye(n, m, dtype=dtype))

prim::complex_sinh(Tensor self) -> Tensor
    a, b = torch.ops.prim.re(self), torch.ops.prim.im(self)
    return torch.ops.prim.pair(a.sinh() * b.cos(), a.cosh() * b.sin())
    others complex length 16 ulp

prim::complex_cosh(Tensor self) -> Tensor
    a, b = torch.ops.prim.re(self), torch.ops.prim.im(self)
    return torch.ops.prim.pair(a.cosh() * b.cos(), a.sinh() * b.sin())
    others complex length 16 ulp

prim::complex_tanh(Tensor self) -> Tensor
    t, s = torch.ops.prim.re(self).tanh(), torch.ops.prim.im(self).tan()
    under = 1 + t * t * s * s
    return torch.ops.prim.pair(t * (1 + s * s) / under, s * (1 - t * t) / under)
    others complex length 16 ulp

prim::complex_tan(Tensor self) -> Tensor
    s, t = torch.ops.prim.re(self).tan(), torch.ops.prim.im(self).tanh()
    under = 1 + t * t * s * s
    return torch.ops.prim.pair(s * (1 - t * t) / under, t * (1 + s * s) / under)
    others complex length 16 ulp

prim::complex_log2(Tensor self) -> Tensor
    return torch.ops.prim.complex_log(self) / math.log(2.0)
    others complex length 16 ulp

prim::complex_log10(Tensor self) -> Tensor
    return torch.ops.prim.complex_log(self) / math.log(10.0)
    others complex length 16 ulp

prim::complex_rsqrt(Tensor self) -> Tensor
    return torch.ops.prim.complex_reciprocal(torch.ops.prim.complex_sqrt(self))
    others complex length 16 ulp

prim::complex_sigmoid(Tensor self) -> Tensor
    return torch.ops.prim.complex_reciprocal(
        torch.ops.prim.complex_add(torch.ops.prim.complex_exp(-self), 1)
    )
    others complex length 16 ulp

prim::complex_prod(Tensor self, *, ScalarType? dtype=None) -> Tensor
    return torch.ops.prim.complex_prod(self.reshape([-1, 2]), 0, False, dtype=dtype)
    others complex length 16 ulp

prim::complex_addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1,
                    Scalar alpha=1) -> Tensor
    if mat1.dim() != 3 or mat2.dim() != 3:
        raise RuntimeError("addmm takes two matrices")
    product = torch.ops.prim.complex_matmul(mat1, mat2)
    return self.expand(product.shape) * beta + product * alpha
    draw self=f[N,M] mat1==[N,K] mat2==[K,M]
    others complex product

prim::complex_baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1,
                      Scalar alpha=1) -> Tensor
    if batch1.dim() != 4 or batch2.dim() != 4:
        raise RuntimeError("baddbmm takes two batches of matrices")
    product = torch.ops.prim.complex_matmul(batch1, batch2)
    return self.expand(product.shape) * beta + product * alpha
    draw self=f[B,N,M] batch1==[B,N,K] batch2==[B,K,M]
    others complex product

prim::complex_addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor
    return torch.ops.prim.complex_add(self, torch.ops.prim.complex_mul(tensor1, tensor2) * value)
    others complex product

prim::complex_expand_as(Tensor(a) self, Tensor other) -> Tensor(a)
    return self.expand(other.shape)

prim::complex_view_as(Tensor(a) self, Tensor other) -> Tensor(a)
    return self.view(other.shape)

prim::complex_reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)
    return self.reshape(other.shape)

prim::complex_mT(Tensor(a) self) -> Tensor(a)
    if self.dim() < 3:
        raise RuntimeError("mT takes a matrix, or a batch of them")
    return self.transpose(-3, -2)

prim::complex_matrix_H(Tensor(a) self) -> Tensor(a)
    if self.dim() != 3:
        raise RuntimeError("H takes a matrix")
    return torch.ops.prim.complex_conj(self.transpose(-3, -2))
    traits conjugated

prim::complex_adjoint(Tensor(a) self) -> Tensor(a)
    if self.dim() < 3:
        raise RuntimeError("adjoint takes a matrix, or a batch of them")
    return torch.ops.prim.complex_conj(self.transpose(-3, -2))
    traits conjugated

prim::complex_diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)
    return self.diagonal(
        offset, torch.ops.prim.pair_dim(self, dim1), torch.ops.prim.pair_dim(self, dim2)
    ).transpose(-1, -2)

prim::complex_diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor
    return torch.ops.prim.pair(
        torch.ops.prim.re(self).diag_embed(offset, dim1, dim2),
        torch.ops.prim.im(self).diag_embed(offset, dim1, dim2),
    )

prim::complex_trace(Tensor self) -> Tensor
    return torch.ops.prim.pair(torch.ops.prim.re(self).trace(), torch.ops.prim.im(self).trace())

prim::complex_split.sizes(Tensor(a -> *) self, int[] split_size, int dim=0) -> Tensor(a)[]
    return torch.ops.aten.split_with_sizes(self, split_size, torch.ops.prim.pair_dim(self, dim))

prim::complex_split_with_sizes(Tensor(a -> *) self, int[] split_sizes, int dim=0) -> Tensor(a)[]
    return torch.ops.aten.split_with_sizes(self, split_sizes, torch.ops.prim.pair_dim(self, dim))

prim::complex_hstack(Tensor[] tensors) -> Tensor
    rows = [x.unsqueeze(0) if x.dim() == 1 else x for x in tensors]
    return torch.cat(rows, 0 if rows[0].dim() == 2 else 1)

prim::complex_vstack(Tensor[] tensors) -> Tensor
    return torch.cat([x.reshape([1, -1, 2]) if x.dim() < 3 else x for x in tensors], 0)

prim::complex_gather(Tensor self, int dim, Tensor real_index, *, bool sparse_grad=False) -> Tensor
    return torch.ops.prim.pair(
        torch.ops.prim.re(self).gather(dim, real_index),
        torch.ops.prim.im(self).gather(dim, real_index),
    )

prim::complex_pad(Tensor self, int[] pad, str mode="constant", float? value=None) -> Tensor
    filled = 0.0 if mode == "constant" and value is not None else value
    return torch.ops.prim.pair(
        torch.ops.aten.pad(torch.ops.prim.re(self), pad, mode, value),
        torch.ops.aten.pad(torch.ops.prim.im(self), pad, mode, filled),
    )

prim::complex_constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor
    return torch.ops.prim.pair(
        torch.ops.aten.constant_pad_nd(torch.ops.prim.re(self), pad, value),
        torch.ops.aten.constant_pad_nd(torch.ops.prim.im(self), pad, 0),
    )
