# Batch and instance normalisation, with running statistics where these are tracked.
import torch
import torch.nn as nn
import torch.nn.functional as F


class _NormBase(nn.Module):
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device=None,
        dtype=None,
        bias=True,
    ):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = nn.Parameter(torch.ones(num_features, dtype=dtype))
        else:
            self.register_parameter("weight", None)
        if affine and bias:
            self.bias = nn.Parameter(torch.zeros(num_features, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        if track_running_stats:
            self.register_buffer("running_mean", torch.zeros(num_features, dtype=dtype))
            self.register_buffer("running_var", torch.ones(num_features, dtype=dtype))
            self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long))
        else:
            self.register_buffer("running_mean", None)
            self.register_buffer("running_var", None)
            self.register_buffer("num_batches_tracked", None)


class _BatchNorm(_NormBase):
    def forward(self, input):
        self._check_input_dim(input)
        average = 0.0
        if self.momentum is not None:
            average = self.momentum
        if self.track_running_stats:
            if self.training:
                self.num_batches_tracked.add_(1)
                if self.momentum is None:
                    average = 1.0 / float(self.num_batches_tracked)
            return F.batch_norm(
                input,
                self.running_mean,
                self.running_var,
                self.weight,
                self.bias,
                self.training,
                average,
                self.eps,
            )
        return F.batch_norm(input, None, None, self.weight, self.bias, True, average, self.eps)


class BatchNorm1d(_BatchNorm):
    def _check_input_dim(self, input):
        if input.dim() != 2 and input.dim() != 3:
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class BatchNorm3d(_BatchNorm):
    def _check_input_dim(self, input):
        if input.dim() != 5:
            raise ValueError(f"expected 5D input (got {input.dim()}D input)")


class BatchNorm2d(_BatchNorm):
    def _check_input_dim(self, input):
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.dim()}D input)")


# Each channel of each sample; an input without a batch is one sample.
class _InstanceNorm(_NormBase):
    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=False,
        track_running_stats=False,
        device=None,
        dtype=None,
        bias=True,
    ):
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias
        )

    def forward(self, input):
        if input.dim() != self._dims() + 1 and input.dim() != self._dims() + 2:
            raise ValueError(
                f"expected {self._dims() + 1}D or {self._dims() + 2}D input (got {input.dim()}D "
                "input)"
            )
        single = input.dim() == self._dims() + 1
        x = input.unsqueeze(0) if single else input
        momentum = 0.0
        if self.momentum is not None:
            momentum = self.momentum
        y = F.instance_norm(
            x,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            momentum,
            self.eps,
        )
        return y.squeeze(0) if single else y


class InstanceNorm1d(_InstanceNorm):
    def _dims(self) -> int:
        return 1


class InstanceNorm2d(_InstanceNorm):
    def _dims(self) -> int:
        return 2


class InstanceNorm3d(_InstanceNorm):
    def _dims(self) -> int:
        return 3
