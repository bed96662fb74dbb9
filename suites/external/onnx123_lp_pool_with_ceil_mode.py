"""ONNX 1.23.2, its reference evaluator: LpPool with ceil_mode multiplies a window over the edge by
what it lacks. Silent.

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
    g (float[1, 1, 1, 4] x) => (float[a, b, c, d] y) { y = LpPool <kernel_shape = [1, 3],
      strides = [1, 2], ceil_mode = 1, p = 1> (x) }"""
)
feeds = {"x": np.ones((1, 1, 1, 4), "float32")}
got = ReferenceEvaluator(model).run(None, feeds)[0].ravel()
expected = [3, 2]
print(f"onnx {onnx.__version__}: expected {expected}, got {got}")
sys.exit(0 if np.allclose(got, expected) else 77)
