"""A traced program of JAX as the Python that people write: what scripts of findings contain.

    { lambda ; a:f32[3]. let b = le a 0.0; c = exp a; d = select_n b a c in (d,) }

becomes

    def f(x0): return jnp.where(x0 <= 0.0, lax.exp(x0), x0)

Calls are inlined, what no result needs is left out, and what is used once is written where it is
used.
"""

import enum

import numpy as np
from aten import need
from jax import lax
from jax.extend.core import Literal

COLUMNS, INLINED = 100, 60
INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
    "and": "&",
    "or": "|",
    "xor": "^",
}
# of no matter here
PLAIN = {
    "accuracy",
    "out_dtype",
    "sharding",
    "out_sharding",
    "weak_type",
    "preferred_element_type",
}
PARAMETERS = {  # as arguments of lax.NAME, in its order
    "integer_pow": ["y"],
    "broadcast_in_dim": ["shape", "broadcast_dimensions"],
    "concatenate": ["dimension"],
    "slice": ["start_indices", "limit_indices", "strides"],
    "pad": ["padding_config"],
    "rev": ["dimensions"],
    "transpose": ["permutation"],
    "squeeze": ["dimensions"],
    "reduce_sum": ["axes"],
    "reduce_max": ["axes"],
    "reduce_min": ["axes"],
    "reduce_prod": ["axes"],
    "reduce_and": ["axes"],
    "reduce_or": ["axes"],
    "cumsum": ["axis", "reverse"],
    "cumprod": ["axis", "reverse"],
    "cummax": ["axis", "reverse"],
    "cummin": ["axis", "reverse"],
    "cumlogsumexp": ["axis", "reverse"],
}
# the rest says its name
SCATTER = (
    "dimension_numbers",
    "indices_are_sorted",
    "unique_indices",
    "mode",
)
INNER = ("jaxpr", "call_jaxpr", "fun_jaxpr")


def number(value, dtype=None):
    value = np.asarray(value)
    text = repr(value.item())
    if value.dtype.kind in "fV" and not np.isfinite(float(value)):
        text = f'float("{text}")'
    return f"jnp.{dtype}({text})" if dtype else f"({text})" if text.startswith("-") else text


def parameter_text(value):
    """A parameter of a primitive as Python; None where there is none."""
    if isinstance(value, enum.Enum):
        kind = type(value).__name__
        return f"lax.{kind}.{value.name}" if hasattr(lax, kind) else None
    if isinstance(value, (np.dtype, type)):
        try:
            return f'jnp.dtype("{np.dtype(value)}")'
        except TypeError:
            return None
    fields = getattr(value, "_fields", None)
    if isinstance(value, tuple):
        items = [parameter_text(v) for v in value]
        if None in items:
            return None
        if fields is None:
            return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"
        kind = type(value).__name__
        said = ", ".join(f"{k}={v}" for k, v in zip(fields, items))
        return f"lax.{kind}({said})" if hasattr(lax, kind) else None
    if isinstance(value, (float, np.generic)):
        return number(value)
    plain = isinstance(value, (int, str, type(None))) and "<" not in repr(value)
    return repr(value) if plain else None


