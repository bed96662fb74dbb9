"""Plain Python under PyTorch's worker (fuzz/workers/torch_plain.py): which texts it takes, complex
and unsigned arguments, runs in double precision, gradients. Of programs that PyTorch 2.13 gets
right, and of what it gets wrong."""

import json
import re
import subprocess

import pytest
from under_test import ROOT, run

ENGINES = ROOT / "build/engines/bin/python"
pytestmark = pytest.mark.skipif(
    not ENGINES.exists(), reason="build/engines is not made (ci/setup.sh --engines)"
)
PUBLIC = ROOT / "suites/external/public"
BOTH = ("--oracle", "plain_python", "--oracle", "plain_gradient", "--jobs", 1)


def check(path, out, *words, plan="torch:aot"):
    engine = ("--plan", plan, "--engine-python", f"torch={ENGINES}")
    few = ("--inputs", 8, "--max-findings", 1, "--out", out)
    return run("check", path, *words, *BOTH, *engine, *few)


def verdicts(out):
    return json.loads((out / "campaign.json").read_text())["verdicts"]


FINE = {
    "complex": ("x, y", "(x * y).exp(), x.abs(), (x @ y).mT, y.conj()", ["c64[3,3]", "c64[3,3]"]),
    "unsigned": ("x", "x.view(torch.int16), x.float() + 1", ["u16[5]"]),
    "all unsigned": ("x", "x.view(torch.int64) + 1, x.to(torch.float64)", ["u64[5]"]),
    "order of sets": ("x", "x + 1, ','.join({'alpha', 'beta', 'gamma', 'delta'})", ["f32[3]"]),
    "gradients": ("x", "torch.func.grad(lambda v: (v.sin() * v).sum())(x), x.exp()", ["f64[4]"]),
    "walked back": ("x, k", "walk(x * k)", ["f32[4]", "int"]),
    "other modules": ("x", "x * copy.copy(2) + operator.add(1, 2) + len(os.sep)", ["f32[4]"]),
}
WALK = """
def walk(x):
    x = x.detach().requires_grad_()
    x.pow(2).sum().backward()
    return x.grad
"""


