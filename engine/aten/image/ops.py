# Images sampled at the points of a grid, and elements exchanged between channels and positions.

prim::unnormalise(Tensor at, int size, bool align_corners) -> Tensor
    return (at + 1) / 2 * (size - 1) if align_corners else ((at + 1) * size - 1) / 2

prim::clip_to_size(Tensor x, int size) -> Tensor
    return torch.where(x == x, x, torch.zeros_like(x)).clamp(0.0, float(size - 1))

prim::pad_coordinates(Tensor x, int size, int padding_mode, bool align_corners) -> Tensor
    if padding_mode == 1:
        return torch.ops.prim.clip_to_size(x, size)
    if padding_mode == 2:
        low, span = 0.0 if align_corners else -0.5, float(size - 1 if align_corners else size)
        if span == 0.0:
            return torch.zeros_like(x)
        off = (x - low).abs()
        periods = torch.floor(off / span)
        rest = off - periods * span
        even = torch.remainder(periods, 2.0) == 0
        return torch.ops.prim.clip_to_size(torch.where(even, rest + low, span - rest + low), size)
    return x

prim::cubic_share(Tensor x) -> Tensor
    inner = (1.25 * x - 2.25) * x * x + 1
    outer = ((-0.75 * x + 3.75) * x - 6.0) * x + 3.0
    return torch.where(x <= 1.0, inner, outer)

prim::sample_cubic(Tensor input, Tensor grid, int padding_mode, bool align_corners) -> Tensor
    if input.dim() != 4:
        raise RuntimeError("grid_sample: the mode bicubic is of images, four dims")
    n, c, high, wide = input.shape[0], input.shape[1], input.shape[2], input.shape[3]
    flat, lines = input.flatten(2), grid.reshape([n, grid.shape[1] * grid.shape[2], 2])
    x = torch.ops.prim.unnormalise(lines.select(2, 0), wide, align_corners)
    y = torch.ops.prim.unnormalise(lines.select(2, 1), high, align_corners)
    out = flat.new_zeros([n, c, lines.shape[1]])
    for i in range(4):
        down = y.floor() + (i - 1)
        row = torch.ops.prim.pad_coordinates(down, high, padding_mode, align_corners)
        for j in range(4):
            along = x.floor() + (j - 1)
            column = torch.ops.prim.pad_coordinates(along, wide, padding_mode, align_corners)
            inside = (row >= 0) & (row <= high - 1) & (column >= 0) & (column <= wide - 1)
            position = torch.ops.prim.clip_to_size(row, high).to(
                torch.int64
            ) * wide + torch.ops.prim.clip_to_size(column, wide).to(torch.int64)
            share = torch.ops.prim.cubic_share(
                (y - y.floor() - (i - 1)).abs()
            ) * torch.ops.prim.cubic_share((x - x.floor() - (j - 1)).abs())
            item = flat.gather(2, position.unsqueeze(1).expand([n, c, lines.shape[1]]))
            out = out + torch.where(
                inside.unsqueeze(1), item, torch.zeros_like(item)
            ) * share.unsqueeze(1)
    return out.reshape([n, c, grid.shape[1], grid.shape[2]])

aten::grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode,
                   bool align_corners) -> Tensor
    dims = input.dim() - 2
    if (
        dims != 2
        and dims != 3
        or grid.dim() != input.dim()
        or grid.shape[-1] != dims
        or input.shape[0] != grid.shape[0]
    ):
        raise RuntimeError(
            "grid_sample takes an input of four or five dims and a grid of as many, of one batch "
            "size"
        )
    if input.dtype != grid.dtype or interpolation_mode < 0 or interpolation_mode > 2:
        raise RuntimeError(
            "grid_sample takes tensors of one dtype, and the modes bilinear, nearest and bicubic"
        )
    if min(input.shape[2:]) == 0 or padding_mode < 0 or padding_mode > 2:
        raise RuntimeError(
            "grid_sample takes an input with elements to sample, and padding by zeros, border and "
            "reflection"
        )
    if interpolation_mode == 2:
        return torch.ops.prim.sample_cubic(input, grid, padding_mode, align_corners)
    n, c = input.shape[0], input.shape[1]
    cells: List[int] = grid.shape[1:-1]
    inner: List[int] = input.shape[2:]
    points = 1
    for size in cells:
        points = points * size
    flat, lines = input.flatten(2), grid.reshape([n, points, dims])
    out = flat.new_zeros([n, c, lines.shape[1]])
    for corner in range(2 ** dims if interpolation_mode == 0 else 1):
        position = torch.zeros([n, lines.shape[1]], dtype=torch.int64)
        share = torch.ones_like(lines.select(2, 0))
        inside = torch.ones([n, lines.shape[1]], dtype=torch.bool)
        for d in range(dims):
            size = inner[d]
            at = torch.ops.prim.unnormalise(lines.select(2, dims - 1 - d), size, align_corners)
            x = torch.ops.prim.pad_coordinates(at, size, padding_mode, align_corners)
            low = x.floor() if interpolation_mode == 0 else x.round()
            if interpolation_mode == 0:
                upper = (corner >> d) % 2 == 1
                share = share * (x - low if upper else 1 - (x - low))
                low = low + 1 if upper else low
            inside = inside & (low >= 0) & (low <= size - 1)
            position = position * size + torch.ops.prim.clip_to_size(low, size).to(torch.int64)
        item = flat.gather(2, position.unsqueeze(1).expand([n, c, lines.shape[1]]))
        out = out + torch.where(
            inside.unsqueeze(1), item, torch.zeros_like(item)
        ) * share.unsqueeze(1)
    return out.reshape([n, c] + cells)
    draw input=w[B,C,H,W] grid==[B,N,M,2]{-1..1} interpolation_mode=0..2 padding_mode=0..2
    peers gradient when beside others: turns at a border
    others samples 8 ulp

