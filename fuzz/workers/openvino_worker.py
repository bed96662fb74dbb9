"""OpenVINO's CPU plugin as a worker of ONNX (onnx_worker.py).

    eager     each node compiled as a model of its own
    graph     the model as a whole, as compile_model makes it

Floats are computed in their own precision (INFERENCE_PRECISION_HINT f32), in one thread. The plugin
computes float64 in float32 and int64 in int32, as its documentation says: neither is taken, but for
the indices that ONNX wants. Integers of 8 bits, which saturate, are not taken.
"""

import sys
from types import MappingProxyType

import numpy as np
import openvino
from fusillade_worker import Declined, serve, vectors
from onnx_worker import OnnxOps, OnnxWorker, alone

OPTIONS = {
    "INFERENCE_PRECISION_HINT": "f32",
    "INFERENCE_NUM_THREADS": 1,
    "NUM_STREAMS": 1,
    "EXECUTION_MODE_HINT": "ACCURACY",
}
# Properties of a compiled model, away from those, that may not change results.
SWITCHES = {
    "CPU_DENORMALS_OPTIMIZATION": [True],
    "ENABLE_CPU_PINNING": [False],
    "ENABLE_HYPER_THREADING": [False],
    "ENABLE_TENSOR_PARALLEL": [True],
    "EXECUTION_MODE_HINT": ["PERFORMANCE"],
    "INFERENCE_NUM_THREADS": [2],
    "NUM_STREAMS": [2],
    "PERFORMANCE_HINT": ["LATENCY", "THROUGHPUT"],
    "PERF_COUNT": [True],
    "TBB_PARTITIONER": ["AUTO", "STATIC"],
}
CONTRACT = {
    "ulp": {"tanh": 16, "log2": 8, "log10": 8, "asin": 8, "acos": 8, "atan": 8, "log": 6},
    "approximate": ["aten." + name + ".default" for name in ("sigmoid", "silu", "glu")],
    "flushes_subnormals": True,
}


class OpenVino(OnnxWorker):
    name, version = "OpenVINO", openvino.__version__
    build = {"python": sys.executable, "isa": vectors(), "threads": "1", "blas": "oneDNN"}
    engines = {"eager": None, "graph": None}
    contract = dict.fromkeys(engines, CONTRACT)
    options = {"graph": SWITCHES}
    ops = OnnxOps(dtypes=("bool", "int32", "float32"))
    core = openvino.Core()

    def load(self, engine, model, switches=MappingProxyType({})):
        return alone(self.compile, model) if engine == "eager" else self.compile(model, switches)

    def compile(self, model, switches=MappingProxyType({})):
        try:
            read = self.core.read_model(model)
        except RuntimeError as e:
            raise Declined("not taken by the frontend\n" + str(e)) from None
        compiled = self.core.compile_model(read, "CPU", {**OPTIONS, **switches})
        ports = [compiled.output(i) for i in range(len(compiled.outputs))]

        def run(inputs):
            found = compiled(inputs)
            return [np.array(found[port]) for port in ports]

        return run


if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(OpenVino())
