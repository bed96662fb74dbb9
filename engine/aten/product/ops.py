# Products of vectors, matrices and many of them.
#
# Products of groups leave zeros where no group reaches, which PyTorch leaves unset, and take rows
# of any stride, where its kernels want 16 bytes.

prim::matmul_left(Tensor grad, Tensor other, int rank) -> Tensor
    if rank == 1 and other.dim() == 1:
        return grad * other
    if other.dim() == 1:
        return grad.unsqueeze(-1) * other
    if rank == 1:
        return torch.matmul(other, grad.unsqueeze(-1)).squeeze(-1)
    return torch.matmul(grad, other.transpose(-1, -2))

prim::matmul_right(Tensor grad, Tensor self, int rank) -> Tensor
    if self.dim() == 1 and rank == 1:
        return grad * self
    if self.dim() == 1:
        return self.unsqueeze(-1) * grad.unsqueeze(-2)
    if rank == 1:
        return torch.mv(self.flatten(0, self.dim() - 2).t(), grad.flatten())
    return torch.matmul(self.transpose(-1, -2), grad)

prim::others(int rank, int dim) -> int[]
    out: List[int] = []
    for i in range(rank):
        if i != dim:
            out.append(i)
    return out

aten::bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor
    if (
        weight.dtype != input1.dtype
        or weight.dtype != input2.dtype
        or (bias is not None and bias.dtype != weight.dtype)
    ):
        raise RuntimeError("bilinear takes inputs, a weight and a bias of one dtype")
    if bias is not None and bias.numel() > 0 and bias.shape[0] != weight.shape[0]:
        raise RuntimeError("bilinear takes a bias for each output")
    if input1.shape[:-1] != input2.shape[:-1]:
        raise RuntimeError("bilinear takes inputs that agree in all dims but the last")
    if input1.shape[-1] == 0 or input2.shape[-1] == 0:
        raise RuntimeError("bilinear takes inputs with features")
    left = input1.unsqueeze(-2).unsqueeze(-2).matmul(weight).squeeze(-2)
    out = (left * input2.unsqueeze(-2)).sum([-1])
    return out if bias is None else out + bias
    draw input1=w[N,A] input2==[N,B] weight==[O,A,B] bias=?=[O]

aten::vdot(Tensor self, Tensor other) -> Tensor
    if self.dim() != 1 or other.dim() != 1 or self.dtype != other.dtype:
        raise RuntimeError("vdot takes vectors of one dtype")
    return torch.dot(self, other)
    draw self=n[N] other==[N]

aten::inner(Tensor self, Tensor other) -> Tensor
    if self.dim() == 0 or other.dim() == 0:
        return self * other
    if self.shape[-1] != other.shape[-1] or self.dtype != other.dtype:
        raise RuntimeError("inner takes tensors of one dtype whose last dims have one size")
    return torch.ops.aten.tensordot(self, other, [-1], [-1])
    draw self=f[*,N] other==[M,N]|=[N]

aten::tensordot.out(Tensor self, Tensor other, int[] dims_self, int[] dims_other, *,
                    Tensor(a!) out) -> Tensor(a!)
    return torch.ops.prim.write_to(
        out, torch.ops.aten.tensordot(self, other, dims_self, dims_other), "tensordot"
    )
    draw self=f[N,K] other==[K,L] dims_self=<1> dims_other=<0> out==[N,L]

aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor
    if len(dims_self) != len(dims_other) or self.dtype != other.dtype:
        raise RuntimeError("tensordot takes tensors of one dtype and as many dims of each")
    left = [i for i in range(self.dim())]
    right = [i for i in range(other.dim())]
    a, b = self, other
    size = 1
    for i in range(len(dims_self)):
        d, e = dims_self[i] % self.dim(), dims_other[i] % other.dim()
        if a.shape[d] == 1 and b.shape[e] != 1:
            b = b.sum([e], True, dtype=b.dtype)
        if b.shape[e] == 1 and a.shape[d] != 1:
            a = a.sum([d], True, dtype=a.dtype)
        if a.shape[d] != b.shape[e]:
            raise RuntimeError("tensordot: sizes that meet differ")
        size = size * a.shape[d]
        left.remove(d)
        right.remove(e)
    shape: List[int] = []
    rows, columns = 1, 1
    for d in left:
        shape.append(a.shape[d])
        rows = rows * a.shape[d]
    for e in right:
        shape.append(b.shape[e])
        columns = columns * b.shape[e]
    x = a.permute(left + [d % self.dim() for d in dims_self]).reshape([rows, size])
    y = b.permute([e % other.dim() for e in dims_other] + right).reshape([size, columns])
    return x.matmul(y).reshape(shape)
    draw self=f[N,K,M] other==[K,L,N] dims_self=<1,0> dims_other=<0,2>

