"""Values, their text, and questions to PyTorch: what the sample_*_calls.py files are written with.

The grammar of the text is at the head of make_samples.py.
"""

import math
import warnings

import torch

warnings.simplefilter("ignore")
torch.set_num_threads(1)

DTYPES = {
    "bool": torch.bool,
    "u8": torch.uint8,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
}
NAMES = {t: n for n, t in DTYPES.items()}
CODES = {
    "u8": 0,
    "i8": 1,
    "i16": 2,
    "i32": 3,
    "i64": 4,
    "f16": 5,
    "f32": 6,
    "f64": 7,
    "bool": 11,
    "bf16": 15,
}
BY_CODE = {c: DTYPES[n] for n, c in CODES.items()}
BY_CODE |= {9: torch.complex64, 10: torch.complex128}  # values of samples are pairs in their place
FLOATS = ["f32", "f64", "f16", "bf16"]
INTS = ["u8", "i8", "i16", "i32", "i64"]
ALL = ["bool"] + INTS + FLOATS
nan, inf = math.nan, math.inf

# The smallest denormal, the smallest normal and the largest number of each float dtype.
DENORMAL = {"f16": 2.0**-24, "bf16": 2.0**-133, "f32": 2.0**-149, "f64": 2.0**-1074}
LIMITS = {n: torch.finfo(DTYPES[n]) for n in FLOATS}


def tensor(dtype, values, sizes=None):
    t = torch.tensor(values, dtype=torch.float64 if dtype in FLOATS else torch.int64).to(
        DTYPES[dtype]
    )
    return t if sizes is None else t.reshape(sizes)


def integers(dtype):
    """Extremes and small numbers."""
    if dtype == "bool":
        return [0, 1]
    info = torch.iinfo(DTYPES[dtype])
    if info.min == 0:
        return [0, 1, 2, 3, 7, 127, 128, 254, 255]
    return [info.min, info.min + 1, -7, -2, -1, 0, 1, 2, 7, info.max - 1, info.max]


def floats(dtype):
    """Special values, ties and ordinary numbers."""
    big = float(LIMITS[dtype].max)
    return [
        0.0,
        -0.0,
        nan,
        inf,
        -inf,
        DENORMAL[dtype],
        -DENORMAL[dtype],
        float(LIMITS[dtype].tiny),
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        1.0,
        -1.0,
        2.0,
        -3.0,
        0.1,
        -0.3,
        0.99,
        10.0,
        -10.0,
        80.25,
        -87.25,
        1e-5,
        1e4,
        -1e4,
        big,
        -big,
    ]


def few(dtype):
    """A short list of values of any dtype for cross products."""
    if dtype not in FLOATS:
        values = integers(dtype)
        return values if len(values) < 8 else [values[0], *values[2:9:2], values[5], values[-1]]
    return [0.0, -0.0, nan, inf, -inf, 1.5, -2.5, DENORMAL[dtype], float(LIMITS[dtype].max)]


def values_of(dtype):
    return floats(dtype) if dtype in FLOATS else integers(dtype)


def vector(dtype):
    return tensor(dtype, values_of(dtype))


def column_and_row(a, b, left=None, right=None):
    """All pairs of two short lists, as broadcasting operands."""
    x = tensor(a, left or few(a))
    y = tensor(b, right or few(b))
    return x.reshape(-1, 1), y


def numbers(dtype, sizes, step=0.25, start=-2.0):
    """Quarters around zero: sums and products of a few are exact in f32."""
    count = 1
    for s in sizes:
        count *= s
    return tensor(dtype, [start + step * ((7 * i) % 29) for i in range(count)], sizes)


def whole(dtype, sizes):
    return numbers(dtype, sizes, 1, -3 if dtype != "u8" else 0)


# ---------------------------------------------------------------------------- writing


def hexadecimal(x):
    if math.isnan(x):
        return "nan"
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    mantissa, exponent = x.hex().split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa + "p" + exponent


def text(value):
    if isinstance(value, torch.Tensor) and value.is_complex():
        return text(torch.view_as_real(value.resolve_conj()))
    if isinstance(value, torch.Tensor):
        name = NAMES[value.dtype]
        flat = value.detach().reshape(-1)
        if name in FLOATS:
            elements = [hexadecimal(x) for x in flat.double().tolist()]
        else:
            elements = [str(int(x)) for x in flat.tolist()]
        return f"{name}[{', '.join(map(str, value.shape))}]{{{','.join(elements)}}}"
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text(v) for v in value) + "]"
    if isinstance(value, float):
        return hexadecimal(value)
    return str(value)


PARTS = {9: CODES["f32"], 10: CODES["f64"]}  # of complex dtypes
OF_PAIRS = "prim::complex_"  # how rows that take complex tensors as pairs begin


OF_REAL = "_of_real"  # how those end that take real tensors where others take pairs


def copy(value):
    if isinstance(value, torch.Tensor):
        return value.clone()
    return [copy(v) for v in value] if isinstance(value, list) else value


def operator(op):
    space, _, name = op.partition("::")
    name, _, overload = name.partition(".")
    return getattr(getattr(getattr(torch.ops, space), name), overload or "default")


