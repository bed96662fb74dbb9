# Losses with margins, by classes and of sequences. A reduction is ATen's: 0 none, 1 mean, 2 sum.

prim::reduce(Tensor loss, int reduction) -> Tensor
    if reduction == 0:
        return loss
    return loss.mean() if reduction == 1 else loss.sum()

aten::l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor
    loss = (self - target).abs()
    if reduction == 1 and not loss.is_floating_point():
        raise RuntimeError("a mean takes numbers of floats")
    return torch.ops.prim.reduce(loss, reduction if reduction == 1 or reduction == 2 else 0)

aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps,
                       int reduction) -> Tensor
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return torch.ops.prim.reduce(loss, reduction)
    draw input=w[N] target==[N] eps=1e-8 reduction=0..2

aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.,
                          int reduction=1) -> Tensor
    return torch.ops.prim.reduce((-target * (input1 - input2) + margin).clamp_min(0), reduction)
    draw input1=w[N] input2==[N] target==[N]{-1..1} margin=0.0|0.5 reduction=0..2

aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1., int reduction=1) -> Tensor
    of_dissimilar = torch.where(target != 1, (margin - self).clamp_min(0), torch.zeros_like(self))
    of_similar = torch.where(target != -1, self, torch.zeros_like(self))
    return torch.ops.prim.reduce(of_dissimilar + of_similar, reduction)
    draw self=w[N] target==[N]{-1..1} margin=0.0|1.0 reduction=0..2

aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor
    return torch.ops.prim.reduce(torch.log1p((-target * self).exp()), reduction)
    draw self=w[N] target==[N] reduction=0..2
    others near one 4 ulp

aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.,
                          float p=2., float eps=1e-06, bool swap=False, int reduction=1) -> Tensor
    to_positive = torch.pairwise_distance(anchor, positive, p, eps)
    to_negative = torch.pairwise_distance(anchor, negative, p, eps)
    if swap:
        to_negative = torch.minimum(
            to_negative, torch.pairwise_distance(positive, negative, p, eps)
        )
    loss = (margin + to_positive - to_negative).clamp_min(0)
    return torch.ops.prim.reduce(loss, reduction)
    draw anchor=w[N,K] positive==[N,K] negative==[N,K] margin=1.0 p=1.0|2.0 eps=1e-6 reduction=0..2
    peers gradient when beside others: a hinge behind distances that an eps is added to

aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.,
                            int reduction=1) -> Tensor
    products = (input1 * input2).sum([-1])
    lengths = ((input1 * input1).sum([-1]) + 1e-12) * ((input2 * input2).sum([-1]) + 1e-12)
    cosine = products / lengths.sqrt()
    far = (cosine - margin).clamp_min(0)
    zero = torch.zeros_like(cosine)
    return torch.ops.prim.reduce(
        torch.where(target == 1, 1 - cosine, zero) + torch.where(target == -1, far, zero), reduction
    )
    draw input1=w[N,K] input2==[N,K] target==[N]{-1..1} margin=0.0|0.5 reduction=0..2
    others not finite

aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1,
                        Tensor? weight=None, int reduction=1) -> Tensor
    x = self if self.dim() == 2 else self.reshape([1, self.numel()])
    if weight is not None and (
        weight.dim() != 1 or weight.shape[0] != x.shape[1] or weight.dtype != x.dtype
    ):
        raise RuntimeError("multi_margin_loss takes a weight for each class, of the input's dtype")
    y = target.reshape([-1, 1])
    far = float(margin) - x.gather(1, y) + x
    terms = far * far if float(p) == 2.0 else far
    if weight is not None:
        terms = terms * weight.index_select(0, y.flatten()).unsqueeze(1)
    terms = torch.where(far > 0, terms, torch.zeros_like(far))
    loss = terms.scatter(1, y, 0.0).sum([1]) / x.shape[1]
    return torch.ops.prim.reduce(
        loss if self.dim() == 2 else loss.reshape(target.shape), reduction
    )
    draw self=w[N,C] target=l[N]{0..C-1} p=1|2 weight=?=[C] reduction=0..2 C=1..5 N=1..5

