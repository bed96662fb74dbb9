"""ONNX Runtime 1.32.0, CPU: MeanVarianceNormalization of equal numbers is NaN. Silent.
microsoft/onnxruntime#10228, closed.

Found by: graphs written by hand, in ONNX Runtime,
OpenVINO and the reference of ONNX. Exits 77 while it lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[1, 1, 1, 4] x) => (float[a, b, c, d] y) { y = MeanVarianceNormalization (x) }"""
)
x = np.full((1, 1, 1, 4), 3, "float32")
expected = np.zeros(4)
got = ort.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0].ravel()
print(f"onnxruntime {ort.__version__}: expected {expected}, got {got}")
sys.exit(0 if np.allclose(got, expected) else 77)
