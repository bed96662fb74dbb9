"""A write in place between two chains of element-wise ops, for docs/inside/optimisation.md."""


def in_place(x, y):
    a = torch.tanh(x * 2.0)
    a += y
    return torch.sigmoid(a) * y
