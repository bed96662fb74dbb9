// Rows in the language: transposed and three-dimensional convolution, three-dimensional pooling,
// maxima with their places, resizing, sampling on a grid, bags of embeddings, the CTC loss.
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr const char* kFamily = "scripted_nn";

constexpr std::string_view kConvolutions = R"py(
prim::each_of(int[] given, int dims) -> int[]
    return given * dims if len(given) == 1 else given

prim::convolved3d(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int groups) -> Tensor
    if weight.dim() != 5 or (input.dim() != 4 and input.dim() != 5) or input.dtype != weight.dtype:
        raise RuntimeError("conv3d takes an input of four or five dims and a weight of five, of one dtype")
    if bias is not None and (bias.dim() != 1 or bias.shape[0] != weight.shape[0] or bias.dtype != input.dtype):
        raise RuntimeError("conv3d takes a bias of the input's dtype for each channel of the result")
    steps, pads = torch.ops.prim.each_of(stride, 3), torch.ops.prim.each_of(padding, 3)
    apart = torch.ops.prim.each_of(dilation, 3)
    if steps[0] < 1 or apart[0] < 1 or pads[0] < 0:
        raise RuntimeError("conv3d: stride and dilation are positive, padding is at least 0")
    x = torch.constant_pad_nd(input if input.dim() == 5 else input.unsqueeze(0), [0, 0, 0, 0, pads[0], pads[0]])
    n, c, depth, k = x.shape[0], x.shape[1], x.shape[2], weight.shape[2]
    deep = (depth - apart[0] * (k - 1) - 1) // steps[0] + 1
    if deep < 1:
        raise RuntimeError("conv3d: the kernel is greater than the padded input")
    out = torch.zeros([1], dtype=x.dtype)
    for i in range(k):
        layers = x.slice(2, i * apart[0], i * apart[0] + (deep - 1) * steps[0] + 1, steps[0]).transpose(1, 2)
        part = torch.conv2d(layers.reshape([n * deep, c, x.shape[3], x.shape[4]]), weight.select(2, i), None, steps[1:],
                            pads[1:], apart[1:], groups)
        out = out + part
    layered = out.reshape([n, deep, weight.shape[0], out.shape[2], out.shape[3]]).transpose(1, 2)
    whole = layered.reshape([-1]).reshape(layered.shape)
    if bias is not None:
        whole = whole + bias.reshape([-1, 1, 1, 1])
    return whole if input.dim() == 5 else whole.squeeze(0)

aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] padding=0, int[3] dilation=1, int groups=1) -> Tensor
    return torch.ops.prim.convolved3d(input, weight, bias, stride, padding, dilation, groups)

