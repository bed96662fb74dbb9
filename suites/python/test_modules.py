"""Modules of scripts against PyTorch 1.13.1: the same file, the same weights, the same answers.

PyTorch makes and scripts the module; its state_dict is written as .npy files by key, which
`fusillade run --module ... --state` reads. Every plan must agree with torch.jit.script of the same
instance.
"""

import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from under_test import BINARY, ROOT

PLANS = ["eager", "vm", "vm/o2,fuse(loopnest,llvm)"]
LIBRARY = ROOT / "suites/python/programs/library.py"
RARE = ROOT / "suites/python/programs/library_rare.py"
MODELS = ROOT / "suites/python/programs/models.py"
VARLEN = ROOT / "suites/python/programs/varlen.py"
DETECTION = ROOT / "suites/python/programs/detection.py"
VISION = ROOT / "suites/python/programs/vision.py"
SEQUENCE = ROOT / "suites/python/programs/sequence.py"
PROGRAMS = ROOT / "bench/programs/modules"


PADDING = torch.tensor([[False, False, True], [False, False, False]])


def image(*sizes):
    return torch.randn(*sizes)


CASES = [
    (PROGRAMS / "conv2d_module.py", "Conv2dByHand(3, 4, 3)", lambda: [image(2, 3, 9, 8)]),
    (PROGRAMS / "lstm_module.py", "Layer(5, 7)", lambda: [image(6, 3, 5)]),
    (LIBRARY, "Mlp([4, 8, 8, 3], nn.GELU())", lambda: [image(5, 4)]),
    (LIBRARY, "Mlp((4, 2), nn.Tanh(), last=nn.Softmax(-1))", lambda: [image(5, 4)]),
    (LIBRARY, "Activations().eval()", lambda: [image(3, 7)]),
    (LIBRARY, "RareActivations()", lambda: [image(3, 4)]),
    (LIBRARY, "Block(4)", lambda: [image(2, 4, 6, 5)]),
    (LIBRARY, "Block(4, stride=2, groups=2)", lambda: [image(2, 4, 6, 5)]),
    (LIBRARY, "Block(4, stride=2).eval()", lambda: [image(2, 4, 6, 5)]),
    (LIBRARY, "Pools()", lambda: [image(2, 4, 12), image(2, 3, 7, 8)]),
    (LIBRARY, "Norms()", lambda: [image(3, 4, 8), torch.tensor([[1, 2], [9, 0]])]),
    (LIBRARY, "Cells()", lambda: [image(3, 4)]),
    (LIBRARY, "Recurrent(False, 1, False)", lambda: [image(5, 3, 4)]),
    (LIBRARY, "Recurrent(True, 2, True)", lambda: [image(3, 5, 4)]),
    (LIBRARY, "Losses()", lambda: [image(4, 3), image(4, 3), torch.tensor([0, 2, 1, 2])]),
    (LIBRARY, "Counter()", lambda: [image(2, 3)]),
    (LIBRARY, "Transformer(8, 2)", lambda: [image(2, 5, 8)]),
    (RARE, "Lines()", lambda: [image(2, 4, 8)]),
    (RARE, "Lines().eval()", lambda: [image(3, 4, 8)]),
    (RARE, "Planes()", lambda: [image(2, 4, 6, 5)]),
    (RARE, "Planes().eval()", lambda: [image(1, 4, 6, 5)]),
    (RARE, "Volumes()", lambda: [image(2, 2, 3, 4, 3)]),
    (RARE, "Solids()", lambda: [image(2, 2, 3, 4, 5)]),
    (
        RARE,
        "Attends().eval()",
        lambda: [image(3, 2, 4), image(3, 2, 4), image(3, 2, 4), torch.ones(3, 3).triu(1).bool()],
    ),
    (
        RARE,
        "Bags()",
        lambda: [
            torch.tensor([[0, 1, 2], [4, 1, 3]]),
            torch.tensor([3, 0, 2, 4]),
            torch.tensor([0, 1, 1]),
        ],
    ),
    (
        RARE,
        "Aligned()",
        lambda: [
            image(5, 2, 4),
            torch.tensor([[1, 2, 2], [3, 1, 1]]),
            torch.tensor([5, 4]),
            torch.tensor([3, 2]),
        ],
    ),
    (RARE, "Unbatched()", lambda: [image(3, 4), torch.tensor([False, False, True])]),
    (RARE, "Single()", lambda: [image(4, 8)]),
    (RARE, "Tracked()", lambda: [image(3, 4, 8)]),
    (RARE, "Tracked().eval()", lambda: [image(4, 8)]),
    (RARE, "Unfilled()", lambda: [image(3, 4)]),
    (RARE, "Larger()", lambda: [image(1, 2, 5, 5)]),
    (RARE, "Held(3)", lambda: [image(2, 3)]),
    (RARE, "Projected(1, False, False, True)", lambda: [image(4, 2, 3)]),
    (RARE, "Projected(2, True, True, False)", lambda: [image(2, 4, 3)]),
    (RARE, "Projected(2, True, False, True)", lambda: [image(4, 2, 3)]),
    (RARE, "Steps()", lambda: [image(2, 3), torch.tensor([1, 0, 2, 3, 1])]),
    (RARE, "Picked()", lambda: [image(4, 3)]),
    (RARE, "Pairs()", lambda: [image(5, 4), image(5, 4)]),
    (
        RARE,
        "RareLosses()",
        lambda: [image(4, 3), image(4, 3), image(4, 3), torch.tensor([0, 2, 1, 2])],
    ),
    (RARE, "OldLosses()", lambda: [image(4, 3), image(4, 3)]),
    (RARE, "OldLosses('mean')", lambda: [image(4, 3), image(4, 3)]),
    (MODELS, "Derived()", lambda: [image(2, 3)]),
    (MODELS, "Block(8, 2)", lambda: [image(2, 5, 8)]),
    (MODELS, "Early(4)", lambda: [image(5, 3)]),
    (MODELS, "Early(1)", lambda: [-image(5, 3).abs()]),
    (MODELS, "Old(3)", lambda: [image(3)]),
    (MODELS, "Habits()", lambda: [image(2, 3)]),
    (MODELS, "Settled()", lambda: [image(2, 3)]),
    (MODELS, "Settled(2, bias=True)", lambda: [image(2, 3)]),
    (MODELS, "Switched(True)", lambda: [image(1, 2, 4, 4)]),
    (MODELS, "Switched(False, 1)", lambda: [image(1, 2, 4, 4)]),
    (MODELS, "Translator(4, False)", lambda: [image(3, 2, 4), image(5, 2, 4), PADDING]),
    (MODELS, "Translator(4, True)", lambda: [image(3, 2, 4), image(5, 2, 4), PADDING]),
    (
        MODELS,
        "nn.Transformer(4, 2, 1, 1, 8, dropout=0.0, batch_first=True)",
        lambda: [image(2, 3, 4), image(2, 5, 4)],
    ),
    (MODELS, "Chosen()", lambda: [image(2, 3), torch.tensor(1)]),
    (MODELS, "Chosen()", lambda: [image(2, 3), torch.tensor(0)]),
]

