"""Programs written by `save --out X.pt2`: this engine reads them back and gives the same bits as
before, and PyTorch 2.13 loads them and gives the same within what is computed of the program (run
--expect). What has no form there is refused with operator and place. The tests of PyTorch are
skipped where it is not installed (ci/setup.sh --engines)."""

import json
import re
import subprocess
import zipfile

import numpy as np
import pytest
from test_exported import ENGINES, torch2_needed
from under_test import ROOT, error, run

PROGRAMS = ROOT / "bench/programs"
WRITTEN = ROOT / "suites/python/exported_programs/written.py"
ONNX = ROOT / "suites/golden/onnx"
EXPORTED = ROOT / "suites/golden/exported"
LOAD = ROOT / "suites/python/exported_programs/load.py"


def draws(*shapes):
    return [word for shape in shapes for word in ("--rand", shape)]


def script(name, *shapes, fn=()):
    return [PROGRAMS / f"{name}.py", *fn, *draws(*shapes)]


def function(name, *words):
    return [WRITTEN, "--fn", name, *(words or draws("f32[3,4]"))]


CONV = ["f32[8,8,3,3]", "f32[8]", "f32[8]"]
CASES = {
    "gelu_bias": script("gelu_bias", "f32[4,8]", "f32[8]"),
    "attention": script("attention", *["f32[8,16,64]"] * 3),
    "batch_norm": script("batch_norm", "f32[8,16,4,4]", "f32[16]", "f32[16]"),
    "concat": script("concat", "f32[16,16]", "f32[16,32]", "f32[16,48]"),
    "lstm_cell": script("lstm_cell", *["f32[4,8]"] * 3, *["f32[32,8]"] * 2, *["f32[32]"] * 2),
    "newton_loop": script("newton_loop", "f32[16]", fn=["--fn", "newton_loop"]),
    "ratio_iou": script("ratio_iou", *["f32[16]"] * 8),
    "reduction": script("reduction", "f32[16,16]"),
    "resnet": script("resnet_block", "f32[1,8,6,6]", *CONV, *CONV, fn=["--fn", "resnet_block"]),
    "conv2d_module": [
        PROGRAMS / "modules/conv2d_module.py",
        *("--module", "Conv2dByHand(3,4,3)", "--rand", "f32[1,3,8,8]"),
    ],
    "lstm_module": [
        PROGRAMS / "modules/lstm_module.py",
        *("--module", "Layer(5,7)", "--rand", "f32[6,3,5]"),
    ],
    "branch": function("branch", *draws("f32[3,4]", "f32[3,4]")),
    "optional": function("optional", "--rand", "f32[3,4]", "--arg", "none"),
    "counts": [WRITTEN, "--module", "Counts()", "--rand", "f32[3,4]"],
    **{
        name: function(name)
        for name in ("conditions", "numbers", "guard", "selection", "halves", "repeats", "in_lists")
    },
    **{name: function(name) for name in ("both", "several", "in_place", "size_decides")},
    **{
        f"onnx_{name}": [ONNX / f"{name}.onnx", "--in", ONNX / f"{name}.x0.npy"]
        for name in ("conv", "attention", "lstm")
    },
    **{f"pt2_{path.stem}": [path] for path in sorted(EXPORTED.glob("*.pt2"))},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """NAME.pt2 of every case."""
    out = tmp_path_factory.mktemp("written")
    for name, words in CASES.items():
        done = run("save", *words, "--out", out / f"{name}.pt2")
        assert done.returncode == 0, (name, done.stderr)
    return out


@pytest.fixture(scope="module")
def by_torch(folder):
    """What PyTorch makes of them."""
    subprocess.run([ENGINES, "-W", "ignore", LOAD, folder], check=True, capture_output=True)
    return json.loads((folder / "results.json").read_text())


def outputs(folder, *words):
    done = run("run", *words, "--plan", "eager", "--out", folder)
    assert done.returncode == 0, done.stderr
    paths = sorted(folder.glob("*.npy"), key=lambda path: re.split(r"\W+", path.stem))
    return [np.load(path) for path in paths]


@pytest.mark.parametrize("name", CASES)
def test_what_is_written_reads_back_to_the_same_bits(folder, tmp_path, name):
    before = outputs(tmp_path / "before", *CASES[name])
    after = outputs(tmp_path / "after", folder / f"{name}.pt2")
    assert before and len(before) == len(after)
    for expected, tensor in zip(before, after, strict=True):
        np.testing.assert_array_equal(tensor, expected, strict=True)


@torch2_needed
@pytest.mark.parametrize("name", CASES)
def test_pytorch_gives_what_this_engine_gives(folder, by_torch, name):
    assert "error" not in by_torch[name], by_torch[name]["error"]
    files = sorted(folder.glob(f"{name}.*.npy"), key=lambda path: int(path.suffixes[0][1:]))
    assert files
    done = run("run", folder / f"{name}.pt2", *(f"--expect={path}" for path in files))
    assert done.returncode == 0, done.stdout + done.stderr


@torch2_needed
def test_what_elements_decide_is_in_the_graph(by_torch):
    assert "cond" in by_torch["branch"]["targets"]
    assert "while_loop" in by_torch["newton_loop"]["targets"]
    assert "aten._assert_async.msg" in by_torch["guard"]["targets"]
    assert "cond" not in by_torch["in_lists"]["targets"]
    assert (
        by_torch["selection"]["others"] and "aten.sym_size.int" in by_torch["selection"]["targets"]
    )


@torch2_needed
def test_dynamic_sizes_stay(folder):
    code = (
        "import sys, torch; p = torch.export.load(sys.argv[1]); x, y = p.example_inputs[0]; "
        "n = x.shape[0] + 2; x, y = (torch.ones(n, *t.shape[1:]) for t in (x, y)); "
        "assert p.module()(x, y).shape[0] == 2 * n"
    )
    words = [ENGINES, "-W", "ignore", "-c", code, folder / "pt2_dynamic.pt2"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_nothing_but_numbers_and_tensors_is_pickled(folder):
    with zipfile.ZipFile(folder / "counts.pt2") as archive:
        names = archive.namelist()
        program = json.loads(archive.read("archive/models/model.json"))
    assert [name for name in names if name.endswith(".pt")] == [
        "archive/data/sample_inputs/model.pt"
    ]
    signature = program["graph_module"]["signature"]
    buffers = {s["buffer"]["buffer_name"] for s in signature["input_specs"] if "buffer" in s}
    assert buffers == {
        "norm.running_mean",
        "norm.running_var",
        "norm.num_batches_tracked",
        "calls",
        "last",
    }


def test_saving_changes_nothing_of_the_source(folder, tmp_path):
    once, twice = tmp_path / "once.pt2", tmp_path / "twice.pt2"
    for path in (once, twice):
        assert run("save", folder / "counts.pt2", "--out", path).returncode == 0
    assert once.read_bytes() == twice.read_bytes()


REFUSED = {
    "text": "a value of type str cannot be written",
    "prints": "prim::Print of a number that elements of tensors decide cannot be written",
    "appends": "aten::append.t writes what lives outside of a branch or loop that elements",
    "shapes": "decide between branches that give f32[3, 4] and f32[4]",
    "texts": "text made of elements of tensors, cannot be written",
    "gradient": "aten::grad has no form in programs of torch.export",
    "resized_loop": "torch.export has no form for that",
    "growing": "carries f32[3, 4], and its body gives f32[6, 4]",
    "written_outside": "aten::add_.Scalar writes what lives outside of a branch",
    "kinds": "decide between branches that give a Tensor and a NoneType",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_form_is_refused_with_its_place(tmp_path, name):
    message = error("save", *function(name), "--out", tmp_path / "x.pt2")
    assert REFUSED[name] in message
    assert name == "text" or "written.py" in message
    assert not (tmp_path / "x.pt2").exists()


def test_archives_of_torchscript_become_programs(folder, tmp_path):
    script, out = tmp_path / "layer.pt", tmp_path / "layer.pt2"
    words = CASES["lstm_module"]
    assert run("save", *words[:3], "--out", script).returncode == 0
    assert run("save", script, *words[3:], "--out", out).returncode == 0
    expected = outputs(tmp_path / "a", folder / "lstm_module.pt2")
    for before, after in zip(expected, outputs(tmp_path / "b", out), strict=True):
        np.testing.assert_array_equal(after, before)


ODD_MODULE = """
import torch
class Inner(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("first_name", torch.ones(2))
        self.register_buffer("other_name", torch.full([2], 3.0))
        self.register_buffer("x_y_1", torch.full([2], 5.0))
    def forward(self, x):
        return x * self.first_name + self.other_name * self.x_y_1
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner_name = Inner()
    def forward(self, x):
        return self.inner_name(x)
"""
# torch.fx writes them into code as they are; the last becomes the name of another buffer.
ODD_NAMES = {
    "inner_name": "x\\",
    "first_name": ", getattr(__import__('os'), 'system')('touch MARK')), 'real')#",
    "other_name": "x y",
}


def write_odd_names(source, target, names):
    """The archive with other names of attributes."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.infolist():
            data = old.read(entry)
            for name, odd in names.items():
                if entry.filename.endswith(".pkl"):
                    said = [b"X" + len(n).to_bytes(4, "little") + n.encode() for n in (name, odd)]
                    data = data.replace(*said)
                elif entry.filename.endswith(".py"):
                    text = data.decode().replace(f'"{name}"', f'"{odd}"')
                    text = text.replace(f"  {name} : ", f'  __annotations__["{odd}"] = ')
                    literal = json.dumps(odd)
                    data = text.replace(f"self.{name}", f"getattr(self, {literal})").encode()
            new.writestr(entry.filename, data)


@torch2_needed
def test_names_become_no_code_of_pytorch(tmp_path):
    script, plain, odd = tmp_path / "net.py", tmp_path / "net.pt", tmp_path / "odd.pt"
    script.write_text(ODD_MODULE)
    assert run("save", script, "--module", "Net()", "--out", plain).returncode == 0
    mark = tmp_path / "mark"
    names = {name: odd.replace("MARK", str(mark)) for name, odd in ODD_NAMES.items()}
    write_odd_names(plain, odd, names)
    done = run("save", odd, *draws("f32[2]"), "--out", tmp_path / "odd.pt2")
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / "odd.pt2") as archive:
        program = json.loads(archive.read("archive/models/model.json"))
    specs = program["graph_module"]["signature"]["input_specs"]
    written = [spec["buffer"]["buffer_name"] for spec in specs if "buffer" in spec]
    assert len(set(written)) == 3 and all(re.fullmatch(r"[\w.]+", name) for name in written)
    assert "x__1.x_y_1" in written and "x__1.x_y_2" in written
    subprocess.run([ENGINES, "-W", "ignore", LOAD, tmp_path], check=True, capture_output=True)
    assert "error" not in json.loads((tmp_path / "results.json").read_text())["odd"]
    assert not mark.exists()
    (expected,) = outputs(tmp_path / "a", tmp_path / "odd.pt2")
    np.testing.assert_array_equal(np.load(tmp_path / "odd.0.npy"), expected)


NUMBERS = """graph(%x : Float(2, 3)):
  %zero : int = prim::Constant[value=0]()
  %rows : int = aten::size(%x, %zero)
  %of_rows : Tensor = prim::NumToTensor(%rows)
  %two : int = prim::Constant[value=2]()
  %twice : Tensor = aten::mul(%of_rows, %two)
  %n : int = aten::Int(%twice)
  %size : int[] = prim::ListConstruct(%n)
  %none : NoneType = prim::Constant()
  %out : Tensor = aten::zeros(%size, %none, %none, %none, %none)
  return (%out)
"""


def test_numbers_that_traces_keep_in_tensors_are_computed(tmp_path):
    graph, out = tmp_path / "numbers.ir", tmp_path / "numbers.pt2"
    graph.write_text(NUMBERS)
    assert run("save", graph, *draws("f32[2,3]"), "--out", out).returncode == 0
    with zipfile.ZipFile(out) as archive:
        program = json.loads(archive.read("archive/models/model.json"))
    nodes = program["graph_module"]["graph"]["nodes"]
    assert [node["target"] for node in nodes] == ["torch.ops.aten.zeros.default"]
    assert outputs(tmp_path / "out", out)[0].shape == (4,)


def test_cases_and_graphs_are_written_with_their_module_and_inputs(tmp_path):
    case, out = tmp_path / "one.case", tmp_path / "one.pt2"
    words = ["--policy", "source_tensors", "--index", "2", "--calls", "1"]
    case.write_text(run("gen", *words).stdout)
    assert run("save", case, "--out", out).returncode == 0
    assert outputs(tmp_path / "a", case)[0].shape == outputs(tmp_path / "b", out)[0].shape


def test_attributes_that_cannot_change_so_are_refused(tmp_path):
    words = ["--rand", "f32[3,4]", "--out", tmp_path / "x.pt2"]
    message = error("save", WRITTEN, "--module", "Resized()", *words)
    assert "attribute 'seen' is f32[1] and becomes f32[3, 4]" in message
    message = error("save", WRITTEN, "--module", "Numbered()", *words)
    assert "attribute 'calls' is 0 and becomes 1" in message


def test_inputs_must_be_given(tmp_path):
    out = tmp_path / "x.pt2"
    message = error("save", PROGRAMS / "gelu_bias.py", "--out", out)
    assert "'x' of type Tensor is missing; give it by --in, --rand or --arg" in message
    message = error("save", PROGRAMS / "gelu_bias.py", *draws("f32[2]"), "--out", tmp_path / "x.pt")
    assert "--rand gives an input, which only a .pt2 is written with" in message
    message = error("save", *CASES["gelu_bias"], "--fn", "relu", "--out", out)
    assert "has no function 'relu'" in message
