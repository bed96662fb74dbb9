// Rows in the language: places of elements, sorted sequences, sets.
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kText = R"py(
aten::nonzero(Tensor self) -> Tensor  # values
    flat = torch.arange(self.numel()).masked_select((self != 0).flatten())
    columns: List[Tensor] = []
    size = self.numel()
    for n in self.shape:
        size = size // n if n > 0 else 0
        columns.append(torch.floor_divide(flat, max(size, 1)))
        flat = torch.remainder(flat, max(size, 1))
    if len(columns) == 0:
        return flat.new_zeros([flat.shape[0], 0]).to(torch.int64)
    return torch.stack(columns, 1).to(torch.int64)

aten::nonzero_numpy(Tensor self) -> Tensor[]
    return [t.clone() for t in torch.atleast_1d(self).nonzero().unbind(1)]

aten::where(Tensor condition) -> Tensor[]
    return torch.nonzero_numpy(condition)

aten::argwhere(Tensor self) -> Tensor  # values
    return self.nonzero()

aten::take(Tensor self, Tensor index) -> Tensor
    if index.dtype != torch.int64:
        raise RuntimeError("take takes places of int64")
    place = torch.where(index < 0, index + self.numel(), index)
    return self.flatten().index_select(0, place.flatten()).reshape(index.shape)

aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor
    if indices.dtype != torch.int64:
        raise RuntimeError("take_along_dim takes places of int64")
    if dim is None:
        return self.flatten().gather(0, torch.where(indices < 0, indices + self.numel(), indices).flatten())
    if self.dim() != indices.dim():
        raise RuntimeError("take_along_dim takes tensors of as many dims")
    at = dim % max(self.dim(), 1)
    length = self.shape[at] if self.dim() > 0 else 1
    wide: List[int] = []
    deep: List[int] = []
    for i in range(self.dim()):
        size = max(self.shape[i], indices.shape[i]) if self.shape[i] != 0 and indices.shape[i] != 0 else 0
        wide.append(self.shape[i] if i == at else size)
        deep.append(indices.shape[i] if i == at else size)
    return self.expand(wide).gather(at, torch.where(indices < 0, indices + length, indices).expand(deep))

aten::put_(Tensor(a!) self, Tensor index, Tensor source, bool accumulate=False) -> Tensor(a!)
    if index.dtype != torch.int64 or source.dtype != self.dtype or index.numel() != source.numel():
        raise RuntimeError("put_ takes places of int64 and as many elements of the tensor's dtype")
    flat = self.flatten().clone()
    flat.index_put_([index.flatten()], source.flatten(), accumulate)
    return self.copy_(flat.reshape(self.shape))

aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor
    return self.clone().put_(index, source, accumulate)

aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor
    if source.dtype != self.dtype:
        raise RuntimeError("masked_scatter takes a source of the tensor's dtype")
    into = torch.where(mask.to(torch.bool), self, self)
    where = mask.to(torch.bool).expand(into.shape)
    count = int(where.sum())
    if source.numel() < count:
        raise RuntimeError("masked_scatter: the source has too few elements")
    if count == 0:
        return into.clone()
    order = (where.flatten().cumsum(0) - 1).clamp_min(0).clamp_max(max(source.numel() - 1, 0))
    return torch.where(where, source.flatten().index_select(0, order).reshape(where.shape), into)

aten::masked_scatter_(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)
    return torch.ops.prim.written(self, self.masked_scatter(mask, source), "masked_scatter_")

aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor  # twin
    if value.dim() != 0:
        raise RuntimeError("index_fill takes a value of no dims")
    place = torch.where(index < 0, index + (self.shape[dim] if self.dim() > 0 else 1), index)
    return self.index_fill(dim, place, value.item())

aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor
    after = right
    if side is not None:
        if side != "left" and side != "right" or side == "left" and right:
            raise RuntimeError("searchsorted: side is left or right, and agrees with 'right'")
        after = side == "right"
    line = sorted_sequence
    if line.dim() == 0:
        raise RuntimeError("searchsorted takes a sequence of one or more dims")
    if line.dim() > 1 and line.shape[:-1] != self.shape[:-1]:
        raise RuntimeError("searchsorted: sequences and values agree in all dims but the last")
    if sorter is not None:
        line = line.gather(-1, sorter)
    value = self.contiguous() if line.dim() > 1 else self.reshape([-1])
    n = line.shape[-1]
    first = torch.zeros(value.shape, dtype=torch.int64)
    last = torch.full(value.shape, n, dtype=torch.int64)
    left = n
    while left > 0:
        middle = (first + last) // 2
        here = line.gather(-1, middle.clamp_max(n - 1))
        stop = here > value if after else here >= value
        left = left // 2
        apart = first < last
        first, last = torch.where(apart & ~stop, middle + 1, first), torch.where(apart & stop, middle, last)
    out = first.reshape(self.shape)
    return out.to(torch.int32) if out_int32 else out

aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor
    if sorted_sequence.dim() != 1:
        raise RuntimeError("searchsorted of a number takes one sequence")
    kind = torch.mul(sorted_sequence[:0], self).dtype
    value = torch.full([], self, dtype=kind)
    return torch.searchsorted(sorted_sequence.to(kind), value, out_int32=out_int32, right=right, side=side, sorter=sorter)

aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor
    if boundaries.dim() != 1:
        raise RuntimeError("bucketize takes a vector of boundaries")
    return torch.searchsorted(boundaries, self, out_int32=out_int32, right=right)

aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor
    return torch.searchsorted(boundaries, self, out_int32=out_int32, right=right)

prim::no_bools(Tensor self, str op) -> Tensor
    if self.dtype == torch.bool:
        raise RuntimeError(op + " takes tensors of numbers, not of bools")
    return self

aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor
    torch.ops.prim.no_bools(elements, "isin")
    torch.ops.prim.no_bools(test_elements, "isin")
    found = (elements.unsqueeze(-1) == test_elements.flatten()).any(-1)
    return ~found if invert else found

aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor
    torch.ops.prim.no_bools(elements, "isin")
    return elements != test_element if invert else elements == test_element

aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor
    torch.ops.prim.no_bools(test_elements, "isin")
    found = (test_elements.flatten() == element).any()
    return ~found if invert else found

prim::run_lengths(Tensor starts) -> (Tensor, Tensor, Tensor)
    places = torch.arange(starts.shape[0]).masked_select(starts)
    ends = torch.cat([places[1:], torch.full([min(starts.shape[0], 1)], starts.shape[0], dtype=torch.int64)])
    return places, starts.to(torch.int64).cumsum(0) - 1, (ends - places).to(torch.int64)

prim::lines_of_some(Tensor self, int dim) -> Tensor
    if self.dim() == 0:
        raise IndexError("unique along a dim takes a tensor of one or more dims")
    for i in range(self.dim()):
        if self.shape[i] == 0 and i != dim % self.dim():
            raise RuntimeError("unique along a dim takes no tensor that is empty along another")
    return self

aten::unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)  # values
    none = torch.empty([0], dtype=torch.int64)
    if dim is None or dim == 0 and self.dim() == 1:
        flat = self.flatten()
        new = torch.ones([flat.shape[0]], dtype=torch.bool)
        if flat.shape[0] > 1:
            new = torch.cat([new[:1], flat[1:] != flat[:-1]])
        places, inverse, counts = torch.ops.prim.run_lengths(new)
        whole = inverse.reshape(self.shape)
        return flat.index_select(0, places), whole if return_inverse else none, counts if return_counts else none
    torch.ops.prim.lines_of_some(self, dim)
    lines = self.transpose(0, dim).flatten(1) if self.dim() > 1 else self.reshape([-1, 1])
    new = torch.ones([lines.shape[0]], dtype=torch.bool)
    if lines.shape[0] > 1:
        new = torch.cat([new[:1], (lines[1:] != lines[:-1]).any(1)])
    places, inverse, counts = torch.ops.prim.run_lengths(new)
    return self.index_select(dim, places), inverse, counts

aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)  # values
    none = torch.empty([0], dtype=torch.int64)
    ordered, places = self.flatten().sort(stable=True, dim=0, descending=False)
    values, groups, counts = torch.unique_consecutive(ordered, True, True)
    inverse = torch.zeros_like(groups).scatter(0, places, groups).reshape(self.shape)
    return values, inverse if return_inverse or return_counts else none, counts if return_counts else none

