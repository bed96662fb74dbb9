# Normalisation of each channel of each sample; an input without a batch is one sample.
import torch
import torch.nn as nn


class _InstanceNorm(nn.Module):
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine", "dims"]

    def setup(self, dims, num_features, eps, momentum, affine, track_running_stats, dtype):
        self.dims = dims
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

    # Running statistics take the mean over the samples of what each sample's channel has.
    def _track(self, x):
        mean, var = self.running_mean, self.running_var
        if mean is not None and var is not None:
            items = x.flatten(2)
            mean.mul_(1 - self.momentum).add_(items.mean([2]).mean([0]) * self.momentum)
            var.mul_(1 - self.momentum).add_(items.var([2], unbiased=True).mean([0]) * self.momentum)

    def forward(self, input):
        if input.dim() != self.dims + 1 and input.dim() != self.dims + 2:
            raise ValueError(f"expected {self.dims + 1}D or {self.dims + 2}D input (got {input.dim()}D input)")
        single = input.dim() == self.dims + 1
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
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None,
                 dtype=None):
        super().__init__()
        self.setup(1, num_features, eps, momentum, affine, track_running_stats, dtype)


class InstanceNorm2d(_InstanceNorm):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None,
                 dtype=None):
        super().__init__()
        self.setup(2, num_features, eps, momentum, affine, track_running_stats, dtype)


class InstanceNorm3d(_InstanceNorm):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None,
                 dtype=None):
        super().__init__()
        self.setup(3, num_features, eps, momentum, affine, track_running_stats, dtype)
