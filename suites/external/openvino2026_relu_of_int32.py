"""OpenVINO 2026.4.1, CPU: Relu of int32 computes in float32. Silent.

Found by: values by hand, each operator against NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import openvino as ov
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (int32[2] x) => (int32[2] y) { y = Relu (x) }"""
)
x = np.array([2**24 + 1, 2**31 - 1], "int32")
expected = np.maximum(x, 0)
options = {"INFERENCE_PRECISION_HINT": "f32"}
compiled = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU", options)
got = compiled({"x": x})[0]
print(f"openvino {ov.__version__}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected) else 0)
