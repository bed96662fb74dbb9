"""TensorFlow 2.21.0, CPU: softmax beside a NaN is 0, by oneDNN. Silent.

Found by: `fuzz --plan tf:eager --policy rows`. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([[1.0, np.nan, 2.0]], tf.float32)
got = tf.nn.softmax(x).numpy()
expected = [[np.nan] * 3]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.array_equal(got, expected, equal_nan=True) else 77)
