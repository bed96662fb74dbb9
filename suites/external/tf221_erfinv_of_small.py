"""TensorFlow 2.21.0, CPU: erfinv of small numbers loses its digits. Silent.

Found by: values by hand, each operator against plain math. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([1e-8, 1e-5], tf.float32)
got = tf.math.erfinv(x).numpy()
expected = [8.862269e-9, 8.862269e-6]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.allclose(got, expected, 1e-5, 0, equal_nan=True) else 77)