aten::multilabel_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor
    if self.shape != target.shape or self.dim() > 2:
        raise RuntimeError(
            "multilabel_margin_loss takes scores and classes of one shape, in at most two dims"
        )
    shape = self.shape if self.dim() == 2 else [1, self.numel()]
    x, classes = self.reshape(shape), target.reshape(shape)
    named = (classes < 0).to(torch.int64).cumsum(1) == 0
    indices = classes.clamp_min(0)
    wanted = (
        torch.zeros(x.shape, dtype=torch.int64).scatter_add(1, indices, named.to(torch.int64)) > 0
    )
    margins = 1 - x.gather(1, indices).unsqueeze(2) + x.unsqueeze(1)
    counts = named.unsqueeze(2) & ~wanted.unsqueeze(1) & (margins > 0)
    loss = margins.masked_fill(~counts, 0).sum([1, 2]) / x.shape[1]
    return torch.ops.prim.reduce(loss if self.dim() == 2 else loss.squeeze(0), reduction)
    draw self=w[N,C] target=l[N,C]{-1..C-1} reduction=0..2 C=1..5 N=1..5
    peers gradient: a target named twice

aten::ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths,
                      int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor
    values
    if (
        log_probs.dim() != 2
        and log_probs.dim() != 3
        or targets.dim() > 2
        or blank < 0
        or blank >= log_probs.shape[-1]
    ):
        raise RuntimeError("ctc_loss takes log_probs of three dims, and a blank among the classes")
    lp = log_probs if log_probs.dim() == 3 else log_probs.unsqueeze(1)
    steps, n = lp.shape[0], lp.shape[1]
    lengths = target_lengths.reshape([-1]).to(torch.int64)
    frames = input_lengths.reshape([-1]).to(torch.int64)
    if (
        lengths.shape[0] != n
        or frames.shape[0] != n
        or bool((frames > steps).any())
        or bool((lengths < 0).any())
    ):
        raise RuntimeError(
            "ctc_loss takes a length of input and target for each of the batch, none too long"
        )
    most = int(lengths.max()) if n > 0 else 0
    grid = targets.reshape([1, -1]) if log_probs.dim() == 2 else targets
    columns = torch.arange(most)
    if grid.dim() == 1:
        if grid.shape[0] != int(lengths.sum()):
            raise RuntimeError("ctc_loss: targets in one line are as many as their lengths say")
        at = ((lengths.cumsum(0) - lengths).unsqueeze(1) + columns).clamp(
            0, max(grid.shape[0] - 1, 0)
        )
        grid = (
            grid.index_select(0, at.flatten()).reshape([n, most])
            if grid.shape[0] > 0
            else grid.new_zeros([n, most])
        )
    elif grid.shape[1] < most or grid.shape[0] != n:
        raise RuntimeError("ctc_loss: targets are shorter than their lengths")
    labels = (
        grid.to(torch.int64).narrow(1, 0, most).masked_fill(columns >= lengths.unsqueeze(1), blank)
    )
    every = torch.stack([torch.full_like(labels, blank), labels], 2).reshape([n, 2 * most])
    every = torch.cat([every, torch.full([n, 1], blank, dtype=torch.int64)], 1)
    low = float("-inf")
    width = 2 * most + 1
    first = torch.arange(width)
    skips = torch.zeros([n, width], dtype=torch.bool)
    if most > 1:
        skips = torch.cat(
            [skips[:, :2], (every[:, 2:] != every[:, :-2]) & (every[:, 2:] != blank)], 1
        )
    alpha = (
        lp[0].gather(1, every).masked_fill(first > 1, low)
        if steps > 0
        else torch.full([n, width], low, dtype=lp.dtype)
    )
    for t in range(1, steps):
        one = torch.constant_pad_nd(alpha, [1, 0], low)[:, :width]
        two = torch.constant_pad_nd(alpha, [2, 0], low)[:, :width].masked_fill(~skips, low)
        newer = torch.logaddexp(torch.logaddexp(alpha, one), two) + lp[t].gather(1, every)
        alpha = torch.where((frames > t).unsqueeze(1), newer, alpha)
    last = (2 * lengths).unsqueeze(1)
    ends = alpha.gather(1, last)
    before = alpha.gather(1, (last - 1).clamp_min(0)).masked_fill(last == 0, low)
    loss = -torch.logaddexp(ends, before).squeeze(1)
    if zero_infinity:
        loss = loss.masked_fill(torch.isinf(loss), 0.0)
    if reduction == 1:
        return (loss / lengths.clamp_min(1)).mean().to(log_probs.dtype)
    if reduction == 2:
        return loss.sum().to(log_probs.dtype)
    return (loss if log_probs.dim() == 3 else loss.squeeze(0)).to(log_probs.dtype)
    draw log_probs=w[6,2,4] targets=l[2,2]{1..3} input_lengths=l[2]{5..6} target_lengths=l[2]{1..2}
        blank=0 reduction=0..2
    peers gradient: wrong beside the rows that count
    others not finite

