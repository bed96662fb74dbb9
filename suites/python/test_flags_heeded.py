"""No flag is dropped without a word: what it is about is heeded, or it is refused where it means
nothing."""

import subprocess

import numpy as np
import pytest
from under_test import BINARY

DROPS = """import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.5)
    def forward(self, x):
        return self.drop(x)
"""
SIMPLE = "def f(x):\n    return x.relu()\n"


def run(*args):
    return subprocess.run([BINARY, *map(str, args)], capture_output=True, text=True, timeout=200)


def ok(*args):
    done = run(*args)
    assert done.returncode == 0, (args, done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """One program of each kind; the module of the archive drops."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "net.py").write_text(DROPS)
    (folder / "f.py").write_text(SIMPLE)
    ok("save", folder / "net.py", "--module", "Net()", "--out", folder / "net.pt")
    (folder / "f.ir").write_text(ok("opt", folder / "f.py"))
    (folder / "f.case").write_text(ok("gen", "--runs=1", "--seed=1", "--policy=scalars"))
    np.save(folder / "x.npy", np.ones(1000, np.float32))
    return folder


def drops(files, archive, *flags):
    out = files / "dropped"
    ok("run", archive, "--plan", "eager", "--in", files / "x.npy", "--out", out, *flags)
    return bool((np.load(out / "out0.npy") == 0).any())


def test_an_archive_in_eval_mode(files):
    """run, opt, save and check; freeze refuses a module in training mode."""
    archive, still = files / "net.pt", files / "still.pt"
    assert drops(files, archive) and not drops(files, archive, "--eval")
    ok("save", archive, "--eval", "--out", still)
    assert not drops(files, still)
    assert "training mode" in run("freeze", archive, "--out", files / "frozen.pt").stderr
    ok("freeze", still, "--out", files / "frozen.pt")
    check = (
        "check",
        archive,
        "--eval",
        "--rand",
        "f32[100]",
        "--inputs=1",
        "--oracle=differential",
        "--plan=vm/o2",
    )
    assert "| ok |" in ok(*check, "--out", files / "eval")


REFUSED = [  # command without its file, files that it is refused for, what is said
    (["run", "--eval", "--rand=f32[3]"], ["f.py", "f.ir", "f.case"], "--eval is of a module"),
    (["opt", "--eval"], ["f.py", "f.ir", "f.case"], "--eval is of a module"),
    (["save", "--eval", "--out=x.pt"], ["f.py", "f.ir", "f.case"], "--eval is of a module"),
    (["check", "--eval", "--out=x"], ["f.py", "f.ir", "f.case"], "--eval is of a module"),
    (
        ["check", "--state=x", "--out=x"],
        ["f.py", "f.ir", "f.case", "net.pt"],
        "--state 'x' is of a --module",
    ),
    (["run", "--state=x"], ["f.py", "f.ir", "f.case", "net.pt"], "--state 'x' is of a --module"),
    (
        ["save", "--state=x", "--out=x.pt"],
        ["f.py", "f.ir", "net.pt"],
        "--state 'x' is of a --module",
    ),
    (
        ["run", "--method=forward"],
        ["f.py", "f.ir", "f.case", "net.pt"],
        "--method 'forward' is of a --module",
    ),
    (
        ["check", "--method=forward", "--out=x"],
        ["f.py", "f.ir", "f.case", "net.pt"],
        "--method 'forward' is of a --module",
    ),
    (
        ["save", "--method=forward", "--module=Net()", "--out=x.pt"],
        ["net.py"],
        "a module is saved whole",
    ),
    (["run", "--module=Net()"], ["f.ir", "f.case", "net.pt"], "only a .py script has modules"),
    (
        ["check", "--module=Net()", "--out=x"],
        ["f.ir", "f.case", "net.pt"],
        "only a .py script has modules",
    ),
    (["run", "--fn=f"], ["f.ir", "f.case"], "have named functions"),
    (["check", "--fn=f", "--out=x"], ["f.ir", "f.case"], "have named functions"),
    (["run", "--fn=nothing"], ["f.py", "net.pt"], "'nothing'"),
    (["run", "--seed=3", "--arg=1.0"], ["f.py", "f.ir", "net.pt"], "--seed is of --rand"),
    (["opt", "--seed=3"], ["f.py", "f.ir", "f.case", "net.pt"], "--seed is of --rand"),
    (
        ["save", "--seed=3", "--out=x.pt"],
        ["f.py", "net.pt"],
        "--seed is of the initial values of a --module",
    ),
    (
        ["run", "--typed", "--plan=eager", "--rand=f32[3]"],
        ["f.py", "f.ir", "net.pt"],
        "'eager' has none",
    ),
    (["run", "--typed", "--grad", "--rand=f32[3]"], ["f.py", "f.ir"], "'eager' has none"),
    (["run", "--leaves=parameters", "--rand=f32[3]"], ["f.py"], "--leaves requires --grad"),
    (["run", "--rand=f32[3]", "--rand=f32[3]"], ["f.py", "f.ir"], "takes 1 inputs, got 2"),
    (["run", "--rand=f32[3]", "--rand=f32[3]"], ["net.pt"], "takes 2 inputs, got 3"),
    (["run", "--in=x.npy", "--rand=f32[3]"], ["f.py"], "takes 1 inputs, got 2"),
    (
        ["check", "--rand=f32[3]", "--rand=f32[3]", "--out=x"],
        ["f.py", "f.ir", "net.pt"],
        "takes 1 inputs, got 1 more",
    ),
    *(
        (["opt", flag], ["f.py", "f.ir", "f.case", "net.pt"], "is about passes")
        for flag in ("--fuel=3", "--log", "--stats", "--verify")
    ),
    (["opt", "--rand=f32[3]"], ["f.py", "f.ir"], "require --typed"),
    (
        ["opt", "--typed", "--graph-for=jit/o2", "--rand=f32[3]"],
        ["f.py"],
        "--typed excludes --graph-for",
    ),
    (["opt", "--transform=x"], ["f.py"], "--transform requires --kernels"),
    (["freeze", "--eval", "--out=x.pt"], ["f.py", "f.ir"], "not a zip archive"),
]


@pytest.mark.parametrize(
    "words, names, message", REFUSED, ids=[" ".join(words) for words, _, _ in REFUSED]
)
def test_what_means_nothing_is_refused(files, words, names, message):
    for name in names:
        done = subprocess.run(
            [BINARY, words[0], files / name, *words[1:]],
            cwd=files,
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.returncode == 1 and message in done.stderr, (name, done.returncode, done.stderr)
    assert not (files / "x").exists() and not (files / "x.pt").exists()


@pytest.mark.parametrize("verb", ["repro", "bisect", "reduce"])
def test_flags_that_a_case_has_no_use_for(files, verb):
    """Said whether or not the case fails."""
    assert (
        "f.case is not about another build"
        in run(verb, files / "f.case", "--against", BINARY).stderr
    )
    if verb != "repro":
        assert (
            "--budget: '-1s' is not a duration"
            in run(verb, files / "f.case", "--budget=-1s").stderr
        )


def test_programs_that_are_no_scripts_are_said(files):
    lines = ok("gen", "--format=script", "--policy=chains", "--runs=3").splitlines()
    assert len(lines) == 3 and all(
        line.startswith("# a graph, no script: seed=1 index=") for line in lines
    ), lines
    assert "def " in ok("gen", "--format=script", "--policy=source")
    for form in ("ir", "script", "python", "none"):
        done = run("gen", f"--format={form}", "--calls=3")
        assert (
            done.returncode == 1 and f"--calls: --format {form} prints no inputs" in done.stderr
        ), done.stderr
    assert ok("gen", "--calls=3", "--policy=chains").count("call:") == 3


def test_a_folder_is_no_array(files):
    for path, said in (
        (files, "it is a folder, not an .npy file"),
        ("/dev/null", "it is a device, not an .npy file"),
    ):
        done = run("run", files / "f.py", "--in", path)
        assert done.returncode == 1 and f"cannot read '{path}': {said}" in done.stderr, done.stderr


def test_flags_of_what_is_not_done(files):
    done = run("planted", "--filter=(")
    assert done.returncode == 1 and "--filter: '(' is not a regular expression" in done.stderr, (
        done.stderr
    )
    assert (
        "--builds is of --against"
        in run("fuzz", "--builds=x", "--runs=1", "--out", files / "x").stderr
    )
    assert (
        "none of the plans has any"
        in run("bench", "--typed", "--plan=eager", "--out", files / "x.json").stderr
    )
