"""TensorFlow 2.21.0, CPU: erf of doubles beyond 1.3e154 is NaN. Silent.

Found by: `fuzz --plan tf:eager --policy rows`. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([1e200, -np.inf], tf.float64)
got = tf.math.erf(x).numpy()
expected = [1, -1]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.array_equal(got, expected, equal_nan=True) else 77)
