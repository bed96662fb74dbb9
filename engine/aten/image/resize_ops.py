# Resizing of images as ATen's kernels take it, sizes with a scale for each dim; the operators of
# `.vec` take either. A scale left out is that of the sizes, and so is, of the linear ones, a scale
# that leaves a size as it is.
#
# Bytes are weighed as PyTorch 2.13 does: the last dim first, each rounded to bytes, by weights of
# as many bits as 16 with a sign hold. 1.13.1 takes bytes by the nearest alone.

prim::resize_dim(Tensor input, int dim, int size, float scale, str mode, bool corners) -> Tensor
    old = input.shape[dim]
    linear = mode == "linear"
    positions = torch.arange(
        size, dtype=torch.float64 if input.dtype == torch.float64 else torch.float32
    )
    if corners:
        positions = positions * ((old - 1) / (size - 1) if size > 1 else 0.0)
    else:
        step = 1.0 / scale if scale > 0.0 else old / size
        if linear and size == old:
            step = 1.0
        if linear:
            positions = ((positions + 0.5) * step - 0.5).clamp_min(0.0)
        else:
            positions = (positions + 0.5) * step if mode == "exact" else positions * step
    low = positions.floor().clamp(0.0, float(old - 1))
    first = input.index_select(dim, low.to(torch.int64))
    if not linear:
        return first
    second = input.index_select(
        dim, (low + (0.0 if size == old else 1.0)).clamp(0.0, float(old - 1)).to(torch.int64)
    )
    shape = [1] * input.dim()
    shape[dim] = size
    share = (positions - low).to(input.dtype).reshape(shape)
    return first * (1 - share) + second * share

prim::resize_cubic(Tensor input, int dim, int size, float scale, bool corners) -> Tensor
    old = input.shape[dim]
    at = torch.arange(size, dtype=torch.float64 if input.dtype == torch.float64 else torch.float32)
    step = 1.0 / scale if scale > 0.0 else old / size
    positions = (
        at * ((old - 1) / (size - 1) if size > 1 else 0.0) if corners else (at + 0.5) * step - 0.5
    )
    low = positions.floor()
    shape = [1] * input.dim()
    shape[dim] = size
    out = torch.zeros([1], dtype=input.dtype)
    for i in range(4):
        share = (
            torch.ops.prim.cubic_share((positions - low - (i - 1)).abs())
            .to(input.dtype)
            .reshape(shape)
        )
        item = input.index_select(dim, (low + (i - 1)).clamp(0.0, float(old - 1)).to(torch.int64))
        out = out + item * share
    return out

prim::smooth_shares(int old, int size, float scale, bool cubic, bool corners) -> (Tensor, Tensor)
    step = (
        ((old - 1) / (size - 1) if size > 1 else 0.0)
        if corners
        else (1.0 / scale if scale > 0.0 else old / size)
    )
    wide = max(step, 1.0)
    reach = wide * (2.0 if cubic else 1.0)
    centres = ((torch.arange(size, dtype=torch.float64) + 0.5) * step).unsqueeze(1)
    first = (centres - reach + 0.5).trunc().clamp_min(0.0)
    past = (centres + reach + 0.5).trunc().clamp_max(float(old))
    items = first + torch.arange(min(old, int(2.0 * reach) + 2), dtype=torch.float64)
    x = ((items - centres + 0.5) / wide).abs()
    inner = (1.5 * x - 2.5) * x * x + 1 if cubic else 1 - x
    outer = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0 if cubic else torch.zeros_like(x)
    share = torch.where(x < 1.0, inner, torch.where(x < 2.0, outer, torch.zeros_like(x)))
    share = torch.where(items < past, share, torch.zeros_like(share))
    indices = torch.where(items < past, items, torch.full_like(items, -1.0)).to(torch.int64)
    return indices, share / share.sum([1], True)

prim::sharp_shares(int old, int size, float scale, bool cubic, bool corners) -> (Tensor, Tensor)
    at = torch.arange(size, dtype=torch.float64).unsqueeze(1)
    step = 1.0 / scale if scale > 0.0 else old / size
    positions = (
        at * ((old - 1) / (size - 1) if size > 1 else 0.0) if corners else (at + 0.5) * step - 0.5
    )
    taps = 4 if cubic else 2
    low = positions.floor() - (1.0 if cubic else 0.0)
    items = low + torch.arange(taps, dtype=torch.float64)
    x = (items - positions).abs()
    share = torch.ops.prim.cubic_share(x) if cubic else 1.0 - x
    kept = min(taps, old)
    first = low.clamp(0.0, float(old - kept))
    merged = torch.zeros([size, kept], dtype=torch.float64)
    merged = merged.scatter_add(
        1, (items.clamp(0.0, float(old - 1)) - first).to(torch.int64), share
    )
    return (first + torch.arange(kept, dtype=torch.float64)).to(torch.int64), merged

