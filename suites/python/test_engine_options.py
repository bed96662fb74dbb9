"""Options of external engines: a worker lists them, plans name or draw them, and a finding is
blamed on those that it needs."""

import json
import subprocess

import pytest
from under_test import BINARY, PYTHON, ROOT

LIST = '{"fast": {"level": [1, 2], "wide": [false], "mode": ["slow", "quick"]}}'
RUN = """
    engines = {"eager": None, "fast": None}
    options = OPTIONS

    def run(self, engine, program, call):
        results = self.timed(program.function, self.ops, *call.arguments())
        if call.options.get("level") == 2:
            results = tuple(r + 1 if hasattr(r, "dtype") else r for r in results)
        return results, {}
"""
SCRIPT = "def f(x: Tensor) -> Tensor:\n    return x * x + x\n"


def worker(folder, options=LIST):
    text = (ROOT / "fuzz/workers/example.py").read_text()
    head, mark, tail = text.partition('    engines = {"eager": None}\n')
    assert mark, "the example says its engines otherwise"
    text = head + RUN.replace("OPTIONS", f"json.loads({options!r})") + tail
    (folder / "mine.py").write_text("import json\n" + text)
    return ["--engine", f"mine={folder}/mine.py", "--engine-python", f"mine={PYTHON}"]


def fusillade(*words):
    return subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True, timeout=300)


def run(folder, plan, *engine):
    (folder / "f.py").write_text(SCRIPT)
    words = [*(engine or worker(folder)), "--out", folder / "results"]
    return fusillade("run", folder / "f.py", "--rand", "f32[3]", "--plan", plan, *words)


def test_a_campaign_draws_options_and_blames_the_one_that_matters(tmp_path):
    out = tmp_path / "out"
    words = ["--runs", 200, "--seed", 3, "--jobs", 1, "--policy", "chains", "--min-yield", 0]
    plans = ["--plan", "mine:fast(drawn)", "--max-findings", 1]
    done = fusillade("fuzz", *words, *plans, *worker(tmp_path), "--out", out)
    assert done.returncode == 2, done.stdout + done.stderr
    (bucket,) = (out / "findings").iterdir()
    finding = json.loads((bucket / "finding.json").read_text())
    assert finding["blame"]["words"] == "mine:fast(level=2)", finding["blame"]
    assert "plan: mine:fast(level=2)\n" in (bucket / "reduced.case").read_text()
    again = fusillade("repro", bucket / "reduced.case", *worker(tmp_path))
    assert again.returncode == 77, again.stdout + again.stderr
    right = tmp_path / "right.case"
    right.write_text((bucket / "reduced.case").read_text().replace("level=2", "level=1"))
    assert fusillade("repro", right, *worker(tmp_path)).returncode == 0


def test_options_that_are_named_reach_the_engine(tmp_path):
    found = []
    for words in ("level=1,wide=false", "level=2,mode=quick"):
        done = run(tmp_path, f"mine:fast({words})")
        assert done.returncode == 0, done.stderr
        (file,) = (tmp_path / "results").glob("*.npy")
        found.append(file.read_bytes())
    assert found[0] != found[1]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (
            "mine:fast(levl=1)",
            "has no option 'levl'; did you mean level? (legal: level, mode, wide)",
        ),
        ("mine:fast(level=3)", "the option 'level' of 'mine:fast' is never '3' (legal: 1, 2)"),
        ("mine:fast(level)", "the option 'level' is not NAME=VALUE"),
        ("mine:fast(level=1,level=2)", "the option 'level' is given twice"),
        ("mine:eager(level=1)", "the engine 'mine:eager' has no options"),
        ("mine:fast(drawn)", "is for campaigns, which draw options; here name them"),
    ],
)
def test_bad_options_are_refused(tmp_path, plan, message):
    done = run(tmp_path, plan)
    assert done.returncode == 1
    assert message in done.stderr, done.stderr


@pytest.mark.parametrize(
    "said",
    [
        '{"slow": {"a": [1]}}',
        '{"fast": [1]}',
        '{"fast": {"a/b": [1]}}',
        '{"fast": {"a": []}}',
        '{"fast": {"a": [1.5]}}',
        '{"fast": {"a": ["x)/o2"]}}',
        '{"fast": {"a": 1}}',
    ],
)
def test_a_hello_with_bad_options_is_refused(tmp_path, said):
    done = run(tmp_path, "mine:fast", *worker(tmp_path, said))
    assert done.returncode == 1
    assert "the worker of 'mine' says options" in done.stderr, done.stderr


COMPILERS = ROOT / "build/compilers/bin/python"
EACH = """
import importlib, json, os, sys
sys.path.insert(0, sys.argv[1])
module = importlib.import_module(sys.argv[2] + "_worker")
import numpy as np
from onnx import TensorProto, helper

def info(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

nodes = [
    helper.make_node("MatMul", ["x", "w"], ["a"]),
    helper.make_node("Tanh", ["a"], ["b"]),
    helper.make_node("Softmax", ["b"], ["c"], axis=1),
    helper.make_node("Add", ["c", "b"], ["y"]),
]
graph = helper.make_graph(nodes, "g", [info("x", 4, 6), info("w", 6, 5)], [info("y", 4, 5)])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
model.ir_version = 10
model = model.SerializeToString()
x = np.linspace(-1, 1, 24, dtype="float32").reshape(4, 6)
w = np.linspace(-2, 1, 30, dtype="float32").reshape(6, 5)
worker = getattr(module, sys.argv[3])()
b = np.tanh(x @ w)
expected = b + np.exp(b) / np.exp(b).sum(1, keepdims=True)
wrong = []
for engine, switches in worker.options.items():
    for name, values in switches.items():
        for value in values:
            run = worker.load(engine, model, {name: value})
            got = np.array(run({"x": x, "w": w})[0])
            if not np.allclose(got, expected, 1e-5, 1e-6):
                wrong.append([engine, name, value])
with open(sys.argv[4], "w") as file:
    json.dump(wrong, file)
"""


@pytest.mark.skipif(
    not COMPILERS.exists(), reason="build/compilers is not made (ci/setup.sh --compilers)"
)
@pytest.mark.parametrize(
    ("family", "name"),
    [
        *(("openvino", "OpenVino"), ("iree", "Iree"), ("tvm", "Tvm"), ("tinygrad", "Tinygrad")),
        *(("mnn", "Mnn"), ("tf", "Tf"), ("tflite", "TfLite")),
    ],
)
def test_each_option_of_a_shipped_engine_is_taken_and_changes_no_result(family, name, tmp_path):
    out = tmp_path / "wrong.json"
    words = [COMPILERS, "-c", EACH, ROOT / "fuzz/workers", family, name, out]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(out.read_text()) == []