# Larger models, which go through archives in both directions as well.
WHOLE = [
    (VARLEN, "Tagger(10, 5, 3)", lambda: [torch.randint(10, (3, 4)), torch.tensor([2, 4, 3])]),
    (
        VARLEN,
        "Tagger(10, 5, 3, 2, True, False)",
        lambda: [torch.randint(10, (4, 3)), torch.tensor([2, 4, 3])],
    ),
    (
        VARLEN,
        "Tagger(10, 5, 3, 2, True, True, 2)",
        lambda: [torch.randint(10, (4, 3)), torch.tensor([2, 3, 3, 1])],
    ),
    (VARLEN, "Plain('gru', 2, True)", lambda: [image(4, 3, 4), torch.tensor([4, 2, 2])]),
    (VARLEN, "Plain('rnn', 2, True)", lambda: [image(4, 3, 4), torch.tensor([4, 2, 2])]),
    (VARLEN, "Plain('rnn', 1, False, True)", lambda: [image(4, 3, 4), torch.tensor([4, 2, 2])]),
    (VARLEN, "Single()", lambda: [image(5, 4), image(2, 3)]),
    (VARLEN, "Packs()", lambda: [image(2, 4), image(3, 4), image(1, 4)]),
    (DETECTION, "Detector().eval()", lambda: [torch.rand(3, 21, 30), torch.rand(3, 32, 17)]),
    (VISION, "SmallEfficientNet(0.2, num_classes=4).eval()", lambda: [image(2, 3, 16, 16)]),
    (VISION, "VisionTransformer(representation_size=5).eval()", lambda: [image(2, 3, 8, 8)]),
    (VISION, "Swin().eval()", lambda: [image(2, 3, 11, 14)]),
    (VISION, "ConvNeXt().eval()", lambda: [image(2, 3, 16, 16)]),
    (VISION, "DeepLab(aux=nn.Conv2d(4, 2, 1)).eval()", lambda: [image(2, 3, 12, 14)]),
    (
        SEQUENCE,
        "GPT(n_layer=2)",
        lambda: [torch.randint(11, (2, 3)), torch.tensor([[2, 3, -1], [5, 6, 7]])],
    ),
    (SEQUENCE, "VQVAE()", lambda: [image(2, 3, 8, 8)]),
    (SEQUENCE, "WaveNet()", lambda: [torch.randint(6, (2, 7))]),
    (
        SEQUENCE,
        "Tacotron().eval()",
        lambda: [torch.randint(12, (2, 4)), torch.tensor([4, 3]), image(3, 2, 4)],
    ),
    (SEQUENCE, "Yolo().eval()", lambda: [image(1, 3, 16, 16)]),
]
CASES += WHOLE


