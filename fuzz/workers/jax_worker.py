"""JAX on XLA's CPU back end as a worker: ATen's ops said with jax.numpy and jax.lax
(docs/reference/workers.md).

    eager     op by op: a barrier to optimisation follows each, and LLVM optimises nothing; XLA
              fuses over barriers, without which a compile takes four times as long
    jit       the whole program in one jax.jit
    remat     jax.jit of jax.checkpoint: gradients compute again what they need
    vmap      jax.jit of jax.vmap over two different samples; the results are those of the second

Each is one compile, in which plain numbers are constants: a compile of every primitive takes 20
times as long. The request `grad:ENGINE` gives gradients by jax.vjp. Formulas are ATen's, term by
term, so that what differs is XLA. Arrays here are values: ops that write are not listed, and a view
is a copy. JAX raises for no index out of range: such a call is declined, and so is a program whose
plain numbers come from elements, which is not traced.
"""

import math
import os
import sys
from functools import partial

import jax
import jax.numpy as jnp
import jax_pointwise  # noqa: F401
import jax_shapes  # noqa: F401
import jax_tables  # noqa: F401
import numpy as np
from aten import need
from aten_arrays import scalar_of
from fusillade_worker import Declined, Ops, Parts, Worker, serve, vectors
from jax_arrays import JAX, OPS, is_tensor, number
from jax_source import source_of

UNOPTIMISED = {"xla_backend_optimization_level": 0}
# XLA's own switches, away from their defaults.
SWITCHES = {
    "xla_allow_excess_precision": [False],
    "xla_backend_optimization_level": [1, 2],
    "xla_cpu_copy_insertion_use_region_analysis": [True],
    "xla_cpu_enable_concurrency_optimized_scheduler": [False, True],
    "xla_cpu_enable_platform_dependent_math": [False, True],
    "xla_cpu_max_isa": ["SSE4_2", "AVX2"],
    "xla_cpu_parallel_codegen_split_count": [1, 4],
    "xla_cpu_prefer_vector_width": [128, 512],
    "xla_cpu_strict_dot_conv_math": [True],
    "xla_cpu_use_fusion_emitters": [False, True],
    "xla_cpu_use_onednn": [False, True],
    "xla_cpu_use_xnnpack": [False, True],
    "xla_disable_hlo_passes": ["algsimp", "cse", "fusion", "reshape-mover"],
    "xla_eliminate_hlo_implicit_broadcast": [False, True],
    "xla_llvm_disable_expensive_passes": [True],
    "xla_reduce_window_rewrite_base_length": [4],
}
GRADIENTS = "grad:"  # and an engine: a request for the gradients of a program under it
CONTRACT = {
    "gradients": True,
    "flushes_subnormals": True,  # XLA sets the processor so
    # Measured over 80,000 arguments of each dtype, and about doubled; a constant divisor becomes a
    # factor.
    "ulp": {
        "div": 3,
        "expm1": 12,
        "log1p": 256,
        "tanh": 16,
        "sinh": 64,
        "cosh": 64,
        "erf": 16,
        "erfc": 40,
        "lgamma": 40,
        "log2": 5,
        "log10": 5,
        "asin": 5,
    },
}


def alone(function):
    def run(*args, **named):
        return jax.lax.optimization_barrier(function(*args, **named))

    return run


class JaxOps(Ops):
    scalar = scalar_of(JAX)

    def dtype(self, name):
        return jnp.dtype(name)

    def tensor(self, dtype, sizes, elements):
        return number(elements, dtype).reshape(sizes)


class Traced:
    """A program as a function of its arrays. What else it gives, and what its checks say, is known
    once it is traced."""

    def __init__(self, ops, program, leaves, tree):
        self.ops, self.function, self.tree = ops, program.function, tree
        self.leaves = [... if is_tensor(v) else v for v in leaves]
        self.key = repr(self.leaves), tree
        self.out = self.values = self.checks = None

    def run(self, *arrays):
        given = iter(arrays)
        JAX.checks.clear()
        whole = [next(given) if v is ... else v for v in self.leaves]
        results = self.function(self.ops, *jax.tree.unflatten(self.tree, whole))
        out, self.out = jax.tree.flatten(results, is_leaf=lambda v: v is None)
        self.values = [None if is_tensor(v) else (v,) for v in out]
        self.checks = [why for _, why in JAX.checks]
        return [v for v in out if is_tensor(v)], [bad for bad, _ in JAX.checks]

    def whole(self, arrays):
        arrays = iter(arrays)
        return jax.tree.unflatten(
            self.out, [next(arrays) if v is None else v[0] for v in self.values]
        )


