"""TensorFlow 2.21.0, CPU: igamma of large numbers is beyond 1: 1.31 for (1e6, 1e6). Silent.

Found by: values by hand, each operator against plain math. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([1e6], tf.float32)
got = tf.math.igamma(x, x).numpy()
expected = [0.500133]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.allclose(got, expected, 1e-2, 0, equal_nan=True) else 77)
