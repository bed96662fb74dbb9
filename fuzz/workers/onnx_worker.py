"""A worker for any engine that takes ONNX models: ATen's ops said in ONNX, op by op
(docs/reference/workers.md). It needs onnx and numpy.

    class Mine(OnnxWorker):
        name, version = "mine", "1"
        engines = {"eager": None, "all": None}

        def load(self, engine, model):           # the bytes of a model
            session = mine.Session(model)
            return lambda inputs: session.run(inputs)   # arrays by name -> arrays, in that order

    serve(Mine())

A program is written as one graph for the sizes of each call: plain numbers are constants of it, and
a program whose plain numbers come from elements is declined. So is what ATen raises for and ONNX
leaves open (integers divided by 0, indices out of range). Ops that write are not listed; a view is
a copy. `alone` runs each node as a model of its own: the reference of an engine that cannot be made
to optimise nothing.
"""

import math

import numpy as np
import onnx
import onnx_layers  # noqa: F401
import onnx_pointwise  # noqa: F401
import onnx_tensors  # noqa: F401
from aten import kind, need
from fusillade_worker import CODE, Ops, Parts, Scalar, Worker
from onnx_graph import OPS, TYPES, Graph, Value, constant, is_tensor, reduced_flag
from onnx_source import source_of


class OnnxScalar(Scalar):
    size = staticmethod(lambda t, *dim: t.shape[dim[0]] if dim else list(t.shape))
    dim = staticmethod(lambda t: t.ndim)
    dtype = staticmethod(lambda t: CODE[str(t.dtype)])
    numel = staticmethod(lambda t: t.numel)
    is_floating_point_ = staticmethod(lambda t: kind(t.dtype) == 2)
    requires_grad_ = staticmethod(lambda t: False)
    is_complex_ = staticmethod(lambda t: False)
    len = staticmethod(lambda t: t.shape[0] if is_tensor(t) else len(t))


class OnnxOps(Ops):
    scalar = OnnxScalar

    def __init__(self, without=(), dtypes=tuple(TYPES), keeps_nan=True):
        """`keeps_nan`: whether a NaN under a maximum or a minimum stays one."""
        super().__init__({name: f for name, f in OPS.items() if name not in without})
        self.dtypes, self.keeps_nan = dtypes, keeps_nan
        self.widest = "float64" if "float64" in dtypes else "float32"

    def dtype(self, name):
        need(name in self.dtypes, "no kernels for " + name)
        return name

    def tensor(self, dtype, sizes, elements):
        return constant(elements, self.dtype(dtype), sizes)


def tensors_in(values):
    out = []
    for v in values:
        if is_tensor(v):
            out.append(v)
        elif isinstance(v, (list, tuple)):
            out += tensors_in(v)
    return out


def alone(load, model):
    """A runner of the graph node by node, each loaded as a model of its own."""
    whole = onnx.load_model_from_string(model)
    graph = whole.graph
    constants = {t.name: t for t in graph.initializer}
    info = onnx.shape_inference.infer_shapes(whole, strict_mode=True).graph
    types = {v.name: v for v in [*info.input, *info.value_info, *info.output]}
    steps = []
    for node in graph.node:
        given = list(dict.fromkeys(n for n in node.input if n and n not in constants))
        inner = onnx.helper.make_graph(
            [node],
            "node",
            [types[n] for n in given],
            [types[n] for n in node.output],
            initializer=[constants[n] for n in dict.fromkeys(node.input) if n in constants],
        )
        one = onnx.helper.make_model(
            inner, opset_imports=whole.opset_import, ir_version=whole.ir_version
        )
        steps.append((load(one.SerializeToString()), given, list(node.output)))

    def run(inputs):
        known = dict(inputs)
        for step, given, names in steps:
            known.update(zip(names, step({n: known[n] for n in given})))
        return [known[v.name] for v in graph.output]

    return run


class OnnxWorker(Worker):
    ops = OnnxOps()

    def load(self, engine, model):
        """A function of the inputs by name that gives the outputs of `model`, in its order. Raise
        Declined for what the engine says that it does not take. An engine with `options` gets those
        of the plan as a third argument."""
        raise NotImplementedError

    def memory(self, dtype, data):
        self.ops.dtype(dtype)
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

        def take_input(v):
            """What the program is given: an input of the graph for an array."""
            if isinstance(v, np.ndarray):
                arrays.append(v)
                return Value(f"x{len(arrays)}", str(v.dtype), v.shape)
            return [take_input(x) for x in v] if isinstance(v, list) else v

        given = [take_input(v) for v in call.arguments()]
        if engine == "source":
            return [source_of(self.build_model(program, given, checked=False)[0])], {}
        key = repr([(v.dtype, v.shape) for v in arrays]) + repr(
            [v for v in given if not is_tensor(v)]
        )
        if key not in program.kept:
            program.kept[key] = self.build_model(program, given), {}
        (model, inputs, names, results, checks), loaded = program.kept[key]
        how = (engine, *sorted(call.options.items()))
        if how not in loaded:
            with_options = [call.options] if engine in self.options else []
            loaded[how] = self.load(engine, model, *with_options)
        found = dict(zip(names, self.timed(loaded[how], dict(zip(inputs, arrays)))))
        for name, why in checks:
            need(not np.any(found[name]), why)
        return [self.fill_in(v, found) for v in results], {}

    def build_model(self, program, given, checked=True):
        """The model's bytes, its inputs, its outputs, the results in terms of them, and checks."""
        Graph.begin(self.ops.keeps_nan, self.ops.widest)
        results = program.function(self.ops, *given)
        inputs, tensors = tensors_in(given), tensors_in(results)
        need(tensors, "no tensors")
        for v in tensors:  # indices are int64
            need(v.dtype in (*self.ops.dtypes, "int64"), "no kernels for " + v.dtype)
        flags = [(reduced_flag(bad), why) for bad, why in Graph.checks if checked]
        model, names = Graph.model(inputs, tensors + [flag for flag, _ in flags])
        left = iter(names)

        def rename(v):
            if is_tensor(v):
                return Value(next(left), v.dtype, v.shape)
            return type(v)(rename(x) for x in v) if isinstance(v, (list, tuple)) else v

        renamed = [rename(v) for v in results]
        return (
            model,
            [v.name for v in inputs],
            names,
            renamed,
            [(name, why) for name, (_, why) in zip(left, flags)],
        )

    def fill_in(self, v, found):
        if is_tensor(v):
            array = np.asarray(found[v.name])
            if array.shape != v.shape or str(array.dtype) != v.dtype:
                raise RuntimeError(
                    f"{self.name} gives {array.dtype}{array.shape} for {v.dtype}{v.shape}"
                )
            return array
        return type(v)(self.fill_in(x, found) for x in v) if isinstance(v, (list, tuple)) else v
