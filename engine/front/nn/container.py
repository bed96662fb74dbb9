# Containers: their constructors and children are the compiler's own.
import torch.nn as nn


class Sequential(nn.Module):
    def forward(self, input):
        for module in self:
            input = module(input)
        return input


class ModuleList(nn.Module):
    pass


class ModuleDict(nn.Module):
    pass


class ParameterList(nn.Module):
    pass


class ParameterDict(nn.Module):
    pass
