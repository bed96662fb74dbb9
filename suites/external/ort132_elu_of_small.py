"""ONNX Runtime 1.32.0, CPU: Elu, Selu and Celu of small negative float32 are 0; of float64 they
are not. Silent.

Found by: values by hand, each operator against NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[2] x) => (float[2] y) { y = Elu (x) }"""
)
x = np.array([-1e-8, -1e-5], "float32")
expected = np.expm1(x)
got = ort.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
print(f"onnxruntime {ort.__version__}: expected {expected}, got {got}")
sys.exit(77 if got[0] == 0 else 0)
