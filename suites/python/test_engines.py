"""External engines, from the command line: NumPy as docs/start plugs it in, PyTorch 1.13.1 where it
is installed, and what is said of engines that are not there."""

import json
import os
import re
import subprocess
import sys

import pytest
from under_test import BINARY, PYTHON, ROOT, torch_needed

NUMPY = ["--engine", f"numpy={ROOT}/fuzz/workers/example.py", "--engine-python", f"numpy={PYTHON}"]
TORCH = ["--engine-python", f"torch={PYTHON}"]
BOOLS = """fusillade case 1
plan: torch:script(nnc)
program:
  graph(%x : Char(4, strides=[1], requires_grad=0, device=cpu),
        %b : Bool(4, strides=[1], requires_grad=0, device=cpu)):
    %y : Bool(4, strides=[1], requires_grad=0, device=cpu) = aten::eq(%x, %x)
    %z : Bool(4, strides=[1], requires_grad=0, device=cpu) = aten::gt(%y, %b)
    return (%z)
call:
    x = i8[4] {1, 2, 3, 4}
    b = bool[4] {0, 1, 0, 1}
end
"""
SCRIPT = "def f(x, n: int):\n    y = x * 2 + n\n    y[0] += 1\n    return y, x.sum(), n + 1\n"


def fusillade(*words, **options):
    return subprocess.run(
        [BINARY, *map(str, words)], capture_output=True, text=True, timeout=300, **options
    )


