"""The words of PyTorch that bench/programs uses, over jax.numpy, so that jax.jit takes the same
source.

`install()` puts modules named torch into sys.modules of a process that has no other; a program
imported after that runs on values of class T, which hold traced arrays. What is written in place
gives its T another array; views are copies, so a program that writes through a view is not for
this. `flat(value)` gives the arrays of a result.
"""

import sys
import types

import jax
import jax.numpy as jnp


class T:
    def __init__(self, array):
        self.a = array

    dtype = property(lambda s: s.a.dtype)

    def __getitem__(self, at):
        return T(self.a[at])

    def __setitem__(self, at, value):
        self.a = self.a.at[at].set(raw(value))

    def __iadd__(self, other):
        self.a = self.a + raw(other)
        return self

    def size(self, dim=None):
        return list(self.a.shape) if dim is None else self.a.shape[dim]

    def to(self, dtype):
        return T(self.a.astype(dtype))

    def mean(self, dim, keep=False):
        return T(jnp.mean(self.a, dim, keepdims=keep))

    def t(self):
        return T(self.a.T)

    def transpose(self, x, y):
        return T(jnp.swapaxes(self.a, x, y))

    def reshape(self, *sizes):
        return T(self.a.reshape(sizes))

    view = reshape

    def unfold(self, dim, size, step):
        starts = jnp.arange(0, self.a.shape[dim] - size + 1, step)
        parts = [jnp.take(self.a, starts + i, dim) for i in range(size)]
        return T(jnp.stack(parts, -1))

    def unbind(self, dim):
        return [T(jnp.take(self.a, i, dim)) for i in range(self.a.shape[dim])]

    def chunk(self, n, dim):
        return [T(p) for p in jnp.split(self.a, n, dim)]


def raw(v):
    return v.a if isinstance(v, T) else v


def flat(value):
    return (
        [raw(value)]
        if not isinstance(value, (list, tuple))
        else [a for v in value for a in flat(v)]
    )


def lift(function):
    return lambda *args, **named: T(
        function(*map(raw, args), **{k: raw(v) for k, v in named.items()})
    )


for name in ("add", "sub", "mul", "truediv", "radd", "rsub", "rmul", "rtruediv", "gt"):
    setattr(
        T, f"__{name}__", lift(lambda x, y, name=name: getattr(jnp.asarray(x), f"__{name}__")(y))
    )


def batch_norm(x, running_mean, running_var, weight, shift, training):
    centred = x - jnp.mean(x, (0, 2, 3), keepdims=True)
    variance = jnp.mean(centred * centred, (0, 2, 3), keepdims=True)
    return centred * jax.lax.rsqrt(variance + 1e-5) * weight[:, None, None] + shift[:, None, None]


def conv2d(x, w, padding):
    return jax.lax.conv_general_dilated(x, w, (1, 1), [(padding, padding)] * 2)


class Module:
    """What assigns a parameter, or a module that has some, names it."""

    def parameters(self):
        return [p for _, p in self.named_values()]

    def named_values(self, prefix=""):
        for key, value in vars(self).items():
            if isinstance(value, T):
                yield prefix + key, value
            elif isinstance(value, Module):
                yield from value.named_values(prefix + key + ".")

    def __call__(self, *args):
        return self.forward(*args)


def module(name, **words):
    made = types.ModuleType(name)
    vars(made).update(words)
    sys.modules[name] = made
    return made


def install():
    words = {name: lift(getattr(jnp, name)) for name in ("exp", "tanh", "matmul")}
    words |= {
        "max": lift(jnp.maximum),
        "min": lift(jnp.minimum),
        "clamp": lift(lambda x, min: jnp.maximum(x, min)),
        "mm": lift(jnp.matmul),
        "bmm": lift(jnp.matmul),
        "sigmoid": lift(jax.nn.sigmoid),
        "relu": lift(lambda x: jnp.maximum(x, 0)),
        "rsqrt": lift(jax.lax.rsqrt),
        "amax": lift(lambda x, dim, keep: jnp.max(x, dim, keepdims=keep)),
        "sum": lift(lambda x, dim, keep: jnp.sum(x, dim, keepdims=keep)),
        "zeros": lift(lambda *sizes, dtype=jnp.float32: jnp.zeros(sizes, dtype)),
        "empty": lift(lambda *sizes: jnp.zeros(sizes, jnp.float32)),
        "randn": lift(lambda *sizes: jnp.zeros(sizes, jnp.float32)),  # state is given afterwards
        "stack": lambda parts: T(jnp.stack([raw(p) for p in parts])),
    }
    functional = module("torch.nn.functional", batch_norm=lift(batch_norm), conv2d=lift(conv2d))
    init = module("torch.nn.init", uniform_=lambda *_: None)
    nn = module("torch.nn", Module=Module, Parameter=lambda t: t, functional=functional, init=init)
    module("torch", Tensor=T, nn=nn, **words)
