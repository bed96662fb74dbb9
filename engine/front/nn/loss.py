# Losses as modules, by the functional ops of the same names.
import torch
import torch.nn as nn
import torch.nn.functional as F


class _Loss(nn.Module):
    __constants__ = ["reduction", "reduction_number"]

    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        self.reduction = F._reduction_name(reduction, size_average, reduce)
        self.reduction_number = F._reduction(self.reduction)


class MSELoss(_Loss):
    def forward(self, input, target):
        return torch.ops.aten.mse_loss(input, target, self.reduction_number)


class L1Loss(_Loss):
    def forward(self, input, target):
        return torch.ops.aten.l1_loss(input, target, self.reduction_number)


class SmoothL1Loss(nn.Module):
    __constants__ = ["reduction", "reduction_number", "beta"]

    def __init__(self, size_average=None, reduce=None, reduction="mean", beta=1.0):
        super().__init__()
        self.reduction = F._reduction_name(reduction, size_average, reduce)
        self.reduction_number = F._reduction(self.reduction)
        self.beta = beta

    def forward(self, input, target):
        return torch.ops.aten.smooth_l1_loss(input, target, self.reduction_number, self.beta)


class HuberLoss(nn.Module):
    __constants__ = ["reduction", "reduction_number", "delta"]

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__()
        self.reduction = reduction
        self.reduction_number = F._reduction(self.reduction)
        self.delta = delta

    def forward(self, input, target):
        return torch.ops.aten.huber_loss(input, target, self.reduction_number, self.delta)


class NLLLoss(nn.Module):
    __constants__ = ["ignore_index", "reduction", "reduction_number"]

    def __init__(
        self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"
    ):
        super().__init__()
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index
        self.reduction = F._reduction_name(reduction, size_average, reduce)
        self.reduction_number = F._reduction(self.reduction)

    def forward(self, input, target):
        return torch.ops.aten.nll_loss_nd(
            input, target, self.weight, self.reduction_number, self.ignore_index
        )


class CrossEntropyLoss(nn.Module):
    __constants__ = ["ignore_index", "reduction", "reduction_number", "label_smoothing"]

    def __init__(
        self,
        weight=None,
        size_average=None,
        ignore_index=-100,
        reduce=None,
        reduction="mean",
        label_smoothing=0.0,
    ):
        super().__init__()
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.reduction = F._reduction_name(reduction, size_average, reduce)
        self.reduction_number = F._reduction(self.reduction)

    def forward(self, input, target):
        return torch.ops.aten.cross_entropy_loss(
            input,
            target,
            self.weight,
            self.reduction_number,
            self.ignore_index,
            self.label_smoothing,
        )


class BCELoss(nn.Module):
    __constants__ = ["reduction"]

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        self.register_buffer("weight", weight)
        self.reduction = F._reduction_name(reduction, size_average, reduce)

    def forward(self, input, target):
        return F.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(nn.Module):
    __constants__ = ["reduction"]

    def __init__(
        self, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
    ):
        super().__init__()
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)
        self.reduction = F._reduction_name(reduction, size_average, reduce)

    def forward(self, input, target):
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )
