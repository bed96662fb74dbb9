"""TensorFlow 2.21.0, Grappler: two constant factors, divisors or terms are combined, which
overflow: inf for 1. Silent.

Found by: `fuzz --plan tf:graph --policy mixed`. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([1e-30, 0.0], tf.float32)
got = tf.function(lambda x: x * 1e30 * 1e30)(x).numpy()
expected = [1e30, 0]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.allclose(got, expected, 1e-5, 0, equal_nan=True) else 77)
