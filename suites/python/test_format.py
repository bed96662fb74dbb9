"""Format specifications against CPython's own: the same values and specifications, drawn at random,
in one script."""

import itertools
import json
import random
import subprocess

import pytest
from under_test import BINARY, torch_needed

VALUES = {
    "int": [0, 1, -1, 7, 255, -1234567, 97, 2**62],
    "float": [
        0.0,
        -0.0,
        1.0,
        100.0,
        1.5,
        -2.675,
        1e16,
        1e22,
        1.25e-7,
        0.0001,
        12345.678,
        -0.5,
        1e300,
    ],
    "str": ["", "a", "häuser", "long text here"],
    "bool": [True, False],
}
TYPES = {
    "int": ["", *"bdoxXcefgEG%"],
    "float": ["", *"eEfFgG%"],
    "str": ["", "s"],
    "bool": ["", "d", "x"],
}
NAMES = {"int": int, "float": float, "str": str, "bool": bool}


def specifications(kind, rng):
    fill = rng.choice(["", "", "<", ">", "^", "=", "*<", "é^", "0>", "x="])
    sign = rng.choice(["", "", "+", "-", " "])
    mark = rng.choice(["", "", "#"])
    width = rng.choice(["", "", "1", "8", "08", "020", "15"])
    group = rng.choice(["", "", ",", "_"])
    precision = rng.choice(["", "", ".0", ".1", ".3", ".12"])
    return fill + sign + mark + width + group + precision + rng.choice(TYPES[kind])


def run(script, tmp_path):
    path = tmp_path / "f.py"
    path.write_text(script, encoding="utf-8")
    return subprocess.run(
        [BINARY, "run", str(path), "--plan", "vm"], capture_output=True, text=True
    )


@pytest.mark.parametrize("kind", list(VALUES))
def test_specifications_give_what_python_gives(kind, tmp_path):
    rng = random.Random(kind)
    body, errors, count = "def f() -> int:\n", [], 0
    for value, _ in itertools.product(VALUES[kind], range(60)):
        spec = specifications(kind, rng)
        try:
            expected = format(value, spec)
        except (ValueError, OverflowError):
            errors.append((value, spec))
            continue
        count += 1
        body += f"    assert '{{:{spec}}}'.format({value!r}) == {expected!r}, {spec!r}\n"
    out = run(body + "    return 1\n", tmp_path)
    assert count > 15 and out.returncode == 0, out.stdout + out.stderr
    for value, spec in rng.sample(errors, min(12, len(errors))):
        out = run(f"def f() -> str:\n    return '{{:{spec}}}'.format({value!r})\n", tmp_path)
        assert out.returncode == 1 and "Error: " in out.stderr, (
            value,
            spec,
            out.stdout,
            out.stderr,
        )


@pytest.mark.parametrize(
    "expression,reason",
    [
        ("'{:d}'.format('a')", "ValueError: Unknown format code 'd' for object of type 'str'"),
        ("'{:5}'.format([1])", "TypeError: unsupported format string"),
        ("'{0} {}'.format(1, 2)", "ValueError: cannot switch"),
        ("'{2}'.format(1, 2)", "IndexError"),
        ("'{:99999999}'.format(1)", "ValueError: Too many decimal digits"),
        ("'{:n}'.format(1)", "ValueError: Unknown format code 'n'"),
        ("'{!a}'.format(1)", "is not supported"),
    ],
)
def test_what_is_refused(expression, reason, tmp_path):
    out = run(f"def f() -> str:\n    return {expression}\n", tmp_path)
    assert out.returncode == 1 and reason in out.stderr, out.stdout + out.stderr


CLASSES = """from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Dict, List, NamedTuple, Optional, Tuple, Union
import torch
class Both:
    def __init__(self, a: int):
        self.a = a
    def __str__(self) -> str:
        return "Bs" + str(self.a)
    def __repr__(self) -> str:
        return "Br" + repr(str(self.a))
class OnlyStr:
    def __init__(self, a: int):
        self.a = a
    def __str__(self) -> str:
        return "o" + str(self.a)
class OnlyRepr:
    def __init__(self, a: int):
        self.a = a
    def __repr__(self) -> str:
        return f"OnlyRepr({self.a})"
class Format:
    def __init__(self, a: int):
        self.a = a
    def __format__(self, spec: str) -> str:
        return "F[" + spec + "]"
    def __str__(self) -> str:
        return "Fs"
class Loud:
    def __init__(self, log: List[str]):
        self.log = log
    def __str__(self) -> str:
        self.log.append("s")
        return "S"
    def __repr__(self) -> str:
        self.log.append("r")
        return "R"
class E(Enum):
    A = 1
    B = 2
class EStr(Enum):
    A = 1
    def __str__(self) -> str:
        return "es" + self.name
class ERepr(Enum):
    A = "a"
    def __repr__(self) -> str:
        return "er" + self.name
class EInt(IntEnum):
    A = 1
class P(NamedTuple):
    x: int
    y: float
class PText(NamedTuple):
    x: int
    def __repr__(self) -> str:
        return "pr" + str(self.x)
@dataclass
class D:
    a: int
    b: str = "q"
@dataclass
class DRepr:
    a: int
    def __repr__(self) -> str:
        return "R<" + str(self.a) + ">"
@dataclass
class T:
    a: int
    def __str__(self) -> str:
        return "ST" + str(self.a)
@dataclass(repr=False)
class Bare:
    a: int
    def __str__(self) -> str:
        return "bare" + str(self.a)
class Q(NamedTuple):
    d: T
    n: int
@dataclass
class Deep:
    d: D
    t: T
    l: List[T]
    o: Optional[Both]
    c: E
    p: P
    k: Dict[str, T]
    u: Tuple[T, int]
@dataclass
class Node:
    v: int
    next: Optional["Node"]
"""
SHOWN = """
    f"{D(1)!r} {D(1)!s} {D(1)} {D(1)!r:>20}| {D(2)!s:>20}|"
    "{!r} {!s} {}".format(D(1), D(2), D(3)) + "%r %s" % (D(1), 1) + "%r" % D(1) + "%s" % D(1)
    "%%r %20r|%-20s|%.3r|%+r|%010r|%.2s|%c" % (D(1), D(2), T(3), T(1), T(2), T(3), "x")
    f"{DRepr(1)!r} {DRepr(2)} {DRepr(3)!s}" + "{!r}".format(DRepr(1)) + "%r" % DRepr(1) \
+ repr(DRepr(1)) + str(DRepr(1))
    f"{T(1)!r} {T(1)!s} {T(1)}" + repr(T(1)) + str(T(1)) + "%r %s" % (T(1), T(2))
    f"{OnlyRepr(1)!r} {OnlyRepr(2)}" + repr(OnlyRepr(3)) + str(OnlyRepr(4)) \
+ "%r %s" % (OnlyRepr(5), OnlyRepr(6))
    f"{OnlyStr(1)!s} {OnlyStr(2)} " + str(OnlyStr(4)) + "%s" % OnlyStr(4) + f"{Bare(1)} {Bare(1)!s}"
    f"{Both(1)!r} {Both(2)!s} {Both(3)} " + repr(Both(4)) + str(Both(5)) \
+ "{1!r} {0} {1} {0!r}".format(Both(8), Both(9))
    f"{P(1, 2.0)!r} {P(1, 2.0)!s:>20} {P(1, 2.5)}" + "%s %r" % (P(3, 4.0), P(5, 6.0)) \
+ repr(P(1, 2.0))
    f"{PText(1)} {PText(1)!r}" + str(PText(1)) + str([PText(2)]) + f"{Q(T(1), 2)} {[Q(T(1), 2)]}" \
+ "%s %r" % Q(T(1), 2)
    f"{E.A!r} {E.A!s} {E.A} {E.A:>8}|" + "%r %s" % (E.A, E.B) + "{!r} {}".format(E.A, E.B) \
+ repr(E.A) + str([E.B])
    f"{EStr.A} {EStr.A!r} {EStr.A:>8}" + str(EStr.A) + repr(EStr.A) + "%s %r" % (EStr.A, EStr.A) \
+ str([EStr.A])
    f"{ERepr.A} {ERepr.A!r} {ERepr.A!s}" + str(ERepr.A) + repr(ERepr.A) \
+ "%s %r" % (ERepr.A, ERepr.A) + str([ERepr.A])
    f"{EInt.A} {EInt.A!r} {EInt.A!s}" + str(EInt.A) + repr(EInt.A) + str((EInt.A, 1))
    f"{torch.float32!r} {torch.int8}" + "%r %s" % (torch.float32, torch.int64) \
+ "{!r} {}".format(torch.half, torch.bool) + repr(torch.int8)
    x.dtype; f"{x.dtype!r:>15}|{x.dtype!s}" + "%r %s" % (x.dtype, x.dtype) \
+ "{!r} {}".format(x.dtype, *(x.dtype, 1)) + repr(x.dtype)
    f"{x.device!r} {x.device!s} {x.device}" + "%r %s" % (x.device, x.device) + repr(x.device) \
+ str([x.device]) + str((x.device, x.dtype))
    f"{torch.tensor([1.0])!r} {torch.tensor(2)!r} {torch.tensor(2)}" \
+ "%r %s" % (torch.tensor([1, 2]), x) + "{!r}".format(x)
    f"{[1.0, 2.0]!r} {(1, 'a')!r} {None!r} {'x'!r} {True!r} {1.5!r} {[E.A, E.B]} \
{[P(1, 2.0)]!r} {[torch.tensor(1)]!r}"
    f"{[D(1)]!r} {[T(1), T(2)]} {[Both(1)]!s}" + str([Both(2)]) + repr([T(3)]) \
+ "%s %r" % ([Both(3)], [Both(4)])
    f"{(D(1), 1)!r} {(T(1), 'a')} {(Both(1),)!s}" + str((Both(2), T(3))) + repr(((T(3),), ())) \
+ "%s %r" % ((T(3), 1), (T(4),))
    f"{d} {d!r}" + str(d) + repr(d) + "%s %r" % (d, d) + "{!r} {}".format(d, e) \
+ "%s" % {1: [T(1)], 2: [T(2), T(3)]} + "%s" % [T(1)]
    f"{none} {some} {some!r}" + str(none) + repr(some) + f"{[some, none]}"
    f"{mixed} {mixed[0]} {mixed[1]!r}" + str(mixed) + f"{[T(i) for i in range(3)]}" \
+ str([[T(i)] for i in range(2)])
    f"{Deep(D(1), T(2), [T(3)], Both(5), E.A, P(1, 2.0), {'x': T(6)}, (T(7), 8))!r}"
    str(Deep(D(1, "{!r}"), T(2), [], None, E.B, P(1, 2.0), {}, (T(7), 8)))
    "{a!r} {b} {a} {0!r} {b!r}".format(T(0), a=T(1), b=T(2)) \
+ "{0!r} {0} {1!r:>{2}} {{!r}} {1:>{2}}".format(T(1), "x", 8)
    "{!r:>{}} {!s:>{}}|{:{}}".format(T(1), 20, T(2), 10, 3, 4) \
+ f"{T(1)!r:>{w}}|{T(1)!s:<{w}}|{{!r}}" + "{!r:{}{}}".format(T(1), ">", 9)
    f"{Format(1)} {Format(1):>8} {Format(1)!s:>5}" + "{:x} {}".format(Format(1), Format(2)) \
+ "%s" % Format(1) + str(Format(1))
    "{1!r} {0} {1} {0!r}".format(Loud(log), Loud(log)) + f"{Loud(log)!r:>4}" \
+ "%r %s" % (Loud(log), Loud(log)) + str([Loud(log)]) + str(log)
    "{0!r}".format(Loud(log), Loud(log)) + str(log) + f"{str(T(1))!r} {[str(T(1))]!r}" \
+ "%r" % repr(T(1))
"""


