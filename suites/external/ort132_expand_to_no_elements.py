"""ONNX Runtime 1.32.0, CPU: an Expand to a size of 0 between two nodes is removed by
ORT_ENABLE_BASIC. Silent.

Found by: fusillade fuzz --plan ort:eager --plan ort:all --seed 12; blame: basic
(ExpandElimination). Exits 77 while it lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
  g (float[1, 3] x) => (float[0, 3] y) {
  s = Constant <value = int64[2] {0, 3}> () a = Neg (x) b = Expand (a, s) y = Neg (b)
}""").SerializeToString()
options = ort.SessionOptions()
options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
got = ort.InferenceSession(model, options).run(None, {"x": np.ones((1, 3), np.float32)})[0].shape
print(f"onnxruntime {ort.__version__}: expected sizes (0, 3), got {got}")
wrong = got != (0, 3)
sys.exit(77 if wrong else 0)
