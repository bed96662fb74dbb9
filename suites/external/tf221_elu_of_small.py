"""TensorFlow 2.21.0, CPU: elu and selu of small negative numbers lose their digits. Silent.

Found by: values by hand, each operator against plain math. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([-1e-3, -1e-8], tf.float32)
got = tf.nn.elu(x).numpy()
expected = np.expm1(x.numpy().astype("float64"))
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.allclose(got, expected, 1e-5, 0, equal_nan=True) else 77)
