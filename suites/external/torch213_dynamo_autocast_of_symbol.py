"""torch.compile, Dynamo, 2.13.0: autocast with an `enabled` that depends on a size ends in an
InternalTorchDynamoError once that size is dynamic.

Found by: fusillade fuzz --policy python --plan torch:dynamo --seed 11. Exits 77 while it lives.
"""

import sys

import torch


@torch.compile(backend="eager")
def f(x):
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=x.shape[0] > 3):
        return x @ x.t()


try:
    actual = [f(torch.ones(n, 2)).dtype for n in (2, 4, 3)]
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
expected = [torch.float32, torch.bfloat16, torch.float32]
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(77 if actual != expected else 0)
