#!/usr/bin/env python3
"""Runs scripts for the oracle `python`: the same text that the front end compiled, under CPython.

    worker.py FILTER        the filter of system calls (fuzz/process/confine.h), in hexadecimal
                            digits; may be empty

A worker as fuzz/process/channel.h says. A `run` names the form `script`, the mode, the text, and
each call's argument tuple as a Python expression; the last definition is called. Of what it
answers:

    values RESULT ARGUMENTS         what the last function returned, and the arguments afterwards
    error raised CLASS MESSAGE      a `raise` or an `assert` of the script did it
    error error CLASS MESSAGE       something else did
    error refused MESSAGE           the text is no Python program
    declined REASON                 arguments that cannot be built here
    limit REASON                    too much processor time or memory

Mode "plain" is Python itself. Mode "int64" rewrites arithmetic so that ints have 64 bits as the
engine documents them: + - * and negation wrap, ** and << raise OverflowError where the result does
not fit. Values are written as `text` below does; the engine's side writes the same. No torch is
needed.

Scripts come from strangers. They get the builtins and modules that the language knows and no more,
and code that names a way around (`__class__`, a frame of a generator) is declined. Below that
is the system: before it reads the first of them the worker gives up files, processes and the
network (`confine`); where it cannot, its hello says so and it runs no script. What of a script
comes here at all, fuzz/run/python/admission.h says.
"""

import ast
import builtins
import dataclasses
import enum
import errno
import functools
import gc
import keyword
import math
import opcode
import operator
import os
import resource
import signal
import sys
import time
import typing
from types import CodeType

try:
    import ctypes
except ImportError:  # some interpreters come without
    ctypes = None

SECONDS = 2  # of processor time, for one call
TICK = 0.25
MEGABYTES = 1024
LOW, HIGH = -(1 << 63), (1 << 63) - 1


class Limit(Exception):
    pass


class Watch:
    """Raises Limit in a call that has used SECONDS of processor time, and again each TICK until it
    ends.

    A timer of processor time ticks all along, so that a call costs no system call, and a busy
    machine no call.
    """

    def __init__(self):
        self.now = 0.0  # at the last tick
        self.last = math.inf

    def run(self):
        signal.signal(signal.SIGPROF, self.tick)
        signal.setitimer(signal.ITIMER_PROF, TICK, TICK)

    def tick(self, _number, _frame):
        self.now = time.process_time()
        if self.now > self.last:
            raise Limit("time")

    def start(self):
        self.last = self.now + SECONDS + TICK

    def stop(self):
        self.last = math.inf


WATCH = Watch()


def str_text(v):
    return '"' + v.encode("utf-8", "surrogateescape").decode("latin-1").translate(ESCAPED) + '"'


def text(v):
    writer = WRITERS.get(type(v))
    return writer(v) if writer else f"<{type(v).__name__}>"


ESCAPED = {
    byte: f"\\x{byte:02x}" for byte in range(256) if not 32 <= byte < 127 or byte in (34, 92)
}
WRITERS = {
    type(None): repr,
    bool: repr,
    int: repr,
    float: repr,
    str: str_text,
    list: lambda v: "[" + ", ".join([text(x) for x in v]) + "]",
    tuple: lambda v: "(" + ", ".join([text(x) for x in v]) + (",)" if len(v) == 1 else ")"),
    dict: lambda v: "{" + ", ".join([f"{text(k)}: {text(x)}" for k, x in v.items()]) + "}",
}


def whole(v):
    return type(v) is int


def wrap(v):
    return v if type(v) is not int or LOW <= v <= HIGH else (v - LOW) % (1 << 64) + LOW


def fits(v):
    if type(v) is int and not LOW <= v <= HIGH:
        raise OverflowError("an int beyond 64 bits")
    return v


def power(a, b):
    if whole(a) and whole(b) and b > 64 and abs(a) > 1:
        raise OverflowError("an int beyond 64 bits")
    return fits(a**b)


