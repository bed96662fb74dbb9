# Functions of elements.
#
# Where two operands tie, the gradients of maximum and minimum give each a half, those of fmax and
# fmin the first everything. At a kink the side is PyTorch's: relu takes nothing at 0, hardtanh
# nothing at its bounds, abs nothing at 0; and what is no number is outside of the bounds, as in its
# vector code.

aten::conj(Tensor(a) self) -> Tensor(a)
    return self

aten::resolve_conj(Tensor(a) self) -> Tensor(a)
    return self

aten::resolve_neg(Tensor(a) self) -> Tensor(a)
    return self

aten::conj_physical(Tensor self) -> Tensor
    return self

aten::isreal(Tensor self) -> Tensor
    return torch.ones_like(self, dtype=torch.bool)

aten::angle(Tensor self) -> Tensor
    x = torch.ops.prim.floating(self)
    return torch.where(
        x != x, x, torch.where(x < 0, torch.full_like(x, 3.141592653589793), torch.zeros_like(x))
    )
    gradient self: torch.zeros_like(grad)

prim::write_to(Tensor(a!) self, Tensor result, str op) -> Tensor(a!)
    if result.shape != self.shape:
        raise RuntimeError(op + ": the result has another shape than the tensor it goes into")
    lost = result.is_floating_point() and not self.is_floating_point()
    if lost or (self.dtype == torch.bool and result.dtype != torch.bool):
        raise RuntimeError(op + ": the result's dtype does not go into that of the tensor")
    return self.copy_(result)

prim::into(Tensor(a!) out, Tensor result, str op, bool exact) -> Tensor(a!)
    return torch.ops.prim.fit_to(out, result, op, exact).copy_(result)
    traits reshapes

prim::floating(Tensor self) -> Tensor
    return self if self.is_floating_point() else self.to(torch.float32)
    gradient self: grad

aten::promote_types(ScalarType type1, ScalarType type2) -> ScalarType
    return (torch.zeros([1], dtype=type1) + torch.zeros([1], dtype=type2)).dtype

aten::result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType
    a = torch.zeros([1] * min(tensor.dim(), 1), dtype=tensor.dtype)
    return (a + torch.zeros([1] * min(other.dim(), 1), dtype=other.dtype)).dtype

aten::is_signed(Tensor self) -> bool
    return self.dtype != torch.uint8 and self.dtype != torch.bool

aten::is_same_size(Tensor self, Tensor other) -> bool
    return self.shape == other.shape

aten::deg2rad(Tensor self) -> Tensor
    inplace
    return self * 0.017453292519943295
    gradient self: grad * 0.017453292519943295

aten::rad2deg(Tensor self) -> Tensor
    inplace
    return self * 57.29577951308232
    gradient self: grad * 57.29577951308232

aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor
    return self.to(torch.float64).pow(exponent.to(torch.float64))

aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
    return self.to(torch.float64).pow(float(exponent))

aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor
    return torch.pow(float(self), exponent.to(torch.float64))

aten::heaviside(Tensor self, Tensor values) -> Tensor
    inplace
    if self.dtype != values.dtype:
        raise RuntimeError("heaviside takes tensors of one dtype")
    return torch.where(self == 0, values, (self > 0).to(self.dtype))

aten::signbit(Tensor self) -> Tensor
    if not self.is_floating_point():
        return self < 0
    return torch.copysign(torch.ones_like(self), self) < 0

prim::widen_halves(Tensor(a) self) -> Tensor(a)
    return (
        self.to(torch.float32)
        if self.dtype == torch.float16 or self.dtype == torch.bfloat16
        else self
    )

aten::logaddexp(Tensor self, Tensor other) -> Tensor
    if not self.is_floating_point() or not other.is_floating_point():
        raise RuntimeError("logaddexp takes tensors of floats")
    kind = torch.result_type(self, other)
    x, y = torch.ops.prim.widen_halves(self), torch.ops.prim.widen_halves(other)
    larger = torch.maximum(x, y)
    return torch.where(
        (x == y) & torch.isinf(x), larger, larger + torch.log1p(torch.exp(-(x - y).abs()))
    ).to(kind)
    gradient self: grad / (torch.exp(other - self) + 1)
    gradient other: grad / (torch.exp(self - other) + 1)
    others near one 4 ulp

