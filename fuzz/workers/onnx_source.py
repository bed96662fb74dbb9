"""A model of ONNX in the text that onnx.parser reads: what scripts of findings contain.

    model = parser.parse_model(\"\"\"<ir_version: 10, opset_import: ["" : 21]>
    f (float[3] x1) => (float[1] v3) <int64[1] c2 = {0}> { v3 = ReduceSum (x1, c2) }\"\"\")

Constants that ONNX's text cannot say are initialisers of Python's own text, in which every value of
every dtype can be said. Nodes whose results nobody uses, as a worker makes them to know what it may
promise, are left out.
"""

import math

import onnx
from aten import need
from onnx import numpy_helper

COLUMNS = 100
INLINE = 16  # elements of a constant that is in the model's text
WORDS = {v: k.lower() for k, v in onnx.TensorProto.DataType.items()}


def typed_name(value):
    t = value.type.tensor_type
    return f"{WORDS[t.elem_type]}[{', '.join(str(d.dim_value) for d in t.shape.dim)}] {value.name}"


def attribute(a):
    v = onnx.helper.get_attribute_value(a)
    need(
        isinstance(v, (int, float, bytes, list))
        and (not isinstance(v, list) or all(isinstance(x, int) for x in v)),
        "an attribute that is no number",
    )
    if isinstance(v, bytes):
        return f'{a.name} = "{v.decode()}"'
    return f"{a.name} = {v!r}"


def node_text(node):
    given = f" <{', '.join(map(attribute, node.attribute))}>" if node.attribute else ""
    return f"{', '.join(node.output)} = {node.op_type}{given} ({', '.join(node.input)})"


def fill_lines(words, between=" ", indent=""):
    """In lines of at most 100 columns, with room for what is around them."""
    lines = [words[0]]
    for word in words[1:]:
        lines[-1] += between
        if len(lines[-1]) + len(word) + 12 > COLUMNS:
            lines[-1] = lines[-1].rstrip()
            lines.append(indent)
        lines[-1] += word
    return "\n".join(lines)


def constant(tensor):
    array = numpy_helper.to_array(tensor)
    text = repr(array.tolist()).replace("inf", "np.inf").replace("nan", "np.nan")
    if str(array.dtype) in ("int64", "float64", "bool"):
        return f"np.array({text})"
    return (
        f'np.array({text}, "{array.dtype}")'
        if array.size
        else f'np.zeros({array.shape}, "{array.dtype}")'
    )


def inline(tensor):
    """A constant in ONNX's text, or None where that has no words for it."""
    array = numpy_helper.to_array(tensor)
    if (
        str(array.dtype) not in ("int32", "int64", "float32", "float64")
        or not 0 < array.size <= INLINE
    ):
        return None
    values = array.flatten().tolist()
    if any(isinstance(v, float) and not math.isfinite(v) for v in values):
        return None
    sizes = f"[{', '.join(map(str, array.shape))}]" if array.shape else ""
    return f"{WORDS[tensor.data_type]}{sizes} {tensor.name} = {{{', '.join(map(repr, values))}}}"


def used_nodes(graph):
    wanted = {o.name for o in graph.output}
    out = []
    for node in reversed(graph.node):
        if wanted.intersection(node.output):
            wanted.update(node.input)
            out.append(node)
    return out[::-1], wanted


def source_of(model):
    """Lines that make `model`, of its bytes; checked by reading them back."""
    m = onnx.load_model_from_string(model)
    g = m.graph
    nodes, wanted = used_nodes(g)
    said_inline = {t.name: inline(t) for t in g.initializer if t.name in wanted}
    for node in nodes:
        while node.input and not node.input[-1]:  # one that is left out
            node.input.pop()
    sides = [", ".join(map(typed_name, values)) for values in (g.input, g.output)]
    begin = 'model = parser.parse_model("""'
    given = ", ".join(text for text in said_inline.values() if text)
    out = (
        fill_lines(
            [
                begin
                + f'<ir_version: {m.ir_version}, opset_import: ["" : {m.opset_import[0].version}]>',
                f"f ({sides[0]})",
                f"=> ({sides[1]})" + (f" <{given}>" if given else ""),
                "{ " + node_text(nodes[0]),
                *map(node_text, nodes[1:]),
            ]
        )
        + " }"
    )
    text = out.removeprefix(begin)
    again = onnx.parser.parse_model(text)
    for node in again.graph.node:
        node.ClearField("domain")  # "", which says nothing
    need(list(again.graph.node) == nodes, "a node that ONNX's text does not say")
    kept = {t.name: numpy_helper.to_array(t) for t in g.initializer}
    for t in again.graph.initializer:
        need(
            numpy_helper.to_array(t).tobytes() == kept[t.name].tobytes(),
            "a constant that ONNX's text does not say",
        )
    out += '""")\n'
    constants = [
        f'"{t.name}": {constant(t)}'
        for t in g.initializer
        if t.name in wanted and not said_inline[t.name]
    ]
    if len(constants) == 1:
        name, array = constants[0].split(": ", 1)
        return out + f"model.graph.initializer.append(numpy_helper.from_array({array}, {name}))\n"
    if constants:
        out += (
            fill_lines(["for name, v in {" + constants[0], *constants[1:]], ", ", "    ")
            + "}.items():\n"
            "    model.graph.initializer.append(numpy_helper.from_array(v, name))\n"
        )
    return out
