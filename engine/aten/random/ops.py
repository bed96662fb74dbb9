# Random draws, and dropouts that keep mean and variance.

prim::most_drawn(ScalarType kind) -> int
    if kind == torch.bool:
        return 1
    if kind == torch.uint8:
        return 255
    if kind == torch.int8:
        return 127
    if kind == torch.int16:
        return 32767
    if kind == torch.int32:
        return 2147483647
    return 65504 if kind == torch.float16 else 9223372036854775807

prim::least_drawn(ScalarType kind) -> int
    if kind == torch.bool or kind == torch.uint8:
        return 0
    most = torch.ops.prim.most_drawn(kind)
    return -most if kind == torch.float16 else -most - 1

aten::randint.low(int low, int high, int[] size, *, ScalarType? dtype=4, Layout? layout=None,
                  Device? device=None, bool? pin_memory=None) -> Tensor
    random if size and high > low + 1
    if low >= high:
        raise RuntimeError("randint: low lies below high")
    kind = torch.zeros([0], dtype=dtype, layout=layout, device=device, pin_memory=pin_memory).dtype
    if low < torch.ops.prim.least_drawn(kind) or high - 1 > torch.ops.prim.most_drawn(kind):
        raise RuntimeError("randint: low and high - 1 are numbers of the dtype")
    if high == low + 1:
        return torch.zeros(size, dtype=torch.int64).add(low).to(kind)
    drawn = (
        (torch.rand(size, dtype=torch.float64) * float(high - low))
        .floor()
        .clamp_max(float(high - low - 1))
    )
    return (drawn.to(torch.int64) + low).to(kind)

aten::randint(int high, int[] size, *, ScalarType? dtype=4, Layout? layout=None,
              Device? device=None, bool? pin_memory=None) -> Tensor
    random if size and high > 1
    return torch.randint(
        0, high, size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory
    )

aten::randint_like(Tensor self, int high, *, ScalarType? dtype=None, Layout? layout=None,
                   Device? device=None, bool? pin_memory=None,
                   MemoryFormat? memory_format=None) -> Tensor
    random if self and high > 1
    return torch.randint_like(self, 0, high, dtype=dtype, memory_format=memory_format)

aten::randint_like.low_dtype(Tensor self, int low, int high, *, ScalarType? dtype=None,
                             Layout? layout=None, Device? device=None, bool? pin_memory=None,
                             MemoryFormat? memory_format=None) -> Tensor
    random if self and high > low + 1
    out = torch.empty_like(self, dtype=dtype, memory_format=memory_format)
    return out.copy_(torch.randint(low, high, self.shape, dtype=out.dtype))

aten::randperm(int n, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None,
               bool? pin_memory=None) -> Tensor
    random if n > 1
    if n < 0:
        raise RuntimeError("randperm: n is at least 0")
    given = torch.int64 if dtype is None else dtype
    kind = torch.zeros([0], dtype=given, layout=layout, device=device, pin_memory=pin_memory).dtype
    if n <= 1:
        return torch.zeros([n], dtype=kind)
    return torch.rand([n], dtype=torch.float64).argsort(0).to(kind)

aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor
    random if self
    if not self.is_floating_point() or bool(((self < 0) | (self > 1)).any()):
        raise RuntimeError("bernoulli takes floats between 0 and 1")
    return (torch.rand_like(self) < self).to(self.dtype)

aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor
    random if self and p > 0 and p < 1
    if p < 0.0 or p > 1.0:
        raise RuntimeError("bernoulli takes p between 0 and 1")
    if p == 0.0 or p == 1.0:
        return torch.full_like(self, p)
    return (torch.rand(self.shape) < p).to(self.dtype)

aten::bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor
    random if self
    if bool(((p < 0) | (p > 1)).any()):
        raise RuntimeError("bernoulli takes p between 0 and 1")
    return (torch.rand(self.shape) < p).expand(self.shape).to(self.dtype)

aten::bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)
    random if self
    return self.copy_(torch.bernoulli(self, p))

aten::bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)
    random if self and p > 0 and p < 1
    return self.copy_(torch.bernoulli(self, p))

aten::normal_(Tensor(a!) self, float mean=0., float std=1., *,
              Generator? generator=None) -> Tensor(a!)
    random if self and std
    if not self.is_floating_point() or not std >= 0.0:
        raise RuntimeError("normal_ takes a tensor of floats, and std of at least 0")
    if std == 0.0:
        return self.fill_(mean)
    return self.copy_(torch.randn_like(self) * std + mean)

aten::cauchy_(Tensor(a!) self, float median=0., float sigma=1., *,
              Generator? generator=None) -> Tensor(a!)
    random if self
    if not sigma > 0.0 or not self.is_floating_point():
        raise RuntimeError("cauchy_ takes a tensor of floats, and a sigma above 0")
    uniform = torch.rand(self.shape, dtype=torch.float64) - 0.5
    return self.copy_(torch.tan(uniform * 3.141592653589793) * sigma + median)

