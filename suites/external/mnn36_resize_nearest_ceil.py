"""MNN 3.6.1, CPU: Resize ignores that nearest_mode is ceil. Silent.

Found by: graphs written by hand, in ONNX Runtime, the reference of ONNX and MNN. Exits 77 while it
lives.
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
    g (float[1, 1, 1, 4] x) => (float[1, 1, 1, 3] y) <int64[4] s = {1, 1, 1, 3}> {
        y = Resize <mode = "nearest", coordinate_transformation_mode = "asymmetric",
            nearest_mode = "ceil"> (x, , , s) }"""),
    path + "/onnx",
)
_tools.mnnconvert(f"x -f ONNX --modelFile {path}/onnx --MNNModel {path}/mnn --bizCode x".split())
net = MNN.nn.load_module_from_file(path + "/mnn", ["x"], ["y"])
x = {"x": np.array([0, 1, 2, 3], "float32").reshape(1, 1, 1, 4)}
expected = [[[[0, 2, 3]]]]
got = net.forward([MNN.expr.const(v, list(v.shape), MNN.expr.NCHW) for v in x.values()])[0].read()
print(f"mnn {MNN.version()}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
