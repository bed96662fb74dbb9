# Pooling of three dimensions, maxima with their indices, and windows with random positions:
# fractional_max_pool (Graham 2014, arXiv:1412.6071).
#
# Window i of a dim starts at the whole part of (i + u) * step less that of u * step, u being the
# dim's random number and step what spreads the windows over the dim; the last one ends where the
# dim ends. Two dims have their numbers last one first, three first one first, and three leave an
# element to spare; of equal numbers the first is taken, of NaNs the last; as in PyTorch.

prim::pooled_gradient(Tensor grad, Tensor indices, int[] size, int dims) -> Tensor
    lead = size[:-dims]
    spots = indices.flatten(-dims)
    count = 1
    for n in size[-dims:]:
        count = count * n
    whole = torch.ops.prim.gradient_zeros(grad, lead + [count])
    return whole.scatter_add(-1, spots, grad.flatten(-dims)).reshape(size)

prim::fraction_starts(Tensor drawn, int size, int cells, int kernel, int spare) -> Tensor
    if kernel < 1 or cells < 1 or cells + kernel - 1 > size - spare:
        raise RuntimeError(
            f"fractional_max_pool: {cells} windows of {kernel} do not fit into {size} elements"
        )
    at = torch.arange(cells, dtype=drawn.dtype)
    step = torch.full([], (size - kernel) / max(cells - 1, 1), dtype=drawn.dtype)
    u = drawn.unsqueeze(-1)
    starts = ((at + u) * step).to(torch.int64) - (u * step).to(torch.int64)
    return torch.where(
        torch.arange(cells) == cells - 1, torch.full_like(starts, size - kernel), starts
    )

prim::fractional_max_pool(Tensor self, int[] kernel_size, int[] output_size, Tensor random_samples,
                          int dims) -> (Tensor, Tensor)
    if (
        self.dim() != dims + 1
        and self.dim() != dims + 2
        or len(kernel_size) != dims
        or len(output_size) != dims
    ):
        raise RuntimeError(
            "fractional_max_pool takes one or two dims in front of those it pools, and a kernel "
            "and an output size for each of these"
        )
    x = self if self.dim() == dims + 2 else self.unsqueeze(0)
    if (
        min(x.shape[1:]) == 0
        or random_samples.shape != [x.shape[0], x.shape[1], dims]
        or random_samples.dtype != self.dtype
    ):
        raise RuntimeError(
            "fractional_max_pool takes random numbers of the input's dtype, one for each dim of "
            "each image"
        )
    index = torch.zeros([x.shape[0], x.shape[1]] + [1] * (2 * dims), dtype=torch.int64)
    for d in range(dims):
        drawn = random_samples.select(2, dims - 1 - d if dims == 2 else d)
        starts = torch.ops.prim.fraction_starts(
            drawn, x.shape[d + 2], output_size[d], kernel_size[d], dims - 2
        )
        line = starts.unsqueeze(-1) + torch.arange(kernel_size[d])
        shape = [x.shape[0], x.shape[1]] + [1] * (2 * dims)
        shape[d + 2], shape[d + 2 + dims] = output_size[d], kernel_size[d]
        index = index * x.shape[d + 2] + line.reshape(shape)
    lead: List[int] = self.shape[:self.dim() - dims]
    indices = index.flatten(2 + dims).flatten(2, 1 + dims)
    items = x.flatten(2).gather(2, indices.flatten(2)).reshape(indices.shape)
    broken = items.isnan()
    latest = (broken.to(torch.int64) * torch.arange(items.shape[-1])).argmax(-1, True)
    best = torch.where(broken.any(-1, True), latest, items.argmax(-1, True))
    return items.gather(-1, best).reshape(lead + output_size), indices.gather(-1, best).reshape(
        lead + output_size
    )

aten::fractional_max_pool2d(Tensor self, int[2] kernel_size, int[2] output_size,
                            Tensor random_samples) -> (Tensor, Tensor)
    return torch.ops.prim.fractional_max_pool(
        self,
        torch.ops.prim.each_of(kernel_size, 2),
        torch.ops.prim.each_of(output_size, 2),
        random_samples,
        2,
    )
    draw self=w[B,C,H,H] kernel_size=<1..2,2> output_size=<1..2,1..3> random_samples==[B,C,2]{0..0}
        B=1..2 C=1..3 H=4..5