aten::logaddexp2(Tensor self, Tensor other) -> Tensor
    if not self.is_floating_point() or not other.is_floating_point():
        raise RuntimeError("logaddexp2 takes tensors of floats")
    kind = torch.result_type(self, other)
    x, y = torch.ops.prim.widen_halves(self), torch.ops.prim.widen_halves(other)
    larger = torch.maximum(x, y)
    rest = torch.log1p(torch.exp2(-(x - y).abs())) * 1.4426950408889634
    return torch.where((x == y) & torch.isinf(x), larger, larger + rest).to(kind)
    gradient self: grad / (torch.exp2(other - self) + 1)
    gradient other: grad / (torch.exp2(self - other) + 1)
    others near one 4 ulp

aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor
    inplace
    kind = torch.ops.prim.floating(self + other).dtype
    product = self.to(kind) * torch.log(other.to(kind))
    zero = torch.zeros_like(product)
    return torch.where(
        other != other, other.to(product.dtype), torch.where(self == 0, zero, product)
    )
    gradient self: (grad * other.to(grad.dtype).log()).masked_fill((self == 0) & (other <= 0), 0)
    gradient other: grad * self / other

aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor
    return torch.xlogy(
        self, torch.full([], float(other), dtype=torch.ops.prim.floating(self).dtype)
    )

aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor
    return torch.xlogy(
        torch.full([], float(self), dtype=torch.ops.prim.floating(other).dtype), other
    )

aten::sinc(Tensor self) -> Tensor
    inplace
    x = torch.ops.prim.wide(self) * 3.141592653589793
    return torch.where(x == 0, torch.ones_like(x), torch.sin(x) / x).to(
        torch.ops.prim.floating(self).dtype
    )
    gradient self:
        safe = torch.where(self == 0, torch.ones_like(self), self)
        x = safe * 3.141592653589793
        slope = (torch.cos(x) - torch.sin(x) / x) / safe
        return grad * torch.where(self == 0, self * -3.289868133696453, slope)

aten::acosh(Tensor self) -> Tensor
    inplace
    kind = torch.ops.prim.floating(self).dtype
    x = torch.ops.prim.wide(self)
    over = x - 1
    at_small = torch.log1p(over + torch.sqrt(torch.where(x < 1, over, over * (over + 2))))
    return torch.where(x > 1e9, torch.log(x) + 0.6931471805599453, at_small).to(kind)
    gradient self: grad * (self * self - 1).rsqrt()

aten::atanh(Tensor self) -> Tensor
    inplace
    kind = torch.ops.prim.floating(self).dtype
    x = torch.ops.prim.wide(self)
    return torch.copysign(torch.log1p(2 * x.abs() / (1 - x.abs())) * 0.5, x).to(kind)
    gradient self: grad / (1 - self * self)

aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor
    return self * torch.pow(2.0, other)
    gradient self: grad * torch.exp2(other.to(grad.dtype))
    gradient other: grad * result * 0.6931471805599453

aten::ldexp_(Tensor(a!) self, Tensor other) -> Tensor(a!)
    return torch.ops.prim.write_to(self, torch.ldexp(self, other), "ldexp_")

aten::gcd(Tensor self, Tensor other) -> Tensor
    inplace
    if (
        self.is_floating_point()
        or other.is_floating_point()
        or self.dtype == torch.bool
        or other.dtype == torch.bool
    ):
        raise RuntimeError("gcd takes tensors of integers")
    both = self + other - other
    a, b = both.abs(), (other + both - both).abs()
    while bool((a != 0).any()):
        rest = torch.where(
            a == 0, torch.zeros_like(a), torch.fmod(b, torch.where(a == 0, torch.ones_like(a), a))
        )
        a, b = rest, torch.where(a == 0, b, a)
    return torch.empty_like(both).copy_(b)

