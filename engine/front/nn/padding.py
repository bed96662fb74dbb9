# Borders around the last dims: (left, right), (left, right, top, bottom), or one number for all
# sides.
import torch
import torch.nn as nn


class _Pad(nn.Module):
    __constants__ = ["padding", "value"]

    def setup(self, sides, padding):
        self.padding = (padding,) * sides if isinstance(padding, int) else tuple(padding)


class _ConstantPad(_Pad):
    def forward(self, input):
        return torch.ops.aten.pad(input, self.padding, "constant", self.value)


class _ReflectionPad(_Pad):
    def forward(self, input):
        return torch.ops.aten.pad(input, self.padding, "reflect", None)


class _ReplicationPad(_Pad):
    def forward(self, input):
        return torch.ops.aten.pad(input, self.padding, "replicate", None)


class _CircularPad(_Pad):
    def forward(self, input):
        return torch.ops.aten.pad(input, self.padding, "circular", None)


class ConstantPad1d(_ConstantPad):
    def __init__(self, padding, value):
        super().__init__()
        self.setup(2, padding)
        self.value = float(value)


class ConstantPad2d(_ConstantPad):
    def __init__(self, padding, value):
        super().__init__()
        self.setup(4, padding)
        self.value = float(value)


class ConstantPad3d(_ConstantPad):
    def __init__(self, padding, value):
        super().__init__()
        self.setup(6, padding)
        self.value = float(value)


class ZeroPad1d(_ConstantPad):
    def __init__(self, padding):
        super().__init__()
        self.setup(2, padding)
        self.value = 0.0


class ZeroPad2d(_ConstantPad):
    def __init__(self, padding):
        super().__init__()
        self.setup(4, padding)
        self.value = 0.0


class ZeroPad3d(_ConstantPad):
    def __init__(self, padding):
        super().__init__()
        self.setup(6, padding)
        self.value = 0.0


class ReflectionPad1d(_ReflectionPad):
    def __init__(self, padding):
        super().__init__()
        self.setup(2, padding)


class ReflectionPad2d(_ReflectionPad):
    def __init__(self, padding):
        super().__init__()
        self.setup(4, padding)


class ReflectionPad3d(_ReflectionPad):
    def __init__(self, padding):
        super().__init__()
        self.setup(6, padding)


class ReplicationPad1d(_ReplicationPad):
    def __init__(self, padding):
        super().__init__()
        self.setup(2, padding)


class ReplicationPad2d(_ReplicationPad):
    def __init__(self, padding):
        super().__init__()
        self.setup(4, padding)


class ReplicationPad3d(_ReplicationPad):
    def __init__(self, padding):
        super().__init__()
        self.setup(6, padding)


class CircularPad1d(_CircularPad):
    def __init__(self, padding):
        super().__init__()
        self.setup(2, padding)


class CircularPad2d(_CircularPad):
    def __init__(self, padding):
        super().__init__()
        self.setup(4, padding)


class CircularPad3d(_CircularPad):
    def __init__(self, padding):
        super().__init__()
        self.setup(6, padding)