@pytest.mark.parametrize("plan", ["eager", "vm/o2"])
def test_objects_are_written_as_python_writes_them(plan, tmp_path):
    lines = [line.strip().split("; ")[-1] for line in SHOWN.strip().splitlines()]
    body = "".join(f"    print({line})\n" for line in lines)
    start = (
        "    x = torch.ones(2)\n    w = 20\n    log: List[str] = []\n"
        "    d = {'a': T(1), 'b': T(2)}\n    e: Dict[str, T] = {}\n"
        "    none: Optional[T] = None\n    some: Optional[T] = T(1)\n"
        "    mixed: List[Union[T, Both]] = [T(1), Both(2)]\n"
    )
    path = tmp_path / "shown.py"
    path.write_text(f"{CLASSES}def f() -> int:\n{start}{body}    return 0\n")
    ours = subprocess.run(
        [BINARY, "run", path, "--fn", "f", "--plan", plan], capture_output=True, text=True
    )
    assert ours.returncode == 0, ours.stderr
    path.write_text(path.read_text() + "f()\n")
    expected = subprocess.run(
        ["/usr/bin/python3", "-W", "ignore", path], capture_output=True, text=True, check=True
    ).stdout
    assert ours.stdout.splitlines()[:-1] == expected.splitlines() and len(lines) > 25


