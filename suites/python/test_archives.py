"""Archives against the real TorchScript, both ways: what torch.jit.save writes loads and runs here,
what the command saves runs under torch.jit.load, with results within float tolerance; and what is
saved is stable.

The tolerance is that of two float32 computations of one formula: a few hundred roundings relative
to the largest value. Needs Debian's python3-torch (1.13.1) under /usr/bin/python3 for the tests
that compare; ci/setup.sh --peers installs it.
"""

import subprocess
import zipfile

import numpy as np
import pytest
from under_test import BINARY, PYTHON, ROOT, torch_needed

PROGRAMS = sorted((ROOT / "bench/programs").glob("*.py"))

# Makes an archive of every model, scripted and traced, with its inputs and outputs next to it as
# .npy.
MODELS = '''
import json, sys, torch, torch.nn as nn
from typing import Dict, List, Optional, Tuple
import numpy as np

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(2, 4, 3, padding=1)
        self.b1 = nn.BatchNorm2d(4)
        self.c2 = nn.Conv2d(4, 4, 3, padding=1, bias=False)
        self.b2 = nn.BatchNorm2d(4)
        self.down = nn.Sequential(nn.Conv2d(2, 4, 1), nn.BatchNorm2d(4))
        self.relu = nn.ReLU(inplace=True)
    def forward(self, x):
        y = self.relu(self.b1(self.c1(x)))
        y = self.b2(self.c2(y))
        return self.relu(y + self.down(x))

class Transformer(nn.Module):
    def __init__(self, d: int = 8, heads: int = 2):
        super().__init__()
        self.q, self.k = nn.Linear(d, d), nn.Linear(d, d)
        self.v, self.o = nn.Linear(d, d), nn.Linear(d, d)
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.feed = nn.Sequential(nn.Linear(d, 16), nn.GELU(), nn.Dropout(0.1), nn.Linear(16, d))
        self.heads = heads
    def forward(self, x):
        b, t, d = x.shape
        w = d // self.heads
        q = self.q(x).view(b, t, self.heads, w).transpose(1, 2)
        k = self.k(x).view(b, t, self.heads, w).transpose(1, 2)
        v = self.v(x).view(b, t, self.heads, w).transpose(1, 2)
        a = torch.softmax(torch.matmul(q, k.transpose(-2, -1)) / float(w) ** 0.5, -1)
        y = torch.matmul(a, v).transpose(1, 2).contiguous().view(b, t, d)
        x = self.n1(x + self.o(y))
        return self.n2(x + self.feed(x))

class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(3, 4)
    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        out: List[torch.Tensor] = []
        for i in range(x.size(0)):
            h, c = self.cell(x[i], (h, c))
            out.append(h)
        return torch.stack(out), c

class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(8, 5, batch_first=True)
    def forward(self, x):
        y, state = self.lstm(x)
        z, last = self.gru(y)
        return z, last, state[1]

class Shared(nn.Module):
    """Shared parameters, views, containers of every kind, attributes that are no identifiers."""
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)
        self.b.weight = self.a.weight
        big = torch.arange(12.0)
        self.register_buffer("odd", big[1::2])
        self.register_buffer("turned", big.view(3, 4).t())
        self.blocks = nn.ModuleList([nn.Linear(3, 3), nn.Tanh()])
        self.sizes: List[int] = [1, 2]
        self.scales: Dict[str, float] = {"x": 0.5, "y\\n": 2.0}
        self.maybe: Optional[int] = None
        self.pair = (3, 0.25)
        self.flag = True
        self.name = "text \\u00e9"
    def forward(self, x):
        y = self.a(x) + self.b(x) * self.scales["x"]
        for m in self.blocks:
            y = m(y)
        if self.maybe is None and self.flag:
            y = y + self.odd.sum() * self.turned[1, 2] + self.pair[1]
            y = y + float(self.name == "text \\u00e9") + self.sizes[1]
        return y

def conv(a, b, k, stride=1):
    return nn.Conv2d(a, b, k, stride, k // 2, bias=False)

class BasicBlock(nn.Module):
    """As torchvision writes it; so is Bottleneck."""
    def __init__(self, a: int, b: int, stride: int = 1, downsample: Optional[nn.Module] = None):
        super().__init__()
        self.conv1, self.bn1 = conv(a, b, 3, stride), nn.BatchNorm2d(b)
        self.conv2, self.bn2 = conv(b, b, 3), nn.BatchNorm2d(b)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)

class Bottleneck(nn.Module):
    expansion: int = 4
    def __init__(self, a: int, b: int, stride: int = 1, downsample: Optional[nn.Module] = None):
        super().__init__()
        self.conv1, self.bn1 = conv(a, b, 1), nn.BatchNorm2d(b)
        self.conv2, self.bn2 = conv(b, b, 3, stride), nn.BatchNorm2d(b)
        self.conv3, self.bn3 = conv(b, b * self.expansion, 1), nn.BatchNorm2d(b * self.expansion)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)

class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 7, 2, 3, bias=False), nn.BatchNorm2d(4),
                                  nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.layer1 = nn.Sequential(BasicBlock(4, 4), BasicBlock(4, 4))
        down = nn.Sequential(conv(4, 8, 1, 2), nn.BatchNorm2d(8))
        self.layer2 = nn.Sequential(Bottleneck(4, 2, 2, down), Bottleneck(8, 2))
        self.pool, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(8, 5)
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.layer2(self.layer1(self.stem(x)))
        return self.fc(torch.flatten(self.pool(x), 1))

class Attention(nn.Module):
    def __init__(self, first: bool, masked: bool):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=first)
        self.register_buffer("mask", torch.triu(torch.ones(3, 3), 1).bool() if masked else None)
    def forward(self, x):
        y, weights = self.attention(x, x, x, attn_mask=self.mask)
        return y, weights

class Containers(nn.Module):
    def __init__(self):
        super().__init__()
        self.named = nn.ModuleDict({"a": nn.Linear(8, 8), "b": nn.Tanh()})
        self.listed = nn.ModuleList([nn.Linear(8, 8), nn.Sequential(nn.Linear(8, 8), nn.ReLU())])
        self.given = nn.ParameterList([nn.Parameter(torch.randn(8)), nn.Parameter(torch.randn(8))])
    def forward(self, x):
        for k, m in self.named.items():
            x = m(x)
        for i, m in enumerate(self.listed):
            x = m(x) + float(i)
        return self.named["a"](x)

class Projected(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 6, 2, bidirectional=True, proj_size=3)
    def forward(self, x):
        y, state = self.lstm(x)
        return y, state[0], state[1]

class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([nn.MSELoss(), nn.SmoothL1Loss(), nn.L1Loss(reduction="sum"),
                                    nn.BCEWithLogitsLoss()])
        self.classes = nn.CrossEntropyLoss(label_smoothing=0.1)
    def forward(self, x):
        y = torch.sigmoid(x.flip(0))
        total = self.classes(x[0], torch.tensor([1, 2, 0]))
        for part in self.parts:
            total = total + part(x, y)
        return torch.softmax(total * x, 0)

f = torch.manual_seed
f(0)
X = torch.randn(2, 3, 8)
MODELS = {
    "resnet": (ResNet(), torch.randn(1, 3, 32, 32)),
    "attention": (Attention(False, False), X),
    "attention_masked": (Attention(True, True), X),
    "encoder": (nn.TransformerEncoderLayer(8, 2, 16), X),
    "encoder_first": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), X),
    "encoder_gelu": (nn.TransformerEncoderLayer(8, 2, 16, activation="gelu", norm_first=True), X),
    "encoders": (nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2), X),
    "containers": (Containers(), X),
    "projected": (Projected(), X),
    "loss": (Loss(), X),
    "linear": (nn.Linear(3, 4), torch.randn(2, 3)),
    "conv1d": (nn.Conv1d(2, 3, 2, stride=2), torch.randn(1, 2, 7)),
    "conv2d": (nn.Conv2d(2, 4, 3, padding=1, dilation=2, groups=2), torch.randn(1, 2, 6, 5)),
    "batch_norm": (nn.BatchNorm1d(3), torch.randn(4, 3)),
    "layer_norm": (nn.LayerNorm([3]), torch.randn(4, 3)),
    "embedding": (nn.Embedding(5, 3), torch.tensor([[1, 2], [3, 4]])),
    "pool": (nn.Sequential(nn.MaxPool2d(2), nn.AvgPool2d(2), nn.Flatten()),
             torch.randn(1, 2, 8, 8)),
    "block": (Block(), torch.randn(2, 2, 5, 5)),
    "transformer": (Transformer(), torch.randn(2, 3, 8)),
    "sequence": (Sequence(), torch.randn(5, 2, 3)),
    "recurrent": (Recurrent(), torch.randn(2, 5, 3)),
    "shared": (Shared(), torch.randn(2, 3)),
}
def flat(v):
    return [x for i in v for x in flat(i)] if isinstance(v, (tuple, list)) else [v]
if __name__ == "__main__":
    folder = sys.argv[1]
    for name, (model, x) in MODELS.items():
        model.eval()
        np.save(f"{folder}/{name}.npy", x.numpy())
        for i, y in enumerate(flat(model(x))):
            np.save(f"{folder}/{name}.out{i}.npy", y.detach().numpy())
        torch.jit.save(torch.jit.script(model), f"{folder}/{name}.script.pt")
        # Torch's own check traces an encoder layer again on its fast path, which is another graph.
        torch.jit.save(torch.jit.trace(model, x, check_trace=False), f"{folder}/{name}.trace.pt")
'''

