# torch.nn.init: initial values in place. The distributions are PyTorch's, the random numbers are
# not.
import math

import torch


def uniform_(tensor, a: float = 0.0, b: float = 1.0):
    return tensor.uniform_(a, b)


def normal_(tensor, mean: float = 0.0, std: float = 1.0):
    return tensor.normal_(mean, std)


def constant_(tensor, val: float):
    return tensor.fill_(val)


def ones_(tensor):
    return tensor.fill_(1.0)


def zeros_(tensor):
    return tensor.fill_(0.0)


def eye_(tensor):
    tensor.fill_(0.0)
    for i in range(min(tensor.shape[0], tensor.shape[1])):
        tensor[i, i] = 1.0
    return tensor


def calculate_gain(nonlinearity: str, param: float = 0.01):
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + param**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    return 1.0


def _calculate_fan_in_and_fan_out(tensor):
    if len(tensor.shape) < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    field = 1
    for size in tensor.shape[2:]:
        field = field * size
    return tensor.shape[1] * field, tensor.shape[0] * field


def xavier_uniform_(tensor, gain: float = 1.0):
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    bound = gain * math.sqrt(6.0 / (fan_in + fan_out))
    return tensor.uniform_(-bound, bound)


def xavier_normal_(tensor, gain: float = 1.0):
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return tensor.normal_(0.0, gain * math.sqrt(2.0 / (fan_in + fan_out)))


def kaiming_uniform_(
    tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
):
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    fan = fan_in if mode == "fan_in" else fan_out
    bound = math.sqrt(3.0) * calculate_gain(nonlinearity, a) / math.sqrt(fan)
    return tensor.uniform_(-bound, bound)


def kaiming_normal_(tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"):
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    fan = fan_in if mode == "fan_in" else fan_out
    return tensor.normal_(0.0, calculate_gain(nonlinearity, a) / math.sqrt(fan))


# The rows, or the columns where these are fewer, become orthogonal one after the other.
def orthogonal_(tensor, gain: float = 1.0):
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    lines = torch.empty(min(rows, columns), max(rows, columns)).normal_(0.0, 1.0)
    for i in range(min(rows, columns)):
        line = lines[i]
        for j in range(2 * i):  # twice: one pass leaves rounding errors
            line = line - lines[j % i] * (line * lines[j % i]).sum()
        lines[i] = line / line.norm()
    tensor.copy_((lines if rows <= columns else lines.t()).reshape(tensor.shape) * gain)
    return tensor


# By Winitzki's formula, refined by Newton's steps.
def _erfinv(x):
    log = torch.log((1.0 - x * x).clamp(min=1e-30))
    t = 2.0 / (math.pi * 0.147) + log / 2
    y = torch.sign(x) * torch.sqrt(torch.sqrt(t * t - log / 0.147) - t)
    for i in range(3):
        y = y - (torch.erf(y) - x) / (2.0 / math.sqrt(math.pi) * torch.exp(-y * y))
    return y


def trunc_normal_(tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0):
    low = math.erf((a - mean) / std / math.sqrt(2.0))
    high = math.erf((b - mean) / std / math.sqrt(2.0))
    tensor.uniform_(low, high)
    tensor.copy_((_erfinv(tensor) * (std * math.sqrt(2.0)) + mean).clamp(a, b))
    return tensor