@pytest.mark.parametrize(
    "expression,reason",
    [
        ("f'{T(1):>20}'", "TypeError: the text of 'T' takes no specification ':>20'"),
        ("f'{torch.float32:>20}'", "TypeError: the text of a dtype takes no specification"),
        ("f'{[T(1)]:>20}'", "TypeError: the text of 'List[T]' takes no specification"),
        ("'{:{}}'.format(T(1), 5)", "TypeError: the text of 'T' takes no specification"),
        ("f'{OnlyStr(1)!r}'", "'OnlyStr' has no __repr__"),
        ("str([OnlyStr(1)])", "'OnlyStr' has no __repr__"),
        ("repr(Bare(1))", "'Bare' has no __repr__"),
        ("'%d' % T(1)", "TypeError: %d format: a number is required"),
        ("'%d' % torch.int8", "TypeError: %d format: a number is required"),
        ("'%r %r' % T(1)", "TypeError: not enough arguments for format string"),
        ("'%r' % (T(1), T(2))", "TypeError: not all arguments converted"),
        ("'%' % T(1)", "ValueError: incomplete format"),
        ("'%5' % T(1)", "ValueError: incomplete format"),
        ("'{!r} {!r}'.format(T(1))", "IndexError: Replacement index 1 out of range"),
        ("'{99999999}'.format(T(1))", "Error: a field wider than"),
        ("'{a} {0} {}'.format(T(1), T(2), a=T(3))", "ValueError: cannot switch"),
        ("'{x}'.format(a=T(1))", "'{x}' is not supported"),
        ("'{!r'.format(T(1))", "ValueError: expected '}'"),
        ("'{}}'.format(T(1))", "ValueError: Single '}'"),
        (
            "('{!r}' + chr(65)).format(T(1))",
            "a format with names, of objects or of dtypes is a literal",
        ),
        ("('%r' + chr(65)) % T(1)", "a format of objects or of dtypes is a literal"),
        ("str(Node(1, None))", "may hold objects of its own class"),
        (
            "'" + "{:" * 2000 + "}" * 2000 + "'.format(T(1))",
            "TypeError: the text of 'T' takes no specification",
        ),
        (
            "'" + "{!r:" * 2000 + "}" * 2000 + "'.format(T(1), T(2), T(3))",
            "ValueError: Max string recursion exceeded",
        ),
    ],
    ids=itertools.count(),
)
def test_texts_that_are_refused(expression, reason, tmp_path):
    out = run(f"{CLASSES}def f() -> str:\n    return {expression}\n", tmp_path)
    assert out.returncode == 1 and reason in out.stderr, out.stdout + out.stderr


TENSORS = """
import sys
from pathlib import Path
import numpy as np, torch
rng = np.random.default_rng(7)
folder = Path(sys.argv[1])
sizes = [(), (1,), (3,), (40,), (2, 3), (2, 40), (0,), (0, 3), (2, 1, 2, 2), (1001,), (7, 150), \
(5, 9, 30), (4, 300, 1)]
cases = []
for number, size in enumerate(sizes * 3):
    plain = rng.standard_normal(size)
    special = np.where(rng.random(size) < 0.3, rng.choice([np.inf, -np.inf, np.nan, 0.0], size), \
plain)
    cases += [plain * s for s in (1, 1e3, 1e9, 1e-3, 1e-6)] \
+ [special, np.round(plain * 50), np.round(special * 9), np.exp(plain * 9)]
    cases += [rng.integers(-10 ** d, 10 ** d, size) for d in (1, 9)] + [plain > 0, np.zeros(size)]
kinds = [np.float32, np.float64, np.float16]
texts = []
for number, case in enumerate(cases):
    if case.dtype == np.float64:
        case = case.astype(kinds[number % 3])
    elif case.dtype == np.int64:
        case = case.astype([np.int64, np.int32][number % 2])
    np.save(folder / f"{number}.npy", case)
    x = torch.from_numpy(np.asarray(case))
    texts.append([str(x), f"{x}", "%s" % x])
import json
json.dump(texts, open(folder / "texts.json", "w"))
"""


@torch_needed
def test_tensors_are_printed_as_pytorch_does(tmp_path):
    subprocess.run(
        ["/usr/bin/python3", "-W", "ignore", "-c", TENSORS, tmp_path], check=True, timeout=120
    )
    texts = json.loads((tmp_path / "texts.json").read_text())
    assert len(texts) > 400
    width = 24  # tensors of one run
    names = [f"x{i}" for i in range(width)]
    body = "".join(
        f'    print(str({n}))\n    print("--")\n    print(f"{{{n}}}")\n    print("--")\n'
        f'    print("%s" % {n})\n    print("==")\n'
        for n in names
    )
    (tmp_path / "shown.py").write_text(
        f"import torch\ndef main({', '.join(n + ': torch.Tensor' for n in names)}) -> None:\n{body}"
    )
    for first in range(0, len(texts), width):
        numbers = [min(first + i, len(texts) - 1) for i in range(width)]
        given = [word for n in numbers for word in ("--in", tmp_path / f"{n}.npy")]
        done = subprocess.run(
            [BINARY, "run", tmp_path / "shown.py", *given, "--plan", "vm"],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        for number, got in zip(numbers, done.stdout.split("\n==\n")):
            assert got.split("\n--\n") == texts[number], number