def load(path):
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["program"] = module  # where torch.jit.script looks for the text of classes
    spec.loader.exec_module(module)
    return module


def flat(value, name):
    if isinstance(value, torch.Tensor):
        return {name: value.detach().numpy()}
    if not isinstance(value, (tuple, list)):
        return {}
    out = {}
    for i, item in enumerate(value):
        out.update(flat(item, f"{name}.{i}"))
    return out


# An element that cancels is as wrong as the numbers that it is a difference of. Those are about 1,
# but for the corners of boxes: a centre less half a width, both in pixels of an image 32 wide.
# (Against float64 both sides are then off by 1e-5.)
EXTENT = {DETECTION: 32.0}


def assert_close(got, expected, path, said):
    assert got.dtype == expected.dtype and got.shape == expected.shape, said
    np.testing.assert_allclose(
        got, expected, rtol=2e-5, atol=2e-6 * EXTENT.get(path, 1.0), err_msg=said
    )


@pytest.mark.parametrize("path,call,make", CASES, ids=[f"{p.stem}-{c}" for p, c, _ in CASES])
def test_module_agrees_with_torchscript(path, call, make, tmp_path):
    torch.manual_seed(1)
    program = load(path)
    module = eval(call, {**vars(program), "nn": torch.nn})
    state = tmp_path / "state"
    state.mkdir()
    for key, value in module.state_dict().items():
        np.save(state / f"{key}.npy", value.numpy())
    inputs = make()
    arguments = []
    for i, value in enumerate(inputs):
        np.save(tmp_path / f"in{i}.npy", value.numpy())
        arguments += ["--in", str(tmp_path / f"in{i}.npy")]
    scripted = module if isinstance(module, torch.jit.ScriptModule) else torch.jit.script(module)
    expected = flat(scripted(*inputs), "out0")
    assert expected
    for plan in PLANS:
        out = tmp_path / "out"
        text = subprocess.run(
            [
                BINARY,
                "run",
                str(path),
                "--module",
                call,
                "--state",
                str(state),
                "--plan",
                plan,
                "--out",
                str(out),
                *arguments,
            ],
            capture_output=True,
            text=True,
        )
        assert text.returncode == 0, text.stderr
        for name, value in expected.items():
            assert_close(np.load(out / f"{name}.npy"), value, path, f"{plan} {name}")


