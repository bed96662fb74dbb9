"""Whole Python under torch.compile: which texts PyTorch's worker runs, and what a campaign, a
reproduction, a reduction and a script of a finding make of one.
"""

import json
import subprocess

import pytest
from under_test import ROOT, run

ENGINES = ROOT / "build/engines/bin/python"
pytestmark = pytest.mark.skipif(
    not ENGINES.exists(), reason="build/engines is not made (ci/setup.sh --engines)"
)
HERE = ("--engine-python", f"torch={ENGINES}")
REFUSED = (
    "import os",
    "from torch import hub",
    "import torch\nm = torch.nn",
    "import torch\nf = torch",
    "import torch\ntorch.load('x')",
    "import torch\ntorch.jit.load('x')",
    "import torch\ntorch.ops.load_library('x')",
    "import torch\ntorch.from_file('x')",
    "import torch\ntorch.ops.aten.from_file('x')",
    "import torch\ntorch.ops.aten.save(1, 'x')",
    "import torch\ntorch._C",
    "import torch.nn.functional as F\nF.torch.hub",
    "import functools\nfunctools.sys",
    "from torch.utils import data",
    "import torch\ntorch.autograd.profiler",
    "import torch\ntorch.optim.lr_scheduler",
    "import torch\nf = torch.func",
    "x = ().__class__",
    "x = '{0.__class__}'.format(1)",
    "x = eval('1')",
    "def f():\n    return getattr(1, 'real')",
    "def f(e):\n    return e.tb_frame",
    "match 1:\n    case object(__class__=c):\n        pass",
    "def f(:",
)
TAKEN = (
    "import torch\nfrom torch import Tensor, nn\nclass M(nn.Module):\n    pass",
    "import torch\ndef f(x):\n    return torch.ops.aten.__lshift__(x, x) + torch.linalg.norm(x)",
    "import torch.nn.functional as F\ndef f(x):\n    return F.relu(x)",
    "import functools\ndef f(x):\n    return functools.reduce(max, x)",
    "class A:\n    def __init__(self):\n        super().__init__()",
    "import torch\nclass F(torch.autograd.Function):\n    pass\ntorch.autograd.grad",
    "import torch\ntorch.manual_seed(1)\nwith torch.autocast('cpu'):\n    torch.optim.SGD",
    "import torch\ndef f(g, x):\n    return torch.func.vmap(torch.func.grad(g))(x)",
)
# Its engine `wrong` calls its function once more than it should, where it has a set.
MINE = """
import contextlib, io
from fusillade_worker import Ops, Worker, serve
class Script:
    def __init__(self, said):
        self.text, self.declined = said["text"], None
class Mine(Worker):
    name, version = "mine", "1"
    engines = {"eager": None, "wrong": None}
    ops, script = Ops({}), Script
    def is_tensor(self, value):
        return False
    def run(self, engine, program, call):
        names = {}
        exec(program.script.text, names)
        result = names["main"](*call.arguments())
        return [result + (engine == "wrong" and "{" in program.script.text)], {}
serve(Mine())
"""
CASE = """fusillade case 5
oracle: whole_python
verdict: mismatch
plan: mine:wrong
python:
  import functools
  class A:
      k = 3
      def f(self, n):
          return n + self.k
  def main(n: int):
      total = 0
      for i in range(4):
          total += A().f(i)
      seen = {total, n}
      for i in seen:
          total += i
      return len(seen)
call:
    n = 5
end
"""


# Its engine `deaf` loses every error, and `hoarse` raises another.
DEAF = """
from fusillade_worker import Ops, Worker, serve
class Script:
    def __init__(self, said):
        self.text, self.declined = said["text"], None
class Deaf(Worker):
    name, version = "deaf", "1"
    engines = {"eager": None, "deaf": None, "hoarse": None}
    contract = {"hoarse": {"error_classes": True}}
    ops, script = Ops({}), Script
    def is_tensor(self, value):
        return False
    def run(self, engine, program, call):
        names = {}
        exec(program.script.text, names)
        try:
            return [names["main"](*call.arguments())], {}
        except Exception as e:
            if engine == "deaf":
                return [None], {}
            if engine == "hoarse":
                raise AssertionError from None
            e.by_operator = "an operator" in str(e)
            raise
serve(Deaf())
"""


def refusals(texts):
    code = (
        "import json, sys\n"
        f"sys.path.insert(0, {str(ROOT / 'fuzz/workers')!r})\n"
        "from torch_admission import refusal\n"
        "print(json.dumps([refusal(text) for text in json.load(sys.stdin)]))"
    )
    done = subprocess.run(
        [ENGINES, "-c", code], input=json.dumps(texts), capture_output=True, text=True
    )
    return json.loads(done.stdout)


def test_texts_that_reach_beyond_tensors_are_refused():
    said = refusals([*REFUSED, *TAKEN])
    assert all(said[: len(REFUSED)]), list(zip(REFUSED, said))
    assert not any(said[len(REFUSED) :]), said[len(REFUSED) :]


def test_generated_texts_run_in_plain_pytorch(tmp_path):
    """Most end with values, and none is declined: Dynamo alone is compared with CPython."""
    out = tmp_path / "out"
    done = run(
        "fuzz", "--policy=python", "--oracle=whole_python", "--plan=torch:dynamo", "--runs=12",
        "--jobs=1", "--seed=3", "--min-yield=0", *HERE, "--out", out,
    )  # fmt: skip
    assert done.returncode in (0, 2), done.stderr
    verdicts = json.loads((out / "campaign.json").read_text())["verdicts"]
    assert verdicts["ok"] + verdicts["mismatch"] >= 10, verdicts