aten::log_normal_(Tensor(a!) self, float mean=1., float std=2., *,
                  Generator? generator=None) -> Tensor(a!)
    random if self
    if not std > 0.0 or not self.is_floating_point():
        raise RuntimeError("log_normal_ takes a tensor of floats, and std above 0")
    return self.copy_(torch.zeros(self.shape, dtype=torch.float64).normal_(mean, std).exp())

aten::geometric_(Tensor(a!) self, float p, *, Generator? generator=None) -> Tensor(a!)
    random if self
    if p <= 0.0 or p >= 1.0:
        raise RuntimeError("geometric_ takes p between 0 and 1")
    tail = 1.0 - torch.rand(self.shape, dtype=torch.float64)
    return self.copy_((torch.log(tail) / math.log(1.0 - p)).ceil().clamp_min(1.0))

aten::normal.float_float(float mean, float std, int[] size, *, Generator? generator=None,
                         ScalarType? dtype=None, Layout? layout=None, Device? device=None,
                         bool? pin_memory=None) -> Tensor
    random if size and std
    if not std >= 0.0:
        raise RuntimeError("normal takes std of at least 0")
    if std == 0.0:
        return torch.full(
            size, mean, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory
        )
    return (
        torch.randn(size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory) * std
        + mean
    )

aten::normal.Tensor_float(Tensor mean, float std=1., *, Generator? generator=None) -> Tensor
    random if mean and std
    if not std >= 0.0:
        raise RuntimeError("normal takes std of at least 0")
    return torch.randn_like(mean) * std + mean if std != 0.0 else mean.clone()

aten::normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor
    random if std
    return torch.randn_like(std) * std + mean

aten::normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor
    random if mean and std
    return torch.randn_like(mean + std) * std + mean

aten::exponential_(Tensor(a!) self, float lambd=1., *, Generator? generator=None) -> Tensor(a!)
    random if self
    if not self.is_floating_point() or not lambd >= 0.0:
        raise RuntimeError("exponential_ takes a tensor of floats, and lambd of at least 0")
    return self.copy_(-torch.log1p(-torch.rand_like(self)) / lambd)

aten::multinomial(Tensor self, int num_samples, bool replacement=False, *,
                  Generator? generator=None) -> Tensor
    random
    if self.dim() < 1 or self.dim() > 2 or not self.is_floating_point() or num_samples < 1:
        raise RuntimeError(
            "multinomial takes a vector or a matrix of floats, and one sample or more"
        )
    if bool(((self < 0) | ~torch.isfinite(self)).any()) or bool((self.sum([-1]) <= 0).any()):
        raise RuntimeError("multinomial takes weights of at least 0, some above")
    if replacement:
        steps = self.to(torch.float64).cumsum(-1)
        lead: List[int] = self.shape[:-1]
        drawn = (torch.rand(lead + [num_samples], dtype=torch.float64) * steps[..., -1:]).unsqueeze(
            -1
        )
        return (steps.unsqueeze(-2) <= drawn).sum([-1]).clamp_max(self.shape[-1] - 1)
    if num_samples > self.shape[-1] or bool(((self > 0).sum([-1]) < num_samples).any()):
        raise RuntimeError("multinomial draws no item twice: too few items of some weight")
    return (-torch.log1p(-torch.rand_like(self)) / self).topk(num_samples, -1, False)[1]

aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False,
            Generator? generator=None) -> Tensor
    random if training and self and lower < upper
    if not (float(lower) <= float(upper)):
        raise RuntimeError("rrelu takes a lower slope that is at most the upper one")
    if not training or float(lower) == float(upper):
        return torch.where(self > 0, self, self * ((float(lower) + float(upper)) / 2))
    return torch.where(
        self > 0,
        self,
        self * (torch.rand_like(self) * (float(upper) - float(lower)) + float(lower)),
    )

prim::alpha_kept(Tensor input, Tensor kept, float p) -> Tensor
    alpha = 1.7580993408473766
    a = 1.0 / math.sqrt((alpha * alpha * p + 1.0) * (1.0 - p))
    return input * (kept * a) + ((kept - 1) * (alpha * a) + alpha * a * p)

aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor
    random if train and p > 0 and p < 1 and input
    if not (p >= 0.0 and p <= 1.0):
        raise RuntimeError("the probability of a dropout is between 0 and 1")
    if not train or p == 0.0:
        return input.clone()
    if p == 1.0:
        return torch.zeros_like(input)
    return torch.ops.prim.alpha_kept(input, (torch.rand_like(input) >= p).to(input.dtype), p)