@pytest.mark.parametrize("path,call,make", WHOLE, ids=[f"{p.stem}-{c}" for p, c, _ in WHOLE])
def test_archives_of_whole_models_agree(path, call, make, tmp_path):
    """PyTorch runs what is saved here; what it saves runs here; saving again changes no byte."""
    torch.manual_seed(1)
    module, inputs = eval(call, {**vars(load(path)), "nn": torch.nn}), make()
    (tmp_path / "state").mkdir()
    for key, value in module.state_dict().items():
        np.save(tmp_path / "state" / f"{key}.npy", value.numpy())
    arguments = []
    for i, value in enumerate(inputs):
        np.save(tmp_path / f"in{i}.npy", value.numpy())
        arguments += ["--in", tmp_path / f"in{i}.npy"]
    scripted = torch.jit.script(module)
    scripted.save(str(tmp_path / "torch.pt"))
    expected = flat(scripted(*inputs), "out0")
    assert expected

    def ours(*words):
        done = subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    ours("run", tmp_path / "torch.pt", "--out", tmp_path / "out", *arguments)
    ours(
        "save", path, "--module", call, "--state", tmp_path / "state", "--out", tmp_path / "ours.pt"
    )
    ours("save", tmp_path / "ours.pt", "--out", tmp_path / "again.pt")
    assert (tmp_path / "ours.pt").read_bytes() == (tmp_path / "again.pt").read_bytes()
    got = flat(torch.jit.load(str(tmp_path / "ours.pt"))(*inputs), "out0")
    for name, value in expected.items():
        for here in (np.load(tmp_path / "out" / f"{name}.npy"), got[name]):
            assert_close(here, value, path, name)


@pytest.mark.parametrize(
    "lengths,flags,reason",
    [
        ([2, 3], "", "sorted in decreasing order"),
        ([3, 0], "", "lies from 1 to 3"),
        ([4, 1], "", "lies from 1 to 3"),
        ([3], "", "2 integers"),
        ([3, 1], ", total_length=2", "longest sequence has 3"),
    ],
)
def test_bad_lengths_are_errors(lengths, flags, reason, tmp_path):
    np.save(tmp_path / "lengths.npy", np.array(lengths))
    (tmp_path / "m.py").write_text(
        "import torch\nfrom torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence\n\n"
        "\n"
        "def f(x, lengths):\n    return pad_packed_sequence(pack_padded_sequence(x, lengths)"
        + flags
        + ")\n"
    )
    text = subprocess.run(
        [
            BINARY,
            "run",
            str(tmp_path / "m.py"),
            "--rand",
            "f32[3,2,1]",
            "--in",
            str(tmp_path / "lengths.npy"),
        ],
        capture_output=True,
        text=True,
    )
    assert text.returncode == 1 and reason in text.stderr, text.stdout + text.stderr


def test_maxima_go_back_to_their_places(tmp_path):
    """Against eager PyTorch: 1.13.1 fails on the scripted module."""
    x = image(1, 2, 4, 6)
    np.save(tmp_path / "x.npy", x.numpy())
    expected = flat(load(RARE).Unpooled()(x), "out0")
    subprocess.run(
        [
            BINARY,
            "run",
            str(RARE),
            "--module",
            "Unpooled()",
            "--in",
            str(tmp_path / "x.npy"),
            "--out",
            str(tmp_path),
        ],
        check=True,
        capture_output=True,
    )
    assert len(expected) == 2
    for name, value in expected.items():
        np.testing.assert_array_equal(np.load(tmp_path / f"{name}.npy"), value)


