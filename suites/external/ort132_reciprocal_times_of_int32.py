"""ONNX Runtime 1.32.0, CPU: 1 / x * z of integers becomes z / x. Silent.

Found by: graphs written by hand for its fusions; blame: basic (DivMulFusion). Exits 77 while it
lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
    g (int32[2] x, int32[2] z) => (int32[2] y)
  <int32 one = {1}> { r = Div (one, x) y = Mul (r, z) }""").SerializeToString()


def run(level):
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    return ort.InferenceSession(model, options).run(None, feeds)[0]


feeds = {"x": np.array([2, 3], "int32"), "z": np.array([10, 20], "int32")}
expected = run(ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
got = run(ort.GraphOptimizationLevel.ORT_ENABLE_BASIC)
print(f"onnxruntime {ort.__version__}: expected {expected.tolist()}, got {got.tolist()}")
sys.exit(0 if np.allclose(expected, got) else 77)
