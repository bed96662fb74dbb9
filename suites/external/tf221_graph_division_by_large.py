"""TensorFlow 2.21.0, Grappler: a division by a large constant multiplies by its reciprocal, which
is taken for 0. Silent.

Found by: programs by hand, as Grappler rewrites them. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([3e38], tf.float32)
got = tf.function(lambda x: x / 3e38)(x).numpy()
expected = [1]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.allclose(got, expected, 1e-5, 0, equal_nan=True) else 77)
