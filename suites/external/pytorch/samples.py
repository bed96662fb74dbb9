"""The operator database of the installed PyTorch (OpInfo), as archives.

A sample is one call that PyTorch's own tests make. `samples_of` gives those of an operator and a
dtype with PyTorch's results; `archive` traces many of them into one archive whose `forward()` takes
nothing and gives every tensor that they give: inputs are buffers of the module, so nothing is a
constant of the code.
"""

import random
import sys
import types
import unittest
import warnings
from dataclasses import dataclass, field

# PyTorch's test suites import it; nothing here calls it.
expecttest = types.ModuleType("expecttest")
expecttest.TestCase, expecttest.ACCEPT = unittest.TestCase, False
sys.modules.setdefault("expecttest", expecttest)

import numpy as np
import torch

# PyTorch's test suites read the command line when they are imported
_ours, sys.argv = sys.argv, sys.argv[:1]
from torch.testing._internal.common_device_type import toleranceOverride
from torch.testing._internal.common_methods_invocations import op_db  # noqa: F401

sys.argv = _ours
from torch.utils._pytree import tree_flatten, tree_map

DTYPES = (torch.float32, torch.float64, torch.int64, torch.bool, torch.float16, torch.bfloat16)
OURS = {*DTYPES, torch.uint8, torch.int8, torch.int16, torch.int32}
SEEDS = range(1, 4)  # a result that differs behind one of them is drawn at random
# where the call draws random numbers at all: a few of them may lead to one result
MORE_SEEDS = range(4, 30)
UNWRITTEN = "empty"  # in the name of an operator whose result holds what memory contained


@dataclass
class Sample:
    call: object  # of an operator, in its Python form
    given: tuple  # (args, kwargs), tensors in them
    results: list  # tensors, PyTorch's
    exact: list  # the same in float64 where there is more to know, else []
    drawn: bool  # at random: only dtypes and sizes are comparable
    # rtol, atol of the database, where it asks for less than the dtype's
    bounds: tuple = (
        0.0,
        0.0,
    )
    outside: str = ""  # why it is no sample for this engine
    trouble: str = field(default="")


def name_of(op):
    return op.name + (f" ({op.variant_test_name})" if op.variant_test_name else "")


def _tensors(tree):
    return [t for t in tree_flatten(tree)[0] if isinstance(t, torch.Tensor)]


def _copy(tree):
    # As PyTorch's own tests give it: sizes, strides and what lies between the elements.
    def one(t):
        if not isinstance(t, torch.Tensor):
            return t
        base = t.detach()
        whole = (
            torch.empty(0, dtype=t.dtype)
            .set_(
                base.storage() if not hasattr(base, "untyped_storage") else base.untyped_storage()
            )
            .clone()
        )
        return whole.as_strided(t.size(), t.stride(), t.storage_offset())

    return tree_map(one, tree)


def _outside(tensors):
    for t in tensors:
        if t.layout != torch.strided or t.is_quantized:
            return str(t.layout).replace("torch.", "") + " tensors"
        if t.dtype not in OURS:
            return (
                "complex numbers" if t.is_complex() else str(t.dtype).replace("torch.", "")
            ) + " tensors"
        if t.device.type != "cpu":
            return f"tensors on {t.device.type}"
    return ""


def _seed(number):
    torch.manual_seed(number)
    random.seed(number)
    np.random.seed(number)


def _call(call, given, seed):
    _seed(seed)
    args, kwargs = _copy(given)
    return _tensors(call(*args, **kwargs))


def _call_seeded(seed, call, given):
    """Also where the database's call sets a seed itself."""
    _seed(seed)
    args, kwargs = _copy(given)
    seeds, torch.manual_seed = torch.manual_seed, lambda number: None
    try:
        return _tensors(call(*args, **kwargs))
    finally:
        torch.manual_seed = seeds


def _draws(call, given):
    """Also where the database's call puts the generator back."""
    putting_back, torch.set_rng_state = torch.set_rng_state, lambda state: None
    try:
        _call_seeded(0, call, given)
        after = torch.get_rng_state()
    finally:
        torch.set_rng_state = putting_back
    _seed(0)
    return not torch.equal(after, torch.get_rng_state())


