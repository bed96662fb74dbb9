"""OpenVINO 2026.4.1, CPU: Celu of NaN is 0, Elu of NaN is NaN. Silent.

Found by: values by hand, each operator against NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import openvino as ov
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[2] x) => (float[2] y) { y = Celu <alpha = 2.0> (x) }"""
)
x = np.array([np.nan, 1], "float32")
expected = x
options = {"INFERENCE_PRECISION_HINT": "f32"}
compiled = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU", options)
got = compiled({"x": x})[0]
print(f"openvino {ov.__version__}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got, expected, rtol=1e-2, atol=0, equal_nan=True) else 0)
