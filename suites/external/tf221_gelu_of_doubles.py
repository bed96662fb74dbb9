"""TensorFlow 2.21.0, CPU: gelu of doubles divides by sqrt(2) rounded to float32. Silent.

Found by: values by hand, each operator against plain math. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([1.0], tf.float64)
got = tf.nn.gelu(x).numpy()
expected = [0.8413447460685429]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.allclose(got, expected, 1e-12, 0, equal_nan=True) else 77)
