"""OpenVINO 2026.4.1, CPU: Pad takes its value of int32 through float32. Silent.

Found by: values by hand, beside `fuzz --plan openvino:eager`. Exits 77 while it lives.
"""

import sys

import numpy as np
import openvino as ov
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (int32[1] x) => (int32[2] y) <int64[2] p = {1, 0}, int32 v = {16777217}> {
      y = Pad (x, p, v) }"""
)
options = {"INFERENCE_PRECISION_HINT": "f32"}
compiled = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU", options)
x = np.array([5], "int32")
expected = np.pad(x, (1, 0), constant_values=16777217)
got = compiled({"x": x})[0]
print(f"openvino {ov.__version__}: expected {expected}, got {got}")
wrong = not np.array_equal(got, expected)
sys.exit(77 if wrong else 0)
