"""LiteRT 2.3.0, converter: softplus becomes log(exp(x) + 1), which overflows. Silent.

Found by: values by hand, each operator against eager mode. Exits 77 while it lives.
"""

import sys

import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter, OpResolverType

x = np.array([100.0], "float32")
run = tf.function(lambda x: tf.nn.softplus(x), input_signature=[tf.TensorSpec(x.shape, x.dtype)])
graphs = [run.get_concrete_function()]
model = tf.lite.TFLiteConverter.from_concrete_functions(graphs, tf.Module()).convert()
lite = Interpreter(model_content=model, experimental_op_resolver_type=OpResolverType.BUILTIN)
got = lite.get_signature_runner()(x=x)["output_0"]
expected = [100]
print(f"tflite of tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.array_equal(got, expected, equal_nan=True) else 77)