@pytest.mark.parametrize("name", FINE)
def test_what_is_right_is_taken(tmp_path, name):
    parameters, value, rand = FINE[name]
    path = tmp_path / "program.py"
    text = "import copy\nimport operator\nimport os\n\nimport torch\n\n"
    path.write_text(f"{text}{WALK}\n\ndef f({parameters}):\n    return {value}\n")
    words = [word for r in rand for word in ("--rand", r)]
    done = check(path, tmp_path / "out", "--fn", "f", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert verdicts(tmp_path / "out")["ok"] > 0


def test_a_module_is_trained_alike(tmp_path):
    path = tmp_path / "net.py"
    path.write_text(
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.lin = nn.Linear(3, 2)\n\n"
        "    def forward(self, x, *, scale=1.0):\n"
        "        return {'y': self.lin(x).tanh() * scale}\n"
    )
    done = check(path, tmp_path / "out", "--rand", "f32[4,3]")
    assert done.returncode == 0, done.stdout + done.stderr
    assert verdicts(tmp_path / "out")["ok"] == 2, done.stderr


@pytest.mark.parametrize(
    "name, rand, plan, says",
    [
        ("pytorch197586", ["c64[3]"], "torch:dynamo", "plain Python gives 3.14"),
        ("pytorch191821", ["f32[3]"], "torch:aot", "plain Python gives"),
        (
            "pytorch193757",
            ["f32[4,4]"],
            "torch:aot",
            "its eager mode: RuntimeError: all elements of input",
        ),
    ],
)
def test_a_report_is_caught(tmp_path, name, rand, plan, says):
    words = [word for r in rand for word in ("--rand", r)]
    done = check(PUBLIC / f"{name}.py", tmp_path / "out", *words, plan=plan)
    assert done.returncode == 2, done.stdout + done.stderr
    (folder,) = (tmp_path / "out/findings").iterdir()
    assert says in (folder / "README.md").read_text(encoding="utf-8")


REFUSED = {
    "by an operator at some sizes": ("f32[2,3]", "len({1, 2}) * (x @ x)", 0),
    "by a function of operators": ("i64[]", "len({1, 2}) * (x @ x)", 3),
    "by iterating a number": ("f32[]", "[a + len({1}) for a in x]", 3),
    "by a module's check": ("f32[3]", "torch.nn.BatchNorm2d(len({1, 2}))(x)", 3),
}


@pytest.mark.parametrize("name", REFUSED)
def test_which_check_of_an_operator_comes_first_is_nobodys_claim(tmp_path, name):
    rand, body, code = REFUSED[name]
    path = tmp_path / "refused.py"
    path.write_text(f"import torch\n\n\ndef f(x):\n    return {body}\n")
    r = check(path, tmp_path / "out", "--rand", rand, plan="torch:dynamo")
    found = json.loads((tmp_path / "out/campaign.json").read_text())
    assert r.returncode == code and found["findings"] == [], r.stdout + r.stderr


TRAINED = """
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.c = torch.nn.Conv2d(3, 4, 3, padding=1)
        self.bn = torch.nn.BatchNorm2d(4)
        self.head = torch.nn.Linear(4, 2)
    def forward(self, x):
        return self.head(torch.nn.functional.gelu(self.bn(self.c(x))).mean((2, 3)))
"""


def test_what_only_roundings_make_is_no_gradient(tmp_path):
    """Of a bias before a batch norm it is zero, and of a constant image the noise is large."""
    path = tmp_path / "train.py"
    path.write_text(TRAINED)
    words = ("--module", "Net()", "--rand", "f32[2,3,4,4]")
    r = check(path, tmp_path / "out", *words)
    assert r.returncode == 0, r.stdout + r.stderr
    assert verdicts(tmp_path / "out")["ok"] > 0


OPTIMISED = """
import torch
def f(w, x):
    w = w.detach().requires_grad_()
    opt = torch.optim.AdamW([w], lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        (x @ w).square().mean().backward()
        opt.step()
    return w.detach()
"""


def test_what_an_optimizer_reads_is_no_branch(tmp_path):
    """AdamW reads its number of steps, which no rounding changes."""
    path = tmp_path / "step.py"
    path.write_text(OPTIMISED)
    r = check(path, tmp_path / "out", "--rand", "f32[3,2]", "--rand", "f32[4,3]")
    assert r.returncode == 0, r.stdout + r.stderr
    assert verdicts(tmp_path / "out")["ok"] > 0


def test_an_input_with_a_view_keeps_its_size(tmp_path):
    path = tmp_path / "both.py"
    path.write_text("def f(x, y):\n    y.add_(1)\n    return x * 2 + y.sum()\n")
    r = check(path, tmp_path / "out", "--rand", "f32[6]", "--in", "y = x[1:]")
    assert r.returncode == 0 and "dies" not in r.stderr, r.stdout + r.stderr
    assert verdicts(tmp_path / "out")["ok"] > 0


def test_a_case_of_another_runs_only_what_computes(tmp_path):
    """`check` runs its caller's file; a case may be anybody's."""
    case = tmp_path / "of.case"
    case.write_text(
        "fusillade case 6\noracle: plain_python\nverdict: ok\nplan: torch:dynamo\n"
        "plain python:\n  import os\n\n  def f(x):\n      return x + len(os.sep)\n"
        "call:\n    x = f32[2] {0x1p+0, 0x1p+1}\nend\n"
    )
    engine = ("--engine-python", f"torch={ENGINES}")
    done = run("repro", case, *engine)
    assert "the module 'os'" in done.stdout and "--trust-text" in done.stdout, done.stdout
    done = run("repro", case, *engine, "--trust-text")
    assert done.returncode == 0 and ": ok" in done.stdout, done.stdout + done.stderr


def test_a_text_that_says_a_wrong_dtype(tmp_path):
    case = tmp_path / "of.case"
    text = (
        "fusillade case 6\noracle: plain_python\nverdict: ok\nplan: torch:dynamo\nplain python:\n"
    )
    call = "call:\n    x = f32[3] {0x0p+0, 0x0p+0, 0x0p+0}\nend\n"
    for said, says in (
        ('{"x": "complex64"}', "no pairs of numbers"),
        ('{"x": "quux"}', "names no parameter, or no dtype"),
        ('{"y": "uint16"}', "names no parameter, or no dtype"),
        ("[", "SyntaxError"),
    ):
        case.write_text(f"{text}  fusillade_dtypes = {said}\n\n  def f(x):\n      return x\n{call}")
        done = run("repro", case, "--engine-python", f"torch={ENGINES}")
        assert says in done.stdout + done.stderr, (said, done.stdout, done.stderr)


LEFT = """import torch


def f(x):
    torch.set_default_dtype(torch.float64)
    return x + torch.ones(3).sum()
"""


def test_what_a_call_leaves_behind_is_of_both(tmp_path):
    """A mode that eager mode leaves, too, is no finding, and the next call begins as before."""
    path = tmp_path / "left.py"
    path.write_text(LEFT)
    done = check(path, tmp_path / "out", "--rand", "f32[4]", plan="torch:dynamo")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "name, words, says",
    [
        ("pytorch195488", ["--rand", "f32[4,4]", "--rand", "i64[1]"], "depth of autocast 1"),
        (
            "pytorch193966",
            [*["--rand", "f32[4,64,16] strides=[1024,1,64]"] * 2, "--module", "Net()", "--eval"],
            "expected size 64==64, stride 16==1",
        ),
        (
            "pytorch198189",
            ["--rand", "f32[3]", "--module", "Net()"],
            r"OrderedDict\('b': \d+(, 'c': \d+)?, 'a': \d+\)",  # as far as it is reduced
        ),
    ],
)
def test_modes_and_inference_are_judged(tmp_path, name, words, says):
    plan = "torch:compile" if "--eval" in words else "torch:dynamo"
    done = check(PUBLIC / f"{name}.py", tmp_path / "out", *words, plan=plan)
    assert done.returncode == 2, done.stdout + done.stderr
    (folder,) = (tmp_path / "out/findings").iterdir()
    assert re.search(says, (folder / "README.md").read_text(encoding="utf-8"))
    shown = subprocess.run([ENGINES, folder / "script.py"], capture_output=True, text=True)
    assert shown.returncode == 77, shown.stdout + shown.stderr
    assert re.search(says, shown.stdout + shown.stderr)


