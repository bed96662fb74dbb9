# Batch and instance normalisation, with running statistics where these are tracked.
import torch
import torch.nn as nn


class _NormBase(nn.Module):
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None,
                 dtype=None):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = nn.Parameter(torch.ones(num_features, dtype=dtype))
            self.bias = nn.Parameter(torch.zeros(num_features, dtype=dtype))
        else:
            self.register_parameter("weight", None)
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
            return torch.ops.aten.batch_norm(input, self.weight, self.bias, self.running_mean, self.running_var,
                                             self.training, average, self.eps, False)
        return torch.ops.aten.batch_norm(input, self.weight, self.bias, None, None, True, average, self.eps, False)


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
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None,
                 dtype=None):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)

    # Running statistics take the mean over the samples of what each sample's channel has.
    def _track(self, x):
        mean, var = self.running_mean, self.running_var
        if mean is not None and var is not None:
            items = x.flatten(2)
            mean.mul_(1 - self.momentum).add_(items.mean([2]).mean([0]) * self.momentum)
            var.mul_(1 - self.momentum).add_(items.var([2], unbiased=True).mean([0]) * self.momentum)

    def forward(self, input):
        if input.dim() != self._dims() + 1 and input.dim() != self._dims() + 2:
            raise ValueError(f"expected {self._dims() + 1}D or {self._dims() + 2}D input (got {input.dim()}D input)")
        single = input.dim() == self._dims() + 1
        x = input.unsqueeze(0) if single else input
        if self.track_running_stats and not self.training:
            y = torch.ops.aten.instance_norm(x, self.weight, self.bias, self.running_mean, self.running_var, False,
                                             self.momentum, self.eps, False)
        else:
            if self.track_running_stats:
                self._track(x)
            y = torch.ops.aten.instance_norm(x, self.weight, self.bias, None, None, True, self.momentum, self.eps, False)
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
