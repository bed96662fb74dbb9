"""LiteRT 2.3.0, converter of TensorFlow 2.21.0: relu and its kin after a product of two matrices
that are inputs are lost. Silent.

Found by: a program by hand, for the options of the converter. Exits 77 while it lives.
"""

import sys

import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter, OpResolverType

a, b = np.array([[1, -2], [3, 4]], "float32"), np.eye(2, dtype="float32")
specs = [tf.TensorSpec(a.shape, a.dtype)] * 2
run = tf.function(lambda a, b: tf.nn.relu(tf.matmul(a, b)), input_signature=specs)
graphs = [run.get_concrete_function()]
model = tf.lite.TFLiteConverter.from_concrete_functions(graphs, tf.Module()).convert()
lite = Interpreter(model_content=model, experimental_op_resolver_type=OpResolverType.BUILTIN)
got = lite.get_signature_runner()(a=a, b=b)["output_0"].tolist()
expected = np.maximum(a @ b, 0).tolist()
print(f"tflite of tensorflow {tf.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
