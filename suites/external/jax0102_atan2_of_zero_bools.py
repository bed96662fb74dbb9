"""jax.jit, XLA's CPU back end, 0.10.2: atan2(0, 0) is nan where the zeros are bools that it
knows: their conversion is fused with atan2, and LLVM folds it. xla#44705. Silent.

Found by: fusillade check at2.py --rand 'u8[]' --oracle compiled --plan jax:eager --plan jax:jit.
Exits 77 while it lives.
"""

import sys

import jax
from jax import lax


def f(x):
    y = lax.bitwise_xor(x != 0, x != 0).astype("float32")
    return lax.atan2(y, y)


expected, got = (run(jax.numpy.uint8(1)).item() for run in (f, jax.jit(f)))
print(f"jax {jax.__version__}: expected {expected}, got {got}")
sys.exit(0 if got == expected else 77)
