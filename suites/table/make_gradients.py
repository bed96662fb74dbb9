#!/usr/bin/python3
"""Writes gradients/FAMILY.txt: PyTorch's gradients of the calls of make_samples.py, one call a
line.

Run with an interpreter that has PyTorch (Debian's python3-torch, 1.13.1):

    /usr/bin/python3 suites/table/make_gradients.py            # every family
    /usr/bin/python3 suites/table/make_gradients.py casts      # one

Grammar of a line ('#' starts a comment line), with the values of make_samples.py:
    line = row '|' values ' ~> ' values
Right of the arrow is, for each tensor of floats among the arguments (within lists too), its
gradient of a weighted sum of the results, or None where PyTorch gives none. The weight of element i
of the k-th result is 1 + ((i + 2k) % 5) / 4. f32 arguments are f64 here, so that the answers are
exact as far as anybody needs; calls of other float dtypes are left out, and so are those whose
results' values depend on a choice (vectors of a factorisation), or whose gradients do. Of each op
a few calls are kept: the first that differ in the kinds of their arguments, and those with special
values.
"""

import argparse
import os

import torch
from make_samples import FAMILIES
from sample_text import BY_CODE, CODED, Samples, copy, operator, schema, text

MOST = 6  # calls of one op in one family
LARGEST = 128  # elements of all arguments
# Not asked: answers that are unique up to signs; cholesky_solve and cholesky_inverse, which read
# one half of a matrix and are given a gradient of both; pinv of the samples' matrices, which are
# singular; as_strided_scatter, whose gradient has elements that 1.13.1 never writes; ctc_loss,
# whose gradient there is that of the logits behind log_softmax. In-place and out= forms have tests
# of their own.
LEFT_OUT = (
    "svd",
    "eigh",
    "qr",
    "eig",
    "_unique",
    "empty",
    "as_strided_scatter",
    "ctc_loss",
    "cholesky_solve",
    "cholesky_inverse",
    "pinv",
)


def is_mistaken(op, args):
    """Where 1.13.1 is wrong: it divides by one element's degrees of freedom when an empty list of
    dimensions represents all; trigamma at its poles is a large number."""
    if op in ("aten::var.dim", "aten::std.dim"):
        return args[1] == []
    return op == "aten::digamma" and bool(((args[0] <= 0) & (args[0] == args[0].round())).any())


def at_a_corner(op, args):
    """A sum of singular values one of which is 0, where any gradient of a whole set is as good, and
    libraries choose."""
    if "nuclear_norm" not in op and "nuc" not in args:
        return False
    x = args[0].double()
    dims = next((a for a in args[1:] if isinstance(a, list) and len(a) == 2), [-2, -1])
    if x.dim() < 2 or not x.isfinite().all() or dims[0] == dims[1] or max(map(abs, dims)) > x.dim():
        return False
    values = torch.linalg.svdvals(x.movedim(dims, [-2, -1]))
    return values.numel() > 0 and bool((values[..., -1] <= 1e-9 * values[..., 0]).any())


def tensors_in(values):
    for v in values:
        if isinstance(v, torch.Tensor):
            yield v
        elif isinstance(v, (list, tuple)):
            yield from tensors_in(v)


def wide(value):
    """f32 as f64."""
    if isinstance(value, torch.Tensor):
        return value.to(torch.float64) if value.dtype == torch.float32 else value
    if isinstance(value, list):
        return [wide(v) for v in value]
    return value


def weighted_sum(results):
    total = torch.zeros((), dtype=torch.float64)
    for k, t in enumerate(results):
        if t.dtype.is_floating_point and t.requires_grad:
            weights = 1 + ((torch.arange(t.numel(), dtype=torch.float64) + 2 * k) % 5) / 4
            total = total + (t.reshape(-1).to(torch.float64) * weights).sum()
    return total


def gradients(op, args):
    """PyTorch's gradients by the float tensors of `args`, or None where the call has none."""
    args = [copy(wide(a)) for a in args]
    leaves = [t for t in tensors_in(args) if t.dtype == torch.float64]
    if not leaves or any(t.dtype in (torch.float16, torch.bfloat16) for t in tensors_in(args)):
        return None
    for t in leaves:
        t.requires_grad_()
    positional, named = [], {}
    for a, value in zip(schema(op).arguments, args):
        if a.name == "dtype" and value is not None and op not in CODED:
            value = BY_CODE[value]
        if a.kwarg_only:
            named[a.name] = value
        else:
            positional.append(value)
    try:
        result = operator(op)(*positional, **named)
        results = list(tensors_in(result if isinstance(result, (list, tuple)) else [result]))
        if any(t.dtype in (torch.float16, torch.bfloat16) for t in results):
            return None
        total = weighted_sum(results)
        if not total.requires_grad:
            return None
        grads = torch.autograd.grad(total, leaves, allow_unused=True)
    except (
        RuntimeError,
        IndexError,
        NotImplementedError,
        ValueError,
        ZeroDivisionError,
        TypeError,
    ):
        return None
    return args, [None if g is None else torch.zeros(g.shape, dtype=g.dtype) + g for g in grads]


class Gradients(Samples):
    """Collects the calls of a family, and asks for their gradients."""

    def __init__(self):
        super().__init__()
        self.kept = {}

    def add(self, op, *args, arrow="=>"):
        name = op.removeprefix("aten::").partition(".")[0]
        if not op.startswith("aten::") or name.endswith("_") or any(w in name for w in LEFT_OUT):
            return
        if (
            any(a.is_out for a in schema(op).arguments)
            or is_mistaken(op, args)
            or at_a_corner(op, args)
        ):
            return
        if sum(t.numel() for t in tensors_in(args)) > LARGEST:
            return
        kind = tuple(type(a).__name__ for a in args)
        kept = self.kept.setdefault(op, [])
        if len(kept) >= MOST or kept.count(kind) >= MOST // 2:
            return
        found = gradients(op, args)
        if found is None:
            return
        line = (
            f"{op}| {', '.join(text(a) for a in found[0])} ~> "
            f"{', '.join(text(g) for g in found[1])}"
        )
        if line not in self.lines:
            kept.append(kind)
            self.lines.append(line)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("family", nargs="*", help="(default: all)")
    given = parser.parse_args().family
    if unknown := [name for name in given if name not in FAMILIES]:
        parser.error(f"no family: {' '.join(unknown)}")
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gradients")
    os.makedirs(folder, exist_ok=True)
    for name in given or FAMILIES:
        g = Gradients()
        FAMILIES[name](g)
        path = os.path.join(folder, name + ".txt")
        if not g.lines:
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f"# Gradients by PyTorch {torch.__version__}; written by make_gradients.py.\n"
            )
            file.write("\n".join(g.lines) + "\n")
        print(f"{name}: {len(g.lines)}")


if __name__ == "__main__":
    main()
