"""MNN 3.6.1, CPU: GridSample takes the edge for what is reflected. Silent.

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
    g (float[1, 1, 2, 2] x, float[1, 1, 2, 2] w) => (float[1, 1, 1, 2] y)
    { y = GridSample <mode = "linear", padding_mode = "reflection"> (x, w) }"""),
    path + "/onnx",
)
_tools.mnnconvert(f"x -f ONNX --modelFile {path}/onnx --MNNModel {path}/mnn --bizCode x".split())
net = MNN.nn.load_module_from_file(path + "/mnn", ["x", "w"], ["y"])
x = {
    "x": np.array([1, 2, 3, 4], "float32").reshape(1, 1, 2, 2),
    "w": np.array([-3, 0, 3, 0], "float32").reshape(1, 1, 2, 2),
}
expected = [[[[3, 2]]]]
got = net.forward([MNN.expr.const(v, list(v.shape), MNN.expr.NCHW) for v in x.values()])[0].read()
print(f"mnn {MNN.version()}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got, expected, rtol=1e-4, atol=0, equal_nan=True) else 0)