aten::ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths,
                       int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor
    values
    return torch.ctc_loss(
        log_probs,
        targets,
        torch.tensor(input_lengths),
        torch.tensor(target_lengths),
        blank,
        reduction,
        zero_infinity,
    )
    draw log_probs=w[6,2,4] targets=l[2,2]{1..3} input_lengths=<6,5> target_lengths=<2,1> blank=0
        reduction=0..2
    peers gradient: wrong beside the rows that count
    others not finite

aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor
    payload
    x = torch.ops.prim.require_floating(self, "aten::mse_loss")
    return torch.ops.prim.reduce_loss(torch.ops.prim.squared_error(x, target), reduction)
    peers gradient: divides by the number of elements before broadcasting

aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor
    payload
    x = torch.ops.prim.require_floating(self, "aten::smooth_l1_loss")
    legal = torch.ops.prim.positive("aten::smooth_l1_loss", beta, True)
    return torch.ops.prim.reduce_loss(torch.ops.prim.smooth_error(x, target, legal), reduction)
    peers gradient: divides by the number of elements before broadcasting

aten::huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor
    payload
    x = torch.ops.prim.require_floating(self, "aten::huber_loss")
    legal = torch.ops.prim.positive("aten::huber_loss", delta, False)
    error = torch.ops.prim.huber_error(x, target, legal)
    return torch.ops.prim.reduce_loss(error.type_as(x), reduction)
    peers gradient: divides by the number of elements before broadcasting

aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None,
                           int reduction=1) -> Tensor
    payload
    x = torch.ops.prim.require_floating(self, "aten::binary_cross_entropy")
    if not bool((x >= 0).logical_and(x <= 1).all()):
        raise RuntimeError("all elements of input should be between 0 and 1")
    wanted = torch.ops.prim.of_one_dtype(target, x, "aten::binary_cross_entropy")
    each = torch.ops.prim.affine(torch.ops.prim.cross_entropy_error(x, wanted), weight, None)
    return torch.ops.prim.reduce_loss(each.type_as(x), reduction)

aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None,
                                       Tensor? pos_weight=None, int reduction=1) -> Tensor
    payload
    x = torch.ops.prim.require_floating(self, "aten::binary_cross_entropy_with_logits")
    wanted = torch.ops.prim.require_floating(target, "aten::binary_cross_entropy_with_logits")
    plain = torch.ops.prim.logits_error(x.expand_as(wanted), wanted, pos_weight)
    each = torch.ops.prim.affine(plain, weight, None).expand_as(wanted)
    return torch.ops.prim.reduce_loss(each.type_as(wanted), reduction)
    others not finite

aten::kl_div(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor
    payload
    x = torch.ops.prim.require_floating(self, "aten::kl_div")
    t = torch.ops.prim.require_floating(target, "aten::kl_div")
    each = t.exp() * (t - x) if log_target else t.xlogy(t) - t * x
    return torch.ops.prim.reduce_loss(each, reduction)

aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1,
               int ignore_index=-100) -> Tensor
    payload
    x = torch.ops.prim.classes_checked(self, target, weight)
    dim = torch.ops.prim.class_dim(x)
    ignored = target == ignore_index
    classes = target.masked_fill(ignored, 0)
    negative = -x.gather(dim, classes.unsqueeze(dim)).squeeze(dim)
    shares = torch.ops.prim.class_shares(classes, weight, negative)
    losses = (negative * shares).masked_fill(ignored, 0)
    if reduction == 1:
        return losses.sum() / shares.masked_fill(ignored, 0).sum()
    return torch.ops.prim.reduce_loss(losses, reduction)

