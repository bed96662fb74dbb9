"""MLX's CPU back end as a worker: ATen's ops said with mlx.core (docs/reference/workers.md).

    eager     op by op: each is evaluated before the next
    compile   the whole program in one mx.compile, in which plain numbers are constants

mx.compile makes C++ of each group of element-wise ops and calls g++. The request `grad:ENGINE`
gives gradients by mx.vjp. Formulas are ATen's, term by term, where MLX has no op of that meaning.
Arrays here are values: ops that write are not listed, and a view is a copy. Declined are: indices
out of range, integers divided by 0, a program whose plain numbers come from elements (which is not
traced), matrices of integers, and float64 where MLX computes it in 32 bits (exp, sin, cos, erf and
what consists of these).
"""

import math
import os
import shutil
import sys

import mlx.core as mx
import mlx_pointwise  # noqa: F401
import mlx_shapes  # noqa: F401
import mlx_tables  # noqa: F401
from aten import need
from aten_arrays import scalar_of
from fusillade_worker import Declined, Ops, Parts, Worker, serve, vectors
from mlx_arrays import DTYPE, MLX, OPS, dtype_of, is_tensor, of_bytes, to_bytes

GRADIENTS = "grad:"  # and an engine: a request for the gradients of a program under it
# Measured over 80,000 arguments of each dtype, and about doubled.
CONTRACT = {
    "gradients": True,
    "half_steps_rounded": True,
    "flushes_subnormals": True,  # its exp does
    "ulp": {"exp": 128, "sin": 16, "cos": 200},
    "approximate": ["aten.erf.default", "aten.gelu.default", "aten.logcumsumexp.default"],
}
# What MLX raises where a function cannot be traced, or an op has no gradient.
UNTRACED = ("during function transformations", "cannot infer output shapes", "shapeless")
UNSAID = (
    "not implemented",
    "not yet implemented",
    "not supported",
    "not yet support",
    "unsupported data type",
)


def leaves_of(value, found):
    """Every leaf of lists, tuples and dicts, in order."""
    if isinstance(value, (list, tuple)):
        for v in value:
            leaves_of(v, found)
    elif isinstance(value, dict):
        for key in value:
            leaves_of(value[key], found)
    else:
        found.append(value)
    return found


