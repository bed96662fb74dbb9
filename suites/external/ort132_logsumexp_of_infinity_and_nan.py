"""ONNX Runtime 1.32.0, CPU: ReduceLogSumExp of inf and nan is inf, not nan. Silent.

Found by: fusillade fuzz --plan ort:eager --seed 2; blame: eager (its kernel). Exits 77 while it
lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[2] x) => (float y) { y = ReduceLogSumExp <keepdims = 0> (x) }"""
)
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
x, expected = np.array([np.inf, np.nan], np.float32), np.nan
got = session.run(None, {"x": x})[0]
print(f"onnxruntime {ort.__version__}: expected {expected}, got {got}")
wrong = not np.isnan(got)
sys.exit(77 if wrong else 0)
