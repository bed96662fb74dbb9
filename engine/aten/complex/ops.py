# Operators that make complex tensors. As values there are none: a program that names these has
# pairs instead (ir/complex_parts), and one that is called all the same says so.

aten::view_as_complex(Tensor(a) self) -> Tensor(a)
    raise RuntimeError(
        "view_as_complex: complex tensors are no values here; a program takes them apart where it "
        "can"
    )

aten::view_as_real(Tensor(a) self) -> Tensor(a)
    raise RuntimeError(
        "view_as_real: complex tensors are no values here; a program takes them apart where it can"
    )

aten::imag(Tensor(a) self) -> Tensor(a)
    raise RuntimeError(
        "imag: complex tensors are no values here; a program takes them apart where it can"
    )

aten::complex(Tensor real, Tensor imag) -> Tensor
    raise RuntimeError(
        "complex: complex tensors are no values here; a program takes them apart where it can"
    )

aten::polar(Tensor abs, Tensor angle) -> Tensor
    raise RuntimeError(
        "polar: complex tensors are no values here; a program takes them apart where it can"
    )

aten::fft_fft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor
    raise RuntimeError(
        "fft_fft: complex tensors are no values here; a program takes them apart where it can"
    )
    others transform 32 ulp

aten::fft_ifft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor
    raise RuntimeError(
        "fft_ifft: complex tensors are no values here; a program takes them apart where it can"
    )
    others transform 32 ulp

aten::fft_rfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor
    raise RuntimeError(
        "fft_rfft: complex tensors are no values here; a program takes them apart where it can"
    )
    others transform 32 ulp

aten::fft_ihfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor
    raise RuntimeError(
        "fft_ihfft: complex tensors are no values here; a program takes them apart where it can"
    )
    others transform 32 ulp

aten::fft_fft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
    raise RuntimeError(
        "fft_fft2: complex tensors are no values here; a program takes them apart where it can"
    )
    others transform 32 ulp

aten::fft_ifft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
    raise RuntimeError(
        "fft_ifft2: complex tensors are no values here; a program takes them apart where it can"
    )
    others transform 32 ulp

aten::fft_rfft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
    raise RuntimeError(
        "fft_rfft2: complex tensors are no values here; a program takes them apart where it can"
    )
    others transform 32 ulp

aten::fft_ihfft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
    raise RuntimeError(
        "fft_ihfft2: complex tensors are no values here; a program takes them apart where it can"
    )
    others transform 32 ulp

aten::fft_fftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
    raise RuntimeError(
        "fft_fftn: complex tensors are no values here; a program takes them apart where it can"
    )
    others transform 32 ulp

aten::fft_ifftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
    raise RuntimeError(
        "fft_ifftn: complex tensors are no values here; a program takes them apart where it can"
    )
    others transform 32 ulp

aten::fft_rfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
    raise RuntimeError(
        "fft_rfftn: complex tensors are no values here; a program takes them apart where it can"
    )
    others transform 32 ulp

aten::fft_ihfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
    raise RuntimeError(
        "fft_ihfftn: complex tensors are no values here; a program takes them apart where it can"
    )
    others transform 32 ulp
