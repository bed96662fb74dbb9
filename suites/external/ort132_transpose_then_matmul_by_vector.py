"""ONNX Runtime 1.32.0, CPU: a transposed matrix times a vector is the matrix as it was, under
ORT_ENABLE_ALL. Silent.

Found by: fusillade fuzz --plan ort:all --seed 1504; blame: all (MatmulTransposeFusion). Exits 77
while it lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
    g (float[2, 2] x, float[2] v) => (float[2] y) {
  t = Transpose <perm = [1, 0]> (x) y = MatMul (t, v) }""").SerializeToString()
x, v = np.array([[0, 1], [0, 0]], np.float32), np.ones(2, np.float32)
got = ort.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, {"x": x, "v": v})[0]
print(f"onnxruntime {ort.__version__}: expected {x.T @ v}, got {got}")
wrong = not np.array_equal(got, x.T @ v)
sys.exit(77 if wrong else 0)
