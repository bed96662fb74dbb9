"""ONNX Runtime 1.32.0, CPU: Shrink of float64 and of integers computes in float32. Silent.

Found by: fusillade fuzz --plan ort:eager --seed 1; blame: eager (its kernel). Exits 77 while it
lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (double[2] x) => (double[2] y) { y = Shrink <lambd = 0.5> (x) }"""
)
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
x = expected = np.array([1.1, 1e300])
got = session.run(None, {"x": x})[0]
print(f"onnxruntime {ort.__version__}: expected {expected}, got {got}")
wrong = not np.array_equal(got, expected)
sys.exit(77 if wrong else 0)
