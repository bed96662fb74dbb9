"""TensorFlow 2.21.0, CPU: bessel_i0 and bessel_i1 of 89 to 91 are inf. Silent.

Found by: values by hand, each operator against plain math. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([89.0, 91.0], tf.float32)
got = tf.math.special.bessel_i0(x).numpy()
expected = [1.9012419e37, 1.3892225e38]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.allclose(got, expected, 1e-4, 0, equal_nan=True) else 77)