def test_keys_of_the_state_are_pytorchs(tmp_path):
    """A missing file names the key, a wrong shape both shapes."""
    np.save(tmp_path / "layers.0.weight.npy", np.zeros((8, 4), np.float32))
    command = [
        BINARY,
        "run",
        str(LIBRARY),
        "--module",
        "Mlp([4, 3], nn.ReLU())",
        "--state",
        str(tmp_path),
        "--rand",
        "f32[1,4]",
    ]
    text = subprocess.run(command, capture_output=True, text=True)
    assert text.returncode == 1 and "layers.0.weight" in text.stderr and "f32[3, 4]" in text.stderr
    np.save(tmp_path / "layers.0.weight.npy", np.zeros((3, 4), np.float32))
    text = subprocess.run(command, capture_output=True, text=True)
    assert text.returncode == 1 and "layers.0.bias.npy" in text.stderr


def test_initial_values_have_pytorchs_bounds(tmp_path):
    """Kaiming bounds of Linear: 1 / sqrt(in), reproducible from --seed."""
    outputs = []
    for seed in (1, 1, 2):
        out = tmp_path / f"out{len(outputs)}"
        np.save(tmp_path / "x.npy", np.eye(64, dtype=np.float32))
        subprocess.run(
            [
                BINARY,
                "run",
                str(LIBRARY),
                "--module",
                "Mlp([64, 128], nn.ReLU())",
                "--seed",
                str(seed),
                "--in",
                str(tmp_path / "x.npy"),
                "--out",
                str(out),
            ],
            check=True,
            capture_output=True,
        )
        outputs.append(np.load(out / "out0.npy"))
    assert (outputs[0] == outputs[1]).all() and (outputs[0] != outputs[2]).any()
    weight = outputs[0] - outputs[0].mean(axis=0)
    assert 0.9 / 8 < np.abs(weight).max() < 1.2 / 8


