# Normalisations that also give the mean and the reciprocal deviation they went by, as compilers'
# graphs and the gradients of PyTorch name them.
#
# The values are those of layer_norm, group_norm and batch_norm; the statistics come from the same
# elements in float or wider and are rounded to the dtype of the parameters, or of the result where
# there are none. Batches normalised by running statistics have none of their own: the statistics
# are then empty. The gradients of softmax and its logarithm are here, too.

prim::channel_sums(Tensor grad, int dims) -> Tensor
    return grad.sum(torch.ops.prim.others(grad.dim(), grad.dim() - dims - 1))

aten::norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor
    if dim == -1:
        return v.norm(pow)
    if v.shape[dim] == 0:
        raise RuntimeError("norm_except_dim takes no tensor that is empty along the dim")
    whole = v.unsqueeze(-1)
    return whole.norm(pow, [i for i in range(whole.dim()) if i != dim], True).squeeze(-1)
    draw v=w[N,M] pow=1..2 dim=0..1

aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor
    return v * (g / torch.norm_except_dim(v, 2, dim))
    draw v=w[N,M] g==[N,1] dim=0

prim::line_statistics(Tensor lines, float eps, ScalarType dtype) -> (Tensor, Tensor)
    x = torch.ops.prim.wide(lines)
    mean = x.mean([-1], True)
    off = x - mean
    return mean.to(dtype), torch.rsqrt((off * off).mean([-1], True) + eps).to(dtype)

aten::native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias,
                        float eps) -> (Tensor, Tensor, Tensor)
    out = torch.layer_norm(input, normalized_shape, weight, bias, eps, False)
    count = 1
    for size in normalized_shape:
        count = count * size
    lead: List[int] = input.shape[:input.dim() - len(normalized_shape)]
    mean, scale = torch.ops.prim.line_statistics(
        input.reshape(lead + [count]),
        eps,
        torch.ops.prim.parameter_dtype(input, weight, bias, None, None),
    )
    shape = lead + [1] * len(normalized_shape)
    return out, mean.reshape(shape), scale.reshape(shape)
    draw input=w[*,N,M] normalized_shape=<N,M> weight=?=[N,M] bias=?=[N,M] eps=0.5 N=1..4 M=1..4
    peers gradient: nothing flows back from mean and deviation
    others not finite

aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW,
                        int group, float eps) -> (Tensor, Tensor, Tensor)
    if group < 1 or C % group != 0 or input.numel() != N * C * HxW:
        raise RuntimeError(
            f"native_group_norm: {N} times {C} channels of {HxW} elements in {group} groups are "
            "not the input's"
        )
    out = torch.group_norm(input.reshape([N, C, HxW]), group, weight, bias, eps, False).reshape(
        input.shape
    )
    mean, scale = torch.ops.prim.line_statistics(
        input.reshape([N, group, C // group * HxW]),
        eps,
        torch.ops.prim.parameter_dtype(input, weight, bias, None, None),
    )
    return out, mean.squeeze(-1), scale.squeeze(-1)
    draw input=w[A,2B,C] weight=?=[2B] bias=?=[2B] N=A C=2B HxW=C group=1..2 eps=0.5 A=1..3 B=1..2
        C=1..4
    peers gradient: nothing flows back from mean and deviation
    others not finite

prim::check_softmax_gradient(Tensor grad_output, Tensor output, ScalarType input_dtype) -> Tensor
    if grad_output.dtype == torch.float32 and input_dtype == torch.float16:
        raise RuntimeError("a gradient of softmax from halves to floats is not computed on a cpu")
    if (
        not grad_output.is_floating_point()
        or grad_output.dtype != output.dtype
        or grad_output.shape != output.shape
    ):
        raise RuntimeError("a gradient of softmax takes floats of the result's dtype and sizes")
    return grad_output

aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim,
                             ScalarType input_dtype) -> Tensor
    g, y = torch.ops.prim.wide(
        torch.ops.prim.check_softmax_gradient(grad_output, output, input_dtype)
    ), torch.ops.prim.wide(output)
    return ((g - (g * y).sum([dim], True)) * y).to(grad_output.dtype)
    peers gradient: takes any tensor for a softmax

aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim,
                                 ScalarType input_dtype) -> Tensor
    g, y = torch.ops.prim.wide(
        torch.ops.prim.check_softmax_gradient(grad_output, output, input_dtype)
    ), torch.ops.prim.wide(output)
    return (g - torch.exp(y) * g.sum([dim], True)).to(grad_output.dtype)