aten::conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, str padding="valid", int[3] dilation=1, int groups=1) -> Tensor
    if padding == "valid":
        return torch.ops.prim.convolved3d(input, weight, bias, stride, [0], dilation, groups)
    steps, apart = torch.ops.prim.each_of(stride, 3), torch.ops.prim.each_of(dilation, 3)
    if padding != "same" or steps[0] != 1 or steps[1] != 1 or steps[2] != 1 or weight.dim() != 5:
        raise RuntimeError("conv3d: padding is 'valid', or 'same' with a stride of 1")
    pads: List[int] = []
    for i in range(3):
        total = apart[2 - i] * (weight.shape[4 - i] - 1)
        pads.append(total // 2)
        pads.append(total - total // 2)
    return torch.ops.prim.convolved3d(torch.constant_pad_nd(input, pads), weight, bias, stride, [0], dilation, groups)

prim::conv_transposed(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] output_padding, int groups, int[] dilation, int dims) -> Tensor
    if weight.dim() != dims + 2 or (input.dim() != dims + 1 and input.dim() != dims + 2) or groups < 1:
        raise RuntimeError("conv_transpose: the input or the weight has other dims than the convolution")
    steps, pads = torch.ops.prim.each_of(stride, dims), torch.ops.prim.each_of(padding, dims)
    more, apart = torch.ops.prim.each_of(output_padding, dims), torch.ops.prim.each_of(dilation, dims)
    x = input if input.dim() == dims + 2 else input.unsqueeze(0)
    c = x.shape[1]
    if c != weight.shape[0] or c % groups != 0 or input.dtype != weight.dtype:
        raise RuntimeError("conv_transpose: the input's channels are the weight's, of one dtype, a multiple of the groups")
    sizes = [x.shape[0], c]
    frame: List[int] = []
    for i in range(dims):
        if steps[i] < 1 or apart[i] < 1 or pads[i] < 0 or more[i] < 0 or more[i] >= max(steps[i], apart[i]):
            raise RuntimeError("conv_transpose: stride and dilation are positive, output_padding is less than one of them")
        sizes.append((x.shape[i + 2] - 1) * steps[i] + 1)
        d = dims - 1 - i
        edge = apart[d] * (weight.shape[d + 2] - 1) - pads[d]
        frame.append(edge)
        frame.append(edge + more[d])
    spread = x.new_zeros(sizes)
    place = spread.slice(2, None, None, steps[0])
    for i in range(1, dims):
        place = place.slice(i + 2, None, None, steps[i])
    place.copy_(x)
    kernel: List[int] = weight.shape[2:]
    turned = weight.flip([i + 2 for i in range(dims)]).reshape([groups, c // groups, weight.shape[1]] + kernel)
    filters = turned.transpose(1, 2).reshape([groups * weight.shape[1], c // groups] + kernel)
    framed = torch.constant_pad_nd(spread, frame)
    if dims == 1:
        out = torch.conv1d(framed, filters, bias, [1], [0], apart, groups)
    elif dims == 2:
        out = torch.conv2d(framed, filters, bias, [1, 1], [0, 0], apart, groups)
    else:
        out = torch.ops.prim.convolved3d(framed, filters, bias, [1], [0], apart, groups)
    return out if input.dim() == dims + 2 else out.squeeze(0)

aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=[1], int[1] padding=[0], int[1] output_padding=[0], int groups=1, int[1] dilation=[1]) -> Tensor
    return torch.ops.prim.conv_transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, 1)

aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] output_padding=0, int groups=1, int[2] dilation=1) -> Tensor
    return torch.ops.prim.conv_transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, 2)

aten::conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] padding=0, int[3] output_padding=0, int groups=1, int[3] dilation=1) -> Tensor
    return torch.ops.prim.conv_transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, 3)

