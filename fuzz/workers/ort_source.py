"""A model of ONNX in the text that onnx.parser reads: what scripts of findings are made of.

    model = parser.parse_model(\"\"\"<ir_version: 10, opset_import: ["" : 21]>
    f (float[3] x1, int64[1] c2) => (float[1] v3) { v3 = ReduceSum (x1, c2) }\"\"\")
    for name, v in {"c2": np.array([0])}.items():
        model.graph.initializer.append(numpy_helper.from_array(v, name))

Constants are initialisers of Python's own text, in which every value of every dtype can be said.
"""

import onnx
from aten import need
from onnx import numpy_helper

COLUMNS = 100
WORDS = {v: k.lower() for k, v in onnx.TensorProto.DataType.items()}


def typed(value):
    t = value.type.tensor_type
    return f"{WORDS[t.elem_type]}[{', '.join(str(d.dim_value) for d in t.shape.dim)}] {value.name}"


def attribute(a):
    v = onnx.helper.get_attribute_value(a)
    need(isinstance(v, (int, float, bytes, list)) and (not isinstance(v, list) or all(isinstance(x, int) for x in v)),
         "an attribute that is no number")
    if isinstance(v, bytes):
        return f'{a.name} = "{v.decode()}"'
    return f"{a.name} = {v!r}"


def said(node):
    given = f" <{', '.join(map(attribute, node.attribute))}>" if node.attribute else ""
    return f"{', '.join(node.output)} = {node.op_type}{given} ({', '.join(node.input)})"


def filled(words, between=" ", indent=""):
    """In lines of at most 100 columns, with room for what stands around them."""
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
    return f'np.array({text}, "{array.dtype}")' if array.size else f'np.zeros({array.shape}, "{array.dtype}")'


def source_of(model):
    """Lines that make `model`, of its bytes; checked by reading them back."""
    m = onnx.load_model_from_string(model)
    g = m.graph
    for node in g.node:
        while node.input and not node.input[-1]:  # one that is left out
            node.input.pop()
    sides = [", ".join(map(typed, values)) for values in (g.input, g.output)]
    begin = 'model = parser.parse_model("""'
    out = filled([begin + f'<ir_version: {m.ir_version}, opset_import: ["" : {m.opset_import[0].version}]>', f"f ({sides[0]})",
                  f"=> ({sides[1]})", "{ " + said(g.node[0]), *map(said, g.node[1:])]) + " }"
    text = out.removeprefix(begin)
    again = onnx.parser.parse_model(text)
    for node in again.graph.node:
        node.ClearField("domain")  # "", which says nothing
    need(list(again.graph.node) == list(g.node), "a node that ONNX's text does not say")
    out += '""")\n'
    constants = [f'"{t.name}": {constant(t)}' for t in g.initializer]
    if len(constants) == 1:
        name, array = constants[0].split(": ", 1)
        return out + f"model.graph.initializer.append(numpy_helper.from_array({array}, {name}))\n"
    if constants:
        out += filled(["for name, v in {" + constants[0], *constants[1:]], ", ", "    ") + "}.items():\n" \
            "    model.graph.initializer.append(numpy_helper.from_array(v, name))\n"
    return out
