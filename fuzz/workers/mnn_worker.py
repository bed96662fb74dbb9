"""MNN's CPU back end as a worker of ONNX (onnx_worker.py), by its own converter of ONNX.

    eager     each node converted and run as a model of its own
    graph     the model as a whole, as its converter optimises it

Floats are computed in 32 bits (precision high), in one thread. MNN computes float64 in float32,
and int64 in int32: neither is taken, but for the indices that ONNX wants. Nor are other integers,
16-bit floats and tensors of no elements. Its kernels lose a NaN, and so the reference declines each
call with one. What the converter does not know, and what the back end does not compute, is
declined.
"""

import os
import sys
import tempfile
from types import MappingProxyType

# MNN prints while it is imported, and stdout is the channel. MNN.tools is not imported: it would
# install packages and report that it is used.
kept = os.dup(1)
os.dup2(2, 1)
import _tools
import MNN
import MNN.expr

os.dup2(kept, 1)
os.close(kept)

import numpy as np
import onnx
from aten import need
from fusillade_worker import Declined, serve, vectors
from onnx_worker import OnnxOps, OnnxWorker, alone

# Of its converter and its runtime, away from their defaults, that may not change results.
SWITCHES = {
    "memory_mode": ["High", "Low"],
    "optimizeLevel": [0],  # of 2 it says that it may be wrong
    "optimizePrefer": [1, 2],
    "power_mode": ["High", "Low"],
    "thread_num": [2],
}
CONTRACT = {
    "ulp": {"tanh": 16, "exp": 8, "log": 8, "log2": 8, "log10": 8},
    "approximate": ["aten." + name + ".default" for name in ("sigmoid", "silu", "glu")],
    "flushes_subnormals": True,
}


class Mnn(OnnxWorker):
    name, version = "MNN", MNN.version()
    build = {"python": sys.executable, "isa": vectors(), "threads": "1"}
    engines = {"eager": None, "graph": None}
    contract = dict.fromkeys(engines, CONTRACT)
    options = {"graph": SWITCHES}
    ops = OnnxOps(dtypes=("bool", "int32", "float32"))

    def load(self, engine, model, switches=MappingProxyType({})):
        if engine == "graph":
            return self.convert(model, switches)

        def node(one):
            run = self.convert(one)

            def run_checked(given):
                nan = any(v.dtype.kind == "f" and np.isnan(v).any() for v in given.values())
                need(not nan, "a NaN, which kernels lose")
                return run(given)

            return run_checked

        return alone(node, model)

    def convert(self, model, switches=MappingProxyType({})):
        whole = onnx.shape_inference.infer_shapes(onnx.load_model_from_string(model))
        graph = whole.graph
        for v in [*graph.input, *graph.value_info, *graph.output]:
            sizes = [d.dim_value for d in v.type.tensor_type.shape.dim]
            need(0 not in sizes, "no elements")
        inputs, outputs = ([v.name for v in values] for values in (graph.input, graph.output))
        dtypes = [
            onnx.helper.tensor_dtype_to_np_dtype(v.type.tensor_type.elem_type) for v in graph.output
        ]
        with tempfile.TemporaryDirectory() as folder:
            read, target = (os.path.join(folder, name) for name in ("model.onnx", "model.mnn"))
            with open(read, "wb") as file:
                file.write(model)
            words = ["-f", "ONNX", "--modelFile", read, "--MNNModel", target, "--bizCode", "x"]
            for name in ("optimizeLevel", "optimizePrefer"):
                words += [f"--{name}", str(switches[name])] if name in switches else []
            _tools.mnnconvert(["mnnconvert", *words])
            need(os.path.exists(target), "not taken by the converter")
            net = MNN.nn.load_module_from_file(
                target,
                inputs,
                outputs,
                precision_mode=MNN.expr.PrecisionMode.High,
                memory_mode=getattr(MNN.expr.MemoryMode, switches.get("memory_mode", "Normal")),
                power_mode=getattr(MNN.expr.PowerMode, switches.get("power_mode", "Normal")),
                thread_num=switches.get("thread_num", 1),
            )

        def run(given):
            found = net.forward([self.variable(given[name]) for name in inputs])
            try:
                arrays = [np.array(v.read()).reshape(v.shape) for v in found]
            except SystemError as e:  # what it prints says why
                raise Declined("not computed by the back end\n" + str(e)) from None
            return [a.astype(dtype) for a, dtype in zip(arrays, dtypes, strict=True)]

        return run

    def variable(self, array):
        dtype, kind = (
            ("float32", MNN.expr.float) if array.dtype.kind == "f" else ("int32", MNN.expr.int)
        )
        return MNN.expr.const(
            np.ascontiguousarray(array, dtype), list(array.shape), MNN.expr.NCHW, kind
        )


if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(Mnn())
