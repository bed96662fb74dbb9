"""The language in archives: functions saved by the command give under torch.jit.load what CPython
gives, and loaded here what they give unsaved; each operator that is saved without a warning loads
in PyTorch.

Floats may differ from CPython's by a few last digits: math.gamma and the like are not the same
function in each library. Needs Debian's python3-torch (1.13.1) under /usr/bin/python3; ci/setup.sh
--peers installs it.
"""

import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from under_test import BINARY, HAS_TORCH, PYTHON, torch_needed

PROGRAMS = Path(__file__).parent / "archive_programs"

# Loads every archive of a folder and calls it as the program's own Python function is called.
COMPARE = """
import importlib, math, sys, torch
from pathlib import Path
sys.path.insert(0, sys.argv[1])
program = importlib.import_module(sys.argv[2])

def same(a, b):
    if isinstance(a, torch.Tensor):
        return torch.equal(a, b)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and same(list(a.values()), list(b.values()))
    if isinstance(a, float) and isinstance(b, float):
        return math.isnan(a) and math.isnan(b) or math.isclose(a, b, rel_tol=1e-14, abs_tol=0)
    return type(a) is type(b) and a == b

wrong = []
for path in sorted(Path(sys.argv[3]).glob("*.pt")):
    try:
        loaded = torch.jit.load(str(path))
        for n in map(int, sys.argv[4:]):
            if path.stem.startswith("make_"):
                continue
            want, got = getattr(program, path.stem)(n), loaded(n)
            if not same(want, got):
                wrong.append(f"{path.stem}({n}): {got} for {want}")
    except Exception as e:
        wrong.append(f"{path.stem}: {e}")
print("\\n".join(wrong))
sys.exit(bool(wrong))
"""


