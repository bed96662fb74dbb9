"""TensorFlow 2.21.0, XLA on the CPU: maximum, minimum and their reductions lose a NaN. Silent.

Found by: `fuzz --plan tf:xla --policy rows`. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([1.0, np.nan], tf.float32)
got = tf.function(tf.reduce_max, jit_compile=True)(x).numpy()
expected = np.nan
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.array_equal(got, expected, equal_nan=True) else 77)
