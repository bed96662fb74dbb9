# Fourier transforms to and of complex numbers, as pairs of real and imaginary parts.
#
# The transforms are products with cosines and sines along each dim, in double, rounded once
# (fft/real_ops).

prim::frequencies(int n, int count, int first, float d, ScalarType? dtype) -> Tensor
    kind = torch.float32 if dtype is None else dtype
    if not torch.empty([0], dtype=kind).is_floating_point():
        raise RuntimeError("fftfreq and rfftfreq take a dtype of floats")
    if n < 0:
        raise RuntimeError(f"fftfreq and rfftfreq take a length of at least 0, got {n}")
    indices = torch.cat([torch.arange(count), torch.arange(first, 0)]).to(kind)
    whole = n * d
    return indices * (math.copysign(float("inf"), whole) if whole == 0.0 else 1.0 / whole)

aten::fft_fftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? layout=None,
                  Device? device=None, bool? pin_memory=None) -> Tensor
    return torch.ops.prim.frequencies(n, (n + 1) // 2, -(n // 2), d, dtype)
    others transform 32 ulp

aten::fft_rfftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? layout=None,
                   Device? device=None, bool? pin_memory=None) -> Tensor
    return torch.ops.prim.frequencies(n, n // 2 + 1, 0, d, dtype)
    others transform 32 ulp

prim::shifted_dims(Tensor self, int[]? dim) -> int[]
    dims = [i for i in range(self.dim())] if dim is None else dim
    if len(dims) == 0 and self.numel() > 0:
        raise RuntimeError("fftshift and ifftshift are along at least one dim")
    return dims

aten::fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor
    dims = torch.ops.prim.shifted_dims(self, dim)
    return torch.roll(self, [self.shape[d] // 2 for d in dims], dims)

aten::fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor
    dims = torch.ops.prim.shifted_dims(self, dim)
    return torch.roll(self, [(self.shape[d] + 1) // 2 for d in dims], dims)

prim::spectrum(Tensor real, Tensor? imag, int[]? s, int[] dims, str? norm, bool inverse,
               bool half) -> Tensor
    if len(dims) == 0:
        share = torch.ops.prim.spectral_share(1, norm, inverse)
        return torch.ops.prim.pair(real * share, torch.zeros_like(real) if imag is None else imag)
    a = real.to(torch.float64)
    b = torch.zeros_like(a) if imag is None else imag.to(torch.float64)
    count = 1
    for step in range(len(dims)):  # the last dim first: of real numbers half of it says all
        i = len(dims) - 1 - step
        size = real.shape[dims[i]]
        if s is not None and s[i] != -1:
            size = s[i]
        count = count * size
        cos, sin = torch.ops.prim.cosines(size, size), torch.ops.prim.sines(size, size)
        x = torch.ops.prim.fit_size(a, dims[i], size).transpose(dims[i], -1)
        if step == 0 and imag is None:
            x, y = torch.ops.prim.spectrum_of_real(x, size)
            a, b = x.transpose(dims[i], -1), (-y if inverse else y).transpose(dims[i], -1)
        else:
            y = torch.ops.prim.fit_size(b, dims[i], size).transpose(dims[i], -1)
            sin = sin if inverse else -sin
            a = (x.matmul(cos) - y.matmul(sin)).transpose(dims[i], -1)
            b = (x.matmul(sin) + y.matmul(cos) + 0.0).transpose(dims[i], -1)
    if half:
        last = dims[-1]
        a = a.narrow(last, 0, a.shape[last] // 2 + 1)
        b = b.narrow(last, 0, b.shape[last] // 2 + 1)
    share = torch.ops.prim.spectral_share(count, norm, inverse)
    return torch.ops.prim.pair((a * share).to(real.dtype), (b * share).to(real.dtype))

prim::complex_fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor
    dims = (
        [i for i in range(self.dim() - 1)]
        if dim is None
        else [torch.ops.prim.pair_dim(self, d) for d in dim]
    )
    return torch.fft_fftshift(self, dims)

prim::complex_fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor
    dims = (
        [i for i in range(self.dim() - 1)]
        if dim is None
        else [torch.ops.prim.pair_dim(self, d) for d in dim]
    )
    return torch.fft_ifftshift(self, dims)

prim::complex_stft(Tensor real_self, int n_fft, int? hop_length=None, int? win_length=None,
                   Tensor? real_window=None, bool normalized=False, bool? onesided=None,
                   bool? return_complex=None) -> Tensor
    return torch.ops.aten.stft(
        real_self, n_fft, hop_length, win_length, real_window, normalized, onesided, False
    )
    draw self=w[N] n_fft=4 hop_length=?1..3 win_length=None window=?=[4]
        onesided=?True|False return_complex=True N=8..12
    others transform 32 ulp

prim::complex_stft.center(Tensor real_self, int n_fft, int? hop_length=None, int? win_length=None,
                          Tensor? real_window=None, bool center=True, str pad_mode="reflect",
                          bool normalized=False, bool? onesided=None,
                          bool? return_complex=None) -> Tensor
    return torch.ops.aten.stft(
        real_self,
        n_fft,
        hop_length,
        win_length,
        real_window,
        center,
        pad_mode,
        normalized,
        onesided,
        False,
    )
    draw self=w[N] n_fft=4 hop_length=?1..3 win_length=None window=?=[4] pad_mode=reflect|constant
        onesided=?True|False return_complex=True N=8..12
    others transform 32 ulp

prim::complex_stft.aligned(Tensor real_self, int n_fft, int? hop_length, int? win_length,
                           Tensor? real_window, bool normalized, bool? onesided,
                           bool? return_complex, bool? align_to_window) -> Tensor
    return torch.ops.aten.stft(
        real_self,
        n_fft,
        hop_length,
        win_length,
        real_window,
        normalized,
        onesided,
        False,
        align_to_window,
    )
    draw self=w[N] n_fft=4 hop_length=?1..3 win_length=None window=?=[4]
        onesided=?True|False return_complex=True N=8..12
    others transform 32 ulp

prim::complex_istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None,
                    Tensor? real_window=None, bool center=True, bool normalized=False,
                    bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor
    return torch.ops.aten.istft(
        self, n_fft, hop_length, win_length, real_window, center, normalized, onesided, length
    )
    draw self=w[3,T] n_fft=4 hop_length=?1..2 win_length=None window=None center=True onesided=?True
        length=None return_complex=False T=3..6
    others transform 32 ulp

prim::complex_fft_fft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor
    real = torch.ops.prim.re(self)
    return torch.ops.prim.spectrum(
        real,
        torch.ops.prim.im(self),
        None if n is None else [n],
        torch.ops.prim.spectral_dims(real, None if n is None else [n], [dim]),
        norm,
        False,
        False,
    )
    draw self=w[*,N] n=?1..9 dim=-1 norm=?backward|ortho|forward N=1..6
    others transform 32 ulp

prim::complex_fft_fft_of_real(Tensor real_self, int? n=None, int dim=-1, str? norm=None) -> Tensor
    real = torch.ops.prim.spectral(real_self, "fft")
    return torch.ops.prim.spectrum(
        real,
        None,
        None if n is None else [n],
        torch.ops.prim.spectral_dims(real, None if n is None else [n], [dim]),
        norm,
        False,
        False,
    )
    draw self=w[*,N] n=?1..9 dim=-1 norm=?backward|ortho|forward N=1..6
    others transform 32 ulp

prim::complex_fft_ifft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor
    real = torch.ops.prim.re(self)
    return torch.ops.prim.spectrum(
        real,
        torch.ops.prim.im(self),
        None if n is None else [n],
        torch.ops.prim.spectral_dims(real, None if n is None else [n], [dim]),
        norm,
        True,
        False,
    )
    draw self=w[*,N] n=?1..9 dim=-1 norm=?backward|ortho|forward N=1..6
    others transform 32 ulp

prim::complex_fft_ifft_of_real(Tensor real_self, int? n=None, int dim=-1, str? norm=None) -> Tensor
    real = torch.ops.prim.spectral(real_self, "ifft")
    return torch.ops.prim.spectrum(
        real,
        None,
        None if n is None else [n],
        torch.ops.prim.spectral_dims(real, None if n is None else [n], [dim]),
        norm,
        True,
        False,
    )
    draw self=w[*,N] n=?1..9 dim=-1 norm=?backward|ortho|forward N=1..6
    others transform 32 ulp
    traits conjugated

prim::complex_fft_rfft(Tensor real_self, int? n=None, int dim=-1, str? norm=None) -> Tensor
    real = torch.ops.prim.spectral(real_self, "rfft")
    return torch.ops.prim.spectrum(
        real,
        None,
        None if n is None else [n],
        torch.ops.prim.spectral_dims(real, None if n is None else [n], [dim]),
        norm,
        False,
        True,
    )
    draw self=n[*,N] n=?1..9 dim=-1 norm=?backward|ortho|forward N=1..6
    others transform 32 ulp

prim::complex_fft_ihfft(Tensor real_self, int? n=None, int dim=-1, str? norm=None) -> Tensor
    real = torch.ops.prim.spectral(real_self, "ihfft")
    return torch.ops.prim.spectrum(
        real,
        None,
        None if n is None else [n],
        torch.ops.prim.spectral_dims(real, None if n is None else [n], [dim]),
        norm,
        True,
        True,
    )
    draw self=n[*,N] n=?1..9 dim=-1 norm=?backward|ortho|forward N=1..6
    others transform 32 ulp
    traits conjugated

prim::complex_fft_irfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor
    real, imaginary = torch.ops.prim.re(self), torch.ops.prim.im(self)
    return torch.ops.prim.to_signal(
        real,
        imaginary,
        None if n is None else [n],
        torch.ops.prim.spectral_dims(real, None if n is None else [n], [dim]),
        norm,
        True,
        "irfft",
    )
    others transform 32 ulp

prim::complex_fft_hfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor
    real, imaginary = torch.ops.prim.re(self), torch.ops.prim.im(self)
    return torch.ops.prim.to_signal(
        real,
        -imaginary,
        None if n is None else [n],
        torch.ops.prim.spectral_dims(real, None if n is None else [n], [dim]),
        norm,
        False,
        "hfft",
    )
    others transform 32 ulp

prim::complex_fft_fft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
    real = torch.ops.prim.re(self)
    return torch.ops.prim.spectrum(
        real,
        torch.ops.prim.im(self),
        s,
        torch.ops.prim.spectral_dims(real, s, dim),
        norm,
        False,
        False,
    )
    draw self=w[*,N,M] s=?<3,4> dim=<-2,-1> norm=?ortho N=1..4 M=1..5
    others transform 32 ulp

prim::complex_fft_fft2_of_real(Tensor real_self, int[1]? s=None, int[1] dim=[-2, -1],
                               str? norm=None) -> Tensor
    real = torch.ops.prim.spectral(real_self, "fft")
    return torch.ops.prim.spectrum(
        real, None, s, torch.ops.prim.spectral_dims(real, s, dim), norm, False, False
    )
    draw self=w[*,N,M] s=?<3,4> dim=<-2,-1> norm=?ortho N=1..4 M=1..5
    others transform 32 ulp

prim::complex_fft_ifft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
    real = torch.ops.prim.re(self)
    return torch.ops.prim.spectrum(
        real,
        torch.ops.prim.im(self),
        s,
        torch.ops.prim.spectral_dims(real, s, dim),
        norm,
        True,
        False,
    )
    draw self=w[*,N,M] s=?<3,4> dim=<-2,-1> norm=?ortho N=1..4 M=1..5
    others transform 32 ulp

prim::complex_fft_ifft2_of_real(Tensor real_self, int[1]? s=None, int[1] dim=[-2, -1],
                                str? norm=None) -> Tensor
    real = torch.ops.prim.spectral(real_self, "ifft")
    return torch.ops.prim.spectrum(
        real, None, s, torch.ops.prim.spectral_dims(real, s, dim), norm, True, False
    )
    draw self=w[*,N,M] s=?<3,4> dim=<-2,-1> norm=?ortho N=1..4 M=1..5
    others transform 32 ulp

prim::complex_fft_rfft2(Tensor real_self, int[1]? s=None, int[1] dim=[-2, -1],
                        str? norm=None) -> Tensor
    real = torch.ops.prim.spectral(real_self, "rfft")
    return torch.ops.prim.spectrum(
        real, None, s, torch.ops.prim.spectral_dims(real, s, dim), norm, False, True
    )
    draw self=n[*,N,M] s=?<3,4> dim=<-2,-1> norm=?ortho N=1..4 M=1..5
    others transform 32 ulp

prim::complex_fft_ihfft2(Tensor real_self, int[1]? s=None, int[1] dim=[-2, -1],
                         str? norm=None) -> Tensor
    real = torch.ops.prim.spectral(real_self, "ihfft")
    return torch.ops.prim.spectrum(
        real, None, s, torch.ops.prim.spectral_dims(real, s, dim), norm, True, True
    )
    draw self=n[*,N,M] s=?<3,4> dim=<-2,-1> norm=?ortho N=1..4 M=1..5
    others transform 32 ulp

prim::complex_fft_irfft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
    real, imaginary = torch.ops.prim.re(self), torch.ops.prim.im(self)
    return torch.ops.prim.to_signal(
        real, imaginary, s, torch.ops.prim.spectral_dims(real, s, dim), norm, True, "irfft"
    )
    others transform 32 ulp

prim::complex_fft_hfft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
    real, imaginary = torch.ops.prim.re(self), torch.ops.prim.im(self)
    return torch.ops.prim.to_signal(
        real, -imaginary, s, torch.ops.prim.spectral_dims(real, s, dim), norm, False, "hfft"
    )
    others transform 32 ulp

prim::complex_fft_fftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
    real = torch.ops.prim.re(self)
    return torch.ops.prim.spectrum(
        real,
        torch.ops.prim.im(self),
        s,
        torch.ops.prim.spectral_dims(real, s, dim),
        norm,
        False,
        False,
    )
    draw self=w[N,M] s=?<2,5> dim=?<0,1> norm=?forward N=1..4 M=1..5
    others transform 32 ulp

prim::complex_fft_fftn_of_real(Tensor real_self, int[1]? s=None, int[1]? dim=None,
                               str? norm=None) -> Tensor
    real = torch.ops.prim.spectral(real_self, "fft")
    return torch.ops.prim.spectrum(
        real, None, s, torch.ops.prim.spectral_dims(real, s, dim), norm, False, False
    )
    draw self=w[N,M] s=?<2,5> dim=?<0,1> norm=?forward N=1..4 M=1..5
    others transform 32 ulp

prim::complex_fft_ifftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
    real = torch.ops.prim.re(self)
    return torch.ops.prim.spectrum(
        real,
        torch.ops.prim.im(self),
        s,
        torch.ops.prim.spectral_dims(real, s, dim),
        norm,
        True,
        False,
    )
    draw self=w[N,M] s=?<2,5> dim=?<0,1> norm=?forward N=1..4 M=1..5
    others transform 32 ulp

prim::complex_fft_ifftn_of_real(Tensor real_self, int[1]? s=None, int[1]? dim=None,
                                str? norm=None) -> Tensor
    real = torch.ops.prim.spectral(real_self, "ifft")
    return torch.ops.prim.spectrum(
        real, None, s, torch.ops.prim.spectral_dims(real, s, dim), norm, True, False
    )
    draw self=w[N,M] s=?<2,5> dim=?<0,1> norm=?forward N=1..4 M=1..5
    others transform 32 ulp

prim::complex_fft_rfftn(Tensor real_self, int[1]? s=None, int[1]? dim=None,
                        str? norm=None) -> Tensor
    real = torch.ops.prim.spectral(real_self, "rfft")
    return torch.ops.prim.spectrum(
        real, None, s, torch.ops.prim.spectral_dims(real, s, dim), norm, False, True
    )
    draw self=n[N,M] s=?<2,5> dim=?<0,1> norm=?forward N=1..4 M=1..5
    others transform 32 ulp

prim::complex_fft_ihfftn(Tensor real_self, int[1]? s=None, int[1]? dim=None,
                         str? norm=None) -> Tensor
    real = torch.ops.prim.spectral(real_self, "ihfft")
    return torch.ops.prim.spectrum(
        real, None, s, torch.ops.prim.spectral_dims(real, s, dim), norm, True, True
    )
    draw self=n[N,M] s=?<2,5> dim=?<0,1> norm=?forward N=1..4 M=1..5
    others transform 32 ulp

prim::complex_fft_irfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
    real, imaginary = torch.ops.prim.re(self), torch.ops.prim.im(self)
    return torch.ops.prim.to_signal(
        real, imaginary, s, torch.ops.prim.spectral_dims(real, s, dim), norm, True, "irfft"
    )
    others transform 32 ulp

prim::complex_fft_hfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
    real, imaginary = torch.ops.prim.re(self), torch.ops.prim.im(self)
    return torch.ops.prim.to_signal(
        real, -imaginary, s, torch.ops.prim.spectral_dims(real, s, dim), norm, False, "hfft"
    )
    others transform 32 ulp
