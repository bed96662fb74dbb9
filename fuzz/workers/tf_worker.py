"""TensorFlow on the processor as a worker of ONNX (onnx_worker.py): each node by TensorFlow's own
operator (tf_nodes.py).

    eager     op by op
    graph     the program in one tf.function, which Grappler optimises
    xla       the program in one tf.function(jit_compile=True)

In one thread. Convolutions and pools lie between two transpositions, since kernels of the
processor take channels last. TensorFlow's kernels set the processor to take subnormal numbers for
zero. What has no kernel, and what XLA does not compile, is declined.
"""

import os
import sys
from types import MappingProxyType

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads are no friends of a fork

import numpy as np
import tensorflow as tf
from fusillade_worker import Declined, Ops, serve, vectors
from onnx_graph import OPS
from onnx_tensors import check_no_nan
from onnx_worker import OnnxOps, OnnxWorker
from tf_nodes import Model

CONTRACT = {
    "approximate": ["aten.silu.default", "aten.glu.default"],
    "flushes_subnormals": True,
    # Measured over 100,000 arguments and about doubled; a reciprocal is a refined estimate.
    "ulp": {"div": 3, "exp2": 24, "pow": 24},
}
XLA = {**CONTRACT, "ulp": {**CONTRACT["ulp"], "log1p": 256, "sinh": 64, "cosh": 64}}
# Grappler's own switches, away from their defaults; without `min_graph_nodes` it leaves small
# graphs alone.
SWITCHES = {
    "arithmetic_optimization": [False],
    "common_subgraph_elimination": [False],
    "constant_folding": [False],
    "debug_stripper": [True],
    "dependency_optimization": [False],
    "disable_meta_optimizer": [True],
    "function_optimization": [False],
    "implementation_selector": [False],
    "layout_optimizer": [False],
    "loop_optimization": [False],
    "min_graph_nodes": [-1],
    "remapping": [False],
    "shape_optimization": [False],
}
# The message where there is no kernel for a dtype or a rank, or no code of XLA.
LACKS = (
    "Could not find device for node",
    "is not in the list of allowed values",
    "not in list of allowed values",
    "Detected unsupported operations",
    "No OpKernel was registered",
)


def sorted_alone(function):
    """A NaN has no place in the order of top_k."""

    def run(x, *more, **named):
        return function(check_no_nan(x), *more, **named)

    return run


class TfOps(OnnxOps):
    def __init__(self, **named):
        super().__init__(**named)
        sorts = ("topk.default", "sort.default", "sort.stable")
        Ops.__init__(self, {**OPS, **{name: sorted_alone(OPS[name]) for name in sorts}})


class Tf(OnnxWorker):
    name, version = "TensorFlow", tf.__version__
    build = {"python": sys.executable, "isa": vectors(), "threads": "1", "blas": "oneDNN"}
    engines = {"eager": None, "graph": None, "xla": None}
    contract = {"eager": CONTRACT, "graph": CONTRACT, "xla": XLA}
    options = {"graph": SWITCHES}
    ops = TfOps()
    forks = True

    def load(self, engine, model, switches=MappingProxyType({})):
        program = Model(model)
        if engine == "eager":
            return self.runner(program, program)
        whole = tf.function(
            program,
            input_signature=program.specs,
            autograph=False,
            jit_compile=True if engine == "xla" else None,
        )
        return self.runner(program, whole, switches)

    @staticmethod
    def runner(program, function, switches=MappingProxyType({})):
        def run(inputs):
            # A graph is optimised when it first runs.
            tf.config.optimizer.set_experimental_options({**DEFAULTS, **switches})
            try:
                given = [tf.constant(inputs[name]) for name in program.inputs]
                return [v.numpy() for v in function(*given)]
            except (tf.errors.OpError, TypeError) as e:
                if isinstance(e, tf.errors.UnimplementedError) or any(w in str(e) for w in LACKS):
                    raise Declined("no kernel\n" + str(e)) from None
                raise

        return run


DEFAULTS = {name: not v[0] for name, v in SWITCHES.items() if isinstance(v[0], bool)}
DEFAULTS["min_graph_nodes"] = 0
tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(Tf())
