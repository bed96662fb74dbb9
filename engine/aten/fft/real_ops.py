# Fourier transforms of real numbers to real numbers, short-time spectra as pairs of real and
# imaginary parts, and the signals behind them.
#
# A real operand is a spectrum without imaginary parts; fft/ops gives them as well. Along every
# dim but the last the transform is a product with cosines, and one with sines; along the last
# one, which has the first half of a spectrum, each number but those that are their own mirror
# counts twice. Of a real signal those have no imaginary part, and none has one where the signal is
# its own mirror: it is 0, not a rounding. Angles are multiples of a full circle taken modulo that
# circle, of which quarters are exact; all is computed in double and rounded once.

prim::spectral(Tensor self, str op) -> Tensor
    if self.dtype == torch.float16 or self.dtype == torch.bfloat16:
        raise RuntimeError(op + " takes tensors of float, double and integers")
    return self if self.is_floating_point() else self.to(torch.float32)

prim::spectral_share(int count, str? norm, bool inverse) -> float
    way = "backward" if norm is None else norm
    if way not in ["backward", "ortho", "forward"]:
        raise RuntimeError(
            f"the norm of a Fourier transform is backward, ortho or forward, got '{way}'"
        )
    if way == "ortho":
        return 1.0 / math.sqrt(float(count))
    return 1.0 / count if inverse == (way == "backward") else 1.0

prim::spectral_dims(Tensor self, int[]? s, int[]? dim) -> int[]
    if dim is None:
        count = self.dim() if s is None else len(s)
        if count > self.dim():
            raise RuntimeError("a Fourier transform has no more sizes than the tensor has dims")
        return [i for i in range(self.dim() - count, self.dim())]
    if s is not None and len(s) != len(dim):
        raise RuntimeError("a Fourier transform has as many sizes as dims")
    for d in dim:
        if d >= self.dim() or d < -self.dim():
            raise IndexError(
                f"dims of a Fourier transform lie from {-self.dim()} to {self.dim() - 1}, got {d}"
            )
    dims = [d % self.dim() for d in dim]
    for i in range(len(dims)):
        if dims[i] in dims[:i]:
            raise RuntimeError("the dims of a Fourier transform are different")
    return dims

prim::fit_size(Tensor self, int dim, int size) -> Tensor
    if size < 1:
        raise RuntimeError(f"a Fourier transform takes at least one number along a dim, got {size}")
    if self.shape[dim] >= size:
        return self.narrow(dim, 0, size)
    shape = self.shape.copy()
    shape[dim] = size - shape[dim]
    return torch.cat([self, torch.zeros(shape, dtype=self.dtype)], dim)

prim::phase_steps(int rows, int period) -> Tensor
    return torch.remainder(torch.arange(rows).unsqueeze(1) * torch.arange(period), period)

prim::cosines(int rows, int period) -> Tensor
    steps = torch.ops.prim.phase_steps(rows, period)
    cosines = (steps.to(torch.float64) * (6.283185307179586 / period)).cos()
    return cosines.masked_fill(torch.remainder(steps * 4, period * 2) == period, 0.0)

prim::sines(int rows, int period) -> Tensor
    steps = torch.ops.prim.phase_steps(rows, period)
    sines = (steps.to(torch.float64) * (6.283185307179586 / period)).sin()
    return sines.masked_fill(torch.remainder(steps * 2, period) == 0, 0.0)

prim::own_mirrors(int rows, int period) -> Tensor
    return torch.remainder(torch.arange(rows) * 2, period) == 0

prim::spectrum_of_real(Tensor signal, int rows) -> (Tensor, Tensor)
    period = signal.shape[-1]
    mirrored = signal.flip([-1]).roll([1], [-1])
    cosines = torch.ops.prim.cosines(rows, period).t()
    real = (signal + mirrored).matmul(cosines * 0.5)
    imaginary = 0.0 - (signal - mirrored).matmul(torch.ops.prim.sines(rows, period).t() * 0.5)
    return real, torch.ops.prim.zero_own_mirrors(imaginary, period)

prim::zero_own_mirrors(Tensor imaginary, int period) -> Tensor
    # of real signals, even of infinities
    return imaginary.masked_fill(torch.ops.prim.own_mirrors(imaginary.shape[-1], period), 0.0)

prim::half_to_signal(Tensor real, Tensor imaginary, int period) -> Tensor
    half = period // 2 + 1
    own = torch.ops.prim.own_mirrors(half, period)
    times = torch.where(
        own, torch.ones([half], dtype=torch.float64), torch.full([half], 2.0, dtype=torch.float64)
    )
    return (real * times).matmul(torch.ops.prim.cosines(half, period)) - (imaginary * times).matmul(
        torch.ops.prim.sines(half, period)
    )