def shift(a, b):
    if whole(a) and whole(b) and b > 64 and a != 0:
        raise OverflowError("an int beyond 64 bits")
    return fits(a << b)


def augmented_item(container, index, change):
    container[index] = change(container[index])


def augmented_attribute(holder, name, change):
    setattr(holder, name, change(getattr(holder, name)))


# Rewritten code lies at the script's beginning: no message shows its position.
class Call(ast.Call):
    lineno = col_offset = 1


class Name(ast.Name):
    lineno = col_offset = 1


class Assign(ast.Assign):
    lineno = col_offset = 1
    type_comment = None


class Expr(ast.Expr):
    lineno = col_offset = 1


class Lambda(ast.Lambda):
    lineno = col_offset = 1


class Constant(ast.Constant):
    lineno = col_offset = 1
    kind = None


class Argument(ast.arg):
    lineno = col_offset = 1
    annotation = type_comment = None


# Names that no text can spell: a script reaches what is put among its own names by no other way
# than the arithmetic.
def hidden_name(name):
    return f"int64 {name}"


def call(name, *arguments):
    return Call(Name(hidden_name(name), ast.Load()), list(arguments), [])


# the least int // -1
WRAPPED = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.FloorDiv: "floordiv",
}
CHECKED = {ast.Pow: "power", ast.LShift: "shift"}


def int64_binary(node):
    if type(node.op) in WRAPPED:
        return call("wrap", node)
    if type(node.op) in CHECKED:
        return call(CHECKED[type(node.op)], node.left, node.right)
    return node


def int64_unary(node):
    return call("wrap", node) if type(node.op) is ast.USub else node


def int64_call(node):
    f = node.func  # `int` itself stays, for isinstance
    whole = (
        type(f) is ast.Attribute
        and f.attr in ("floor", "ceil", "trunc", "gcd", "factorial")
        or type(f) is ast.Name
        and f.id == "int"
    )
    return call("fits", node) if whole else node


