"""PyTorch's transformations of functions as engines (torch_worker.py). Each makes of a program a
function whose results must be the program's; its gradients are those of torch_gradients.py:

    vmap           torch.vmap over two equal batches; the results are those of the first
    functionalize  torch.func.functionalize: views and writes in place as functions
    jvp            torch.func.jvp: the results with their tangents (forward-mode AD)
    vjp            torch.func.vjp: the results with their way back
    export         torch.export, run_decompositions, and the module of that

A program is declined where the documentation of the transformation says that it has no answer:
numbers that depend on data, random operators, writes to what is not batched.
"""

import re

import torch
from fusillade_worker import Declined
from torch.utils import _pytree as pytree

# What a transformation says of what it does not promise to take.
LIMITS = {
    "vmap": (
        r"calling \.item\(\) on a Tensor",
        r"data-dependent control flow",
        r"data-dependent output",
        r"operators that can output dynamic shape",
        r"vmap: inplace arithmetic",
        r"vmap: aten::.* is not possible because there exists",
        r"Batching rule not implemented for",
        r"called random operation while in randomness error mode",
        r"Cannot access data pointer of Tensor",
        r"vmap: .* is not (yet )?supported",
        r"vmap: we do not yet support",
        r"We cannot support this because",
        r"Can't detach views in-place",
        r"\bNYI\b",
        r"required rank \d tensor to use channels_last",  # no memory format but the default
    ),
    "functionalize": (
        r"Cannot access data pointer of Tensor",
        r"aten::requires_grad_",  # of eager mode alone, as torch.func says of each transformation
        r"derivative for aten::\w*copy is not implemented",
        r"copy does not support automatic differentiation",
    ),
    "jvp": (
        r"Trying to use forward AD with",
        r"does not support it because it (is not|has not been) implemented",
        r"[Ff]orward AD .* (not supported|not implemented)",
        r"Cannot access data pointer of Tensor",
        r"not differentiable",
        r"a view of a leaf Variable",
        r"Expected f to be a function that has non-empty output",
        r"[Ii]n-place \w+ backward calculation is triggered with a negative slope",
        r"Tensor\.requires_grad_\(\)",
    ),
    "vjp": (
        r"Cannot access data pointer of Tensor",
        r"Expected f to be a function that has non-empty output",
        r"Tensor\.requires_grad_\(\)",
        r"a view of a leaf Variable",
    ),
    "export": (
        r"data-dependent",
        r"GuardOnDataDependent|Could not guard on",
        r"^Unsupported: ",
        r"Cannot access data pointer of Tensor",
    ),
}
NO_ANSWER = {name: re.compile("|".join(texts)) for name, texts in LIMITS.items()}
# Answers about memory, which a transformation lays out as it likes.
OF_MEMORY = {
    f"scalar.{name}"
    for name in (
        "stride_",
        "stride_int",
        "storage_offset_",
        "is_contiguous_",
        "is_contiguous_memory_format",
        "requires_grad_",
        "is_leaf_",
    )
}


class OfTensors:
    """A program as a function of its tensors alone, which gives those of its results; what else it
    takes and gives is kept here."""

    def __init__(self, program, ops, arguments):
        self.function, self.ops = program.function, ops
        leaves, self.spec = pytree.tree_flatten(list(arguments))
        self.indices = [i for i, a in enumerate(leaves) if isinstance(a, torch.Tensor)]
        self.leaves = leaves
        self.given = [leaves[i] for i in self.indices]
        self.results = self.result_spec = None

    def __call__(self, *tensors):
        leaves = list(self.leaves)
        for i, t in zip(self.indices, tensors):
            leaves[i] = t
        results = self.function(self.ops, *pytree.tree_unflatten(leaves, self.spec))
        self.results, self.result_spec = pytree.tree_flatten(list(results))
        return tuple(r for r in self.results if isinstance(r, torch.Tensor))

    def whole(self, tensors):
        """All results, with these tensors."""
        tensors = iter(tensors)
        return pytree.tree_unflatten(
            [next(tensors) if isinstance(r, torch.Tensor) else r for r in self.results],
            self.result_spec,
        )


