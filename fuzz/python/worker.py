#!/usr/bin/env python3
"""Runs scripts for the oracle `python`: the same text that the front end compiled, under CPython.

Requests on stdin, answers on stdout, both in frames of a decimal length, a newline and that many bytes.
A request is the script, a NUL, the mode, and the calls' argument tuples as Python expressions, each behind
a NUL. An answer is, behind NULs, one line per call:

    value RESULT ARGUMENTS    what the last function returned, and the arguments afterwards
    error CLASS MESSAGE
    limit REASON              it took too long or too much memory: nothing is known
    refused MESSAGE           the text is no Python program

Mode "plain" is Python itself. Mode "int64" rewrites arithmetic so that ints have 64 bits as the engine
documents them: + - * and negation wrap, ** and << raise OverflowError where the result does not fit.
Values are written as `text` below does; the engine's side writes the same. No torch is needed.
"""

import ast
import math
import resource
import signal
import sys
import typing

SECONDS = 2
MEGABYTES = 1024
LOW, HIGH = -(1 << 63), (1 << 63) - 1


class Limit(Exception):
    pass


def on_alarm(_number, _frame):
    raise Limit("time")


def text(v):
    kind = type(v)
    if kind is bool or v is None:
        return str(v)
    if kind is int:
        return str(v)
    if kind is float:
        if v != v:
            return "nan"
        s = "%.17g" % v
        return s if any(c in s for c in ".ein") else s + ".0"
    if kind is str:
        return '"' + "".join(character(b) for b in v.encode("utf-8", "surrogateescape")) + '"'
    if kind is list:
        return "[" + ", ".join(map(text, v)) + "]"
    if kind is tuple:
        return "(" + ", ".join(map(text, v)) + (",)" if len(v) == 1 else ")")
    if kind is dict:
        return "{" + ", ".join(f"{text(k)}: {text(x)}" for k, x in v.items()) + "}"
    return f"<{kind.__name__}>"


def character(byte):
    return chr(byte) if 32 <= byte < 127 and byte not in (34, 92) else f"\\x{byte:02x}"


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


def augmented(container, index, change):
    container[index] = change(container[index])


WRAPPED = (ast.Add, ast.Sub, ast.Mult)


class Int64(ast.NodeTransformer):
    def visit_BinOp(self, node):
        self.generic_visit(node)
        return self.rewritten(node.op, node.left, node.right, node)

    def rewritten(self, op, left, right, whole_node):
        if isinstance(op, WRAPPED):
            return self.call("_wrap", ast.BinOp(left, op, right))
        if isinstance(op, (ast.Pow, ast.LShift)):
            return self.call("_power" if isinstance(op, ast.Pow) else "_shift", left, right)
        return whole_node

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return self.call("_wrap", node) if isinstance(node.op, ast.USub) else node

    def visit_Call(self, node):
        self.generic_visit(node)
        whole = isinstance(node.func, ast.Attribute) and node.func.attr in ("floor", "ceil", "trunc")
        return self.call("_fits", node) if whole else node

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if isinstance(node.target, ast.Subscript):
            old = ast.Name("_old", ast.Load())
            value = self.rewritten(node.op, old, node.value, ast.BinOp(old, node.op, node.value))
            one = ast.arguments(posonlyargs=[], args=[ast.arg("_old")], kwonlyargs=[], kw_defaults=[], defaults=[])
            return ast.Expr(self.call("_augmented", node.target.value, node.target.slice, ast.Lambda(one, value)))
        read = ast.Name(node.target.id, ast.Load())
        # A list grows in place.
        return ast.If(
            ast.Compare(self.call("type", read), [ast.Is()], [ast.Name("list", ast.Load())]),
            [node],
            [ast.Assign([node.target], self.rewritten(node.op, read, node.value, ast.BinOp(read, node.op, node.value)))],
        )

    @staticmethod
    def call(name, *arguments):
        return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


INT64 = {
    "_wrap": wrap,
    "_fits": fits,
    "_augmented": augmented,
    "_power": power,
    "_shift": shift,
    "int": lambda *a: fits(int(*a)),
    "sum": lambda *a: wrap(sum(*a)),
    "abs": lambda a: wrap(abs(a)),
    "round": lambda *a: fits(round(*a)),
    "pow": power,
}
ARGUMENTS = {"inf": math.inf, "nan": math.nan, "__builtins__": {}}


def load(source, mode):
    names = {"__name__": "script"}
    if mode == "int64":
        tree = ast.fix_missing_locations(Int64().visit(ast.parse(source)))
        code = compile(tree, "script", "exec")
        names.update(INT64)
    else:
        code = compile(source, "script", "exec")
    exec(code, names)
    return [f for f in names.values() if getattr(f, "__module__", "") == "script" and callable(f)][-1]


def answer(function, arguments):
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        values = eval(arguments, ARGUMENTS)
        result = function(*values)
        return f"value {text(result)} {text(list(values))}"
    except Limit as e:
        return f"limit {e}"
    except (MemoryError, RecursionError) as e:
        return f"limit {type(e).__name__}"
    except Exception as e:
        message = str(e.args[0]) if len(e.args) == 1 else str(e)
        return f"error {type(e).__name__} {message}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def serve(request):
    source, mode, *calls = request.split("\0")
    try:
        function = load(source, mode)
    except (SyntaxError, ValueError, IndexError, NameError) as e:
        return [f"refused {type(e).__name__}: {e}"] * len(calls)
    return [answer(function, c) for c in calls]


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
    sys.setrecursionlimit(400)
    sys.set_int_max_str_digits(0)
    signal.signal(signal.SIGALRM, on_alarm)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while True:
        size = requests.readline()
        if not size:
            return
        request = requests.read(int(size)).decode("utf-8", "surrogateescape")
        data = "\0".join(serve(request)).encode("utf-8", "surrogateescape")
        answers.write(b"%d\n" % len(data) + data)
        answers.flush()


if __name__ == "__main__":
    try:
        main()
    except ConnectionError:  # whoever asked is gone
        pass
