"""ONNX Runtime 1.32.0, CPU: Relu and Clip of int32, one behind the other, are refused by
ORT_ENABLE_BASIC. microsoft/onnxruntime#11836.

Found by: fusillade fuzz --plan ort:basic --seed 5; blame: basic (FuseReluClip). Exits 77 while it
lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
    g (int32[2] x) => (int32[2] y)
  <int32 low = {0}> { r = Relu (x) y = Clip (r, low) }""").SerializeToString()
options, x, got = ort.SessionOptions(), np.array([-1, 2], np.int32), None
options.log_severity_level, options.graph_optimization_level = (
    4,
    ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
)
try:
    got = ort.InferenceSession(model, options).run(None, {"x": x})[0].tolist()
except Exception as e:
    got = f"{type(e).__name__}: {e}"
print(f"onnxruntime {ort.__version__}: expected [0, 2], got {got}")
sys.exit(77 if got != [0, 2] else 0)
