"""TensorFlow 2.21.0, Grappler: pow by 0.5 and -0.5 become sqrt and rsqrt: NaN for -inf. Silent.

Found by: programs by hand, as Grappler rewrites them. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([-np.inf], tf.float32)
got = tf.function(lambda x: tf.pow(x, 0.5))(x).numpy()
expected = [np.inf]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.array_equal(got, expected, equal_nan=True) else 77)
