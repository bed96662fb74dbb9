# Convolutions of three dimensions and transposed ones, and columns put back into images.

prim::conv_input_gradient(Tensor grad, Tensor weight, int[] size, int[] stride, int[] padding,
                          int[] dilation, int groups) -> Tensor
    dims = weight.dim() - 2
    step = torch.ops.prim.each_of(stride, dims)
    pad = torch.ops.prim.each_of(padding, dims)
    wide = torch.ops.prim.each_of(dilation, dims)
    rest: List[int] = []
    for d in range(dims):
        reach = (
            (grad.size(d - dims) - 1) * step[d]
            - 2 * pad[d]
            + wide[d] * (weight.size(d - dims) - 1)
            + 1
        )
        rest.append(size[d - dims] - reach)
    return torch.ops.prim.conv_transpose(grad, weight, None, step, pad, rest, groups, wide, dims)

prim::conv_weight_gradient(Tensor grad, Tensor input, int[] size, int[] stride, int[] padding,
                           int[] dilation, int groups) -> Tensor
    dims = len(size) - 2
    step = torch.ops.prim.each_of(stride, dims)
    wide = torch.ops.prim.each_of(dilation, dims)
    pads: List[int] = []
    for d in range(dims):
        n = torch.ops.prim.each_of(padding, dims)[dims - 1 - d]
        pads = pads + [n, n]
    whole = input if input.dim() == dims + 2 else input.unsqueeze(0)
    padded = torch.ops.aten.constant_pad_nd(whole, pads)
    like = torch.zeros(size, dtype=grad.dtype)
    columns = torch.ops.prim.conv_columns(
        torch.ops.prim.conv_windows(padded, like, step, wide, groups)
    )
    filters = grad.reshape([whole.size(0), groups, size[0] // groups, columns.size(-1)])
    return torch.matmul(filters, columns.transpose(-1, -2)).sum([0]).reshape(size)

aten::_convolution_mode(Tensor input, Tensor weight, Tensor? bias, int[] stride, str padding,
                        int[] dilation, int groups) -> Tensor
    if len(stride) == 3:
        return torch.conv3d(input, weight, bias, stride, padding, dilation, groups)
    return torch.ops.prim.convolution_mode(input, weight, bias, stride, padding, dilation, groups)
    draw input=w[B,C,H,H] weight==[O,C,K,K] bias=?=[O] stride=<1,1> padding=same|valid
        dilation=<1,1> groups=1 C=1..3 O=1..3 K=1..2 H=2..5

aten::_convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding,
                   int[] dilation, bool transposed, int[] output_padding, int groups,
                   bool benchmark, bool deterministic, bool cudnn_enabled,
                   bool allow_tf32) -> Tensor
    dims = weight.dim() - 2
    if transposed:
        return torch.ops.prim.conv_transpose(
            input, weight, bias, stride, padding, output_padding, groups, dilation, dims
        )
    if dims == 1:
        return torch.conv1d(input, weight, bias, stride, padding, dilation, groups)
    if dims == 2:
        return torch.conv2d(input, weight, bias, stride, padding, dilation, groups)
    return torch.conv3d(input, weight, bias, stride, padding, dilation, groups)
    draw input=w[B,C,H,H] weight==[O,C,K,K] bias=?=[O] stride=<1,1> padding=<0,0> dilation=<1,1>
        transposed=False output_padding=<0,0> groups=1 C=1..3 O=1..3 K=1..2 H=2..5

prim::each_of(int[] given, int dims) -> int[]
    return given * dims if len(given) == 1 else given

prim::convolve3d(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding,
                 int[] dilation, int groups) -> Tensor
    if weight.dim() != 5 or (input.dim() != 4 and input.dim() != 5) or input.dtype != weight.dtype:
        raise RuntimeError(
            "conv3d takes an input of four or five dims and a weight of five, of one dtype"
        )
    if bias is not None and (
        bias.dim() != 1 or bias.shape[0] != weight.shape[0] or bias.dtype != input.dtype
    ):
        raise RuntimeError(
            "conv3d takes a bias of the input's dtype for each channel of the result"
        )
    steps, pads = torch.ops.prim.each_of(stride, 3), torch.ops.prim.each_of(padding, 3)
    dilations = torch.ops.prim.each_of(dilation, 3)
    if steps[0] < 1 or dilations[0] < 1 or pads[0] < 0:
        raise RuntimeError("conv3d: stride and dilation are positive, padding is at least 0")
    x = torch.constant_pad_nd(
        input if input.dim() == 5 else input.unsqueeze(0), [0, 0, 0, 0, pads[0], pads[0]]
    )
    n, c, depth, k = x.shape[0], x.shape[1], x.shape[2], weight.shape[2]
    deep = (depth - dilations[0] * (k - 1) - 1) // steps[0] + 1
    if deep < 1:
        raise RuntimeError("conv3d: the kernel is greater than the padded input")
    out = torch.zeros([1], dtype=x.dtype)
    for i in range(k):
        layers = x.slice(
            2, i * dilations[0], i * dilations[0] + (deep - 1) * steps[0] + 1, steps[0]
        ).transpose(1, 2)
        part = torch.conv2d(
            layers.reshape([n * deep, c, x.shape[3], x.shape[4]]),
            weight.select(2, i),
            None,
            steps[1:],
            pads[1:],
            dilations[1:],
            groups,
        )
        out = out + part
    layered = out.reshape([n, deep, weight.shape[0], out.shape[2], out.shape[3]]).transpose(1, 2)
    whole = layered.reshape([-1]).reshape(layered.shape)
    if bias is not None:
        whole = whole + bias.reshape([-1, 1, 1, 1])
    return whole if input.dim() == 5 else whole.squeeze(0)

aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] padding=0,
             int[3] dilation=1, int groups=1) -> Tensor
    return torch.ops.prim.convolve3d(input, weight, bias, stride, padding, dilation, groups)
    draw input=w[B,C,H,H,H] weight==[O,C,K,K,K] bias=?=[O] stride=<S,S,S> padding=<P,P,P>
        dilation=<1,1,1> groups=1 B=1..2 C=1..2 O=1..3 K=1..2 H=2..3 S=1..2 P=0..1
    others not finite

