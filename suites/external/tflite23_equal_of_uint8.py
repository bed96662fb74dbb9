"""LiteRT 2.3.0, every kernel: equal of uint8 ends the process, SIGABRT.

Found by: values by hand, each operator against eager mode. Exits 77 while it lives.
"""

import os
import sys

import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter, OpResolverType

x = np.array([1, 2], "uint8")
run = tf.function(lambda x: tf.equal(x, x), input_signature=[tf.TensorSpec(x.shape, x.dtype)])
graphs = [run.get_concrete_function()]
model = tf.lite.TFLiteConverter.from_concrete_functions(graphs, tf.Module()).convert()
lite = Interpreter(model_content=model, experimental_op_resolver_type=OpResolverType.BUILTIN)
child = os.fork()
got = child or lite.get_signature_runner()(x=x)
got = os.waitpid(child, 0)[1] if child else os._exit(0)
print(f"tflite of tensorflow {tf.__version__}: expected 0, got {got}")
sys.exit(77 if got else 0)