aten::lcm(Tensor self, Tensor other) -> Tensor
    inplace
    common = torch.gcd(self, other)
    share = torch.div(self, common.masked_fill(common == 0, 1), rounding_mode="trunc")
    if common.dtype == torch.int64 or common.dtype == torch.int32:
        return (share * other).abs()
    return (share.to(torch.int32) * other.to(common.dtype)).abs().to(common.dtype)

aten::round.decimals(Tensor self, *, int decimals) -> Tensor
    inplace
    if not self.is_floating_point():
        raise RuntimeError("round with decimals takes floats")
    scale = 10.0 ** abs(decimals)
    return (self * scale).round() / scale if decimals >= 0 else (self / scale).round() * scale
    slopes finer steps

prim::quantized_level(Tensor self, Tensor step, int zero_point) -> Tensor
    x = torch.ops.prim.require_floating(self, "aten::fake_quantize_per_tensor_affine")
    return torch.round(torch.ops.prim.widen_halves(x) * step.reciprocal()) + zero_point

aten::fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min,
                                      int quant_max) -> Tensor
    if quant_min > quant_max or zero_point < quant_min or zero_point > quant_max:
        raise RuntimeError("fake_quantize: zero_point lies between quant_min and quant_max")
    step = torch.full([], scale, dtype=torch.float32)
    level = torch.ops.prim.quantized_level(self, step, zero_point).clamp(quant_min, quant_max)
    level = torch.where(level == level, level, torch.full_like(level, quant_min))
    return ((level - zero_point) * step).to(self.dtype)
    gradient self:
        step = torch.full([], scale, dtype=torch.float32)
        level = torch.ops.prim.quantized_level(self, step, zero_point)
        return grad.masked_fill(~((level >= quant_min) & (level <= quant_max)), 0)
    draw self=f[*] scale=0.05..1.5 zero_point=-2..3 quant_min=-8..-2 quant_max=3..9
    slopes finer steps
    others levels
    peers gradient: doubles are scaled in float

aten::positive(Tensor(a) self) -> Tensor(a)
    if self.dtype == torch.bool:
        raise RuntimeError("positive takes tensors of numbers, not of bools")
    return self

aten::prelu(Tensor self, Tensor weight) -> Tensor
    payload
    dim = torch.ops.prim.channel_dim(self, weight)
    leaked = torch.ops.prim.prelu(self.transpose(dim, -1), weight)
    return leaked.transpose(dim, -1).view_as(self)

aten::glu(Tensor self, int dim=-1) -> Tensor
    payload
    x = torch.ops.prim.require_floating(self, "aten::glu")
    half = torch.ops.prim.half_of(x, dim)
    return x.narrow(dim, 0, half) * x.narrow(dim, half, half).sigmoid()

# Of operators in C++.
aten::add.Tensor
    gradient self: grad
    gradient other: grad * alpha
aten::add.Scalar, aten::sub.Scalar
    gradient self: grad
aten::sub.Tensor
    gradient self: grad
    gradient other: -(grad * alpha)
aten::rsub.Tensor
    gradient self: -(grad * alpha)
    gradient other: grad
aten::rsub.Scalar
    gradient self: -(grad * alpha)
aten::mul.Tensor
    gradient self: grad * other
    gradient other: grad * self
aten::mul.Scalar
    gradient self: grad * other
aten::div.Tensor
    gradient self: grad / other
    gradient other: -grad * ((self / other) / other)
aten::div.Scalar
    gradient self: grad / other
aten::div.Tensor_mode
    gradient self: grad / other if rounding_mode is None else torch.zeros_like(grad)
    gradient other:
        return -grad * ((self / other) / other) if rounding_mode is None else torch.zeros_like(grad)
aten::div.Scalar_mode
    gradient self: grad / other if rounding_mode is None else torch.zeros_like(grad)
