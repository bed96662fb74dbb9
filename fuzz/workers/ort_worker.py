"""ONNX Runtime's CPU provider as a worker of ONNX (onnx_worker.py).

    eager     the graph as it is written, no optimisation
    basic     ORT_ENABLE_BASIC: constants folded, redundant nodes removed
    all       ORT_ENABLE_ALL: also the fusions and layouts of this processor

What the provider has no kernel for is declined.
"""

import sys
from types import MappingProxyType

import numpy as np
import onnxruntime
from fusillade_worker import Declined, serve, vectors
from onnx_worker import OnnxWorker
from onnxruntime.capi import onnxruntime_pybind11_state as errors

LEVELS = {
    name: getattr(onnxruntime.GraphOptimizationLevel, "ORT_" + level)
    for name, level in (("eager", "DISABLE_ALL"), ("basic", "ENABLE_BASIC"), ("all", "ENABLE_ALL"))
}


# Sigmoid's absolute error alone is small, and the hard ones multiply by 1 / 6; the rest is measured
# over 80,000 arguments.
CONTRACT = {
    "approximate": [
        "aten." + name + ".default"
        for name in ("sigmoid", "silu", "glu", "hardsigmoid", "hardswish")
    ],
    "ulp": {"tanh": 16, "log2": 8, "log10": 8, "asin": 8, "acos": 8, "atan": 8, "log": 6},
}


# ONNX Runtime's own switches, away from their defaults, that may not change results: of a session,
# and entries of its configuration.
SWITCHES = {
    "enable_cpu_mem_arena": [False],
    "enable_mem_pattern": [False],
    "enable_mem_reuse": [False],
    "execution_mode": ["parallel"],
    "session.disable_aot_function_inlining": [1],
    "session.disable_double_qdq_remover": [1],
    "session.disable_prepacking": [1],
    "session.use_device_allocator_for_initializers": [1],
}


class Ort(OnnxWorker):
    name, version = "ONNX Runtime", onnxruntime.__version__
    build = {"python": sys.executable, "isa": vectors(), "threads": "1", "blas": "MLAS"}
    engines = dict.fromkeys(LEVELS)
    # "Conv Add Fusion" and "MatMul Add Fusion" of
    # onnxruntime.ai/docs/performance/model-optimizations/graph-optimizations.html
    contract = {
        name: CONTRACT if name == "eager" else {**CONTRACT, "adds_into_products": True}
        for name in LEVELS
    }

    options = dict.fromkeys(("basic", "all"), SWITCHES)

    def load(self, engine, model, switches=MappingProxyType({})):
        options = onnxruntime.SessionOptions()
        for name, value in switches.items():
            if "." in name:
                options.add_session_config_entry(name, str(value))
            elif name == "execution_mode":
                options.execution_mode = onnxruntime.ExecutionMode.ORT_PARALLEL
            else:
                setattr(options, name, value)
        options.graph_optimization_level = LEVELS[engine]
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            session = onnxruntime.InferenceSession(
                model, options, providers=["CPUExecutionProvider"]
            )
        except (errors.NotImplemented, errors.InvalidGraph) as e:
            if engine != "eager":  # what has kernels was optimised into what has none
                raise
            raise Declined("no kernel\n" + str(e)) from None
        return lambda inputs: session.run(None, inputs)


if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(Ort())
