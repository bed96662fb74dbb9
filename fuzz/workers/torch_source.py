"""Programs in the form `source`: the Python that somebody wrote, run plainly or by torch.compile
(docs/reference/workers.md).

    import torch
    def main(x, n):
        return [x + i for i in range(n)]

The text comes from a case, and cases come from strangers. It runs within the worker's walls; before
that its syntax tree is looked at (torch_admission.py).
"""

import ast
import contextlib
import dataclasses
import enum
import hashlib
import io
import linecache
import os
import random
import traceback

import torch
from fusillade_worker import HIGH, LOW, Declined, words_of
from left_behind import TEXT, modes, names_changed, restore_modes, texts_of_names
from library_guard import guard_libraries
from program_wall import forbid_programs
from raised_for_result import raised_for_result
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch_admission import refusal
from torch_eager import UNSPECIFIED, read_where_written
from torch_plain import (
    Loaded,
    as_said,
    as_sent,
    dtypes_said,
    elements_read,
    gradients,
    is_random,
)

HOME = os.path.dirname(torch.__file__) + os.sep
FILE = TEXT  # what tracebacks call the text
DOUBLE = ("exact", "changed")  # roles of plain runs (torch_plain.py)
MOST_PRINTED = 1 << 16  # characters
# With a hash of what was read; fuzz/oracle/plain_runs.cpp takes it away.
ELEMENTS_READ = "\nelements were read: "
MOST_DEEP = 24  # results within results

guard_libraries()


class ByOperators(ast.NodeTransformer):
    """Names that TorchScript finds in torch and Python does not become the operators that they
    are."""

    def visit_Attribute(self, node):
        self.generic_visit(node)
        alone = isinstance(node.value, ast.Name) and node.value.id == "torch"
        if alone and not hasattr(torch, node.attr) and hasattr(torch.ops.aten, node.attr):
            aten = ast.Attribute(ast.Attribute(node.value, "ops", ast.Load()), "aten", ast.Load())
            return ast.copy_location(ast.Attribute(aten, node.attr, node.ctx), node)
        return node


class Script:
    """A text, and how it is called."""

    def __init__(self, said):
        self.text, self.entry = said["text"], said["entry"]
        self.plain = said.get("plain", False)  # not measured by TorchScript of another version
        self.state = said.get("state")  # names of a module's tensors and modes; None: a function
        self.code, self.dtypes = None, {}
        self.trusted = said.get("trusted", False)
        self.declined = self.why_not(self.trusted)
        if not self.declined:
            self.tree = ast.fix_missing_locations(ByOperators().visit(ast.parse(self.text)))
            self.code = compile(self.tree, FILE, "exec", dont_inherit=True)

    def why_not(self, trusted):
        """`trusted`: it is the user's own, for which the walls are enough."""
        if not self.plain:
            return refusal(self.text)
        try:
            self.dtypes = dtypes_said(ast.parse(self.text), self.entry)
        except (SyntaxError, ValueError, MemoryError, RecursionError) as e:
            return f"{type(e).__name__}: {e}"
        why = "" if trusted else refusal(self.text)
        return why and f"not run: {why}\nif it is your own text, --trust-text runs it"

    def load(self):
        """What is called, and all names of the text, in a module of its own: what one engine
        leaves there is nothing to another."""
        if self.plain and "is_compiling" in self.text:
            raise Declined("a text that asks whether it is compiled")
        if not self.trusted and (why := forbid_programs()):
            raise Declined(f"not run: no wall keeps programs from being started: {why}")
        names = {"__name__": TEXT}
        lines = self.text.splitlines(keepends=True)
        linecache.cache[FILE] = (len(self.text), None, lines, FILE)  # for those who ask Python
        try:
            if self.plain:  # what it draws while it is loaded is the same for all
                random.seed(0)
                torch.manual_seed(0)
            with torch.set_grad_enabled(self.plain or torch.is_grad_enabled()):
                exec(self.code, names)
                entry = names[self.entry]
                if self.plain:
                    entry.names_of_text = names
                return entry if self.state is None else entry(), names
        except BaseException as e:
            why = f"{type(e).__name__}: {words_of(e)}"
            raise Declined(f"it cannot be loaded\n{why}") from None

    def entry_anew(self):
        return self.load()[0]

    def entry_of_role(self, role):
        """Of one of the plain runs, each of which leaves behind what it likes."""
        entry, names = self.load()
        loaded = Loaded(names)
        if role in DOUBLE:
            loaded.double(names, role == "changed")
        return entry, loaded

    def arguments(self, call):
        given = call.arguments()
        for place, dtype in self.dtypes.items():
            given[place] = as_said(given[place], dtype)
        return given


def owner_of(module, path):
    *parts, last = path.split(".")
    if any(part.startswith("__") for part in (*parts, last)):
        raise Declined("a module whose state is Python's")
    for part in parts:
        module = getattr(module, part)
    return module, last


def set_state(module, names, values):
    for name, value in zip(names, values):
        try:
            owner, last = owner_of(module, name)
            old = getattr(owner, last)
        except AttributeError:
            raise Declined("a module whose state is another") from None
        if last == "training":
            owner.training = value
        elif isinstance(old, torch.nn.Parameter):
            old.requires_grad_(False)
            old.data = value
        else:
            setattr(owner, last, value)


