# pytorch#193966: a Transformer of a transposed input fails an assertion on its strides.
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Transformer(
            d_model=16,
            nhead=4,
            num_encoder_layers=1,
            num_decoder_layers=1,
            dim_feedforward=64,
            batch_first=True,
        )

    def forward(self, x, target):
        return self.body(x, target)
