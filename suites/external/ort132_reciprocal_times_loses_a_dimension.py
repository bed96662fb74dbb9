"""ONNX Runtime 1.32.0, CPU: 1 / x * z with a one of shape [1, 1] loses a dimension. Silent.

Found by: graphs written by hand for its fusions; blame: basic (DivMulFusion). Exits 77 while it
lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
    g (float[2] x, float[2] z) => (float[1, 2] y)
  <float[1, 1] one = {1}> { r = Div (one, x) y = Mul (r, z) }""").SerializeToString()


def run(level):
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    return ort.InferenceSession(model, options).run(None, feeds)[0]


feeds = {"x": np.ones(2, "float32"), "z": np.ones(2, "float32")}
expected = run(ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
got = run(ort.GraphOptimizationLevel.ORT_ENABLE_BASIC)
print(f"onnxruntime {ort.__version__}: expected {expected.tolist()}, got {got.tolist()}")
sys.exit(0 if expected.shape == got.shape else 77)
