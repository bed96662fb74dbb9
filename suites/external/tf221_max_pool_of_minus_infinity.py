"""TensorFlow 2.21.0, CPU: max_pool of -inf is the least finite number. Silent.

Found by: `fuzz --plan tf:eager --policy rows`. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant([[[[-np.inf]]]], tf.float32)
got = tf.nn.max_pool2d(x, 1, 1, "VALID").numpy()
expected = [[[[-np.inf]]]]
print(f"tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.array_equal(got, expected, equal_nan=True) else 77)