def test_the_example_fits_on_a_page_and_is_all_that_it_takes(tmp_path):
    assert len((ROOT / "fuzz/workers/example.py").read_text().splitlines()) <= 100
    run = fusillade(
        "fuzz",
        *NUMPY,
        "--plan",
        "numpy:eager",
        "--runs",
        500,
        "--seed",
        5,
        "--min-yield",
        0,
        "--out",
        tmp_path / "out",
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "## Findings: 0" in run.stdout
    compared = int(re.search(r"Elements compared: (\d+)", run.stdout)[1])
    assert compared > 1000, run.stdout


def test_a_program_runs_under_an_engine_of_ones_own(tmp_path):
    (tmp_path / "f.py").write_text("def f(x, y):\n    return torch.maximum(x, y) + x\n")
    run = fusillade(
        "run",
        tmp_path / "f.py",
        "--plan",
        "numpy:eager",
        *NUMPY,
        "--rand",
        "f32[2,3]",
        "--rand",
        "f32[3]",
    )
    assert (run.returncode, run.stdout) == (0, "out0: f32[2, 3]\n"), run.stderr
    (tmp_path / "f.py").write_text("def f(x):\n    return x.erfinv()\n")
    run = fusillade("run", tmp_path / "f.py", "--plan", "numpy:eager", *NUMPY, "--rand", "f32[2,3]")
    assert run.returncode == 1 and "aten.erfinv.default" in run.stderr


def test_programs_of_a_campaign_are_printed_for_repro(tmp_path):
    """What gen prints of a plan is what a campaign over it judges: other programs than without, and
    under that plan."""
    words = ["--plan", "numpy:eager", *NUMPY, "--seed", 5, "--runs", 1]
    for index in range(3):
        text = fusillade("gen", *words, "--index", index).stdout
        assert "\noracle: conformance\n" in text and "\nplan: numpy:eager\n" in text
        (tmp_path / "a.case").write_text(text)
        assert fusillade("repro", tmp_path / "a.case", *NUMPY).returncode == 0
        assert f"origin: seed=5 index={index} " in text
    assert fusillade("gen", *words, "--format", "python").stdout.startswith(
        ("def program(ops", "# ")
    )
    for more, said in [
        (["--max-nodes", 3], "--max-nodes: with --plan"),
        (["--format", "none"], "it takes no --plan"),
        (["--plan", "numpy:none"], "unknown engine 'numpy:none'"),
    ]:
        run = fusillade("gen", *words, *more)
        assert run.returncode == 1 and said in run.stderr


def test_a_check_says_which_op_an_engine_lacks(tmp_path):
    (tmp_path / "f.py").write_text("def f(x):\n    return x.erfinv()\n")
    run = fusillade(
        "check",
        tmp_path / "f.py",
        "--plan",
        "numpy:eager",
        *NUMPY,
        "--rand",
        "f32[2,3]",
        "--inputs",
        4,
        "--out",
        tmp_path / "out",
    )
    assert (
        run.returncode == 3
        and "| skip: declined: ops that it lacks: aten.erfinv.default |" in run.stdout
    ), run.stdout


@pytest.mark.parametrize(
    "words,said",
    [
        (
            ["--plan", "torch:eager", "--engine-python", "torch=/nonexistent/python"],
            "ci/setup.sh --engines installs",
        ),
        (["--plan", "torch:nothing"], "unknown engine 'torch:nothing'"),
        (["--plan", "mine:fast"], "unknown engine 'mine:fast'; --engine mine=WORKER declares"),
        (["--plan", "torch:eager/o2"], "runs no passes"),
        (["--engine", "mine=/nonexistent.py"], "there is no file '/nonexistent.py'"),
        (["--engine", "torch=torch"], "there is a family 'torch' already"),
        (["--engine-python", "trch=python3"], "did you mean torch"),
        (["--engine", "mine"], "legal is NAME=WORKER"),
    ],
)
def test_what_is_not_there_is_said_with_a_way_out(words, said, tmp_path):
    (tmp_path / "f.py").write_text(SCRIPT)
    run = fusillade("run", tmp_path / "f.py", "--rand", "f32[3]", "--arg", 3, *words)
    assert run.returncode == 1 and said in run.stderr, run.stderr
    if "--plan" in words:
        run = fusillade("fuzz", "--runs", 5, "--out", tmp_path / "out", *words)
        assert run.returncode == 1 and said in run.stderr, run.stderr


MISSPELT = (
    "from fusillade_worker import Ops, Worker, serve\nclass Mine(Worker):\n    {}\nserve(Mine())\n"
)


@pytest.mark.parametrize(
    "worker,said",
    [
        ("import sys\nsys.exit('it is broken')\n", "it is broken"),
        ("print('hello there')\n", "does not run their worker"),
        ("x = = 1\n", "invalid syntax"),
        (
            MISSPELT.format("contract = {'eager': {'stride': True}}"),
            (
                "the contract of 'mine:eager' has the key 'stride', which is unknown; did you "
                "mean strides?"
            ),
        ),
        (
            MISSPELT.format("contract = {'jit': {}}"),
            "has a contract of the engine 'jit' (its engines: eager)",
        ),
        (
            MISSPELT.format("contract = {'eager': {'packs': 'many'}}"),
            "'packs' is \"many\"; legal is a whole number from 1 to 64",
        ),
        (
            MISSPELT.format("contract = {'eager': {'seconds': 0}}"),
            "'seconds' is 0; legal is a number from 1 to 3600",
        ),
        (
            MISSPELT.format("ops = Ops({'ad.Tensor': len})"),
            "lists the op 'aten.ad.Tensor', which is unknown; did you mean aten.add.Tensor",
        ),
    ],
)
def test_a_worker_that_does_not_greet_is_no_engine(worker, said, tmp_path):
    (tmp_path / "worker.py").write_text(worker)
    run = fusillade(
        "list",
        "engines",
        "--engine",
        f"mine={tmp_path}/worker.py",
        "--engine-python",
        f"mine={PYTHON}",
    )
    assert run.returncode == 1 and said in run.stderr, run.stderr


def test_list_engines_says_what_is_lacking(tmp_path):
    def absent(python):
        run = fusillade(
            "list", "engines", "--json", "--engine", "mine=jax", "--engine-python", f"mine={python}"
        )
        assert run.returncode == 0, run.stderr
        return {row["name"]: row["absent"] for row in json.loads(run.stdout)}

    assert absent("/nonexistent/python")["mine:jit"] == "/nonexistent/python does not run"
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    found = absent(f"{bare}/bin/python")
    assert found["mine:jit"] == f"{bare}/bin/python has no jax"
    assert found["eager"] == ""


def test_python_of_generated_programs_is_python():
    text = fusillade("gen", "--format", "python", "--runs", 200, "--seed", 9).stdout
    programs = re.split(r"^(?=def program|# )", text, flags=re.M)[1:]
    assert len(programs) == 200
    scripts = [p for p in programs if p.startswith("def program(ops")]
    assert len(scripts) > 100
    for program in scripts:
        names = {}
        exec(compile(program, "program", "exec"), names)
        assert callable(names["program"])


OPEN = {  # what eager mode gives of these is no promise
    "x.clamp(None, float('nan'))": "one limit that is NaN",
    "x.logit(0.75)": "limits of which the lower is above the upper",
    "F.celu(x, 0.1)": "a number that float32 does not hold",
    "x.add_(x.flip([0]))": None,
    "x[1:].mul_(x[:-1])": "shares memory with what is written",
    "x[:2].mul_(x[2:])": None,
    "torch.linalg.inv(x.reshape([2, 2]) / 0)": "a matrix of infinities or NaN",
    "torch.linalg.matrix_power(x.reshape([2, 2]) / 0, -1)": "a matrix of infinities or NaN",
    "torch.ops.aten.prelu(torch._native_multi_head_attention(x.reshape([1, 1, 4]), x.reshape([1, "
    "1, 4]), x.reshape([1, 1, 4]), 4, 1, torch.ones([12, 4]), torch.ones([12]), torch.ones([4, "
    "4]), x, None, False)[1], x[:1])": "an undefined tensor",
    "torch.linalg.matrix_power(x.reshape([2, 2]) / 0, 2)": None,
    "F.cosine_similarity(x, x, 0, 1e308)": "a number that float32 does not hold",
    "F.cosine_similarity(x, x, 0, 1e10)": None,
    "torch.histogram(x / 0, 2, range=(0.0, 1.0))[0]": None,
    "torch.histogram(x * float('nan'), 2, range=(0.0, 1.0))[0]": "a NaN, which is in no bin",
    "torch.histogram(x, -torch.arange(3.0))[0]": "edges of bins that do not ascend",
    "torch.histogram(x, torch.arange(3.0))[0]": None,
    "torch.histogram(x * float('nan'), torch.arange(3.0))[0]": "a NaN, which is in no bin",
    "torch.isin(x, 0.1)": "a number that float32 does not hold",
    "torch.isin(x, 0.5)": None,
    "torch.isin(torch.arange(16777217, 16777219), x)": "integers that become equal among floats",
    "torch.isin(torch.arange(3), x)": None,
    "torch.ops.aten.upsample_nearest1d(x.reshape([1, 1, 4]), [8], 3.0)": "a scale that is "
    "not that of the sizes",
    "torch.ops.aten.upsample_nearest1d(x.reshape([1, 1, 4]), [8], 2.0)": None,
    "torch.ops.aten._softmax_backward_data(x.bfloat16(), x.bfloat16(), 0, "
    "torch.bfloat16)": "steps that versions before 2 round to 16 bits",
    "torch.ops.aten.upsample_bilinear2d(x.reshape([1, 1, 2, 2]), [2, 2], False, "
    "scales_w=2.0)": "a scale that is not that of the sizes",
    "torch.ops.aten.upsample_bilinear2d(x.reshape([1, 1, 2, 2]), [2, 4], False, "
    "scales_w=2.0)": None,
    "torch.sinc(x.bfloat16())": "steps that versions before 2 round",
    "torch.cosine_similarity(x.half(), x.half(), 0)": "steps that versions before 2 round",
    "torch.ops.aten._softmax_backward_data(x, x, 0, torch.float32)": None,
    "torch.norm(x.bfloat16(), 2)": "steps that versions before 2 round",
    "torch.norm(x, 2)": None,
    "torch.linalg.vector_norm(x.half())": "steps that versions before 2 round",
    "F.pairwise_distance(x.half(), x.half())": "steps that versions before 2 round",
    "torch.linalg.norm(x[:0].reshape([1, 0]), 2)": "a norm of nothing",
    "torch.diff(x, -1)": "an order below 0",
    "F.layer_norm(x.bfloat16(), [4], x, x)": "parameters of another dtype",
    "F.layer_norm(x, [4], x, x)": None,
    "torch.ctc_loss(x.abs().reshape([2, 1, 2]) / 0, torch.ones([1, 1], dtype=torch.long), [2], "
    "[1])": "a probability that is NaN or infinite",
    "torch.zeros([2], dtype=torch.uint8).fill_(-1.5 - x.abs().sum())": "a value or a factor that a "
    "dtype does not hold",
}


@torch_needed
@pytest.mark.parametrize("call", OPEN)
def test_what_eager_mode_leaves_open_is_declined_with_the_reason(call, tmp_path):
    (tmp_path / "f.py").write_text(
        f"import torch\nimport torch.nn.functional as F\ndef f(x):\n    return {call}\n"
    )
    run = fusillade("run", tmp_path / "f.py", "--plan", "torch:eager", *TORCH, "--rand", "f32[4]")
    if OPEN[call]:
        assert run.returncode != 0 and OPEN[call] in run.stderr, run.stdout + run.stderr
    else:
        assert run.returncode == 0, run.stderr


@torch_needed
@pytest.mark.parametrize("engine", ["eager", "script", "trace"])
def test_pytorch_runs_programs(engine, tmp_path):
    (tmp_path / "f.py").write_text(
        "def f(x):\n    y = x * 2\n    y[0] += 1\n    return y, x.sum()\n"
    )
    run = fusillade(
        "run", tmp_path / "f.py", "--plan", f"torch:{engine}", *TORCH, "--rand", "f32[3]"
    )
    assert run.returncode == 0 and run.stdout.startswith("out0: (f32[3], f32[])"), run.stderr


@torch_needed
def test_a_size_that_a_trace_has_as_a_tensor_is_declined(tmp_path):
    (tmp_path / "f.py").write_text("def f(x, n: int):\n    return x + 1, [x.size(n)]\n")
    run = fusillade(
        "run", tmp_path / "f.py", "--plan", "torch:trace", *TORCH, "--rand", "f32[3]", "--arg", 0
    )
    assert run.returncode == 1 and "a size among the results" in run.stderr, run.stdout + run.stderr
    (tmp_path / "f.py").write_text("def f(x, n: int):\n    return x.expand([x.size(n)])\n")
    run = fusillade(
        "run", tmp_path / "f.py", "--plan", "torch:trace", *TORCH, "--rand", "f32[3]", "--arg", 0
    )
    assert run.returncode == 0 and run.stdout == "out0: f32[3]\n", run.stdout + run.stderr


@torch_needed
def test_pytorch_of_today_is_needed_for_torch_compile(tmp_path):
    (tmp_path / "f.py").write_text("def f(x):\n    return x + 1\n")
    run = fusillade("run", tmp_path / "f.py", "--plan", "torch:compile", *TORCH, "--rand", "f32[3]")
    assert run.returncode == 1 and "needs PyTorch 2" in run.stderr


@torch_needed
def test_a_campaign_compares_what_torchscript_fused(tmp_path):
    # of 60 a third is fused, and no bool for a number
    run = fusillade(
        "fuzz",
        "--plan",
        "torch:script(nnc)",
        *TORCH,
        "--policy",
        "chains",
        "--runs",
        60,
        "--seed",
        3,
        "--max-findings",
        1,
        "--min-yield",
        0.2,
        "--out",
        tmp_path / "out",
    )
    assert run.returncode in (0, 2), run.stdout + run.stderr
    assert int(re.search(r"Elements compared: (\d+)", run.stdout)[1]) > 1000, run.stdout


@torch_needed
def test_a_constant_list_of_bools_is_declined_by_torchscript(tmp_path):
    """Of `[1]` in IR text parse_ir makes a list of ints, whatever its type says."""
    (tmp_path / "bools.ir").write_text(
        "graph():\n  %0 : bool[] = prim::Constant[value=[1]]()\n  %1 : bool = aten::ne(%0, %0)\n"
        "  return (%1)\n"
    )
    run = fusillade("run", tmp_path / "bools.ir", "--plan", "torch:script", *TORCH)
    assert run.returncode == 1 and "a constant list of bools" in run.stderr, run.stdout + run.stderr


@torch_needed
def test_a_saved_finding_reproduces_reduces_and_is_blamed_on_its_tier(tmp_path):
    """TorchScript's fuser takes no comparison of bools on a processor: a fault of 1.13.1 that
    stays."""
    case = tmp_path / "bool.case"
    case.write_text(BOOLS)
    run = fusillade("repro", case, *TORCH)
    assert run.returncode == 77 and "UNSUPPORTED DTYPE" in run.stdout, run.stdout + run.stderr
    run = fusillade("bisect", case, *TORCH)
    assert run.returncode == 77 and "blame: torch:script(nnc)" in run.stdout, (
        run.stdout + run.stderr
    )
    run = fusillade("reduce", case, *TORCH, "--budget", "20s", "--out", tmp_path / "small.case")
    assert run.returncode == 77, run.stdout + run.stderr
    assert "i8[] {0}" in (tmp_path / "small.case").read_text()


LOSES_EAGER = """
import os, sys
sys.path.insert(0, os.environ["EXAMPLE"])
import numpy as np
from example import NumPy
from fusillade_worker import serve

class Mine(NumPy):
    engines = {"eager": None, "fast": None}
    contract = {}

    def run(self, engine, program, call):
        if engine == "eager":
            with open(os.environ["COUNTER"], "a+") as count:
                count.write("x")
                if count.tell() in range(int(os.environ["FIRST"]), int(os.environ["FIRST"]) + 3):
                    os.abort()
        out = super().run(engine, program, call)
        return out if engine == "eager" else [o + np.float32(1) for o in out]

serve(Mine())
"""


@pytest.mark.parametrize("first", [3, 6, 9, 12, 16, 20, 25, 30, 40])
def test_an_eager_mode_that_is_lost_for_a_moment_is_not_blamed(first, tmp_path):
    """What is written must fail as it was found: under `fast`, and never as eager's fault."""
    (tmp_path / "mine.py").write_text(LOSES_EAGER)
    (tmp_path / "f.py").write_text("def f(x):\n    return torch.relu(torch.neg(x))\n")
    mine = ["--engine", f"mine={tmp_path}/mine.py", "--engine-python", f"mine={PYTHON}"]
    around = {
        "env": {
            **os.environ,
            "EXAMPLE": str(ROOT / "fuzz/workers"),
            "COUNTER": str(tmp_path / "count"),
            "FIRST": str(first),
        }
    }
    run = fusillade(
        "check",
        tmp_path / "f.py",
        "--plan",
        "mine:fast",
        "--rand",
        "f32[4]",
        *mine,
        "--out",
        tmp_path / "out",
        **around,
    )
    for found in (tmp_path / "out/findings").glob("*/reduced.case"):
        if found.parent.name.startswith("flaky"):  # which a mode lost twice is, and says
            continue
        text = found.read_text()
        assert ("oracle: compiled" in text) == ("plan: mine:fast" in text), text
        assert fusillade("repro", found, *mine, **around).returncode in (70, 77), text
    assert run.returncode == 2, run.stdout + run.stderr


@torch_needed
def test_a_script_of_a_saved_case_fails_as_long_as_the_engine_does(tmp_path):
    case, script = tmp_path / "bool.case", tmp_path / "bool.py"
    case.write_text(BOOLS)
    run = fusillade("repro", case, *TORCH, "--script", script)
    assert run.returncode == 77 and str(script) in run.stdout, run.stdout + run.stderr
    assert "fusillade" not in re.sub(r"#.*|\"\"\".*?\"\"\"", "", script.read_text(), flags=re.S)
    alone = subprocess.run([PYTHON, script], capture_output=True, text=True, cwd="/", timeout=120)
    assert alone.returncode == 77, alone.stdout + alone.stderr


@torch_needed
def test_where_no_script_can_be_made_the_reason_is_said(tmp_path):
    case, script = tmp_path / "a.case", tmp_path / "a.py"
    case.write_text(BOOLS.replace("torch:script(nnc)", "torch:script"))  # which has no fuser
    run = fusillade("repro", case, *TORCH, "--script", script)
    assert run.returncode == 1 and "nothing fails" in run.stderr, run.stdout + run.stderr
    assert not script.exists()
    run = fusillade("repro", case, case, *TORCH, "--script", script)
    assert run.returncode == 1 and "one case at a time" in run.stderr, run.stdout + run.stderr


VIEWS = (
    "def f(x, s: float):\n    y = x.clone()\n    y[:, 0] = 0\n    y[1:, :] += x[1:, :] * s\n"
    "    y.t()[0].add_(1)\n    return y\n"
)
DICTS = """import torch
from typing import Dict
def f(x, w):
    d: Dict[str, torch.Tensor] = {"x": x, "w": w}
    d["sum"] = x + w
    out = torch.zeros(3, dtype=x.dtype)
    for k, v in d.items():
        out = out + v * len(d) if k in d else out
    return out, d.pop("w"), list(d.values())
"""


@torch_needed
@pytest.mark.parametrize(
    "text,inputs",
    [(VIEWS, ["--rand", "f32[3,4]"]), (DICTS, ["--rand", "f32[3]", "--rand", "f32[3]"])],
)
def test_dtypes_that_are_computed_lists_and_dicts_are_compared(text, inputs, tmp_path):
    (tmp_path / "f.py").write_text(text)
    run = fusillade(
        "check",
        tmp_path / "f.py",
        *inputs,
        "--inputs",
        4,
        "--plan",
        "torch:eager",
        "--plan",
        "torch:script",
        *TORCH,
        "--oracle",
        "conformance",
        "--oracle",
        "compiled",
        "--out",
        tmp_path / "out",
    )
    assert run.returncode == 0 and "| ok | 2 |" in run.stdout, run.stdout + run.stderr


@torch_needed
@pytest.mark.parametrize(
    "call, result",
    [
        ("aten::_weight_norm(%x, %g, %n)", "2, 3, strides=[3, 1]"),
        ("aten::fft_fftshift(%x)", "2, 3, strides=[3, 1]"),
        ("aten::linalg_svdvals(%x)", "2, strides=[1]"),
    ],
)
def test_gradients_are_asked_of_rows_whose_names_hold_anothers(tmp_path, call, result):
    """eigh, shift and svd are parts of these names, and no reason to say nothing of them."""
    (tmp_path / "c.case").write_text(
        "fusillade case 1\noracle: peer_gradient\nplan: torch:eager\nprogram:\n"
        "  graph(%x : Double(2, 3, strides=[3, 1], requires_grad=0, device=cpu),\n"
        "        %g : Double(2, 1, strides=[1, 1], requires_grad=0, device=cpu)):\n"
        "    %n : int = prim::Constant[value=0]()\n"
        f"    %y : Double({result}, requires_grad=0, device=cpu) = {call}\n    return (%y)\n"
        "call:\n    x = f64[2, 3] {1.5, 2, -0.5, 0.25, 3, 1}\n    g = f64[2, 1] {1.25, 3}\nend\n"
    )
    done = fusillade("repro", tmp_path / "c.case", *TORCH)
    assert done.stdout.endswith("c.case: ok\n"), done.stdout + done.stderr


# what it does without tensors is evaluated, and texts that only tell are not asked for
HOST_SIDE = {
    "an assert": "assert n == 2, f'expected 2, got {n} of {[n, 2]}'",
    "a raise": "if n == 9:\n        raise ValueError('bad size {} of {}'.format(n, 'x'))",
    "a percent": "if n == 9:\n        raise ValueError('bad size %d of %s' % (n, 'x'))",
    "a sum": "if n == 9:\n        raise ValueError('bad ' + str(n) + ' it is')",
    "a print": "print('shape', n, x)",
    "a warning": "warnings.warn(f'{n} is old')",
    "a mode": "mode = 'Mean'.lower()\n    if mode == 'sum' or mode.startswith('s'):\n"
    "        x = torch.erfinv(x)",
    "a list of names": "if 'b' not in ['a', 'b'] or 'z' in 'cat' or len('a,b'.split(',')) != 2:\n"
    "        x = torch.erfinv(x)",
    "a device": "if x.device != torch.device('cpu'):\n        x = torch.erfinv(x)",
    "a number in a text": "if int('3') + float('1.5') != 4.5 or str(2) + '1' != '21':\n"
    "        x = torch.erfinv(x)",
}


@pytest.mark.parametrize("what", HOST_SIDE)
def test_what_is_no_tensors_work_costs_no_comparison(what, tmp_path):
    (tmp_path / "f.py").write_text(
        f"import torch\nimport warnings\ndef f(x, n: int):\n    {HOST_SIDE[what]}\n"
        "    return torch.abs(x)\n"
    )
    run = fusillade(
        "run", tmp_path / "f.py", "--plan", "numpy:eager", *NUMPY, "--rand", "f32[2,3]", "--arg", 2
    )
    assert (run.returncode, run.stdout) == (0, "out0: f32[2, 3]\n"), run.stderr


def test_an_error_of_a_text_that_is_made_is_raised(tmp_path):
    (tmp_path / "f.py").write_text(
        "def f(x, n: int):\n    if n != 3:\n        raise IndexError(f'{n} dims')\n"
        "    return torch.abs(x)\n"
    )
    run = fusillade(
        "run", tmp_path / "f.py", "--plan", "numpy:eager", *NUMPY, "--rand", "f32[2,3]", "--arg", 2
    )
    assert run.returncode == 1 and "IndexError: {}" in run.stderr, run.stdout + run.stderr


DISPATCHED = """
import os, sys
sys.path.insert(0, os.environ["WORKERS"])
import torch, torch_worker
from torch.utils._python_dispatch import TorchDispatchMode
from fusillade_worker import serve

class Told(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        with open(os.environ["TOLD"], "a") as told:
            told.write(str(func) + "\\n")
        return func(*args, **(kwargs or {}))

class Mine(torch_worker.Torch):
    forks = False
    def run(self, engine, program, call):
        arguments = call.arguments()
        with Told():
            return program.function(self.ops, *arguments), {}

torch.set_grad_enabled(False)
if len(sys.argv) == 1:
    serve(Mine())
else:
    names = {}
    exec(open(sys.argv[1]).read(), names)
    arguments = torch.ones(2, 3), torch.ones(2, 3, dtype=torch.int64)
    with Told():
        names["f"](*arguments)
"""
SPELT = [
    "x / 2.0",
    "x + 1",
    "x - 1.5",
    "x * 3",
    "2 + x",
    "3 * x",
    "2.0 / x",
    "torch.add(x, 2, alpha=3)",
    "x.sub(2, alpha=2)",
    "x.div(2.0)",
    "torch.div(x, 2, rounding_mode='floor')",
    "x.clone().div_(2, rounding_mode='trunc')",
    "x // 2",
    "i // 2",
    "i % 3",
    "x % 2",
    "x ** 2",
    "i & 1",
    "i << 1",
    "i >> 1",
    "x == 1",
    "x != 1",
    "x < 2",
    "x >= 0.5",
    "x.clone().add_(1)",
    "x.clone().sub_(1)",
    "x.clone().mul_(2)",
    "x.clone().div_(2)",
    "x.clone().floor_divide_(2)",
    "x.clone().remainder_(2)",
    "torch.where(x > 0, x, 2.0)",
    "torch.where(x > 0, 1.0, 2.0)",
    "x.masked_fill(x > 0, 2.0)",
    "x.clamp(0, 1)",
    "torch.norm(x, 2)",
    "x.norm(1, 1)",
    "x.norm(2.0, 1, True)",
    "i + 0.5",
    "x.fmod(2)",
    "torch.tensor([1.0, 2.0]) + 1",
]


@torch_needed
@pytest.mark.parametrize("call", SPELT)
def test_operators_are_reached_as_pythons_api_reaches_them(call, tmp_path):
    (tmp_path / "f.py").write_text(f"import torch\ndef f(x, i):\n    return {call}\n")
    (tmp_path / "mine.py").write_text(DISPATCHED)
    around = {**os.environ, "WORKERS": str(ROOT / "fuzz/workers")}

    def operators_reached(words, name):
        run = subprocess.run(
            words,
            capture_output=True,
            text=True,
            timeout=120,
            env={**around, "TOLD": str(tmp_path / name)},
        )
        assert run.returncode == 0, run.stderr
        return (tmp_path / name).read_text().split()

    python = operators_reached([PYTHON, tmp_path / "mine.py", tmp_path / "f.py"], "python")
    ours = operators_reached(
        [
            BINARY,
            "run",
            tmp_path / "f.py",
            "--plan",
            "mine:eager",
            "--engine",
            f"mine={tmp_path}/mine.py",
            "--engine-python",
            f"mine={PYTHON}",
            "--rand",
            "f32[2,3]",
            "--rand",
            "i64[2,3]",
        ],
        "ours",
    )
    assert ours == python


@torch_needed
def test_what_gen_prints_is_what_pytorchs_worker_is_given():
    text = fusillade(
        "gen",
        "--plan",
        "torch:eager",
        *TORCH,
        "--format",
        "python",
        "--runs",
        300,
        "--seed",
        3,
        "--policy",
        "chains",
    ).stdout
    assert "ops.torch.div(" in text and "ops.torch.mul(" in text
    assert not re.search(r"ops\.aten\.(add|sub|mul|div)_?\.Scalar\(", text)
