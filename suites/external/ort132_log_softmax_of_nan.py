"""ONNX Runtime 1.32.0, CPU: LogSoftmax of float64 is 46.05, the logarithm of 1e20, for a number
beside a NaN. Softmax of float64, and both of float32, give NaN. Silent.

Found by: fusillade fuzz --plan ort:eager --seed 8301 --policy rows. Exits 77 while it lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (double[2] x) => (double[2] y) { y = LogSoftmax (x) }"""
)
got = ort.InferenceSession(model.SerializeToString()).run(None, {"x": np.array([0, np.nan])})[0]
print(f"onnxruntime {ort.__version__}: LogSoftmax of 0 and nan: expected nan and nan, got {got}")
sys.exit(77 if not np.isnan(got).all() else 0)
