"""MNN 3.6.1, CPU: ReduceLogSumExp of 100 is 87.7. Silent.

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
    g (float[2] x) => (float[1] y) { y = ReduceLogSumExp (x) }"""),
    path + "/onnx",
)
_tools.mnnconvert(f"x -f ONNX --modelFile {path}/onnx --MNNModel {path}/mnn --bizCode x".split())
net = MNN.nn.load_module_from_file(path + "/mnn", ["x"], ["y"])
x = {"x": np.array([100, 100], "float32")}
expected = np.float32(100 + np.log(2))
got = net.forward([MNN.expr.const(v, list(v.shape), MNN.expr.NCHW) for v in x.values()])[0].read()
print(f"mnn {MNN.version()}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got, expected, rtol=1e-4, atol=0, equal_nan=True) else 0)