aten::affine_grid_generator(Tensor theta, int[] size, bool align_corners) -> Tensor
    dims = len(size) - 2
    if (
        dims != 2
        and dims != 3
        or theta.dim() != 3
        or theta.shape[1] != dims
        or theta.shape[2] != dims + 1
        or theta.shape[0] != size[0]
    ):
        raise RuntimeError(
            "affine_grid takes matrices of 2 by 3 and four sizes, or of 3 by 4 and five"
        )
    cells: List[int] = size[2:]
    axes: List[Tensor] = []
    for d in range(dims):
        k = cells[dims - 1 - d]
        line = (
            torch.linspace(-1, 1, k, dtype=theta.dtype)
            if k > 1
            else torch.zeros([k], dtype=theta.dtype)
        )
        shape = [1] * dims
        shape[dims - 1 - d] = k
        axes.append(
            (line if align_corners or k < 1 else line * (float(k - 1) / k))
            .reshape(shape)
            .expand(cells)
        )
    axes.append(torch.ones(cells, dtype=theta.dtype))
    base = torch.stack(axes, -1).reshape([1, -1, dims + 1]).expand([size[0], -1, -1])
    return base.bmm(theta.transpose(1, 2)).reshape([size[0]] + cells + [dims])
    draw theta=w[B,2,3] size=<B,2,3,4>

aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor
    r = upscale_factor
    if self.dim() < 3 or r < 1 or self.shape[-3] % (r * r) != 0:
        raise RuntimeError(
            "pixel_shuffle: the channels are a multiple of "
            + str(r)
            + " squared, in front of two dims"
        )
    lead: List[int] = self.shape[:-3]
    c, h, w = self.shape[-3] // (r * r), self.shape[-2], self.shape[-1]
    n = len(lead)
    parts = self.reshape(lead + [c, r, r, h, w]).permute(
        [i for i in range(n)] + [n, n + 3, n + 1, n + 4, n + 2]
    )
    return parts.reshape(lead + [c, h * r, w * r])
    draw self=a[*,4C,H,W] upscale_factor=2

aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor
    r = downscale_factor
    if self.dim() < 3 or r < 1 or self.shape[-2] % r != 0 or self.shape[-1] % r != 0:
        raise RuntimeError("pixel_unshuffle: height and width are multiples of " + str(r))
    if self.numel() == 0:
        return self.clone()
    lead: List[int] = self.shape[:-3]
    c, h, w = self.shape[-3], self.shape[-2] // r, self.shape[-1] // r
    n = len(lead)
    parts = self.reshape(lead + [c, h, r, w, r]).permute(
        [i for i in range(n)] + [n, n + 2, n + 4, n + 1, n + 3]
    )
    return parts.reshape(lead + [c * r * r, h, w])
    draw self=a[*,C,2H,2W] downscale_factor=2

aten::channel_shuffle(Tensor self, int groups) -> Tensor
    if self.dim() < 3 or groups < 1 or self.shape[1] % groups != 0:
        raise RuntimeError(
            "channel_shuffle: the channels are a multiple of the groups, in front of other dims"
        )
    n, c = self.shape[0], self.shape[1]
    return self.reshape([n, groups, c // groups, -1]).transpose(1, 2).reshape(self.shape)
    draw self=a[B,2C,H] groups=1..2 B=1..3 C=1..3 H=1..4

aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode,
                      bool align_corners) -> Tensor
    if input.dim() != 4:
        raise RuntimeError("grid_sampler_2d takes an input of 4 dims")
    return torch.grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)
    peers gradient when beside others: turns at a border
    others samples 8 ulp

aten::grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode,
                      bool align_corners) -> Tensor
    if input.dim() != 5:
        raise RuntimeError("grid_sampler_3d takes an input of 5 dims")
    return torch.grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)
    draw input=w[B,C,H,W,D] grid==[B,N,M,2,3]{-1..1} interpolation_mode=0..1 padding_mode=0..2
        H=1..3 W=1..3 D=1..3
    peers gradient when beside others: turns at a border
    others samples 8 ulp
