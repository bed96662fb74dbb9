"""TensorFlow 2.21.0, XLA on the CPU: a factor moves through a product of matrices to a constant,
which overflows. Silent.

Found by: programs by hand, as Grappler rewrites them. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([[1e-30]], tf.float32)
got = tf.function(lambda x: tf.matmul(x * 1e30, [[1e30]]), jit_compile=True)(x).numpy()
expected = [[1e30]]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.allclose(got, expected, 1e-5, 0, equal_nan=True) else 77)
