# Dropout: random zeros in training, nothing in eval mode.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Dropout(nn.Module):
    __constants__ = ["p", "inplace"]

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError("dropout probability has to be between 0 and 1, but got", p)
        self.p = float(p)
        self.inplace = inplace

    def forward(self, input):
        if self.inplace:
            return torch.ops.aten.dropout_(input, self.p, self.training)
        return torch.ops.aten.dropout(input, self.p, self.training)


class Dropout2d(Dropout):
    def forward(self, input):
        if self.inplace:
            return torch.ops.aten.feature_dropout_(input, self.p, self.training)
        return torch.ops.aten.feature_dropout(input, self.p, self.training)


class Dropout1d(Dropout):
    def forward(self, input):
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout3d(Dropout):
    def forward(self, input):
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(Dropout):
    def forward(self, input):
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(Dropout):
    def forward(self, input):
        return F.feature_alpha_dropout(input, self.p, self.training)
