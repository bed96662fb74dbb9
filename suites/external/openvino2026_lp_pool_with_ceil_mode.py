"""OpenVINO 2026.4.1, CPU: LpPool with ceil_mode multiplies a window over the edge by what it lacks.
Silent.

Found by: graphs written by hand, in ONNX Runtime, OpenVINO and the reference of ONNX. Exits 77
while it lives.
"""

import sys

import numpy as np
import openvino as ov
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[1, 1, 1, 4] x) => (float[a, b, c, d] y) { y = LpPool <kernel_shape = [1, 3],
      strides = [1, 2], ceil_mode = 1, p = 1> (x) }"""
)
options = {"INFERENCE_PRECISION_HINT": "f32"}
compiled = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU", options)
x = np.ones((1, 1, 1, 4), "float32")
expected = np.array([[[[3, 2]]]])
got = compiled({"x": x})[0]
print(f"openvino {ov.__version__}: expected {expected.ravel()[:4]} of {expected.shape}", end=", ")
print(f"got {got.ravel()[:4]} of {got.shape}")
sys.exit(0 if got.shape == expected.shape and np.allclose(got, expected, atol=1e-3) else 77)
