"""ONNX Runtime 1.32.0, CPU: (x * 0.1) @ y is inf for 6e37 under ORT_ENABLE_ALL: the factor is
applied to the product, which overflows. Silent.

Found by: fusillade fuzz --policy peers --plan ort:all --seed 425; blame: all (MatMulScaleFusion).
Exits 77 while it lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
    g (float[1, 1] x, float[1, 1] y) => (float[1, 1] z) <float c = {0.1}> {
  s = Mul (x, c) z = MatMul (s, y) }""").SerializeToString()
x, y = np.array([[3e38]], np.float32), np.array([[2]], np.float32)
got = ort.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, {"x": x, "y": y})[0]
expected = (x * np.float32(0.1)) @ y
print(f"onnxruntime {ort.__version__}: expected {expected}, got {got}")
sys.exit(0 if np.isfinite(got).all() else 77)
