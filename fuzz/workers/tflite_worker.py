"""TensorFlow Lite (LiteRT) as a worker of ONNX (onnx_worker.py): the tf.function of tf_worker.py,
converted by tf.lite.TFLiteConverter and run by the interpreter of ai_edge_litert.

    eager     TensorFlow op by op, from which the model is converted
    ref       the reference kernels
    builtin   the optimised kernels
    xnnpack   as an interpreter runs by default: XNNPACK where it has a kernel

Builtin operators alone, no Flex; in one thread. What the converter does not convert, and what the
interpreter has no kernel for, is declined, and so is a NaN under a maximum or minimum.
"""

import sys
from importlib.metadata import version
from types import MappingProxyType

import tf_worker  # says how TensorFlow is imported  # isort: skip
import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from aten import need
from fusillade_worker import Declined, serve, vectors
from tf_nodes import Model

RESOLVERS = {
    "ref": OpResolverType.BUILTIN_REF,
    "builtin": OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    "xnnpack": OpResolverType.BUILTIN,
}
WHOLE = {
    **tf_worker.CONTRACT,
    "ulp": {**tf_worker.CONTRACT["ulp"], "tanh": 16, "exp": 8, "log": 8},
    "packs": 16,
    "recompiles": True,
}
# Of the interpreter and the converter, away from their defaults, that may not change results.
SWITCHES = {
    "experimental_disable_delegate_clustering": [True],
    "experimental_preserve_all_tensors": [True],
    "num_threads": [2, 4],
    "unfold_batchmatmul": [True],
}
# The reference kernel's sigmoid is exp(x) below -9, as its source says.
REFERENCE = {**WHOLE, "declines": ["aten." + n + ".default" for n in ("sigmoid", "silu", "glu")]}
# What the converter and the interpreter say of what they lack.
UNCONVERTED = ("neither a custom op nor a flex op", "must be tensor of", "must be variadic of")
LACKS = ("supported", "Invalid tensor size", "Didn't find op")


class TfLite(tf_worker.Tf):
    name = "LiteRT"
    version = f"{version('ai-edge-litert')}, converted by TensorFlow {tf.__version__}"
    build = {"python": sys.executable, "isa": vectors(), "threads": "1", "blas": "XNNPACK"}
    engines = dict.fromkeys(("eager", *RESOLVERS))
    contract = {
        "eager": tf_worker.CONTRACT,
        **dict.fromkeys(RESOLVERS, WHOLE),
        "ref": REFERENCE,
    }
    options = dict.fromkeys(("builtin", "xnnpack"), SWITCHES)
    ops = tf_worker.TfOps(
        dtypes=("bool", "uint8", "int8", "int16", "int32", "int64", "float32"), keeps_nan=False
    )

    def load(self, engine, model, switches=MappingProxyType({})):
        program = Model(model)
        if engine == "eager":
            return self.runner(program, program)
        need(all(0 not in spec.shape for spec in program.specs), "no elements")
        return self.make_runner(self.convert(program, switches), RESOLVERS[engine], switches)

    def convert(self, program, switches):
        function = tf.function(program, input_signature=program.specs, autograph=False)
        try:
            concrete = function.get_concrete_function()
            converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete])
            converter.unfold_batchmatmul = switches.get("unfold_batchmatmul", False)
            return converter.convert()
        except Exception as e:
            if any(word in str(e) for word in (*tf_worker.LACKS, *UNCONVERTED)):
                raise Declined("not converted\n" + str(e)) from None
            raise

    @staticmethod
    def make_runner(model, resolver, switches):
        of_interpreter = {n: v for n, v in switches.items() if n != "unfold_batchmatmul"}
        interpreter = Interpreter(
            model_content=model,
            experimental_op_resolver_type=resolver,
            **{"num_threads": 1, **of_interpreter},
        )

        def run(inputs):
            try:
                interpreter.allocate_tensors()
                for given in interpreter.get_input_details():
                    interpreter.set_tensor(given["index"], inputs[given["name"]])
                interpreter.invoke()
                outputs = interpreter.get_output_details()
                return [interpreter.get_tensor(o["index"]) for o in outputs]
            except (RuntimeError, ValueError) as e:
                if any(word in str(e) for word in LACKS):
                    raise Declined("no kernel\n" + str(e)) from None
                raise

        return run


if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(TfLite())
