"""The command line end to end: verbs, exit codes, spelling of flags, and bad input.

Runs build/release/fusillade (or $FUSILLADE_BINARY). Bad input must exit 1 with text that says what
was given and what is legal, and never crash.
"""

import json
import os
import struct
import subprocess

import numpy as np
import pytest
from under_test import BINARY

SCRIPT = """
def scaled(x, y):
    z = x * 1.0
    return z + y * 2.0

def power(n: int, x):
    y = x
    for i in range(n):
        y = y * x
    return y
"""

GRAPH = """graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = aten::neg(%a)
  %c : Tensor = aten::exp(%x)
  return (%b)
"""


CASE = """fusillade case 1
oracle: differential
plan: PLAN
program:
  graph(%x : Float(2), %d : Device):
    %c : Device = prim::Constant[value="cuda:0"]()
    %y : Float(2) = aten::neg(%x)
    %e : bool = aten::eq(%c, %d)
    return (%y, %e)
call:
    x = f32[2] {1, 2}
    d = GIVEN
end
"""

DEVICES = """
import torch
def at(d: torch.device = "cpu") -> torch.device:
    return d
"""


def run(*args, env=None):
    return subprocess.run(
        [BINARY, *map(str, args)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **(env or {})},
    )


def ok(*args, env=None):
    done = run(*args, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def error(*args, env=None):
    done = run(*args, env=env)
    assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
    assert done.stderr.startswith("fusillade: error: ") or "error" in done.stderr
    return done.stderr


@pytest.fixture
def files(tmp_path):
    (tmp_path / "f.py").write_text(SCRIPT)
    (tmp_path / "g.ir").write_text(GRAPH)
    (tmp_path / "d.py").write_text(DEVICES)
    rng = np.random.default_rng(1)
    np.save(tmp_path / "x.npy", rng.normal(size=(4, 5)).astype(np.float32))
    np.save(tmp_path / "y.npy", rng.normal(size=(5,)).astype(np.float32))
    return tmp_path


@pytest.mark.parametrize(
    "plan",
    ["eager", "vm", "vm/o1", "vm/o2", "vm/o2,fuse(loopnest,interp)", "vm/o2,fuse(loopnest,llvm)"],
)
def test_run_script(files, plan):
    out = ok(
        "run",
        files / "f.py",
        "--fn",
        "scaled",
        "--plan",
        plan,
        "--in",
        files / "x.npy",
        "--in",
        files / "y.npy",
        "--out",
        files / "out",
    )
    assert out == "out0: f32[4, 5]\n"
    x, y = np.load(files / "x.npy"), np.load(files / "y.npy")
    np.testing.assert_array_equal(np.load(files / "out/out0.npy"), x + y * np.float32(2))


def test_the_word_behind_a_flags_value_is_a_file(tmp_path):
    (tmp_path / "h.py").write_text("def h(x):\n    return x + 1\n")
    words = ("--plan", "vm/o2", tmp_path / "h.py", "--inputs=1", "--rand=f32[2]", "--jobs=1")
    done = run("check", *words, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stdout + done.stderr


def test_run_takes_inputs_in_the_order_written(files):
    out = ok(
        "run",
        files / "f.py",
        "--fn",
        "power",
        "--arg",
        2,
        "--in",
        files / "x.npy",
        "--out",
        files / "out",
    )
    assert out.startswith("out0: f32[4, 5]")
    x = np.load(files / "x.npy")
    np.testing.assert_array_equal(np.load(files / "out/out0.npy"), x * x * x)
    error("run", files / "f.py", "--fn", "power", "--in", files / "x.npy", "--arg", 2)


@pytest.mark.parametrize(
    "plan",
    [
        (),
        ("--plan", "vm"),
        ("--plan", "vm/o2,autodiff"),
        ("--plan", "vm/autodiff(1,save,loopnest,llvm)"),
    ],
)
def test_run_gives_gradients(files, plan):
    out = ok(
        "run",
        files / "f.py",
        "--fn",
        "scaled",
        "--grad",
        *plan,
        "--in",
        files / "x.npy",
        "--in",
        files / "y.npy",
        "--out",
        files / "out",
    )
    assert out == "out0: f32[4, 5]\ngrad0: f32[4, 5]\ngrad1: f32[5]\n"
    np.testing.assert_array_equal(np.load(files / "out/grad0.npy"), np.ones((4, 5), np.float32))
    np.testing.assert_array_equal(np.load(files / "out/grad1.npy"), np.full(5, 8, np.float32))


def test_a_cache_is_made_or_said_to_be_unusable(files):
    given = (
        "run",
        files / "f.py",
        "--fn",
        "scaled",
        "--plan",
        "vm/o2,fuse(loopnest,llvm)",
        "--in",
        files / "x.npy",
        "--in",
        files / "y.npy",
    )
    folder = files / "new" / "cache"
    kept = run(*given, env={"FUSILLADE_CACHE": str(folder)})
    assert kept.returncode == 0 and kept.stderr == "" and any(folder.iterdir())
    (files / "taken").write_text("")
    for place, why in (
        (files / "taken", "Not a directory"),
        (files / "taken" / "in", "Not a directory"),
    ):
        outcome = run(*given, env={"FUSILLADE_CACHE": str(place)})
        assert outcome.returncode == 0 and outcome.stdout == kept.stdout
        assert (
            outcome.stderr == f"warning: FUSILLADE_CACHE: no kernels are kept in {place}: {why}\n"
        )


def test_autodiff_gives_the_tapes_gradients(tmp_path):
    (tmp_path / "m.py").write_text("""import torch
def f(x, w):
    y = torch.tanh(x * w + x)
    return y * torch.sigmoid(w), y.sum()
""")
    for name, plan in (
        ("a", "eager"),
        ("b", "vm/o2,autodiff"),
        ("c", "vm/o2,autodiff(save,loopnest,interp)"),
    ):
        ok(
            "run",
            tmp_path / "m.py",
            "--grad",
            "--plan",
            plan,
            "--rand",
            "f32[3,4]",
            "--rand",
            "f32[4]",
            "--out",
            tmp_path / name,
        )
    for part in ("out0.0", "out0.1", "grad0", "grad1"):
        a, b, c = (np.load(tmp_path / n / f"{part}.npy") for n in "abc")
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(a, c, rtol=1e-5, atol=1e-6)
    assert "autodiff: it takes mincut or save" in error(
        "run", tmp_path / "m.py", "--plan", "vm/autodiff(all)"
    )


def test_run_gives_gradients_of_parameters(tmp_path):
    (tmp_path / "m.py").write_text("""import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 2)
    def forward(self, x):
        return self.inner(x)
""")
    out = ok(
        "run",
        tmp_path / "m.py",
        "--module",
        "Net()",
        "--grad",
        "--rand",
        "f32[4,3]",
        "--out",
        tmp_path / "out",
    )
    assert (
        out == "out0: f32[4, 2]\ngrad0.inner.weight: f32[2, 3]\ngrad0.inner.bias: f32[2]\n"
        "grad1: f32[4, 3]\n"
    )
    np.testing.assert_array_equal(
        np.load(tmp_path / "out/grad0.inner.bias.npy"), np.full(2, 4, np.float32)
    )
    out = ok(
        "run",
        tmp_path / "m.py",
        "--module",
        "Net()",
        "--grad",
        "--leaves",
        "parameters",
        "--rand",
        "f32[4,3]",
        "--out",
        tmp_path / "own",
    )
    assert out == "out0: f32[4, 2]\ngrad0.inner.weight: f32[2, 3]\ngrad0.inner.bias: f32[2]\n"
    assert not (tmp_path / "own/grad1.npy").exists()
    for key in ("weight", "bias"):
        np.testing.assert_array_equal(
            *(np.load(tmp_path / d / f"grad0.inner.{key}.npy") for d in ("out", "own"))
        )


def test_leaves_are_all_or_parameters(files):
    given = (
        "run",
        files / "f.py",
        "--fn",
        "scaled",
        "--grad",
        "--in",
        files / "x.npy",
        "--in",
        files / "y.npy",
    )
    out = ok(*given, "--leaves", "all", "--out", files / "out")
    assert out == "out0: f32[4, 5]\ngrad0: f32[4, 5]\ngrad1: f32[5]\n"
    assert "no input is a tensor of floats, or no parameter" in error(
        *given, "--leaves", "parameters"
    )
    text = error(*given, "--leaves", "inputs")
    assert "--leaves" in text and "{all,parameters}" in text
    given = [word for word in given if word != "--grad"]
    assert "--leaves requires --grad" in error(*given, "--leaves", "parameters")


def test_run_gives_no_gradients_where_there_are_none(files):
    text = error(
        "run",
        files / "f.py",
        "--fn",
        "scaled",
        "--grad",
        "--plan",
        "vm/o2",
        "--in",
        files / "x.npy",
        "--in",
        files / "y.npy",
    )
    assert "gradients are recorded by our engines without passes" in text
    text = error(
        "run", files / "f.py", "--fn", "scaled", "--grad", "--rand", "i64[2]", "--rand", "i64[2]"
    )
    assert "no input is a tensor of floats" in text


def test_run_random_is_reproducible(files):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        ok("run", files / "g.ir", "--rand", "f32[3,2]", "--seed", seed, "--out", files / name)
    a, b, c = (np.load(files / n / "out0.npy") for n in "abc")
    assert a.shape == (3, 2) and a.dtype == np.float32
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()


def test_opt(files):
    text = ok("opt", files / "g.ir", "--pipeline", "dce", "--stats", "--log", "--verify")
    assert "aten::exp" not in text.split("graph(")[1]
    assert "# rewrite 1: dce/dead-node: " in text and "rewrites" in text
    assert "aten::exp" in ok("opt", files / "g.ir", "--pipeline", "dce", "--fuel", 0)
    assert ok("opt", files / "g.ir", "-pipeline=dce") == ok(
        "opt", files / "g.ir", "--pipeline", "dce"
    )
    assert "Ret" in ok("opt", files / "g.ir", "--bytecode")


@pytest.mark.parametrize(
    "table",
    [
        "ops",
        "passes",
        "fusers",
        "transforms",
        "backends",
        "oracles",
        "engines",
        "options",
        "policies",
        "productions",
        "patterns",
    ],
)
def test_list(table):
    rows = json.loads(ok("list", table, "--json"))
    names = [row["name"] for row in rows]
    assert names == sorted(names) or table in ("passes", "productions")
    assert len(ok("list", table).splitlines()) == len(rows) > 0


def test_list_deviations_names_kind_amount_and_reason():
    rows = json.loads(ok("list", "deviations", "--json"))
    assert len(rows) > 150 and all(row["why"] for row in rows)
    of = {(row["op"], row["others"]): row["amount"] for row in rows}
    assert of["aten::layer_norm", "mean folded"] == "4 ulp"
    assert of["aten::cumprod", "products stored"] == ""


def test_list_options_says_what_is_legal():
    legal = {row["name"]: row["legal"] for row in json.loads(ok("list", "options", "--json"))}
    assert legal["FUSILLADE_CUDA_INDEX_BITS"] == "8|16|32|64"
    assert legal["FUSILLADE_THREADS"] == "0 to 1024" and legal["FUSILLADE_CACHE"] == "any"
    assert "8|16|32|64" in ok("list", "options")


def test_list_ops_says_what_generators_need():
    rows = {row["name"]: row for row in json.loads(ok("list", "ops", "--json"))}
    add = rows["aten::add.Tensor"]
    assert add["kind"] == "pointwise" and add["roles"][0] == "operand"
    assert add["schema"].startswith("aten::add.Tensor(Tensor self, Tensor other")


def test_help_and_version():
    text = ok("--help")
    assert "exit codes:" in text and "the case fails" in text
    assert "exit codes:" in ok("run", "--help")
    assert ok("--version").startswith("fusillade ")


def test_environment_variables(files):
    by_variable = ok("opt", files / "g.ir", env={"FUSILLADE_PIPELINE": "dce"})
    assert by_variable == ok("opt", files / "g.ir", "--pipeline", "dce")
    assert "FUSILLADE_VERIFY='maybe'" in error("list", "ops", env={"FUSILLADE_VERIFY": "maybe"})


def test_unknown_words_get_near_misses(files):
    assert "did you mean run" in error("rum", files / "g.ir")
    assert "did you mean --plan" in error("run", files / "g.ir", "--plna", "vm")
    assert "did you mean vm" in error("run", files / "g.ir", "--plan", "vn")
    assert "did you mean cse" in error("run", files / "g.ir", "--plan", "vm/csee")
    assert "did you mean passes" in error("list", "pases")
    assert "legal:" in error("opt", files / "g.ir", "--pipeline", "nonsense")
    assert "did you mean scaled" in error("run", files / "f.py", "--fn", "scald")


def test_devices_that_are_not_there(files):
    """A plan on such a device is declined; a text that is no device is an error at its position."""
    for plan, name in (("vm@cuda/o2", "cuda"), ("eager@cuda:1", "cuda:1"), ("vm@meta", "meta")):
        says = f"no such device: '{name}' (tensors are on 'cpu')"
        assert says in error("run", files / "g.ir", "--plan", plan, "--rand", "f32[2]")
        assert says in error(
            "bench", "--filter=ratio_iou", "--plan=eager", "--plan", plan, "--out", files / "b.json"
        )
        done = run(
            "fuzz",
            "--runs=20",
            "--plan",
            plan,
            "--oracle=differential",
            "--out",
            files / f"out-{name}",
        )
        # nothing was compared
        assert done.returncode == 3 and "## Findings: 0" in done.stdout, done.stderr
        assert f"skip: declined: no such device: '{name.replace('1', '#')}" in done.stdout
        case = files / "c.case"
        case.write_text(CASE.replace("PLAN", plan).replace("GIVEN", '"cuda:1"'))
        assert "skip (declined: no such device" in ok("repro", case)
    for name in ("gpu", "cuda:9999", "cpu:-1"):
        assert f"column 4: '{name}' is no device" in error(
            "run", files / "g.ir", "--plan", f"vm@{name}/o2", "--rand", "f32[2]"
        )
        for text in (
            CASE.replace("PLAN", f"vm@{name}"),
            CASE.replace("PLAN", "vm").replace("GIVEN", f'"{name}"'),
            CASE.replace("PLAN", "vm").replace("Float(2)", f"Float(2, device={name})"),
            CASE.replace("PLAN", "vm").replace("cuda:0", name),
        ):
            case.write_text(text.replace("GIVEN", '"cpu"'))
            assert f"'{name}' is no device" in error("repro", case)
        assert f"'{name}' is no device" in error(
            "run", files / "d.py", "--fn", "at", "--arg", f"'{name}'"
        )
        (files / "bad.py").write_text(
            f"import torch\ndef f(x):\n    return x.to(torch.device('{name}'))\n"
        )
        assert f"'{name}' is no device" in error("run", files / "bad.py", "--rand", "f32[2]")
    for given in ("cuda:1", "'cuda:1'"):
        assert ok("run", files / "d.py", "--fn", "at", "--arg", given) == 'out0: "cuda:1"\n'
    assert ok("run", files / "d.py", "--fn", "at") == 'out0: "cpu"\n'


def test_an_empty_graph_names_its_place(tmp_path):
    empty = tmp_path / "empty.ir"
    empty.write_text("")
    done = subprocess.run([BINARY, "run", empty], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "empty.ir:1:1: expected 'graph('" in done.stderr, done.stderr


def test_missing_and_wrong_files(files):
    assert "No such file" in error("run", files / "none.ir")
    assert "No such file" in error("run", files / "g.ir", "--in", files / "none.npy")
    assert "must end in" in error("run", files / "x.npy")
    (files / "bad.ir").write_text("graph(%x : Tensor):\n  %y = aten::nosuch(%x)\n  return (%y)\n")
    assert "nosuch" in error("run", files / "bad.ir", "--rand", "f32[2]")
    (files / "if.ir").write_text(
        "graph(%x : Tensor, %c : bool):\n  %y : Tensor = prim::If(%c)\n    block0():\n"
        "      -> (%x)\n  return (%y)\n"
    )
    assert "if.ir:2:16: prim::If has one input, two blocks" in error("run", files / "if.ir")
    (files / "cut.ir").write_text(GRAPH[:60])
    error("run", files / "cut.ir", "--rand", "f32[2]")
    error("run", files / "f.py")
    error("run", files / "g.ir", "--fn", "f")


def test_wrong_inputs(files):
    assert "takes 1 inputs, got 0" in error("run", files / "g.ir", "--plan", "vm")
    assert "takes 1 inputs, got 2" in error(
        "run", files / "g.ir", "--rand", "f32[2]", "--rand", "f32[2]"
    )
    assert "declared" in error("run", files / "g.ir", "--arg", "3")
    assert "f33" in error("run", files / "g.ir", "--rand", "f33[2]")
    assert "-2" in error("run", files / "g.ir", "--rand", "f32[-2]")
    assert "write" in error("run", files / "g.ir", "--arg", "three")
    assert "takes 2 inputs, got 1: 'x' of type Tensor is missing" in error(
        "run", files / "f.py", "--fn", "power", "--arg", 2
    )
    (files / "typed.ir").write_text("graph(%x : Float(2, 2)):\n  return (%x)\n")
    assert "f64" in error("run", files / "typed.ir", "--rand", "f64[2,2]")


ARGUMENTS = """
from typing import Any, Dict, List, Optional, Tuple
def f(s: str, n: int = 3, *, k: float = 1.5, l: Optional[List[float]] = None) -> str:
    return f"{s} {n} {k} {l}"
def g(a: List[int], t: Tuple[int, str], d: Dict[str, List[float]], o: Optional[int]) -> str:
    return f"{a} {t} {d} {o}"
def h(x: Any) -> bool:
    return isinstance(x, str)
"""


@pytest.mark.parametrize(
    "arguments,result",
    [
        (["f", "abc"], "abc 3 1.5 None"),
        (["f", "'a b'", "4"], "a b 4 1.5 None"),
        (["f", "abc", "k=2"], "abc 3 2.0 None"),
        (["f", "l=[1, 2.5]", "s=k=3", "n=-7"], "k=3 -7 1.5 [1.0, 2.5]"),
        (["f", "3"], "3 3 1.5 None"),
        (["f", "abc", "l=[]"], "abc 3 1.5 []"),
        (["g", "[1, 2]", "(1, 'b')", "{'a': [1]}", "none"], "[1, 2] (1, 'b') {'a': [1.0]} None"),
        (["g", "[]", "(1, 'b')", "{}", "5"], "[] (1, 'b') {} 5"),
    ],
)
def test_arguments_are_pythons_literals(tmp_path, arguments, result):
    (tmp_path / "a.py").write_text(ARGUMENTS)
    words = [w for a in arguments[1:] for w in ("--arg", a)]
    assert ok("run", tmp_path / "a.py", "--fn", arguments[0], *words).strip() == f'out0: "{result}"'


@pytest.mark.parametrize(
    "arguments,reason",
    [
        (["f"], "'s' of type str is missing"),
        (["f", "abc", "four"], "'four' is no literal"),
        (["f", "abc", "1.5"], "of type float, wanted is int"),
        (["f", "abc", "n=1", "n=2"], "'n' is given twice"),
        (["f", "a", "l=[1, 'b']"], "an item is str, the others float"),
        (["f", "a", "l=[1, [2]]"], "an item is List[int], the others float"),
        (["f", "a", "l=[1, "], "no value of Python"),
        (["f", "a", "1", "2.5", "none", "7"], "takes 4 inputs, got 5"),
        (["g", "(1, 2)", "(1, 2)"], "of type Tuple[int, int], wanted is List[int]"),
        (["g", "[1]", "(1, 2)"], "of type Tuple[int, int], wanted is Tuple[int, str]"),
        (["g", "[1]", "(1, 'a')", "{1: [2]}"], "a key is int, not str"),
        (["h", "[1, 'a']"], "items of type int and str"),
        (["h", "[]"], "an empty list stands where a list is wanted"),
        (["h", "(" * 300 + ")" * 300], "no value of Python"),
    ],
)
def test_bad_arguments_are_errors(tmp_path, arguments, reason):
    (tmp_path / "a.py").write_text(ARGUMENTS)
    words = [w for a in arguments[1:] for w in ("--arg", a)]
    assert reason in error("run", tmp_path / "a.py", "--fn", arguments[0], *words)


TENSORS = """
import torch
from typing import Dict, List, Optional, Tuple
from torch import Tensor

def total(ts: List[Tensor]) -> Tensor:
    return torch.cat(ts)
def pick(d: Dict[str, Tensor], s: Tuple[Tensor, Tensor], k: Optional[Tensor] = None) -> Tensor:
    return d["a"] + s[0] * s[1]
def words(w: List[str], s: str) -> str:
    return s + w[0]
"""


def test_tensors_stand_in_lists_tuples_and_dicts(tmp_path):
    program, out, one = tmp_path / "t.py", tmp_path / "out", tmp_path / "in 1.npy"
    program.write_text(TENSORS)
    np.save(one, np.full((2, 3), 2.5, np.float32))
    ok(
        "run",
        program,
        "--fn",
        "total",
        "--arg",
        f"[npy('{one}'), f32[1,3], f32[0,3]]",
        "--out",
        out,
    )
    got = np.load(out / "out0.npy")
    assert got.shape == (3, 3) and (got[:2] == 2.5).all()
    ok("run", program, "--fn", "total", "--arg", "[f32[1,3], f32[1,3]]", "--out", out)
    twice = np.load(out / "out0.npy")
    assert (twice[0] != twice[1]).all()
    for pair in (
        ["--rand", "f32[1,3]", "--rand", "f32[1,3]"],
        ["--rand", "f32[1,3]", "--arg", "f32[1,3]"],
    ):
        (tmp_path / "two.py").write_text(
            "import torch\ndef f(x, y):\n    return torch.cat([x, y])\n"
        )
        ok("run", tmp_path / "two.py", *pair, "--out", out)
        assert (np.load(out / "out0.npy") == twice).all()
    ok(
        "run",
        program,
        "--fn",
        "pick",
        "--arg",
        f"s=(npy('{one}'), f32[()])",
        "--arg",
        "d={'a': f32[2,3], 'b': i64[4]}",
    )
    assert (
        ok("run", program, "--fn", "words", "--arg", "['f32[2]']", "--arg", "f32[3]")
        == 'out0: "f32[3]f32[2]"\n'
    )


@pytest.mark.parametrize(
    "argument,reason",
    [
        ("[npy('no.npy')]", "no.npy"),
        ("[npy(3)]", "'npy(3)' names no file in quotes"),
        ("[f32[2,-3]]", "size '-3'"),
        ("[f31[2]]", "'f31' is not a dtype"),
        ("[f32[2], 3]", "an item is int"),
        ("f32[2]", "wanted is List[Tensor]"),
        ("[f32[99999999,99999999]]", "too large"),
        ("[f32[]]", "no value of Python"),
        ("[f32[2][1]]", "is no literal"),
        ("[npy('a', 'b')]", "names no file"),
        ("[npy('/dev/null')]", "/dev/null"),
        ("[f32['a']]", "is not a whole number"),
    ],
)
def test_bad_tensors_in_arguments_are_errors(tmp_path, argument, reason):
    (tmp_path / "t.py").write_text(TENSORS)
    outcome = error("run", tmp_path / "t.py", "--fn", "total", "--arg", argument)
    assert reason in outcome and f"--arg '{argument}'" in outcome and "npy('in.npy')" in outcome


def npy_bytes(descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (64 - (len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


@pytest.mark.parametrize(
    "content",
    [
        npy_bytes("<f4", "(1000000, 1000000)", b"\0" * 16),
        npy_bytes("<f4", "(9223372036854775807, 9223372036854775807)", b"\0" * 16),
        npy_bytes("<f4", "(4,)", b"\0" * 15),
        npy_bytes("<f4", "(-4,)", b"\0" * 16),
        npy_bytes("<c8", "(2,)", b"\0" * 16),
        npy_bytes("|O", "(2,)", b"\0" * 16),
        npy_bytes("<f4", "(2,)", b"\0" * 8)[:20],
        b"\x93NUMPY\x01\x00\xff\xff",
        b"not an npy file at all",
        b"",
    ],
)
def test_lying_npy(files, content):
    (files / "lie.npy").write_bytes(content)
    assert "lie.npy" in error("run", files / "g.ir", "--in", files / "lie.npy")
