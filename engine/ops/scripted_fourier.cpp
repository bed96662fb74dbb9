// Rows in the language: Fourier transforms to and of complex numbers, and the operators that make
// complex tensors. As values there are none: a program that names these rows has pairs in their
// place (ir/complex_parts), and a row that is called all the same says so.
//
// The transforms are products with cosines and sines along each dim, in double, rounded once
// (scripted_spectrum).
#include "engine/base/text.h"
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kMakers[] = {
    "view_as_complex(Tensor(a) self) -> Tensor(a)",
    "view_as_real(Tensor(a) self) -> Tensor(a)",
    "imag(Tensor(a) self) -> Tensor(a)",
    "complex(Tensor real, Tensor imag) -> Tensor",
    "polar(Tensor abs, Tensor angle) -> Tensor",
};

constexpr std::string_view kForms[] = {
    "(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor",
    "2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor",
    "n(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
};

// A transform: of real numbers or not, forward or back, to half of the last dim or to all of it.
// What takes both has a row of its own for real numbers.
struct Transform {
  std::string_view name;
  bool of_real;
  bool inverse;
  bool half;
};
constexpr Transform kTransforms[] = {{"fft", false, false, false}, {"fft", true, false, false},
                                     {"ifft", false, true, false}, {"ifft", true, true, false},
                                     {"rfft", true, false, true},  {"ihfft", true, true, true}};

std::string refused(std::string_view schema) {
  const std::string name(schema.substr(0, schema.find('(')));
  return fmt::format(R"py(
aten::{}
    raise RuntimeError("{}: complex tensors are no values here; a program takes them apart where it can")
)py",
                     schema, name);
}

// Of the last dim or the dims given; the parts of what comes are of double, and then of the
// operand's dtype.
std::string transform(const Transform& t, std::string_view form, size_t which) {
  const std::string s = which == 0 ? "None if n is None else [n]" : "s";
  const std::string dims = which == 0 ? "[dim]" : "dim";
  std::string head = fmt::format("prim::complex_fft_{}{}", t.name, form);
  if (t.of_real) head.replace(head.find("self"), 4, "real_self");
  if (t.of_real && !t.half) head.insert(head.find('('), "_of_real");
  const std::string real = t.of_real
                               ? fmt::format("torch.ops.prim.spectral(real_self, \"{}\")", t.name)
                               : std::string("torch.ops.prim.re(self)");
  return fmt::format(R"py(
{}
    real = {}
    return torch.ops.prim.spectrum(real, {}, {}, torch.ops.prim.spectral_dims(real, {}, {}), norm, {}, {})
)py",
                     head, real, t.of_real ? "None" : "torch.ops.prim.im(self)", s, s, dims,
                     t.inverse ? "True" : "False", t.half ? "True" : "False");
}

// Of spectra to real signals: inverse or not.
std::string to_real(std::string_view name, bool inverse, std::string_view form, size_t which) {
  const std::string s = which == 0 ? "None if n is None else [n]" : "s";
  const std::string dims = which == 0 ? "[dim]" : "dim";
  return fmt::format(R"py(
prim::complex_fft_{}{}
    real, imaginary = torch.ops.prim.re(self), torch.ops.prim.im(self)
    return torch.ops.prim.to_signal(real, {}imaginary, {}, torch.ops.prim.spectral_dims(real, {}, {}), norm, {}, "{}")
)py",
                     name, form, inverse ? "" : "-", s, s, dims, inverse ? "True" : "False", name);
}

constexpr std::string_view kText = R"py(
prim::spectrum(Tensor real, Tensor? imag, int[]? s, int[] dims, str? norm, bool inverse, bool half) -> Tensor
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
        x = torch.ops.prim.fitted(a, dims[i], size).transpose(dims[i], -1)
        if step == 0 and imag is None:
            x, y = torch.ops.prim.spectrum_of_real(x, size)
            a, b = x.transpose(dims[i], -1), (-y if inverse else y).transpose(dims[i], -1)
        else:
            y = torch.ops.prim.fitted(b, dims[i], size).transpose(dims[i], -1)
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
    dims = [i for i in range(self.dim() - 1)] if dim is None else [torch.ops.prim.pair_dim(self, d) for d in dim]
    return torch.fft_fftshift(self, dims)

prim::complex_fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor
    dims = [i for i in range(self.dim() - 1)] if dim is None else [torch.ops.prim.pair_dim(self, d) for d in dim]
    return torch.fft_ifftshift(self, dims)

prim::complex_stft(Tensor real_self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? real_window=None, bool normalized=False, bool? onesided=None, bool? return_complex=None) -> Tensor
    return torch.ops.aten.stft(real_self, n_fft, hop_length, win_length, real_window, normalized, onesided, False)

prim::complex_stft.center(Tensor real_self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? real_window=None, bool center=True, str pad_mode="reflect", bool normalized=False, bool? onesided=None, bool? return_complex=None) -> Tensor
    return torch.ops.aten.stft(real_self, n_fft, hop_length, win_length, real_window, center, pad_mode, normalized, onesided, False)

prim::complex_stft.aligned(Tensor real_self, int n_fft, int? hop_length, int? win_length, Tensor? real_window, bool normalized, bool? onesided, bool? return_complex, bool? align_to_window) -> Tensor
    return torch.ops.aten.stft(real_self, n_fft, hop_length, win_length, real_window, normalized, onesided, False, align_to_window)

prim::complex_istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? real_window=None, bool center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor
    return torch.ops.aten.istft(self, n_fft, hop_length, win_length, real_window, center, normalized, onesided, length)
)py";

[[maybe_unused]] const bool kRegistered = [] {
  std::string makers, rows(kText);
  for (std::string_view schema : kMakers) makers += refused(schema);
  for (size_t which = 0; which < std::size(kForms); ++which) {
    for (const Transform& t : kTransforms) {
      if (t.of_real == t.half) makers += refused(fmt::format("fft_{}{}", t.name, kForms[which]));
      rows += transform(t, kForms[which], which);
    }
    rows += to_real("irfft", true, kForms[which], which);
    rows += to_real("hfft", false, kForms[which], which);
  }
  add_scripted(makers, "complex");
  add_scripted(rows, "scripted_fourier");
  return true;
}();

}  // namespace
}  // namespace fusillade
