"""TensorFlow 2.21.0, XLA on the CPU: ndtri and erfcinv of small numbers are infinite. Silent.

Found by: values by hand, each operator against plain math. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([1e-8, 1e-20], tf.float32)
got = tf.function(tf.math.ndtri, jit_compile=True)(x).numpy()
expected = [-5.6120012, -9.2623401]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.allclose(got, expected, 1e-5, 0, equal_nan=True) else 77)
