"""ONNX Runtime 1.32.0, CPU: a layer norm of float16, computed in float32, is refused when it is
fused: types are mixed up.

Found by: fusillade fuzz --plan ort:basic --seed 5; blame: basic (LayerNormFusion). Exits 77 while
it lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
    g (float16[1, 2] h, float16[2] s) => (float16[1, 2] y)
  <int64[1] axes = {1}, float two = {2}, float eps = {1}> {
  x = Cast <to = 1> (h) w = Cast <to = 1> (s) mean = ReduceMean (x, axes) away = Sub (x, mean)
  square = Pow (away, two)
  var = ReduceMean (square, axes) more = Add (var, eps) root = Sqrt (more) norm = Div (away, root)
  m = Mul (norm, w) z = Add (m, w)
  y = Cast <to = 10> (z) }""").SerializeToString()
options, got = ort.SessionOptions(), None
options.log_severity_level, options.graph_optimization_level = (
    4,
    ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
)
try:
    got = (
        ort.InferenceSession(model, options)
        .run(None, {"h": np.zeros((1, 2), np.float16), "s": np.zeros(2, np.float16)})[0]
        .tolist()
    )
except Exception as e:
    got = f"{type(e).__name__}: {e}"
print(f"onnxruntime {ort.__version__}: expected [[0.0, 0.0]], got {got}")
sys.exit(77 if got != [[0, 0]] else 0)
