// Rows in the language: joining, splitting, turning, diagonals.
#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"
#include "engine/tensor/shape.h"

namespace fusillade {
namespace {

constexpr const char* kFamily = "scripted_shape";

constexpr std::string_view kText = R"py(
aten::ravel(Tensor(a) self) -> Tensor(a)
    return self.reshape([-1])

aten::mT(Tensor(a) self) -> Tensor(a)
    if self.dim() == 1:
        raise RuntimeError("mT takes no tensor of one dim")
    return self.transpose(-2, -1) if self.dim() > 1 else self

aten::mH(Tensor(a) self) -> Tensor(a)
    if self.dim() == 1:
        raise RuntimeError("mH takes no tensor of one dim")
    return self.transpose(-2, -1) if self.dim() > 1 else self

aten::adjoint(Tensor(a) self) -> Tensor(a)
    if self.dim() == 1:
        raise RuntimeError("adjoint takes no tensor of one dim")
    return self.transpose(-2, -1) if self.dim() > 1 else self

aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)
    rank = self.dim()
    if len(source) != len(destination):
        raise RuntimeError("movedim: as many destinations as sources")
    order = [-1] * rank
    left = [i for i in range(rank)]
    for i in range(len(source)):
        a, b = source[i], destination[i]
        if a < -rank or a >= rank or b < -rank or b >= rank:
            raise RuntimeError("movedim: a dim is out of range")
        a, b = a % rank, b % rank
        if order[b] >= 0 or a not in left:
            raise RuntimeError("movedim: a dim is named twice")
        order[b] = a
        left.remove(a)
    for i in range(rank):
        if order[i] < 0:
            order[i] = left.pop(0)
    return self.permute(order)

aten::atleast_1d(Tensor(a) self) -> Tensor(a)
    return self.reshape([1]) if self.dim() == 0 else self

aten::atleast_2d(Tensor(a) self) -> Tensor(a)
    return self.reshape([1, -1]) if self.dim() < 2 else self

aten::atleast_3d(Tensor(a) self) -> Tensor(a)
    if self.dim() == 2:
        return self.unsqueeze(-1)
    return self.reshape([1, -1, 1]) if self.dim() < 2 else self

aten::atleast_1d.Sequence(Tensor(a -> *)[] tensors) -> Tensor(a)[]
    return [torch.atleast_1d(t) for t in tensors]

aten::atleast_2d.Sequence(Tensor(a -> *)[] tensors) -> Tensor(a)[]
    return [torch.atleast_2d(t) for t in tensors]

aten::atleast_3d.Sequence(Tensor(a -> *)[] tensors) -> Tensor(a)[]
    return [torch.atleast_3d(t) for t in tensors]

aten::vstack(Tensor[] tensors) -> Tensor
    return torch.cat([torch.atleast_2d(t) for t in tensors], 0)

aten::hstack(Tensor[] tensors) -> Tensor
    whole = [torch.atleast_1d(t) for t in tensors]
    if len(whole) == 0:
        raise RuntimeError("hstack takes at least one tensor")
    return torch.cat(whole, 0 if whole[0].dim() == 1 else 1)

aten::dstack(Tensor[] tensors) -> Tensor
    return torch.cat([torch.atleast_3d(t) for t in tensors], 2)

aten::column_stack(Tensor[] tensors) -> Tensor
    return torch.cat([t.reshape([-1, 1]) if t.dim() < 2 else t for t in tensors], 1)

aten::tensor_split.sections(Tensor(a -> *) self, int sections, int dim=0) -> Tensor(a)[]
    if self.dim() == 0 or sections < 1:
        raise RuntimeError("tensor_split takes a tensor of one or more dims and one or more sections")
    size = self.shape[dim]
    least, more = size // sections, size % sections
    parts: List[Tensor] = []
    start = 0
    for i in range(sections):
        length = least + 1 if i < more else least
        parts.append(self.narrow(dim, start, length))
        start = start + length
    return parts

aten::tensor_split.indices(Tensor(a -> *) self, int[] indices, int dim=0) -> Tensor(a)[]
    if self.dim() == 0:
        raise RuntimeError("tensor_split takes a tensor of one or more dims")
    parts: List[Tensor] = []
    start = 0
    for end in indices:
        parts.append(self.slice(dim, start, end, 1))
        start = end
    parts.append(self.slice(dim, start, None, 1))
    return parts

aten::tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]
    where = tensor_indices_or_sections
    if where.dtype != torch.int64 or where.dim() > 1:
        raise RuntimeError("tensor_split takes a vector of int64, or one number")
    if where.dim() == 0:
        return self.tensor_split(int(where), dim)
    places = [int(where[i]) for i in range(where.numel())]
    return self.tensor_split(places, dim)

