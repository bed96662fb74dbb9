"""ONNX 1.23.2, its reference evaluator: LRN takes the batch's size for the number of channels.
Silent.

Found by: graphs written by hand, in ONNX Runtime, OpenVINO and the reference of ONNX. Exits 77
while it lives.
"""

import sys

import numpy as np
import onnx
from onnx import parser
from onnx.reference import ReferenceEvaluator

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[1, 2, 1, 1] x) => (float[a, b, c, d] y) { y = LRN <size = 1, alpha = 0.5,
      beta = 0.7, bias = 2.0> (x) }"""
)
x = np.array([1, 2], "float32")
feeds = {"x": x.reshape(1, 2, 1, 1)}
got = ReferenceEvaluator(model).run(None, feeds)[0].ravel()
expected = x / (2 + 0.5 * x**2) ** 0.7
print(f"onnx {onnx.__version__}: expected {expected}, got {got}")
sys.exit(0 if np.allclose(got, expected) else 77)
