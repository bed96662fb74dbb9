"""TensorFlow 2.21.0, XLA on the CPU: igamma and igammac of (1e5, 1e5) do not add up to 1: both are
0.458. Silent.

Found by: values by hand, each operator against plain math. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([1e5], tf.float32)
got = tf.function(lambda x: tf.math.igamma(x, x), jit_compile=True)(x).numpy()
expected = [0.50042]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.allclose(got, expected, 1e-2, 0, equal_nan=True) else 77)
