# Norms of vectors and matrices.

aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor
    inplace
    if float(p) <= 0.0 or float(maxnorm) < 0.0 or self.dim() < 2:
        raise RuntimeError(
            "renorm takes a tensor of two or more dims, a positive p and a maxnorm of at least 0"
        )
    others = [i for i in range(self.dim()) if i != torch.ops.prim.named_dim(self, dim, "renorm")]
    length = self.norm(p, others, True)
    share = torch.where(
        length > float(maxnorm), float(maxnorm) / (length + 1e-7), torch.ones_like(length)
    )
    return self * share
    draw self=w[M,N] p=1|2|3.5 dim=0|1|-1 maxnorm=1|0.5

prim::norm_operand(Tensor self, ScalarType dtype) -> Tensor
    x = self.to(dtype)
    if not x.is_floating_point():
        raise RuntimeError("norm takes a dtype of floats")
    return x

aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor
    return torch.ops.prim.norm_operand(self, dtype).norm(p, [i for i in range(self.dim())])
    gradient self:
        return torch.ops.prim.norm_gradient(
            grad, self.to(dtype), result, 2.0 if p is None else float(p), None, False
        )
    draw self=w[*,N] p=?1|2|3.5 dtype=6|7
    peers gradient when inexact order: the order of a norm is float32's
    others powers

aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *,
                               ScalarType dtype) -> Tensor
    return torch.ops.prim.norm_operand(self, dtype).norm(p, dim, keepdim)
    gradient self:
        return torch.ops.prim.norm_gradient(
            grad, self.to(dtype), result, 2.0 if p is None else float(p), dim, keepdim
        )
    draw self=w[*,N] p=?1|2|3.5 dim=<-1> dtype=6|7
    peers gradient when inexact order: the order of a norm is float32's
    others powers

aten::norm.out(Tensor self, Scalar? p, int[1] dim, bool keepdim=False, *,
               Tensor(a!) out) -> Tensor(a!)
    return torch.ops.prim.write_to(out, self.norm(p, dim, keepdim), "norm")
    draw self=w[M,N] p=?1|2|3.5 dim=<1> keepdim=False out==[M]
    peers gradient when inexact order: the order of a norm is float32's
    others powers

aten::norm.dtype_out(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype,
                     Tensor(a!) out) -> Tensor(a!)
    if out.dtype != dtype:
        raise RuntimeError("norm: out is of the dtype that is asked for")
    return torch.ops.prim.write_to(out, torch.norm(self, p, dim, keepdim, dtype=dtype), "norm")
    draw self=s[M,N] p=?1|2|3.5 dim=<1> keepdim=False dtype=6 out==[M]
    peers gradient when inexact order: the order of a norm is float32's
    others powers

aten::frobenius_norm(Tensor self) -> Tensor
    return self.norm(2, [i for i in range(self.dim())])

aten::frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor
    if len(dim) > 2:
        raise RuntimeError("frobenius_norm takes at most two dims")
    return self.norm(2, torch.ops.prim.whole_dims(self, dim), keepdim)

aten::frobenius_norm.out(Tensor self, int[1] dim, bool keepdim=False, *,
                         Tensor(a!) out) -> Tensor(a!)
    return torch.ops.prim.write_to(out, torch.frobenius_norm(self, dim, keepdim), "frobenius_norm")
    draw self=w[M,N] dim=<1> keepdim=False out==[M]

prim::widen(Tensor self, ScalarType? dtype) -> Tensor
    if not self.is_floating_point():
        raise RuntimeError("a norm takes a tensor of floats")
    if dtype is None:
        return self
    if torch.promote_types(self.dtype, dtype) != dtype:
        raise RuntimeError("a norm takes a dtype that holds the tensor's")
    return self.to(dtype)

aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *,
                         ScalarType? dtype=None) -> Tensor
    whole = self.dtype == torch.float32 or self.dtype == torch.float64
    if whole and dtype is None and dim is not None and len(dim) > 0:
        return self.norm(ord, dim, keepdim)
    x = torch.ops.prim.widen(self, dtype)
    return torch.ops.prim.wide(x).norm(ord, torch.ops.prim.whole_dims(x, dim), keepdim).to(x.dtype)
    gradient self:
        return torch.ops.prim.norm_gradient(
            grad, self.to(result.dtype), result, float(ord), dim, keepdim
        )
    draw self=f[*,N] ord=0|1|2|3.5 dtype=None
    peers gradient when inexact order: the order of a norm is float32's
    others powers

aten::linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *,
                  ScalarType? dtype=None) -> Tensor
    x = torch.ops.prim.widen(self, dtype)
    if ord is None:
        return torch.linalg_vector_norm(x, 2, torch.ops.prim.whole_dims(x, dim), keepdim)
    whole = torch.ops.prim.whole_dims(x, dim)
    if len(whole) == 1:
        return torch.linalg_vector_norm(x, ord, whole, keepdim)
    if len(whole) != 2:
        raise RuntimeError("linalg_norm with an order is of vectors and of matrices")
    return torch.ops.aten.linalg_matrix_norm(x, ord, whole, keepdim)
    draw self=w[*,N]{-3..3} ord=?1|2|0.5 dim=?<-1> dtype=None

aten::linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *,
                          ScalarType? dtype=None) -> Tensor
    x = self if dtype is None else self.to(dtype)
    whole = torch.ops.prim.whole_dims(x, dim)
    if len(whole) != 2:
        raise RuntimeError("linalg_norm takes the orders 'fro' and 'nuc' of matrices")
    return torch.ops.aten.linalg_matrix_norm(x, ord, whole, keepdim)
    draw self=w[N,M]{-3..3} N=1..3 M=1..3 ord=fro|nuc dim=None dtype=None

# What is reduced by `dims`, for every power; halves in float, rounded once. Of a line of one
# element it is the magnitude, which no power overflows, and the sum of magnitudes needs none.
aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor
    payload
    return torch.ops.prim.norm_over(self, p, [], False)
    gradient self: torch.ops.prim.norm_gradient(grad, self, result, float(p), None, False)
    peers gradient when inexact order: the order of a norm is float32's
    others powers

aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor
    payload
    return torch.ops.prim.norm_over(self, p, dim, keepdim)
    gradient self:
        return torch.ops.prim.norm_gradient(
            grad, self, result, 2.0 if p is None else float(p), dim, keepdim
        )
    peers gradient when inexact order: the order of a norm is float32's
    others powers

prim::norm_over(Tensor self, Scalar? p, int[] dim, bool keepdim) -> Tensor
    given = torch.ops.prim.require_floating(self, "aten::norm")
    code = torch.ops.prim.wide_dtype(given)
    x = given.to(code)
    power = torch.ops.prim.norm_power(p)
    if power == float("inf"):
        wide = x.abs().amax(dim, keepdim)
    elif power == float("-inf"):
        wide = x.abs().amin(dim, keepdim)
    elif power == 2:
        wide = (x * x).sum(dim, keepdim).sqrt()
    elif power == 0:
        wide = (x != 0).sum(dim, keepdim, dtype=code)
    else:
        lines = x.abs()
        wide = lines.sum(dim, keepdim)
        if lines.numel() != wide.numel() and power != 1:
            if power < 0:
                lines = torch.ops.prim.lines_checked(lines, power, dim)
            wide = lines.pow(power).sum(dim, keepdim).pow(1 / power)
    return wide.to(given.dtype)