def is_answerless(engine, text):
    return NO_ANSWER[engine].search(text) is not None


def bits(t):
    return t.clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8)


def another(t):
    """Other elements in the same range: what takes a tensor most likely takes this one, too."""
    if t.numel() > 1:
        return t.flip(tuple(range(t.dim())))
    return t * 0.5 + 1 if t.is_floating_point() else t


def run_alone(function, tensors):
    try:
        function(*[t.clone() for t in tensors])
    except Exception as e:
        raise Declined(f"what stands in the batch beside it raises\n{e}") from None


def vmap_beside_another(function):
    """The second of two. What takes an element of the first one for its own is seen."""
    others = [another(t) for t in function.given]
    batches = [torch.stack(pair) for pair in zip(others, function.given)]
    try:
        results = torch.vmap(function)(*batches)
    except Exception:
        run_alone(function, others)
        raise
    for t, batch in zip(function.given, batches):  # a version does not report each write
        if not torch.equal(bits(t), bits(batch[1])):
            raise Declined("a write to an input, of which there are two here")
    return [r[1].clone() for r in results]


def functionalize(function):
    return torch.func.functionalize(function, remove="mutations_and_views")


def run_functionalized(function):
    return functionalize(function)(*function.given)


def over_floats(function):
    """The function of those of its tensors that have tangents, and these."""
    indices = [i for i, t in enumerate(function.given) if t.is_floating_point() or t.is_complex()]
    if not indices:
        raise Declined("no tensor that has a tangent")

    def of_floats(*floats):
        tensors = list(function.given)
        for i, t in zip(indices, floats):
            tensors[i] = t
        return function(*tensors)

    return of_floats, tuple(function.given[i] for i in indices)


def with_tangents(function):
    of_floats, primals = over_floats(function)
    results, _ = torch.func.jvp(of_floats, primals, tuple(t.cos() for t in primals))
    return results


def with_way_back(function):
    of_floats, primals = over_floats(function)
    results, _ = torch.func.vjp(of_floats, *primals)
    return results


TABLE = {}  # of decompositions, which takes longer to make than a program to export


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *tensors):
        return self.function(*tensors)


def decompose(function, tensors):
    """The exported function, of ATen's core operators."""
    program = torch.export.export(Module(function), tuple(tensors), strict=False)
    if not TABLE:
        TABLE.update(torch.export.default_decompositions())
    return program.run_decompositions(TABLE).module()


def run_exported(function):
    return decompose(function, [t.clone() for t in function.given])(*function.given)


ENGINES = {
    "vmap": (vmap_beside_another, (2, 0)),
    "functionalize": (run_functionalized, (2, 0)),
    "jvp": (with_tangents, (2, 0)),
    "vjp": (with_way_back, (2, 0)),
    "export": (run_exported, (2, 5)),
}


def warm(engine):
    """torch.export takes seconds to import what it needs."""
    if engine == "export":
        run_exported(OfTensors(Doubled, None, [torch.zeros(8)]))


class Doubled:
    """A program, to OfTensors."""

    function = staticmethod(lambda ops, x: [x + x])


def run_transformed(engine, program, ops, call, timed):
    """The results of a program under one of the engines. `timed`: Worker.timed."""
    if not OF_MEMORY.isdisjoint(program.ops):
        raise Declined("it asks how a tensor lies in memory")
    function = OfTensors(program, ops, call.arguments())
    if not function.given:
        raise Declined("no tensor to be transformed")
    try:
        results = timed(ENGINES[engine][0], function)
    except Declined:
        raise
    except Exception as e:
        text = f"{type(e).__name__}: {e}"
        if is_answerless(engine, text):
            raise Declined(f"{engine} does not take it\n{text.splitlines()[0]}") from None
        raise
    return function.whole(results)
