"""ONNX Runtime 1.32.0, graph optimisations (basic): behind a Dropout or a Cast that is removed, a
Mul by a folded 1 still names the removed node's result: an invalid model.

Found by: `fusillade check` of programs like those of the reports onnxruntime#32414 and #32416
(results/public.md). Exits 77 while it lives.
"""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser

x, wrong = np.ones((2, 3), np.float32), 0
ort.set_default_logger_severity(4)
for removed in ("Dropout (x)", "Cast <to = 1> (x)"):
    text = f"""<ir_version: 10, opset_import: ["" : 17]> f (float[2, 3] x) => (float[2, 3] y)
        <float one = {{1}}> {{ y1 = {removed} folded = Div (one, one) y = Mul (y1, folded) }}"""
    try:
        got = ort.InferenceSession(parser.parse_model(text).SerializeToString()).run(None, {"x": x})
    except Exception as e:
        got, wrong = str(e)[-110:], wrong + 1
    print(f"onnxruntime {ort.__version__}: expected {x.tolist()}, got {got}")
sys.exit(77 if wrong else 0)