def schema(op):
    name = op.partition(".")[0]
    for s in torch._C._jit_get_schemas_for_operator(name):
        if (f"{s.name}.{s.overload_name}" if s.overload_name else s.name) == op:
            return s
    raise KeyError(op)


def stated_schema(op):
    """PyTorch's text; but type_as and _cast_* and dropout may return self, unsafe_chunk,
    broadcast_tensors, atleast_1d and its kind give views, and batch_norm, native_batch_norm and
    instance_norm write their running statistics, which 1.13.1 denies."""
    stated = str(schema(op)).replace("SymInt", "int")
    if op == "aten::type_as" or op.startswith("aten::_cast_"):
        stated = stated.replace("(Tensor self", "(Tensor(a) self").replace(
            "-> Tensor", "-> Tensor(a)"
        )
    if op in ("aten::dropout", "aten::feature_dropout"):
        stated = stated.replace("(Tensor input", "(Tensor(a) input").replace(
            "-> Tensor", "-> Tensor(a)"
        )
    if op.startswith("aten::atleast_"):
        each = op.endswith(".Sequence")
        stated = stated.replace("(Tensor", "(Tensor(a -> *)" if each else "(Tensor(a)")
        stated = stated.replace("-> Tensor", "-> Tensor(a)")
    if op == "aten::broadcast_tensors":
        stated = stated.replace("(Tensor[]", "(Tensor(a -> *)[]").replace(
            "-> Tensor[]", "-> Tensor(a)[]"
        )
    if op == "aten::unsafe_chunk":
        stated = stated.replace("(Tensor self", "(Tensor(a -> *) self").replace(
            "Tensor[]", "Tensor(a)[]"
        )
    if op in ("aten::batch_norm", "aten::instance_norm", "aten::native_batch_norm"):
        stated = stated.replace("Tensor? running_mean", "Tensor(a!)? running_mean")
        stated = stated.replace("Tensor? running_var", "Tensor(b!)? running_var")
    return stated


def from_lists(values, code=None):
    try:
        return [torch.tensor(values, dtype=None if code is None else BY_CODE[code])]
    except ValueError:
        return "error"


def ask_graph(op, args):
    """Rows on values of any type, which no call from Python reaches: in a graph."""
    names = {torch.Tensor: "Tensor", type(None): "NoneType"}
    heads = [f"%{i} : {names.get(type(a), type(a).__name__)}" for i, a in enumerate(args)]
    inputs = ", ".join(f"%{i}" for i in range(len(args)))
    result = schema(op).returns[0].type
    graph = (
        f"graph({', '.join(heads)}):\n  %r : {result} = {op.partition('.')[0]}({inputs})\n"
        "  return (%r)\n"
    )
    return [torch._C._create_function_from_graph("f", torch._C.parse_ir(graph))(*args)]


DTYPE_ARGUMENTS = ("dtype", "type1", "type2", "cuda_dtype", "cpu_dtype")
CODED = ("aten::to.prim_dtype", "aten::to.prim_Device")  # their dtype is an int, also from Python


def ask(op, args):
    """PyTorch's answer: a list of results, or 'error', or None where 1.13.1 has no kernel."""
    if op in (
        "aten::tensor",
        "aten::as_tensor.list",
    ):  # from Python, lists of any type reach no operator
        return from_lists(*args)
    if any(str(a.type).startswith("t") for a in schema(op).arguments):
        return ask_graph(op, args)
    formal = schema(op).arguments
    positional, named = [], {}
    for a, value in zip(formal, args):
        value = copy(value)
        if a.name in DTYPE_ARGUMENTS and value is not None and op not in CODED:
            value = BY_CODE[value]
        if op == "aten::can_cast":
            value = BY_CODE[value]
        if a.kwarg_only:
            named[a.name] = value
        else:
            positional.append(value)
    try:
        result = operator(op)(*positional, **named)
    except (RuntimeError, IndexError, NotImplementedError, ValueError, ZeroDivisionError) as error:
        message = str(error)
        if "not implemented for 'Half'" in message or "not implemented for 'BFloat16'" in message:
            return None
        return "error"
    if not schema(op).returns:
        return []
    if isinstance(result, tuple):
        return list(result)
    return [result]


class Samples:
    """The lines of one family."""

    def __init__(self):
        self.lines = []

    def add(self, op, *args, arrow="=>"):
        asked = op.replace(OF_PAIRS, "aten::").removesuffix(OF_REAL)
        answer = ask(asked, args)
        if answer is None:
            return
        if op.startswith(OF_PAIRS):
            formals = schema(asked).arguments
            args = [PARTS.get(v, v) if a.name == "dtype" else v for a, v in zip(formals, args)]
        right = "error" if answer == "error" else ", ".join(text(r) for r in answer)
        line = f"{op}| {', '.join(text(a) for a in args)} {arrow} {right}"
        if line not in self.lines:
            self.lines.append(line)

    def both(self, op, *args, arrow="=>", inplace=None):
        """The op and its in-place form."""
        self.add(op, *args, arrow=arrow)
        name, dot, overload = op.partition(".")
        self.add(inplace or name + "_" + dot + overload, *args, arrow=arrow)


def bound_text(b):
    return f"~{hexadecimal(b)}>"
