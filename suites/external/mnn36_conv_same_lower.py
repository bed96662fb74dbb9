"""MNN 3.6.1, CPU: Conv with SAME_LOWER pads at the end, as SAME_UPPER. Silent.

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
    g (float[1, 1, 2, 2] x, float[1, 1, 2, 2] w) => (float[1, 1, 2, 2] y)
    { y = Conv <auto_pad = "SAME_LOWER"> (x, w) }"""),
    path + "/onnx",
)
_tools.mnnconvert(f"x -f ONNX --modelFile {path}/onnx --MNNModel {path}/mnn --bizCode x".split())
net = MNN.nn.load_module_from_file(path + "/mnn", ["x", "w"], ["y"])
x = {
    "x": np.array([1, 2, 3, 4], "float32").reshape(1, 1, 2, 2),
    "w": np.array([1, 0, 0, 0], "float32").reshape(1, 1, 2, 2),
}
expected = [[[[0, 0], [0, 1]]]]
got = net.forward([MNN.expr.const(v, list(v.shape), MNN.expr.NCHW) for v in x.values()])[0].read()
print(f"mnn {MNN.version()}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
