"""NumPy as an engine: all that it takes to add one (docs/reference/workers.md).

fusillade fuzz --engine numpy=fuzz/workers/example.py --plan numpy:eager --policy chains --runs 1000
--min-yield 0 --out out/numpy
"""

import ctypes

import numpy as np
from fusillade_worker import ITEM_SIZE, Declined, Ops, Parts, Worker, serve

SAME_NAME = (
    "abs ceil cos cosh exp exp2 expm1 floor hypot isfinite isinf isnan log log10 log1p log2 "
    "maximum minimum reciprocal sin sinh sqrt square tan tanh trunc fmax fmin"
)
OPS = {f"{name}.default": getattr(np, name) for name in SAME_NAME.split()} | {
    "fmod.Tensor": np.fmod,
    "neg.default": np.negative,
    "acos.default": np.arccos,
    "asin.default": np.arcsin,
    "atan.default": np.arctan,
    "atan2.default": np.arctan2,
    "relu.default": lambda a: np.where(a < 0, a.dtype.type(0), a),
    "div.Tensor": np.divide,
    "div.Scalar": lambda a, b: a / a.dtype.type(b),
    "mul.Scalar": lambda a, b: a * a.dtype.type(b),
    "contiguous.default": lambda a, memory_format=None: np.ascontiguousarray(a),
    "expand_as.default": lambda a, b: np.broadcast_to(a, b.shape),
    "add.Tensor": lambda a, b, alpha=1: a + b * alpha,
    "sub.Tensor": lambda a, b, alpha=1: a - b * alpha,
    "mul.Tensor": np.multiply,
    "lt.Tensor": np.less,
    "le.Tensor": np.less_equal,
    "gt.Tensor": np.greater,
    "ge.Tensor": np.greater_equal,
    "eq.Tensor": np.equal,
    "ne.Tensor": np.not_equal,
    "where.self": np.where,
    "t.default": np.transpose,
    "transpose.int": np.swapaxes,
    "permute.default": np.transpose,
    "unsqueeze.default": np.expand_dims,
    "alias.default": lambda a: a[...],
    "detach.default": lambda a: a[...],
    "amax.default": lambda a, dim=(), keepdim=False: a.max(tuple(dim) or None, keepdims=keepdim),
}
NAMES = {np.dtype(name): name for name in ITEM_SIZE if name != "bfloat16"}


def same_dtype(function):
    """Tensors of one dtype that is not bool: promotion is NumPy's own, and so are its integers' and
    bools' rules."""

    def check_and_call(*args, **named):
        dtypes = {a.dtype for a in args if isinstance(a, np.ndarray)}
        if len(dtypes) > 1 or np.dtype(bool) in dtypes or not all(d.kind == "f" for d in dtypes):
            raise Declined("dtypes are promoted")
        if any(a.size == 0 or a.ndim == 0 for a in args if isinstance(a, np.ndarray)):
            raise Declined("no elements, or no dimensions")
        return np.asarray(function(*args, **named))

    return check_and_call


class NumPy(Worker):
    name, version = "NumPy", np.__version__
    engines = {"eager": None}
    contract = {"eager": {"half_steps_rounded": True}}
    ops = Ops({op: same_dtype(function) for op, function in OPS.items()})

    def memory(self, dtype, data):
        if dtype == "bfloat16":
            raise Declined("NumPy has no bfloat16")
        return np.frombuffer(data, dtype)

    def view(self, memory, sizes, strides, offset):
        inside = memory[min(offset, len(memory)) :]
        steps = [s * memory.itemsize for s in strides]
        return np.lib.stride_tricks.as_strided(inside, sizes, steps)

    def is_tensor(self, value):
        return isinstance(value, np.ndarray)

    def parts(self, t):
        whole = t  # the array that has the memory
        while isinstance(whole.base, np.ndarray):
            whole = whole.base
        start = whole.__array_interface__["data"][0]
        offset = t.__array_interface__["data"][0] - start
        dtype, strides = NAMES.get(t.dtype, str(t.dtype)), [s // t.itemsize for s in t.strides]
        memory, data = start if whole.size else None, lambda: ctypes.string_at(start, whole.nbytes)
        return Parts(dtype, t.shape, strides, offset // t.itemsize, memory, data)


if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(NumPy())