aten::fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] output_size,
                            Tensor random_samples) -> (Tensor, Tensor)
    return torch.ops.prim.fractional_max_pool(
        self,
        torch.ops.prim.each_of(kernel_size, 3),
        torch.ops.prim.each_of(output_size, 3),
        random_samples,
        3,
    )
    draw self=w[B,C,H,H,H] kernel_size=<2,1,2> output_size=<2,1..2,1..2>
        random_samples==[B,C,3]{0..0} B=1..2 C=1..2 H=4..5

aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0,
                 int[3] dilation=1, bool ceil_mode=False) -> Tensor
    if self.dim() != 4 and self.dim() != 5:
        raise RuntimeError("max_pool3d takes a tensor of four or five dims")
    kernel = torch.ops.prim.each_of(kernel_size, 3)
    step = kernel if len(stride) == 0 else torch.ops.prim.each_of(stride, 3)
    pad, dilations = torch.ops.prim.each_of(padding, 3), torch.ops.prim.each_of(dilation, 3)
    planes = torch.max_pool2d(
        self.flatten(0, -3).unsqueeze(1), kernel[1:], step[1:], pad[1:], dilations[1:], ceil_mode
    )
    lines = planes.reshape(self.shape[:-2] + [planes.shape[-2] * planes.shape[-1]])
    out = torch.max_pool2d(
        lines, [kernel[0], 1], [step[0], 1], [pad[0], 0], [dilations[0], 1], ceil_mode
    )
    return out.reshape(out.shape[:-1] + [planes.shape[-2], planes.shape[-1]])
    gradient self:
        return torch.ops.prim.pooled_gradient(
            grad,
            torch.max_pool3d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)[
                1
            ],
            self.size(),
            3,
        )
    draw self=w[B,C,H,H,H] kernel_size=<2,2,2> stride=~<1,2,1> padding=<0..1,0,0> dilation=<1,1,1>
        H=3..4 B=1..2 C=1..2

prim::mean_pool3d(Tensor self, int[] kernel, int[] step, int[] pad, bool ceil_mode,
                  bool count_include_pad, int? divisor_override) -> Tensor
    one = 1 if divisor_override is not None else None
    planes = torch.avg_pool2d(
        self.flatten(0, -3).unsqueeze(1),
        kernel[1:],
        step[1:],
        pad[1:],
        ceil_mode,
        count_include_pad,
        one,
    )
    lines = planes.reshape(self.shape[:-2] + [planes.shape[-2] * planes.shape[-1]])
    out = torch.avg_pool2d(
        lines,
        [kernel[0], 1],
        [step[0], 1],
        [pad[0], 0],
        ceil_mode,
        count_include_pad,
        divisor_override,
    )
    return out.reshape(out.shape[:-1] + [planes.shape[-2], planes.shape[-1]])

aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0,
                 bool ceil_mode=False, bool count_include_pad=True,
                 int? divisor_override=None) -> Tensor
    if self.dim() != 4 and self.dim() != 5:
        raise RuntimeError("avg_pool3d takes a tensor of four or five dims")
    kernel = torch.ops.prim.each_of(kernel_size, 3)
    step = kernel if len(stride) == 0 else torch.ops.prim.each_of(stride, 3)
    pad = torch.ops.prim.each_of(padding, 3)
    if self.is_floating_point() or divisor_override is not None:
        return torch.ops.prim.mean_pool3d(
            self, kernel, step, pad, ceil_mode, count_include_pad, divisor_override
        )
    ones = torch.ones([1] + self.shape[-3:], dtype=torch.float64)
    divisors = torch.ops.prim.mean_pool3d(
        ones, kernel, step, pad, ceil_mode, count_include_pad, 1
    )
    counts = (
        divisors
        / torch.ops.prim.mean_pool3d(ones, kernel, step, pad, ceil_mode, count_include_pad, None)
    ).round()
    total = torch.ops.prim.mean_pool3d(self, kernel, step, pad, ceil_mode, count_include_pad, 1)
    return torch.div(total, counts.to(self.dtype), rounding_mode="trunc")
    draw self=w[B,C,H,H,H] kernel_size=<2,2,2>|<1,2,1> stride=~<1,1,2> padding=<0..1,0,0> H=2..4
        divisor_override=?3

