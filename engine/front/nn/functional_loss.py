# torch.nn.functional: losses; see functional.py. What reduces them is one of ATen's numbers.
import math
from typing import Optional

import torch
from torch import Tensor


# What old programs said by two flags.
def _reduction_name(reduction: str, size_average: Optional[bool], reduce: Optional[bool]) -> str:
    if size_average is None and reduce is None:
        return reduction
    if reduce is not None and not reduce:
        return "none"
    return "mean" if size_average is None or size_average else "sum"


# ATen's number of a reduction.
def _reduction(
    reduction: str, size_average: Optional[bool] = None, reduce: Optional[bool] = None
) -> int:
    name = _reduction_name(reduction, size_average, reduce)
    if name == "none":
        return 0
    if name == "mean":
        return 1
    if name == "sum":
        return 2
    raise ValueError(f"the reduction of a loss is 'none', 'mean' or 'sum', given '{name}'")


def _reduce(loss: Tensor, reduction: str) -> Tensor:
    kind = _reduction(reduction)
    if kind == 0:
        return loss
    return loss.mean() if kind == 1 else loss.sum()


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Optional[Tensor] = None,
    size_average: Optional[bool] = None,
    ignore_index: int = -100,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    return torch.cross_entropy_loss(
        input,
        target,
        weight,
        _reduction(reduction, size_average, reduce),
        ignore_index,
        label_smoothing,
    )


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Optional[Tensor] = None,
    size_average: Optional[bool] = None,
    ignore_index: int = -100,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    return torch.nll_loss_nd(
        input, target, weight, _reduction(reduction, size_average, reduce), ignore_index
    )


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    return torch.mse_loss(input, target, _reduction(reduction, size_average, reduce))


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    return torch.l1_loss(input, target, _reduction(reduction, size_average, reduce))


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    return torch.smooth_l1_loss(input, target, _reduction(reduction, size_average, reduce), beta)


def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
) -> Tensor:
    return torch.huber_loss(input, target, _reduction(reduction), delta)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: Optional[bool] = None,
    eps: float = 1e-8,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    return torch.poisson_nll_loss(
        input, target, log_input, full, eps, _reduction(reduction, size_average, reduce)
    )


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    return torch.margin_ranking_loss(
        input1, input2, target, margin, _reduction(reduction, size_average, reduce)
    )


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    return torch.hinge_embedding_loss(
        input, target, margin, _reduction(reduction, size_average, reduce)
    )


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    return torch.soft_margin_loss(input, target, _reduction(reduction, size_average, reduce))


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    return torch.triplet_margin_loss(
        anchor,
        positive,
        negative,
        margin,
        p,
        eps,
        swap,
        _reduction(reduction, size_average, reduce),
    )


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    return torch.cosine_embedding_loss(
        input1, input2, target, margin, _reduction(reduction, size_average, reduce)
    )


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    return torch.multilabel_margin_loss(input, target, _reduction(reduction, size_average, reduce))


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: number = 1,
    margin: number = 1.0,
    weight: Optional[Tensor] = None,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    return torch.multi_margin_loss(
        input, target, p, margin, weight, _reduction(reduction, size_average, reduce)
    )


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Optional[Tensor] = None,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    kind = _reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}) is deprecated. Please ensure they have the same size."
        )
    return torch.ops.aten.binary_cross_entropy(input, target, weight, kind)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Optional[Tensor] = None,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
    pos_weight: Optional[Tensor] = None,
) -> Tensor:
    kind = _reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Target size ({target.size()}) must be the same as input size ({input.size()})"
        )
    return torch.ops.aten.binary_cross_entropy_with_logits(input, target, weight, pos_weight, kind)


def _kl_div_of_rows(
    input: Tensor,
    target: Tensor,
    size_average: Optional[bool],
    reduce: Optional[bool],
    reduction: str,
    log_target: bool,
) -> Tensor:
    terms = torch.kl_div(input, target, 0, log_target=log_target)
    name = _reduction_name(reduction, size_average, reduce)
    if name == "batchmean":
        return terms.sum() / input.shape[0]
    return _reduce(terms, name)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    return (
        _kl_div_of_rows(input, target, size_average, reduce, reduction, log_target)
        if reduction == "batchmean"
        else torch.kl_div(
            input, target, _reduction(reduction, size_average, reduce), log_target=log_target
        )
    )


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    spread = var.clamp_min(eps)
    loss = 0.5 * (spread.log() + (input - target).pow(2) / spread)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return _reduce(loss, reduction)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Optional[Tensor] = None,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    terms = -(target * torch.log_sigmoid(input) + (1 - target) * torch.log_sigmoid(-input))
    if weight is not None:
        terms = terms * weight
    return _reduce(terms.mean([-1]), _reduction_name(reduction, size_average, reduce))


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    kind = _reduction(reduction)
    return torch.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, kind, zero_infinity
    )
