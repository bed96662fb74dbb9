"""ONNX Runtime 1.32.0, CPU: means without keepdims become a layer norm.
microsoft/onnxruntime#30513. Silent.

Found by: graphs written by hand for its fusions; blame: basic (LayerNormFusion). Exits 77 while it
lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
    g (float[3, 3] x) => (float[3, 3] y)
  <float p = {2}, float e = {0.1}, float[3] s = {1, 2, 3}, float[3] b = {1, 2, 3},
   int64[1] a = {-1}>
  { m = ReduceMean <keepdims = 0> (x, a) d = Sub (x, m) q = Pow (d, p)
      v = ReduceMean <keepdims = 0> (q, a)
    w = Add (v, e) r = Sqrt (w) n = Div (d, r) t = Mul (n, s) y = Add (t, b)
      }""").SerializeToString()


def run(level):
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    return ort.InferenceSession(model, options).run(None, feeds)[0]


feeds = {"x": np.array([[1, 2, 4], [0, 3, 1], [5, 5, 0]], "float32")}
expected = run(ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
got = run(ort.GraphOptimizationLevel.ORT_ENABLE_BASIC)
print(f"onnxruntime {ort.__version__}: expected {expected.tolist()}, got {got.tolist()}")
sys.exit(0 if np.allclose(expected, got) else 77)
