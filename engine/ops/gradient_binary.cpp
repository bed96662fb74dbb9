// Gradients of element-wise rows of several operands: arithmetic, powers, extremes, choices,
// blends, conversions. Where two operands tie, maximum and minimum give each a half, fmax and fmin
// the first everything.
#include "engine/ops/gradient.h"

namespace fusillade {
namespace {

constexpr std::string_view kText = R"py(
aten::add.Tensor
    self: grad
    other: grad * alpha
aten::add.Scalar, aten::sub.Scalar
    self: grad
aten::sub.Tensor
    self: grad
    other: -(grad * alpha)
aten::rsub.Tensor
    self: -(grad * alpha)
    other: grad
aten::rsub.Scalar
    self: -(grad * alpha)
aten::mul.Tensor
    self: grad * other
    other: grad * self
aten::mul.Scalar
    self: grad * other
aten::div.Tensor
    self: grad / other
    other: -grad * ((self / other) / other)
aten::div.Scalar
    self: grad / other
aten::div.Tensor_mode
    self: grad / other if rounding_mode is None else torch.zeros_like(grad)
    other: -grad * ((self / other) / other) if rounding_mode is None else torch.zeros_like(grad)
aten::div.Scalar_mode
    self: grad / other if rounding_mode is None else torch.zeros_like(grad)
aten::floor_divide
    self: torch.zeros_like(grad)
    other: torch.zeros_like(grad)
aten::floor_divide.Scalar
    self: torch.zeros_like(grad)
aten::fmod.Tensor
    self: grad
    other: -grad * torch.div(self, other, rounding_mode="trunc")
aten::remainder.Tensor
    self: grad
    other: -grad * torch.div(self, other, rounding_mode="floor")
aten::fmod.Scalar, aten::remainder.Scalar
    self: grad
aten::remainder.Scalar_Tensor
    other: -grad * torch.div(torch.full_like(other, self), other, rounding_mode="floor")
aten::pow.Tensor_Scalar
    self: torch.zeros_like(grad) if exponent == 0 else grad * (self.pow(exponent - 1) * exponent)
aten::pow.Tensor_Tensor
    self:
        n = exponent.to(grad.dtype)
        return (grad * (n * self.pow(n - 1))).masked_fill(exponent == 0, 0)
    exponent: (grad * (result * self.to(grad.dtype).log())).masked_fill((self == 0) & (exponent >= 0), 0)
aten::pow.Scalar
    exponent:
        slope = grad * (result * torch.full_like(exponent, self, dtype=grad.dtype).log())
        return slope.masked_fill(exponent >= 0, 0) if self == 0 else slope
aten::atan2
    self:
        x, y = self.to(grad.dtype), other.to(grad.dtype)
        square = x * x + y * y
        return grad * (y * square.reciprocal().masked_fill(square == 0, 0))
    other:
        x, y = self.to(grad.dtype), other.to(grad.dtype)
        square = x * x + y * y
        return grad * (-x * square.reciprocal().masked_fill(square == 0, 0))
aten::hypot
    self: grad * (self / result)
    other: grad * (other / result)
aten::copysign.Tensor
    self: grad * (result / self).masked_fill(self == 0, 0)
    other: torch.zeros_like(grad)
aten::copysign.Scalar
    self: grad * (result / self).masked_fill(self == 0, 0)
aten::logaddexp
    self: grad / (torch.exp(other - self) + 1)
    other: grad / (torch.exp(self - other) + 1)
aten::logaddexp2
    self: grad / (torch.exp2(other - self) + 1)
    other: grad / (torch.exp2(self - other) + 1)
aten::xlogy.Tensor
    self: (grad * other.to(grad.dtype).log()).masked_fill((self == 0) & (other <= 0), 0)
    other: grad * self / other
aten::special_xlog1py
    self: (grad * other.to(grad.dtype).log1p()).masked_fill((self == 0) & (other.to(grad.dtype) <= -1), 0)
    other: grad * self / (other + 1)
aten::special_zeta
    other: grad * -self * torch.special.zeta(self + 1, other)
aten::ldexp.Tensor
    self: grad * torch.exp2(other.to(grad.dtype))
    other: grad * result * 0.6931471805599453
aten::maximum, aten::max.other
    self: torch.where(self == other, grad / 2, grad).masked_fill(self < other, 0)
    other: torch.where(self == other, grad / 2, grad).masked_fill(other < self, 0)
aten::minimum, aten::min.other
    self: torch.where(self == other, grad / 2, grad).masked_fill(self > other, 0)
    other: torch.where(self == other, grad / 2, grad).masked_fill(other > self, 0)
aten::fmax
    self: grad.masked_fill(~((self >= other) | other.isnan()), 0)
    other: grad.masked_fill((self >= other) | other.isnan(), 0)
aten::fmin
    self: grad.masked_fill(~((self <= other) | other.isnan()), 0)
    other: grad.masked_fill((self <= other) | other.isnan(), 0)
aten::clamp
    self:
        out = grad
        if min is not None:
            out = out.masked_fill(~(self >= min), 0)
        if max is not None:
            out = out.masked_fill(~(self <= max), 0)
        return out
aten::clamp.Tensor
    self:
        out = grad
        if min is not None:
            out = out.masked_fill(~(self >= min), 0)
        if max is not None:
            out = out.masked_fill(~(self <= max), 0)
        return out
    min:
        assert min is not None
        under = self < min
        if max is not None:
            under = under & (min < max)
        return grad.masked_fill(~under, 0)
    max:
        assert max is not None
        over = self > max
        if min is not None:
            over = over | (max < min)
        return grad.masked_fill(~over, 0)
aten::clamp_min
    self: grad.masked_fill(~(self >= min), 0)
aten::clamp_max
    self: grad.masked_fill(~(self <= max), 0)
aten::clamp_min.Tensor
    self: grad.masked_fill(~(self >= min), 0)
    min: grad.masked_fill(~(self < min), 0)
aten::clamp_max.Tensor
    self: grad.masked_fill(~(self <= max), 0)
    max: grad.masked_fill(~(self > max), 0)
aten::where.self
    self: grad.masked_fill(~condition.to(torch.bool), 0)
    other: grad.masked_fill(condition.to(torch.bool), 0)
aten::where.ScalarOther
    self: grad.masked_fill(~condition.to(torch.bool), 0)
aten::where.ScalarSelf
    other: grad.masked_fill(condition.to(torch.bool), 0)
aten::masked_fill.Scalar
    self: grad.masked_fill(mask, 0)
aten::masked_fill.Tensor
    self: grad.masked_fill(mask, 0)
    value: grad.masked_fill(mask == 0, 0)
aten::lerp.Tensor
    self: grad * (1 - weight)
    end: grad * weight
    weight: grad * (end - self)
aten::lerp.Scalar
    self: grad * (1 - weight)
    end: grad * weight
aten::addcmul
    self: grad
    tensor1: grad * tensor2 * value
    tensor2: grad * tensor1 * value
aten::addcdiv
    self: grad
    tensor1: grad * value / tensor2
    tensor2: -grad * (value / tensor2 * (tensor1 / tensor2))
aten::to.dtype, aten::to.prim_dtype, aten::to.device, aten::to.prim_Device, aten::to.prim_other
    self: grad
aten::to.dtype_layout, aten::cpu, aten::cuda, aten::_cast_Float, aten::_cast_Double
    self: grad
aten::_cast_Half
    self: grad
aten::to.other, aten::type_as, prim::rounded_as, prim::summed_as
    self: grad
    other: none
aten::as_tensor
    data: grad
aten::heaviside, aten::nextafter
    none
prim::of_double, prim::of_series
    self: none
    made: grad
prim::leaked
    self: torch.where(self > 0, grad, grad * weight)
    weight: (grad * self).masked_fill(self > 0, 0)
prim::dropped
    self: torch.ops.prim.dropped(grad, kept, p)
prim::squared_error
    self: grad * ((self - target) * 2)
    target: grad * ((target - self) * 2)
prim::smooth_error
    self:
        d = self - target
        return grad * torch.where(d.abs() >= beta, d.sgn(), d / beta)
    target:
        d = self - target
        return -grad * torch.where(d.abs() >= beta, d.sgn(), d / beta)
prim::huber_error
    self:
        d = self - target
        return grad * torch.where(d.abs() > delta, d.sgn() * delta, d)
    target:
        d = self - target
        return -grad * torch.where(d.abs() > delta, d.sgn() * delta, d)
prim::cross_entropy_error
    self: grad * (self - target) / ((1 - self) * self).clamp_min(1e-12)
    target: grad * (torch.log(1 - self) - torch.log(self))
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_gradients(kText);
  return true;
}();

}  // namespace
}  // namespace fusillade
