"""Plain Python of strangers that reaches for more than tensors: PyTorch's worker refuses the text
(fuzz/workers/torch_admission.py), and behind that Python's library makes code of names alone
(fuzz/workers/library_guard.py). Most of these ran a command, read a file or wrote foreign memory
before there was a rule for them. For what no rule refuses there is a wall: the process starts no
program (fuzz/workers/program_wall.py).
"""

import json
import subprocess

import pytest
from hostile_torch_texts import GUARDED, REFUSED, WALLED
from under_test import ROOT, run

ENGINES = ROOT / "build/engines/bin/python"
pytestmark = pytest.mark.skipif(
    not ENGINES.exists(), reason="build/engines is not made (ci/setup.sh --engines)"
)
HERE = ("--engine-python", f"torch={ENGINES}")
TAKEN = {
    "private names of its own": "class A:\n    _k = 1\n    def f(self):\n        self._x = self._k",
    "private names of tuples": "def f(t):\n    return t._replace(a=1), t._fields",
    "words as names of variables": "def f(obj, new):\n    graph, compile_, load = obj, new, 1",
    "classes that are compared": (
        "import torch\ndef f(x, y):\n"
        "    return type(x) is torch.Tensor, type(x) == type(y), type(x) in (int, float)"
    ),
    "classes that are told": "def f(x):\n    return f'{type(x)}', type(x).__name__, str(type(x))",
    "types that are checked": (
        "import torch\nfrom typing import List, Optional\n"
        "def f(x: Optional[torch.Tensor], k: List[torch.Tensor]) -> torch.Tensor:\n"
        "    return isinstance(x, (torch.Tensor, type)) or torch.jit.annotate(torch.Tensor, x)"
    ),
    "bases": "import torch\nclass T(torch.Tensor):\n    pass\nclass M(torch.nn.Module):\n    pass",
    "wraps": (
        "import functools\ndef d(f):\n    @functools.wraps(f)\n    def g(*a, **k):\n"
        "        return f(*a, **k)\n    return g"
    ),
    "fields": (
        "from dataclasses import dataclass, field\n@dataclass(frozen=True)\nclass A:\n"
        "    x: int\n    y: list = field(default_factory=list)"
    ),
    "tuples": (
        "from collections import namedtuple\nfrom typing import NamedTuple\n"
        "P = namedtuple('P', 'a b')\nQ = namedtuple('Q', ['a', 'b'], defaults=[1])\n"
        "class R(NamedTuple):\n    a: int = 1"
    ),
    "managers": (
        "from contextlib import contextmanager\nclass A:\n    @staticmethod\n"
        "    @contextmanager\n    def f():\n        yield 1"
    ),
    "bases that are initialised": (
        "import torch\nclass M(torch.nn.Module):\n    def __init__(self):\n"
        "        torch.nn.Module.__init__(self)\n        super().__init__()\n"
        "    def __getattr__(self, name):\n        return super().__getattr__(name)"
    ),
    "operators": "import torch\ndef f(x):\n    return torch.ops.aten._softmax.default(x, 0, False)",
    "enums": (
        "from enum import Enum\nclass A(str, Enum):\n    RED = 'r'\n"
        "def f(x):\n    return A('r'), A.RED.value, isinstance(A.RED, Enum)"
    ),
    "named slots": "class A:\n    __slots__ = ('a', 'b')",
}
CASE = """fusillade case 6
oracle: plain_python
verdict: ok
plan: torch:dynamo
plain python:
  def f(x):
      f.names_of_text["__builtins__"]["__import__"]("os").system("touch MARK")
      return x + 1
call:
    x = f32[2] {0x1p+0, 0x1p+1}
end
"""


