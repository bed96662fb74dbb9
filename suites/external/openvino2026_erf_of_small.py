"""OpenVINO 2026.4.1, CPU: Erf of small numbers is 0. Silent.

Found by: values by hand, beside `fuzz --plan openvino:eager`. Exits 77 while it lives.
"""

import sys

import numpy as np
import openvino as ov
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[2] x) => (float[2] y) { y = Erf (x) }"""
)
options = {"INFERENCE_PRECISION_HINT": "f32"}
compiled = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU", options)
x = np.array([1e-8, 1e-6], "float32")
expected = x * np.float32(2 / np.pi**0.5)
got = compiled({"x": x})[0]
print(f"openvino {ov.__version__}: expected {expected}, got {got}")
wrong = not np.allclose(got, expected, rtol=1e-5, atol=0)
sys.exit(77 if wrong else 0)