aten::floor_divide
    gradient self: torch.zeros_like(grad)
    gradient other: torch.zeros_like(grad)
aten::floor_divide.Scalar
    gradient self: torch.zeros_like(grad)
aten::fmod.Tensor
    gradient self: grad
    gradient other: -grad * torch.div(self, other, rounding_mode="trunc")
aten::remainder.Tensor
    gradient self: grad
    gradient other: -grad * torch.div(self, other, rounding_mode="floor")
aten::fmod.Scalar, aten::remainder.Scalar
    gradient self: grad
aten::remainder.Scalar_Tensor
    gradient other: -grad * torch.div(torch.full_like(other, self), other, rounding_mode="floor")
aten::pow.Tensor_Scalar
    gradient self:
        return (
            torch.zeros_like(grad) if exponent == 0 else grad * (self.pow(exponent - 1) * exponent)
        )
aten::pow.Tensor_Tensor
    gradient self:
        n = exponent.to(grad.dtype)
        return (grad * (n * self.pow(n - 1))).masked_fill(exponent == 0, 0)
    gradient exponent:
        return (grad * (result * self.to(grad.dtype).log())).masked_fill(
            (self == 0) & (exponent >= 0), 0
        )
aten::pow.Scalar
    gradient exponent:
        slope = grad * (result * torch.full_like(exponent, self, dtype=grad.dtype).log())
        return slope.masked_fill(exponent >= 0, 0) if self == 0 else slope
aten::atan2
    gradient self:
        x, y = self.to(grad.dtype), other.to(grad.dtype)
        square = x * x + y * y
        return grad * (y * square.reciprocal().masked_fill(square == 0, 0))
    gradient other:
        x, y = self.to(grad.dtype), other.to(grad.dtype)
        square = x * x + y * y
        return grad * (-x * square.reciprocal().masked_fill(square == 0, 0))
aten::hypot
    gradient self: grad * (self / result)
    gradient other: grad * (other / result)
aten::copysign.Tensor
    gradient self: grad * (result / self).masked_fill(self == 0, 0)
    gradient other: torch.zeros_like(grad)
aten::copysign.Scalar
    gradient self: grad * (result / self).masked_fill(self == 0, 0)
aten::maximum, aten::max.other
    gradient self: torch.where(self == other, grad / 2, grad).masked_fill(self < other, 0)
    gradient other: torch.where(self == other, grad / 2, grad).masked_fill(other < self, 0)
aten::minimum, aten::min.other
    gradient self: torch.where(self == other, grad / 2, grad).masked_fill(self > other, 0)
    gradient other: torch.where(self == other, grad / 2, grad).masked_fill(other > self, 0)
aten::fmax
    gradient self: grad.masked_fill(~((self >= other) | other.isnan()), 0)
    gradient other: grad.masked_fill((self >= other) | other.isnan(), 0)
aten::fmin
    gradient self: grad.masked_fill(~((self <= other) | other.isnan()), 0)
    gradient other: grad.masked_fill((self <= other) | other.isnan(), 0)
aten::clamp
    gradient self:
        out = grad
        if min is not None:
            out = out.masked_fill(~(self >= min), 0)
        if max is not None:
            out = out.masked_fill(~(self <= max), 0)
        return out
aten::clamp.Tensor
    gradient self:
        out = grad
        if min is not None:
            out = out.masked_fill(~(self >= min), 0)
        if max is not None:
            out = out.masked_fill(~(self <= max), 0)
        return out
    gradient min:
        assert min is not None
        under = self < min
        if max is not None:
            under = under & (min < max)
        return grad.masked_fill(~under, 0)
    gradient max:
        assert max is not None
        over = self > max
        if min is not None:
            over = over | (max < min)
        return grad.masked_fill(~over, 0)
aten::clamp_min
    gradient self: grad.masked_fill(~(self >= min), 0)
aten::clamp_max
    gradient self: grad.masked_fill(~(self <= max), 0)
