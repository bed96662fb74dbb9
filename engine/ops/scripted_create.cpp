// Rows in the language: lines of numbers, windows, random draws.
//
// Generators are not supported: there is one stream of random numbers (aten/random/rows.cpp).
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

// OPTIONS stands for the options of what makes a tensor, PASSED for handing them on.
constexpr std::string_view kText = R"py(
aten::eye(int n, *, OPTIONS) -> Tensor
    return torch.eye(n, n, PASSED)

aten::eye.m(int n, int m, *, OPTIONS) -> Tensor
    if n < 0 or m < 0:
        raise RuntimeError("eye: sizes are at least 0")
    out = torch.zeros([n, m], PASSED)
    out.diagonal().fill_(1)
    return out

aten::_shape_as_tensor(Tensor self) -> Tensor
    return torch.tensor(self.size())

aten::linspace(Scalar start, Scalar end, int steps, *, OPTIONS) -> Tensor
    if steps < 0:
        raise RuntimeError("linspace: steps is at least 0")
    sample = torch.zeros([0], PASSED)
    wanted, whole = sample.dtype, not sample.is_floating_point()
    a, b = float(int(start) if whole else start), float(int(end) if whole else end)
    if steps > 0:
        torch.full([], a, dtype=wanted)
    if steps > 1:
        torch.full([], b, dtype=wanted)
    fine = torch.float64 if whole or wanted == torch.float64 else torch.float32
    at = torch.arange(steps, dtype=fine)
    step = (b - a) / (steps - 1) if steps > 1 else 0.0
    return torch.where(at < (steps + 1) // 2 if steps == 1 else at < steps // 2, at * step + a, b - (steps - 1 - at) * step).to(wanted)

aten::logspace(Scalar start, Scalar end, int steps, float base=10., *, OPTIONS) -> Tensor
    sample = torch.zeros([0], PASSED)
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
    return torch.pow(base, torch.where(at < steps // 2, at * step + ends[0], ends[1] - (steps - 1 - at) * step)).to(sample.dtype)

aten::range(Scalar start, Scalar end, *, OPTIONS) -> Tensor
    return torch.range(start, end, 1, PASSED)

aten::range.step(Scalar start, Scalar end, Scalar step=1, *, OPTIONS) -> Tensor
    a, b, by = float(start), float(end), float(step)
    if by == 0.0 or (b - a) * by < 0.0:
        raise RuntimeError("range: the step leads from start to end")
    count = int((b - a) / by) + 1
    return (torch.arange(count, dtype=torch.float64) * by + a).to(torch.zeros([0], PASSED).dtype)

aten::tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor  # values
    if row < 0 or col < 0:
        raise RuntimeError("tril_indices: sizes are at least 0")
    places = torch.ones([row, col], dtype=torch.bool).tril(offset).nonzero().t().contiguous()
    return places if dtype is None else places.to(dtype)

aten::triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor  # values
    if row < 0 or col < 0:
        raise RuntimeError("triu_indices: sizes are at least 0")
    places = torch.ones([row, col], dtype=torch.bool).triu(offset).nonzero().t().contiguous()
    return places if dtype is None else places.to(dtype)

prim::window_steps(int length, bool periodic, float over, int? dtype) -> Tensor
    wanted = torch.float32 if dtype is None else dtype
    if length < 0 or not torch.zeros([0], dtype=wanted).is_floating_point():
        raise RuntimeError("a window takes a length of at least 0 and a dtype of floats")
    return torch.arange(length, dtype=wanted) * (over / max(length if periodic else length - 1, 1))

prim::cosine_window(int length, bool periodic, float first, float second, int? dtype) -> Tensor
    turn = torch.ops.prim.window_steps(length, periodic, 6.283185307179586, dtype)
    return torch.ones_like(turn) if length < 2 else torch.cos(turn) * -second + first

aten::hann_window(int window_length, *, OPTIONS) -> Tensor
    return torch.ops.prim.cosine_window(window_length, True, 0.5, 0.5, dtype)

aten::hann_window.periodic(int window_length, bool periodic, *, OPTIONS) -> Tensor
    return torch.ops.prim.cosine_window(window_length, periodic, 0.5, 0.5, dtype)

aten::hamming_window(int window_length, *, OPTIONS) -> Tensor
    return torch.ops.prim.cosine_window(window_length, True, 0.54, 0.46, dtype)

aten::hamming_window.periodic(int window_length, bool periodic, *, OPTIONS) -> Tensor
    return torch.ops.prim.cosine_window(window_length, periodic, 0.54, 0.46, dtype)

aten::hamming_window.periodic_alpha(int window_length, bool periodic, float alpha, *, OPTIONS) -> Tensor
    return torch.ops.prim.cosine_window(window_length, periodic, alpha, 0.46, dtype)

aten::hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta, *, OPTIONS) -> Tensor
    return torch.ops.prim.cosine_window(window_length, periodic, alpha, beta, dtype)

prim::frequencies(int n, int count, int first, float d, ScalarType? dtype) -> Tensor
    kind = torch.float32 if dtype is None else dtype
    if not torch.empty([0], dtype=kind).is_floating_point():
        raise RuntimeError("fftfreq and rfftfreq take a dtype of floats")
    if n < 0:
        raise RuntimeError(f"fftfreq and rfftfreq take a length of at least 0, got {n}")
    places = torch.cat([torch.arange(count), torch.arange(first, 0)]).to(kind)
    whole = n * d
    return places * (math.copysign(float("inf"), whole) if whole == 0.0 else 1.0 / whole)

aten::fft_fftfreq(int n, float d=1., *, OPTIONS) -> Tensor
    return torch.ops.prim.frequencies(n, (n + 1) // 2, -(n // 2), d, dtype)

aten::fft_rfftfreq(int n, float d=1., *, OPTIONS) -> Tensor
    return torch.ops.prim.frequencies(n, n // 2 + 1, 0, d, dtype)

aten::blackman_window(int window_length, *, OPTIONS) -> Tensor
    return torch.blackman_window(window_length, True, PASSED)

aten::blackman_window.periodic(int window_length, bool periodic, *, OPTIONS) -> Tensor
    half = torch.ops.prim.window_steps(window_length, periodic, 3.141592653589793, dtype)
    if window_length < 2:
        return torch.ones_like(half)
    return torch.cos(half * 4) * 0.08 - torch.cos(half * 2) * 0.5 + 0.42

aten::bartlett_window(int window_length, *, OPTIONS) -> Tensor
    return torch.bartlett_window(window_length, True, PASSED)

aten::bartlett_window.periodic(int window_length, bool periodic, *, OPTIONS) -> Tensor
    at = torch.ops.prim.window_steps(window_length, periodic, 2.0, dtype)
    if window_length < 2:
        return torch.ones_like(at)
    past = torch.arange(window_length) > (window_length if periodic else window_length - 1) // 2
    return torch.where(past, at * -1 + 2, at)

aten::randint.low(int low, int high, int[] size, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor  # random if size and high > low + 1
    if low >= high:
        raise RuntimeError("randint: low lies below high")
    if high == low + 1:
        return torch.zeros(size, dtype=torch.int64).add(low).to(torch.zeros([0], PASSED).dtype)
    drawn = (torch.rand(size, dtype=torch.float64) * float(high - low)).floor().clamp_max(float(high - low - 1))
    return (drawn.to(torch.int64) + low).to(torch.zeros([0], PASSED).dtype)

aten::randint(int high, int[] size, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor  # random if size and high > 1
    return torch.randint(0, high, size, PASSED)

aten::randint_like(Tensor self, int high, *, OPTIONS, MemoryFormat? memory_format=None) -> Tensor  # random if self and high > 1
    return torch.randint_like(self, 0, high, dtype=dtype, memory_format=memory_format)

aten::randint_like.low_dtype(Tensor self, int low, int high, *, OPTIONS, MemoryFormat? memory_format=None) -> Tensor  # random if self and high > low + 1
    out = torch.empty_like(self, dtype=dtype, memory_format=memory_format)
    return out.copy_(torch.randint(low, high, self.shape))

aten::randperm(int n, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor  # random if n > 1
    if n < 0:
        raise RuntimeError("randperm: n is at least 0")
    if n <= 1:
        return torch.zeros([n], PASSED)
    return torch.rand([n], dtype=torch.float64).argsort(0).to(torch.zeros([0], PASSED).dtype)

aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor  # random if self
    if not self.is_floating_point() or bool(((self < 0) | (self > 1)).any()):
        raise RuntimeError("bernoulli takes floats between 0 and 1")
    return (torch.rand_like(self) < self).to(self.dtype)

aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor  # random if self and p > 0 and p < 1
    if p < 0.0 or p > 1.0:
        raise RuntimeError("bernoulli takes p between 0 and 1")
    if p == 0.0 or p == 1.0:
        return torch.full_like(self, p)
    return (torch.rand(self.shape) < p).to(self.dtype)

aten::bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor  # random if self
    if bool(((p < 0) | (p > 1)).any()):
        raise RuntimeError("bernoulli takes p between 0 and 1")
    return (torch.rand(self.shape) < p).expand(self.shape).to(self.dtype)

aten::bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)  # random if self
    return self.copy_(torch.bernoulli(self, p))

aten::bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)  # random if self and p > 0 and p < 1
    return self.copy_(torch.bernoulli(self, p))

aten::normal_(Tensor(a!) self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor(a!)  # random if self and std
    if not self.is_floating_point() or std < 0.0:
        raise RuntimeError("normal_ takes a tensor of floats, and std of at least 0")
    if std == 0.0:
        return self.fill_(mean)
    return self.copy_(torch.randn_like(self) * std + mean)

aten::cauchy_(Tensor(a!) self, float median=0., float sigma=1., *, Generator? generator=None) -> Tensor(a!)  # random if self
    if sigma <= 0.0 or not self.is_floating_point():
        raise RuntimeError("cauchy_ takes a tensor of floats, and a sigma above 0")
    turn = torch.rand(self.shape, dtype=torch.float64) - 0.5
    return self.copy_(torch.tan(turn * 3.141592653589793) * sigma + median)

aten::log_normal_(Tensor(a!) self, float mean=1., float std=2., *, Generator? generator=None) -> Tensor(a!)  # random if self
    if std <= 0.0 or not self.is_floating_point():
        raise RuntimeError("log_normal_ takes a tensor of floats, and std above 0")
    return self.copy_(torch.zeros(self.shape, dtype=torch.float64).normal_(mean, std).exp())

aten::geometric_(Tensor(a!) self, float p, *, Generator? generator=None) -> Tensor(a!)  # random if self
    if p <= 0.0 or p >= 1.0:
        raise RuntimeError("geometric_ takes p between 0 and 1")
    tail = 1.0 - torch.rand(self.shape, dtype=torch.float64)
    return self.copy_((torch.log(tail) / math.log(1.0 - p)).ceil().clamp_min(1.0))

aten::normal.float_float(float mean, float std, int[] size, *, Generator? generator=None, OPTIONS) -> Tensor  # random if size and std
    if std < 0.0:
        raise RuntimeError("normal takes std of at least 0")
    if std == 0.0:
        return torch.full(size, mean, PASSED)
    return torch.randn(size, PASSED) * std + mean

aten::normal.Tensor_float(Tensor mean, float std=1., *, Generator? generator=None) -> Tensor  # random if mean and std
    return torch.randn_like(mean) * std + mean if std != 0.0 else mean.clone()

aten::normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor  # random if std
    return torch.randn_like(std) * std + mean

aten::normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor  # random if mean and std
    return torch.randn_like(mean + std) * std + mean

aten::exponential_(Tensor(a!) self, float lambd=1., *, Generator? generator=None) -> Tensor(a!)  # random if self
    if not self.is_floating_point() or lambd < 0.0:
        raise RuntimeError("exponential_ takes a tensor of floats, and lambd of at least 0")
    return self.copy_(-torch.log1p(-torch.rand_like(self)) / lambd)

aten::multinomial(Tensor self, int num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor  # random
    if self.dim() < 1 or self.dim() > 2 or not self.is_floating_point() or num_samples < 1:
        raise RuntimeError("multinomial takes a vector or a matrix of floats, and one sample or more")
    if bool(((self < 0) | ~torch.isfinite(self)).any()) or bool((self.sum([-1]) <= 0).any()):
        raise RuntimeError("multinomial takes weights of at least 0, some above")
    if replacement:
        steps = self.to(torch.float64).cumsum(-1)
        lead: List[int] = self.shape[:-1]
        drawn = (torch.rand(lead + [num_samples], dtype=torch.float64) * steps[..., -1:]).unsqueeze(-1)
        return (steps.unsqueeze(-2) <= drawn).sum([-1]).clamp_max(self.shape[-1] - 1)
    if num_samples > self.shape[-1] or bool(((self > 0).sum([-1]) < num_samples).any()):
        raise RuntimeError("multinomial draws no item twice: too few items of some weight")
    return (-torch.log1p(-torch.rand_like(self)) / self).topk(num_samples, -1, False)[1]

aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> Tensor  # random if training and self and lower < upper
    if not (float(lower) <= float(upper)):
        raise RuntimeError("rrelu takes a lower slope that is at most the upper one")
    if not training or float(lower) == float(upper):
        return torch.where(self > 0, self, self * ((float(lower) + float(upper)) / 2))
    return torch.where(self > 0, self, self * (torch.rand_like(self) * (float(upper) - float(lower)) + float(lower)))
)py";

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
  return text;
}

[[maybe_unused]] const bool kRegistered = [] {
  std::string text(kText);
  text = replaced(
      text, "OPTIONS",
      "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None");
  text =
      replaced(text, "PASSED", "dtype=dtype, layout=layout, device=device, pin_memory=pin_memory");
  add_scripted(text, "scripted_create");
  return true;
}();

}  // namespace
}  // namespace fusillade
