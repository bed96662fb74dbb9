# Lines of numbers, windows, indices of triangles, and tensors with strides of the caller's.
#
# Generators are not supported: there is one stream of random numbers (random/rows.cpp).

prim::extent_of(int[] size, int[] stride) -> int
    last = 1
    for i in range(len(size)):
        if size[i] == 0:
            return 0
        last = last + (size[i] - 1) * stride[i]
    return last

aten::empty_strided(int[] size, int[] stride, *, ScalarType? dtype=None, Layout? layout=None,
                    Device? device=None, bool? pin_memory=None) -> Tensor
    if len(size) != len(stride) or (len(stride) > 0 and min(stride) < 0):
        raise RuntimeError("empty_strided takes a stride of at least 0 for each size")
    return torch.empty(
        [torch.ops.prim.extent_of(size, stride)],
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
    ).as_strided(size, stride)
    draw size=<2,3> stride=<3,1>|<1,2>|<4,1>
    peers gradient: memory that nobody wrote
    traits unwritten

aten::new_empty_strided(Tensor self, int[] size, int[] stride, *, ScalarType? dtype=None,
                        Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
    kind = self.dtype if dtype is None else dtype
    return torch.ops.aten.empty_strided(
        size, stride, dtype=kind, layout=layout, device=device, pin_memory=pin_memory
    )
    draw self=a[N] size=<2,3> stride=<3,1>|<1,2>|<4,1>
    peers gradient: memory that nobody wrote
    traits unwritten

aten::empty_permuted(int[] size, int[] physical_layout, *, ScalarType? dtype=None,
                     Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
    since 2
    back = [0] * len(physical_layout)
    for i in range(len(physical_layout)):
        back[physical_layout[i]] = i
    return torch.empty(
        [size[i] for i in physical_layout],
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
    ).permute(back)
    peers gradient: memory that nobody wrote
    traits unwritten

aten::eye(int n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,
          bool? pin_memory=None) -> Tensor
    return torch.eye(n, n, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

aten::eye.m(int n, int m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,
            bool? pin_memory=None) -> Tensor
    if n < 0 or m < 0:
        raise RuntimeError("eye: sizes are at least 0")
    out = torch.zeros([n, m], dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
    out.diagonal().fill_(1)
    return out

aten::_shape_as_tensor(Tensor self) -> Tensor
    return torch.tensor(self.size())

aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None,
               Device? device=None, bool? pin_memory=None) -> Tensor
    if steps < 0:
        raise RuntimeError("linspace: steps is at least 0")
    sample = torch.zeros([0], dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
    wanted, whole = sample.dtype, not sample.is_floating_point()
    a, b = float(int(start) if whole else start), float(int(end) if whole else end)
    if steps > 0:
        torch.full([], a, dtype=wanted)
    if steps > 1:
        torch.full([], b, dtype=wanted)
    fine = torch.float64 if whole or wanted == torch.float64 else torch.float32
    at = torch.arange(steps, dtype=fine)
    step = (b - a) / (steps - 1) if steps > 1 else 0.0
    return torch.where(
        at < (steps + 1) // 2 if steps == 1 else at < steps // 2,
        at * step + a,
        b - (steps - 1 - at) * step,
    ).to(wanted)
    draw steps=0..9 dtype=?6|7
    others steps 8 ulp

aten::logspace(Scalar start, Scalar end, int steps, float base=10., *, ScalarType? dtype=None,
               Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
    sample = torch.zeros([0], dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
    if steps < 0:
        raise RuntimeError("logspace: steps is at least 0")
    if steps > 1:
        torch.full([], start, dtype=sample.dtype)
        torch.full([], end, dtype=sample.dtype)
    if not sample.is_floating_point():
        line = torch.linspace(int(start), int(end), steps, dtype=torch.float64)
        return torch.pow(base, line).to(sample.dtype)
    if steps < 2:
        return torch.full([steps], base, dtype=torch.float64).pow(float(start)).to(sample.dtype)
    ends = torch.tensor([float(start), float(end)], dtype=sample.dtype).to(torch.float64)
    step = float((ends[1] - ends[0]).to(sample.dtype)) / max(steps - 1, 1)
    step = float(torch.full([], step, dtype=sample.dtype))
    at = torch.arange(steps, dtype=torch.float64)
    return torch.pow(
        base, torch.where(at < steps // 2, at * step + ends[0], ends[1] - (steps - 1 - at) * step)
    ).to(sample.dtype)
    draw start=-2..2 end=0..3 steps=0..9 base=2.0|10.0 dtype=?6|7
    others exponent 32 ulp

aten::range(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None,
            Device? device=None, bool? pin_memory=None) -> Tensor
    return torch.range(
        start, end, 1, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory
    )
    draw start=-3..3 end=3..12 dtype=?4|6

aten::range.step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None,
                 Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
    a, b, by = float(start), float(end), float(step)
    if by == 0.0 or (b - a) * by < 0.0:
        raise RuntimeError("range: the step leads from start to end")
    count = int((b - a) / by) + 1
    return (torch.arange(count, dtype=torch.float64) * by + a).to(
        torch.zeros([0], dtype=dtype, layout=layout, device=device, pin_memory=pin_memory).dtype
    )
    draw start=-3..3 end=3..12 step=1..3 dtype=?4|6

aten::tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None,
                   Device? device=None, bool? pin_memory=None) -> Tensor
    values
    if row < 0 or col < 0:
        raise RuntimeError("tril_indices: sizes are at least 0")
    indices = torch.ones([row, col], dtype=torch.bool).tril(offset).nonzero().t().contiguous()
    return indices if dtype is None else indices.to(dtype)

aten::triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None,
                   Device? device=None, bool? pin_memory=None) -> Tensor
    values
    if row < 0 or col < 0:
        raise RuntimeError("triu_indices: sizes are at least 0")
    indices = torch.ones([row, col], dtype=torch.bool).triu(offset).nonzero().t().contiguous()
    return indices if dtype is None else indices.to(dtype)

prim::window_steps(int length, bool periodic, float over, int? dtype) -> Tensor
    wanted = torch.float32 if dtype is None else dtype
    if length < 0 or not torch.zeros([0], dtype=wanted).is_floating_point():
        raise RuntimeError("a window takes a length of at least 0 and a dtype of floats")
    return torch.arange(length, dtype=wanted) * (over / max(length if periodic else length - 1, 1))

prim::cosine_window(int length, bool periodic, float first, float second, int? dtype) -> Tensor
    angle = torch.ops.prim.window_steps(length, periodic, 6.283185307179586, dtype)
    return torch.ones_like(angle) if length < 2 else torch.cos(angle) * -second + first

aten::hann_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None,
                  Device? device=None, bool? pin_memory=None) -> Tensor
    return torch.ops.prim.cosine_window(window_length, True, 0.5, 0.5, dtype)

aten::hann_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None,
                           Layout? layout=None, Device? device=None,
                           bool? pin_memory=None) -> Tensor
    return torch.ops.prim.cosine_window(window_length, periodic, 0.5, 0.5, dtype)

aten::hamming_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None,
                     Device? device=None, bool? pin_memory=None) -> Tensor
    return torch.ops.prim.cosine_window(window_length, True, 0.54, 0.46, dtype)

aten::hamming_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None,
                              Layout? layout=None, Device? device=None,
                              bool? pin_memory=None) -> Tensor
    return torch.ops.prim.cosine_window(window_length, periodic, 0.54, 0.46, dtype)

aten::hamming_window.periodic_alpha(int window_length, bool periodic, float alpha, *,
                                    ScalarType? dtype=None, Layout? layout=None,
                                    Device? device=None, bool? pin_memory=None) -> Tensor
    return torch.ops.prim.cosine_window(window_length, periodic, alpha, 0.46, dtype)

aten::hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta,
                                         *, ScalarType? dtype=None, Layout? layout=None,
                                         Device? device=None, bool? pin_memory=None) -> Tensor
    return torch.ops.prim.cosine_window(window_length, periodic, alpha, beta, dtype)