aten::adaptive_avg_pool3d(Tensor self, int[3] output_size) -> Tensor
    if self.dim() != 4 and self.dim() != 5 or len(output_size) != 3:
        raise RuntimeError(
            "adaptive_avg_pool3d takes a tensor of four or five dims and three sizes"
        )
    planes = torch.adaptive_avg_pool2d(self.flatten(0, -3).unsqueeze(1), output_size[1:])
    lines = planes.reshape(self.shape[:-2] + [output_size[1] * output_size[2]])
    return torch.adaptive_avg_pool2d(lines, [output_size[0], lines.shape[-1]]).reshape(
        self.shape[:-3] + output_size
    )
    draw self=w[B,C,H,W,D] output_size=<1..3,1..3,1..3> H=1..4 W=1..4 D=1..4

prim::best_along(Tensor values, Tensor indices, int dim, Tensor first, Tensor past, int step,
                 int length) -> (Tensor, Tensor)
    size = values.shape[dim]
    shape = [1] * values.dim()
    shape[dim] = -1
    best = values.index_select(dim, first.clamp(0, size - 1))
    winner = indices.index_select(dim, first.clamp(0, size - 1))
    started = ((first >= 0) & (first < past)).reshape(shape)
    for i in range(1, length):
        at = first + i * step
        item = values.index_select(dim, at.clamp(0, size - 1))
        inside = ((at >= 0) & (at < past)).reshape(shape)
        newer = inside & ((item > best) | (item != item) | ~started)
        best = torch.where(newer, item, best)
        winner = torch.where(newer, indices.index_select(dim, at.clamp(0, size - 1)), winner)
        started = started | inside
    return best, winner

prim::pooled_indices(Tensor self, int dims) -> Tensor
    inner: List[int] = self.shape[self.dim() - dims:]
    count = 1
    for n in inner:
        count = count * n
    return torch.arange(count).reshape(inner).expand(self.shape)

prim::max_pool(Tensor self, int[] kernel_size, int[] stride, int[] padding, int[] dilation,
               bool ceil_mode, int dims) -> (Tensor, Tensor)
    if self.dim() != dims + 1 and self.dim() != dims + 2:
        raise RuntimeError(
            "max_pool takes a tensor with one or two dims in front of those it pools"
        )
    if self.shape[self.dim() - dims - 1] == 0:
        raise RuntimeError("max_pool: only the batch is empty")
    kernel = torch.ops.prim.each_of(kernel_size, dims)
    steps = kernel if len(stride) == 0 else torch.ops.prim.each_of(stride, dims)
    pads, dilations = torch.ops.prim.each_of(padding, dims), torch.ops.prim.each_of(dilation, dims)
    values, indices = self, torch.ops.prim.pooled_indices(self, dims)
    for j in range(dims):
        i = dims - 1 - j
        size = self.shape[self.dim() - dims + i]
        if (
            kernel[i] < 1
            or steps[i] < 1
            or dilations[i] < 1
            or pads[i] < 0
            or pads[i] > kernel[i] // 2
        ):
            raise RuntimeError(
                "max_pool: kernel, stride and dilation are positive, padding is at most half the "
                "kernel"
            )
        room = size + 2 * pads[i] - dilations[i] * (kernel[i] - 1) - 1
        count = (room + (steps[i] - 1 if ceil_mode else 0)) // steps[i] + 1
        if ceil_mode and (count - 1) * steps[i] >= size + pads[i]:
            count = count - 1
        if count < 1 or size == 0:
            raise RuntimeError("max_pool: the result would be empty")
        first = torch.arange(count) * steps[i] - pads[i]
        past = torch.full([count], size, dtype=torch.int64)
        values, indices = torch.ops.prim.best_along(
            values, indices, self.dim() - dims + i, first, past, dilations[i], kernel[i]
        )
    return values, indices

