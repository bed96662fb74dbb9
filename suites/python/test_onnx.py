"""ONNX models are read: each operator as ONNX Runtime has it, eager and fused (needs
ci/setup.sh --peers), whole models, and what is refused."""

import json
import os
import re
import subprocess

import numpy as np
import pytest
from under_test import ROOT, error, run

PYTHON = ROOT / "build/engines/bin/python"
CODE = "import onnx, onnxruntime"
HAS_ONNX = (
    PYTHON.exists() and subprocess.run([PYTHON, "-c", CODE], capture_output=True).returncode == 0
)
onnx_needed = pytest.mark.skipif(not HAS_ONNX, reason="build/engines is not there")
PLANS = ("eager", "vm/o2,fuse(loopnest,llvm)")
FOLDER = ROOT / "suites/python/onnx_models"
GOLDEN = ROOT / "suites/golden/onnx"


def write(script, folder, *args):
    done = subprocess.run(
        [PYTHON, FOLDER / script, folder, *args], capture_output=True, text=True, timeout=1500
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads((folder / "cases.json").read_text())


def differences(folder, name, c, plan):
    """Theirs and ours, within the bound that is computed for each element of the program."""
    inputs = [f"--in={folder}/{name}.x{k}.npy" for k in range(c["inputs"])]
    theirs = [f"--expect={folder}/{name}.y{k}.npy" for k in range(c["outputs"])]
    done = run("run", folder / f"{name}.onnx", "--plan", plan, *inputs, *theirs)
    return done.stdout + done.stderr if done.returncode else ""


def compare_all(folder, cases):
    wrong = []
    for number, c in enumerate(cases):
        for plan in PLANS:
            if why := differences(folder, number, c, plan):
                wrong.append(f"{number} {c['op']} under {plan}: {why}")
    assert not wrong, "\n".join(wrong)


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    folder = tmp_path_factory.mktemp("onnx")
    return folder, write("write.py", folder)


@onnx_needed
def test_operators_give_what_onnx_runtime_gives(cases):
    compare_all(*cases)


@onnx_needed
def test_each_operator_that_is_read_has_a_case(cases):
    listed = {row["name"] for row in json.loads(run("list", "onnx", "--json").stdout)}
    assert listed == {c["op"] for c in cases[1]}


def test_the_dictionary_of_the_fuzz_target_has_each_operator():
    words = (ROOT / "fuzz/dictionaries/onnx.dict").read_text()
    names = {row["name"] for row in json.loads(run("list", "onnx", "--json").stdout)}
    assert names == set(re.findall(r'^"\\x22\\x[0-9a-f]{2}([A-Z][A-Za-z0-9]+)"$', words, re.M)) - {
        "NOTSET", "VALID", "CRD", "DCR", "LEFT", "RIGHT"}  # fmt: skip


@onnx_needed
def test_whole_models_give_what_onnx_runtime_gives(tmp_path):
    compare_all(tmp_path, write("whole.py", tmp_path))


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("name", ["conv", "attention", "lstm"])
def test_golden_models_give_what_onnx_runtime_gave(name, plan):
    """Their first dimension is open."""
    assert not differences(GOLDEN, name, {"inputs": 1, "outputs": 1}, plan)


def test_expected_results_are_judged(tmp_path):
    words = "run", GOLDEN / "conv.onnx", "--in", GOLDEN / "conv.x0.npy"
    good, wrong = np.load(GOLDEN / "conv.y0.npy"), tmp_path / "y.npy"
    done = run(*words, "--expect", GOLDEN / "conv.y0.npy")
    assert "16 elements within their bounds, 16 of them tight" in done.stdout, done.stdout
    for given, why in (
        (np.where(np.arange(4) == 2, good * np.float32(1.0001), good), "element 2 is"),
        (good.astype("float64"), "this run gives f32[2, 4]"),
        (good[:1], "this run gives f32[2, 4]"),
        (np.where(np.arange(4) == 2, np.float32("nan"), good), "element 2 is nan"),
    ):
        np.save(wrong, given)
        done = run(*words, "--expect", wrong)
        assert done.returncode == 2 and why in done.stdout, done.stdout + done.stderr
    assert "2 files, and the results are 1 tensors" in error(*words, *["--expect", wrong] * 2)
    assert run(*words, "--grad", "--expect", wrong).returncode == 1


def test_each_verb_takes_models(tmp_path):
    path = GOLDEN / "conv.onnx"
    rand = ["--rand", "f32[3,2,6,6]"]
    saved = tmp_path / "saved.pt"
    assert "aten::conv2d" in run("opt", path).stdout
    assert run("save", path, "--out", saved).returncode == 0
    for file in (path, saved):
        assert run("run", file, *rand, "--out", tmp_path / file.suffix).returncode == 0
    first, second = (np.load(tmp_path / s / "out0.npy") for s in (".onnx", ".pt"))
    assert np.array_equal(first, second)
    frozen = tmp_path / "frozen.pt"
    assert run("freeze", path, "--eval", "--out", frozen).returncode == 0
    assert run("run", frozen, *rand).returncode == 0


# ---- what is refused: an error that names the place, and nothing is run


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    """Of a protocol buffer: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value % (1 << 64))
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name, dims, data_type=1, **more):
    parts = [field(1, n) for n in dims] + [field(2, data_type), field(8, name)]
    return b"".join(parts) + b"".join(field(int(k[1:]), v) for k, v in more.items())


def value(name, dims, data_type=1):
    shape = b"".join(field(1, field(2, n) if isinstance(n, str) else field(1, n)) for n in dims)
    return field(1, name) + field(2, field(1, field(1, data_type) + field(2, shape)))


def node(op, inputs, outputs, name="it", domain="", attributes=b""):
    out = b"".join(field(1, n) for n in inputs) + b"".join(field(2, n) for n in outputs)
    return out + field(3, name) + field(4, op) + field(7, domain) + attributes


def model(*nodes, inputs=(), tensors=(), outputs=("y",), opset=17, more=b""):
    graph = b"".join(field(1, n) for n in nodes) + b"".join(field(5, t) for t in tensors)
    graph += b"".join(field(11, i) for i in inputs or [value("x", [2, 3])])
    graph += b"".join(field(12, field(1, o)) for o in outputs)
    return field(1, 8) + field(8, field(1, "") + field(2, opset)) + field(7, graph) + more


def external(name, dims, **said):
    """A tensor whose elements lie in another file."""
    pairs = [field(13, field(1, k) + field(2, str(v))) for k, v in said.items()]
    return tensor(name, dims) + b"".join(pairs) + field(14, 1)


RELU = node("Relu", ["x"], ["y"])
FLOATS = np.arange(6, dtype="float32").tobytes()
REFUSED = {
    "no field begins": (b"\xff" * 40, "more than 64 bits"),
    "empty": (b"", "it has no graph"),
    "no opset": (field(7, b""), "imports no opset"),
    "old opset": (model(RELU, opset=9), "opset 9 (legal: 13 to"),
    "new opset": (model(RELU, opset=99), "opset 99"),
    "length": (field(1, 8) + b"\x3a\xff\xff\xff\xff\x0f", "bytes where 0 are left"),
    "huge length": (field(1, 8) + b"\x3a" + b"\xff" * 9 + b"\x01", "are left"),
    "field 0": (b"\x00\x01", "a field 0"),
    "group": (b"\x0b", "type 3"),
    "other domain": (
        model(node("Gelu", ["x"], ["y"], "foo", "com.microsoft")),
        "node 1 'foo' is com.microsoft.Gelu, which Fusillade does not read",
    ),
    "unknown": (model(node("Nothing", ["x"], ["y"])), "node 1 'it' is Nothing, which"),
    "later": (model(node("Gelu", ["x"], ["y"])), "as of opset 20, and the model imports 17"),
    "cycle": (
        model(node("Relu", ["z"], ["y"]), node("Relu", ["y"], ["z"])),
        "nothing before it is named 'z'",
    ),
    "itself": (model(node("Relu", ["y"], ["y"])), "nothing before it is named 'y'"),
    "twice": (model(RELU, RELU), "'y' is computed twice"),
    "input again": (model(RELU, node("Relu", ["y"], ["x"])), "'x' is computed twice"),
    "no output": (model(RELU, outputs=("z",)), "output 'z': nothing before it"),
    "no outputs": (model(RELU, outputs=()), "no outputs"),
    "missing input": (model(node("Relu", [], ["y"])), "input 0 is missing"),
    "functions": (model(RELU, more=field(25, field(1, "mine"))), "('mine') are not supported"),
    "training": (model(RELU, more=field(20, b"")), "training_info"),
    "rank": (model(RELU, inputs=[value("x", [1] * 40)]), "dimensions is not supported"),
    "negative size": (
        model(RELU, tensors=[tensor("w", [-2], m9=b"")]),
        "tensor 'w': a size of -2",
    ),
    "huge tensor": (
        model(RELU, tensors=[tensor("w", [1 << 40, 1 << 30], m9=FLOATS)]),
        "tensor 'w'",
    ),
    "large tensor": (
        model(RELU, tensors=[tensor("w", [1 << 33], m9=FLOATS)]),
        "8589934592 elements, and 6 are given",
    ),
    "odd bytes": (model(RELU, tensors=[tensor("w", [1], m9=FLOATS[:5])]), "tensor 'w'"),
    "no such dtype": (model(RELU, tensors=[tensor("w", [1], 77, m9=FLOATS)]), "77 is no dtype"),
    "strings": (model(RELU, tensors=[tensor("w", [1], 8, m9=FLOATS)]), "string are not supported"),
    "two tensors": (
        model(RELU, tensors=[tensor("w", [6], m9=FLOATS), tensor("w", [6], m9=FLOATS)]),
        "two tensors are called 'w'",
    ),
    "sparse": (model(RELU) + field(7, field(15, b"")), "sparse initialisers"),
    "sizes that clash": (
        model(node("MatMul", ["x", "x"], ["y"])),
        "node 1 'it' (MatMul)",
    ),
    "reshape": (
        model(
            node("Reshape", ["x", "s"], ["y"]),
            tensors=[tensor("s", [1], 7, m9=(1 << 62).to_bytes(8, "little"))],
        ),
        "node 1 'it' (Reshape)",
    ),
    "axis": (
        model(node("Flatten", ["x"], ["y"], attributes=field(5, field(1, "axis") + field(3, 9)))),
        "axis 9 of 2 dimensions",
    ),
    "index of a number": (
        model(node("GatherND", ["x", "i"], ["y"]), tensors=[tensor("i", [], 7, m9=bytes(8))]),
        "size -1 is asked for",
    ),
    "many numbers": (
        model(
            node("Shape", ["x"], ["n"]),
            node("Tile", ["n", "by"], ["a0"]),
            node("Expand", ["one", "all"], ["a"]),
            *(node("Add", ["a", "a"], [f"a{k}"]) for k in range(1, 5000)),
            node("Relu", ["x"], ["y"]),
            tensors=[
                tensor("one", [1], 7, m9=bytes(8)),
                tensor("by", [1], 7, m9=(1).to_bytes(8, "little")),
                tensor("all", [1], 7, m9=(4096).to_bytes(8, "little")),
            ],
        ),
        "more is made of it than",
    ),
    "elements": (
        model(
            node("NonZero", ["x"], ["i"]),
            node("Reshape", ["x", "i"], ["y"]),
        ),
        "depends on elements",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_said(tmp_path, name):
    text, why = REFUSED[name]
    path = tmp_path / "m.onnx"
    path.write_bytes(text)
    said = error("run", path, "--rand", "f32[2,3]")
    assert why in said and "m.onnx" in said, said


def test_each_beginning_of_a_model_is_an_error_or_a_model(tmp_path):
    whole = (GOLDEN / "conv.onnx").read_bytes()
    path = tmp_path / "m.onnx"
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        done = run("opt", path)
        assert done.returncode in (0, 1), (size, done.returncode, done.stderr)


# ---- tensors in files beside the model

ADD = node("Add", ["x", "w"], ["y"])


def test_tensors_may_lie_in_files_beside_the_model(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/w.bin").write_bytes(bytes(8) + FLOATS + bytes(3))
    np.save(tmp_path / "x.npy", np.ones((2, 3), "float32"))
    path, saved = tmp_path / "m.onnx", tmp_path / "m.pt"
    given = "--in", tmp_path / "x.npy", "--out", tmp_path
    for said in ({"location": "parts/w.bin", "offset": 8, "length": 24, "checksum": "?"},
                 {"location": "./parts/w.bin", "offset": 8}):  # fmt: skip
        path.write_bytes(model(ADD, tensors=[external("w", [2, 3], **said)]))
        assert run("save", path, "--out", saved).returncode == 0
        for file in (path, saved):
            assert run("run", file, *given).returncode == 0
            wanted = np.arange(1, 7, dtype="float32").reshape(2, 3)
            np.testing.assert_array_equal(np.load(tmp_path / "out0.npy"), wanted)


BESIDE = {
    "no name": ({}, "which is not named"),
    "above": ({"location": "../w.bin"}, "is not named within its folder"),
    "above, on the way": ({"location": "parts/../../w.bin"}, "is not named within its folder"),
    "root": ({"location": "/etc/passwd"}, "is not named within its folder"),
    "empty": ({"location": ""}, "is not named within its folder"),
    "zero": ({"location": "w\0.bin"}, "holds a zero"),
    "no file": ({"location": "none.bin"}, "the file 'none.bin': No such file"),
    "folder": ({"location": "parts"}, "'parts' is no file"),
    "pipe": ({"location": "pipe"}, "'pipe' is no file"),
    "link": ({"location": "link"}, "'link' is a symbolic link, which is not followed"),
    "folder that is a link": ({"location": "away/w.bin"}, "'away' is a symbolic link"),
    "file as folder": ({"location": "w.bin/w"}, "the file 'w.bin/w'"),
    "short": ({"location": "w.bin", "offset": 4}, "has 24 bytes, and 24 from 4 on are asked for"),
    "far": ({"location": "w.bin", "offset": (1 << 63) - 1}, "has 24 bytes"),
    "negative": ({"location": "w.bin", "offset": -1}, "offset = '-1'"),
    "no number": ({"location": "w.bin", "offset": "many"}, "offset = 'many'"),
    "overflow": ({"location": "w.bin", "length": 1 << 64}, "length = '18446744073709551616'"),
    "other length": ({"location": "w.bin", "length": 20}, "take 24 bytes, and 20 are given"),
}


@pytest.mark.parametrize("name", BESIDE)
def test_files_beside_the_model_stay_in_its_folder(tmp_path, name):
    said, why = BESIDE[name]
    folder = tmp_path / "model"
    (folder / "parts").mkdir(parents=True)
    for place in (folder, tmp_path):
        (place / "w.bin").write_bytes(FLOATS)
    (folder / "link").symlink_to("../w.bin")
    (folder / "away").symlink_to("..")
    os.mkfifo(folder / "pipe")
    path = folder / "m.onnx"
    path.write_bytes(model(ADD, tensors=[external("w", [2, 3], **said)]))
    said = error("run", path, "--rand", "f32[2,3]")
    assert why in said and "tensor 'w'" in said and "m.onnx" in said, said


def test_a_large_size_is_no_memory(tmp_path):
    """Sizes beyond the file are an error before memory is taken; a sparse file beyond the limit is
    not read."""
    path = tmp_path / "m.onnx"
    with (tmp_path / "w.bin").open("wb") as file:
        file.truncate(1 << 40)
    for dims, why in (([1 << 39], "bytes, and"), ([1 << 32], "the most that is read")):
        path.write_bytes(model(RELU, tensors=[external("w", dims, location="w.bin")]))
        assert why in error("run", path, "--rand", "f32[2,3]")
