"""Gradients under PyTorch's engines: the request `grad:ENGINE` (docs/reference/workers.md). The
last argument holds the gradients of the program's results of f64; what is given back are those of
its arguments of f64.

    eager, dynamo, aot, compile   torch.autograd.grad of what runs
    script, script(nnc)           the same, of TorchScript's function, after it was profiled
    functionalize, export         the same, of the function that was made
    vjp                           torch.func.vjp
    jvp                           torch.func.jvp, along each element of the arguments in turn
    vmap                          torch.vmap over torch.func.vjp: gradients of each of two samples
"""

import torch
from fusillade_worker import Declined
from torch_eager import storage_of
from torch_transforms import (
    OfTensors,
    another,
    decompose,
    functionalize,
    is_answerless,
    run_alone,
)

MOST_DIRECTIONS = 64  # of forward mode


def doubles(value):
    if isinstance(value, torch.Tensor):
        return [value] if value.dtype == torch.float64 else []
    return [t for item in value for t in doubles(item)] if isinstance(value, (list, tuple)) else []


class OfLeaves:
    """A program as a function of its arguments of f64, which gives its results of f64. It is called
    many times, and takes each time what was given; a transformation takes no writes to tensors that
    it was not given, so these are copied, too."""

    def __init__(self, program, ops, arguments):
        self.whole = OfTensors(program, ops, arguments)
        given = self.whole.given
        if len({storage_of(t).data_ptr() for t in given if t.numel()}) < sum(
            t.numel() > 0 for t in given
        ):
            raise Declined("arguments that share memory")
        self.indices = [i for i, t in enumerate(given) if t.dtype == torch.float64]
        self.leaves = [given[i] for i in self.indices]
        self.contiguous = [t.is_contiguous() for t in self.leaves]
        if not self.leaves:
            raise Declined("no argument of f64")

    def __call__(self, *leaves):
        tensors = [t.clone() for t in self.whole.given]
        for i, t, written in zip(self.indices, leaves, self.contiguous):
            tensors[i] = t.clone() if written else t
        self.whole(*tensors)
        return tuple(doubles(self.whole.results))


def require_same(results, seeds):
    if len(results) != len(seeds) or any(r.shape != s.shape for r, s in zip(results, seeds)):
        raise Declined("other results")


def backward(results, seeds, leaves):
    """Of results that autograd recorded."""
    require_same(results, seeds)
    recorded = [(r, s) for r, s in zip(results, seeds) if r.requires_grad]
    if not recorded:
        raise Declined("no result that requires a gradient")
    return torch.autograd.grad(
        [r for r, _ in recorded], leaves, [s for _, s in recorded], allow_unused=True
    )


def record(function, arguments, seeds):
    """Of a function of the program's arguments, run once."""
    leaves = [
        a.requires_grad_()
        for a in arguments
        if isinstance(a, torch.Tensor) and a.dtype == torch.float64
    ]
    with torch.enable_grad():
        given = [
            a.clone()
            if isinstance(a, torch.Tensor) and a.requires_grad and a.is_contiguous()
            else a
            for a in arguments
        ]
        return with_zeros(backward(doubles(function(*given)), seeds, leaves), leaves)


def with_zeros(grads, leaves):
    return [
        torch.zeros_like(leaf) if g is None else g.detach().contiguous()
        for g, leaf in zip(grads, leaves)
    ]


def reverse(function, leaves, seeds):
    results, walk_back = torch.func.vjp(function, *leaves)
    require_same(results, seeds)
    return walk_back(tuple(seeds))


def forward(function, leaves, seeds):
    """A run for each element of the leaves."""
    if sum(t.numel() for t in leaves) > MOST_DIRECTIONS:
        raise Declined(f"forward mode of more than {MOST_DIRECTIONS} elements")
    grads = [torch.zeros(t.shape, dtype=t.dtype) for t in leaves]
    for k, leaf in enumerate(leaves):
        for e in range(leaf.numel()):
            along = [torch.zeros(t.shape, dtype=t.dtype) for t in leaves]
            along[k].view(-1)[e] = 1
            results, tangents = torch.func.jvp(function, tuple(leaves), tuple(along))
            require_same(results, seeds)
            grads[k].view(-1)[e] = sum((s * t).sum() for s, t in zip(seeds, tangents))
    return grads


def of_samples(function, leaves, seeds):
    others = [another(t) for t in leaves]
    run_alone(function, others)
    batches = [torch.stack(pair) for pair in zip(others, leaves)]
    grads = torch.vmap(lambda *sample: tuple(reverse(function, sample, seeds)))(*batches)
    return [g[1] for g in grads]


def of_function_made(make):
    def grads_of(function, leaves, seeds):
        with torch.enable_grad():
            required = [t.detach().requires_grad_() for t in leaves]
            return backward(doubles(make(function, required)(*required)), seeds, required)

    return grads_of


UNDER = {
    "functionalize": of_function_made(lambda function, leaves: functionalize(function)),
    "export": of_function_made(decompose),
    "vjp": reverse,
    "jvp": forward,
    "vmap": of_samples,
}


def gradients_under(engine, program, ops, arguments, seeds):
    """Under a transformation of functions."""
    function = OfLeaves(program, ops, arguments)
    try:
        return with_zeros(UNDER[engine](function, function.leaves, seeds), function.leaves)
    except Declined:
        raise
    except Exception as e:
        text = f"{type(e).__name__}: {e}"
        if is_answerless(engine, text):
            raise Declined(f"{engine} does not take it\n{text.splitlines()[0]}") from None
        raise
