"""LiteRT 2.3.0, every kernel: floordiv of floats by 0 raises.

Found by: values by hand, each operator against eager mode. Exits 77 while it lives.
"""

import sys

import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter, OpResolverType

x = np.array([1.0, 0.0], "float32")
run = tf.function(
    lambda x: tf.math.floordiv(x, x), input_signature=[tf.TensorSpec(x.shape, x.dtype)]
)
graphs = [run.get_concrete_function()]
model = tf.lite.TFLiteConverter.from_concrete_functions(graphs, tf.Module()).convert()
lite = Interpreter(model_content=model, experimental_op_resolver_type=OpResolverType.BUILTIN)
got = None
try:
    lite.get_signature_runner()(x=x)
except RuntimeError as e:
    got = e
print(f"tflite of tensorflow {tf.__version__}: expected None, got {got}")
sys.exit(77 if got else 0)