aten::max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0],
                              int[1] dilation=[1], bool ceil_mode=False) -> (Tensor, Tensor)
    return torch.ops.prim.max_pool(self, kernel_size, stride, padding, dilation, ceil_mode, 1)
    draw self=w[B,C,H] kernel_size=<2> stride=~<1..2> padding=<0..1> dilation=<1> H=3..9

aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0,
                              int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)
    return torch.ops.prim.max_pool(self, kernel_size, stride, padding, dilation, ceil_mode, 2)
    draw self=w[B,C,H,H] kernel_size=<2,2> stride=~<1,2> padding=<0..1,0> dilation=<1,1> H=3..5

aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0,
                              int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)
    return torch.ops.prim.max_pool(self, kernel_size, stride, padding, dilation, ceil_mode, 3)
    draw self=w[B,C,H,H,H] kernel_size=<2,2,2> stride=~<1,2,1> padding=<0..1,0,0> dilation=<1,1,1>
        H=3..4 B=1..2 C=1..2

prim::adaptive_max_pool(Tensor self, int[] output_size, int dims) -> (Tensor, Tensor)
    if self.dim() != dims + 1 and self.dim() != dims + 2 or len(output_size) != dims:
        raise RuntimeError(
            "adaptive_max_pool: a tensor with one or two dims in front, and a size for each dim "
            "pooled"
        )
    if self.shape[self.dim() - dims - 1] == 0:
        raise RuntimeError("adaptive_max_pool: only the batch is empty")
    values, indices = self, torch.ops.prim.pooled_indices(self, dims)
    for j in range(dims):
        i = dims - 1 - j
        size, cells = self.shape[self.dim() - dims + i], output_size[i]
        if size == 0 or cells < 0:
            raise RuntimeError("adaptive_max_pool: sizes are positive")
        at = torch.arange(cells) * size
        first = torch.floor_divide(at, max(cells, 1))
        past = torch.floor_divide(at + size + cells - 1, max(cells, 1))
        length = size // max(cells, 1) + 2
        values, indices = torch.ops.prim.best_along(
            values, indices, self.dim() - dims + i, first, past, 1, length
        )
    return values, indices

aten::adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)
    return torch.ops.prim.adaptive_max_pool(self, output_size, 1)
    draw self=w[B,C,H] output_size=<1..4>

aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)
    return torch.ops.prim.adaptive_max_pool(self, output_size, 2)
    draw self=w[B,C,H,W] output_size=<1..3,1..3>

aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)
    return torch.ops.prim.adaptive_max_pool(self, output_size, 3)
    draw self=w[B,C,H,W,D] output_size=<1..3,1..3,1..3> H=1..4 W=1..4 D=1..4

prim::unpool(Tensor self, Tensor indices, int[] output_size, int dims) -> Tensor
    if self.shape != indices.shape or indices.dtype != torch.int64 or len(output_size) != dims:
        raise RuntimeError(
            "max_unpool takes indices of int64 for each element, and a size for each dim"
        )
    if self.dim() != dims + 1 and self.dim() != dims + 2:
        raise RuntimeError(
            "max_unpool takes a tensor with one or two dims in front of those it fills"
        )
    if min(self.shape[self.dim() - dims - 1:]) == 0:
        raise RuntimeError("max_unpool: only the batch is empty")
    count = 1
    for n in output_size:
        count = count * n
    lead: List[int] = self.shape[:self.dim() - dims]
    flat = self.new_zeros(lead + [count]).scatter(-1, indices.flatten(-dims), self.flatten(-dims))
    return flat.reshape(lead + output_size)

aten::max_unpool2d(Tensor self, Tensor indices, int[2] output_size) -> Tensor
    return torch.ops.prim.unpool(self, indices, output_size, 2)
    draw self=w[B,C,H,H] indices=l[B,C,H,H]{0..8} output_size=<3,3> H=1..2

