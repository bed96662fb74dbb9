// Rows in the language: what makes a copy of a view, functions of complex numbers on real ones, and
// tensors with strides of the caller's.
//
// Complex numbers are not here: of a real tensor the conjugate is the tensor and the angle is 0 or
// pi. A copy of a view is contiguous.
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kText = R"py(
prim::fresh(Tensor self) -> Tensor
    return self.clone(memory_format=torch.contiguous_format)

aten::alias_copy(Tensor self) -> Tensor
    return torch.ops.prim.fresh(self)

aten::expand_copy(Tensor self, int[] size, *, bool implicit=False) -> Tensor
    return torch.ops.prim.fresh(self.expand(size))

aten::permute_copy(Tensor self, int[] dims) -> Tensor
    return torch.ops.prim.fresh(self.permute(dims))

aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor
    return torch.ops.prim.fresh(self.transpose(dim0, dim1))

aten::t_copy(Tensor self) -> Tensor
    return torch.ops.prim.fresh(self.t())

aten::view_copy(Tensor self, int[] size) -> Tensor
    return torch.ops.prim.fresh(self.reshape(size))

aten::squeeze_copy(Tensor self) -> Tensor
    return torch.ops.prim.fresh(self.squeeze())

aten::squeeze_copy.dim(Tensor self, int dim) -> Tensor
    return torch.ops.prim.fresh(self.squeeze(dim))

aten::unsqueeze_copy(Tensor self, int dim) -> Tensor
    return torch.ops.prim.fresh(self.unsqueeze(dim))

aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor
    return torch.ops.prim.fresh(self.diagonal(offset, dim1, dim2))

aten::detach_copy(Tensor self) -> Tensor
    return torch.ops.prim.fresh(self)

aten::narrow_copy(Tensor self, int dim, int start, int length) -> Tensor
    return torch.ops.prim.fresh(self.narrow(dim, start, length))

aten::select_copy.int(Tensor self, int dim, int index) -> Tensor
    return torch.ops.prim.fresh(self.select(dim, index))

aten::slice_copy.Tensor(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor
    return torch.ops.prim.fresh(torch.ops.aten.slice(self, dim, start, end, step))

aten::unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor
    return torch.ops.prim.fresh(self.unfold(dimension, size, step))

aten::as_strided_copy(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor
    return torch.ops.prim.fresh(self.as_strided(size, stride, storage_offset))

aten::unbind_copy.int(Tensor self, int dim=0) -> Tensor[]
    return [torch.ops.prim.fresh(t) for t in self.unbind(dim)]

aten::split_copy.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]
    return [torch.ops.prim.fresh(t) for t in self.split(split_size, dim)]

aten::split_with_sizes_copy(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]
    return [torch.ops.prim.fresh(t) for t in self.split_with_sizes(split_sizes, dim)]

aten::unsafe_split.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]
    return [torch.ops.prim.fresh(t) for t in self.split(split_size, dim)]

aten::unsafe_split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]
    return [torch.ops.prim.fresh(t) for t in self.split_with_sizes(split_sizes, dim)]

aten::conj(Tensor(a) self) -> Tensor(a)
    return self

aten::resolve_conj(Tensor(a) self) -> Tensor(a)
    return self

aten::resolve_neg(Tensor(a) self) -> Tensor(a)
    return self

aten::conj_physical(Tensor self) -> Tensor
    return self

aten::isreal(Tensor self) -> Tensor
    return torch.ones_like(self, dtype=torch.bool)

aten::angle(Tensor self) -> Tensor
    x = torch.ops.prim.floating(self)
    return torch.where(x != x, x, torch.where(x < 0, torch.full_like(x, 3.141592653589793), torch.zeros_like(x)))

prim::reached_by(int[] size, int[] stride) -> int
    last = 1
    for i in range(len(size)):
        if size[i] == 0:
            return 0
        last = last + (size[i] - 1) * stride[i]
    return last

aten::empty_strided(int[] size, int[] stride, *, OPTIONS) -> Tensor
    if len(size) != len(stride) or (len(stride) > 0 and min(stride) < 0):
        raise RuntimeError("empty_strided takes a stride of at least 0 for each size")
    return torch.empty([torch.ops.prim.reached_by(size, stride)], PASSED).as_strided(size, stride)

aten::new_empty_strided(Tensor self, int[] size, int[] stride, *, OPTIONS) -> Tensor
    kind = self.dtype if dtype is None else dtype
    return torch.ops.aten.empty_strided(size, stride, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)

aten::empty_permuted(int[] size, int[] physical_layout, *, OPTIONS) -> Tensor
    back = [0] * len(physical_layout)
    for i in range(len(physical_layout)):
        back[physical_layout[i]] = i
    return torch.empty([size[i] for i in physical_layout], PASSED).permute(back)

aten::as_strided_scatter(Tensor self, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> Tensor
    if src.shape != size:
        raise RuntimeError(f"as_strided_scatter takes a source of sizes {size}, got {src.shape}")
    places = torch.arange(self.numel()).as_strided(size, stride, storage_offset).reshape([-1])
    return self.reshape([-1]).scatter(0, places, src.reshape([-1])).reshape(self.shape)
)py";

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
  return text;
}

[[maybe_unused]] const bool kRegistered = [] {
  std::string text = replaced(
      std::string(kText), "OPTIONS",
      "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None");
  text =
      replaced(text, "PASSED", "dtype=dtype, layout=layout, device=device, pin_memory=pin_memory");
  add_scripted(text, "scripted_copy");
  return true;
}();

}  // namespace
}  // namespace fusillade
