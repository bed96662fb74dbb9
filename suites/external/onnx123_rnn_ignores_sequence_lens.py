"""ONNX 1.23.2, its reference evaluator: RNN, GRU and LSTM ignore sequence_lens. Silent.

Found by: graphs written by hand, in ONNX Runtime, OpenVINO and the reference of ONNX. Exits 77
while it lives.
"""

import sys

import numpy as np
import onnx
from onnx import parser
from onnx.reference import ReferenceEvaluator

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[2, 1, 1] x, float[1, 1, 1] w, float[1, 1, 1] r, float[1, 2] b, int32[1] l) =>
      (float[a, b, c, d] y) { y = RNN <hidden_size = 1> (x, w, r, b, l) }"""
)
one = np.ones((1, 1, 1), "float32")
feeds = {"x": np.ones((2, 1, 1), "float32"), "w": one, "r": one, "b": np.zeros((1, 2), "float32")}
feeds["l"] = np.array([1], "int32")
got = ReferenceEvaluator(model).run(None, feeds)[0].ravel()
expected = [np.tanh(1), 0]
print(f"onnx {onnx.__version__}: expected {expected}, got {got}")
sys.exit(0 if np.allclose(got, expected) else 77)
