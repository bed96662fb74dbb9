# Distances between rows, and how alike they are.

prim::distance_slopes(Tensor grad, Tensor x1, Tensor x2, Tensor result, float p) -> Tensor
    delta = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    length = result.unsqueeze(-1)
    some = length.masked_fill(length == 0, 1)
    each = grad.unsqueeze(-1)
    if p == 0.0:
        return torch.zeros_like(delta) * each
    if p == 1.0:
        return delta.sgn() * each
    if p == float("inf"):
        return delta.sgn() * each * (delta.abs() == length).to(grad.dtype)
    if p < 2.0:
        return (delta.sgn() * delta.abs().pow(p - 1.0) * each / some.pow(p - 1.0)).masked_fill(
            (length == 0) | (delta == 0), 0
        )
    return (delta * delta.abs().pow(p - 2.0) * each / some.pow(p - 1.0)).masked_fill(length == 0, 0)

aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor
    delta = self - other
    return (
        torch.ops.prim.wide(delta).norm(p).to(delta.dtype)
        if delta.is_floating_point()
        else delta.norm(p)
    )

prim::distances(Tensor delta, float p) -> Tensor
    if delta.shape[-1] == 0 and delta.is_floating_point():
        return torch.zeros(delta.shape[:-1], dtype=delta.dtype)
    if p == 0.0:
        return torch.where(delta != delta, delta, (delta != 0).to(delta.dtype)).sum([-1])
    if p == 1.0 or p == 2.0 or math.isinf(p) or delta.shape[-1] != 1:
        return delta.norm(p, [-1])
    return delta.abs().pow(p).sum([-1]).pow(1.0 / p)

aten::cdist(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor
    if x1.dim() < 2 or x2.dim() < 2 or x1.shape[-1] != x2.shape[-1] or not p >= 0.0:
        raise RuntimeError("cdist takes rows of one length, and p of at least 0")
    delta = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    return torch.ops.prim.distances(delta, p)
    gradient x1: torch.ops.prim.distance_slopes(grad, x1, x2, result, p).sum([-2])
    gradient x2: -torch.ops.prim.distance_slopes(grad, x1, x2, result, p).sum([-3])
    draw x1=w[*,N,K] x2==[*,M,K] p=0.0|1.0|2.0|3.5 compute_mode=None

aten::pdist(Tensor self, float p=2.) -> Tensor
    values
    if self.dim() != 2 or not p >= 0.0:
        raise RuntimeError("pdist takes a matrix, and p of at least 0")
    upper = torch.ones([self.shape[0], self.shape[0]], dtype=torch.bool).triu(1)
    return torch.ops.prim.distances(self.unsqueeze(1) - self.unsqueeze(0), p).masked_select(upper)
    draw self=w[N,K]

aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor
    both = x1 + x2
    if not both.is_floating_point():
        raise RuntimeError("cosine_similarity takes tensors whose common dtype is one of floats")
    a, b = torch.ops.prim.wide(x1.to(both.dtype)).expand_as(both), torch.ops.prim.wide(
        x2.to(both.dtype)
    ).expand_as(both)
    squares = (a * a).sum([dim]).clamp_min(eps * eps) * (b * b).sum([dim]).clamp_min(eps * eps)
    return ((a * b).sum([dim]) / squares.sqrt()).to(both.dtype)
    peers gradient: of norms that eps replaces
    others not finite; near one 8 ulp

aten::pairwise_distance(Tensor x1, Tensor x2, float p=2., float eps=1e-06,
                        bool keepdim=False) -> Tensor
    return (x1 - x2 + eps).norm(p, [-1], keepdim)
    peers gradient when inexact order: the order of a norm is float32's
