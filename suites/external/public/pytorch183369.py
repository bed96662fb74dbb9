# pytorch#183369: layer_norm of a jagged nested tensor does not compile.
# https://github.com/pytorch/pytorch/issues/183369
# Eager mode returns; the compiled function raises InternalTorchDynamoError (IndexError).
# The report's values require gradients; the offsets are the report's.
import torch
import torch.nn.functional as F

offsets = torch.tensor([0, 6, 11, 14, 20], dtype=torch.int64)


def f(v):
    nt = torch.nested.nested_tensor_from_jagged(v, offsets)
    return F.layer_norm(nt, [12]).values().sum()