def _same(a, b):
    return len(a) == len(b) and all(
        x.dtype == y.dtype and x.shape == y.shape and bool(((x == y) | ((x != x) & (y != y))).all())
        for x, y in zip(a, b)
    )


def _exact(call, given, results):
    """The call on the same values in float64, integers becoming that too, where it is another
    computation of the same sizes."""
    if not any(t.dtype in (torch.float16, torch.bfloat16, torch.float32) for t in results):
        return []

    def wide(t):
        return t.double() if isinstance(t, torch.Tensor) and t.is_floating_point() else t

    torch.set_default_dtype(torch.float64)
    try:
        found = _call(call, tree_map(wide, _copy(given)), 0)
    except Exception:  # PyTorch need not take float64 here
        return []
    finally:
        torch.set_default_dtype(torch.float32)
    fits = len(found) == len(results) and all(a.shape == b.shape for a, b in zip(found, results))
    return [t.double() for t in found] if fits else []


def _bounds(op, dtype):
    rtol = atol = 0.0
    for info in op.decorators:
        for decorator in getattr(info, "decorators", [info]):
            if isinstance(decorator, toleranceOverride) and dtype in decorator.d:
                rtol, atol = max(rtol, decorator.d[dtype].rtol), max(atol, decorator.d[dtype].atol)
    return rtol, atol


def dtypes_of(op):
    supported = op.supported_dtypes("cpu")
    return [d for d in DTYPES if d in supported]


def samples_of(op, dtype, share=1, first=0):
    """One in `share` of them, from the one numbered `first` on; at least one where there is any."""
    _seed(0)
    bounds = _bounds(op, dtype)
    every = list(op.sample_inputs("cpu", dtype, requires_grad=False))
    for sample in every[first % min(share, len(every)) :: share] if every else []:
        yield _record(op, ((sample.input, *sample.args), sample.kwargs), bounds)


def _record(op, given, bounds):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out = Sample(op.op, given, [], [], False, bounds, _outside(_tensors(given)))
        if out.outside:
            return out
        try:
            out.results = [t.detach().clone() for t in _call(op.op, given, 0)]
            out.outside = _outside(out.results)
            if out.outside:
                return out
            again = [
                _call_seeded(seed, op.op, given)
                for seed in (*SEEDS, *(MORE_SEEDS if _draws(op.op, given) else ()))
            ]
        except Exception as error:  # any
            out.outside = f"PyTorch raises {type(error).__name__}"
            return out
        out.drawn = UNWRITTEN in op.name or not all(_same(out.results, other) for other in again)
        if not out.results:
            out.outside = "no tensor results"
        elif not out.drawn:
            out.exact = _exact(op.op, given, out.results)
    return out


class _Calls(torch.nn.Module):
    def __init__(self, samples):
        super().__init__()
        self.calls = [s.call for s in samples]
        self.trees = []
        count = 0
        for s in samples:
            leaves, spec = tree_flatten(_copy(s.given))
            for i, leaf in enumerate(leaves):
                if isinstance(leaf, torch.Tensor):
                    self.register_buffer(f"t{count}", leaf)
                    leaves[i] = Buffer(f"t{count}")
                    count += 1
            self.trees.append((leaves, spec))

    def forward(self):
        out = []
        for call, (leaves, spec) in zip(self.calls, self.trees):
            args, kwargs = spec_filled(
                [getattr(self, leaf.name) if isinstance(leaf, Buffer) else leaf for leaf in leaves],
                spec,
            )
            out += _tensors(call(*args, **kwargs))
        return tuple(out)


@dataclass
class Buffer:
    name: str


def spec_filled(leaves, spec):
    return torch.utils._pytree.tree_unflatten(leaves, spec)


def archive(samples, path):
    """Raises what tracing raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _seed(0)
        torch.jit.save(torch.jit.trace(_Calls(samples), (), check_trace=False), str(path))