aten::clamp_min.Tensor
    gradient self: grad.masked_fill(~(self >= min), 0)
    gradient min: grad.masked_fill(~(self < min), 0)
aten::clamp_max.Tensor
    gradient self: grad.masked_fill(~(self <= max), 0)
    gradient max: grad.masked_fill(~(self > max), 0)
aten::where.self
    gradient self: grad.masked_fill(~condition.to(torch.bool), 0)
    gradient other: grad.masked_fill(condition.to(torch.bool), 0)
aten::where.ScalarOther
    gradient self: grad.masked_fill(~condition.to(torch.bool), 0)
aten::where.ScalarSelf
    gradient other: grad.masked_fill(condition.to(torch.bool), 0)
aten::masked_fill.Scalar
    gradient self: grad.masked_fill(mask, 0)
aten::masked_fill.Tensor
    gradient self: grad.masked_fill(mask, 0)
    gradient value: grad.masked_fill(mask == 0, 0)
aten::lerp.Tensor
    gradient self: grad * (1 - weight)
    gradient end: grad * weight
    gradient weight: grad * (end - self)
aten::lerp.Scalar
    gradient self: grad * (1 - weight)
    gradient end: grad * weight
aten::addcmul
    gradient self: grad
    gradient tensor1: grad * tensor2 * value
    gradient tensor2: grad * tensor1 * value
aten::addcdiv
    gradient self: grad
    gradient tensor1: grad * value / tensor2
    gradient tensor2: -grad * (value / tensor2 * (tensor1 / tensor2))
aten::to.dtype, aten::to.prim_dtype, aten::to.device, aten::to.prim_Device, aten::to.prim_other
    gradient self: grad
aten::to.dtype_layout, aten::cpu, aten::cuda, aten::_cast_Float, aten::_cast_Double
    gradient self: grad
aten::_cast_Half
    gradient self: grad
aten::to.other, aten::type_as, prim::rounded_as, prim::summed_as
    gradient self: grad
    gradient other: none
aten::as_tensor
    gradient data: grad
aten::heaviside, aten::nextafter
    gradient none
aten::neg
    gradient self: -grad
aten::abs
    gradient self: grad * self.sgn()
aten::square
    gradient self: grad * (self * 2)
aten::sqrt
    gradient self: grad / (result * 2)
aten::rsqrt
    gradient self: grad * (result * result * result * -0.5)
aten::reciprocal
    gradient self: -grad * (result * result)
aten::exp
    gradient self: grad * result
aten::exp2
    gradient self: grad * result * 0.6931471805599453
aten::expm1
    gradient self: grad * (result + 1)
aten::log
    gradient self: grad / self
aten::log1p
    gradient self: grad / (self + 1)
aten::log2
    gradient self: grad / (self * 0.6931471805599453)
aten::log10
    gradient self: grad / (self * 2.302585092994046)
aten::sin
    gradient self: grad * self.cos()
aten::cos
    gradient self: grad * -self.sin()
aten::tan
    gradient self: grad * (result * result + 1)
aten::asin
    gradient self: grad * (1 - self * self).rsqrt()
aten::acos
    gradient self: grad * -((1 - self * self).rsqrt())
aten::atan
    gradient self: grad / (self * self + 1)
aten::sinh
    gradient self: grad * self.cosh()
aten::cosh
    gradient self: grad * self.sinh()
aten::tanh
    gradient self: grad * (1 - result * result)
aten::erf
    gradient self: grad * (torch.exp(-(self * self)) * 1.1283791670955126)
aten::erfc
    gradient self: grad * (torch.exp(-(self * self)) * -1.1283791670955126)
aten::asinh
    gradient self: grad * (self * self + 1).rsqrt()
aten::lgamma
    gradient self: grad * torch.digamma(self)
aten::sigmoid
    gradient self: grad * ((1 - result) * result)
aten::log_sigmoid
    gradient self: grad * torch.sigmoid(-self)
