"""MNN 3.6.1, CPU: SoftmaxCrossEntropyLoss divides by all rows, also by those of ignore_index.
Silent.

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
    g (float[2, 2] x, int64[2] w) => (float y)
    { y = SoftmaxCrossEntropyLoss <ignore_index = 1> (x, w) }"""),
    path + "/onnx",
)
_tools.mnnconvert(f"x -f ONNX --modelFile {path}/onnx --MNNModel {path}/mnn --bizCode x".split())
net = MNN.nn.load_module_from_file(path + "/mnn", ["x", "w"], ["y"])
x = {"x": np.zeros((2, 2), "float32"), "w": np.array([0, 1], "int32")}
expected = np.float32(np.log(2))
got = net.forward(
    [
        MNN.expr.const(
            v, list(v.shape), MNN.expr.NCHW, {"f": MNN.expr.float}.get(v.dtype.kind, MNN.expr.int)
        )
        for v in x.values()
    ]
)[0].read()
print(f"mnn {MNN.version()}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got, expected, rtol=1e-4, atol=0, equal_nan=True) else 0)
