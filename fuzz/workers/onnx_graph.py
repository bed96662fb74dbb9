"""An ONNX graph being written: its values, and ATen's rules for what goes into a node."""

import numpy as np
import onnx
from aten import common_dtype, kind, need, wide
from onnx import helper, numpy_helper

OPSET, IR_VERSION = 21, 10
OPS = {}
TYPES = {
    name: helper.np_dtype_to_tensor_dtype(np.dtype(name))
    for name in (
        "bool",
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
        "float16",
        "float32",
        "float64",
    )
}


class Value:
    """A tensor of the graph: dtype and sizes are known."""

    def __init__(self, name, dtype, shape):
        self.name, self.dtype, self.shape = name, dtype, tuple(int(n) for n in shape)

    ndim = property(lambda self: len(self.shape))
    numel = property(lambda self: int(np.prod(self.shape, dtype=np.int64)))


class Graph:
    """The one being written; functions below add to it."""

    nodes: list = []
    constants: dict = {}
    checks: list = []  # (value that must hold nowhere, why)
    names = 0
    keeps_nan = True  # in a maximum, which ONNX leaves open
    widest = "float64"  # of the floats that the engine has

    @classmethod
    def begin(cls, keeps_nan=True, widest="float64"):
        cls.nodes, cls.constants, cls.checks, cls.names = [], {}, [], 0
        cls.keeps_nan, cls.widest = keeps_nan, widest

    @classmethod
    def name(cls):
        cls.names += 1
        return f"v{cls.names}"

    @classmethod
    def model(cls, inputs, outputs):
        """Serialised; an output that no node gives (an input, a constant) goes through Identity."""
        produced = {name for node in cls.nodes for name in node.output}
        named = []
        for value in outputs:
            if value.name not in produced or value.name in [v.name for v in named]:
                value = emit("Identity", [value], value.dtype, value.shape)
            named.append(value)
        info = [
            [helper.make_tensor_value_info(v.name, TYPES[v.dtype], v.shape) for v in values]
            for values in (inputs, named)
        ]
        graph = helper.make_graph(
            cls.nodes, "program", *info, initializer=list(cls.constants.values())
        )
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
        )
        onnx.checker.check_model(model)
        return model.SerializeToString(), [v.name for v in named]


def is_tensor(v):
    return isinstance(v, Value)


def op(*names):
    def add(function):
        OPS.update(dict.fromkeys(names, function))
        return function

    return add


def exact(kind_, dtype, attributes):
    """Attributes are float32, so are the constants of an op that has them within."""
    need(
        dtype != "float64"
        or kind_ not in ("Selu", "HardSwish")
        and all(float(np.float32(v)) == v for v in attributes.values() if isinstance(v, float)),
        "factors that float32 does not hold",
    )


# Of each its value is a maximum or a minimum.
EXTREMES = ("Max", "Min", "Clip", "Relu", "HardSigmoid", "HardSwish")


def emit(kind_, inputs, dtype, shape, **attributes):
    exact(kind_, dtype, attributes)
    if kind_ in EXTREMES and not Graph.keeps_nan:
        for v in inputs:
            if v is not None and kind(v.dtype) == 2:
                check(node("IsNaN", v, dtype="bool"), "a NaN in a maximum or minimum")
    out = Value(Graph.name(), dtype, shape)
    names = ["" if v is None else v.name for v in inputs]
    Graph.nodes.append(helper.make_node(kind_, names, [out.name], **attributes))
    return out


def emit_several(kind_, inputs, outputs, **attributes):
    """`outputs`: dtypes and shapes."""
    out = [Value(Graph.name(), *o) for o in outputs]
    Graph.nodes.append(
        helper.make_node(kind_, [v.name for v in inputs], [v.name for v in out], **attributes)
    )
    return out


def constant(values, dtype, shape=None):
    array = np.asarray(values).astype(dtype)
    array = array if shape is None else array.reshape(shape)
    name = Graph.name()
    Graph.constants[name] = numpy_helper.from_array(
        np.ascontiguousarray(array).reshape(array.shape), name
    )
    return Value(name, dtype, array.shape)


def ints(values):
    return constant(list(values), "int64", (len(list(values)),))


def to(v, dtype):
    """Converted, a plain number to a constant."""
    dtype = str(dtype)
    need(dtype != "float64" or Graph.widest == dtype, "no kernels for float64")
    if not is_tensor(v):
        return constant(v, dtype)
    return v if v.dtype == dtype else emit("Cast", [v], dtype, v.shape, to=TYPES[dtype])


def cast(v, dtype):
    """Converted by a node, as exporters write it, even to the dtype that it has."""
    same = is_tensor(v) and v.dtype == str(dtype)
    return emit("Cast", [v], v.dtype, v.shape, to=TYPES[v.dtype]) if same else to(v, dtype)


def common(*operands):
    return common_dtype(
        [(o.dtype, o.ndim) if is_tensor(o) else o for o in operands if o is not None]
    )


def broadcast(*values):
    try:
        return np.broadcast_shapes(*[v.shape for v in values])
    except ValueError as e:
        raise RuntimeError(str(e)) from None


def node(kind_, *values, dtype=None, **attributes):
    """An element-wise node: the first value's dtype, all of one unless `dtype` says what comes
    out."""
    return emit(kind_, values, dtype or values[0].dtype, broadcast(*values), **attributes)


def like(v, value):
    return constant(value, v.dtype)


def in_float(function, promote=True, silent=0):
    """Computed in floats, of 16 bits in 32; the last `silent` arguments take no part in
    promotion."""

    def run(*args, **named):
        dtype = common(*(args[: len(args) - silent] if silent else args))
        if kind(dtype) < 2:
            need(promote, "integers")
            dtype = "float32"
        out = function(*[None if a is None else to(a, wide(dtype)) for a in args], **named)
        return to(out, dtype)

    return run


def in_common(function, bools=True, integers=None):
    def run(*args, **named):
        dtype = common(*args)
        need(bools or dtype != "bool", "bools")
        chosen = integers if integers and kind(dtype) < 2 else function
        return to(chosen(*[to(a, wide(dtype)) for a in args], **named), dtype)

    return run


def check(bad, why):
    """A call with an element for which `bad` holds is declined, once it has run."""
    if bad.numel:
        Graph.checks.append((bad, why))


def where(c, a, b):
    return emit("Where", [c, a, b], a.dtype, broadcast(c, a, b))


def add(a, b):
    return node("Add", a, b)


def sub(a, b):
    return node("Sub", a, b)


def mul(a, b):
    return node("Mul", a, b)


def div(a, b):
    return node("Div", a, b)


def less(a, b):
    return node("Less", a, b, dtype="bool")


def equal(a, b):
    return node("Equal", a, b, dtype="bool")


def both(a, b):
    return node("And", a, b)


def either(a, b):
    return node("Or", a, b)


def logical_not(a):
    return node("Not", a)


def reduced_flag(bad):
    """Does it hold anywhere?"""
    return emit("ReduceMax", [to(bad, "int32")], "int32", (), keepdims=0)