def with_leaves(value, leaves):
    """The same lists, tuples and dicts with other leaves, taken from an iterator."""
    if isinstance(value, (list, tuple)):
        items = [with_leaves(v, leaves) for v in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {key: with_leaves(v, leaves) for key, v in value.items()}
    return next(leaves)


def alone(function):
    def run(*args, **named):
        out = function(*args, **named)
        mx.eval([v for v in leaves_of(out, []) if is_tensor(v)])
        return out

    return run


class MlxOps(Ops):
    scalar = scalar_of(MLX)

    def tensor(self, dtype, sizes, elements):
        if not elements:
            return mx.zeros(sizes, DTYPE[dtype])
        return MLX.numbers(elements, dtype).reshape(sizes)


class Traced:
    """A program as a function of its arrays. What else it gives, and what its checks say, is known
    once it is traced."""

    def __init__(self, ops, program, arguments):
        self.ops, self.function, self.arguments = ops, program.function, arguments
        self.given = [None if is_tensor(v) else (v,) for v in leaves_of(arguments, [])]
        self.out = self.values = self.checks = None

    def run(self, *arrays):
        arrays = iter(arrays)
        MLX.checks.clear()
        leaves = [next(arrays) if v is None else v[0] for v in self.given]
        self.out = self.function(self.ops, *with_leaves(self.arguments, iter(leaves)))
        out = leaves_of(self.out, [])
        self.values = [None if is_tensor(v) else (v,) for v in out]
        self.checks = [why for _, why in MLX.checks]
        return [v for v in out if is_tensor(v)], [bad for bad, _ in MLX.checks]

    def whole(self, arrays):
        arrays = iter(arrays)
        return with_leaves(
            self.out, iter([next(arrays) if v is None else v[0] for v in self.values])
        )


def gradients(function, seeds, *arrays):
    """Of the results of f64, with these gradients, by each array of f64; and the checks."""
    places = [i for i, a in enumerate(arrays) if a.dtype == mx.float64]
    need(places, "no argument of f64")
    checks = []

    def of_doubles(*doubles):
        whole = list(arrays)
        for i, a in zip(places, doubles):
            whole[i] = a
        results, bad = function(*whole)
        checks[:] = [mx.stop_gradient(b) for b in bad]
        # A product each, since mx.vjp loses the gradient of one of two results that are one array
        # (mlx032_vjp_of_one_output_twice.py). No op and no message tells that from other gradients,
        # so no mute list could pass over it alone.
        results = [r * 1 for r in results if r.dtype == mx.float64]
        need(
            len(results) == len(seeds) and all(r.shape == s.shape for r, s in zip(results, seeds)),
            "other results",
        )
        return results + checks

    primals = [arrays[i] for i in places]
    shapes = of_doubles(*primals)[len(seeds) :]
    whole = [*seeds, *[mx.zeros(c.shape, c.dtype) for c in shapes]]
    out, found = mx.vjp(of_doubles, primals, whole)
    return found, out[len(seeds) :]


class Mlx(Worker):
    name, version = "MLX", mx.__version__
    build = {
        "python": sys.executable,
        "isa": vectors(),
        "threads": str(len(os.sched_getaffinity(0))),
    }
    engines = {
        "eager": None,
        "compile": None if shutil.which("g++") else "it needs g++, with which it compiles",
    }
    ops = MlxOps(OPS)
    alone = MlxOps({name: alone(function) for name, function in OPS.items()})
    contract = dict.fromkeys(engines, CONTRACT)
    options = {"compile": {"shapeless": [True]}}

    def memory(self, dtype, data):
        return of_bytes(data, dtype)

    def view(self, memory, sizes, strides, offset):
        if not math.prod(sizes):
            return mx.zeros(sizes, memory.dtype)
        x = mx.as_strided(memory, sizes, strides, offset)
        mx.eval(x)
        return x

    def is_tensor(self, value):
        return is_tensor(value)

    def parts(self, t):
        strides = [math.prod(t.shape[d + 1 :]) for d in range(t.ndim)]
        return Parts(dtype_of(t), t.shape, strides, 0, None, lambda: to_bytes(t))

    def run(self, engine, program, call):
        """Arrays are traced; what else there is among arguments and results is part of the
        function."""
        of_gradients = engine.startswith(GRADIENTS)
        engine = engine.removeprefix(GRADIENTS)
        arguments = call.arguments()
        seeds = list(arguments.pop()) if of_gradients else []
        arrays = [v for v in leaves_of(arguments, []) if is_tensor(v)]
        need(arrays, "no arrays")
        key = (engine, of_gradients, repr(call.options), self.key(arguments))
        if key not in program.kept:
            traced = Traced(self.alone if engine == "eager" else self.ops, program, arguments)
            function = self.with_gradients(traced, len(seeds)) if of_gradients else traced.run
            if engine == "compile":
                function = mx.compile(function, **call.options)
            program.kept[key] = function, traced
        function, traced = program.kept[key]
        results, bad = self.timed(self.evaluate, function, [*seeds, *arrays])
        for flag, why in zip(bad, traced.checks):
            need(not flag.item(), why)
        return (results if of_gradients else traced.whole(results)), {}

    @staticmethod
    def key(arguments):
        """What a compiled function depends on."""
        return repr(
            with_leaves(
                arguments,
                iter(
                    (dtype_of(v), v.shape) if is_tensor(v) else v for v in leaves_of(arguments, [])
                ),
            )
        )

    @staticmethod
    def with_gradients(traced, seeds):
        return lambda *given: gradients(traced.run, given[:seeds], *given[seeds:])

    @staticmethod
    def evaluate(function, arrays):
        try:
            out = function(*arrays)
            mx.eval(out)
            return out
        except (ValueError, RuntimeError) as e:
            text = str(e).lower()
            if any(words in text for words in UNTRACED):
                raise Declined("it is not traced\n" + str(e)) from None
            if any(words in text for words in UNSAID):
                raise Declined("MLX has it not\n" + str(e)) from None
            raise


if __name__ == "__main__":
    serve(Mlx())
