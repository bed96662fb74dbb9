"""ONNX Runtime 1.32.0, CPU: Pow of int64 computes in float64 and loses low bits. Silent.

Found by: values written by hand, after the sums of int64. Exits 77 while it lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (int64[1] x) => (int64[1] y) {
    e = Constant <value = int64[1] {39}> () y = Pow (x, e) }"""
)
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
x, expected = np.array([3]), 3**39
got = session.run(None, {"x": x})[0]
print(f"onnxruntime {ort.__version__}: expected {expected}, got {got}")
wrong = not np.array_equal(got, expected)
sys.exit(77 if wrong else 0)