prim::resize_smooth(Tensor input, int dim, int size, float scale, bool cubic,
                    bool corners) -> Tensor
    old = input.shape[dim]
    indices, share = torch.ops.prim.smooth_shares(old, size, scale, cubic, corners)
    line = input.transpose(dim, -1)
    taken = line.index_select(-1, indices.clamp_min(0).flatten()).unflatten(-1, indices.shape)
    return (
        (torch.where(indices >= 0, taken, torch.zeros_like(taken)) * share.to(input.dtype))
        .sum([-1])
        .transpose(dim, -1)
    )

prim::resize_bytes(Tensor input, int dim, int size, float scale, bool cubic, bool smooth,
                   bool corners) -> Tensor
    old = input.shape[dim]
    if smooth:
        indices, share = torch.ops.prim.smooth_shares(old, size, scale, cubic, corners)
    else:
        indices, share = torch.ops.prim.sharp_shares(old, size, scale, cubic, corners)
    most = float(share.max())
    bits = 0
    while bits < 22 and int(0.5 + most * 2.0 ** (bits + 1)) < 32768:
        bits += 1
    scaled = share * 2.0 ** bits
    counts = torch.where(scaled < 0.0, scaled - 0.5, scaled + 0.5).to(torch.int32)
    shape = [1] * input.dim()
    shape[dim] = size
    out = torch.full([1], 2 ** (bits - 1), dtype=torch.int32)
    for i in range(indices.shape[1]):
        item = input.index_select(dim, indices.select(1, i).clamp_min(0)).to(torch.int32)
        out = out + item * counts.select(1, i).reshape(shape)
    return (out >> bits).clamp(0, 255).to(torch.uint8)

prim::upsample(Tensor input, int[]? output_size, float[]? scale_factors, int dims, str mode,
               bool corners) -> Tensor
    if input.dim() != dims + 2:
        raise RuntimeError("an upsample takes an input with two dims in front of those it resizes")
    scales = [0.0] * dims
    sizes: List[int] = []
    if scale_factors is not None and output_size is None:
        scales = scale_factors
        for i in range(dims):
            sizes.append(int(input.shape[i + 2] * scales[i]))
    elif output_size is not None and scale_factors is None:
        sizes = output_size
    else:
        raise RuntimeError("an upsample takes one of sizes and scale factors")
    return torch.ops.prim.resize_dims(input, sizes, scales, mode, corners)

prim::resize_dims(Tensor input, int[] sizes, float[] scales, str mode, bool corners) -> Tensor
    dims = len(sizes)
    if input.dim() != dims + 2:
        raise RuntimeError("an upsample takes an input with two dims in front of those it resizes")
    if input.shape[1] == 0:
        raise RuntimeError("an upsample takes an input of which only the batch is empty")
    bytes = input.dtype == torch.uint8
    nearest = mode == "nearest" or mode == "exact"
    if not input.is_floating_point() and (not bytes or not nearest and dims != 2):
        raise RuntimeError(
            "an upsample takes floats; bytes too by the nearest and of images, two dims"
        )
    out = torch.ops.prim.wide(input) if input.is_floating_point() else input
    for i in range(dims):
        if sizes[i] < 1 or input.shape[i + 2] < 1:
            raise RuntimeError("an upsample takes and gives positive sizes")
    smooth, cubic = mode[:7] == "smooth ", mode[-5:] == "cubic"
    by_sizes = False
    if mode == "nearest" and dims == 2:
        by_sizes = input.is_contiguous(memory_format=torch.channels_last)
    elif mode == "nearest" and dims == 3:
        by_sizes = input.is_contiguous(memory_format=torch.channels_last_3d)
    for i in range(dims):
        if bytes and not nearest:
            d = dims - 1 - i
            if sizes[d] != out.shape[d + 2]:
                out = torch.ops.prim.resize_bytes(
                    out, d + 2, sizes[d], scales[d], cubic, smooth, corners
                )
        elif smooth:
            out = torch.ops.prim.resize_smooth(out, i + 2, sizes[i], scales[i], cubic, corners)
        elif cubic:
            out = torch.ops.prim.resize_cubic(out, i + 2, sizes[i], scales[i], corners)
        else:
            ratio = (
                0.0
                if by_sizes
                and (sizes[i] == input.shape[i + 2] or sizes[i] == 2 * input.shape[i + 2])
                else scales[i]
            )
            out = torch.ops.prim.resize_dim(out, i + 2, sizes[i], ratio, mode, corners)
    return out.to(input.dtype)

aten::upsample_nearest1d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor
    return torch.ops.prim.upsample(input, output_size, scale_factors, 1, "nearest", False)
    draw input=w[B,C,H] output_size=?<1..6> scale_factors=?<0.3..2.6>
    peers gradient when scales: walks back by the sizes where it went forward by the scale

