// Rows in the language: maxima over windows whose places are drawn, fractional_max_pool (Graham
// 2014, arXiv:1412.6071).
//
// Window i of a dim starts at the whole part of (i + u) * step less that of u * step, u being the
// dim's random number and step what spreads the windows over the dim; the last one ends where the
// dim ends. Two dims have their numbers last one first, three first one first, and three leave an
// element to spare; of equal numbers the first is taken, of NaNs the last; as in PyTorch.
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kText = R"py(
prim::fraction_starts(Tensor drawn, int size, int cells, int kernel, int spare) -> Tensor
    if kernel < 1 or cells < 1 or cells + kernel - 1 > size - spare:
        raise RuntimeError(f"fractional_max_pool: {cells} windows of {kernel} do not fit into {size} elements")
    at = torch.arange(cells, dtype=drawn.dtype)
    step = torch.full([], (size - kernel) / max(cells - 1, 1), dtype=drawn.dtype)
    u = drawn.unsqueeze(-1)
    starts = ((at + u) * step).to(torch.int64) - (u * step).to(torch.int64)
    return torch.where(torch.arange(cells) == cells - 1, torch.full_like(starts, size - kernel), starts)

prim::fraction_pooled(Tensor self, int[] kernel_size, int[] output_size, Tensor random_samples, int dims) -> (Tensor, Tensor)
    if self.dim() != dims + 1 and self.dim() != dims + 2 or len(kernel_size) != dims or len(output_size) != dims:
        raise RuntimeError("fractional_max_pool takes one or two dims in front of those it pools, and a kernel and an output size for each of these")
    x = self if self.dim() == dims + 2 else self.unsqueeze(0)
    if min(x.shape[1:]) == 0 or random_samples.shape != [x.shape[0], x.shape[1], dims] or random_samples.dtype != self.dtype:
        raise RuntimeError("fractional_max_pool takes random numbers of the input's dtype, one for each dim of each image")
    place = torch.zeros([x.shape[0], x.shape[1]] + [1] * (2 * dims), dtype=torch.int64)
    for d in range(dims):
        drawn = random_samples.select(2, dims - 1 - d if dims == 2 else d)
        starts = torch.ops.prim.fraction_starts(drawn, x.shape[d + 2], output_size[d], kernel_size[d], dims - 2)
        line = starts.unsqueeze(-1) + torch.arange(kernel_size[d])
        shape = [x.shape[0], x.shape[1]] + [1] * (2 * dims)
        shape[d + 2], shape[d + 2 + dims] = output_size[d], kernel_size[d]
        place = place * x.shape[d + 2] + line.reshape(shape)
    lead: List[int] = self.shape[:self.dim() - dims]
    places = place.flatten(2 + dims).flatten(2, 1 + dims)
    items = x.flatten(2).gather(2, places.flatten(2)).reshape(places.shape)
    broken = items.isnan()
    latest = (broken.to(torch.int64) * torch.arange(items.shape[-1])).argmax(-1, True)
    best = torch.where(broken.any(-1, True), latest, items.argmax(-1, True))
    return items.gather(-1, best).reshape(lead + output_size), places.gather(-1, best).reshape(lead + output_size)

aten::fractional_max_pool2d(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples) -> (Tensor, Tensor)
    return torch.ops.prim.fraction_pooled(self, torch.ops.prim.each_of(kernel_size, 2), torch.ops.prim.each_of(output_size, 2), random_samples, 2)

aten::fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> (Tensor, Tensor)
    return torch.ops.prim.fraction_pooled(self, torch.ops.prim.each_of(kernel_size, 3), torch.ops.prim.each_of(output_size, 3), random_samples, 3)
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(kText, "scripted_fraction");
  return true;
}();

}  // namespace
}  // namespace fusillade
