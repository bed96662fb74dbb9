"""MNN 3.6.1, CPU: Mul, Max, Min, Abs and Clip of int32 compute in float32. Silent.

Found by: a loop over single operators, beside `fuzz --plan mnn:eager`. Exits 77 while it lives.
"""

import sys
import tempfile

import _tools
import MNN
import numpy as np
import onnx.parser

path = tempfile.mkdtemp()
onnx.save(
    onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
    g (int32[1] x, int32[1] w) => (int32[1] y) { y = Mul (x, w) }"""),
    path + "/onnx",
)
_tools.mnnconvert(f"x -f ONNX --modelFile {path}/onnx --MNNModel {path}/mnn --bizCode x".split())
net = MNN.nn.load_module_from_file(path + "/mnn", ["x", "w"], ["y"])
x = {"x": np.array([16777217], "int32"), "w": np.array([1], "int32")}
expected = [16777217]
got = net.forward(
    [MNN.expr.const(v, list(v.shape), MNN.expr.NCHW, MNN.expr.int) for v in x.values()]
)[0].read()
print(f"mnn {MNN.version()}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