aten::feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor
    random if train and p > 0 and p < 1 and input
    if not (p >= 0.0 and p <= 1.0):
        raise RuntimeError("the probability of a dropout is between 0 and 1")
    if not train or p == 0.0:
        return input.clone()
    if input.dim() < 2:
        raise RuntimeError("a dropout of features takes an input of two dims or more")
    if p == 1.0:
        return torch.zeros_like(input)
    shape = [input.shape[0], input.shape[1]] + [1] * (input.dim() - 2)
    return torch.ops.prim.alpha_kept(
        input, (torch.rand(shape, dtype=input.dtype) >= p).to(input.dtype), p
    )

aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)
    random if train and p > 0 and p < 1 and input
    if input.numel() == 0:
        return input.clone(), torch.empty_like(input)
    if train is not None and not train:
        return input.clone(), torch.ones_like(input, dtype=torch.bool)
    if not input.is_floating_point() or not (p >= 0.0 and p <= 1.0):
        raise RuntimeError(
            "native_dropout takes a tensor of floats and a probability between 0 and 1"
        )
    kept = (
        torch.ones_like(input, dtype=torch.bool)
        if p == 0.0
        else torch.zeros_like(input, dtype=torch.bool)
    )
    if p > 0.0 and p < 1.0:
        kept = torch.rand_like(input) >= p
    scale = 0.0 if p == 1.0 else 1.0 / (1.0 - p)
    return input * kept * scale, kept

aten::alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)
    random if train and p > 0 and p < 1 and self
    dropped = torch.alpha_dropout(self, p, train)
    return self.copy_(dropped) if train else self

aten::feature_alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)
    random if train and p > 0 and p < 1 and self
    dropped = torch.feature_alpha_dropout(self, p, train)
    return self.copy_(dropped) if train else self

aten::rrelu_(Tensor(a!) self, Scalar lower=0.125, Scalar upper=0.33333333333333331,
             bool training=False, Generator? generator=None) -> Tensor(a!)
    random if training and self and lower < upper
    return self.copy_(torch.rrelu(self, lower, upper, training))

aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor
    return grad_output * mask * scale

aten::dropout(Tensor(a) input, float p, bool train) -> Tensor(a)
    random if train and p > 0 and p < 1 and input
    legal = torch.ops.prim.probability(p)
    if train & (legal > 0):
        if legal < 1:
            drawn = torch.rand_like(input, dtype=torch.float32)
        else:
            drawn = torch.zeros_like(input, dtype=torch.float32)
        return torch.ops.prim.apply_dropout(input, drawn < 1 - legal, legal)
    return input
    traits drops

aten::dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)
    random if train and p > 0 and p < 1 and self
    legal = torch.ops.prim.probability(p)
    if train & (legal > 0):
        if legal < 1:
            drawn = torch.rand_like(self, dtype=torch.float32)
        else:
            drawn = torch.zeros_like(self, dtype=torch.float32)
        return self.copy_(torch.ops.prim.apply_dropout(self, drawn < 1 - legal, legal))
    return self
    traits drops

# Whole channels are kept or dropped: the mask is [n, c, 1, ...].
aten::feature_dropout(Tensor(a) input, float p, bool train) -> Tensor(a)
    random if train and p > 0 and p < 1 and input
    legal = torch.ops.prim.probability(p)
    source = torch.ops.prim.channels(input)
    if train & (legal > 0):
        if legal < 1:
            drawn = torch.rand_like(source, dtype=torch.float32)
        else:
            drawn = torch.zeros_like(source, dtype=torch.float32)
        return torch.ops.prim.apply_dropout(input, drawn < 1 - legal, legal)
    return input
    traits drops

aten::feature_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)
    random if train and p > 0 and p < 1 and self
    legal = torch.ops.prim.probability(p)
    source = torch.ops.prim.channels(self)
    if train & (legal > 0):
        if legal < 1:
            drawn = torch.rand_like(source, dtype=torch.float32)
        else:
            drawn = torch.zeros_like(source, dtype=torch.float32)
        return self.copy_(torch.ops.prim.apply_dropout(self, drawn < 1 - legal, legal))
    return self
    traits drops

aten::uniform_(Tensor(a!) self, float from=0., float to=1., *,
               Generator? generator=None) -> Tensor(a!)
    random if self and from < to
    width = torch.ops.prim.uniform_width(self, from_, to)
    if width > 0:
        return self.copy_(torch.rand_like(self) * width + from_)
    return self.fill_(from_)

# Of operators in C++.
prim::apply_dropout
    gradient self: torch.ops.prim.apply_dropout(grad, kept, p)

aten::rand, aten::rand_like
    traits uniform

# Forms with `out=`: of one result that is never cast, or with names that results do not have.
aten::multinomial
    out exact
