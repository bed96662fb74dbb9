"""MNN 3.6.1, CPU: MatMul of two vectors kills the process, most times.

Found by: fusillade fuzz --plan mnn:eager --plan mnn:graph --seed 5. Exits 77 while it lives.
"""

import multiprocessing
import sys
import tempfile

import _tools
import MNN
import numpy as np
import onnx.parser

path = tempfile.mkdtemp()
onnx.save(
    onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
    g (float[3] x, float[3] w) => (float y) { y = MatMul (x, w) }"""),
    path + "/onnx",
)
x = {"x": np.array([1, 2, 3], "float32"), "w": np.array([1, 1, 1], "float32")}
run = lambda: (
    _tools.mnnconvert(
        f"x -f ONNX --modelFile {path}/onnx --MNNModel {path}/mnn --bizCode x".split()
    ),
    MNN.nn.load_module_from_file(path + "/mnn", list(x), ["y"])
    .forward([MNN.expr.const(v, list(v.shape), MNN.expr.NCHW) for v in x.values()])[0]
    .read(),
)
fork = multiprocessing.get_context("fork")
children = [fork.Process(target=run) for _ in range(5)]
codes = [(child.start(), child.join(), child.exitcode)[-1] for child in children]
print(f"mnn {MNN.version()}: expected 6, got exit codes {codes}")
sys.exit(77 if any(codes) else 0)
