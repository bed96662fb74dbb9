"""The reference evaluator of ONNX (onnx.reference) as a worker of ONNX (onnx_worker.py): what the
standard's own code, in NumPy, makes of a model.

    eager     node by node, as it is written
"""

import sys

import numpy as np
import onnx
from fusillade_worker import serve, vectors
from onnx.reference import ReferenceEvaluator
from onnx_worker import OnnxWorker


class Reference(OnnxWorker):
    name, version = "ONNX reference", onnx.__version__
    build = {"python": sys.executable, "isa": vectors(), "threads": "1", "numpy": np.__version__}
    engines = {"eager": None}
    contract = {"eager": {}}

    def load(self, engine, model):
        evaluator = ReferenceEvaluator(onnx.load_model_from_string(model))
        return lambda inputs: evaluator.run(None, inputs)


if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(Reference())