# Names that the script has for itself, a future, and an object of a class of its own.
STATEFUL = """from __future__ import annotations

import torch

calls, outcome = [], {"a": 1, "b": 2}


class Kept:
    def __init__(self):
        self.count = 0


kept = Kept()


def f(x):
    calls.append(len(x))
    outcome["a"] = outcome.pop("a")
    kept.count += 5 if torch.compiler.is_dynamo_compiling() else 1
    return x + 1
"""


def test_a_script_shows_data_left_behind_by_itself(tmp_path):
    """Each of its runs has the text's names to itself."""
    case, script, alike = (tmp_path / name for name in ("of.case", "script.py", "alike.py"))
    lines = "".join(f"  {line}".rstrip() + "\n" for line in STATEFUL.splitlines())
    case.write_text(
        "fusillade case 6\noracle: plain_python\nverdict: ok\nplan: torch:dynamo\n"
        f"plain python:\n{lines}call:\n    x = f32[2] {{0x1p+0, 0x1p+1}}\nend\n"
    )
    words = ("--trust-text", "--script", script, "--engine-python", f"torch={ENGINES}")
    done = run("repro", case, *words)
    assert done.returncode == 77 and script.exists(), done.stdout + done.stderr
    alike.write_text(
        script.read_text().replace("5 if torch.compiler.is_dynamo_compiling() else 1", "1")
    )
    for file, code in ((script, 77), (alike, 0)):
        shown = subprocess.run([ENGINES, file], capture_output=True, text=True)
        assert shown.returncode == code, shown.stdout + shown.stderr
        assert "data left behind: kept is Kept('count': 1)" in shown.stdout


