"""LiteRT 2.3.0, optimised and reference kernels: add, sub, mul, div and products of matrices give the largest finite number for infinity. Silent.

Found by: `fuzz --plan tflite:builtin --policy rows`. Exits 77 while it lives.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter, OpResolverType

x = np.array([np.inf, -np.inf], "float32")
run = tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec(x.shape, x.dtype)])
concrete = run.get_concrete_function()
model = tf.lite.TFLiteConverter.from_concrete_functions([concrete]).convert()
lite = Interpreter(
    model_content=model,
    experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
)
lite.allocate_tensors()
lite.set_tensor(lite.get_input_details()[0]["index"], x)
lite.invoke()
got = lite.get_tensor(lite.get_output_details()[0]["index"])
expected = x
print(f"tflite of tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.array_equal(got, expected, equal_nan=True) else 77)