aten::upsample_nearest2d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor
    return torch.ops.prim.upsample(input, output_size, scale_factors, 2, "nearest", False)
    draw input=w[B,C,H,W] output_size=<1..6,1..6> scale_factors=None
    peers gradient when scales: walks back by the sizes where it went forward by the scale

aten::upsample_nearest3d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor
    return torch.ops.prim.upsample(input, output_size, scale_factors, 3, "nearest", False)
    draw input=w[B,C,H,W,D] output_size=<1..4,1..4,1..4> scale_factors=None H=1..3 W=1..3 D=1..3
    peers gradient when scales: walks back by the sizes where it went forward by the scale

aten::_upsample_nearest_exact1d.vec(Tensor input, int[]? output_size,
                                    float[]? scale_factors) -> Tensor
    return torch.ops.prim.upsample(input, output_size, scale_factors, 1, "exact", False)
    draw input=w[B,C,H] output_size=?<1..6> scale_factors=?<0.3..2.6>
    peers gradient when scales: walks back by the sizes where it went forward by the scale

aten::_upsample_nearest_exact2d.vec(Tensor input, int[]? output_size,
                                    float[]? scale_factors) -> Tensor
    return torch.ops.prim.upsample(input, output_size, scale_factors, 2, "exact", False)
    draw input=w[B,C,H,W] output_size=<1..6,1..6> scale_factors=None
    peers gradient when scales: walks back by the sizes where it went forward by the scale

aten::_upsample_nearest_exact3d.vec(Tensor input, int[]? output_size,
                                    float[]? scale_factors) -> Tensor
    return torch.ops.prim.upsample(input, output_size, scale_factors, 3, "exact", False)
    draw input=w[B,C,H,W,D] output_size=<1..4,1..4,1..4> scale_factors=None H=1..3 W=1..3 D=1..3
    peers gradient when scales: walks back by the sizes where it went forward by the scale

aten::_upsample_bilinear2d_aa.vec(Tensor input, int[]? output_size, bool align_corners,
                                  float[]? scale_factors) -> Tensor
    return torch.ops.prim.upsample(
        input, output_size, scale_factors, 2, "smooth linear", align_corners
    )
    draw input=w[B,C,H,W] output_size=<1..6,1..6> scale_factors=None
    others samples 8 ulp

aten::_upsample_bicubic2d_aa.vec(Tensor input, int[]? output_size, bool align_corners,
                                 float[]? scale_factors) -> Tensor
    return torch.ops.prim.upsample(
        input, output_size, scale_factors, 2, "smooth cubic", align_corners
    )
    draw input=w[B,C,H,W] output_size=<1..6,1..6> scale_factors=None
    others samples 8 ulp

aten::upsample_linear1d.vec(Tensor input, int[]? output_size, bool align_corners,
                            float[]? scale_factors) -> Tensor
    return torch.ops.prim.upsample(input, output_size, scale_factors, 1, "linear", align_corners)
    draw input=w[B,C,H] output_size=?<1..6> scale_factors=?<0.3..2.6>
    others samples 8 ulp

aten::upsample_bilinear2d.vec(Tensor input, int[]? output_size, bool align_corners,
                              float[]? scale_factors) -> Tensor
    return torch.ops.prim.upsample(input, output_size, scale_factors, 2, "linear", align_corners)
    draw input=w[B,C,H,W] output_size=?<1..6,1..6> scale_factors=?<0.3..2.6,0.3..2.6>
    others samples 8 ulp

aten::upsample_trilinear3d.vec(Tensor input, int[]? output_size, bool align_corners,
                               float[]? scale_factors) -> Tensor
    return torch.ops.prim.upsample(input, output_size, scale_factors, 3, "linear", align_corners)
    draw input=w[B,C,H,W,D] output_size=<1..4,1..4,1..4> scale_factors=None H=1..3 W=1..3 D=1..3
    others samples 8 ulp

aten::upsample_bicubic2d.vec(Tensor input, int[]? output_size, bool align_corners,
                             float[]? scale_factors) -> Tensor
    return torch.ops.prim.upsample(input, output_size, scale_factors, 2, "cubic", align_corners)
    draw input=w[B,C,H,W] output_size=?<1..6,1..6> scale_factors=?<0.3..2.6,0.3..2.6>
    others samples 8 ulp

aten::upsample_nearest1d(Tensor self, int[1] output_size, float? scales=None) -> Tensor
    return torch.ops.prim.resize_dims(
        self, output_size, [0.0 if scales is None else scales], "nearest", False
    )
    peers gradient when scales: walks back by the sizes where it went forward by the scale

