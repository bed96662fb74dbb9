"""OpenVINO 2026.4.1, CPU: GreaterOrEqual is True beside NaN. Silent.

Found by: values by hand, beside `fuzz --plan openvino:eager`. Exits 77 while it lives.
"""

import sys

import numpy as np
import openvino as ov
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[3] x, float[3] y) => (bool[3] z) { z = GreaterOrEqual (x, y) }"""
)
options = {"INFERENCE_PRECISION_HINT": "f32"}
compiled = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU", options)
x = np.array([np.nan, 0, 1], "float32")
y = np.array([1, 1, np.nan], "float32")
expected = x >= y
got = compiled({"x": x, "y": y})[0]
print(f"openvino {ov.__version__}: expected {expected}, got {got}")
wrong = not np.array_equal(got, expected)
sys.exit(77 if wrong else 0)