aten::max_unpool3d(Tensor self, Tensor indices, int[3] output_size, int[3] stride,
                   int[3] padding) -> Tensor
    return torch.ops.prim.unpool(self, indices, output_size, 3)
    draw self=w[B,C,H,H,H] indices=l[B,C,H,H,H]{0..26} output_size=<3,3,3> stride=<2,2,2>
        padding=<0,0,0> H=1..2

aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size,
                                       int[2] stride, int[2] padding, int[2] dilation,
                                       bool ceil_mode, Tensor indices) -> Tensor
    pooled, _ = torch.ops.aten.max_pool2d_with_indices(
        self, kernel_size, stride, padding, dilation, ceil_mode
    )
    if (
        pooled.shape != grad_output.shape
        or pooled.shape != indices.shape
        or self.dtype != grad_output.dtype
    ):
        raise RuntimeError(
            f"max_pool2d gives {pooled.shape}, of which the gradient and the indices are"
        )
    out = torch.zeros_like(self).flatten(-2)
    return out.scatter_add(-1, indices.flatten(-2), grad_output.flatten(-2)).reshape(self.shape)
    draw grad_output=w[B,C,H,W] self==[B,C,2H,2W] kernel_size=<2,2> stride=<2,2> padding=<0,0>
        dilation=<1,1> ceil_mode=False indices=l[B,C,H,W]{0..3} H=1..3 W=1..3 B=1..2 C=1..2

aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0],
                 int[1] dilation=[1], bool ceil_mode=False) -> Tensor
    payload
    least = torch.ops.prim.pool_least(self)
    pads = torch.ops.prim.pool_pads(
        "aten::max_pool1d", 1, self, kernel_size, stride, padding, dilation, ceil_mode
    )
    kernel = torch.ops.prim.pool_each(kernel_size, 1)
    steps = torch.ops.prim.pool_each(torch.ops.prim.pool_stride(kernel_size, stride), 1)
    reach = torch.ops.prim.pool_each(dilation, 1)
    padded = torch.ops.prim.pad(self, pads, torch.ops.prim.fill_like(self, least), False)
    return torch.ops.prim.windows(padded, kernel, steps, reach).amax([-1])
    gradient self:
        return torch.ops.prim.pooled_gradient(
            grad,
            torch.max_pool1d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)[
                1
            ],
            self.size(),
            1,
        )

aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0],
                 bool ceil_mode=False, bool count_include_pad=True) -> Tensor
    payload
    pads = torch.ops.prim.pool_pads(
        "aten::avg_pool1d", 1, self, kernel_size, stride, padding, [1], ceil_mode
    )
    kernel = torch.ops.prim.pool_each(kernel_size, 1)
    steps = torch.ops.prim.pool_each(torch.ops.prim.pool_stride(kernel_size, stride), 1)
    divisors = torch.ops.prim.pool_divisors(
        self,
        kernel_size,
        stride,
        padding,
        ceil_mode,
        count_include_pad,
        None,
        "aten::avg_pool1d",
        1,
    )
    padded = torch.ops.prim.pad(self, pads, torch.ops.prim.fill_like(self, 0), False)
    total = torch.ops.prim.windows(padded, kernel, steps, [1]).sum([-1])
    if self.is_floating_point():
        quotient = total / divisors.to(torch.ops.prim.pool_count_dtype(self))
    else:
        quotient = torch.div(total, divisors.to(self.dtype), rounding_mode="trunc")
    return quotient.to(self.dtype)

aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor
    payload
    sizes = torch.ops.prim.adaptive_checked("aten::adaptive_avg_pool1d", 1, self, output_size)
    windows = torch.ops.prim.adaptive_windows(self, sizes, torch.ops.prim.fill_like(self, 0))
    divisors = torch.ops.prim.adaptive_counts(self, sizes)
    return windows.sum([-1]) / divisors.to(self.dtype)

aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=[0],
                 int[2] dilation=[1], bool ceil_mode=False) -> Tensor
    payload
    least = torch.ops.prim.pool_least(self)
    pads = torch.ops.prim.pool_pads(
        "aten::max_pool2d", 2, self, kernel_size, stride, padding, dilation, ceil_mode
    )
    kernel = torch.ops.prim.pool_each(kernel_size, 2)
    steps = torch.ops.prim.pool_each(torch.ops.prim.pool_stride(kernel_size, stride), 2)
    reach = torch.ops.prim.pool_each(dilation, 2)
    padded = torch.ops.prim.pad(self, pads, torch.ops.prim.fill_like(self, least), False)
    return torch.ops.prim.windows(padded, kernel, steps, reach).amax([-2, -1])
    gradient self:
        return torch.ops.prim.pooled_gradient(
            grad,
            torch.max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)[
                1
            ],
            self.size(),
            2,
        )

aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=[0],
                 bool ceil_mode=False, bool count_include_pad=True,
                 int? divisor_override=None) -> Tensor
    payload
    pads = torch.ops.prim.pool_pads(
        "aten::avg_pool2d", 2, self, kernel_size, stride, padding, [1, 1], ceil_mode
    )
    kernel = torch.ops.prim.pool_each(kernel_size, 2)
    steps = torch.ops.prim.pool_each(torch.ops.prim.pool_stride(kernel_size, stride), 2)
    divisors = torch.ops.prim.pool_divisors(
        self,
        kernel_size,
        stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override,
        "aten::avg_pool2d",
        2,
    )
    padded = torch.ops.prim.pad(self, pads, torch.ops.prim.fill_like(self, 0), False)
    total = torch.ops.prim.windows(padded, kernel, steps, [1, 1]).sum([-2, -1])
    if self.is_floating_point():
        quotient = total / divisors.to(torch.ops.prim.pool_count_dtype(self))
    else:
        quotient = torch.div(total, divisors.to(self.dtype), rounding_mode="trunc")
    return quotient.to(self.dtype)

aten::adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor
    payload
    sizes = torch.ops.prim.adaptive_checked("aten::adaptive_avg_pool2d", 2, self, output_size)
    windows = torch.ops.prim.adaptive_windows(self, sizes, torch.ops.prim.fill_like(self, 0))
    divisors = torch.ops.prim.adaptive_counts(self, sizes)
    return windows.sum([-2, -1]) / divisors.to(self.dtype)

aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding,
             int[2] stride) -> Tensor
    payload
    pads = torch.ops.prim.im2col_pads(self, kernel_size, dilation, padding, stride)
    padded = torch.ops.prim.pad(self, pads, torch.ops.prim.fill_like(self, 0), False)
    windows = torch.ops.prim.windows(padded, kernel_size, stride, dilation)
    return torch.ops.prim.im2col_columns(torch.ops.prim.windows_outside(windows)).clone()

# Of operators in C++.
aten::max_pool1d_with_indices, aten::adaptive_max_pool1d
    gradient self: torch.ops.prim.pooled_gradient(grad0, result1, self.size(), 1)
aten::max_pool2d_with_indices, aten::adaptive_max_pool2d
    gradient self: torch.ops.prim.pooled_gradient(grad0, result1, self.size(), 2)
aten::max_pool3d_with_indices, aten::adaptive_max_pool3d
    gradient self: torch.ops.prim.pooled_gradient(grad0, result1, self.size(), 3)
aten::unfold, prim::windows, prim::channels
    gradient self:
        return torch.ops.prim.gradient_of_part(
            grad,
            self.size(),
            self.stride(),
            result.size(),
            result.stride(),
            result.storage_offset() - self.storage_offset(),
        )
prim::windows_outside
    gradient windows: grad.transpose(-4, -2).transpose(-3, -1)
prim::adaptive_windows
    gradient self:
        return torch.ops.prim.gradient_by_indices(
            grad,
            torch.ops.prim.adaptive_windows(
                torch.ops.prim.element_indices(self.size()),
                output_size,
                torch.full([], -1, dtype=torch.int64),
            ),
            self.size(),
        )

# Forms with `out=`: of one result that is never cast, or with names that results do not have.
aten::avg_pool2d, aten::avg_pool3d
    out exact
aten::adaptive_max_pool2d, aten::adaptive_max_pool3d, aten::max_pool2d_with_indices,
aten::max_pool3d_with_indices
    out out, indices
aten::fractional_max_pool2d, aten::fractional_max_pool3d
    out output, indices
