"""ONNX Runtime 1.32.0, CPU: ReduceSum of int64 adds in float64 and loses low bits (ReduceProd,
ReduceMean, ReduceL1, ReduceSumSquare too). Silent.

Found by: fusillade fuzz --plan ort:eager --seed 1; blame: eager (its kernel). Exits 77 while it
lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (int64[2] x) => (int64 y) { y = ReduceSum <keepdims = 0> (x) }"""
)
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
x, expected = np.array([2**53, 1]), 2**53 + 1
got = session.run(None, {"x": x})[0]
print(f"onnxruntime {ort.__version__}: expected {expected}, got {got}")
wrong = not np.array_equal(got, expected)
sys.exit(77 if wrong else 0)