KEPT = """import collections

import torch
from torch import nn

seen, sizes, last = set(), collections.deque(maxlen=2), None
table = {"calls": 0}


class Log:
    def __init__(self):
        self.lines, self.largest = [], 0.0


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.log, self.steps = nn.Linear(3, 3), Log(), 0

    def forward(self, x):
        global last
        last = x.dtype
        seen.add(len(x))
        sizes.append(tuple(x.shape))
        table["calls"] += 1
        self.log.lines.append(f"call {self.steps}")
        self.steps += 1
        self.kept = x * 2
        return self.inner(x)
"""


def test_data_that_a_call_leaves_behind_is_of_both(tmp_path):
    path = tmp_path / "kept.py"
    path.write_text(KEPT)
    words = ["--module", "Net()", "--rand", "f32[2,3]"]
    done = check(path, tmp_path / "out", *words, plan="torch:dynamo")
    assert done.returncode == 0, done.stdout + done.stderr


REFUSES = """from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.calls = nn.Linear(3, 3), 0

    def forward(self, x):
        self.calls += 1
        return self.inner(x) * self.calls
"""
CACHED = """import torch

CACHE = {}


def f(x):
    if x.size(0) not in CACHE:
        CACHE[x.size(0)] = torch.arange(x.size(0))
    return x + CACHE[x.size(0)][:3]
"""
TIMED = """import time

times = []


def f(x):
    times.append(time.time_ns())
    return x + 1
"""


@pytest.mark.parametrize(
    "text, words",
    [
        # What a refused call changes is lost in one mode.
        (REFUSES, ["--module", "Net()", "--rand", "f32[4,3]"]),
        (CACHED, ["--rand", "f32[4,3]"]),
        # Data differ in each run, and values are judged.
        (TIMED, ["--rand", "f32[4]"]),
    ],
    ids=["refused", "cached", "timed"],
)
def test_data_that_modes_may_leave_otherwise_are_no_finding(tmp_path, text, words):
    path = tmp_path / "program.py"
    path.write_text(text)
    done = check(path, tmp_path / "out", *words, plan="torch:dynamo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert verdicts(tmp_path / "out")["ok"] > 0


COUNTED = """import torch

count = 0


def f(x):
    global count
    count += 1
    torch._dynamo.graph_break()
    return x.reshape(2, 6) * count
"""
READ = """def f(x):
    total = (x.abs() / x.abs().sum()).sum()
    print("percent", int(total * 100))
"""


def test_calls_that_eager_mode_refuses_are_made_by_both(tmp_path):
    path = tmp_path / "counted.py"
    path.write_text(COUNTED)
    done = check(path, tmp_path / "out", "--rand", "f32[3,4]", plan="torch:dynamo")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("then", ["return -x", "raise ValueError('more than there is')"])
def test_what_roundings_may_decide_in_python_is_not_judged(tmp_path, then):
    path = tmp_path / "read.py"
    path.write_text(READ + f"    if total >= 1:\n        {then}\n    return x\n")
    done = check(path, tmp_path / "out", "--rand", "f32[37]")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "skip: elements of tensors decide what Python does | 2 |" in done.stdout, done.stdout


@pytest.mark.parametrize(
    "text, says",
    [
        ("def f(x):\n    y = x + 1\n    sys.exit(3)\n", "the program raises an error"),
        ("sys.exit('gone')\n\n\ndef f(x):\n    return x\n", "it cannot be loaded"),
    ],
    ids=["called", "loaded"],
)
def test_a_text_that_exits_is_no_end_of_the_worker(tmp_path, text, says):
    path = tmp_path / "exits.py"
    path.write_text("import sys\n\n\n" + text)
    done = check(path, tmp_path / "out", "--rand", "f32[4]", plan="torch:dynamo")
    assert done.returncode == 3, done.stdout + done.stderr
    assert says in done.stdout, done.stdout