aten::logit
    gradient self:
        low = 0.0 if eps is None else eps
        inside = (self >= low) & (self <= 1 - low)
        x = torch.where(inside, self, torch.full_like(self, 0.5))
        return (grad / (x * (1 - x))).masked_fill(~inside, float("nan") if eps is None else 0.0)
aten::relu
    gradient self: grad.masked_fill(result <= 0, 0)
aten::relu6
    gradient self: grad.masked_fill(~((self > 0) & (self < 6)), 0)
aten::hardtanh
    gradient self: grad.masked_fill(~((self > min_val) & (self < max_val)), 0)
aten::threshold
    gradient self: grad.masked_fill(self <= threshold, 0)
aten::leaky_relu
    gradient self: torch.where(self > 0, grad, grad * negative_slope)
aten::_prelu_kernel
    since 2
    gradient self: torch.where(self > 0, grad, weight * grad)
    gradient weight: torch.where(self > 0, torch.zeros_like(grad), self * grad)
aten::elu
    gradient self:
        below = torch.where(self < 0, self, torch.zeros_like(self))
        low = torch.exp(below * input_scale) * (alpha * scale * input_scale)
        return torch.where(self <= 0, grad * low, grad * scale)
aten::selu
    gradient self:
        below = torch.where(self < 0, self, torch.zeros_like(self))
        low = torch.exp(below) * (1.6732632423543772 * 1.0507009873554805)
        return torch.where(self <= 0, grad * low, grad * 1.0507009873554805)
aten::celu
    gradient self:
        below = torch.where(self < 0, self, torch.zeros_like(self))
        return torch.where(self <= 0, grad * torch.exp(below / alpha), grad)
aten::silu
    gradient self:
        s = torch.sigmoid(self)
        return grad * (s * (1 + self * (1 - s)))
aten::mish
    gradient self:
        t = torch.tanh(torch.nn.functional.softplus(self))
        return grad * (t + self * torch.sigmoid(self) * (1 - t * t))
aten::softplus
    gradient self:
        straight = self * beta > threshold
        z = torch.exp(torch.where(straight, torch.zeros_like(self), self * beta))
        return torch.where(straight, grad, grad * (z / (z + 1)))
aten::gelu
    gradient self:
        if approximate == "tanh":
            inner = (self + self * self * self * 0.044715) * 0.7978845608028654
            t = torch.tanh(inner)
            steep = (self * self * 0.134145 + 1) * 0.7978845608028654
            return grad * ((t + 1) * 0.5 + self * 0.5 * (1 - t * t) * steep)
        below = (torch.erf(self * 0.7071067811865476) + 1) * 0.5
        return grad * (below + self * torch.exp(self * self * -0.5) * 0.3989422804014327)
aten::hardsigmoid
    gradient self: (grad / 6).masked_fill(~((self > -3) & (self < 3)), 0)
aten::hardswish
    gradient self:
        return torch.where(
            self < -3, torch.zeros_like(grad), torch.where(self >= 3, grad, grad * (self / 3 + 0.5))
        )
aten::hardshrink, aten::softshrink
    gradient self: grad.masked_fill(((self >= -lambd) & (self <= lambd)) | self.isnan(), 0)
aten::frac
    gradient self: grad
aten::floor, aten::ceil, aten::trunc, aten::round, aten::sign, aten::sgn, aten::round.decimals
    gradient self: torch.zeros_like(grad)
aten::nan_to_num
    gradient self: grad.masked_fill(~torch.isfinite(self), 0)

aten::__ilshift__.Scalar, aten::__ilshift__.Tensor, aten::__irshift__.Scalar,
aten::__irshift__.Tensor, aten::__lshift__.Scalar, aten::__lshift__.Tensor,
aten::__rshift__.Scalar, aten::__rshift__.Tensor, aten::bitwise_left_shift.Scalar_Tensor,
aten::bitwise_left_shift.Tensor, aten::bitwise_left_shift.Tensor_Scalar,
aten::bitwise_right_shift.Scalar_Tensor, aten::bitwise_right_shift.Tensor,
aten::bitwise_right_shift.Tensor_Scalar
    others any count

