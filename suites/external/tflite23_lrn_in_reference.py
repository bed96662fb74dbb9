"""LiteRT 2.3.0, reference kernels: local_response_normalization leaves out the last neighbour.
Silent.

Found by: values by hand, each operator against eager mode. Exits 77 while it lives.
"""

import sys

import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter, OpResolverType

x = np.array([[[[1.0, 2, 3]]]], "float32")
run = tf.function(
    lambda x: tf.nn.local_response_normalization(x, 1),
    input_signature=[tf.TensorSpec(x.shape, x.dtype)],
)
graphs = [run.get_concrete_function()]
model = tf.lite.TFLiteConverter.from_concrete_functions(graphs, tf.Module()).convert()
lite = Interpreter(model_content=model, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
got = lite.get_signature_runner()(x=x)["output_0"]
expected = [[[[0.40824828, 0.51639777, 0.80178374]]]]
print(f"tflite of tensorflow {tf.__version__}: expected {expected}, got {got.tolist()}")
sys.exit(0 if np.allclose(got, expected, 1e-5, 0, equal_nan=True) else 77)
