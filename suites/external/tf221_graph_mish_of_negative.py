"""TensorFlow 2.21.0, Grappler: x * tanh(softplus(x)) becomes a mish that loses its digits: 0 at
-20. Silent.

Found by: `fuzz --plan tf:graph --policy rows`. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([-12.0, -20.0], tf.float32)
got = tf.function(lambda x: x * tf.tanh(tf.nn.softplus(x)))(x).numpy()
expected = [-7.373032e-5, -4.1223072e-8]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.allclose(got, expected, 1e-4, 0, equal_nan=True) else 77)
