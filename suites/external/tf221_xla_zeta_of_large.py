"""TensorFlow 2.21.0, XLA on the CPU: zeta of large arguments, and polygamma of infinity, are NaN.
Silent.

Found by: values by hand, each operator against plain math. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([1e30], tf.float32)
got = tf.function(lambda x: tf.math.zeta(x, 2.0), jit_compile=True)(x).numpy()
expected = [0]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.array_equal(got, expected, equal_nan=True) else 77)
