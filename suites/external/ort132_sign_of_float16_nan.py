"""ONNX Runtime 1.32.0, CPU: Sign of a NaN of float16 is 0, of float32 NaN. Silent.

Found by: values by hand, each operator against NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float16[2] x) => (float16[2] y) { y = Sign (x) }"""
)
x = np.array([np.nan, -2], "float16")
expected = np.sign(x)
got = ort.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
print(f"onnxruntime {ort.__version__}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got, expected, rtol=1e-2, atol=0, equal_nan=True) else 0)
