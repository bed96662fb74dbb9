"""ONNX Runtime's CPU provider as a worker: ATen's ops said in ONNX, op by op
(docs/reference/workers.md).

    eager     the graph as it is written, no optimisation
    basic     ORT_ENABLE_BASIC: constants folded, redundant nodes removed
    all       ORT_ENABLE_ALL: also the fusions and layouts of this processor

A program is written as one ONNX graph for the sizes of each call: plain numbers are constants of
it, and a program whose plain numbers come from elements is declined. So is what the provider has no
kernel for, and what ATen raises for and ONNX leaves open (integers divided by 0, indices out of
range). Ops that write are not listed; a view is a copy.
"""

import math
import sys

import numpy as np
import onnxruntime
import ort_layers  # noqa: F401
import ort_pointwise  # noqa: F401
import ort_tensors  # noqa: F401
from aten import kind, need
from fusillade_worker import CODE, Declined, Ops, Parts, Scalar, Worker, serve, vectors
from onnxruntime.capi import onnxruntime_pybind11_state as errors
from ort_graph import OPS, TYPES, Graph, Value, constant, is_tensor, reduced_flag
from ort_source import source_of

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


class OrtScalar(Scalar):
    size = staticmethod(lambda t, *dim: t.shape[dim[0]] if dim else list(t.shape))
    dim = staticmethod(lambda t: t.ndim)
    dtype = staticmethod(lambda t: CODE[str(t.dtype)])
    numel = staticmethod(lambda t: t.numel)
    is_floating_point_ = staticmethod(lambda t: kind(t.dtype) == 2)
    requires_grad_ = staticmethod(lambda t: False)
    is_complex_ = staticmethod(lambda t: False)
    len = staticmethod(lambda t: t.shape[0] if is_tensor(t) else len(t))


class OrtOps(Ops):
    scalar = OrtScalar

    def dtype(self, name):
        need(name in TYPES, "no kernels for " + name)
        return name

    def tensor(self, dtype, sizes, elements):
        return constant(elements, self.dtype(dtype), sizes)


class Ort(Worker):
    name, version = "ONNX Runtime", onnxruntime.__version__
    build = {"python": sys.executable, "isa": vectors(), "threads": "1", "blas": "MLAS"}
    engines = dict.fromkeys(LEVELS)
    ops = OrtOps(OPS)
    contract = dict.fromkeys(LEVELS, CONTRACT)

    def memory(self, dtype, data):
        need(dtype in TYPES, "no kernels for " + dtype)
        return np.frombuffer(data, dtype)

    def view(self, memory, sizes, strides, offset):
        inside = memory[min(offset, len(memory)) :]
        return np.lib.stride_tricks.as_strided(
            inside, sizes, [s * memory.itemsize for s in strides]
        ).copy(order="C")

    def is_tensor(self, value):
        return isinstance(value, np.ndarray)

    def parts(self, t):
        strides = [math.prod(t.shape[d + 1 :]) for d in range(t.ndim)]
        return Parts(
            str(t.dtype), t.shape, strides, 0, None, lambda: np.ascontiguousarray(t).tobytes()
        )

    def run(self, engine, program, call):
        arrays = []

        def taken(v):
            """What the program is given: an input of the graph for an array."""
            if isinstance(v, np.ndarray):
                arrays.append(v)
                return Value(f"x{len(arrays)}", str(v.dtype), v.shape)
            return [taken(x) for x in v] if isinstance(v, list) else v

        given = [taken(v) for v in call.arguments()]
        if engine == "source":
            return [source_of(self.written(program, given, checked=False)[0])], {}
        key = repr([(v.dtype, v.shape) for v in arrays]) + repr(
            [v for v in given if not is_tensor(v)]
        )
        if key not in program.kept:
            program.kept[key] = self.written(program, given), {}
        (model, inputs, names, results, checks), sessions = program.kept[key]
        if engine not in sessions:
            sessions[engine] = self.session(engine, model)
        found = dict(zip(names, self.timed(sessions[engine].run, names, dict(zip(inputs, arrays)))))
        for name, why in checks:
            need(not found[name].any(), why)
        return [self.filled(v, found) for v in results], {}

    def written(self, program, given, checked=True):
        """The model's bytes, its inputs, its outputs, the results in terms of them, and checks."""
        Graph.begin()
        results = program.function(self.ops, *given)
        inputs, tensors = [], []

        def collect(values, into):
            for v in values:
                if is_tensor(v):
                    into.append(v)
                elif isinstance(v, (list, tuple)):
                    collect(v, into)

        collect(given, inputs)
        collect(results, tensors)
        need(tensors, "no tensors")
        flags = [(reduced_flag(bad), why) for bad, why in Graph.checks if checked]
        model, names = Graph.model(inputs, tensors + [flag for flag, _ in flags])
        left = iter(names)

        def renamed(v):
            if is_tensor(v):
                return Value(next(left), v.dtype, v.shape)
            return type(v)(renamed(x) for x in v) if isinstance(v, (list, tuple)) else v

        told = [renamed(v) for v in results]
        return (
            model,
            [v.name for v in inputs],
            names,
            told,
            [(name, why) for name, (_, why) in zip(left, flags)],
        )

    def session(self, engine, model):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = LEVELS[engine]
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except (errors.NotImplemented, errors.InvalidGraph) as e:
            if engine != "eager":  # what has kernels was optimised into what has none
                raise
            raise Declined("no kernel\n" + str(e)) from None

    def filled(self, v, found):
        if is_tensor(v):
            array = found[v.name]
            if array.shape != v.shape or str(array.dtype) != v.dtype:
                raise RuntimeError(
                    f"ONNX Runtime gives {array.dtype}{array.shape} for {v.dtype}{v.shape}"
                )
            return array
        return type(v)(self.filled(x, found) for x in v) if isinstance(v, (list, tuple)) else v


if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(Ort())