aten::conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1,
                     str padding="valid", int[3] dilation=1, int groups=1) -> Tensor
    if padding == "valid":
        return torch.ops.prim.convolve3d(input, weight, bias, stride, [0], dilation, groups)
    steps, dilations = torch.ops.prim.each_of(stride, 3), torch.ops.prim.each_of(dilation, 3)
    if padding != "same" or steps[0] != 1 or steps[1] != 1 or steps[2] != 1 or weight.dim() != 5:
        raise RuntimeError("conv3d: padding is 'valid', or 'same' with a stride of 1")
    pads: List[int] = []
    for i in range(3):
        total = dilations[2 - i] * (weight.shape[4 - i] - 1)
        pads.append(total // 2)
        pads.append(total - total // 2)
    return torch.ops.prim.convolve3d(
        torch.constant_pad_nd(input, pads), weight, bias, stride, [0], dilation, groups
    )
    draw input=w[B,C,H,H,H] weight==[O,C,K,K,K] bias=?=[O] stride=<1,1,1> padding=same|valid
        dilation=<1,1,1> groups=1 B=1..2 C=1..2 O=1..3 K=1..2 H=2..3
    others not finite

prim::conv_transpose(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding,
                     int[] output_padding, int groups, int[] dilation, int dims) -> Tensor
    if (
        weight.dim() != dims + 2
        or (input.dim() != dims + 1 and input.dim() != dims + 2)
        or groups < 1
    ):
        raise RuntimeError(
            "conv_transpose: the input or the weight has other dims than the convolution"
        )
    steps, pads = torch.ops.prim.each_of(stride, dims), torch.ops.prim.each_of(padding, dims)
    more, dilations = torch.ops.prim.each_of(output_padding, dims), torch.ops.prim.each_of(
        dilation, dims
    )
    x = input if input.dim() == dims + 2 else input.unsqueeze(0)
    c = x.shape[1]
    if c != weight.shape[0] or c % groups != 0 or input.dtype != weight.dtype:
        raise RuntimeError(
            "conv_transpose: the input's channels are the weight's, of one dtype, a multiple of "
            "the groups"
        )
    sizes = [x.shape[0], c]
    frame: List[int] = []
    for i in range(dims):
        if (
            steps[i] < 1
            or dilations[i] < 1
            or pads[i] < 0
            or more[i] < 0
            or more[i] >= max(steps[i], dilations[i])
        ):
            raise RuntimeError(
                "conv_transpose: stride and dilation are positive, output_padding is less than "
                "one of them"
            )
        sizes.append((x.shape[i + 2] - 1) * steps[i] + 1)
        d = dims - 1 - i
        edge = dilations[d] * (weight.shape[d + 2] - 1) - pads[d]
        frame.append(edge)
        frame.append(edge + more[d])
    spread = x.new_zeros(sizes)
    target = spread.slice(2, None, None, steps[0])
    for i in range(1, dims):
        target = target.slice(i + 2, None, None, steps[i])
    target.copy_(x)
    kernel: List[int] = weight.shape[2:]
    flipped = weight.flip([i + 2 for i in range(dims)]).reshape(
        [groups, c // groups, weight.shape[1]] + kernel
    )
    filters = flipped.transpose(1, 2).reshape([groups * weight.shape[1], c // groups] + kernel)
    framed = torch.constant_pad_nd(spread, frame)
    if dims == 1:
        out = torch.conv1d(framed, filters, bias, [1], [0], dilations, groups)
    elif dims == 2:
        out = torch.conv2d(framed, filters, bias, [1, 1], [0, 0], dilations, groups)
    else:
        out = torch.ops.prim.convolve3d(framed, filters, bias, [1], [0], dilations, groups)
    return out if input.dim() == dims + 2 else out.squeeze(0)

aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=[1],
                       int[1] padding=[0], int[1] output_padding=[0], int groups=1,
                       int[1] dilation=[1]) -> Tensor
    return torch.ops.prim.conv_transpose(
        input, weight, bias, stride, padding, output_padding, groups, dilation, 1
    )
    draw input=w[B,C,H] weight==[C,O,K] bias=?=[O] stride=<S> padding=<P> output_padding=<0>
        groups=1 dilation=<1> B=1..2 C=1..3 O=1..3 K=2..3 H=2..5 S=1..2 P=0..1
    others not finite

aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1,
                             int[2] padding=0, int[2] output_padding=0, int groups=1,
                             int[2] dilation=1) -> Tensor
    return torch.ops.prim.conv_transpose(
        input, weight, bias, stride, padding, output_padding, groups, dilation, 2
    )
    draw input=w[B,C,H,H] weight==[C,O,K,K] bias=?=[O] stride=<S,S> padding=<P,P>
        output_padding=<0,0> groups=1 dilation=<1,1> B=1..2 C=1..3 O=1..3 K=2..3 H=2..4 S=1..2
        P=0..1
    others not finite

aten::conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1,
                             int[3] padding=0, int[3] output_padding=0, int groups=1,
                             int[3] dilation=1) -> Tensor
    return torch.ops.prim.conv_transpose(
        input, weight, bias, stride, padding, output_padding, groups, dilation, 3
    )
    draw input=w[B,C,H,H,H] weight==[C,O,K,K,K] bias=?=[O] stride=<S,S,S> padding=<P,P,P>
        output_padding=<0,0,0> groups=1 dilation=<1,1,1> B=1..2 C=1..2 O=1..2 K=2..3 H=2..3 S=1..2
        P=0..1
    others not finite

aten::conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor
    if self.dim() != 3 or weight.dim() != 3 or bias.dim() != 1:
        raise RuntimeError("conv_tbc takes an input and a weight of three dims, a bias of one")
    if self.shape[2] != weight.shape[1] or bias.shape[0] != weight.shape[2]:
        raise RuntimeError(
            "conv_tbc: the weight's channels are the input's and, of the result, the bias's"
        )
    steps, taps = self.shape[0], weight.shape[0]
    length = steps + 2 * pad - taps + 1
    if length < 0:
        raise RuntimeError("conv_tbc: the kernel is greater than the padded input")
    out = self.new_empty([length, self.shape[1], weight.shape[2]]).copy_(bias)
    for k in range(taps):
        first = max(pad - k, 0)
        count = min(steps + pad - k, length) - first
        if count > 0:
            part = self.narrow(0, max(k - pad, 0), count)
            out.narrow(0, first, count).add_(torch.matmul(part, weight.select(0, k)))
    return out
    draw self=f[T,B,C] weight==[K,C,O] bias==[O] pad=P T=3..6 B=0..3 C=0..3 O=1..3 K=1..3 P=0..2
    others subnormals flushed

aten::col2im(Tensor self, int[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding,
             int[2] stride) -> Tensor
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
        raise RuntimeError(
            "fold: the columns are no blocks of the kernel at the positions of the result"
        )
    parts = x.reshape([n, c // (kh * kw), kh, kw, rows, cols])
    out = x.new_zeros([n, c // (kh * kw), high, wide])
    for i in range(kh):
        for j in range(kw):
            top, left = i * dilation[0], j * dilation[1]
            target = out.slice(2, top, top + (rows - 1) * stride[0] + 1, stride[0])
            target.slice(3, left, left + (cols - 1) * stride[1] + 1, stride[1]).add_(
                parts.select(2, i).select(2, j)
            )
    inner = (
        out.narrow(2, padding[0], output_size[0]).narrow(3, padding[1], output_size[1]).contiguous()
    )
    return inner if self.dim() == 3 else inner.squeeze(0)
    draw self=w[B,4C,9] output_size=<4,4> kernel_size=<2,2> dilation=<1,1> padding=<0,0>
        stride=<1,1>

aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=[1], int[1] padding=[0],
             int[1] dilation=[1], int groups=1) -> Tensor
    payload
    pads = torch.ops.prim.conv_pads(
        "aten::conv1d", 1, input, weight, bias, stride, padding, dilation, groups
    )
    padded = torch.ops.prim.pad(input, pads, torch.ops.prim.fill_like(input, 0), False)
    windows = torch.ops.prim.conv_windows(padded, weight, stride, dilation, groups)
    columns = torch.ops.prim.conv_columns(windows)
    product = torch.ops.prim.conv_product(weight.flatten(1, -1), columns, bias)
    return torch.ops.prim.conv_result(product, windows, input)
    others not finite

aten::conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=[1],
                     str padding="valid", int[1] dilation=[1], int groups=1) -> Tensor
    payload
    pads = torch.ops.prim.conv_pads(
        "aten::conv1d", 1, input, weight, bias, stride, padding, dilation, groups
    )
    padded = torch.ops.prim.pad(input, pads, torch.ops.prim.fill_like(input, 0), False)
    windows = torch.ops.prim.conv_windows(padded, weight, stride, dilation, groups)
    columns = torch.ops.prim.conv_columns(windows)
    product = torch.ops.prim.conv_product(weight.flatten(1, -1), columns, bias)
    return torch.ops.prim.conv_result(product, windows, input)
    others not finite

aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=[1], int[2] padding=[0],
             int[2] dilation=[1], int groups=1) -> Tensor
    payload
    pads = torch.ops.prim.conv_pads(
        "aten::conv2d", 2, input, weight, bias, stride, padding, dilation, groups
    )
    padded = torch.ops.prim.pad(input, pads, torch.ops.prim.fill_like(input, 0), False)
    windows = torch.ops.prim.conv_windows(padded, weight, stride, dilation, groups)
    columns = torch.ops.prim.conv_columns(windows)
    product = torch.ops.prim.conv_product(weight.flatten(1, -1), columns, bias)
    return torch.ops.prim.conv_result(product, windows, input)
    others not finite

aten::conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=[1],
                     str padding="valid", int[2] dilation=[1], int groups=1) -> Tensor
    payload
    pads = torch.ops.prim.conv_pads(
        "aten::conv2d", 2, input, weight, bias, stride, padding, dilation, groups
    )
    padded = torch.ops.prim.pad(input, pads, torch.ops.prim.fill_like(input, 0), False)
    windows = torch.ops.prim.conv_windows(padded, weight, stride, dilation, groups)
    columns = torch.ops.prim.conv_columns(windows)
    product = torch.ops.prim.conv_product(weight.flatten(1, -1), columns, bias)
    return torch.ops.prim.conv_result(product, windows, input)
    others not finite

prim::convolution_mode(Tensor input, Tensor weight, Tensor? bias, int[] stride, str padding,
                       int[] dilation, int groups) -> Tensor
    pads = torch.ops.prim.conv_pads(
        "aten::_convolution_mode", 0, input, weight, bias, stride, padding, dilation, groups
    )
    padded = torch.ops.prim.pad(input, pads, torch.ops.prim.fill_like(input, 0), False)
    windows = torch.ops.prim.conv_windows(padded, weight, stride, dilation, groups)
    columns = torch.ops.prim.conv_columns(windows)
    product = torch.ops.prim.conv_product(weight.flatten(1, -1), columns, bias)
    return torch.ops.prim.conv_result(product, windows, input)

# Of operators in C++.
aten::conv1d, aten::conv2d
    gradient input:
        return torch.ops.prim.conv_input_gradient(
            grad, weight, input.size(), stride, padding, dilation, groups
        )
    gradient weight:
        return torch.ops.prim.conv_weight_gradient(
            grad, input, weight.size(), stride, padding, dilation, groups
        )
    gradient bias: torch.ops.prim.channel_sums(grad, weight.dim() - 2)
prim::conv_columns, prim::im2col_columns
    gradient windows: grad.reshape(windows.size())
prim::conv_result
    gradient product: grad.reshape(product.size())
    gradient windows, input: none
prim::conv_windows
    gradient padded:
        return torch.ops.prim.gradient_of_part(
            grad,
            padded.size(),
            padded.stride(),
            result.size(),
            result.stride(),
            result.storage_offset() - padded.storage_offset(),
        )
    gradient weight: none
