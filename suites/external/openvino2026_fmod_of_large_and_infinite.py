"""OpenVINO 2026.4.1, CPU: Mod with fmod = 1 is x - trunc(x / y) * y: 0 for 1e10 and 3, NaN for an
infinite divisor. Silent.

Found by: values by hand, beside `fuzz --plan openvino:eager`. Exits 77 while it lives.
"""

import sys

import numpy as np
import openvino as ov
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[2] x, float[2] y) => (float[2] z) { z = Mod <fmod = 1> (x, y) }"""
)
options = {"INFERENCE_PRECISION_HINT": "f32"}
compiled = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU", options)
x = np.array([1e10, 5], "float32")
y = np.array([3, np.inf], "float32")
expected = np.fmod(x, y)
got = compiled({"x": x, "y": y})[0]
print(f"openvino {ov.__version__}: expected {expected}, got {got}")
wrong = not np.array_equal(got, expected, equal_nan=True)
sys.exit(77 if wrong else 0)
