"""Arrays under ATen's rules, of any library that resembles NumPy: conversion, promotion, and what
is declined. A worker has one Library; what workers share takes it as `lib`, and the library's
functions (jax.numpy, mlx.core) as `lib.np`."""

from functools import partial

from aten import common_dtype, kind, need, wide
from fusillade_worker import CODE, ITEM_SIZE, Scalar


class Library:
    """What every library does in the same way; the first names are for a subclass to say."""

    np = None  # its functions
    array = None  # the class of its arrays
    least_of_products = 1  # bools are 0, integers 1, floats 2: what products take

    def dtype(self, name):
        """A dtype as the library's functions take it."""
        return name

    def dtype_of(self, x):
        """The dtype's name."""
        return str(x.dtype)

    def number(self, v, dtype):
        """A plain number in a dtype: ints wrap, as ATen's do."""
        raise NotImplementedError

    def cast(self, x, dtype):
        return x.astype(dtype)

    def nothing(self, x):
        """The zero that elements are compared with, where their truth is asked."""
        return 0

    def __init__(self):
        self.ops = {}
        # of the call being traced: what ATen raises for and the library does not, and what nobody
        # promises
        self.checks = []

    def op(self, *names):
        def add(function):
            self.ops.update(dict.fromkeys(names, function))
            return function

        return add

    def of(self, table):
        """Functions that take a library, given this one."""
        return {name: partial(function, self) for name, function in table.items()}

    def check(self, bad, why):
        """A call with an element for which `bad` holds is declined, once it has run."""
        self.checks.append((self.np.any(bad), why))

    def is_tensor(self, v):
        return isinstance(v, self.array)

    def to(self, v, dtype):
        """Conversion of an array; what no integer holds is nobody's promise."""
        return self.cast(v, dtype) if self.is_tensor(v) else self.number(v, dtype)

    def zero(self, x):
        return self.number(0, self.dtype_of(x))

    def truth(self, x):
        return x != self.nothing(x)

    def where(self, c, a, b):
        return self.np.where(c, a, b)

    def clip_between(self, x, low, high):
        where = self.where
        return where(where(x < low, low, x) > high, high, where(x < low, low, x))

    def common(self, *operands):
        return common_dtype(
            [
                (self.dtype_of(o), o.ndim) if self.is_tensor(o) else o
                for o in operands
                if o is not None
            ]
        )

    def in_float(self, function, promote=True, silent=0, halves=False):
        """Computed in floats; integers become float32. The last `silent` arguments take no part in
        promotion. `halves`: one step, which the library itself takes in 16 bits."""

        def run(*args, **named):
            deciding = args[: len(args) - silent] if silent else args
            dtype = self.common(*deciding)
            if kind(dtype) < 2:
                need(promote, "integers")
                dtype = "float32"
            inner = dtype if halves else wide(dtype)
            out = function(*[None if a is None else self.to(a, inner) for a in args], **named)
            return self.cast(out, dtype)

        return run

    def in_common(self, function, bools=True, integers=None, halves=False):
        """Computed in the operands' common dtype; `integers` is the formula for those."""

        def run(*args, **named):
            dtype = self.common(*args)
            need(bools or dtype != "bool", "bools")
            chosen = integers if integers and kind(dtype) < 2 else function
            inner = dtype if halves else wide(dtype)
            return self.cast(chosen(*[self.to(a, inner) for a in args], **named), dtype)

        return run

    def in_wide(self, function):
        """Of the first argument's floats, in 32 bits where they have 16."""

        def run(x, *args, **named):
            need(kind(self.dtype_of(x)) == 2, "integers")
            w = wide(self.dtype_of(x))

            def widen(a):
                floats = self.is_tensor(a) and kind(self.dtype_of(a)) == 2
                return self.to(a, w) if floats else a

            args, named = [widen(a) for a in args], {k: widen(a) for k, a in named.items()}
            return self.cast(function(self.cast(x, w), *args, **named), self.dtype_of(x))

        return run

    def product(self, function):
        """Of one dtype; 16-bit floats accumulate in 32 bits."""

        def run(*args, **named):
            dtype = self.dtype_of(next(a for a in args if self.is_tensor(a)))
            need(
                kind(dtype) >= self.least_of_products
                and all(not self.is_tensor(a) or self.dtype_of(a) == dtype for a in args),
                "mixed dtypes" if self.least_of_products < 2 else "integers, or mixed dtypes",
            )

            def widen(a):
                return self.to(a, wide(dtype)) if self.is_tensor(a) else a

            args, named = [widen(a) for a in args], {k: widen(a) for k, a in named.items()}
            return self.cast(function(*args, **named), dtype)

        return run


def scalar_of(lib):
    """What programs ask of a library's arrays in plain numbers."""

    class ArrayScalar(Scalar):
        size = staticmethod(lambda t, *dim: t.shape[dim[0]] if dim else list(t.shape))
        dim = staticmethod(lambda t: t.ndim)
        dtype = staticmethod(lambda t: CODE[lib.dtype_of(t)])
        numel = staticmethod(lambda t: t.size)
        is_floating_point_ = staticmethod(lambda t: kind(lib.dtype_of(t)) == 2)
        requires_grad_ = staticmethod(lambda t: False)
        is_complex_ = staticmethod(lambda t: False)
        element_size_ = staticmethod(lambda t: ITEM_SIZE[lib.dtype_of(t)])
        len = staticmethod(len)
        item = staticmethod(lambda t: t.item())

    return ArrayScalar
