"""The scripts of suites/external/ still show what results/found.md says, on the version that each
is about."""

import ast
import json
import os
import re
import subprocess

import pytest
from under_test import BINARY, PYTHON, ROOT

SCRIPTS = sorted((ROOT / "suites/external").glob("*.py"))
ENGINES = str(ROOT / "build/engines/bin/python")
COMPILERS = str(ROOT / "build/compilers/bin/python")
# What a script's name starts with: the interpreter, the package, what its version starts with.
ABOUT = {
    "torch113": (PYTHON, "torch", "1.13."),
    "torch213": (ENGINES, "torch", "2.13."),
    "jax0102": (ENGINES, "jax", "0.10.2"),
    "ort132": (ENGINES, "onnxruntime", "1.32."),
    "openvino2026": (COMPILERS, "openvino", "2026.4.1"),
    "tinygrad014": (COMPILERS, "tinygrad", "0.14."),
    "iree313": (COMPILERS, "iree-base-compiler", "3.13."),
    "tvm027": (COMPILERS, "apache-tvm", "0.27."),
    "mlx032": (COMPILERS, "mlx", "0.32."),
    "mnn36": (COMPILERS, "mnn", "3.6."),
    "tf221": (COMPILERS, "tensorflow-cpu", "2.21."),
    "tflite23": (COMPILERS, "ai-edge-litert", "2.3."),
    "onnx123": (COMPILERS, "onnx", "1.23."),
}


def version(python, package):
    asked = f"from importlib.metadata import version; print(version({package!r}))"
    try:
        return subprocess.run([python, "-c", asked], capture_output=True, text=True).stdout
    except FileNotFoundError:
        return ""


def instructions():
    try:
        return set(
            next(
                line for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("flags")
            ).split()
        )
    except (OSError, StopIteration):
        return set()


VERSIONS = {name: version(python, package) for name, (python, package, _) in ABOUT.items()}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: s.stem)
def test_the_bug_lives(script):
    engine = script.stem.split("_")[0]
    python, package, start = ABOUT[engine]
    if not VERSIONS[engine].startswith(start):
        pytest.skip(
            f"{package} {start} is not installed (ci/setup.sh --engines, --peers, --compilers)"
        )
    needed = re.findall(r"Needs (\w+),\s+an\s+instruction set", script.read_text(encoding="utf-8"))
    if not instructions().issuperset(needed):
        pytest.skip(f"this processor has no {needed[0]}")
    environment = {"CC": "clang-19"} | os.environ  # with which tinygrad compiles
    run = subprocess.run(
        [python, str(script)], capture_output=True, text=True, timeout=300, env=environment
    )
    assert run.returncode == 77 and "expected" in run.stdout, run.stdout + run.stderr[-1000:]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: s.stem)
def test_a_maintainer_reads_fifteen_lines(script):
    """Fifteen statements, and what fills fifteen lines, without the docstring: the formatter may
    make several lines of one."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    assert len(statements) - 1 <= 15, len(statements) - 1
    code = ast.unparse(ast.Module(tree.body[1:], []))
    assert len(code) <= 15 * 100, len(code)


def test_the_table_and_the_scripts_name_each_other():
    table = (ROOT / "results/found.md").read_text(encoding="utf-8")
    rows = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    assert sorted(rows) == [s.name for s in SCRIPTS]
    for script in SCRIPTS:
        text = script.read_text(encoding="utf-8")
        assert ("Silent." in text) == (
            "| yes |" in next(r for r in table.splitlines() if script.name in r)
        ), script.name


def test_readme_counts_the_causes_of_the_table():
    """Of each compiler its causes, and how many of them are silent."""
    of_engine = (
        ("torch.compile", "PyTorch: `torch.compile`"),
        ("transformation", "PyTorch: `torch.vmap`, `torch.func`"),
        ("TensorExpr", "PyTorch: TorchScript's TensorExpr fuser"),
        ("TorchScript", "PyTorch: TorchScript and its tracer"),
        ("eager mode", "PyTorch: eager mode"),
        ("ONNX reference", "ONNX reference"),
        ("ONNX Runtime", "ONNX Runtime"),
        ("OpenVINO", "OpenVINO"),
        ("tinygrad", "tinygrad"),
        ("IREE", "IREE"),
        ("TVM", "TVM"),
        ("MLX", "MLX"),
        ("MNN", "MNN"),
        ("LiteRT", "TensorFlow Lite (LiteRT)"),
        ("TensorFlow", "TensorFlow: op by op, Grappler, XLA"),
        ("jax", "JAX and XLA"),
    )
    counts = {name: [0, 0] for _, name in of_engine}
    for line in (ROOT / "results/found.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("| `"):
            engine, silent = (cell.strip() for cell in line.split("|")[2:4])
            name = next(name for word, name in of_engine if word in engine)
            counts[name][0] += 1
            counts[name][1] += silent == "yes"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, (causes, silent) in counts.items():
        assert f"| {name} | {causes} | {silent} |" in readme, (name, causes, silent)
    causes, silent = (sum(column) for column in zip(*counts.values(), strict=True))
    assert f"{causes} causes, {silent} silent" in (ROOT / "results/found.md").read_text("utf-8")


def test_the_table_of_kinds_counts_scripts_of_torch_compile():
    """Vector code, training, Dynamo: no script twice, each a row of torch.compile."""
    found = (ROOT / "results/found.md").read_text(encoding="utf-8")
    table, _, kinds = found.partition("\n## Vector code, training and Dynamo\n")
    rows = [line.split("|")[1:4] for line in kinds.splitlines() if line.startswith("| ")]
    listed = [re.findall(r"`(\w+\.py)`", scripts) for _, _, scripts in rows]
    assert [len(scripts) for scripts in listed[1:]] == [int(count) for _, count, _ in rows[1:]]
    scripts = [script for row in listed for script in row]
    assert len(set(scripts)) == len(scripts) >= 40
    assert f"or in Dynamo: {len(scripts)}." in kinds
    assert all(f"| `{script}` | torch.compile" in table for script in scripts)


@pytest.mark.parametrize(
    "known", sorted((ROOT / "suites/external").glob("*.known")), ids=lambda k: k.stem
)
def test_a_mute_list_is_read_and_names_scripts(known, tmp_path):
    run = subprocess.run(
        [
            BINARY,
            "fuzz",
            "--plan",
            "vm",
            "--runs",
            "1",
            "--known",
            known,
            "--out",
            tmp_path / "out",
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    reasons = [
        line
        for line in known.read_text(encoding="utf-8").splitlines()
        if line.startswith("reason: ")
    ]
    assert len(reasons) == len(json.loads((tmp_path / "out/campaign.json").read_text())["known"])
    assert "not seen in this campaign" not in run.stderr  # they are about engines that took no part
    names = {s.name for s in SCRIPTS}
    for reason in reasons:
        said = [word.strip(",;") for word in reason.split() if word.strip(",;").endswith(".py")]
        assert said and names.issuperset(said), reason