def state_of(module, names):
    return [getattr(*owner_of(module, name)) for name in names]


def encode(value, deep=0, tensor=lambda t: t):
    """As the protocol says it: what is no number, text, tensor, list or tuple becomes a tuple that
    begins with what it is."""
    if deep > MOST_DEEP:
        raise Declined("results within results")
    if isinstance(value, torch.Tensor):
        return tensor(value)
    if value is None or type(value) in (bool, float, str):
        return value
    if type(value) is int:
        return value if LOW <= value <= HIGH else ("int", str(value))

    def items(values):
        return [encode(v, deep + 1, tensor) for v in values]

    if isinstance(value, tuple):
        return tuple(items(value))
    if type(value) is list:
        return items(value)
    kind = type(value).__name__
    if isinstance(value, enum.Enum):
        return ("enum", value.name)
    if isinstance(value, dict):
        return (kind, *(tuple(items(item)) for item in value.items()))
    if isinstance(value, (set, frozenset)):
        return (kind, *sorted(items(value), key=repr))
    if isinstance(value, (range, torch.dtype, torch.device, complex, bytes)):
        return (kind, str(value))
    if isinstance(value, type):
        return ("class", value.__name__)
    if dataclasses.is_dataclass(value) or type(value).__module__ == "program":
        fields = sorted(vars(value).items())
        return (kind, *((name, *items([v])) for name, v in fields))
    if hasattr(value, "__next__") or callable(value):
        return ("object", kind)
    return (kind, *items(value)) if hasattr(value, "__iter__") else ("object", kind)


class Promised(TorchDispatchMode):
    """Declines operators of which eager mode promises nothing (torch_eager.UNSPECIFIED)."""

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        check = UNSPECIFIED.get(op.__name__)
        if check:
            check(*args, **kwargs)
        if op.__name__.partition(".")[0].endswith("_"):
            read_where_written(*args, **kwargs)
        try:
            return op(*args, **kwargs)
        except Exception as e:
            e.by_operator = True
            raise


class Called(TorchFunctionMode):
    """Says of an error that a function of PyTorch raised it, those among them that are no operator
    for `Promised`, for they consist of others (`matmul`)."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        try:
            return function(*args, **(kwargs or {}))
        except Exception as e:
            e.by_operator = getattr(e, "by_operator", False) or file_of(e) != FILE
            raise


def file_of(error):
    """Where it was raised."""
    return [f.f_code.co_filename for f, _ in traceback.walk_tb(error.__traceback__)][-1]


def is_of_torch(error):
    """Did PyTorch's own Python raise it, such as that of a tensor which is iterated? What lacks an
    attribute is a question of Python's, whoever answers."""
    return file_of(error).startswith(HOME) and not isinstance(error, AttributeError)


def what_is_read(reads, role):
    """The same for two roles only where both read the same floats, and nothing else."""
    return role if None in reads else hashlib.sha256("\n".join(reads).encode()).hexdigest()


@contextlib.contextmanager
def watched_calls():
    with Promised(), Called():
        yield


@contextlib.contextmanager
def precision_of(script, role):
    """Numbers that a text makes itself are doubled in double precision, but drawn ones would be
    others."""
    before = torch.get_default_dtype()
    if role in DOUBLE and not is_random(script.text):
        torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def run_script(worker, function, script, call, guard=contextlib.nullcontext, by=None):
    """One call; what it prints is told with the outcome, whatever that is. `by`: parameters by
    which gradients are wanted, and not the results."""
    arguments = script.arguments(call)
    state = arguments.pop(0) if script.state is not None else None
    out, recorded = io.StringIO(), torch.is_grad_enabled()
    torch.set_grad_enabled(script.plain or recorded)  # as CPython has it
    before, left, data = modes() if script.plain else None, "", ""
    names = getattr(function, "names_of_text", {})
    held = texts_of_names(names)
    watched = script.plain and call.options.get("role") in ("again", *DOUBLE)
    watch, reads = elements_read() if watched else contextlib.nullcontext([]), []
    try:
        if state is not None:
            set_state(function, script.state, state)
        with (
            contextlib.redirect_stdout(out),
            guard(),
            precision_of(script, call.options.get("role")),
            watch as reads,
        ):
            if by is not None:
                return [gradients(function, arguments, by)]
            result = worker.timed(function, *arguments)
        data = names_changed(held, names)
    except Exception as e:
        if is_of_torch(e):
            e.by_operator = True
        if getattr(e, "by_operator", False):
            e.for_result = raised_for_result(e, script.tree, FILE)
        raise
    finally:
        if script.plain:
            left = restore_modes(before)
        torch.set_grad_enabled(recorded)
        call.printed = out.getvalue()[:MOST_PRINTED] + left + data
        if reads:
            call.printed += ELEMENTS_READ + what_is_read(reads, call.options["role"])
        if state is not None:
            state[:] = state_of(function, script.state)
    for i, given in enumerate(call.given):
        if type(given) is list:
            call.given[i] = encode(given)
    return [encode(result, tensor=as_sent) if script.plain else encode(result)]