prim::batch_statistics(Tensor input, bool training, float eps, ScalarType dtype) -> (Tensor, Tensor)
    if not training:
        return torch.zeros([0], dtype=dtype), torch.zeros([0], dtype=dtype)
    mean, scale = torch.ops.prim.line_statistics(input.transpose(0, 1).flatten(1), eps, dtype)
    return mean.squeeze(-1), scale.squeeze(-1)

aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!)? running_mean,
                        Tensor(b!)? running_var, bool training, float momentum,
                        float eps) -> (Tensor, Tensor, Tensor)
    out = torch.batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps, False
    )
    kind = torch.ops.prim.parameter_dtype(input, weight, bias, running_mean, running_var)
    mean, scale = torch.ops.prim.batch_statistics(input, training, eps, kind)
    return out, mean, scale
    draw input=w[A,B,C] weight=?=[B] bias=?=[B] running_mean==[B] running_var==[B]{1..9}
        momentum=0.1 eps=0.5 A=2..3 B=1..4 C=2..4
    peers gradient: running statistics that require gradients
    others not finite

aten::_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean,
                               Tensor(b!) running_var, bool training, float momentum,
                               float eps) -> (Tensor, Tensor, Tensor)
    since 2
    return torch.ops.aten.native_batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps
    )
    draw input=w[A,B,C] weight=?=[B] bias=?=[B] running_mean==[B] running_var==[B]{1..9}
        momentum=0.1 eps=0.5 A=2..3 B=1..4 C=2..4
    peers gradient: running statistics that require gradients

aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training,
                                        float momentum, float eps) -> (Tensor, Tensor, Tensor)
    since 2
    return torch.ops.aten.native_batch_norm(
        input, weight, bias, None, None, training, momentum, eps
    )
    draw input=w[A,B,C] weight=?=[B] bias=?=[B] training=True momentum=0.1 eps=0.5 A=2..3 B=1..4
        C=2..4
    peers gradient: running statistics that require gradients

aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias,
                                           Tensor running_mean, Tensor running_var, float momentum,
                                           float eps) -> (Tensor, Tensor, Tensor)
    since 2
    return torch.ops.aten.native_batch_norm(
        input, weight, bias, running_mean, running_var, False, momentum, eps
    )
    draw input=w[A,B,C] weight=?=[B] bias=?=[B] running_mean==[B] running_var==[B]{1..9}
        momentum=0.1 eps=0.5 A=1..3 B=1..4 C=1..4
    peers gradient: running statistics that require gradients

aten::_batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean,
                              Tensor(b!) running_var, float momentum, float eps) -> (Tensor, Tensor,
                              Tensor, Tensor)
    since 2
    out, mean, scale = torch.ops.aten.native_batch_norm(
        input, weight, bias, running_mean, running_var, True, momentum, eps
    )
    return out, mean, scale, torch.zeros([0], dtype=torch.uint8)
    draw input=w[A,B,C] weight=?=[B] bias=?=[B] running_mean==[B] running_var==[B]{1..9}
        momentum=0.1 eps=0.5 A=2..3 B=1..4 C=2..4
    peers gradient: running statistics that require gradients

prim::wide(Tensor self) -> Tensor
    return self if self.dtype == torch.float64 else self.to(torch.float32)