def test_a_finding_is_reproduced_and_reduced_by_statements(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    case = tmp_path / "found.case"
    case.write_text(CASE)
    flags = ("--engine", f"mine={tmp_path / 'mine.py'}", "--engine-python", "mine=/usr/bin/python3")
    assert run("repro", case, *flags).returncode == 77
    done = run("reduce", case, *flags, "--out", tmp_path / "small.case")
    assert done.returncode == 77, done.stderr
    text = (tmp_path / "small.case").read_text()
    assert "class A" not in text and "for " not in text and "{" in text, text
    assert run("repro", tmp_path / "small.case", *flags).returncode == 77


@pytest.mark.parametrize(
    "body, verdict",
    [
        ("[1, 2][n]", "mismatch"),
        ("{}[n]", "mismatch"),
        ("raise RuntimeError('stop')", "mismatch"),
        ("raise ValueError('stop')", "mismatch"),
        ("raise RuntimeError('of an operator whose result nobody needs')", "skip"),
        ("return None", "ok"),
    ],
)
def test_an_error_of_python_may_not_be_lost(tmp_path, body, verdict):
    assert f": {verdict}" in judge_error(tmp_path, "deaf", body)


def judge_error(tmp_path, engine, body):
    worker, case = tmp_path / "deaf.py", tmp_path / "deaf.case"
    worker.write_text(DEAF)
    case.write_text(
        f"fusillade case 5\noracle: whole_python\nverdict: mismatch\nplan: deaf:{engine}\n"
        f"python:\n  def main(n: int):\n      {body}\ncall:\n    n = 5\nend\n"
    )
    done = run("repro", case, "--engine", f"deaf={worker}", "--engine-python", f"deaf={ENGINES}")
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "body, verdict",
    [
        ("raise RuntimeError('stop')", "mismatch (error: class AssertionError for RuntimeError)"),
        ("raise RuntimeError('of an operator')", "ok"),
        ("raise IndexError('of an operator')", "ok"),
    ],
)
def test_the_class_of_an_operators_error_is_no_claim(tmp_path, body, verdict):
    assert f": {verdict}" in judge_error(tmp_path, "hoarse", body)


def test_programs_of_one_worker_are_nothing_to_each_other(tmp_path):
    """Sizes that changed in one program were dynamic from the start in the next one."""
    lists = "def main(x, n: int):\n    for i in range(n):\n        x = x + i\n    return x\n"
    code = (
        "import json, sys\n"
        f"sys.path.insert(0, {str(ROOT / 'fuzz/workers')!r})\n"
        "import torch\nfrom torch._dynamo import pgo\nfrom torch_worker import forget_sizes\n"
        "def frames(text):\n"
        "    seen, names = [], {}\n"
        "    exec(compile(text, 'program', 'exec'), names)\n"
        "    def backend(graph, inputs):\n"
        "        seen.append([n.op for n in graph.graph.nodes if n.op == 'placeholder'])\n"
        "        return graph\n"
        "    f = torch.compile(names['main'], backend=backend)\n"
        "    for n in 2, 3: f(torch.ones(3), n)\n"
        "    return len(seen)\n"
        f"first = frames({lists!r})\n"
        "forget_sizes()\n"
        f"print(json.dumps([first, frames({lists!r})]))"
    )
    done = subprocess.run([ENGINES, "-c", code], capture_output=True, text=True)
    first, second = json.loads(done.stdout)
    assert first == second > 1, done.stdout + done.stderr


@pytest.mark.parametrize("options", ["specialize_int=true", "recompile_limit=1", "drawn"])
def test_dynamo_runs_under_its_own_options(tmp_path, options):
    done = run(
        "fuzz", "--policy=python", "--oracle=whole_python", f"--plan=torch:dynamo({options})",
        "--runs=6", "--jobs=1", "--min-yield=0", "--out", tmp_path / "out", *HERE,
    )  # fmt: skip
    assert done.returncode in (0, 2), done.stderr
    verdicts = json.loads((tmp_path / "out/campaign.json").read_text())["verdicts"]
    assert verdicts["ok"] > 0, verdicts


def test_an_option_that_dynamo_has_not_is_an_error(tmp_path):
    done = run(
        "fuzz", "--policy=python", "--oracle=whole_python", "--plan=torch:dynamo(specialise=true)",
        "--runs=6", "--out", tmp_path / "out", *HERE,
    )  # fmt: skip
    assert done.returncode == 1 and "specialize_int" in done.stderr, done.stderr


def test_other_oracles_and_verbs_leave_it_alone(tmp_path):
    case = tmp_path / "p.case"
    case.write_text(CASE.replace("whole_python", "differential").replace("mine:wrong", "vm/o2"))
    done = run("repro", case)
    assert done.returncode == 0 and "whole Python" in done.stdout, (done.stdout, done.stderr)


def test_scripts_of_tensors_are_compared_within_bounds(tmp_path):
    out = tmp_path / "out"
    done = run(
        "fuzz", "--policy=source_tensors", "--oracle=whole_python", "--plan=torch:aot",
        "--runs=10", "--jobs=1", "--seed=1", "--min-yield=0", *HERE, "--out", out,
    )  # fmt: skip
    assert done.returncode in (0, 2), done.stderr
    assert json.loads((out / "campaign.json").read_text())["verdicts"]["ok"] > 0
