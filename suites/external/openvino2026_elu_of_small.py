"""OpenVINO 2026.4.1, CPU: Elu and its kin of small negative numbers are 0. Silent.

Found by: values by hand, each operator against NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import openvino as ov
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[2] x) => (float[2] y) { y = Elu (x) }"""
)
x = np.array([-1e-8, -1e-5], "float32")
expected = np.expm1(x)
options = {"INFERENCE_PRECISION_HINT": "f32"}
compiled = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU", options)
got = compiled({"x": x})[0]
print(f"openvino {ov.__version__}: expected {expected}, got {got}")
sys.exit(77 if got[0] == 0 else 0)
