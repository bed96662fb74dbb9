#!/usr/bin/env python3
"""Runs scripts for the oracle `python`: the same text that the front end compiled, under CPython.

Requests on stdin, answers on stdout, both in frames of a decimal length, a newline and that many bytes.
A request is the script, the mode, the number of calls, and the calls' argument tuples as Python expressions, with
NULs between; more requests may follow behind a NUL. An answer is, with NULs between, one line per call:

    value RESULT ARGUMENTS    what the last function returned, and the arguments afterwards
    raised CLASS MESSAGE      a `raise` or an `assert` of the script did it
    error CLASS MESSAGE       something else did
    limit REASON              it took too much processor time or memory, or arguments that cannot be made here:
                              nothing is known
    refused MESSAGE           the text is no Python program

Mode "plain" is Python itself. Mode "int64" rewrites arithmetic so that ints have 64 bits as the engine
documents them: + - * and negation wrap, ** and << raise OverflowError where the result does not fit.
Values are written as `text` below does; the engine's side writes the same. No torch is needed.
"""

import ast
import gc
import math
import opcode
import operator
import resource
import signal
import sys
import typing

SECONDS = 2  # of processor time, for one call
TICK = 0.25
MEGABYTES = 1024
LOW, HIGH = -(1 << 63), (1 << 63) - 1


class Limit(Exception):
    pass


class Watch:
    """Raises Limit in a call that has used SECONDS of processor time, and again each TICK until it ends.

    A timer of processor time ticks all along, so that a call costs no system call, and a busy machine no call.
    """

    def __init__(self):
        self.ticks = 0
        self.last = math.inf

    def run(self):
        signal.signal(signal.SIGPROF, self.tick)
        signal.setitimer(signal.ITIMER_PROF, TICK, TICK)

    def tick(self, _number, _frame):
        self.ticks += 1
        if self.ticks > self.last:
            raise Limit("time")

    def start(self):
        self.last = self.ticks + SECONDS / TICK

    def stop(self):
        self.last = math.inf


WATCH = Watch()


def str_text(v):
    return '"' + v.encode("utf-8", "surrogateescape").decode("latin-1").translate(ESCAPED) + '"'


def text(v):
    writer = WRITERS.get(type(v))
    return writer(v) if writer else f"<{type(v).__name__}>"


ESCAPED = {byte: f"\\x{byte:02x}" for byte in range(256) if not 32 <= byte < 127 or byte in (34, 92)}
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


# What the rewriting makes stands at the script's beginning: no message shows its place.
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


def call(name, *arguments):
    return Call(Name(name, ast.Load()), list(arguments), [])


WRAPPED = {ast.Add: "_add", ast.Sub: "_sub", ast.Mult: "_mul", ast.FloorDiv: "_floordiv"}  # the least int // -1
CHECKED = {ast.Pow: "_power", ast.LShift: "_shift"}


def int64_binary(node):
    if type(node.op) in WRAPPED:
        return call("_wrap", node)
    if type(node.op) in CHECKED:
        return call(CHECKED[type(node.op)], node.left, node.right)
    return node


def int64_unary(node):
    return call("_wrap", node) if type(node.op) is ast.USub else node


def int64_call(node):
    f = node.func  # `int` itself stays, for isinstance
    whole = type(f) is ast.Attribute and f.attr in ("floor", "ceil", "trunc", "gcd", "factorial") or type(f) is ast.Name and f.id == "int"
    return call("_fits", node) if whole else node


# The operators in place, so that a list grows where it is.
def int64_augmented(node):
    def changed(old):
        if type(node.op) in CHECKED:
            return call(CHECKED[type(node.op)], old, node.value)
        return call("_wrap", call(WRAPPED[type(node.op)], old, node.value))

    if type(node.op) not in WRAPPED and type(node.op) not in CHECKED:
        return node
    if type(node.target) is ast.Name:
        return Assign([node.target], changed(Name(node.target.id, ast.Load())))
    one = ast.arguments(posonlyargs=[], args=[Argument("_old")], kwonlyargs=[], kw_defaults=[], defaults=[])
    change = Lambda(one, changed(Name("_old", ast.Load())))
    if type(node.target) is ast.Subscript:
        return Expr(call("_augmented_item", node.target.value, node.target.slice, change))
    return Expr(call("_augmented_attribute", node.target.value, Constant(node.target.attr), change))