aten::upsample_nearest2d(Tensor self, int[2] output_size, float? scales_h=None,
                         float? scales_w=None) -> Tensor
    return torch.ops.prim.resize_dims(
        self,
        output_size,
        [0.0 if scales_h is None else scales_h, 0.0 if scales_w is None else scales_w],
        "nearest",
        False,
    )
    peers gradient when scales: walks back by the sizes where it went forward by the scale

aten::upsample_nearest3d(Tensor self, int[3] output_size, float? scales_d=None,
                         float? scales_h=None, float? scales_w=None) -> Tensor
    return torch.ops.prim.resize_dims(
        self,
        output_size,
        [
            0.0 if scales_d is None else scales_d,
            0.0 if scales_h is None else scales_h,
            0.0 if scales_w is None else scales_w,
        ],
        "nearest",
        False,
    )
    draw self=w[B,C,H,W,D] output_size=<1..4,1..4,1..4> H=1..3 W=1..3 D=1..3
    peers gradient when scales: walks back by the sizes where it went forward by the scale

aten::_upsample_nearest_exact1d(Tensor self, int[1] output_size, float? scales=None) -> Tensor
    return torch.ops.prim.resize_dims(
        self, output_size, [0.0 if scales is None else scales], "exact", False
    )
    peers gradient when scales: walks back by the sizes where it went forward by the scale

aten::_upsample_nearest_exact2d(Tensor self, int[2] output_size, float? scales_h=None,
                                float? scales_w=None) -> Tensor
    return torch.ops.prim.resize_dims(
        self,
        output_size,
        [0.0 if scales_h is None else scales_h, 0.0 if scales_w is None else scales_w],
        "exact",
        False,
    )
    peers gradient when scales: walks back by the sizes where it went forward by the scale

aten::_upsample_nearest_exact3d(Tensor self, int[3] output_size, float? scales_d=None,
                                float? scales_h=None, float? scales_w=None) -> Tensor
    return torch.ops.prim.resize_dims(
        self,
        output_size,
        [
            0.0 if scales_d is None else scales_d,
            0.0 if scales_h is None else scales_h,
            0.0 if scales_w is None else scales_w,
        ],
        "exact",
        False,
    )
    draw self=w[B,C,H,W,D] output_size=<1..4,1..4,1..4> H=1..3 W=1..3 D=1..3
    peers gradient when scales: walks back by the sizes where it went forward by the scale

aten::upsample_linear1d(Tensor self, int[1] output_size, bool align_corners,
                        float? scales=None) -> Tensor
    return torch.ops.prim.resize_dims(
        self, output_size, [0.0 if scales is None else scales], "linear", align_corners
    )
    others samples 8 ulp

aten::upsample_bilinear2d(Tensor self, int[2] output_size, bool align_corners, float? scales_h=None,
                          float? scales_w=None) -> Tensor
    return torch.ops.prim.resize_dims(
        self,
        output_size,
        [0.0 if scales_h is None else scales_h, 0.0 if scales_w is None else scales_w],
        "linear",
        align_corners,
    )
    others samples 8 ulp

aten::upsample_trilinear3d(Tensor self, int[3] output_size, bool align_corners,
                           float? scales_d=None, float? scales_h=None,
                           float? scales_w=None) -> Tensor
    return torch.ops.prim.resize_dims(
        self,
        output_size,
        [
            0.0 if scales_d is None else scales_d,
            0.0 if scales_h is None else scales_h,
            0.0 if scales_w is None else scales_w,
        ],
        "linear",
        align_corners,
    )
    draw self=w[B,C,H,W,D] output_size=<1..4,1..4,1..4> H=1..3 W=1..3 D=1..3
    others samples 8 ulp

aten::upsample_bicubic2d(Tensor self, int[2] output_size, bool align_corners, float? scales_h=None,
                         float? scales_w=None) -> Tensor
    return torch.ops.prim.resize_dims(
        self,
        output_size,
        [0.0 if scales_h is None else scales_h, 0.0 if scales_w is None else scales_w],
        "cubic",
        align_corners,
    )
    others samples 8 ulp

aten::_upsample_bilinear2d_aa(Tensor self, int[2] output_size, bool align_corners,
                              float? scales_h=None, float? scales_w=None) -> Tensor
    return torch.ops.prim.resize_dims(
        self,
        output_size,
        [0.0 if scales_h is None else scales_h, 0.0 if scales_w is None else scales_w],
        "smooth linear",
        align_corners,
    )
    others samples 8 ulp

aten::_upsample_bicubic2d_aa(Tensor self, int[2] output_size, bool align_corners,
                             float? scales_h=None, float? scales_w=None) -> Tensor
    return torch.ops.prim.resize_dims(
        self,
        output_size,
        [0.0 if scales_h is None else scales_h, 0.0 if scales_w is None else scales_w],
        "smooth cubic",
        align_corners,
    )
    others samples 8 ulp