aten::__ilshift__.Scalar, aten::__ilshift__.Tensor, aten::__irshift__.Scalar,
aten::__irshift__.Tensor, aten::__lshift__.Scalar, aten::__lshift__.Tensor,
aten::__rshift__.Scalar, aten::__rshift__.Tensor, aten::bitwise_left_shift.Scalar_Tensor,
aten::bitwise_left_shift.Tensor, aten::bitwise_left_shift.Tensor_Scalar,
aten::bitwise_right_shift.Scalar_Tensor, aten::bitwise_right_shift.Tensor,
aten::bitwise_right_shift.Tensor_Scalar
    peers gradient: counts that are no bit's

aten::addcdiv, aten::addcmul
    peers gradient when integers: integers overflow; gradient when several dtypes: products are
        rounded to one operand's dtype

aten::atan2
    peers gradient: squares are of the operand's dtype

aten::copysign.Scalar, aten::copysign.Tensor
    peers gradient: the sign of a NaN
    slopes sign of NaN

aten::elu_
    peers gradient: a negative scale is not turned back

aten::hardshrink, aten::softshrink
    peers gradient: of NaN, and where the bound is one

aten::hardsigmoid
    peers gradient: one sixth is float32's

aten::hardswish
    peers gradient when at 3: 1 in whole registers of elements, 3/2 in the rest

aten::pow.Scalar, aten::pow.Tensor_Scalar, aten::pow.Tensor_Tensor, aten::pow_.Tensor
    others given exponent

aten::pow.Scalar, aten::pow.Tensor_Scalar, aten::pow.Tensor_Tensor, aten::pow_.Tensor
    peers gradient when integers: integers overflow

aten::softshrink
    others ends shrunk

prim::rounded_as
    others double rounded

prim::summed_as
    others series; double rounded

aten::add.Tensor, aten::mul.Tensor, aten::eq.Tensor, aten::ne.Tensor
    traits commutes, total

aten::logical_and, aten::logical_or, aten::logical_xor, aten::bitwise_and.Tensor,
aten::bitwise_or.Tensor, aten::bitwise_xor.Tensor
    traits commutes

aten::add.Scalar, aten::sub.Tensor, aten::sub.Scalar, aten::mul.Scalar, aten::neg, aten::abs,
aten::eq.Scalar, aten::ne.Scalar, aten::lt.Tensor, aten::lt.Scalar, aten::gt.Tensor,
aten::gt.Scalar, aten::maximum, aten::minimum, aten::relu
    traits total

aten::clamp, aten::clamp.Tensor, aten::clamp_min, aten::clamp_min.Tensor, aten::clamp_max,
aten::clamp_max.Tensor, aten::logit
    slopes bounds meet

aten::round
    slopes finer steps

aten::add.Tensor
    sibling aten::sub.Tensor

aten::add.Scalar
    sibling aten::sub.Scalar

aten::add_.Tensor
    sibling aten::sub_.Tensor

aten::maximum
    sibling aten::minimum

aten::lt.Tensor
    sibling aten::gt.Tensor

aten::lt.Scalar
    sibling aten::gt.Scalar

aten::neg
    sibling aten::abs

aten::sin
    sibling aten::cos

aten::exp
    sibling aten::tanh

# Forms with `out=`: of one result that is never cast, or with names that results do not have.
aten::abs, aten::bitwise_not, aten::ceil, aten::conj_physical, aten::floor, aten::frac, aten::gelu,
aten::hardshrink, aten::heaviside, aten::isneginf, aten::isposinf, aten::log_sigmoid,
aten::nan_to_num, aten::neg, aten::round, aten::round.decimals, aten::sgn, aten::sign,
aten::signbit, aten::softplus, aten::softshrink, aten::trunc, aten::where.Scalar,
aten::where.ScalarOther, aten::where.ScalarSelf, aten::where.self, aten::float_power.Scalar,
aten::float_power.Tensor_Scalar, aten::float_power.Tensor_Tensor
    out exact