def in_worker(code, given):
    """What a program prints that has the worker's modules."""
    path = f"import json, sys\nsys.path.insert(0, {str(ROOT / 'fuzz/workers')!r})\n"
    done = subprocess.run(
        [ENGINES, "-c", path + code], input=json.dumps(given), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def refusals():
    texts = {**REFUSED, **TAKEN}
    code = "from torch_admission import refusal\ngiven = json.load(sys.stdin)\n"
    return in_worker(code + "print(json.dumps({k: refusal(t) for k, t in given.items()}))", texts)


@pytest.mark.parametrize("name", REFUSED)
def test_what_reaches_for_more_is_refused(refusals, name):
    assert refusals[name] and "Error" not in refusals[name]


@pytest.mark.parametrize("name", TAKEN)
def test_what_computes_is_taken(refusals, name):
    assert not refusals[name]


@pytest.mark.parametrize("name", GUARDED)
def test_python_makes_code_of_names_alone(tmp_path, name):
    """Whatever the look at the text says."""
    mark = tmp_path / "mark"
    code = (
        "from library_guard import guard_libraries\nguard_libraries()\nsaid = ''\n"
        "try:\n    exec(json.load(sys.stdin), {'__name__': 'program'})\n"
        "except TypeError as e:\n    said = str(e)\nprint(json.dumps(said))"
    )
    assert "a field whose name is" in in_worker(code, GUARDED[name].replace("MARK", str(mark)))
    assert not mark.exists()


def test_a_case_of_a_stranger_runs_no_command(tmp_path):
    mark, case = tmp_path / "mark", tmp_path / "hostile.case"
    case.write_text(CASE.replace("MARK", str(mark)))
    done = run("repro", case, *HERE)
    assert "not run: the name 'names_of_text'" in done.stdout + done.stderr
    assert not mark.exists()


@pytest.mark.parametrize("name", WALLED)
def test_what_no_rule_refuses_starts_no_program(tmp_path, name):
    mark, case = tmp_path / "mark", tmp_path / "hostile.case"
    lines = WALLED[name].replace("MARK", str(mark)).strip().splitlines()
    text = "".join(f"  {line}\n" if line else "\n" for line in lines)
    case.write_text(CASE[: CASE.index("  def f")] + text + CASE[CASE.index("call:") :])
    done = run("repro", case, *HERE)
    assert done.returncode >= 0 and "case" in done.stdout, done.stdout + done.stderr
    assert not mark.exists()


def test_a_process_behind_the_wall_starts_no_program():
    """No thread of it, by no call."""
    code = """
import os, subprocess, threading
import program_wall
go, said = threading.Event(), {}
def start(name):
    if name == "older":
        go.wait()
    for how in (lambda: subprocess.run(["true"]), lambda: os.execve("/bin/true", ["true"], {}),
                lambda: os.posix_spawn("/bin/true", ["true"], {})):
        try:
            how()
            said[name] = "started"
        except PermissionError:
            said.setdefault(name, "refused")
older = threading.Thread(target=start, args=["older"])
older.start()
why = program_wall.refuse_programs()
go.set()
older.join()
start("main")
print(json.dumps([why, said]))
"""
    assert in_worker(code, None) == ["", {"older": "refused", "main": "refused"}]


def test_a_compiler_is_started_with_words_that_compile():
    fine = "a.cpp -D NAME -DX=1 -O3 -std=c++20 -fPIC -fopenmp -fuse-ld=gold -I/usr/include -o a.so"
    bad = (
        *("-wrapper", "-fplugin=x.so", "@words", "-B/tmp", "-specs=s", "-Wl,-plugin,x.so", "-B"),
        *("-Xlinker", "-fuse-ld=/tmp/ld", "-fplugin-arg-x", "-iplugindir=x", "-T", "a.sh", "-Wa,x"),
        *("-Wp,x", "--sysroot=/tmp", "-flto-partition=x", "-fprofile-use=x", "x y.cpp"),
    )
    code = "from program_wall import is_harmless\n"
    code += "print(json.dumps([is_harmless(words) for words in json.load(sys.stdin)]))"
    given = [fine.split(), *([*fine.split(), word] for word in bad)]
    assert in_worker(code, given) == [True, *(False for _ in bad)]


def test_what_a_stranger_wrote_is_compiled_by_inductor(tmp_path):
    case = tmp_path / "fine.case"
    text = (
        "  import torch\n  def f(x):\n      return (x.exp() * 2).softmax(0), {'a': x.sin() + 1}\n"
    )
    head = CASE[: CASE.index("  def f")].replace("torch:dynamo", "torch:compile")
    case.write_text(head + text + CASE[CASE.index("call:") :])
    done = run("repro", case, *HERE)
    assert done.returncode == 0 and "fine.case: ok" in done.stdout, done.stdout + done.stderr
