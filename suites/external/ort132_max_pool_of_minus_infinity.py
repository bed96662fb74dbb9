"""ONNX Runtime 1.32.0, CPU: MaxPool of float32 gives -3.4e38 for -inf and for nan; of float64 it
gives -inf. Silent.

Found by: fusillade fuzz --plan ort:eager --seed 2; blame: eager (its kernel). Exits 77 while it
lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[1, 1, 2] x) => (float[1, 1, 1] y) { y = MaxPool <kernel_shape = [2]> (x) }"""
)
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
x, expected = np.full((1, 1, 2), -np.inf, np.float32), [[[-np.inf]]]
got = session.run(None, {"x": x})[0]
print(f"onnxruntime {ort.__version__}: expected {expected}, got {got}")
wrong = not np.array_equal(got, expected)
sys.exit(77 if wrong else 0)