aten::blackman_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None,
                      Device? device=None, bool? pin_memory=None) -> Tensor
    return torch.blackman_window(
        window_length, True, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory
    )

aten::blackman_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None,
                               Layout? layout=None, Device? device=None,
                               bool? pin_memory=None) -> Tensor
    half = torch.ops.prim.window_steps(window_length, periodic, 3.141592653589793, dtype)
    if window_length < 2:
        return torch.ones_like(half)
    return torch.cos(half * 4) * 0.08 - torch.cos(half * 2) * 0.5 + 0.42

aten::bartlett_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None,
                      Device? device=None, bool? pin_memory=None) -> Tensor
    return torch.bartlett_window(
        window_length, True, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory
    )

aten::bartlett_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None,
                               Layout? layout=None, Device? device=None,
                               bool? pin_memory=None) -> Tensor
    at = torch.ops.prim.window_steps(window_length, periodic, 2.0, dtype)
    if window_length < 2:
        return torch.ones_like(at)
    past = torch.arange(window_length) > (window_length if periodic else window_length - 1) // 2
    return torch.where(past, at * -1 + 2, at)

aten::fill.Scalar(Tensor self, Scalar value) -> Tensor
    return torch.full_like(self, value)

aten::fill.Tensor(Tensor self, Tensor value) -> Tensor
    if value.dim() != 0:
        raise RuntimeError("fill takes a tensor of no dims")
    return torch.empty_like(self).copy_(value)

aten::Size(int[] sizes) -> int[]
    return sizes.copy()

# Of operators in C++.
aten::arange
    draw end=0..12 dtype=?3|4|6
aten::arange.start
    draw start=-3..3 end=3..12 dtype=?3|4|6
aten::arange.start_step
    draw start=-3..3 end=3..12 step=1..3 dtype=?3|4|6
aten::empty.memory_format
    draw size=<N,C,A,B>|<N,C,D,A,B> memory_format=?0|2|3 dtype=?3|4|6|7|11 D=1..3

aten::empty.memory_format, aten::empty_like, aten::new_empty
    others unset

aten::empty.memory_format, aten::empty_like, aten::new_empty
    peers gradient: memory that nobody wrote
    traits unwritten