class Source:
    def __init__(self):
        self.lines, self.names, self.count, self.uses = [], {}, 0, {}

    def operand(self, v, typed=False):
        if isinstance(v, Literal):
            return number(v.val, v.aval.dtype if typed else None)
        return self.names[v]

    def line(self, text):
        self.lines.append("    " + text)

    def eqns(self, jaxpr):
        """What the results need, in order; counts the uses."""
        wanted, kept = {}, []
        for v in jaxpr.outvars:
            wanted[v] = wanted.get(v, 0) + 1 if not isinstance(v, Literal) else 0
        for e in reversed(jaxpr.eqns):
            if not any(v in wanted for v in e.outvars):
                continue
            kept.append(e)
            for v in e.invars:
                if not isinstance(v, Literal):
                    wanted[v] = wanted.get(v, 0) + (1 if self.inner(e) is None else 2)
        self.uses.update(wanted)
        return kept[::-1]

    @staticmethod
    def inner(e):
        if e.primitive.name in ("jit", "pjit", "closed_call", "custom_jvp_call", "custom_vjp_call"):
            return next((e.params[k] for k in INNER if k in e.params), None)
        return None

    def body(self, jaxpr):
        for e in self.eqns(jaxpr):
            inner = self.inner(e)
            if inner is not None:
                closed = inner.jaxpr if hasattr(inner, "jaxpr") else inner
                need(not getattr(inner, "consts", ()), "constants of a function")
                self.names.update((p, self.operand(v)) for p, v in zip(closed.invars, e.invars))
                self.body(closed)
                self.names.update((v, self.operand(r)) for v, r in zip(e.outvars, closed.outvars))
                continue
            text = self.expression(e)
            if len(e.outvars) == 1 and self.uses.get(e.outvars[0]) == 1 and len(text) < INLINED:
                self.names[e.outvars[0]] = text
                continue
            for v in e.outvars:
                self.names[v] = f"v{self.count}"
                self.count += 1
            self.line(", ".join(self.names[v] for v in e.outvars) + " = " + text)

    def expression(self, e):
        name, params = e.primitive.name, {k: v for k, v in e.params.items() if k not in PLAIN}
        literal = [isinstance(v, Literal) for v in e.invars]
        loose = [self.operand(v, typed=all(literal)) for v in e.invars]
        if name in INFIX:
            return f"({loose[0]} {INFIX[name]} {loose[1]})"
        args = [self.operand(v, typed=True) for v in e.invars]
        if name == "select_n" and len(args) == 3:
            return f"jnp.where({args[0]}, {args[2]}, {args[1]})"
        if name == "convert_element_type":
            return f'lax.convert_element_type({args[0]}, "{np.dtype(params["new_dtype"])}")'
        if name == "reshape" and params.get("dimensions") is None:
            return f"lax.reshape({args[0]}, {params['new_sizes']})"
        if name == "iota":
            return (
                f'lax.broadcasted_iota("{np.dtype(params["dtype"])}", {params["shape"]}, '
                f"{params['dimension']})"
            )
        if name == "round":
            return f"lax.round({args[0]}, lax.RoundingMethod({int(params['rounding_method'])}))"
        if name == "dot_general":
            kind, precision = e.params.get("preferred_element_type"), params.get("precision")
            more = "" if precision is None else f", precision={parameter_text(precision)}"
            if kind is not None:
                more += f', preferred_element_type="{np.dtype(kind)}"'
            return f"lax.dot_general({args[0]}, {args[1]}, {params['dimension_numbers']}{more})"
        if name == "copy":
            return args[0]
        if set(params) <= set(PARAMETERS.get(name, ())) and hasattr(lax, name):
            if name == "concatenate":
                args = ["[" + ", ".join(args) + "]"]
            given = [repr(params[k]) for k in PARAMETERS.get(name, ()) if k in params]
            return f"lax.{name}({', '.join(args + given)})"
        if name.startswith("scatter"):
            given = [f"{k}={parameter_text(params[k])}" for k in SCATTER]
            return f"lax.{name.replace('-', '_')}({', '.join(args + given)})"
        words = {k: parameter_text(v) for k, v in e.params.items()}
        need(hasattr(lax, name + "_p") and None not in words.values(), "no Python for " + name)
        one = "[0]" if e.primitive.multiple_results and len(e.outvars) == 1 else ""
        return f"lax.{name}_p.bind({', '.join(args + [f'{k}={v}' for k, v in words.items()])}){one}"


def source_of(closed):
    """The function f of the text, over arrays; one result, or a tuple."""
    s, jaxpr = Source(), closed.jaxpr
    names = [f"x{i}" for i in range(len(jaxpr.invars))]
    s.names.update(zip(jaxpr.invars, names))
    for v, value in zip(jaxpr.constvars, closed.consts):
        value = np.asarray(value)
        need(
            value.size <= 16
            and (value.dtype.kind not in "fV" or np.isfinite(value.astype(float)).all()),
            "a large constant",
        )
        s.names[v] = f'jnp.array({value.tolist()}, "{value.dtype}")'
    s.body(jaxpr)
    results = [s.operand(v, typed=True) for v in jaxpr.outvars]
    result = results[0] if len(results) == 1 else "(" + ", ".join(results) + ")"
    head = f"def f({', '.join(names)}):"
    if not s.lines and len(head + result) < COLUMNS - 8:
        return f"{head} return {result}\n"
    return "\n".join([head, *s.lines, "    return " + result]) + "\n"
