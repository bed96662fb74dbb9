"""An engine of one's own that takes ONNX, with one bug: the example of docs/start. It is ONNX's
reference evaluator, and its bug is that Tanh becomes Erf.

fusillade fuzz --engine mine=mine_onnx.py --plan mine:fast --policy chains --max-findings=1
--max-total-time=60 --min-yield 0 --out out/mine
"""

import numpy as np
import onnx
from fusillade_worker import serve
from onnx.reference import ReferenceEvaluator
from onnx_worker import OnnxWorker


class Mine(OnnxWorker):
    name, version = "mine", "1"
    engines = {"eager": None, "fast": None}  # the reference, and the compiler under test

    def load(self, engine, model):
        read = onnx.load_model_from_string(model)
        for node in read.graph.node:
            if engine == "fast" and node.op_type == "Tanh":
                node.op_type = "Erf"  # the bug
        evaluator = ReferenceEvaluator(read)
        return lambda inputs: evaluator.run(None, inputs)


np.seterr(all="ignore")
serve(Mine())
