"""ONNX 1.23.2, its reference evaluator: LpNormalization of order 1 divides by a sum
without absolute values. Silent.

Found by: graphs written by hand, in ONNX Runtime,
OpenVINO and the reference of ONNX. Exits 77 while it lives.
"""

import sys

import numpy as np
import onnx
from onnx import parser
from onnx.reference import ReferenceEvaluator

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[2] x) => (float[2] y) { y = LpNormalization <p = 1> (x) }"""
)
feeds = {"x": np.array([1, -3], "float32")}
got = ReferenceEvaluator(model).run(None, feeds)[0].ravel()
expected = [0.25, -0.75]
print(f"onnx {onnx.__version__}: expected {expected}, got {got}")
sys.exit(0 if np.allclose(got, expected) else 77)
