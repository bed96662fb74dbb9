"""MNN 3.6.1, CPU: Mod with fmod = 1 has the sign of the divisor. Silent.

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
    g (float[2] x, float[2] w) => (float[2] y) { y = Mod <fmod = 1> (x, w) }"""),
    path + "/onnx",
)
_tools.mnnconvert(f"x -f ONNX --modelFile {path}/onnx --MNNModel {path}/mnn --bizCode x".split())
net = MNN.nn.load_module_from_file(path + "/mnn", ["x", "w"], ["y"])
x = {"x": np.array([-7, 7], "float32"), "w": np.array([3, -3], "float32")}
expected = [-1, 1]
got = net.forward([MNN.expr.const(v, list(v.shape), MNN.expr.NCHW) for v in x.values()])[0].read()
print(f"mnn {MNN.version()}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