aten::hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]
    if self.dim() == 0:
        raise RuntimeError("hsplit takes a tensor of one or more dims")
    at = 0 if self.dim() == 1 else 1
    if sections == 0 or self.shape[at] % sections != 0:
        raise RuntimeError("hsplit: the dim does not split into equal sections")
    return self.tensor_split(sections, at)

aten::hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]
    return self.tensor_split(indices, 0 if self.dim() == 1 else 1)

aten::vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]
    if self.dim() < 2:
        raise RuntimeError("vsplit takes a tensor of two or more dims")
    if sections == 0 or self.shape[0] % sections != 0:
        raise RuntimeError("vsplit: the dim does not split into equal sections")
    return self.tensor_split(sections, 0)

aten::vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]
    if self.dim() < 2:
        raise RuntimeError("vsplit takes a tensor of two or more dims")
    return self.tensor_split(indices, 0)

aten::dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]
    if self.dim() < 3:
        raise RuntimeError("dsplit takes a tensor of three or more dims")
    if sections == 0 or self.shape[2] % sections != 0:
        raise RuntimeError("dsplit: the dim does not split into equal sections")
    return self.tensor_split(sections, 2)

aten::dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]
    if self.dim() < 3:
        raise RuntimeError("dsplit takes a tensor of three or more dims")
    return self.tensor_split(indices, 2)

aten::tile(Tensor self, int[] dims) -> Tensor
    return self.repeat([1] * max(self.dim() - len(dims), 0) + dims)

aten::repeat_interleave.self_int(Tensor self, int repeats, int? dim=None, *, int? output_size=None) -> Tensor
    source = self.flatten() if dim is None else self
    at = 0 if dim is None else dim
    if repeats < 0:
        raise RuntimeError("repeat_interleave: repeats is at least 0")
    index = torch.arange(source.shape[at]).unsqueeze(1).expand([-1, repeats]).reshape([-1])
    return source.index_select(at, index)

aten::repeat_interleave.Tensor(Tensor repeats, *, int? output_size=None) -> Tensor  # values
    if repeats.dim() != 1 or (repeats.dtype != torch.int64 and repeats.dtype != torch.int32):
        raise RuntimeError("repeat_interleave takes a vector of int32 or int64")
    if bool((repeats < 0).any()):
        raise RuntimeError("repeat_interleave: repeats are at least 0")
    most = int(repeats.max()) if repeats.numel() > 0 else 0
    places = torch.arange(repeats.shape[0]).unsqueeze(1).expand([-1, most])
    return places.masked_select(torch.arange(most) < repeats.unsqueeze(1)).to(repeats.dtype)

aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None) -> Tensor  # values
    source = self.flatten() if dim is None else self
    at = 0 if dim is None else dim
    each = repeats.reshape([1]).expand([source.shape[at]]) if repeats.numel() == 1 and repeats.dim() < 2 else repeats
    if each.dim() != 1 or each.shape[0] != source.shape[at]:
        raise RuntimeError("repeat_interleave: as many repeats as there are items along the dim")
    return source.index_select(at, torch.repeat_interleave(each))

aten::fliplr(Tensor self) -> Tensor
    if self.dim() < 2:
        raise RuntimeError("fliplr takes a tensor of two or more dims")
    return self.flip([1])

aten::flipud(Tensor self) -> Tensor
    if self.dim() < 1:
        raise RuntimeError("flipud takes a tensor of one or more dims")
    return self.flip([0])

aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor
    rank = self.dim()
    if len(dims) != 2 or rank < 2:
        raise RuntimeError("rot90 takes two dims of a tensor of two or more")
    a, b = dims[0], dims[1]
    if a < -rank or a >= rank or b < -rank or b >= rank or a % rank == b % rank:
        raise RuntimeError("rot90 takes two different dims of the tensor")
    turns = k % 4
    if turns == 1:
        return self.flip([b]).transpose(a, b)
    if turns == 2:
        return self.flip(dims)
    if turns == 3:
        return self.flip([a]).transpose(a, b)
    return self.clone()

aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor
    rank = self.dim() + 1
    if dim1 < -rank or dim1 >= rank or dim2 < -rank or dim2 >= rank or dim1 % rank == dim2 % rank:
        raise RuntimeError("diag_embed takes two different dims of the result")
    size = self.shape[-1] + abs(offset)
    lead: List[int] = self.shape[:-1]
    square = self.new_zeros(lead + [size, size]).movedim([-2, -1], [dim1, dim2]).contiguous()
    square.diagonal(offset, dim1, dim2).copy_(self)
    return square

aten::diag(Tensor self, int diagonal=0) -> Tensor
    if self.dim() != 1 and self.dim() != 2:
        raise RuntimeError("diag takes a vector or a matrix")
    if self.dim() == 1:
        return torch.diag_embed(self, diagonal)
    line = self.diagonal(diagonal)
    if line.shape[0] == 0:
        raise RuntimeError("diag: the matrix has no such diagonal")
    return line.clone()

aten::diagflat(Tensor self, int offset=0) -> Tensor
    return torch.diag_embed(self.reshape([-1]), offset)

aten::trace(Tensor self) -> Tensor
    if self.dim() != 2:
        raise RuntimeError("trace takes a matrix")
    return self.diagonal().sum()

aten::select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor
    out = self.clone()
    place = out.select(dim, index)
    if place.shape != src.shape:
        raise RuntimeError("select_scatter: src has the shape of what it replaces")
    place.copy_(src)
    return out

aten::slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor
    out = self.clone()
    place = out.slice(dim, start, end, step)
    if place.shape != src.shape:
        raise RuntimeError("slice_scatter: src has the shape of what it replaces")
    place.copy_(src)
    return out

aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor
    out = self.clone()
    place = out.diagonal(offset, dim1, dim2)
    if place.shape != src.shape:
        raise RuntimeError("diagonal_scatter: src has the shape of what it replaces")
    place.copy_(src)
    return out

aten::fill_diagonal_(Tensor(a!) self, Scalar fill_value, bool wrap=False) -> Tensor(a!)
    if self.dim() < 2:
        raise RuntimeError("fill_diagonal_ takes a tensor of two or more dims")
    for n in self.shape:
        if self.dim() > 2 and n != self.shape[0]:
            raise RuntimeError("fill_diagonal_: all dims of more than two are of one size")
    line = self.diagonal()
    for i in range(2, self.dim()):
        line = line.diagonal(0, 0, -1)
    line.fill_(fill_value)
    if wrap and self.dim() == 2:
        rows, columns = self.shape[0], self.shape[1]
        for top in range(columns + 1, rows, columns + 1):
            self.narrow(0, top, rows - top).diagonal().fill_(fill_value)
    return self

aten::block_diag(Tensor[] tensors) -> Tensor
    rows, columns = 0, 0
    dtype = tensors[0].dtype if len(tensors) > 0 else torch.float32
    for t in tensors:
        if t.dim() > 2:
            raise RuntimeError("block_diag takes tensors of at most two dims")
        block = torch.atleast_2d(t)
        rows, columns = rows + block.shape[0], columns + block.shape[1]
        dtype = torch.promote_types(dtype, t.dtype)
    out = torch.zeros([rows, columns], dtype=dtype)
    top, left = 0, 0
    for t in tensors:
        block = torch.atleast_2d(t)
        out.narrow(0, top, block.shape[0]).narrow(1, left, block.shape[1]).copy_(block)
        top, left = top + block.shape[0], left + block.shape[1]
    return out

aten::meshgrid(Tensor[] tensors) -> Tensor[]
    return torch.meshgrid(tensors, indexing="ij")

aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]
    if len(tensors) == 0 or (indexing != "ij" and indexing != "xy"):
        raise RuntimeError("meshgrid takes one or more tensors, and indexing 'ij' or 'xy'")
    turned = indexing == "xy" and len(tensors) > 1
    lines = [tensors[1], tensors[0]] + tensors[2:] if turned else tensors
    sizes: List[int] = []
    for t in lines:
        if t.dim() > 1 or t.dtype != tensors[0].dtype:
            raise RuntimeError("meshgrid takes vectors and numbers of one dtype")
        sizes.append(t.numel())
    out: List[Tensor] = []
    for i in range(len(lines)):
        shape = [1] * len(lines)
        shape[i] = -1
        out.append(lines[i].reshape(shape).expand(sizes).clone())
    return [out[1], out[0]] + out[2:] if turned else out

aten::cartesian_prod(Tensor[] tensors) -> Tensor
    for t in tensors:
        if t.dim() != 1:
            raise RuntimeError("cartesian_prod takes vectors")
    if len(tensors) == 1:
        return tensors[0].clone()
    return torch.stack([t.flatten() for t in torch.meshgrid(tensors)], 1)