prim::to_signal(Tensor self, Tensor? other, int[]? s, int[] dims, str? norm, bool inverse,
                str op) -> Tensor
    if len(dims) == 0:
        raise RuntimeError(op + " is along at least one dim")
    x = torch.ops.prim.spectral(self, op)
    last = dims[-1]
    period = 2 * (x.shape[last] - 1)
    if s is not None and s[-1] != -1:
        period = s[-1]
    if period < 1:
        raise RuntimeError(f"{op}: a signal has at least one number, got {period}")
    real = torch.ops.prim.fit_size(x.to(torch.float64), last, period // 2 + 1)
    imaginary = torch.zeros_like(real)
    if other is not None:
        imaginary = torch.ops.prim.fit_size(other.to(torch.float64), last, period // 2 + 1)
    count = period
    for i in range(len(dims) - 1):
        size = x.shape[dims[i]]
        if s is not None and s[i] != -1:
            size = s[i]
        count = count * size
        cos, sin = torch.ops.prim.cosines(size, size), torch.ops.prim.sines(size, size)
        a = torch.ops.prim.fit_size(real, dims[i], size).transpose(dims[i], -1)
        b = torch.ops.prim.fit_size(imaginary, dims[i], size).transpose(dims[i], -1)
        real = (a.matmul(cos) - b.matmul(sin)).transpose(dims[i], -1)
        imaginary = (a.matmul(sin) + b.matmul(cos)).transpose(dims[i], -1)
    out = torch.ops.prim.half_to_signal(
        real.transpose(last, -1), imaginary.transpose(last, -1), period
    )
    return (
        (out * torch.ops.prim.spectral_share(count, norm, inverse)).to(x.dtype).transpose(last, -1)
    )

aten::fft_irfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
    return torch.ops.prim.to_signal(
        self, None, s, torch.ops.prim.spectral_dims(self, s, dim), norm, True, "irfftn"
    )
    draw self=w[N,M] s=?<2,5> dim=?<0,1> norm=?forward N=1..4 M=2..5
    others transform 32 ulp

aten::fft_irfft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
    return torch.ops.prim.to_signal(
        self, None, s, torch.ops.prim.spectral_dims(self, s, dim), norm, True, "irfft2"
    )
    draw self=w[*,N,M] s=?<3,4> dim=<-2,-1> norm=?ortho N=1..4 M=2..5
    others transform 32 ulp

aten::fft_irfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor
    return torch.fft_irfftn(self, None if n is None else [n], [dim], norm)
    draw self=w[*,N] n=?1..9 dim=-1 norm=?backward|ortho|forward N=2..6
    others transform 32 ulp

aten::fft_hfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
    return torch.ops.prim.to_signal(
        self, None, s, torch.ops.prim.spectral_dims(self, s, dim), norm, False, "hfftn"
    )
    draw self=w[N,M] s=?<2,5> dim=?<0,1> norm=?forward N=1..4 M=2..5
    others transform 32 ulp

aten::fft_hfft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
    return torch.ops.prim.to_signal(
        self, None, s, torch.ops.prim.spectral_dims(self, s, dim), norm, False, "hfft2"
    )
    draw self=w[*,N,M] s=?<3,4> dim=<-2,-1> norm=?ortho N=1..4 M=2..5
    others transform 32 ulp

aten::fft_hfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor
    return torch.fft_hfftn(self, None if n is None else [n], [dim], norm)
    draw self=w[*,N] n=?1..9 dim=-1 norm=?backward|ortho|forward N=2..6
    others transform 32 ulp

prim::whole_window(Tensor? window, int wide, int n_fft) -> Tensor
    shape = torch.ones([wide], dtype=torch.float64) if window is None else window.to(torch.float64)
    if shape.dim() != 1 or shape.shape[0] != wide:
        raise RuntimeError("a short-time transform takes a window of win_length numbers")
    before = (n_fft - wide) // 2
    zeros = torch.zeros([n_fft], dtype=torch.float64)
    return torch.cat([zeros.narrow(0, 0, before), shape, zeros.narrow(0, 0, n_fft - wide - before)])

aten::stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None,
           bool normalized=False, bool? onesided=None, bool? return_complex=None) -> Tensor
    hop = n_fft // 4 if hop_length is None else hop_length
    wide = n_fft if win_length is None else win_length
    if (
        self.dim() < 1
        or self.dim() > 2
        or not self.is_floating_point()
        or n_fft < 1
        or n_fft > self.shape[-1]
    ):
        raise RuntimeError(
            "stft takes one signal of floats or a batch of them, at least n_fft long"
        )
    if (return_complex is not None and return_complex) or hop < 1 or wide < 1 or wide > n_fft:
        raise RuntimeError(
            "stft gives real and imaginary parts; its hop is positive, its window at most n_fft"
        )
    x = (self if self.dim() == 2 else self.unsqueeze(0)).to(torch.float64)
    frames = x.unfold(-1, n_fft, hop) * torch.ops.prim.whole_window(window, wide, n_fft)
    rows = n_fft // 2 + 1 if onesided is None or onesided else n_fft
    real, imaginary = torch.ops.prim.spectrum_of_real(frames, rows)
    out = torch.stack([real, imaginary], -1).transpose(1, 2)
    out = (out / math.sqrt(float(n_fft)) if normalized else out).to(self.dtype)
    return out if self.dim() == 2 else out.squeeze(0)
    others transform 32 ulp

aten::stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None,
                  Tensor? window=None, bool center=True, str pad_mode="reflect",
                  bool normalized=False, bool? onesided=None, bool? return_complex=None) -> Tensor
    if center and self.dim() > 0 and self.dim() < 3:
        x = self if self.dim() == 2 else self.unsqueeze(0)
        whole = torch.ops.aten.pad(x, [n_fft // 2, n_fft // 2], pad_mode)
        return torch.ops.aten.stft(
            whole if self.dim() == 2 else whole.squeeze(0),
            n_fft,
            hop_length,
            win_length,
            window,
            normalized,
            onesided,
            return_complex,
        )
    return torch.ops.aten.stft(
        self, n_fft, hop_length, win_length, window, normalized, onesided, return_complex
    )
    others transform 32 ulp

aten::istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None,
            bool center=True, bool normalized=False, bool? onesided=None, int? length=None,
            bool return_complex=False) -> Tensor
    hop = n_fft // 4 if hop_length is None else hop_length
    wide = n_fft if win_length is None else win_length
    if (
        (self.dim() != 3 and self.dim() != 4)
        or self.shape[-1] != 2
        or not self.is_floating_point()
        or self.numel() == 0
    ):
        raise RuntimeError(
            "istft takes a spectrum of floats whose last dim holds real and imaginary parts"
        )
    if return_complex or n_fft < 1 or hop < 1 or wide < 1 or wide > n_fft or hop > wide:
        raise RuntimeError(
            "istft gives real numbers; its hop is at most the window, which is at most n_fft"
        )
    rows, frames = self.shape[-3], self.shape[-2]
    half = rows != n_fft if onesided is None else onesided
    if rows != (n_fft // 2 + 1 if half else n_fft):
        raise RuntimeError(f"istft: {rows} frequencies are not those of an n_fft of {n_fft}")
    shape = torch.ops.prim.whole_window(window, wide, n_fft)
    x = (
        (self if self.dim() == 4 else self.unsqueeze(0))
        .to(torch.float64)
        .narrow(1, 0, n_fft // 2 + 1)
        .transpose(1, 2)
    )
    signal = torch.ops.prim.half_to_signal(x.select(-1, 0), x.select(-1, 1), n_fft) * (
        (1.0 / math.sqrt(float(n_fft)) if normalized else 1.0 / n_fft) * shape
    )
    count = n_fft + hop * (frames - 1)
    position = (torch.arange(frames).unsqueeze(1) * hop + torch.arange(n_fft)).flatten()
    out = torch.zeros([x.shape[0], count], dtype=torch.float64).index_add(
        1, position, signal.flatten(1)
    )
    weight = torch.zeros([count], dtype=torch.float64).index_add(
        0, position, (shape * shape).expand([frames, n_fft]).flatten()
    )
    start = n_fft // 2 if center else 0
    end = count - n_fft // 2 if center else count
    if length is not None:
        end = start + length
    stop = min(end, count)
    if stop <= start or not bool((weight.narrow(0, start, stop - start).abs() > 1e-11).all()):
        raise RuntimeError("istft: the windows leave numbers of the signal uncovered")
    # Cut first: weights beyond may be zero, whose quotients have no gradient.
    inner = out.narrow(1, start, stop - start) / weight.narrow(0, start, stop - start)
    if end > count:
        inner = torch.cat(
            [inner, torch.zeros([inner.shape[0], end - count], dtype=torch.float64)], 1
        )
    return (inner if self.dim() == 4 else inner.squeeze(0)).to(self.dtype)
    draw self=w[3,T,2] n_fft=4 hop_length=?1..2 win_length=None window=None center=True
        onesided=?True length=None return_complex=False T=3..6
    others transform 32 ulp

aten::stft.aligned(Tensor self, int n_fft, int? hop_length, int? win_length, Tensor? window,
                   bool normalized, bool? onesided, bool? return_complex,
                   bool? align_to_window) -> Tensor
    since 2
    x = self
    if self.dim() > 0 and n_fft > self.shape[-1]:
        raise RuntimeError("stft takes a signal at least n_fft long")
    if (
        align_to_window is not None
        and align_to_window
        and win_length is not None
        and win_length < n_fft
    ):
        before = (n_fft - win_length) // 2
        x = torch.constant_pad_nd(self, [before, n_fft - win_length - before])
    return torch.ops.aten.stft(
        x, n_fft, hop_length, win_length, window, normalized, onesided, return_complex
    )
    others transform 32 ulp
