"""The engines that take ONNX run a model as a whole and node by node, where they are installed
(ci/setup.sh --compilers); a NaN under a maximum is declined where a worker says so."""

import subprocess

import pytest
from under_test import ROOT

PYTHON = ROOT / "build/compilers/bin/python"
FAMILIES = {
    "iree": "iree",
    "mnn": "MNN",
    "onnxref": "onnx",
    "openvino": "openvino",
    "tf": "tensorflow",
    "tflite": "ai_edge_litert",
    "tinygrad": "tinygrad",
    "tvm": "tvm",
}
RUN = """
import {family}_worker as module
import numpy as np
from onnx import parser
from onnx_worker import OnnxWorker

worker = next(
    value()
    for value in vars(module).values()
    if isinstance(value, type) and issubclass(value, OnnxWorker) and value is not OnnxWorker
)
model = parser.parse_model('''<ir_version: 10, opset_import: ["" : 21]>
    g (float[2, 3] x, bool[2, 3] c) => (float[2, 2] y, bool[2, 3] z)
    <float[3, 2] w = {{1, 2, 3, 4, 5, 6}}> {{ a = Add (x, x)
    y = MatMul (a, w)
    z = Not (c) }}''').SerializeToString()
x, c = np.ones((2, 3), "float32"), np.array([[True, False, True]] * 2)
for engine, lacks in worker.engines.items():
    if not lacks:
        y, z = worker.load(engine, model)({{"x": x, "c": c}})
        assert y.tolist() == [[18, 24]] * 2 and str(y.dtype) == "float32", (engine, y)
        assert z.tolist() == (~c).tolist() and str(z.dtype) == "bool", (engine, z)
"""
NAN = """
from onnx_graph import Graph, Value, emit

for keeps_nan, checks in ((True, 0), (False, 2)):
    Graph.begin(keeps_nan)
    emit("Max", [Value("a", "float32", (2,)), Value("b", "float32", (2,))], "float32", (2,))
    emit("Max", [Value("a", "int32", (2,)), Value("b", "int32", (2,))], "int32", (2,))
    assert len(Graph.checks) == checks, Graph.checks
"""


def run_with(text, package):
    lacks = f"import importlib.util, sys; sys.exit(not importlib.util.find_spec({package!r}))"
    if not PYTHON.exists() or subprocess.run([PYTHON, "-c", lacks]).returncode:
        pytest.skip(f"{package} is not installed: ci/setup.sh --compilers")
    path = f"import sys; sys.path.insert(0, {str(ROOT / 'fuzz/workers')!r})\n"
    run = subprocess.run([PYTHON, "-c", path + text], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr[-2000:]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_model_runs_as_a_whole_and_node_by_node(family):
    run_with(RUN.format(family=family), FAMILIES[family])


def test_a_nan_under_a_maximum_is_looked_for():
    run_with(NAN, "onnx")