aten::kron(Tensor self, Tensor other) -> Tensor
    rank = max(self.dim(), other.dim())
    a = self.reshape([1] * (rank - self.dim()) + self.shape)
    b = other.reshape([1] * (rank - other.dim()) + other.shape)
    wide_a: List[int] = []
    wide_b: List[int] = []
    shape: List[int] = []
    for i in range(rank):
        wide_a.append(a.shape[i])
        wide_a.append(1)
        wide_b.append(1)
        wide_b.append(b.shape[i])
        shape.append(a.shape[i] * b.shape[i])
    return (a.reshape(wide_a) * b.reshape(wide_b)).reshape(shape)
    draw self=n[N,M] other=n[K,L]

aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor
    inplace
    if mat.dim() != 2 or vec.dim() != 1:
        raise RuntimeError("addmv takes a matrix and a vector")
    if alpha != 1 or beta != 1:
        for factor in [alpha, beta]:
            torch.full([], factor, dtype=self.dtype)
    return torch.addmm(
        self.expand([mat.shape[0]]).unsqueeze(1), mat, vec.unsqueeze(1), beta=beta, alpha=alpha
    ).squeeze(1)
    draw self=n[N] mat==[N,K] vec==[K]

aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
    inplace
    if vec1.dim() != 1 or vec2.dim() != 1:
        raise RuntimeError("addr takes two vectors")
    added = self.expand([vec1.shape[0], vec2.shape[0]])
    kind = torch.promote_types(self.dtype, torch.promote_types(vec1.dtype, vec2.dtype))
    left, right = vec1.unsqueeze(1).to(kind), vec2.to(kind)
    whole = left.to(torch.int64) if kind == torch.bool else left
    if (whole * alpha).dtype != whole.dtype or (whole * beta).dtype != whole.dtype:
        raise RuntimeError("addr: alpha and beta of integers are integers")
    if kind == torch.bool:
        product = (
            torch.logical_and(left, right)
            if float(alpha) != 0.0
            else torch.zeros(added.shape, dtype=kind)
        )
        return torch.logical_or(added, product) if float(beta) != 0.0 else product
    product = left * torch.full([1], alpha, dtype=kind) * right
    return product if float(beta) == 0.0 else product + added * torch.full([1], beta, dtype=kind)
    draw self=a[N,M] vec1==[N] vec2==[M]
    others order of factors

aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
    inplace
    if batch1.dim() != 3 or batch2.dim() != 3 or batch1.shape[0] != batch2.shape[0]:
        raise RuntimeError("addbmm takes two batches of as many matrices")
    rows, columns = batch1.transpose(0, 1).flatten(1), batch2.flatten(0, 1)
    return torch.addmm(self, rows, columns, beta=beta, alpha=alpha)
    draw self=n[N,M] batch1==[B,N,K] batch2==[B,K,M]

aten::addmm_(Tensor(a!) self, Tensor mat1, Tensor mat2, *, Scalar beta=1,
             Scalar alpha=1) -> Tensor(a!)
    return torch.ops.prim.write_to(
        self, torch.addmm(self, mat1, mat2, beta=beta, alpha=alpha), "addmm_"
    )
    draw self=f[N,M] mat1==[N,K] mat2==[K,M]

aten::baddbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1,
               Scalar alpha=1) -> Tensor(a!)
    return torch.ops.prim.write_to(
        self, torch.baddbmm(self, batch1, batch2, beta=beta, alpha=alpha), "baddbmm_"
    )
    draw self=f[B,N,M] batch1==[B,N,K] batch2==[B,K,M]

aten::chain_matmul(Tensor[] matrices) -> Tensor
    if len(matrices) == 0:
        raise RuntimeError("chain_matmul takes one matrix or more")
    out = matrices[0]
    for i in range(len(matrices)):
        if matrices[i].dim() != 2:
            raise RuntimeError("chain_matmul takes matrices")
        if i > 0:
            out = out.matmul(matrices[i])
    return out
    draw matrices=(w[A,B];=[B,C];=[C,D])
    others any association

aten::cross(Tensor self, Tensor other, int? dim=None) -> Tensor
    at = 0 if dim is None else dim
    if dim is None:
        at = -self.dim() - 1
        for i in range(self.dim()):
            if self.shape[i] == 3 and at < -self.dim():
                at = i
        if at < -self.dim():
            raise RuntimeError("cross takes tensors with a dim of size 3")
    return torch.linalg_cross(self, other, dim=at)
    draw self=f[*,3] other==[*,3] dim=-1

aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor
    if (
        self.dim() != other.dim()
        or self.shape[dim] != 3
        or other.shape[dim] != 3
        or self.dtype != other.dtype
    ):
        raise RuntimeError(
            "cross takes tensors of one dtype and as many dims, three items along the one named"
        )
    a, b = torch.where(other == other, self, self), torch.where(self == self, other, other)
    return a.roll([-1], [dim]) * b.roll([-2], [dim]) - a.roll([-2], [dim]) * b.roll([-1], [dim])
    draw self=f[*,3] other==[*,3] dim=-1

aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor
    text = equation.replace(" ", "")
    arrow = text.find("->")
    inputs = (text if arrow < 0 else text[:arrow]).split(",")
    if len(inputs) != len(tensors) or len(tensors) == 0:
        raise RuntimeError("einsum: as many operands as the equation names")
    dots = 0
    for i in range(len(tensors)):
        dots = max(
            dots, tensors[i].dim() - len(inputs[i].replace("...", "")) if "..." in inputs[i] else 0
        )
    rest = "0123456789"[:dots]
    labels: List[str] = []
    for i in range(len(tensors)):
        own = tensors[i].dim() - len(inputs[i].replace("...", ""))
        if own < 0 or (own > 0 and "..." not in inputs[i]):
            raise RuntimeError("einsum: an operand has other dims than the equation names")
        labels.append(inputs[i].replace("...", rest[dots - own:]))
    every = "".join(labels)
    out = text[arrow + 2:].replace("...", rest)
    if arrow < 0:
        out = rest
        for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz":
            if every.count(c) == 1:
                out = out + c
    for c in out:
        if out.count(c) > 1 or c not in every:
            raise RuntimeError("einsum: the output names a dim twice, or one that no operand has")
    for c in every:
        if not (c.isalpha() or c in rest):
            raise RuntimeError("einsum: dims are named by letters")
    result, have = tensors[0], ""
    for i in range(len(tensors)):
        x, mine = tensors[i], ""
        for c in labels[i]:
            if c in mine:
                at = mine.find(c)
                if x.shape[at] != x.shape[len(mine)]:
                    raise RuntimeError("einsum: dims of one name have two sizes")
                x = x.diagonal(0, at, len(mine)).movedim(-1, at)
            else:
                mine = mine + c
        later = out + "".join(labels[i + 1:])
        if i == 0:
            result, have = x, mine
        else:
            both, contracted, left, right = "", "", "", ""
            for c in have:
                if c in mine:
                    a, b = result.shape[have.find(c)], x.shape[mine.find(c)]
                    if a != b and a != 1 and b != 1:
                        raise RuntimeError("einsum: dims of one name have two sizes")
                    result_sizes = [-1] * result.dim()
                    result_sizes[have.find(c)] = max(a, b) if a != 0 and b != 0 else 0
                    result = result.expand(result_sizes)
                    x_sizes = [-1] * x.dim()
                    x_sizes[mine.find(c)] = result_sizes[have.find(c)]
                    x = x.expand(x_sizes)
                    if c in later:
                        both = both + c
                    else:
                        contracted = contracted + c
                else:
                    left = left + c
            for c in mine:
                if c not in have:
                    right = right + c
            sizes: List[int] = []
            groups = [1, 1, 1, 1]
            for c in both:
                sizes.append(result.shape[have.find(c)])
                groups[0] = groups[0] * sizes[-1]
            for c in left:
                sizes.append(result.shape[have.find(c)])
                groups[1] = groups[1] * sizes[-1]
            for c in right:
                sizes.append(x.shape[mine.find(c)])
                groups[2] = groups[2] * sizes[-1]
            for c in contracted:
                groups[3] = groups[3] * x.shape[mine.find(c)]
            a_order = [have.find(c) for c in both + left + contracted]
            b_order = [mine.find(c) for c in both + contracted + right]
            a = result.permute(a_order).reshape([groups[0], groups[1], groups[3]])
            b = x.permute(b_order).reshape([groups[0], groups[3], groups[2]])
            result, have = a.bmm(b).reshape(sizes), both + left + right
        gone: List[int] = []
        kept = ""
        for c in have:
            if c in later:
                kept = kept + c
            else:
                gone.append(have.find(c))
        if len(gone) > 0:
            result = result.sum(gone, dtype=result.dtype)
        have = kept
    return result.permute([have.find(c) for c in out])
    draw equation=ij,jk->ik|ij,jk->ki|ij,jk tensors=(w[N,K];=[K,M]) path=None

