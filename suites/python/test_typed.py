"""--typed: run, opt and bench compile for the types of the inputs given; what that shows and what
it refuses."""

import json
import subprocess

import pytest
from under_test import BINARY

SCRIPT = """
from typing import Optional
from torch import Tensor

def f(x):
    return (x * 1 + 0).relu()

def turns(x, n: int):
    for i in range(n):
        x = x * 1 + x
    return x.neg()

def perhaps(x, o: Optional[Tensor] = None):
    if o is not None:
        y = o * 1
    else:
        y = x * 1
    return (y * 1).relu()
"""


def run(*words):
    return subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True, timeout=120)


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "f.py"
    path.write_text(SCRIPT)
    return path


@pytest.mark.parametrize(
    "function, inputs, gone",
    [
        ("f", ["--rand", "i64[4]"], ["aten::mul", "aten::add"]),
        ("turns", ["--rand", "f32[2,3]", "--arg", "3"], ["aten::mul"]),
        ("perhaps", ["--rand", "i64[3]", "--rand", "i64[2]"], ["aten::mul", "prim::If"]),
    ],
)
def test_rules_fire_on_scripts(script, function, inputs, gone):
    untyped = run("opt", script, "--fn", function, "--pipeline", "o2")
    typed = run("opt", script, "--fn", function, "--pipeline", "o2", "--typed", *inputs)
    assert typed.returncode == 0, typed.stderr
    for op in gone:
        assert op in untyped.stdout
        assert op not in typed.stdout


def test_none_decides_what_comes_behind(script):
    typed = run(
        "opt", script, "--fn", "perhaps", "--pipeline", "o2", "--typed", "--rand", "i64[3]"
    ).stdout
    assert "Long(3, strides=[1], requires_grad=0, device=cpu) = aten::relu" in typed


@pytest.mark.parametrize(
    "function, inputs", [("f", ["f32[4]"]), ("turns", ["f32[2,3]"]), ("perhaps", ["i64[3]"])]
)
def test_the_same_results(script, tmp_path, function, inputs):
    words = [w for i in inputs for w in ("--rand", i)] + (
        ["--arg", "n=3"] if function == "turns" else []
    )
    shown = set()
    for plan, typed in (
        ("eager", []),
        ("vm/o2", []),
        ("vm/o2", ["--typed"]),
        ("eager/o2", ["--typed"]),
    ):
        out = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
        done = run("run", script, "--fn", function, "--plan", plan, "--out", out, *words, *typed)
        assert done.returncode == 0, done.stderr
        shown.add((done.stdout, (out / "out0.npy").read_bytes()))
    assert len(shown) == 1


def test_inputs_of_opt_are_examples(script):
    refused = run("opt", script, "--fn", "f", "--pipeline", "o2", "--rand", "f32[2]")
    assert refused.returncode == 1 and "--typed" in refused.stderr
    missing = run("opt", script, "--fn", "f", "--pipeline", "o2", "--typed")
    assert missing.returncode == 1 and "'x'" in missing.stderr
    wrong = run(
        "opt",
        script,
        "--fn",
        "turns",
        "--pipeline",
        "o2",
        "--typed",
        "--rand",
        "f32[2]",
        "--arg",
        "1.5",
    )
    assert wrong.returncode == 1 and "int" in wrong.stderr


def test_declared_types_must_hold(tmp_path):
    graph = tmp_path / "g.ir"
    graph.write_text(
        "graph(%x : Float(SS(-2), SS(-2))):\n  %y : Tensor = aten::relu(%x)\n  return (%y)\n"
    )
    square = run("opt", graph, "--pipeline", "types", "--typed", "--rand", "f32[3,3]")
    assert "Float(3, 3, strides=[3, 1]" in square.stdout
    for shape in ("f32[3,4]", "f64[3,3]", "f32[3]"):
        assert run("opt", graph, "--pipeline", "types", "--typed", "--rand", shape).returncode == 1
    assert "Float(SS(-2), SS(-2)) = aten::relu" in run("opt", graph, "--pipeline", "types").stdout


def test_bench_says_what_was_compiled_for(tmp_path):
    out = tmp_path / "bench.json"
    done = run(
        "bench",
        "--filter",
        "ratio_iou",
        "--plan",
        "vm/o2",
        "--processes",
        1,
        "--iterations",
        20,
        "--typed",
        "--out",
        out,
        "--programs",
        "bench/programs",
    )
    assert done.returncode == 0, done.stderr
    entries = json.loads(out.read_text())["benchmarks"]
    assert entries and all(e["typed"] and e["correctness"]["verdict"] == "ok" for e in entries)


def test_nested_constant_loops_take_no_time(tmp_path):
    body = "".join("    " * (depth + 2) + f"for i{depth} in range(60):\n" for depth in range(5))
    path = tmp_path / "n.py"
    path.write_text(
        "def f(x, c: bool):\n    if c:\n" + body + "    " * 7 + "x = x + 1\n    return x\n"
    )
    done = run("run", path, "--rand", "f32[2]", "--arg", "false", "--out", tmp_path / "o")
    assert done.returncode == 0, done.stderr


def test_the_graph_for_such_calls(script):
    shown = run("opt", script, "--fn", "f", "--graph-for", "jit/o2", "--rand", "i64[4]", "--stats")
    assert shown.returncode == 0, shown.stderr
    assert "# 1 calls profiled, 1 versions, 1 guards" in shown.stdout
    assert "Long(4, strides=[1], requires_grad=0, device=cpu)" in shown.stdout
    for words in (["vm/o2"], ["jit(calls=0)/o2"], ["jit/o2", "--pipeline", "o2"]):
        refused = run("opt", script, "--fn", "f", "--graph-for", *words, "--rand", "i64[4]")
        assert refused.returncode != 0 and refused.stderr
