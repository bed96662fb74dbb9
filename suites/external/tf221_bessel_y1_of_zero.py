"""TensorFlow 2.21.0, CPU: bessel_y1 of 0 is NaN, as bessel_y0 is not. Silent.

Found by: values by hand, each operator against plain math. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([0.0], tf.float32)
got = tf.math.special.bessel_y1(x).numpy()
expected = [-np.inf]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.array_equal(got, expected, equal_nan=True) else 77)
