"""JAX on XLA's CPU back end as a worker: ATen's ops said with jax.numpy and jax.lax
(docs/reference/workers.md).

    eager     op by op: a barrier to optimisation follows each, and LLVM optimises nothing
    jit       the whole program in one jax.jit

Both are one compile, in which plain numbers are constants: a compile of every primitive takes 20
times as long. Formulas are ATen's, term by term, so that what differs is XLA. Arrays here are
values: ops that write are not listed, and a view is a copy. JAX raises for no index out of range:
such a call is declined, and so is a program whose plain numbers come from elements, which is not
traced.
"""

import math
import os
import sys

import jax
import jax.numpy as jnp
import jax_pointwise  # noqa: F401
import jax_shapes  # noqa: F401
import jax_tables  # noqa: F401
import numpy as np
from aten import kind, need
from fusillade_worker import CODE, Declined, Ops, Parts, Scalar, Worker, serve, vectors
from jax_arrays import CHECKS, OPS, is_tensor, number
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
CONTRACT = {
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


class JaxScalar(Scalar):
    size = staticmethod(lambda t, *dim: t.shape[dim[0]] if dim else list(t.shape))
    dim = staticmethod(lambda t: t.ndim)
    dtype = staticmethod(lambda t: CODE[str(t.dtype)])
    numel = staticmethod(lambda t: t.size)
    is_floating_point_ = staticmethod(lambda t: kind(t.dtype) == 2)
    requires_grad_ = staticmethod(lambda t: False)
    is_complex_ = staticmethod(lambda t: False)
    element_size_ = staticmethod(lambda t: t.dtype.itemsize)
    len = staticmethod(len)
    item = staticmethod(lambda t: t.item())


class JaxOps(Ops):
    scalar = JaxScalar

    def dtype(self, name):
        return jnp.dtype(name)

    def tensor(self, dtype, sizes, elements):
        return number(elements, dtype).reshape(sizes)


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
    engines = {"eager": None, "jit": None}
    ops = JaxOps(OPS)
    alone = JaxOps({name: alone(function) for name, function in OPS.items()})
    contract = dict.fromkeys(engines, CONTRACT)
    options = {"jit": SWITCHES}

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
        leaves, tree = jax.tree.flatten(call.arguments(), is_leaf=lambda v: v is None)
        arrays = [v for v in leaves if is_tensor(v)]
        need(arrays, "no arrays")
        if engine == "source":
            return [self.source(program, arrays, leaves, tree)], {}
        key = (engine, repr(call.options), repr([... if is_tensor(v) else v for v in leaves]), tree)
        if key not in program.kept:
            plain = {}

            def whole(*traced):
                given = iter(traced)
                CHECKS.clear()
                results = program.function(
                    self.alone if engine == "eager" else self.ops,
                    *jax.tree.unflatten(tree, [next(given) if is_tensor(v) else v for v in leaves]),
                )
                out, plain["tree"] = jax.tree.flatten(results, is_leaf=lambda v: v is None)
                plain["values"] = [None if is_tensor(v) else (v,) for v in out]
                plain["checks"] = [why for _, why in CHECKS]
                return [v for v in out if is_tensor(v)], [bad for bad, _ in CHECKS]

            program.kept[key] = (
                jax.jit(
                    whole,
                    compiler_options=UNOPTIMISED if engine == "eager" else call.options or None,
                ),
                plain,
            )
        function, plain = program.kept[key]
        try:
            results, bad = self.timed(lambda: jax.block_until_ready(function(*arrays)))
        except (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError):
            raise Declined("plain numbers are read from elements") from None
        for flag, why in zip(bad, plain["checks"]):
            need(not flag, why)
        results = iter(results)
        return jax.tree.unflatten(
            plain["tree"], [next(results) if v is None else v[0] for v in plain["values"]]
        ), {}

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
