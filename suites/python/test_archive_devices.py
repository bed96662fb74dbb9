"""Devices in archives: whatever way a program holds one, saving what was loaded gives the same
bytes, here and in PyTorch it gives what CPython gives, and what PyTorch scripts, traces and freezes
with devices in it runs here.

Needs Debian's python3-torch (1.13.1) under /usr/bin/python3; ci/setup.sh --peers installs it.
"""

import re
import subprocess
import zipfile
from pathlib import Path

import pytest
from under_test import BINARY, PYTHON, torch_needed

PROGRAMS = Path(__file__).parent / "archive_programs"
FUNCTIONS = re.findall(r"^def (\w+)\(n: int\)", (PROGRAMS / "devices.py").read_text(), re.M)
MODULES = re.findall(r"^class (\w+)\(nn", (PROGRAMS / "device_modules.py").read_text(), re.M)
INPUTS = (2, 5)

# FOLDER LOADED...: each function and module against its archives; FOLDER alone: PyTorch's own
# archives are written there.
TORCH = """
import inspect, sys, torch
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import device_modules, devices
folder, loaded = Path(sys.argv[2]), sys.argv[3:]
x = torch.arange(6.).reshape(2, 3)

def same(a, b):
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and torch.equal(a, b)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and same(list(a.values()), list(b.values()))
    return type(a) is type(b) and a == b

def module(name):
    made = getattr(device_modules, name)().eval()
    if hasattr(made, "lin"):
        torch.nn.init.constant_(made.lin.weight, 0.5), torch.nn.init.constant_(made.lin.bias, 0.25)
    return made

for path in map(Path, loaded):
    name = path.stem.split("-")[0]
    archive = torch.jit.load(str(path))
    if hasattr(devices, name):
        for n in (2, 5):
            want, got = getattr(devices, name)(n), archive(n)
            assert same(want, got), (name, n, want, got)
    else:
        made = module(name)
        made.load_state_dict({**made.state_dict(), **archive.state_dict()})
        archive.eval() if hasattr(archive, "training") else None
        assert "frozen" in path.stem and name == "Chosen" or same(made(x), archive(x)), path

# TorchScript has no torch.cuda.is_available, nor devices of the file
beyond = ("chosen", "asked", "of_file")
if not loaded:
    functions = [(name, f) for name, f in vars(devices).items() if inspect.isfunction(f)]
    for name, f in functions:
        if list(inspect.signature(f).parameters) == ["n"] and name not in beyond:
            torch.jit.script(f).save(str(folder / (name + ".pt")))
    for name in ("Plain", "Chosen", "Held", "Compared", "Given"):
        made = module(name)
        torch.jit.trace(made, x).save(str(folder / (name + "-traced.pt")))
        if name != "Held":  # it cannot tell the types of lists of devices
            torch.jit.script(made).save(str(folder / (name + "-scripted.pt")))
            torch.jit.freeze(torch.jit.script(made)).save(str(folder / (name + "-frozen.pt")))
"""