prim::least_step(ScalarType dtype) -> float
    if dtype == torch.float64:
        return 2.220446049250313e-16
    if dtype == torch.float16:
        return 0.0009765625
    return 0.0078125 if dtype == torch.bfloat16 else 1.1920928955078125e-07

aten::rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor
    since 2
    n = len(normalized_shape)
    if n == 0 or n > input.dim() or input.shape[input.dim() - n:] != normalized_shape:
        raise RuntimeError("rms_norm: the last sizes are the normalized shape")
    x = torch.ops.prim.wide(input)
    least = torch.ops.prim.least_step(input.dtype) if eps is None else eps
    out = x * torch.rsqrt((x * x).mean([i - n for i in range(n)], True) + least)
    if weight is not None:
        out = out * weight
    return out.to(input.dtype)
    draw input=w[*,N] normalized_shape=<N> weight=?=[N]

aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
    since 2
    out = torch.softmax(self, dim, dtype)
    hidden = (self == -float("inf")).all(dim, True)
    return out.masked_fill(hidden, 0.0)

aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
    payload
    floats = torch.ops.prim.require_floating(self.to(dtype), "aten::softmax")
    x = floats.to(torch.ops.prim.wide_dtype(floats))
    dims = [dim]
    e = (x - torch.ops.prim.amax_or_least(x, dims, True)).exp()
    return (e / e.sum(dims, True)).to(floats.dtype)
    gradient self: result * (grad - (grad * result).sum([dim], True))

aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
    payload
    floats = torch.ops.prim.require_floating(self.to(dtype), "aten::log_softmax")
    x = floats.to(torch.ops.prim.wide_dtype(floats))
    dims = [dim]
    shifted = x - torch.ops.prim.amax_or_least(x, dims, True)
    return (shifted - shifted.exp().sum(dims, True).log()).to(floats.dtype)
    gradient self: grad - torch.exp(result) * grad.sum([dim], True)
    others logarithm stored

aten::layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None,
                 float eps=1e-05, bool cudnn_enable=True) -> Tensor
    payload
    x = torch.ops.prim.layer_checked(input, weight, bias, normalized_shape)
    dims = torch.ops.prim.last_dims(normalized_shape)
    wide = x.to(torch.ops.prim.wide_dtype(x))
    centered = wide - wide.mean(dims, True)
    normal = centered * ((centered * centered).mean(dims, True) + eps).rsqrt()
    return torch.ops.prim.affine(normal, weight, bias).to(x.dtype)
    others mean folded 4 ulp; not finite

aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None,
                 float eps=1e-05, bool cudnn_enabled=True) -> Tensor
    payload
    x = torch.ops.prim.group_channels(input, weight, bias, num_groups)
    wide = x.to(torch.ops.prim.wide_dtype(x))
    dims = [2]
    centered = wide - wide.mean(dims, True)
    normal = centered * ((centered * centered).mean(dims, True) + eps).rsqrt()
    scaled = torch.ops.prim.affine(normal.reshape_as(input).transpose(1, -1), weight, bias)
    return scaled.transpose(1, -1).to(x.dtype)
    others mean folded 4 ulp; not finite

# Where the batch is empty, the counts are taken such that the running statistics stay as they are.
aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!)? running_mean,
                 Tensor(b!)? running_var, bool training, float momentum, float eps,
                 bool cudnn_enabled) -> Tensor
    payload
    x = torch.ops.prim.batch_checked(input, weight, bias, running_mean, running_var, training)
    wide = x.to(torch.ops.prim.wide_dtype(x))
    if training:
        dims = torch.ops.prim.channel_dims(wide)
        number = torch.ops.prim.degrees(wide, dims, 0)
        count = max(1, number)
        means = wide.sum(dims, True) / count
        deviation = wide - means
        total = (deviation * deviation).sum(dims)
        center = means.flatten()
        spread = total / count
        share = min(1, number) * momentum
        if running_mean is not None:
            running_mean.copy_(running_mean * (1 - share) + center * share)
        if running_var is not None:
            running_var.copy_(running_var * (1 - share) + total / (number - 1) * share)
    else:
        center = torch.ops.prim.unchecked_cast(running_mean)
        spread = torch.ops.prim.unchecked_cast(running_var)
    centered = wide.transpose(1, -1) - center
    scaled = torch.ops.prim.affine(centered * (spread + eps).rsqrt(), weight, bias)
    return scaled.transpose(1, -1).to(x.dtype)
    peers gradient: running statistics that require gradients
    others mean folded 4 ulp; not finite