def test_opt_prints_the_methods_graph():
    text = subprocess.run(
        [BINARY, "opt", str(LIBRARY), "--module", "Counter()", "--method", "bump"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert 'prim::GetAttr[name="history"](%self)' in text and "%by : int" in text


@pytest.mark.parametrize(
    "call,reason",
    [
        ("Nothing()", "Nothing"),
        ("Mlp()", "'sizes' is missing"),
        ("Mlp([4, 3], nn.ReLU(), depth=2)", "depth"),
        ("Mlp([4], 3", "never closed"),
        ("nn.Linear", "write the class"),
        ("torch.zeros(3)", "makes no module"),
    ],
)
def test_bad_constructions_are_errors(call, reason):
    text = subprocess.run(
        [BINARY, "run", str(LIBRARY), "--module", call], capture_output=True, text=True
    )
    assert text.returncode == 1 and reason in text.stderr, text.stderr


@pytest.mark.parametrize(
    "body",
    [
        "x = 'ab'\n        while True:\n            x = x + x",
        "x = torch.ones(1 << 10)\n        y = []\n        while True:\n            y.append(x + x)",
        "y = []\n        while True:\n            y.append(torch.empty(1 << 12))",
    ],
)
def test_greedy_constructors_end(body, tmp_path):
    program = tmp_path / "greedy.py"
    program.write_text(
        "import torch\nimport torch.nn as nn\n\n\nclass M(nn.Module):\n    def __init__(self):\n"
        f"        super().__init__()\n        {body}\n\n    def forward(self, x):\n"
        "        return x\n"
    )
    text = subprocess.run(
        [BINARY, "run", str(program), "--module", "M()"],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "FUSILLADE_MAX_CONSTRUCTOR_ELEMENTS": "1000000"},
    )
    assert text.returncode == 1 and "more than 1000000 elements" in text.stderr, text.stderr


@pytest.mark.parametrize(
    "make,size,reason",
    [
        ("nn.Conv2d(3, 4, 3, padding_mode='mirror')", "1,3,6,6", "padding_mode must be one of"),
        ("nn.Conv1d(3, 4, 3, padding='same', stride=2)", "1,3,6", "not supported for strided"),
        ("nn.Conv1d(3, 4, 3, padding='full')", "1,3,6", "padding is a number, 'same' or 'valid'"),
        ("nn.Conv1d(3, 4, 3, padding=7, padding_mode='reflect')", "1,3,6", "pad"),
        ("nn.Hardtanh(1.0, -1.0)", "3", "max_val is above min_val"),
        (
            "nn.RNN(3, 4, nonlinearity='gelu')",
            "2,1,3",
            "nonlinearity is 'tanh' or 'relu', given 'gelu'",
        ),
        (
            "nn.RNNCell(3, 4, nonlinearity='gelu')",
            "1,3",
            "nonlinearity is 'tanh' or 'relu', given 'gelu'",
        ),
        ("nn.LSTM(3, 4, proj_size=4)", "2,1,3", "proj_size has to be"),
        ("nn.InstanceNorm2d(3)", "3,6", "expected 3D or 4D input (got 2D input)"),
        ("nn.ReflectionPad1d(8)", "1,3,6", "pad"),
        ("nn.Fold((4, 5), (2, 2))", "1,12,11", "no blocks of the kernel"),
        ("nn.PixelShuffle(2)", "1,3,2,2", "multiple of 2 squared"),
        (
            "nn.ConvTranspose1d(3, 4, 3, padding_mode='reflect')",
            "1,3,6",
            "Only 'zeros' padding mode",
        ),
        ("nn.Unflatten(1, (2, 2))", "1,3", "unflatten"),
        ("nn.ParameterList([nn.Linear(2, 2)])", "2", "this container holds parameters"),
        ("nn.ModuleList([nn.Parameter(torch.ones(2))])", "2", "this container holds modules"),
        ("nn.Upsample(scale_factor=2.0, mode='cubic')", "1,2,3,3", "interpolate"),
    ],
)
def test_bad_modules_and_inputs_are_errors(make, size, reason, tmp_path):
    (tmp_path / "m.py").write_text(
        "import torch\nimport torch.nn as nn\nclass M(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.m = " + make + "\n"
        "    def forward(self, x):\n        return self.m(x)\n"
    )
    text = subprocess.run(
        [BINARY, "run", str(tmp_path / "m.py"), "--module", "M()", "--rand", f"f32[{size}]"],
        capture_output=True,
        text=True,
    )
    assert text.returncode == 1 and reason in text.stderr, text.stdout + text.stderr


@pytest.mark.parametrize("index", [4, -5])
def test_an_index_of_modules_out_of_range_raises(index, tmp_path):
    np.save(tmp_path / "order.npy", np.array([0, index]))
    text = subprocess.run(
        [
            BINARY,
            "run",
            str(RARE),
            "--module",
            "Steps()",
            "--rand",
            "f32[2,3]",
            "--in",
            str(tmp_path / "order.npy"),
        ],
        capture_output=True,
        text=True,
    )
    assert text.returncode == 1 and "IndexError: index out of range" in text.stderr, (
        text.stdout + text.stderr
    )


def test_slices_of_containers_are_pythons(tmp_path):
    archive = tmp_path / "sliced.pt"
    subprocess.run(
        [BINARY, "save", str(RARE), "--module", "Sliced()", "--out", str(archive)], check=True
    )
    loaded, module, x = torch.jit.load(str(archive)), load(RARE).Sliced(), image(2, 3)
    module.load_state_dict(loaded.state_dict())
    with torch.no_grad():
        got, want = loaded(x), module(x)
    assert torch.allclose(got[0], want[0]) and got[1] == want[1] == 3