CHANGES = {
    ast.BinOp: int64_binary,
    ast.UnaryOp: int64_unary,
    ast.Call: int64_call,
    ast.AugAssign: int64_augmented,
}


class Children(dict):
    """The fields, by class of the tree's nodes, below which arithmetic may stand."""

    NEVER = {"ctx", "op", "ops", "annotation", "returns", "type_comment", "kind", "names", "decorator_list"}

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


INT64 = {
    "_wrap": wrap,
    "_fits": fits,
    "_augmented_item": augmented_item,
    "_augmented_attribute": augmented_attribute,
    "_add": operator.iadd,
    "_sub": operator.isub,
    "_mul": operator.imul,
    "_floordiv": operator.ifloordiv,
    "_power": power,
    "_shift": shift,
    "sum": lambda *a: wrap(sum(*a)),
    "abs": lambda a: wrap(abs(a)),
    "divmod": lambda a, b: tuple([wrap(part) for part in divmod(a, b)]),
    "round": lambda *a: fits(round(*a)),
    "pow": power,
}
ARGUMENTS = {"inf": math.inf, "nan": math.nan, "__builtins__": {}}


def load(source, mode):
    names = {"__name__": "script"}
    if mode == "int64":
        code = compile(int64(ast.parse(source)), "script", "exec")
        names.update(INT64)
    else:
        code = compile(source, "script", "exec")
    exec(code, names)
    return [f for f in names.values() if getattr(f, "__module__", "") == "script" and callable(f)][-1]


RAISE = opcode.opmap["RAISE_VARARGS"]


def is_own(error):
    """Did a statement of the script raise it, and not what one of them called?"""
    place = error.__traceback__
    while place.tb_next:
        place = place.tb_next
    code = place.tb_frame.f_code
    return code.co_filename == "script" and code.co_code[place.tb_lasti] == RAISE


def answer(function, values):
    try:
        WATCH.start()
        result = function(*values)
        return f"value {text(result)} {text(list(values))}"
    except Limit as e:
        return f"limit {e}"
    except (MemoryError, RecursionError) as e:
        return f"limit {type(e).__name__}"
    except Exception as e:
        if not is_own(e):
            return f"error {type(e).__name__} {e}"
        return f"raised {type(e).__name__} {e.args[0] if len(e.args) == 1 else e}"
    finally:
        WATCH.stop()


def serve(source, mode, calls):
    try:
        function = load(source, mode)
    except (SyntaxError, ValueError, IndexError, NameError) as e:
        return [f"refused {type(e).__name__}: {e}"] * len(calls)
    try:
        arguments = eval(f"[{','.join(calls)}]", ARGUMENTS)
    except (SyntaxError, NameError):
        return ["limit arguments that Python does not know"] * len(calls)
    return [answer(function, values) for values in arguments]


def served(fields):
    answers = []
    at = 0
    while at < len(fields):
        source, mode, count = fields[at : at + 3]
        at += 3 + int(count)
        answers += serve(source, mode, fields[at - int(count) : at])
    return answers


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
    sys.setrecursionlimit(400)
    sys.set_int_max_str_digits(0)
    gc.freeze()
    gc.set_threshold(20000)  # scripts are small, and each leaves a cycle: its functions and their globals
    WATCH.run()
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while True:
        size = requests.readline()
        if not size:
            return
        request = requests.read(int(size)).decode("utf-8", "surrogateescape")
        data = "\0".join(served(request.split("\0"))).encode("utf-8", "surrogateescape")
        answers.write(b"%d\n" % len(data) + data)
        answers.flush()


if __name__ == "__main__":
    try:
        main()
    except ConnectionError:  # whoever asked is gone
        pass
