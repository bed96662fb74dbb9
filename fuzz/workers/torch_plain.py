"""Plain Python under PyTorch: what a text gets that is judged by the oracle plain_python, beside
what all texts get (torch_source.py).

The harness has ten dtypes. A text may say which of its arguments are more than they look:

    fusillade_dtypes = {"x": "complex64", "n": "uint16"}

A complex argument is sent as pairs of floats, an unsigned one as signed integers of its width; what
is given back goes the same way. Runs in double precision have `exact` for their role: what the text
made of floats when it was loaded is doubled, too, and `changed`: moved a little. The role `shaken`
has other roundings.
"""

import ast
import contextlib
import math
import re

import torch
from fusillade_worker import ITEM_SIZE, Declined
from left_behind import MODULE
from torch.utils._python_dispatch import TorchDispatchMode
from torch_eager import storage_of

SAID = "fusillade_dtypes"
COMPLEX = {"complex64", "complex128"}
UNSIGNED = {"uint16": torch.int16, "uint32": torch.int32, "uint64": torch.int64}
CHANGE = 2.0**-18  # as the harness changes arguments
DRAWS = re.compile(r"rand|\bnormal_?\(|dropout|bernoulli|multinomial|poisson|rrelu", re.I)
WEIGHTS = (3, -2, 5, 1, -4, 2, -1, 6, -3, 4, -5)  # of results, in quarters: exact in every dtype
MOST_GRADIENTS = 64

# Operators that give elements of their operands, or numbers that they were given.
MOVES = re.compile(
    r"^_?(to_copy|clone|cat|stack|where|index|gather|scatter|select|slice|zeros|ones|full|empty|"
    r"new_|arange|fill|scalar_tensor|eye|tri[ul]|relu|max|min|amax|amin|clamp|sort|topk|flip|roll|"
    r"neg|abs|floor|ceil|round|trunc|sign|embedding|constant_pad|masked|repeat|rand|bernoulli|"
    r"uniform|normal)"
)


class Shaken(TorchDispatchMode):
    """Each result of an operator that rounds is moved by up to two units of its last place, the
    same ones in each run. Whole numbers are taken for exact."""

    def __init__(self):
        super().__init__()
        self.noise = torch.Generator().manual_seed(0)

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        results = op(*args, **(kwargs or {}))
        aliases = any(given.alias_info for given in op._schema.returns)
        if not aliases and not MOVES.match(op.__name__):
            for result in results if isinstance(results, (tuple, list)) else [results]:
                self.shake(result)
        return results

    def shake(self, t):
        if not isinstance(t, torch.Tensor) or not t.is_floating_point() or t.numel() == 0:
            return
        if bool((t == t.round()).all()):
            return
        units = torch.randint(-2, 3, t.size(), generator=self.noise)
        t.mul_(1 + units.to(t.dtype) * torch.finfo(t.dtype).eps)