def command(*arguments, code=0):
    done = subprocess.run(
        [BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == code, done.stderr
    return done


def functions_of(program):
    return re.findall(r"^def (\w+)\(n: int\)", (PROGRAMS / f"{program}.py").read_text(), re.M)


@pytest.mark.parametrize(
    "program,inputs",
    [
        ("early_return", (0, 4, 5, 9)),
        ("operators", (0, 3, 4, 9)),
        ("constructs", (0, 3, 4, 9)),
        ("unions", (0, 3, 4, 6)),
    ],
)
def test_saved_functions_load_and_agree(tmp_path, program, inputs):
    source = PROGRAMS / f"{program}.py"
    for name in functions_of(program):
        archive = tmp_path / f"{name}.pt"
        assert command("save", source, "--fn", name, "--out", archive).stderr == ""
        command("save", archive, "--out", tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == archive.read_bytes()
        for n in inputs[::2]:
            want = command("run", source, "--fn", name, "--arg", n)
            assert command("run", archive, "--arg", n).stdout == want.stdout, name
    if HAS_TORCH:
        done = subprocess.run(
            [PYTHON, "-W", "ignore", "-c", COMPARE, PROGRAMS, program, tmp_path, *map(str, inputs)],
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr


CALL = """
import sys, torch
sys.path.insert(0, sys.argv[1])
import derived
for module, path in zip((derived.Middle(2), derived.Last(3), derived.Norm(4)), sys.argv[2:]):
    x = torch.arange(8.).reshape(2, 4)
    assert torch.equal(torch.jit.load(path)(x), module(x)), path
"""


def test_methods_that_super_calls_are_saved(tmp_path):
    paths = []
    for i, module in enumerate(("Middle(2)", "Last(3)", "Norm(4)")):
        path, again = tmp_path / f"{i}.pt", tmp_path / f"{i}.again.pt"
        command("save", PROGRAMS / "derived.py", "--module", module, "--out", path)
        command("save", path, "--out", again)
        assert path.read_bytes() == again.read_bytes()
        for given, to in ((["--module", module, PROGRAMS / "derived.py"], "a"), ([path], "b")):
            command("run", *given, "--rand", "f32[2,4]", "--out", tmp_path / to)
        assert (tmp_path / "a/out0.npy").read_bytes() == (tmp_path / "b/out0.npy").read_bytes()
        paths.append(path)
    if HAS_TORCH:
        done = subprocess.run(
            ["nice", PYTHON, "-c", CALL, PROGRAMS, *paths],
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr


LOADS = (
    "import sys, torch\nfor p in sys.argv[1:]:\n    try: print(torch.jit.load(p)(3))\n"
    "    except RuntimeError: print('refused')"
)


def test_classes_that_hold_themselves_are_warned_of(tmp_path):
    paths = []
    for name in ("one", "two", "three", "four"):
        path, again = tmp_path / f"{name}.pt", tmp_path / f"{name}.again.pt"
        output = command("save", PROGRAMS / "circles.py", "--fn", name, "--out", path).stderr
        assert ("holds itself" in output and "<--- HERE" in output) == (name in ("one", "two")), (
            output
        )
        assert command("save", path, "--out", again).stderr.count("holds itself") == output.count(
            "holds itself"
        )
        assert path.read_bytes() == again.read_bytes()
        assert (
            command("run", path, "--arg", "3").stdout
            == command("run", PROGRAMS / "circles.py", "--fn", name, "--arg", "3").stdout
        )
        paths.append(path)
    if HAS_TORCH:
        done = subprocess.run(
            ["nice", PYTHON, "-c", LOADS, *paths], capture_output=True, text=True, timeout=300
        )
        assert done.stdout.split() == ["refused", "refused", "6", "6"], done.stdout + done.stderr


def test_the_least_int_is_a_literal(tmp_path):
    program = tmp_path / "least.py"
    program.write_text(
        "def f(x: int):\n    return x + -9223372036854775808, [-9223372036854775808, -1]\n"
    )
    command("save", program, "--out", tmp_path / "a.pt")
    command("save", tmp_path / "a.pt", "--out", tmp_path / "b.pt")
    assert (tmp_path / "a.pt").read_bytes() == (tmp_path / "b.pt").read_bytes()
    for path in (program, tmp_path / "a.pt"):
        assert (
            "out0: (-9223372036854775807, [-9223372036854775808, -1])"
            in command("run", path, "--arg", "1").stdout
        )
    for text in (
        "x - 9223372036854775808",
        "9223372036854775808",
        "-(9223372036854775808)",
        "x * -92233720368547758080",
    ):
        program.write_text(f"def f(x: int):\n    return {text}\n")
        assert "does not fit in 64 bits" in command("run", program, "--arg", "1", code=1).stderr, (
            text
        )
    if HAS_TORCH:
        make = (
            "import sys, torch\nclass M(torch.nn.Module):\n    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.k = -9223372036854775807 - 1\n    def forward(self, x: int):\n"
            "        return x + self.k, self.k\n"
        )
        (tmp_path / "m.py").write_text(
            make + "torch.jit.freeze(torch.jit.script(M().eval())).save(sys.argv[1])\n"
        )
        subprocess.run(
            ["nice", PYTHON, tmp_path / "m.py", tmp_path / "m.pt"], check=True, timeout=300
        )
        assert "-9223372036854775807" in command("run", tmp_path / "m.pt", "--arg", "1").stdout


def test_errors_of_functions_that_archives_bring_along(tmp_path):
    (tmp_path / "a.py").write_text("def f(a: int, b: int) -> int:\n    return a ** b\n")
    command("save", tmp_path / "a.py", "--out", tmp_path / "a.pt")
    for a, b, message in (
        (10, 18, ""),
        (10, 19, "does not fit 64 bits"),
        (-2, 63, ""),
        (2, 63, "does not fit"),
        (2, -1, "is no int"),
    ):
        for file in ("a.py", "a.pt"):
            done = command(
                "run", tmp_path / file, f"--arg={a}", f"--arg={b}", code=1 if message else 0
            )
            assert message in done.stderr if message else str(a**b) in done.stdout


def test_what_pytorch_refuses_is_warned_of_with_its_place(tmp_path):
    lines = (PROGRAMS / "refused.py").read_text().split("\n")
    warned = 0
    for i, line in enumerate(lines):
        if "  # " not in line:
            continue
        name = next(
            re.match(r"def (\w+)", above)[1] for above in lines[i::-1] if above.startswith("def ")
        )
        done = command("save", PROGRAMS / "refused.py", "--fn", name, "--out", tmp_path / "x.pt")
        assert (
            line.split("  # ")[1] in done.stderr
            and f'refused.py", line {i + 1}' in done.stderr
            and "<--- HERE" in done.stderr
        )
        command("save", tmp_path / "x.pt", "--out", tmp_path / "y.pt")
        assert (tmp_path / "x.pt").read_bytes() == (tmp_path / "y.pt").read_bytes()
        warned += 1
    assert warned == 13


LISTS = """
import sys, torch
from torch import Tensor
from typing import List
class M(torch.nn.Module):
    def forward(self, x: Tensor):
        table: List[List[float]] = x.tolist()
        line: List[int] = x[0].to(torch.int64).tolist()
        flags: List[List[bool]] = (x > 2).tolist()
        first: float = x[0][1].tolist()
        return table, line, flags, first
torch.jit.script(M()).save(sys.argv[1])
"""


@torch_needed
def test_lists_of_a_tensor_in_pytorchs_archives(tmp_path):
    first, second, third = (tmp_path / f"{n}.pt" for n in range(3))
    (tmp_path / "make.py").write_text(LISTS)
    subprocess.run(["nice", PYTHON, tmp_path / "make.py", first], check=True, timeout=300)
    assert command("save", first, "--out", second).stderr == ""
    command("save", second, "--out", third)
    assert second.read_bytes() == third.read_bytes()
    (tmp_path / "x.py").write_text(
        "import numpy, sys\nnumpy.save(sys.argv[1], numpy.arange(6, dtype='float32').reshape(2, "
        "3))\n"
    )
    subprocess.run([PYTHON, tmp_path / "x.py", tmp_path / "x.npy"], check=True)
    for path in (first, second):
        output = command("run", path, "--in", tmp_path / "x.npy").stdout
        assert (
            "([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], [0, 1, 2], [[False, False, False], [True, True, "
            "True]], 1.0)" in output
        )
    ask = "import sys, torch; print(torch.jit.load(sys.argv[1])(torch.arange(6.).reshape(2, 3))[3])"
    assert (
        subprocess.run(
            [PYTHON, "-c", ask, second], capture_output=True, text=True, timeout=300
        ).stdout.strip()
        == "1.0"
    )


BOXES = """
import sys, torch, torchvision
from torch import Tensor
class M(torch.nn.Module):
    def forward(self, x: Tensor, boxes: Tensor):
        kept = torchvision.ops.nms(boxes, boxes[:, 3], 0.5)
        parts = torchvision.ops.roi_align(x, [boxes[kept]], [2, 3], 0.5, 2)
        return kept, parts
torch.manual_seed(0)
x, boxes = torch.randn(1, 3, 8, 9), torch.rand(30, 4) * 5 + torch.tensor([0.0, 0.0, 6.0, 6.0])
module = torch.jit.script(M())
module.save(sys.argv[1] + "/m.pt")
import numpy
for name, t in zip(("x", "boxes", "kept", "parts"), (x, boxes, *module(x, boxes))):
    numpy.save(f"{sys.argv[1]}/{name}.npy", t.numpy())
"""
COMPARED = """
import numpy, sys
load = lambda name: numpy.load(f"{sys.argv[1]}/{name}.npy")
assert (load("out0.0") == load("kept")).all() and len(load("kept")) > 3
assert numpy.allclose(load("out0.1"), load("parts"), atol=1e-6)
"""


@pytest.mark.skipif(
    subprocess.run([PYTHON, "-c", "import torchvision"], capture_output=True).returncode != 0,
    reason="python3-torchvision is not installed",
)
def test_torchvisions_operators_in_archives(tmp_path):
    (tmp_path / "make.py").write_text(BOXES)
    subprocess.run(
        ["nice", PYTHON, "-W", "ignore", tmp_path / "make.py", tmp_path], check=True, timeout=300
    )
    for plan in ("eager", "vm/o2,fuse(loopnest,llvm)"):
        command(
            "run",
            tmp_path / "m.pt",
            "--in",
            tmp_path / "x.npy",
            "--in",
            tmp_path / "boxes.npy",
            "--plan",
            plan,
            "--out",
            tmp_path,
        )
        subprocess.run([PYTHON, "-c", COMPARED, tmp_path], check=True, timeout=60)
    output = command("save", tmp_path / "m.pt", "--out", tmp_path / "again.pt").stderr
    assert "torchvision::nms" in output and "torchvision::roi_align" in output


# Types in place of a schema's variables.
VARIABLES = {"t": "int", "t1": "int", "t2": "int", "k": "str", "v": "int", "tVal": "int"}


def plain_type(text):
    text = re.sub(r"\(([a-z]!?|[a-z]\|[a-z]|[a-z] -> \*|\*)\)", "", text.strip())
    text = re.sub(r"\[\d+\]", "[]", text)
    for variable, type_ in VARIABLES.items():
        text = re.sub(rf"\b{variable}\b", type_, text)
    return text


def outside_brackets(text):
    out, depth = [""], 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            out.append("")
        else:
            out[-1] += c
    return [part.strip() for part in out if part.strip()]


def graph_of_operator(schema):
    """A graph of one node, its inputs the operator's own; None for operators that are no plain
    function of named arguments."""
    base, arguments, result = re.match(r"([\w:]+)[\w.]*\((.*)\) -> (.*)$", schema).groups()
    if "..." in schema or re.search(r"\bAny\b|AnyEnumType", schema):
        return None
    inputs = [
        plain_type(a.split("=")[0].rsplit(" ", 1)[0])
        for a in outside_brackets(arguments)
        if a != "*"
    ]
    several = result.startswith("(") and result.endswith(")") and not result.startswith("((")
    parts = outside_brackets(result[1:-1]) if several else [result]
    results = [
        plain_type(re.sub(r" \w+$", "", p) if several and not base.endswith("popitem") else p)
        for p in parts
    ]
    if base.endswith("popitem"):
        results = ["(" + ", ".join(results) + ")"]
    text = "graph(" + ", ".join(f"%a{i} : {t}" for i, t in enumerate(inputs)) + "):\n  "
    text += ", ".join(f"%r{i} : {t}" for i, t in enumerate(results)) + (" = " if results else "")
    text += base + "(" + ", ".join(f"%a{i}" for i in range(len(inputs))) + ")\n"
    return text + "  return (" + ", ".join(f"%r{i}" for i in range(len(results))) + ")\n"


# Operators that PyTorch 1.13.1 lacks: an archive that holds them is warned of.
LATER = {
    "aten::" + name
    for name in (
        "_batch_norm_with_update",
        "_chunk_cat",
        "_grouped_mm",
        "_native_batch_norm_legit",
        "_native_batch_norm_legit.no_stats",
        "_native_batch_norm_legit_no_training",
        "_prelu_kernel",
        "_safe_softmax",
        "_unsafe_masked_index",
        "_unsafe_masked_index_put_accumulate",
        "all.dims",
        "any.dims",
        "empty_permuted",
        "nonzero_static",
        "rms_norm",
        "scaled_dot_product_attention",
        "squeeze.dims",
        "squeeze_.dims",
        "std.float_correction",
        "std_mean.float_correction",
        "stft.aligned",
        "var.float_correction",
        "var_mean.float_correction",
    )
}

NAMES = """
import torch
for s in torch._C._jit_get_all_schemas():
    print(s.name + (s.overload_name and "." + s.overload_name))
"""

LOAD_ALL = """
import sys, torch
from pathlib import Path
for path in sorted(Path(sys.argv[1]).glob("*.pt")):
    try:
        torch.jit.load(str(path))
    except Exception as e:
        print(path.stem, str(e)[:300])
"""


@torch_needed
def test_every_row_is_saved_as_pytorch_reads_it_or_warned_of(tmp_path):
    rows = json.loads(command("list", "ops", "--json").stdout)

    def save(row):
        text = graph_of_operator(row["schema"])
        if text is None:
            return "", ""
        path = tmp_path / (row["name"].replace(":", "_") + ".ir")
        path.write_text(text)
        done = subprocess.run(
            [BINARY, "save", path, "--out", path.with_suffix(".pt")], capture_output=True, text=True
        )
        if "warning" in done.stderr:
            path.with_suffix(".pt").unlink()
        return (row["name"] if "warning" in done.stderr else ""), (
            done.stderr if done.returncode else ""
        )

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(save, rows))
    assert not [error for _, error in outcomes if error]
    asked = subprocess.run(
        [PYTHON, "-W", "ignore", "-c", NAMES], capture_output=True, text=True, timeout=60
    )
    theirs = set(asked.stdout.split())
    assert theirs and not theirs & LATER
    assert {name for name, _ in outcomes if name.startswith("aten::")} == LATER | {"aten::rsplit"}
    done = subprocess.run(
        [PYTHON, "-W", "ignore", "-c", LOAD_ALL, tmp_path],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0 and done.stdout == "", done.stdout + done.stderr
    assert len(list(tmp_path.glob("*.pt"))) > 850