aten::combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor  # values
    if self.dim() != 1 or r < 0:
        raise RuntimeError("combinations takes a vector, and r of at least 0")
    if r == 0:
        return self.new_empty([0])
    n = self.shape[0]
    places = torch.meshgrid([torch.arange(n)] * r)
    kept = torch.ones([n] * r, dtype=torch.bool)
    for i in range(r - 1):
        kept = kept & ((places[i] <= places[i + 1]) if with_replacement else (places[i] < places[i + 1]))
    grids = torch.meshgrid([self] * r)
    return torch.stack([g.masked_select(kept) for g in grids], 1).to(self.dtype)

aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor
    r = upscale_factor
    if self.dim() < 3 or r < 1 or self.shape[-3] % (r * r) != 0:
        raise RuntimeError("pixel_shuffle: the channels are a multiple of " + str(r) + " squared, in front of two dims")
    lead: List[int] = self.shape[:-3]
    c, h, w = self.shape[-3] // (r * r), self.shape[-2], self.shape[-1]
    n = len(lead)
    parts = self.reshape(lead + [c, r, r, h, w]).permute([i for i in range(n)] + [n, n + 3, n + 1, n + 4, n + 2])
    return parts.reshape(lead + [c, h * r, w * r])

aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor
    r = downscale_factor
    if self.dim() < 3 or r < 1 or self.shape[-2] % r != 0 or self.shape[-1] % r != 0:
        raise RuntimeError("pixel_unshuffle: height and width are multiples of " + str(r))
    if self.numel() == 0:
        return self.clone()
    lead: List[int] = self.shape[:-3]
    c, h, w = self.shape[-3], self.shape[-2] // r, self.shape[-1] // r
    n = len(lead)
    parts = self.reshape(lead + [c, h, r, w, r]).permute([i for i in range(n)] + [n, n + 2, n + 4, n + 1, n + 3])
    return parts.reshape(lead + [c * r * r, h, w])

aten::channel_shuffle(Tensor self, int groups) -> Tensor
    if self.dim() < 3 or groups < 1 or self.shape[1] % groups != 0:
        raise RuntimeError("channel_shuffle: the channels are a multiple of the groups, in front of other dims")
    n, c = self.shape[0], self.shape[1]
    return self.reshape([n, groups, c // groups, -1]).transpose(1, 2).reshape(self.shape)

aten::msort(Tensor self) -> Tensor
    return self.sort(0)[0]

aten::tril_(Tensor(a!) self, int diagonal=0) -> Tensor(a!)
    return self.copy_(self.tril(diagonal))

aten::triu_(Tensor(a!) self, int diagonal=0) -> Tensor(a!)
    return self.copy_(self.triu(diagonal))
)py";

std::vector<ViewGeometry> plan_diagonal(const Row& row, std::span<const ArgInfo> args,
                                        const Dims& sizes, const Dims& strides) {
  int64_t offset = known_int(row, args, 1);
  if (sizes.rank() < 2)
    fail("{}: takes a tensor of two or more dims, given {}", row.name, to_string(sizes));
  int a = wrap_dim(known_int(row, args, 2), sizes.rank());
  int b = wrap_dim(known_int(row, args, 3), sizes.rank());
  if (a == b) fail("{}: the dims are the same: {}", row.name, a);
  int64_t across = std::max<int64_t>(offset, 0);
  int64_t down = offset < 0 && offset > INT64_MIN ? -offset : (offset < 0 ? INT64_MAX : 0);
  int64_t length =
      std::min(sizes[a] > down ? sizes[a] - down : 0, sizes[b] > across ? sizes[b] - across : 0);
  ViewGeometry g;
  for (int d = 0; d < sizes.rank(); ++d) {
    if (d == a || d == b) continue;
    g.sizes.push_back(sizes[d]);
    g.strides.push_back(strides[d]);
  }
  g.sizes.push_back(length);
  g.strides.push_back(strides[a] + strides[b]);
  if (length > 0) g.offset = down * strides[a] + across * strides[b];
  return {g};
}

[[maybe_unused]] const bool kRegistered = [] {
  using enum Role;
  add_scripted(kText, kFamily);
  add_view("aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)",
           &plan_diagonal, {Operand, Default, Default, Default}, kFamily, false);
  return true;
}();

}  // namespace
}  // namespace fusillade