prim::batch_normal(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean,
                   Tensor? running_var, bool training, float momentum, float eps,
                   bool cudnn_enabled) -> Tensor
    payload
    x = torch.ops.prim.batch_checked(input, weight, bias, running_mean, running_var, training)
    wide = x.to(torch.ops.prim.wide_dtype(x))
    if training:
        dims = torch.ops.prim.channel_dims(wide)
        count = max(1, torch.ops.prim.degrees(wide, dims, 0))
        means = wide.sum(dims, True) / count
        deviation = wide - means
        center = means.flatten()
        spread = (deviation * deviation).sum(dims) / count
    else:
        center = torch.ops.prim.unchecked_cast(running_mean)
        spread = torch.ops.prim.unchecked_cast(running_var)
    centered = wide.transpose(1, -1) - center
    scaled = torch.ops.prim.affine(centered * (spread + eps).rsqrt(), weight, bias)
    return scaled.transpose(1, -1).to(x.dtype)

prim::instance_normal(Tensor input, Tensor? weight, Tensor? bias, float eps) -> Tensor
    payload
    channels = torch.ops.prim.instance_channels(input)
    return torch.ops.aten.group_norm(input, channels, weight, bias, eps, False)

# A group for every channel, and the running statistics follow the means over the instances; with
# running statistics alone, of any dtype, batch_norm's.
aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!)? running_mean,
                    Tensor(b!)? running_var, bool use_input_stats, float momentum, float eps,
                    bool cudnn_enabled) -> Tensor
    if use_input_stats:
        channels = torch.ops.prim.instance_channels(input)
        if running_mean is not None:
            rows = input.flatten(2, -1)
            mean = rows.mean([2]).mean([0])
            spread = rows.var([2], True, False).mean([0])
            running_mean.copy_(running_mean * (1 - momentum) + mean * momentum)
            if running_var is not None:
                running_var.copy_(running_var * (1 - momentum) + spread * momentum)
        return torch.ops.aten.group_norm(input, channels, weight, bias, eps, False)
    kind = torch.ops.prim.parameter_dtype(input, weight, bias, None, None)
    known_mean = torch.ops.prim.unchecked_cast(running_mean).to(kind)
    known_var = torch.ops.prim.unchecked_cast(running_var).to(kind)
    return torch.ops.aten.batch_norm(
        input, weight, bias, known_mean, known_var, False, momentum, eps, False
    )
    draw input=w[B,C,L] weight=?=[C] bias=?=[C] running_mean=None running_var=None
        use_input_stats=True momentum=0.1 eps=1e-5 L=2..5
    others statistics summed; not finite

# Of operators in C++.
prim::affine
    gradient self: grad if weight is None else grad * weight
    gradient weight: grad * self
    gradient bias: grad
prim::layer_checked
    gradient input: grad
    gradient weight, bias: none
prim::batch_checked
    gradient input: grad
    gradient weight, bias, running_mean, running_var: none
prim::group_channels
    gradient input: grad.reshape(input.size())
    gradient weight, bias: none

# Forms with `out=`: of one result that is never cast, or with names that results do not have.
aten::log_softmax.int, aten::softmax.int
    out exact
aten::native_batch_norm, aten::_native_batch_norm_legit, aten::_native_batch_norm_legit.no_stats
    out out, save_mean, save_invstd