aten::unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)  # values
    torch.ops.prim.lines_of_some(self, dim)
    lines = self.transpose(0, dim).flatten(1) if self.dim() > 1 else self.reshape([-1, 1])
    order = torch.arange(lines.shape[0])
    for i in range(lines.shape[1]):
        column = lines.select(1, lines.shape[1] - 1 - i).index_select(0, order)
        order = order.index_select(0, column.sort(stable=True, dim=0, descending=False)[1])
    values, groups, counts = torch.unique_consecutive(self.index_select(dim, order), True, True, dim)
    inverse = torch.zeros_like(groups).scatter(0, order, groups)
    return values, inverse, counts

aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor  # twin
    if reduce != "add" and reduce != "multiply":
        raise RuntimeError("scatter: reduce is add or multiply")
    return torch.scatter_reduce(self, dim, index, src, "sum" if reduce == "add" else "prod")

aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor  # twin
    return torch.scatter(self, dim, index, torch.full(index.shape, value, dtype=self.dtype), reduce=reduce)

aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor
    return self.sort(stable=stable, dim=dim, descending=descending)[1]

aten::embedding_renorm_(Tensor(a!) self, Tensor indices, float max_norm, float norm_type) -> Tensor(a!)
    length = self.norm(norm_type, [1], True)
    looked = torch.zeros([self.shape[0]], dtype=torch.bool).index_fill(0, indices.flatten(), 1).unsqueeze(1)
    return self.copy_(torch.where(looked & (length > max_norm), self * (max_norm / (length + 1e-7)), self))

aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor  # twin
    if reduce not in ["sum", "prod", "mean", "amax", "amin"]:
        raise RuntimeError("scatter_reduce: reduce is sum, prod, mean, amax or amin")
    if self.dim() != index.dim() or self.dim() != src.dim() or self.dtype != src.dtype:
        raise RuntimeError("scatter_reduce takes tensors of as many dims, and one dtype")
    if index.numel() == 0:
        return self.clone()
    if self.dim() == 0:
        return torch.ops.prim.scattered(self.reshape([1]), 0, index.reshape([1]), src.reshape([1]), reduce, include_self).reshape([])
    return torch.ops.prim.scattered(self, dim, index, src, reduce, include_self)

prim::scattered(Tensor self, int dim, Tensor index, Tensor src, str reduce, bool include_self) -> Tensor
    given = src
    for d in range(self.dim()):
        given = given.narrow(d, 0, index.shape[d])
    counts = torch.zeros(self.shape, dtype=torch.int64).scatter_add(dim, index, torch.ones_like(index, dtype=torch.int64))
    fresh = counts > 0 if not include_self else torch.zeros_like(counts, dtype=torch.bool)
    if reduce == "sum" or reduce == "mean":
        total = self.masked_fill(fresh, 0).scatter_add(dim, index, given)
        if reduce == "sum":
            return total
        counts = (counts + 1 if include_self else counts).clamp_min(1)
        return total / counts if self.is_floating_point() else torch.floor_divide(total, counts).to(self.dtype)
    out = self.clone()
    part = out.transpose(dim, -1)
    fresh_line = fresh.transpose(dim, -1)
    where = index.transpose(dim, -1)
    items = given.transpose(dim, -1)
    for d in range(self.dim() - 1):
        part = part.narrow(d, 0, where.shape[d])
        fresh_line = fresh_line.narrow(d, 0, where.shape[d])
    line = part.clone()
    for k in range(where.shape[-1]):
        place = where.narrow(-1, k, 1)
        item = items.narrow(-1, k, 1)
        held = line.gather(-1, place)
        if reduce == "prod":
            joined = held * item
        else:
            joined = torch.maximum(held, item) if reduce == "amax" else torch.minimum(held, item)
        joined = torch.where(fresh_line.gather(-1, place), item, joined)
        line = line.scatter(-1, place, joined)
        fresh_line = fresh_line.scatter(-1, place, torch.zeros_like(joined, dtype=torch.bool))
    part.copy_(line)
    return out
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(kText, "scripted_index");
  return true;
}();

}  // namespace
}  // namespace fusillade
