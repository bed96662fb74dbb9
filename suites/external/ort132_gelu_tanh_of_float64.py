"""ONNX Runtime 1.32.0, CPU: Gelu by tanh of float64 has 8 digits. Silent.

Found by: values by hand, each operator against NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (double[2] x) => (double[2] y) { y = Gelu <approximate = "tanh"> (x) }"""
)
x = np.array([1, -2], "float64")
expected = x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
got = ort.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
print(f"onnxruntime {ort.__version__}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got, expected, rtol=1e-10, atol=0) else 0)