aten::col2im(Tensor self, int[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor
    if self.dim() != 2 and self.dim() != 3:
        raise RuntimeError("fold takes columns in two or three dims")
    if self.shape[-1] == 0 or self.shape[-2] == 0:
        raise RuntimeError("fold takes columns of which only the batch is empty")
    x = self if self.dim() == 3 else self.unsqueeze(0)
    kh, kw = kernel_size[0], kernel_size[1]
    if min(kh, kw) < 1 or min(stride) < 1 or min(dilation) < 1 or min(padding) < 0:
        raise RuntimeError("fold: kernel, stride and dilation are positive, padding is at least 0")
    high, wide = output_size[0] + 2 * padding[0], output_size[1] + 2 * padding[1]
    rows = (high - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    cols = (wide - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    n, c, count = x.shape[0], x.shape[1], x.shape[2]
    if c % (kh * kw) != 0 or count != rows * cols or rows < 1 or cols < 1:
        raise RuntimeError("fold: the columns are no blocks of the kernel at the places of the result")
    parts = x.reshape([n, c // (kh * kw), kh, kw, rows, cols])
    out = x.new_zeros([n, c // (kh * kw), high, wide])
    for i in range(kh):
        for j in range(kw):
            top, left = i * dilation[0], j * dilation[1]
            place = out.slice(2, top, top + (rows - 1) * stride[0] + 1, stride[0])
            place.slice(3, left, left + (cols - 1) * stride[1] + 1, stride[1]).add_(parts.select(2, i).select(2, j))
    inner = out.narrow(2, padding[0], output_size[0]).narrow(3, padding[1], output_size[1]).contiguous()
    return inner if self.dim() == 3 else inner.squeeze(0)
)py";

constexpr std::string_view kPools = R"py(
aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor
    if self.dim() != 4 and self.dim() != 5:
        raise RuntimeError("max_pool3d takes a tensor of four or five dims")
    kernel = torch.ops.prim.each_of(kernel_size, 3)
    step = kernel if len(stride) == 0 else torch.ops.prim.each_of(stride, 3)
    pad, apart = torch.ops.prim.each_of(padding, 3), torch.ops.prim.each_of(dilation, 3)
    planes = torch.max_pool2d(self.flatten(0, -3).unsqueeze(1), kernel[1:], step[1:], pad[1:], apart[1:], ceil_mode)
    lines = planes.reshape(self.shape[:-2] + [planes.shape[-2] * planes.shape[-1]])
    out = torch.max_pool2d(lines, [kernel[0], 1], [step[0], 1], [pad[0], 0], [apart[0], 1], ceil_mode)
    return out.reshape(out.shape[:-1] + [planes.shape[-2], planes.shape[-1]])

prim::mean_pooled3d(Tensor self, int[] kernel, int[] step, int[] pad, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor
    one = 1 if divisor_override is not None else None
    planes = torch.avg_pool2d(self.flatten(0, -3).unsqueeze(1), kernel[1:], step[1:], pad[1:], ceil_mode, count_include_pad, one)
    lines = planes.reshape(self.shape[:-2] + [planes.shape[-2] * planes.shape[-1]])
    out = torch.avg_pool2d(lines, [kernel[0], 1], [step[0], 1], [pad[0], 0], ceil_mode, count_include_pad, divisor_override)
    return out.reshape(out.shape[:-1] + [planes.shape[-2], planes.shape[-1]])

aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor
    if self.dim() != 4 and self.dim() != 5:
        raise RuntimeError("avg_pool3d takes a tensor of four or five dims")
    kernel = torch.ops.prim.each_of(kernel_size, 3)
    step = kernel if len(stride) == 0 else torch.ops.prim.each_of(stride, 3)
    pad = torch.ops.prim.each_of(padding, 3)
    if self.is_floating_point() or divisor_override is not None:
        return torch.ops.prim.mean_pooled3d(self, kernel, step, pad, ceil_mode, count_include_pad, divisor_override)
    ones = torch.ones([1] + self.shape[-3:], dtype=torch.float64)
    held = torch.ops.prim.mean_pooled3d(ones, kernel, step, pad, ceil_mode, count_include_pad, 1)
    counts = (held / torch.ops.prim.mean_pooled3d(ones, kernel, step, pad, ceil_mode, count_include_pad, None)).round()
    total = torch.ops.prim.mean_pooled3d(self, kernel, step, pad, ceil_mode, count_include_pad, 1)
    return torch.div(total, counts.to(self.dtype), rounding_mode="trunc")

aten::adaptive_avg_pool3d(Tensor self, int[3] output_size) -> Tensor
    if self.dim() != 4 and self.dim() != 5 or len(output_size) != 3:
        raise RuntimeError("adaptive_avg_pool3d takes a tensor of four or five dims and three sizes")
    planes = torch.adaptive_avg_pool2d(self.flatten(0, -3).unsqueeze(1), output_size[1:])
    lines = planes.reshape(self.shape[:-2] + [output_size[1] * output_size[2]])
    return torch.adaptive_avg_pool2d(lines, [output_size[0], lines.shape[-1]]).reshape(self.shape[:-3] + output_size)

prim::best_along(Tensor values, Tensor places, int dim, Tensor first, Tensor past, int step, int turns) -> (Tensor, Tensor)
    size = values.shape[dim]
    shape = [1] * values.dim()
    shape[dim] = -1
    best = values.index_select(dim, first.clamp(0, size - 1))
    place = places.index_select(dim, first.clamp(0, size - 1))
    started = ((first >= 0) & (first < past)).reshape(shape)
    for i in range(1, turns):
        at = first + i * step
        item = values.index_select(dim, at.clamp(0, size - 1))
        inside = ((at >= 0) & (at < past)).reshape(shape)
        newer = inside & ((item > best) | (item != item) | ~started)
        best = torch.where(newer, item, best)
        place = torch.where(newer, places.index_select(dim, at.clamp(0, size - 1)), place)
        started = started | inside
    return best, place

prim::pooled_places(Tensor self, int dims) -> Tensor
    inner: List[int] = self.shape[self.dim() - dims:]
    count = 1
    for n in inner:
        count = count * n
    return torch.arange(count).reshape(inner).expand(self.shape)

prim::max_pooled(Tensor self, int[] kernel_size, int[] stride, int[] padding, int[] dilation, bool ceil_mode, int dims) -> (Tensor, Tensor)
    if self.dim() != dims + 1 and self.dim() != dims + 2:
        raise RuntimeError("max_pool takes a tensor with one or two dims in front of those it pools")
    if self.shape[self.dim() - dims - 1] == 0:
        raise RuntimeError("max_pool: only the batch is empty")
    kernel = torch.ops.prim.each_of(kernel_size, dims)
    steps = kernel if len(stride) == 0 else torch.ops.prim.each_of(stride, dims)
    pads, apart = torch.ops.prim.each_of(padding, dims), torch.ops.prim.each_of(dilation, dims)
    values, places = self, torch.ops.prim.pooled_places(self, dims)
    for j in range(dims):
        i = dims - 1 - j
        size = self.shape[self.dim() - dims + i]
        if kernel[i] < 1 or steps[i] < 1 or apart[i] < 1 or pads[i] < 0 or pads[i] > kernel[i] // 2:
            raise RuntimeError("max_pool: kernel, stride and dilation are positive, padding is at most half the kernel")
        room = size + 2 * pads[i] - apart[i] * (kernel[i] - 1) - 1
        count = (room + (steps[i] - 1 if ceil_mode else 0)) // steps[i] + 1
        if ceil_mode and (count - 1) * steps[i] >= size + pads[i]:
            count = count - 1
        if count < 1 or size == 0:
            raise RuntimeError("max_pool: the result would be empty")
        first = torch.arange(count) * steps[i] - pads[i]
        past = torch.full([count], size, dtype=torch.int64)
        values, places = torch.ops.prim.best_along(values, places, self.dim() - dims + i, first, past, apart[i], kernel[i])
    return values, places

aten::max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> (Tensor, Tensor)
    return torch.ops.prim.max_pooled(self, kernel_size, stride, padding, dilation, ceil_mode, 1)

aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)
    return torch.ops.prim.max_pooled(self, kernel_size, stride, padding, dilation, ceil_mode, 2)

aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)
    return torch.ops.prim.max_pooled(self, kernel_size, stride, padding, dilation, ceil_mode, 3)

prim::adaptive_maxed(Tensor self, int[] output_size, int dims) -> (Tensor, Tensor)
    if self.dim() != dims + 1 and self.dim() != dims + 2 or len(output_size) != dims:
        raise RuntimeError("adaptive_max_pool: a tensor with one or two dims in front, and a size for each dim pooled")
    if self.shape[self.dim() - dims - 1] == 0:
        raise RuntimeError("adaptive_max_pool: only the batch is empty")
    values, places = self, torch.ops.prim.pooled_places(self, dims)
    for j in range(dims):
        i = dims - 1 - j
        size, cells = self.shape[self.dim() - dims + i], output_size[i]
        if size == 0 or cells < 0:
            raise RuntimeError("adaptive_max_pool: sizes are positive")
        at = torch.arange(cells) * size
        first = torch.floor_divide(at, max(cells, 1))
        past = torch.floor_divide(at + size + cells - 1, max(cells, 1))
        turns = size // max(cells, 1) + 2
        values, places = torch.ops.prim.best_along(values, places, self.dim() - dims + i, first, past, 1, turns)
    return values, places

aten::adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)
    return torch.ops.prim.adaptive_maxed(self, output_size, 1)

aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)
    return torch.ops.prim.adaptive_maxed(self, output_size, 2)

aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)
    return torch.ops.prim.adaptive_maxed(self, output_size, 3)

prim::unpooled(Tensor self, Tensor indices, int[] output_size, int dims) -> Tensor
    if self.shape != indices.shape or indices.dtype != torch.int64 or len(output_size) != dims:
        raise RuntimeError("max_unpool takes places of int64 for each element, and a size for each dim")
    if self.dim() != dims + 1 and self.dim() != dims + 2:
        raise RuntimeError("max_unpool takes a tensor with one or two dims in front of those it fills")
    if min(self.shape[self.dim() - dims - 1:]) == 0:
        raise RuntimeError("max_unpool: only the batch is empty")
    count = 1
    for n in output_size:
        count = count * n
    lead: List[int] = self.shape[:self.dim() - dims]
    flat = self.new_zeros(lead + [count]).scatter(-1, indices.flatten(-dims), self.flatten(-dims))
    return flat.reshape(lead + output_size)

aten::max_unpool2d(Tensor self, Tensor indices, int[2] output_size) -> Tensor
    return torch.ops.prim.unpooled(self, indices, output_size, 2)

aten::max_unpool3d(Tensor self, Tensor indices, int[3] output_size, int[3] stride, int[3] padding) -> Tensor
    return torch.ops.prim.unpooled(self, indices, output_size, 3)
)py";

constexpr std::string_view kSampling = R"py(
prim::unnormalised(Tensor at, int size, bool align_corners) -> Tensor
    return (at + 1) / 2 * (size - 1) if align_corners else ((at + 1) * size - 1) / 2

prim::clipped_to(Tensor x, int size) -> Tensor
    return torch.where(x == x, x, torch.zeros_like(x)).clamp(0.0, float(size - 1))

prim::brought_inside(Tensor x, int size, int padding_mode, bool align_corners) -> Tensor
    if padding_mode == 1:
        return torch.ops.prim.clipped_to(x, size)
    if padding_mode == 2:
        low, span = 0.0 if align_corners else -0.5, float(size - 1 if align_corners else size)
        if span == 0.0:
            return torch.zeros_like(x)
        off = (x - low).abs()
        turns = torch.floor(off / span)
        rest = off - turns * span
        even = torch.remainder(turns, 2.0) == 0
        return torch.ops.prim.clipped_to(torch.where(even, rest + low, span - rest + low), size)
    return x

prim::cubic_share(Tensor x) -> Tensor
    near = (1.25 * x - 2.25) * x * x + 1
    far = ((-0.75 * x + 3.75) * x - 6.0) * x + 3.0
    return torch.where(x <= 1.0, near, far)

prim::sampled_cubic(Tensor input, Tensor grid, int padding_mode, bool align_corners) -> Tensor
    if input.dim() != 4:
        raise RuntimeError("grid_sample: the mode bicubic is of images, four dims")
    n, c, high, wide = input.shape[0], input.shape[1], input.shape[2], input.shape[3]
    flat, lines = input.flatten(2), grid.reshape([n, grid.shape[1] * grid.shape[2], 2])
    x = torch.ops.prim.unnormalised(lines.select(2, 0), wide, align_corners)
    y = torch.ops.prim.unnormalised(lines.select(2, 1), high, align_corners)
    out = flat.new_zeros([n, c, lines.shape[1]])
    for i in range(4):
        down = y.floor() + (i - 1)
        row = torch.ops.prim.brought_inside(down, high, padding_mode, align_corners)
        for j in range(4):
            along = x.floor() + (j - 1)
            column = torch.ops.prim.brought_inside(along, wide, padding_mode, align_corners)
            inside = (row >= 0) & (row <= high - 1) & (column >= 0) & (column <= wide - 1)
            place = torch.ops.prim.clipped_to(row, high).to(torch.int64) * wide + torch.ops.prim.clipped_to(column, wide).to(torch.int64)
            share = torch.ops.prim.cubic_share((y - y.floor() - (i - 1)).abs()) * torch.ops.prim.cubic_share((x - x.floor() - (j - 1)).abs())
            item = flat.gather(2, place.unsqueeze(1).expand([n, c, lines.shape[1]]))
            out = out + torch.where(inside.unsqueeze(1), item, torch.zeros_like(item)) * share.unsqueeze(1)
    return out.reshape([n, c, grid.shape[1], grid.shape[2]])

aten::grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor
    dims = input.dim() - 2
    if dims != 2 and dims != 3 or grid.dim() != input.dim() or grid.shape[-1] != dims or input.shape[0] != grid.shape[0]:
        raise RuntimeError("grid_sample takes an input of four or five dims and a grid of as many, of one batch size")
    if input.dtype != grid.dtype or interpolation_mode < 0 or interpolation_mode > 2:
        raise RuntimeError("grid_sample takes tensors of one dtype, and the modes bilinear, nearest and bicubic")
    if min(input.shape[2:]) == 0 or padding_mode < 0 or padding_mode > 2:
        raise RuntimeError("grid_sample takes an input with elements to sample, and padding by zeros, border and reflection")
    if interpolation_mode == 2:
        return torch.ops.prim.sampled_cubic(input, grid, padding_mode, align_corners)
    n, c = input.shape[0], input.shape[1]
    cells: List[int] = grid.shape[1:-1]
    inner: List[int] = input.shape[2:]
    points = 1
    for size in cells:
        points = points * size
    flat, lines = input.flatten(2), grid.reshape([n, points, dims])
    out = flat.new_zeros([n, c, lines.shape[1]])
    for corner in range(2 ** dims if interpolation_mode == 0 else 1):
        place = torch.zeros([n, lines.shape[1]], dtype=torch.int64)
        share = torch.ones_like(lines.select(2, 0))
        inside = torch.ones([n, lines.shape[1]], dtype=torch.bool)
        for d in range(dims):
            size = inner[d]
            at = torch.ops.prim.unnormalised(lines.select(2, dims - 1 - d), size, align_corners)
            x = torch.ops.prim.brought_inside(at, size, padding_mode, align_corners)
            low = x.floor() if interpolation_mode == 0 else x.round()
            if interpolation_mode == 0:
                upper = (corner >> d) % 2 == 1
                share = share * (x - low if upper else 1 - (x - low))
                low = low + 1 if upper else low
            inside = inside & (low >= 0) & (low <= size - 1)
            place = place * size + torch.ops.prim.clipped_to(low, size).to(torch.int64)
        item = flat.gather(2, place.unsqueeze(1).expand([n, c, lines.shape[1]]))
        out = out + torch.where(inside.unsqueeze(1), item, torch.zeros_like(item)) * share.unsqueeze(1)
    return out.reshape([n, c] + cells)

aten::affine_grid_generator(Tensor theta, int[] size, bool align_corners) -> Tensor
    dims = len(size) - 2
    if dims != 2 and dims != 3 or theta.dim() != 3 or theta.shape[1] != dims or theta.shape[2] != dims + 1 or theta.shape[0] != size[0]:
        raise RuntimeError("affine_grid takes matrices of 2 by 3 and four sizes, or of 3 by 4 and five")
    cells: List[int] = size[2:]
    axes: List[Tensor] = []
    for d in range(dims):
        k = cells[dims - 1 - d]
        line = torch.linspace(-1, 1, k, dtype=theta.dtype) if k > 1 else torch.zeros([k], dtype=theta.dtype)
        shape = [1] * dims
        shape[dims - 1 - d] = k
        axes.append((line if align_corners or k < 1 else line * (float(k - 1) / k)).reshape(shape).expand(cells))
    axes.append(torch.ones(cells, dtype=theta.dtype))
    base = torch.stack(axes, -1).reshape([1, -1, dims + 1]).expand([size[0], -1, -1])
    return base.bmm(theta.transpose(1, 2)).reshape([size[0]] + cells + [dims])
)py";

constexpr std::string_view kSequences = R"py(
aten::ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor  # values
    if log_probs.dim() != 2 and log_probs.dim() != 3 or targets.dim() > 2 or blank < 0 or blank >= log_probs.shape[-1]:
        raise RuntimeError("ctc_loss takes log_probs of three dims, and a blank among the classes")
    lp = log_probs if log_probs.dim() == 3 else log_probs.unsqueeze(1)
    steps, n = lp.shape[0], lp.shape[1]
    lengths = target_lengths.reshape([-1]).to(torch.int64)
    turns = input_lengths.reshape([-1]).to(torch.int64)
    if lengths.shape[0] != n or turns.shape[0] != n or bool((turns > steps).any()) or bool((lengths < 0).any()):
        raise RuntimeError("ctc_loss takes a length of input and target for each of the batch, none too long")
    most = int(lengths.max()) if n > 0 else 0
    grid = targets.reshape([1, -1]) if log_probs.dim() == 2 else targets
    columns = torch.arange(most)
    if grid.dim() == 1:
        if grid.shape[0] != int(lengths.sum()):
            raise RuntimeError("ctc_loss: targets in one line are as many as their lengths say")
        at = ((lengths.cumsum(0) - lengths).unsqueeze(1) + columns).clamp(0, max(grid.shape[0] - 1, 0))
        grid = grid.index_select(0, at.flatten()).reshape([n, most]) if grid.shape[0] > 0 else grid.new_zeros([n, most])
    elif grid.shape[1] < most or grid.shape[0] != n:
        raise RuntimeError("ctc_loss: targets are shorter than their lengths")
    labels = grid.to(torch.int64).narrow(1, 0, most).masked_fill(columns >= lengths.unsqueeze(1), blank)
    every = torch.stack([torch.full_like(labels, blank), labels], 2).reshape([n, 2 * most])
    every = torch.cat([every, torch.full([n, 1], blank, dtype=torch.int64)], 1)
    low = float("-inf")
    width = 2 * most + 1
    first = torch.arange(width)
    skips = torch.zeros([n, width], dtype=torch.bool)
    if most > 1:
        skips = torch.cat([skips[:, :2], (every[:, 2:] != every[:, :-2]) & (every[:, 2:] != blank)], 1)
    alpha = lp[0].gather(1, every).masked_fill(first > 1, low) if steps > 0 else torch.full([n, width], low, dtype=lp.dtype)
    for t in range(1, steps):
        one = torch.constant_pad_nd(alpha, [1, 0], low)[:, :width]
        two = torch.constant_pad_nd(alpha, [2, 0], low)[:, :width].masked_fill(~skips, low)
        newer = torch.logaddexp(torch.logaddexp(alpha, one), two) + lp[t].gather(1, every)
        alpha = torch.where((turns > t).unsqueeze(1), newer, alpha)
    last = (2 * lengths).unsqueeze(1)
    ends = alpha.gather(1, last)
    before = alpha.gather(1, (last - 1).clamp_min(0)).masked_fill(last == 0, low)
    loss = -torch.logaddexp(ends, before).squeeze(1)
    if zero_infinity:
        loss = loss.masked_fill(torch.isinf(loss), 0.0)
    if reduction == 1:
        return (loss / lengths.clamp_min(1)).mean().to(log_probs.dtype)
    if reduction == 2:
        return loss.sum().to(log_probs.dtype)
    return (loss if log_probs.dim() == 3 else loss.squeeze(0)).to(log_probs.dtype)

aten::ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor  # values
    return torch.ctc_loss(log_probs, targets, torch.tensor(input_lengths), torch.tensor(target_lengths), blank, reduction, zero_infinity)

aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)
    if indices.dim() != 1 or offsets.dim() != 1 or weight.dim() != 2 or mode < 0 or mode > 2:
        raise RuntimeError("embedding_bag takes a table, a line of places, a line of offsets, and mode 0, 1 or 2")
    if (indices.dtype != torch.int32 and indices.dtype != torch.int64) or (offsets.dtype != torch.int32 and offsets.dtype != torch.int64):
        raise RuntimeError("embedding_bag takes places and offsets of 32 or 64 bits")
    if per_sample_weights is not None and (mode != 0 or per_sample_weights.shape != indices.shape):
        raise RuntimeError("embedding_bag: weights of samples are as many as the samples, which are summed")
    starts = offsets.narrow(0, 0, offsets.shape[0] - 1) if include_last_offset else offsets
    bags, n = starts.shape[0], indices.shape[0]
    if bags > 0 and (int(starts[0]) != 0 or int(starts[-1]) > n or bool((starts[1:] < starts[:-1]).any())):
        raise RuntimeError("embedding_bag: offsets begin with 0, do not decrease and lie within the places")
    if bags == 0:
        n = 0
    places = indices[:n].to(torch.int64)
    bag = torch.searchsorted(starts.to(torch.int64), torch.arange(n), right=True) - 1
    skipped = -1 if padding_idx is None else padding_idx % weight.shape[0]
    kept = places != skipped
    rows = weight.index_select(0, places)
    counts = torch.zeros([bags], dtype=torch.int64).index_add(0, bag, kept.to(torch.int64))
    kind = torch.result_type(indices, offsets)
    if mode == 2:
        mine = ((bag.unsqueeze(0) == torch.arange(bags).unsqueeze(1)) & kept).unsqueeze(2)
        out, best = weight.new_zeros([bags, weight.shape[1]]), torch.zeros([bags, weight.shape[1]], dtype=torch.int64)
        if n > 0 and bags > 0:
            top = rows.unsqueeze(0).masked_fill(~mine, float("-inf")).amax([1], True)
            first = ((rows.unsqueeze(0) == top) & mine).to(torch.int64).argmax(1)
            empty = (counts == 0).unsqueeze(1)
            out, best = top.squeeze(1).masked_fill(empty, 0.0), places.take(first).masked_fill(empty, 0)
        return out, bag.to(kind), counts.to(kind), best.to(kind)
    rows = torch.ops.prim.wide(rows)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    sums = rows.new_zeros([bags, weight.shape[1]]).index_add(0, bag, rows.masked_fill(~kept.unsqueeze(1), 0.0))
    out = sums.to(weight.dtype)
    if mode == 1:
        return out / counts.clamp_min(1).unsqueeze(1), bag.to(kind), counts.to(kind), counts.to(kind)
    unused = torch.zeros_like(offsets, dtype=kind)
    direct = padding_idx is None and (weight.dtype == torch.float32 or weight.dtype == torch.float16)
    return out, (bag[:0] if direct else bag).to(kind), unused, unused.clone()

aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)
    return torch.embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, None)
)py";

[[maybe_unused]] const bool kRegistered = [] {
  for (std::string_view text : {kConvolutions, kPools, kSampling, kSequences})
    add_scripted(text, kFamily);
  return true;
}();

}  // namespace
}  // namespace fusillade
