"""TVM on the processor as a worker of ONNX (onnx_worker.py), by Relax's reader of ONNX.

    eager     each node compiled as a model of its own
    whole     the model as a whole, as tvm.compile makes it

Machine code of LLVM for this processor, run in one thread. What the reader does not know is
declined.
"""

import os
import sys
from types import MappingProxyType

os.environ.setdefault("TVM_NUM_THREADS", "1")  # read when it is imported

import numpy as np
import onnx
import tvm
from fusillade_worker import Declined, serve, vectors
from onnx_worker import OnnxOps, OnnxWorker, alone
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

CONTRACT = {"ulp": {"tanh": 16, "exp": 8, "log": 8, "log2": 8, "log10": 8}}
# Of tvm.compile and its PassContext, away from their defaults, that may not change results.
SWITCHES = {
    "disabled_pass": ["DeadCodeElimination", "FoldConstant", "FuseOps", "FuseTIR"],
    "opt_level": [0, 1],
    "tirx.disable_vectorize": [True],
}
KEPT = 4096  # nodes of `eager` that are compiled


def context_of(switches):
    named = {name: v for name, v in switches.items() if "." not in name}
    if "disabled_pass" in named:
        named["disabled_pass"] = [named["disabled_pass"]]
    config = {name: v for name, v in switches.items() if "." in name}
    return tvm.transform.PassContext(**{"opt_level": 2, **named}, config=config)


class Tvm(OnnxWorker):
    name, version = "TVM", tvm.__version__
    build = {"python": sys.executable, "isa": vectors(), "threads": "1", "llvm": "yes"}
    engines = {"eager": None, "whole": None}
    contract = {"eager": CONTRACT, "whole": {**CONTRACT, "packs": 16, "recompiles": True}}
    ops = OnnxOps(keeps_nan=False)
    options = {"whole": SWITCHES}
    nodes: dict = {}

    def load(self, engine, model, switches=MappingProxyType({})):
        return alone(self.node, model) if engine == "eager" else self.compile(model, switches)

    def node(self, model):
        if len(self.nodes) > KEPT:
            self.nodes.clear()
        if model not in self.nodes:
            self.nodes[model] = self.compile(model)
        return self.nodes[model]

    def compile(self, model, switches=MappingProxyType({})):
        read = onnx.load_model_from_string(model)
        try:
            module = from_onnx(read, keep_params_in_input=False)
        except tvm.error.OpNotImplemented as e:
            raise Declined("not taken by the reader\n" + str(e)) from None
        with context_of(switches):
            machine = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
        names = [v.name for v in read.graph.input]

        def run(inputs):
            found = machine["main"](*[tvm.runtime.tensor(inputs[name]) for name in names])
            several = isinstance(found, (list, tuple)) or hasattr(found, "__len__")
            return [np.array(v.numpy()) for v in (found if several else [found])]

        return run


if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(Tvm())