prim::group_ends(Tensor? offs, int groups, int size) -> int[]
    ends: List[int] = []
    if offs is None:
        raise RuntimeError("Have to provide offsets if there is a 2d matrix")
    if offs.dim() != 1:
        raise RuntimeError("offs has to be 1D")
    if offs.dtype != torch.int32:
        raise RuntimeError("Offsets have to be int32")
    if groups >= 0 and offs.shape[0] != groups:
        raise RuntimeError(
            f"matrix batch sizes have to match: {groups} groups, {offs.shape[0]} offsets"
        )
    for i in range(offs.shape[0]):
        ends.append(max(0, min(int(offs[i]), size)))
    return ends

aten::_grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None,
                  ScalarType? out_dtype=None) -> Tensor
    since 2
    for t in [self, mat2]:
        if t.dtype != torch.float32 and t.dtype != torch.float16 and t.dtype != torch.bfloat16:
            raise RuntimeError(
                "_grouped_mm: Expected mat_a and mat_b to be Float32, BFloat16 or Float16 matrices"
            )
        if t.dim() != 2 and t.dim() != 3:
            raise RuntimeError("_grouped_mm: mat_a and mat_b have to be 2 or 3d")
    if self.dtype != mat2.dtype:
        raise RuntimeError("_grouped_mm: expected mat_a and mat_b to have the same dtype")
    if self.shape[-1] != mat2.shape[-2]:
        raise RuntimeError(
            f"_grouped_mm: contraction dimension of mat_a and mat_b must match, got {self.shape} "
            f"and {mat2.shape}"
        )
    if bias is not None:
        raise RuntimeError("_grouped_mm: Bias not supported yet")
    if out_dtype is not None and out_dtype != self.dtype:
        raise RuntimeError("_grouped_mm: Grouped gemm output dtype must match `mat_a` dtype")
    if self.dim() == 3 and mat2.dim() == 3:
        if offs is not None:
            raise RuntimeError(
                "_grouped_mm: Have to provide offsets if there is a 2d matrix, and none if both "
                "are 3d"
            )
        if self.shape[0] != mat2.shape[0]:
            raise RuntimeError(
                f"_grouped_mm: batched dimension has to match, got {self.shape} and {mat2.shape}"
            )
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
    draw self=s[N,K] mat2==[B,K,M] offs=h[B]{0..N} bias=None out_dtype=None

aten::outer(Tensor self, Tensor vec2) -> Tensor
    payload
    return torch.ops.prim.vector(self).unsqueeze(1) * torch.ops.prim.vector(vec2)

aten::ger(Tensor self, Tensor vec2) -> Tensor
    return torch.ops.prim.vector(self).unsqueeze(1) * torch.ops.prim.vector(vec2)
    draw self=n[N] vec2==[M]

# Of operators in C++.
aten::mm
    gradient self: grad.mm(mat2.t())
    gradient mat2: self.t().mm(grad)
aten::bmm
    gradient self: grad.bmm(mat2.transpose(1, 2))
    gradient mat2: self.transpose(1, 2).bmm(grad)
aten::mv
    gradient self: torch.outer(grad, vec)
    gradient vec: self.t().mv(grad)
aten::dot
    gradient self: grad * tensor
    gradient tensor: grad * self
aten::matmul
    gradient self: torch.ops.prim.matmul_left(grad, other, self.dim())
    gradient other: torch.ops.prim.matmul_right(grad, self, other.dim())
aten::linear
    gradient input: torch.matmul(grad, weight) if weight.dim() == 2 else grad.unsqueeze(-1) * weight
    gradient weight:
        if weight.dim() == 1:
            return grad.unsqueeze(-1) * input
        rows = grad.reshape([-1, weight.size(0)])
        return rows.t().mm(input.reshape([-1, weight.size(1)]))
    gradient bias: grad
aten::addmm
    gradient self: grad * beta
    gradient mat1: grad.mm(mat2.t()) * alpha
    gradient mat2: mat1.t().mm(grad) * alpha
aten::baddbmm
    gradient self: grad * beta
    gradient batch1: grad.bmm(batch2.transpose(1, 2)) * alpha
    gradient batch2: batch1.transpose(1, 2).bmm(grad) * alpha
prim::conv_product
    gradient filters: torch.matmul(grad, columns.transpose(-1, -2)).sum([0]).reshape(filters.size())
    gradient columns:
        return torch.matmul(
            filters.reshape([columns.size(1), -1, filters.size(1)]).transpose(-1, -2), grad
        )
    gradient bias: grad.sum([0, 3]).reshape([-1])

aten::mm, aten::matmul
    traits matrix product

# Forms with `out=`: of one result that is never cast, or with names that results do not have.
aten::addbmm, aten::addmm, aten::addmv, aten::baddbmm, aten::bmm, aten::cross, aten::dot,
aten::inner, aten::linalg_cross, aten::linear, aten::matmul, aten::mm, aten::mv, aten::tensordot,
aten::vdot
    out exact