NAMES = [
    "linear",
    "conv1d",
    "conv2d",
    "batch_norm",
    "layer_norm",
    "embedding",
    "pool",
    "block",
    "transformer",
    "sequence",
    "recurrent",
    "shared",
    "resnet",
    "attention",
    "attention_masked",
    "encoder",
    "encoder_first",
    "encoder_gelu",
    "encoders",
    "containers",
    "projected",
    "loss",
]

# Loads an archive and calls it on .npy inputs and JSON scalars; writes its outputs.
CALL = """
import json, sys, torch, numpy as np
def flat(v):
    return [x for i in v for x in flat(i)] if isinstance(v, (tuple, list)) else [v]
archive, out = sys.argv[1:3]
args = [torch.from_numpy(np.load(a)) if a.endswith(".npy") else json.loads(a) for a in sys.argv[3:]]
for i, y in enumerate(flat(torch.jit.load(archive)(*args))):
    np.save(f"{out}/torch{i}.npy", torch.as_tensor(y).detach().numpy())
"""


def ours(*args):
    done = subprocess.run([BINARY, *map(str, args)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def torch_runs(code, *args):
    done = subprocess.run(
        [PYTHON, "-W", "ignore", "-c", code, *map(str, args)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def outputs(folder):
    return [
        np.load(p)
        for p in sorted(
            folder.glob("out*.npy"), key=lambda p: [int(w) for w in p.stem[3:].split(".")]
        )
    ]


def assert_close(got, want):
    assert got.shape == want.shape and got.dtype == want.dtype
    scale = max(1.0, float(np.abs(want).max(initial=0)))
    assert float(np.abs(got.astype(float) - want).max(initial=0)) <= 300 * 2.0**-24 * scale


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    source = folder / "models.py"  # a file: the scripter reads sources
    source.write_text(MODELS)
    done = subprocess.run(
        [PYTHON, "-W", "ignore", str(source), str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return folder


@torch_needed
@pytest.mark.parametrize("kind", ["script", "trace"])
@pytest.mark.parametrize("name", NAMES)
def test_what_torch_saves_runs_here(models, tmp_path, name, kind):
    archive = models / f"{name}.{kind}.pt"
    wanted = [np.load(p) for p in sorted(models.glob(f"{name}.out*.npy"))]
    for plan in ("eager", "vm/o2"):
        ours(
            "run",
            archive,
            "--plan",
            plan,
            "--in",
            models / f"{name}.npy",
            "--out",
            tmp_path / plan.replace("/", "_"),
        )
        got = outputs(tmp_path / plan.replace("/", "_"))
        assert wanted and len(got) == len(wanted)
        for g, w in zip(got, wanted):
            assert_close(g, w)


@torch_needed
@pytest.mark.parametrize("kind", ["script", "trace"])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_saved_again_runs_in_torch(models, tmp_path, name, kind):
    ours("save", models / f"{name}.{kind}.pt", "--out", tmp_path / "again.pt")
    torch_runs(CALL, tmp_path / "again.pt", tmp_path, models / f"{name}.npy")
    wanted = [np.load(p) for p in sorted(models.glob(f"{name}.out*.npy"))]
    got = [np.load(p) for p in sorted(tmp_path.glob("torch*.npy"))]
    assert wanted and len(got) == len(wanted)
    for g, w in zip(got, wanted):
        np.testing.assert_array_equal(g, w)
    ours("save", tmp_path / "again.pt", "--out", tmp_path / "third.pt")
    assert (tmp_path / "third.pt").read_bytes() == (tmp_path / "again.pt").read_bytes()


def bench_shapes(path):
    """The first shapes that a program names for itself: `# bench: f32[N] f32[64,3] N=16,4096`."""
    text = path.read_text().replace("\\\n#", "")  # a line goes on behind a backslash
    words = text.split("\n", 1)[0].split("bench:")[1].split()
    small = {w.split("=")[0]: w.split("=")[1].split(",")[0] for w in words if "=" in w}
    shapes = []
    for w in words:
        if "[" not in w:
            continue
        sizes = w[w.index("[") + 1 : -1].split(",")
        shapes.append(f"{w[: w.index('[')]}[{','.join(small.get(s, s) for s in sizes)}]")
    return shapes


def random_array(shape, seed):
    sizes = [int(s) for s in shape[shape.index("[") + 1 : -1].split(",")]
    return (
        np.random.default_rng(seed)
        .standard_normal(sizes)
        .astype({"f32": np.float32, "f64": np.float64}[shape[:3]])
    )


def flags_of(archive, folder, arrays):
    """The folder that holds the results of PyTorch, and the inputs as flags of ours."""
    folder.mkdir()
    for i, x in enumerate(arrays):
        np.save(folder / f"in{i}.npy", x)
    paths = [folder / f"in{i}.npy" for i in range(len(arrays))]
    torch_runs(CALL, archive, folder, *paths)
    return [word for p in paths for word in ("--in", p)]


def assert_as_accurate(got, want, exact):
    """No further from what PyTorch computes in double than twice its own float32, root mean square:
    the order of the 512 terms of a product is nobody's promise, and single elements show that
    order, not an error."""

    def rms(x):
        return float(np.sqrt(np.mean((x.astype(float) - exact) ** 2)))

    assert got.shape == want.shape == exact.shape and got.dtype == want.dtype
    assert rms(got) <= 2 * rms(want) + 2.0**-24 * max(1.0, float(np.abs(exact).max()))


@torch_needed
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_benchmark_programs_both_ways(tmp_path, path):
    ours("save", path, "--fn", path.stem, "--out", tmp_path / "ours.pt")
    code = (
        f"import sys, torch; sys.path.insert(0, {str(path.parent)!r}); import {path.stem} as m; "
        f"torch.jit.save(torch.jit.script(m.{path.stem}), sys.argv[1])"
    )
    torch_runs(code, tmp_path / "torch.pt")
    inputs = [random_array(shape, i) for i, shape in enumerate(bench_shapes(path))]
    flags = flags_of(tmp_path / "ours.pt", tmp_path / "float", inputs)
    flags_of(tmp_path / "ours.pt", tmp_path / "double", [x.astype(float) for x in inputs])
    wanted, exact = (
        [np.load(p) for p in sorted((tmp_path / kind).glob("torch*.npy"))]
        for kind in ("float", "double")
    )
    for archive in ("ours.pt", "torch.pt"):
        ours("run", tmp_path / archive, *flags, "--out", tmp_path / archive[:-3])
        got = outputs(tmp_path / archive[:-3])
        assert wanted and len(got) == len(wanted) == len(exact)
        for g, w, e in zip(got, wanted, exact):
            assert_as_accurate(g, w, e)


SCRIPT = """
from typing import List, Optional, Tuple
import torch

def helper(x, n: int):
    return x * n + 1.5

def f(x, y: Optional[int], l: List[int]):
    if y is not None:
        z = x + y
    else:
        z = x * 2.5
    for i in range(3):
        z = z + l[i % 2]
    turns = 0
    while bool(z.sum() < 100) and turns < 5:
        turns += 1
        z = z + 1
        if bool(z.sum() > 60):
            break
    return z.add_(1), helper(z, 2).mul(3).sub(4).div(5).exp().log().abs(), turns
"""


@pytest.fixture
def archive_path(tmp_path):
    (tmp_path / "a.py").write_text(SCRIPT)
    ours("save", tmp_path / "a.py", "--fn", "f", "--out", tmp_path / "a.pt")
    return tmp_path / "a.pt"


def test_archives_are_stable_and_plain_zip(archive_path, tmp_path):
    ours("save", archive_path, "--out", tmp_path / "b.pt")
    assert archive_path.read_bytes() == (tmp_path / "b.pt").read_bytes()
    with zipfile.ZipFile(archive_path) as z:
        assert z.testzip() is None
        assert z.read("archive/version") == b"10\n"
        code = z.read("archive/code/__torch__.py").decode()
    assert code.index("torch.add_(") < code.index("__torch__.helper(")


def test_programs_of_archives_print_and_run(archive_path):
    assert "aten::add_" in ours("opt", archive_path)
    done = subprocess.run(
        [BINARY, "run", str(archive_path), "--fn", "forwards"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1 and "did you mean forward?" in done.stderr


# The script once more, as Python that PyTorch scripts itself; the archive must give what that
# gives.
CONTROL = """
import sys, torch, numpy as np
sys.path.insert(0, sys.argv[2])
import a
m, f, x = torch.jit.load(sys.argv[1]), torch.jit.script(a.f), torch.from_numpy(np.load(sys.argv[3]))
for scale in (0.1, 10.0, 30.0):
    for y in (None, 3):
        got, want = m(x * scale, y, [1, 2]), f(x * scale, y, [1, 2])
        assert got[2] == want[2] and torch.equal(got[0], want[0]), (got, want)
        assert torch.equal(got[1], want[1]), (got, want)
"""


@torch_needed
def test_control_flow_agrees_with_torch(archive_path, tmp_path):
    np.save(tmp_path / "x.npy", np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3))
    torch_runs(CONTROL, archive_path, tmp_path, tmp_path / "x.npy")


@torch_needed
@pytest.mark.parametrize("kind", ["script", "trace"])
@pytest.mark.parametrize("name", NAMES)
def test_frozen_modules_agree_here_and_in_torch(models, tmp_path, name, kind):
    ours("freeze", models / f"{name}.{kind}.pt", "--out", tmp_path / "frozen.pt")
    ours("run", tmp_path / "frozen.pt", "--in", models / f"{name}.npy", "--out", tmp_path / "here")
    torch_runs(CALL, tmp_path / "frozen.pt", tmp_path, models / f"{name}.npy")
    wanted = [np.load(p) for p in sorted(models.glob(f"{name}.out*.npy"))]
    for got in (
        outputs(tmp_path / "here"),
        [np.load(p) for p in sorted(tmp_path.glob("torch*.npy"))],
    ):
        assert wanted and len(got) == len(wanted)
        for g, w in zip(got, wanted):
            assert_close(g, w)
    with zipfile.ZipFile(tmp_path / "frozen.pt") as z:
        kept = [n for n in z.namelist() if n.startswith("archive/data/")]
    assert not kept, "tensors that do not change are constants"


def test_hostile_archives_are_refused(archive_path, tmp_path):
    whole = archive_path.read_bytes()
    for n in range(0, len(whole), 97):
        (tmp_path / "cut.pt").write_bytes(whole[:n])
        done = subprocess.run(
            [BINARY, "run", str(tmp_path / "cut.pt")], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 1 and "cut.pt" in done.stderr
