"""ATen's rules of dtypes, dims and other arguments, for workers whose engine has rules of its
own."""

from fusillade_worker import ITEM_SIZE, Declined

KINDS = {"bool": 0, "uint8": 1, "int8": 1, "int16": 1, "int32": 1, "int64": 1}  # 2: floats
HALVES = ("float16", "bfloat16")


def kind(dtype):
    return KINDS.get(str(dtype), 2)


def wider(a, b):
    """The dtype for an element of dtype `a` and one of dtype `b`."""
    low, high = sorted((a, b), key=lambda d: (kind(d), ITEM_SIZE[d]))
    if {a, b} == {"uint8", "int8"}:
        return "int16"
    return "float32" if a != b and kind(low) == 2 and ITEM_SIZE[high] == 2 else high


def default_dtype(v):
    """Of a plain number."""
    return "bool" if type(v) is bool else "int64" if type(v) is int else "float32"


def common_dtype(operands):
    """Promotion of plain numbers and pairs (dtype, number of dims): tensors with dims decide, then
    those without, then plain numbers, unless what comes later is of a higher kind."""
    ranks = [None, None, None]
    for o in operands:
        rank, dtype = (0 if o[1] else 1, o[0]) if isinstance(o, tuple) else (2, default_dtype(o))
        ranks[rank] = dtype if ranks[rank] is None else wider(ranks[rank], dtype)
    found, *rest = [dtype for dtype in ranks if dtype is not None]
    for dtype in rest:
        found = wider(found, dtype) if kind(dtype) > kind(found) else found
    return found


def wide(dtype):
    """16-bit floats are computed in 32 bits and rounded once."""
    return "float32" if dtype in HALVES else dtype


def need(condition, why):
    if not condition:
        raise Declined(why)


def wrap_dim(d, rank):
    return d % rank if rank else 0


def dims_of(dim, rank):
    """Axes as a tuple; none given are all."""
    if dim is None or isinstance(dim, (list, tuple)) and not dim:
        return tuple(range(rank))
    return (
        tuple(d % rank if rank else 0 for d in ([dim] if isinstance(dim, int) else dim))
        if rank
        else ()
    )


def several(v, n):
    v = [v] if isinstance(v, (int, float)) else list(v)
    return v * n if len(v) == 1 else v


def with_overload(name):
    return name if "." in name else name + ".default"
