// Gradients of element-wise functions of one operand. At a kink the side is PyTorch's: relu takes
// nothing at 0, hardtanh nothing at its bounds, abs nothing at 0; and what is no number is outside
// of the bounds, as in its vector code.
#include "engine/ops/gradient.h"

namespace fusillade {
namespace {

constexpr std::string_view kText = R"py(
aten::neg
    self: -grad
aten::abs
    self: grad * self.sgn()
aten::square
    self: grad * (self * 2)
aten::sqrt
    self: grad / (result * 2)
aten::rsqrt
    self: grad * (result * result * result * -0.5)
aten::reciprocal
    self: -grad * (result * result)
aten::exp
    self: grad * result
aten::exp2
    self: grad * result * 0.6931471805599453
aten::expm1
    self: grad * (result + 1)
aten::log
    self: grad / self
aten::log1p
    self: grad / (self + 1)
aten::log2
    self: grad / (self * 0.6931471805599453)
aten::log10
    self: grad / (self * 2.302585092994046)
aten::sin
    self: grad * self.cos()
aten::cos
    self: grad * -self.sin()
aten::tan
    self: grad * (result * result + 1)
aten::asin
    self: grad * (1 - self * self).rsqrt()
aten::acos
    self: grad * -((1 - self * self).rsqrt())
aten::atan
    self: grad / (self * self + 1)
aten::sinh
    self: grad * self.cosh()
aten::cosh
    self: grad * self.sinh()
aten::tanh
    self: grad * (1 - result * result)
aten::asinh
    self: grad * (self * self + 1).rsqrt()
aten::acosh
    self: grad * (self * self - 1).rsqrt()
aten::atanh
    self: grad / (1 - self * self)
aten::erf
    self: grad * (torch.exp(-(self * self)) * 1.1283791670955126)
aten::erfc
    self: grad * (torch.exp(-(self * self)) * -1.1283791670955126)
aten::erfinv
    self: grad * (torch.exp(result * result) * 0.886226925452758)
aten::lgamma
    self: grad * torch.digamma(self)
aten::digamma
    self: grad * torch.polygamma(1, self)
aten::polygamma
    self: grad * torch.polygamma(n + 1, self)
aten::i0
    self: grad * torch.special.i1(self)
aten::special_i0e
    self: grad * (torch.special.i1e(self) - self.sgn() * result)
aten::special_i1
    self:
        near = ~(self.abs() > 2.220446049250313e-16)
        safe = torch.where(near, torch.ones_like(self), self)
        slope = torch.i0(safe) - torch.special.i1(safe) / safe
        return grad * torch.where(near, torch.full_like(self, 0.5), slope)
aten::special_i1e
    self:
        near = ~(self.abs() > 2.220446049250313e-16)
        safe = torch.where(near, torch.ones_like(self), self)
        slope = torch.special.i0e(safe) - torch.special.i1e(safe) * (safe.sgn() + 1 / safe)
        return grad * torch.where(near, torch.full_like(self, 0.5), slope)
aten::special_ndtri
    self: grad * (torch.exp(result * result / 2) * 2.5066282746310002)
aten::special_log_ndtr
    self: grad / torch.special.erfcx(self * -0.7071067811865476) * 0.7978845608028654
aten::special_erfcx
    self: grad * (self * 2 * result - 1.1283791670955126)
aten::special_entr
    self: grad * (-self.log() - 1)
aten::sinc
    self:
        safe = torch.where(self == 0, torch.ones_like(self), self)
        x = safe * 3.141592653589793
        slope = (torch.cos(x) - torch.sin(x) / x) / safe
        return grad * torch.where(self == 0, self * -3.289868133696453, slope)
aten::sigmoid
    self: grad * ((1 - result) * result)
aten::log_sigmoid
    self: grad * torch.sigmoid(-self)
aten::logit
    self:
        low = 0.0 if eps is None else eps
        inside = (self >= low) & (self <= 1 - low)
        x = torch.where(inside, self, torch.full_like(self, 0.5))
        return (grad / (x * (1 - x))).masked_fill(~inside, float("nan") if eps is None else 0.0)
aten::relu
    self: grad.masked_fill(result <= 0, 0)
aten::relu6
    self: grad.masked_fill(~((self > 0) & (self < 6)), 0)
aten::hardtanh
    self: grad.masked_fill(~((self > min_val) & (self < max_val)), 0)
aten::threshold
    self: grad.masked_fill(self <= threshold, 0)
aten::leaky_relu
    self: torch.where(self > 0, grad, grad * negative_slope)
aten::elu
    self:
        below = torch.where(self < 0, self, torch.zeros_like(self))
        low = torch.exp(below * input_scale) * (alpha * scale * input_scale)
        return torch.where(self <= 0, grad * low, grad * scale)
aten::selu
    self:
        below = torch.where(self < 0, self, torch.zeros_like(self))
        low = torch.exp(below) * (1.6732632423543772 * 1.0507009873554805)
        return torch.where(self <= 0, grad * low, grad * 1.0507009873554805)
aten::celu
    self:
        below = torch.where(self < 0, self, torch.zeros_like(self))
        return torch.where(self <= 0, grad * torch.exp(below / alpha), grad)
aten::silu
    self:
        s = torch.sigmoid(self)
        return grad * (s * (1 + self * (1 - s)))
aten::mish
    self:
        t = torch.tanh(torch.nn.functional.softplus(self))
        return grad * (t + self * torch.sigmoid(self) * (1 - t * t))
aten::softplus
    self:
        straight = self * beta > threshold
        z = torch.exp(torch.where(straight, torch.zeros_like(self), self * beta))
        return torch.where(straight, grad, grad * (z / (z + 1)))
aten::gelu
    self:
        if approximate == "tanh":
            inner = (self + self * self * self * 0.044715) * 0.7978845608028654
            t = torch.tanh(inner)
            steep = (self * self * 0.134145 + 1) * 0.7978845608028654
            return grad * ((t + 1) * 0.5 + self * 0.5 * (1 - t * t) * steep)
        below = (torch.erf(self * 0.7071067811865476) + 1) * 0.5
        return grad * (below + self * torch.exp(self * self * -0.5) * 0.3989422804014327)
aten::hardsigmoid
    self: (grad / 6).masked_fill(~((self > -3) & (self < 3)), 0)
aten::hardswish
    self: torch.where(self < -3, torch.zeros_like(grad), torch.where(self >= 3, grad, grad * (self / 3 + 0.5)))
aten::hardshrink, aten::softshrink
    self: grad.masked_fill(((self >= -lambd) & (self <= lambd)) | self.isnan(), 0)
aten::frac
    self: grad
aten::frexp.Tensor
    self: grad0 / torch.exp2(result1)
aten::floor, aten::ceil, aten::trunc, aten::round, aten::sign, aten::sgn, aten::round.decimals
    self: torch.zeros_like(grad)
aten::nan_to_num
    self: grad.masked_fill(~torch.isfinite(self), 0)
aten::deg2rad
    self: grad * 0.017453292519943295
aten::rad2deg
    self: grad * 57.29577951308232
aten::angle
    self: torch.zeros_like(grad)
prim::finite_or_zero
    self: grad.masked_fill(~torch.isfinite(self), 0)
prim::floating
    self: grad
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_gradients(kText);
  return true;
}();

}  // namespace
}  // namespace fusillade