# The operators in place, so that a list grows where it is.
def int64_augmented(node):
    def new_value(old):
        if type(node.op) in CHECKED:
            return call(CHECKED[type(node.op)], old, node.value)
        return call("wrap", call(WRAPPED[type(node.op)], old, node.value))

    if type(node.op) not in WRAPPED and type(node.op) not in CHECKED:
        return node
    if type(node.target) is ast.Name:
        return Assign([node.target], new_value(Name(node.target.id, ast.Load())))
    one = ast.arguments(
        posonlyargs=[],
        args=[Argument(hidden_name("old"))],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    change = Lambda(one, new_value(Name(hidden_name("old"), ast.Load())))
    if type(node.target) is ast.Subscript:
        return Expr(call("augmented_item", node.target.value, node.target.slice, change))
    return Expr(call("augmented_attribute", node.target.value, Constant(node.target.attr), change))


CHANGES = {
    ast.BinOp: int64_binary,
    ast.UnaryOp: int64_unary,
    ast.Call: int64_call,
    ast.AugAssign: int64_augmented,
}


class Children(dict):
    """The fields, by class of the tree's nodes, below which arithmetic may appear."""

    NEVER = {
        "ctx",
        "op",
        "ops",
        "annotation",
        "returns",
        "type_comment",
        "kind",
        "names",
        "decorator_list",
    }

    def __missing__(self, kind):
        fields = () if kind in (ast.Constant, ast.Name) else kind._fields
        self[kind] = tuple(f for f in fields if f not in self.NEVER)
        return self[kind]


CHILDREN = Children()


def int64(node):
    for field in CHILDREN[type(node)]:
        child = getattr(node, field)
        if type(child) is list:
            child[:] = [int64(c) if isinstance(c, ast.AST) else c for c in child]
        elif isinstance(child, ast.AST):
            setattr(node, field, int64(child))
    change = CHANGES.get(type(node))
    return change(node) if change else node


STEPS = {
    "wrap": wrap,
    "fits": fits,
    "augmented_item": augmented_item,
    "augmented_attribute": augmented_attribute,
    "add": operator.iadd,
    "sub": operator.isub,
    "mul": operator.imul,
    "floordiv": operator.ifloordiv,
    "power": power,
    "shift": shift,
}
INT64 = {hidden_name(name): step for name, step in STEPS.items()} | {
    "sum": lambda *a: wrap(sum(*a)),
    "abs": lambda a: wrap(abs(a)),
    "divmod": lambda a, b: tuple([wrap(part) for part in divmod(a, b)]),
    "round": lambda *a: fits(round(*a)),
    "pow": power,
}
ARGUMENTS = {"inf": math.inf, "nan": math.nan, "__builtins__": {}}


class Forbidden(Exception):
    pass


def of_names(names):
    """Raises Forbidden unless these are names: dataclasses make code of their arguments."""
    for name in names if type(names) is dict else [None]:
        if (
            type(name) is not str
            or not name.isidentifier()
            or keyword.iskeyword(name)
            or name.startswith("__")
        ):
            raise Forbidden("a field whose name is no name")


def dataclass(cls=None, /, **options):
    if cls is None:
        return lambda decorated: dataclass(decorated, **options)
    for base in cls.__mro__ if isinstance(cls, type) else []:
        of_names(base.__dict__.get("__annotations__", {}))
        fields = base.__dict__.get("__dataclass_fields__", {})
        of_names(fields)
        if any(type(field) is not dataclasses.Field for field in fields.values()):
            raise Forbidden("fields that dataclasses did not make")
        of_names({field.name: field for field in fields.values()})
    return dataclasses.dataclass(cls, **options)


class Written(type(enum.Enum)):
    """Enums are written as classes: called with names, which are text, one would make attributes of
    any name."""

    def __call__(cls, value, *names, **more):
        if names or more:
            raise Forbidden("an Enum that is made by a call")
        return super().__call__(value)


class Enum(enum.Enum, metaclass=Written):
    pass


class IntEnum(enum.IntEnum, metaclass=Written):
    pass


class WrittenTuple:
    """NamedTuple as a base, and as nothing else."""

    def __mro_entries__(self, _):
        return typing.NamedTuple.__mro_entries__((typing.NamedTuple,))

    def __call__(self, *_, **__):
        raise Forbidden("a NamedTuple that is made by a call")


class Namespace:
    """Of a module, what the language knows. No script can change it for the next."""

    def __init__(self, module, names, **instead):
        self.__dict__.update({name: getattr(module, name) for name in names.split()}, **instead)

    def __setattr__(self, name, value):
        raise AttributeError(f"'{name}' of a module cannot be set")

    def __delattr__(self, name):
        raise AttributeError(f"'{name}' of a module cannot be deleted")


MODULES = {
    "math": Namespace(math, " ".join(name for name in vars(math) if not name.startswith("_"))),
    "typing": Namespace(
        typing, "Any Callable Dict Final List Optional Tuple Type Union", NamedTuple=WrittenTuple()
    ),
    "enum": Namespace(enum, "", Enum=Enum, IntEnum=IntEnum),
    "dataclasses": Namespace(dataclasses, "field", dataclass=dataclass),
}


def import_module(name, *_):
    if name not in MODULES:
        raise Forbidden(f"the module '{name}'")
    return MODULES[name]


FUNCTIONS = """
    __build_class__ abs all any bin bool bytes chr dict divmod enumerate filter float frozenset
    hash hex id int isinstance issubclass iter len list map max min next object oct ord pow
    property range repr reversed round set slice sorted staticmethod classmethod str sum super
    tuple zip NotImplemented Ellipsis
"""
BUILTINS = {name: getattr(builtins, name) for name in FUNCTIONS.split()}
BUILTINS.update(
    {
        name: v
        for name, v in vars(builtins).items()
        if isinstance(v, type) and issubclass(v, BaseException)
    }
)
BUILTINS.update({"__import__": import_module, "print": lambda *_, **__: None})
# Names between two underscores each that lead nowhere: what classes define, and what their bodies
# are given.
OPERATORS = """
    init new enter exit eq ne lt le gt ge hash bool len contains getitem setitem delitem iter
    next call str repr int float neg pos abs invert add sub mul matmul truediv floordiv mod pow
    lshift rshift and or xor radd rsub rmul rmatmul rtruediv rfloordiv rmod rpow rlshift rrshift
    rand ror rxor iadd isub imul imatmul itruediv ifloordiv imod ipow ilshift irshift iand ior
    ixor post_init name module qualname annotations doc constants slots classcell firstlineno
    static_attributes annotate annotate_func conditional_annotations classdict
"""
HARMLESS = {f"__{name}__" for name in OPERATORS.split()}
FRAMES = ("gi_", "cr_", "ag_", "tb_")
OUT = {
    "f_back",
    "f_builtins",
    "f_code",
    "f_globals",
    "f_locals",
    "with_traceback",
    "mro",
    "format_map",
}


# What the language knows whether a script imports it or not.
KNOWN_UNIMPORTED = (
    set(MODULES)
    | {"torch", "Tensor"}
    | {
        name
        for module in MODULES.values()
        for name in vars(module)
        if module is not MODULES["math"]
    }
)


def missing(error):
    """Why a name that is not there says nothing about the script; else empty."""
    if type(error) is not NameError:
        return ""
    if error.name in vars(builtins) or error.name in ("exit", "quit"):
        return f"a script may not use the builtin '{error.name}'"
    return f"the script does not import '{error.name}'" if error.name in KNOWN_UNIMPORTED else ""


@functools.lru_cache(1 << 14)
def leads_out(name):
    """Names within underscores belong to Python, as do those of frames; what of them is harmless is
    listed."""
    private = (
        name.startswith("__") or name.startswith("_") and name.endswith("_") and name.strip("_")
    )
    return private and name not in HARMLESS or name.startswith(FRAMES) or name in OUT


def check(code):
    """Raises Forbidden for a name in the code, or in code within it, that could lead out of the
    script."""
    for name in code.co_names + code.co_varnames:
        if leads_out(name):
            raise Forbidden(f"the name '{name}'")
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            check(constant)


def load(source, mode):
    names = {"__name__": "script", "__builtins__": BUILTINS}
    code = compile(source, "script", "exec")
    check(code)
    if mode == "int64":
        code = compile(int64(ast.parse(source)), "script", "exec")
        names.update(INT64)
    exec(code, names)
    return [f for f in names.values() if getattr(f, "__module__", "") == "script" and callable(f)][
        -1
    ]


RAISE = opcode.opmap["RAISE_VARARGS"]


def is_own(error):
    """Did a statement of the script raise it, and not what one of them called?"""
    traceback = error.__traceback__
    while traceback.tb_next:
        traceback = traceback.tb_next
    code = traceback.tb_frame.f_code
    return code.co_filename == "script" and code.co_code[traceback.tb_lasti] == RAISE


def run_watched(action):
    """What the action gives, or an answer in its place where that takes too much, or leads out."""
    try:
        WATCH.start()
        return action(), None
    except Limit as e:
        return None, ("limit", str(e))
    except (MemoryError, RecursionError) as e:
        return None, ("limit", type(e).__name__)
    except Forbidden as e:
        return None, ("declined", f"a script may not use {e}")
    except BaseException as e:
        return None, ("declined", f"the text of an error raises {type(e).__name__}")
    finally:
        WATCH.stop()


def answer(function, values):
    try:
        result = function(*values)
        return "values", f"{text(result)} {text(list(values))}"
    except (Limit, MemoryError, RecursionError, Forbidden):
        raise
    except NameError as e:
        return ("limit", missing(e)) if missing(e) else ("error", f"error {type(e).__name__} {e}")
    except BaseException as e:
        if not is_own(e):
            return "error", f"error {type(e).__name__} {e}"
        return "error", f"raised {type(e).__name__} {e.args[0] if len(e.args) == 1 else e}"


def load_or_answer(source, mode):
    """The last function of the script, or an answer in its place."""
    try:
        return load(source, mode), None
    except (Limit, MemoryError, RecursionError, Forbidden):
        raise
    except (SyntaxError, ValueError, IndexError, NameError) as e:
        if missing(e):
            return None, ("declined", missing(e))
        return None, ("error", f"refused {type(e).__name__}: {e}")
    except BaseException as e:
        return None, ("declined", f"its definitions raise {type(e).__name__}: {e}")


def serve(source, mode, calls):
    found, instead = run_watched(lambda: load_or_answer(source, mode))
    function, instead = found or (None, instead)
    if instead:
        return [instead] * len(calls)
    try:
        arguments = eval(f"[{','.join(calls)}]", ARGUMENTS)
    except (SyntaxError, NameError):
        return [("declined", "arguments that Python does not know")] * len(calls)
    return [
        answered or instead
        for answered, instead in [run_watched(lambda v=v: answer(function, v)) for v in arguments]
    ]


def message(kind, body):
    data = body.encode("utf-8", "surrogateescape")
    return b"%d %s\n%s" % (len(data), kind.encode(), data)


def run(body, unconfined):
    form, mode, source, *calls = body.decode("utf-8", "surrogateescape").split("\0")
    if form != "script":
        return [message("declined", f"the form {form}")] * len(calls)
    if unconfined:
        return [message("declined", unconfined)] * len(calls)
    return [message(*answered) for answered in serve(source, mode, calls)]


def serve_all(receive, send, unconfined):
    """Answers messages until their end; what was answered is sent before more is waited for."""
    hello = {
        "protocol": 1,
        "name": "CPython",
        "version": ".".join(map(str, sys.version_info[:3])),
        "forms": "script",
        "values": "python",
        "unconfined": unconfined,
    }
    answers = [message("hello", "".join(f"{key}: {value}\n" for key, value in hello.items()))]
    data, at = b"", 0
    while True:
        line = data.find(b"\n", at)
        end = line + 1 + int(data[at:line].split()[0]) if line >= 0 else math.inf
        if end <= len(data):
            answers += run(data[line + 1 : end], unconfined)
            at = end
            continue
        send(b"".join(answers))
        answers = []
        more = receive()
        if not more:
            return
        data, at = data[at:] + more, 0


PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
FILTER_WORDS = 8  # bytes of a struct sock_filter


def install_filter(program):
    """Installs the filter of system calls. Gives why it is not there; else an empty text."""
    if not program:
        return "none is known for this machine"
    if not ctypes:
        return "this Python has no ctypes"

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("words", ctypes.c_char_p)]

    c = ctypes.CDLL(None, use_errno=True)
    whole = Program(len(program) // FILTER_WORDS, program)
    done = (
        c.prctl(PR_SET_SECCOMP, ctypes.c_ulong(SECCOMP_MODE_FILTER), ctypes.byref(whole), 0, 0) == 0
    )
    return "" if done else os.strerror(ctypes.get_errno())


def confine(program):
    """Gives up what no script needs. Gives what is left to it all the same; else an empty text."""
    os.closerange(3, 1 << 16)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    why = install_filter(program)
    try:
        os.open("/", os.O_RDONLY)
    except OSError as e:
        if not why and e.errno == errno.EPERM:
            return ""
    return "no filter of system calls: " + (why or "it does not hold")


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
    sys.setrecursionlimit(400)
    sys.set_int_max_str_digits(0)
    channel = sys.stdout.buffer
    sys.stdout = None  # what a script prints is no answer
    WATCH.run()
    unconfined = confine(bytes.fromhex(sys.argv[1]))
    gc.freeze()
    # scripts are small, and each leaves a cycle: its functions and their globals
    gc.set_threshold(20000)
    serve_all(
        lambda: os.read(0, 1 << 20), lambda data: (channel.write(data), channel.flush()), unconfined
    )


if __name__ == "__main__":
    try:
        main()
    except ConnectionError:  # whoever asked is gone
        pass