# What each target counts for.
prim::class_shares(Tensor classes, Tensor? weight, Tensor like) -> Tensor
    if weight is not None:
        return weight[classes]
    return torch.ones_like(like)

aten::nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=1,
                  int ignore_index=-100) -> Tensor
    payload
    return torch.ops.aten.nll_loss(self, target, weight, reduction, ignore_index)

aten::nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int reduction=1,
                 int ignore_index=-100) -> Tensor
    return torch.ops.aten.nll_loss(self, target, weight, reduction, ignore_index)
    draw self=w[B,C,H,W] target=l[B,H,W]{0..C-1} weight=?=[C] reduction=0..2 C=1..5 B=1..2

# The loss of a target that is equally every class, over what the hard targets count for.
prim::smoothed_loss(Tensor self, Tensor target, Tensor? weight, int reduction,
                    int ignore_index) -> Tensor
    x = torch.ops.prim.classes_checked(self, target, weight)
    dim = torch.ops.prim.class_dim(x)
    ignored = target == ignore_index
    classes = target.masked_fill(ignored, 0)
    each = x.gather(dim, classes.unsqueeze(dim)).squeeze(dim)
    counted = torch.ops.prim.class_shares(classes, weight, each).masked_fill(ignored, 0)
    columns = torch.ops.prim.affine(-x.transpose(dim, -1), weight, None).transpose(dim, -1)
    masked = columns.sum([dim]).masked_fill(ignored, 0)
    if reduction == 1:
        return masked.sum() / counted.sum()
    return torch.ops.prim.reduce_loss(masked, reduction)

prim::reduce_probabilities(Tensor each, Tensor self, int reduction) -> Tensor
    if reduction == 1:
        return each.sum() / torch.ops.prim.target_count(self)
    return torch.ops.prim.reduce_loss(each, reduction)

aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1,
                         int ignore_index=-100, float label_smoothing=0.) -> Tensor
    payload
    smoothing = torch.ops.prim.smoothing(label_smoothing)
    keep = 1 - smoothing
    at = torch.ops.prim.class_dim(self)
    logs = self.log_softmax(at)
    dense = torch.ops.prim.soft_targets(self, target, weight, ignore_index)
    share = smoothing / torch.ops.prim.class_count(self)
    if dense:
        soft = (target * keep + share).transpose(at, -1)
        weighed = torch.ops.prim.affine(-logs.transpose(at, -1), weight, None)
        columns = (weighed * soft).transpose(at, -1)
        return torch.ops.prim.reduce_probabilities(columns.sum([at]), self, reduction)
    hard = torch.ops.aten.nll_loss_nd(logs, target, weight, reduction, ignore_index)
    if smoothing == 0:
        return hard
    uniform = torch.ops.prim.smoothed_loss(logs, target, weight, reduction, ignore_index)
    return hard * keep + uniform * share

# Of operators in C++.
prim::squared_error
    gradient self: grad * ((self - target) * 2)
    gradient target: grad * ((target - self) * 2)
prim::smooth_error
    gradient self:
        d = self - target
        return grad * torch.where(d.abs() >= beta, d.sgn(), d / beta)
    gradient target:
        d = self - target
        return -grad * torch.where(d.abs() >= beta, d.sgn(), d / beta)
prim::huber_error
    gradient self:
        d = self - target
        return grad * torch.where(d.abs() > delta, d.sgn() * delta, d)
    gradient target:
        d = self - target
        return -grad * torch.where(d.abs() > delta, d.sgn() * delta, d)
prim::cross_entropy_error
    gradient self: grad * (self - target) / ((1 - self) * self).clamp_min(1e-12)
    gradient target: grad * (torch.log(1 - self) - torch.log(self))
prim::logits_error
    gradient self:
        p = torch.sigmoid(self)
        if pos_weight is None:
            return grad * (p - target)
        t = pos_weight * target
        return grad * ((t + 1 - target) * p - t)
    gradient target:
        if pos_weight is None:
            return grad * -self
        return grad * ((1 - pos_weight) * torch.nn.functional.logsigmoid(self) - self)
prim::classes_checked
    gradient self: grad
    gradient weight: none
prim::of_one_dtype
    gradient self: grad
    gradient other: none