def ours(*arguments, code=0):
    done = subprocess.run(
        ["nice", BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == code, done.stderr
    return done


def torch_runs(folder, *archives):
    done = subprocess.run(
        ["nice", PYTHON, "-W", "ignore", "-c", TORCH, PROGRAMS, folder, *archives],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def saved_again(archive):
    again = archive.with_name(archive.stem + "-again.pt")
    assert ours("save", archive, "--out", again).stderr == ""
    return again


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """Of each function and module: saved from source, and frozen."""
    folder = tmp_path_factory.mktemp("devices")
    out = []
    for name in FUNCTIONS:
        out.append(folder / f"{name}.pt")
        assert ours("save", PROGRAMS / "devices.py", "--fn", name, "--out", out[-1]).stderr == ""
    for name in MODULES:
        out += [folder / f"{name}-saved.pt", folder / f"{name}-frozen.pt"]
        assert (
            ours(
                "save",
                PROGRAMS / "device_modules.py",
                "--module",
                f"{name}()",
                "--eval",
                "--out",
                out[-2],
            ).stderr
            == ""
        )
        ours("freeze", out[-2], "--out", out[-1])
    return out


def test_saving_what_was_loaded_gives_the_same_bytes(archives):
    assert len(archives) > 40
    for path in archives:
        assert saved_again(path).read_bytes() == path.read_bytes(), path.stem


def test_archives_run_as_their_source_does(archives, tmp_path):
    for path in archives:
        name = path.stem.split("-")[0]
        if name in MODULES:
            ours(
                "run",
                PROGRAMS / "device_modules.py",
                "--module",
                f"{name}()",
                "--eval",
                "--rand",
                "f32[2,3]",
                "--out",
                tmp_path / "a",
            )
            ours("run", path, "--rand", "f32[2,3]", "--out", tmp_path / "b")
            assert (tmp_path / "a/out0.npy").read_bytes() == (
                tmp_path / "b/out0.npy"
            ).read_bytes(), path.stem
            continue
        for n in INPUTS:
            want = ours("run", PROGRAMS / "devices.py", "--fn", name, "--arg", n).stdout
            for plan in ("eager", "vm/o2"):
                assert ours("run", path, "--arg", n, "--plan", plan).stdout == want, (name, plan)


@torch_needed
def test_archives_agree_with_cpython_in_torch(archives, tmp_path):
    torch_runs(tmp_path, *archives, *map(saved_again, archives))


@torch_needed
def test_what_torch_saves_with_devices_runs_here(tmp_path):
    torch_runs(tmp_path)
    net_ = sorted(tmp_path.glob("*.pt"))
    assert len(net_) > 40
    saved = []
    for path in net_:
        first = path.with_name(path.stem + "-ours.pt")
        assert ours("save", path, "--out", first).stderr == ""
        saved += [first, saved_again(first)]
        assert saved[-1].read_bytes() == first.read_bytes(), path.stem
        ours(
            "run",
            first,
            *(("--rand", "f32[2,3]") if path.stem.split("-")[0] in MODULES else ("--arg", 5)),
        )
    torch_runs(tmp_path, *saved)


def test_other_devices_are_refused_when_they_are_reached(tmp_path):
    source = tmp_path / "gpu.py"
    source.write_text(
        "import torch\n"
        "def moved(n: int):\n    x = torch.ones(n)\n    if n > 3:\n        x = x.cuda()\n"
        "    return x\n"
        "def made(n: int):\n    x = torch.ones(n)\n    if n > 3:\n"
        "        x = torch.rand(n, device='cuda:1')\n    return x\n"
        "def named(n: int):\n    return torch.device('cpu' if n < 3 else 'gpu')\n"
    )
    for name, says in (
        ("moved", "no device 'cuda'"),
        ("made", "no device 'cuda:1'"),
        ("named", "'gpu' is no device"),
    ):
        archive = tmp_path / f"{name}.pt"
        ours("save", source, "--fn", name, "--out", archive)
        assert saved_again(archive).read_bytes() == archive.read_bytes()
        ours("run", archive, "--arg", 2)
        assert says in ours("run", archive, "--arg", 5, code=1).stderr


def test_bad_devices_of_strangers_are_errors(tmp_path):
    source, archive, changed = tmp_path / "m.py", tmp_path / "m.pt", tmp_path / "changed.pt"
    source.write_text(
        "import torch\nfrom torch import nn\n"
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.d = torch.device('cuda:1')\n"
        "    def forward(self, x):\n        return x + int(self.d == torch.device('cuda:2'))\n"
    )
    ours("save", source, "--module", "M()", "--out", archive)
    assert ours("run", archive, "--rand", "f32[2]").stdout == "out0: f32[2]\n"
    for suffix, wanted in (("data.pkl", b"cuda:1"), (".py", b"cuda:2")):
        for name in (b"gpu:00", b"cpu:-1", b"cud:12", b"cuda:x"):
            with zipfile.ZipFile(archive) as old, zipfile.ZipFile(changed, "w") as new:
                for entry in old.namelist():
                    text = old.read(entry)
                    assert not entry.endswith("m/" + suffix) or wanted in text
                    new.writestr(
                        entry, text.replace(wanted, name) if entry.endswith(suffix) else text
                    )
            assert (
                f"'{name.decode()}' is no device"
                in ours("run", changed, "--rand", "f32[2]", code=1).stderr
            )