def gradients(function, seeds, *arrays):
    """Of the results of f64, with these gradients, by each array of f64; and the checks."""
    places = [i for i, a in enumerate(arrays) if a.dtype == jnp.float64]
    need(places, "no argument of f64")

    def of_doubles(*doubles):
        whole = list(arrays)
        for i, a in zip(places, doubles):
            whole[i] = a
        results, bad = function(*whole)
        return [r for r in results if r.dtype == jnp.float64], bad

    results, walk_back, bad = jax.vjp(of_doubles, *[arrays[i] for i in places], has_aux=True)
    need(
        len(results) == len(seeds) and all(r.shape == s.shape for r, s in zip(results, seeds)),
        "other results",
    )
    return list(walk_back(list(seeds))), bad


def over_samples(function):
    """Two of them; what one takes of the other is seen."""

    def run(*arrays):
        others = [jnp.flip(a) for a in arrays]
        results, bad = jax.vmap(function)(*map(jnp.stack, zip(others, arrays)))
        return [r[1] for r in results], [jnp.any(b) for b in bad]

    return run


UNDER = {"remat": jax.checkpoint, "vmap": over_samples}


class Jax(Worker):
    name, version = "JAX", jax.__version__
    build = {
        "python": sys.executable,
        "isa": vectors(),
        "threads": str(len(os.sched_getaffinity(0))),
        "blas": "Eigen",
        "jaxlib": jax.lib.__version__,
        **({"XLA_FLAGS": os.environ["XLA_FLAGS"]} if "XLA_FLAGS" in os.environ else {}),
    }
    engines = dict.fromkeys(["eager", "jit", "remat", "vmap"])
    ops = JaxOps(OPS)
    alone = JaxOps({name: alone(function) for name, function in OPS.items()})
    contract = dict.fromkeys(engines, CONTRACT)
    options = dict.fromkeys(("jit", "remat", "vmap"), SWITCHES)

    def memory(self, dtype, data):
        return np.frombuffer(data, jnp.dtype(dtype))

    def view(self, memory, sizes, strides, offset):
        inside = memory[min(offset, len(memory)) :]
        return jnp.array(
            np.lib.stride_tricks.as_strided(inside, sizes, [s * memory.itemsize for s in strides])
        )

    def is_tensor(self, value):
        return is_tensor(value)

    def parts(self, t):
        strides = [math.prod(t.shape[d + 1 :]) for d in range(t.ndim)]
        return Parts(str(t.dtype), t.shape, strides, 0, None, lambda: np.asarray(t).tobytes())

    def run(self, engine, program, call):
        """Arrays are traced; what else there is among arguments and results is part of the
        function."""
        of_gradients = engine.startswith(GRADIENTS)
        engine = engine.removeprefix(GRADIENTS)
        arguments = call.arguments()
        seeds = tuple(arguments.pop()) if of_gradients else ()
        leaves, tree = jax.tree.flatten(arguments, is_leaf=lambda v: v is None)
        arrays = [v for v in leaves if is_tensor(v)]
        need(arrays, "no arrays")
        if engine == "source":
            return [self.source(program, arrays, leaves, tree)], {}
        traced = Traced(self.alone if engine == "eager" else self.ops, program, leaves, tree)
        key = (engine, of_gradients, repr(call.options), traced.key)
        if key not in program.kept:
            options = UNOPTIMISED if engine == "eager" else call.options or None
            function = UNDER.get(engine, lambda whole: whole)(traced.run)
            whole = partial(gradients, function) if of_gradients else function
            program.kept[key] = jax.jit(whole, compiler_options=options), traced
        function, traced = program.kept[key]
        given = (seeds, *arrays) if of_gradients else arrays
        try:
            results, bad = self.timed(lambda: jax.block_until_ready(function(*given)))
        except (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError):
            raise Declined("plain numbers are read from elements") from None
        for flag, why in zip(bad, traced.checks):
            need(not flag, why)
        return (results if of_gradients else traced.whole(results)), {}

    def source(self, program, arrays, leaves, tree):
        def whole(*traced):
            given = iter(traced)
            results = program.function(
                self.ops,
                *jax.tree.unflatten(tree, [next(given) if is_tensor(v) else v for v in leaves]),
            )
            return [v for v in jax.tree.leaves(results) if is_tensor(v)]

        return source_of(jax.make_jaxpr(whole)(*arrays))

    def forget(self, program):
        self.forgotten = getattr(self, "forgotten", 0) + 1
        if self.forgotten % 256 == 0:
            jax.clear_caches()


if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(Jax())
