# Copies of what a view would show. A copy of a view is contiguous.

prim::contiguous_copy(Tensor self) -> Tensor
    return self.clone(memory_format=torch.contiguous_format)

aten::alias_copy(Tensor self) -> Tensor
    return torch.ops.prim.contiguous_copy(self)

aten::expand_copy(Tensor self, int[] size, *, bool implicit=False) -> Tensor
    return torch.ops.prim.contiguous_copy(self.expand(size))

aten::permute_copy(Tensor self, int[] dims) -> Tensor
    return torch.ops.prim.contiguous_copy(self.permute(dims))

aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor
    return torch.ops.prim.contiguous_copy(self.transpose(dim0, dim1))

aten::t_copy(Tensor self) -> Tensor
    return torch.ops.prim.contiguous_copy(self.t())

aten::view_copy(Tensor self, int[] size) -> Tensor
    return torch.ops.prim.contiguous_copy(self.reshape(size))

aten::squeeze_copy(Tensor self) -> Tensor
    return torch.ops.prim.contiguous_copy(self.squeeze())

aten::squeeze_copy.dim(Tensor self, int dim) -> Tensor
    return torch.ops.prim.contiguous_copy(self.squeeze(dim))

aten::unsqueeze_copy(Tensor self, int dim) -> Tensor
    return torch.ops.prim.contiguous_copy(self.unsqueeze(dim))

aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor
    return torch.ops.prim.contiguous_copy(self.diagonal(offset, dim1, dim2))

aten::detach_copy(Tensor self) -> Tensor
    return torch.ops.prim.contiguous_copy(self)
    slopes detached

aten::narrow_copy(Tensor self, int dim, int start, int length) -> Tensor
    return torch.ops.prim.contiguous_copy(self.narrow(dim, start, length))

aten::select_copy.int(Tensor self, int dim, int index) -> Tensor
    return torch.ops.prim.contiguous_copy(self.select(dim, index))

aten::slice_copy.Tensor(Tensor self, int dim=0, int? start=None, int? end=None,
                        int step=1) -> Tensor
    return torch.ops.prim.contiguous_copy(torch.ops.aten.slice(self, dim, start, end, step))

aten::unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor
    return torch.ops.prim.contiguous_copy(self.unfold(dimension, size, step))

aten::as_strided_copy(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor
    return torch.ops.prim.contiguous_copy(self.as_strided(size, stride, storage_offset))

aten::unbind_copy.int(Tensor self, int dim=0) -> Tensor[]
    return [torch.ops.prim.contiguous_copy(t) for t in self.unbind(dim)]

aten::split_copy.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]
    return [torch.ops.prim.contiguous_copy(t) for t in self.split(split_size, dim)]

aten::split_with_sizes_copy(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]
    return [torch.ops.prim.contiguous_copy(t) for t in self.split_with_sizes(split_sizes, dim)]

aten::unsafe_split.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]
    return [torch.ops.prim.contiguous_copy(t) for t in self.split(split_size, dim)]

aten::unsafe_split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]
    return [torch.ops.prim.contiguous_copy(t) for t in self.split_with_sizes(split_sizes, dim)]
    draw self=a[N,M] split_sizes=<1,N-1> dim=0 N=1..9

aten::as_strided_scatter(Tensor self, Tensor src, int[] size, int[] stride,
                         int? storage_offset=None) -> Tensor
    if src.shape != size:
        raise RuntimeError(f"as_strided_scatter takes a source of sizes {size}, got {src.shape}")
    indices = torch.arange(self.numel()).as_strided(size, stride, storage_offset).reshape([-1])
    return self.reshape([-1]).scatter(0, indices, src.reshape([-1])).reshape(self.shape)
    peers gradient: flows back from what was written over

# Of operators in C++.
aten::unsafe_split.Tensor, aten::unsafe_split_with_sizes
    gradient self: torch.cat(grad, dim)
