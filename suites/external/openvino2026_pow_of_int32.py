"""OpenVINO 2026.4.1, CPU: Pow of int32 computes in float32. Silent.

Found by: values by hand, beside `fuzz --plan openvino:eager`. Exits 77 while it lives.
"""

import sys

import numpy as np
import openvino as ov
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (int32[1] x, int32[1] y) => (int32[1] z) { z = Pow (x, y) }"""
)
options = {"INFERENCE_PRECISION_HINT": "f32"}
compiled = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU", options)
x = np.array([3], "int32")
y = np.array([17], "int32")
expected = x**y
got = compiled({"x": x, "y": y})[0]
print(f"openvino {ov.__version__}: expected {expected}, got {got}")
wrong = not np.array_equal(got, expected)
sys.exit(77 if wrong else 0)