def dtypes_said(tree, entry):
    """By the places of the entry's parameters."""
    said, places = {}, {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == SAID:
            said = ast.literal_eval(node.value)
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            places = {arg.arg: i for i, arg in enumerate(node.args.args)}
    if set(said.values()) - COMPLEX - set(UNSIGNED) or set(said) - set(places):
        raise ValueError(f"{SAID} names no parameter, or no dtype that is sent otherwise")
    return {places[name]: dtype for name, dtype in said.items()}


def over(t, dtype, sizes, strides, offset):
    """Over the same memory, and no view of `t`, which would be an input of another kind."""
    return torch.empty(0, dtype=dtype).set_(storage_of(t), offset, sizes, strides)


def as_said(t, dtype):
    if not isinstance(t, torch.Tensor):
        raise Declined(f"an argument that is no tensor of {dtype}")
    if dtype in UNSIGNED:
        if t.dtype != UNSIGNED[dtype]:
            raise Declined(f"an argument of {t.dtype} for {dtype}")
        return over(t, getattr(torch, dtype), t.size(), t.stride(), t.storage_offset())
    *sizes, pair = t.size()
    *strides, step = t.stride()
    whole = not any(s % 2 for s in (*strides, t.storage_offset()))
    if pair != 2 or step != 1 or not whole or not t.is_floating_point():
        raise Declined("an argument that is no pairs of numbers")
    dtype = torch.complex128 if t.dtype == torch.float64 else torch.complex64
    return over(t, dtype, sizes, [s // 2 for s in strides], t.storage_offset() // 2)


def as_sent(t):
    """A result as the harness takes it: a tensor of its dtypes, or a tuple that begins with what
    it is."""
    t = t.detach()
    if t.layout is not torch.strided:
        return (str(t.layout), as_sent(t.to_dense()))
    t = t.resolve_conj().resolve_neg()
    if t.is_complex():
        # Of a number that is not finite neither part is promised: both are NaN.
        whole = t.isfinite()
        t = t if whole.all() else t.masked_fill(~whole, complex(math.nan, math.nan))
        return ("complex", as_sent(torch.view_as_real(t)))
    name = str(t.dtype).removeprefix("torch.")
    if name in ITEM_SIZE or t.is_quantized:
        return t
    return (name, t.view(getattr(torch, f"int{8 * t.element_size()}")))


class Loaded:
    """The names of a text that was run: what of them computes in floats."""

    def __init__(self, names):
        self.modules = [v for v in names.values() if isinstance(v, torch.nn.Module)]
        self.names = {
            name: v
            for name, v in names.items()
            if type(v) in (torch.Tensor, torch.nn.Parameter) and v.is_floating_point()
        }

    def parameters(self):
        found = [p for m in self.modules for p in m.parameters()]
        found += [t for t in self.names.values() if t.requires_grad and t.is_leaf]
        return list({id(p): p for p in found if p.requires_grad}.values())

    def double(self, names, changed):
        """In double precision; `changed`: by up to 2^-18 of each element."""
        with torch.no_grad():
            for module in self.modules:
                module.double()
            for name, t in self.names.items():
                names[name] = t.double().requires_grad_(t.requires_grad)
            if not changed:
                return
            tensors = [t for m in self.modules for t in (*m.parameters(), *m.buffers())]
            for t in {id(t): t for t in (*tensors, *(names[n] for n in self.names))}.values():
                if t.is_floating_point() and t.numel():
                    by = torch.sin(torch.arange(t.numel(), dtype=torch.float64) * 7.3 + 1)
                    t.mul_(1 + CHANGE * by.reshape(t.shape))


def is_random(text):
    return bool(DRAWS.search(text))


def differentiable(value, found):
    """The tensors of floats within a result, complex ones as pairs."""
    if isinstance(value, torch.Tensor) and value.layout is torch.strided:
        if value.is_complex():
            value = torch.view_as_real(value)
        if value.is_floating_point() and len(found) < MOST_GRADIENTS:
            found.append(value)
    elif isinstance(value, (list, tuple)):
        for item in value:
            differentiable(item, found)
    elif isinstance(value, dict):
        differentiable(list(value.values()), found)
    return found


READERS = (
    "__bool__",
    "__int__",
    "__float__",
    "__index__",
    "__complex__",
    "item",
    "tolist",
    "numpy",
)


@contextlib.contextmanager
def elements_read():
    """A list of the floats that Python has read of tensors: what follows may depend on roundings,
    where runs in other precisions read other ones. None: what it read may have been decided by a
    float, a comparison's bool or a whole number."""
    found, before = [], {name: getattr(torch.Tensor, name) for name in READERS}

    def watch(reader):
        def read(tensor, *words, **named):
            alone = tensor.is_floating_point() and tensor.numel() == 1
            found.append(repr(before["item"](tensor)) if alone else None)
            return reader(tensor, *words, **named)

        return read

    own = {name for name in READERS if name in vars(torch.Tensor)}
    for name, reader in before.items():
        setattr(torch.Tensor, name, watch(reader))
    try:
        yield found
    finally:
        for name, reader in before.items():
            if name in own:
                setattr(torch.Tensor, name, reader)
            else:
                delattr(torch.Tensor, name)


def compiled_entry(entry, compiler):
    """A module is compiled as people do it: itself, and not a function that calls it."""
    names = getattr(entry, "names_of_text", {})
    if MODULE not in names:
        return compiler(entry)
    names[MODULE] = compiler(names[MODULE])
    return entry


def weighted_sum(results):
    """The sum of all their elements, each times a weight of its own."""
    total = 0
    for k, t in enumerate(results):
        if not t.requires_grad:
            continue
        places = (torch.arange(t.numel()) + k) % len(WEIGHTS)
        weights = torch.tensor(WEIGHTS, dtype=torch.float64)[places] / 4
        total = total + (t * weights.to(t.dtype).reshape(t.shape)).sum()
    return total


def gradients(function, arguments, parameters):
    """Of what the program returns, by its arguments of floats and by `parameters`. A program may
    write to its arguments, so they are no leaves."""
    addresses = [storage_of(t).data_ptr() for t in arguments if isinstance(t, torch.Tensor)]
    if len(set(addresses)) < len(addresses):
        raise Declined("arguments that share memory")
    leaves, given = [], []
    for a in arguments:
        floats = isinstance(a, torch.Tensor) and (a.is_floating_point() or a.is_complex())
        if floats:
            leaves.append(a.requires_grad_())
        given.append(a.clone() if floats else a)
    leaves += parameters
    if not leaves:
        raise Declined("nothing that a gradient is by")
    total = weighted_sum(differentiable(function(*given), []))
    if not isinstance(total, torch.Tensor):
        raise RuntimeError("no result requires a gradient")
    grads = torch.autograd.grad(total, leaves, allow_unused=True)
    # What depends on nothing has no gradient in one mode, and zeros in another.
    return tuple(
        as_sent(torch.zeros_like(leaf) if g is None else g) for g, leaf in zip(grads, leaves)
    )
