"""tinygrad on the processor as a worker of ONNX (onnx_worker.py), by its own reader of ONNX.

    eager     each node realised by itself
    lazy      the model as a whole: its schedule fuses what it can

What its reader does not know is declined.
"""

import os
import shutil
import sys

# tinygrad reads these when it is imported.
os.environ.setdefault("DEV", "CPU")
os.environ.setdefault("CACHELEVEL", "0")
COMPILER = next((name for name in ("clang", "clang-19") if shutil.which(name)), None)
if COMPILER:
    os.environ.setdefault("CC", COMPILER)

import importlib.metadata
from types import MappingProxyType

import numpy as np
from fusillade_worker import Declined, serve, vectors
from onnx_worker import OnnxWorker, alone
from tinygrad import Tensor
from tinygrad.helpers import Context
from tinygrad.nn.onnx import OnnxRunner

# Its context variables, away from their defaults, that may not change results.
SWITCHES = {
    "DISABLE_FAST_IDIV": [1],
    "NOLOCALS": [1],
    "NOOPT": [1],
    "NO_MEMORY_PLANNER": [1],
    "NUM_CPU_THREADS": [2],
    "PCONTIG": [1, 2],
    "SPLIT_REDUCEOP": [0],
    "TUPLE_ORDER": [0],
    "WINO": [1],
}
CONTRACT = {"ulp": {"tanh": 16, "exp": 8, "log": 8}}


class Tinygrad(OnnxWorker):
    name, version = "tinygrad", importlib.metadata.version("tinygrad")
    build = {"python": sys.executable, "isa": vectors(), "threads": "1"}
    engines = dict.fromkeys(
        ("eager", "lazy"), None if COMPILER else "it needs clang, with which it compiles"
    )
    contract = dict.fromkeys(engines, CONTRACT)
    options = {"lazy": SWITCHES}

    def load(self, engine, model, switches=MappingProxyType({})):
        if engine == "eager":
            return alone(self.whole, model)
        with Context(**switches):
            run = self.whole(model)

        def run_with_switches(inputs):
            with Context(**switches):
                return run(inputs)

        return run_with_switches

    def whole(self, model):
        runner = OnnxRunner(Tensor(np.frombuffer(model, np.uint8).copy()))

        def run(inputs):
            try:
                found = runner({name: Tensor(array) for name, array in inputs.items()})
            except NotImplementedError as e:
                raise Declined("not taken by the reader\n" + str(e)) from None
            return [found[name].numpy() for name in runner.graph_outputs]

        return run


if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(Tinygrad())
