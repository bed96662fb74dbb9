"""The reference evaluator of ONNX (onnx.reference) as a worker of ONNX (onnx_worker.py): what the
standard's own code, in NumPy, makes of a model.

    eager     node by node, as it is written

NumPy raises for a negative power of integers, which ONNX leaves open: that is declined.
"""

import sys

import numpy as np
import onnx
from fusillade_worker import Declined, serve, vectors
from onnx.reference import ReferenceEvaluator
from onnx_worker import OnnxWorker


class Reference(OnnxWorker):
    name, version = "ONNX reference", onnx.__version__
    build = {"python": sys.executable, "isa": vectors(), "threads": "1", "numpy": np.__version__}
    engines = {"eager": None}
    contract = {"eager": {}}

    def load(self, engine, model):
        evaluator = ReferenceEvaluator(onnx.load_model_from_string(model))

        def run(inputs):
            try:
                return evaluator.run(None, inputs)
            except ValueError as e:
                if "negative integer powers" in str(e):
                    raise Declined(str(e)) from None
                raise

        return run


if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(Reference())
