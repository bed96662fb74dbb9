"""One's own programs: `fusillade check` and `fusillade fuzz --seeds`."""

import json
import re
import signal
import subprocess

import numpy as np
import pytest
from under_test import BINARY, ROOT, programs_so_far, wait_until

PROGRAMS = ROOT / "bench/programs"
PRODUCT = """import torch
def helper(x: torch.Tensor) -> torch.Tensor:
    return x.relu() + 1
def f(x: torch.Tensor, w: torch.Tensor, scale: float = 0.5):
    return helper(x @ w) * scale
def later(x: torch.Tensor):
    return x - 1
"""


def fusillade(*args, **kwargs):
    return subprocess.run(
        [BINARY, *map(str, args)], capture_output=True, text=True, timeout=300, **kwargs
    )


def campaign(folder):
    return json.loads((folder / "campaign.json").read_text())


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "product.py"
    path.write_text(PRODUCT)
    return path


def test_a_script_is_judged_by_every_oracle(tmp_path, script):
    out = tmp_path / "out"
    r = fusillade("check", script, "--fn", "f", "--inputs", 16, "--out", out)
    assert r.returncode == 0, r.stderr
    c = campaign(out)
    assert c["given"][0]["accepted_draws"] > 0
    assert c["yield"] > 0.8
    oracles = {
        line.split()[0] for line in fusillade("list", "oracles").stdout.splitlines() if line.strip()
    }
    about_others = {
        "valid",
        "python",
        "compiled",
        "conformance",
        "peer_gradient",
        "against",
        "scaling",
        "speed",
        "whole_python",
        "plain_python",
        "plain_gradient",
    }
    assert c["programs"] == 2 * len(oracles - about_others)  # 16 draws, eight to a judgement


def test_the_module_is_lifted(tmp_path):
    out = tmp_path / "out"
    r = fusillade(
        "check",
        PROGRAMS / "modules/lstm_module.py",
        "--module",
        "Layer(5, 7)",
        "--rand",
        "f32[6,3,5]",
        "--inputs",
        8,
        "--oracle",
        "differential",
        "--out",
        out,
    )
    assert r.returncode == 0, r.stderr
    assert campaign(out)["elements"]["compared"] > 1000
    archive = tmp_path / "layer.pt"
    assert (
        fusillade(
            "save", PROGRAMS / "modules/lstm_module.py", "--module", "Layer(5, 7)", "--out", archive
        ).returncode
        == 0
    )
    r = fusillade(
        "check", archive, "--inputs", 8, "--oracle", "differential", "--out", tmp_path / "archive"
    )
    assert r.returncode == 0, r.stderr


def test_a_program_that_does_not_end_is_a_finding(tmp_path):
    path = tmp_path / "hang.py"
    path.write_text("def f(x):\n    i = 0\n    while i >= 0:\n        i = 1 - i\n    return x\n")
    out = tmp_path / "out"
    r = fusillade(
        "check", path, "--timeout", "0.5", "--inputs", 1, "--oracle", "differential", "--out", out
    )
    assert r.returncode == 2, r.stderr
    assert "eager mode does not end in time: still in the loop at " in r.stderr
    assert f"{path}:3:4 after 0.5 s" in r.stderr
    (finding,) = (out / "findings").iterdir()
    assert fusillade("repro", finding / "reduced.case", "--timeout", "0.5").returncode == 70
    r = fusillade(
        "check", path, "--timeout", "0.5", "--inputs", 1, "--oracle", "differential", "--out", out
    )
    assert r.returncode == 1 and "--resume" in r.stderr


def test_where_no_input_is_accepted_it_is_said(tmp_path):
    path = tmp_path / "never.py"
    path.write_text("def f(x):\n    raise ValueError('never')\n    return x\n")
    r = fusillade("check", path, "--inputs", 8, "--out", tmp_path / "out")
    assert r.returncode == 3, r.stdout
    assert "no input was accepted" in r.stderr and "never" in r.stderr


def test_any_function_of_a_script_is_judged_as_a_script(tmp_path):
    path = tmp_path / "two.py"
    path.write_text(
        "def f(n: int) -> int:\n    return n + 1\n\ndef g(n: int) -> int:\n    return n * 2\n\n"
        'def never(n: int) -> int:\n    return int("9" * 40)\n'
    )
    for function, code in (("f", 0), ("g", 0), ("never", 3)):
        out = tmp_path / function
        r = fusillade(
            "check", path, "--fn", function, "--inputs", 8, "--oracle", "python", "--out", out
        )
        assert r.returncode == code, r.stdout + r.stderr
    assert "OverflowError: a number of 40 digits does not fit 64 bits" in r.stderr


@pytest.mark.parametrize(
    "files, flags, message",
    [
        ({"a.py": "def f(x):\n    return x +\n"}, [], "a.py:2"),
        ({"a.pt": "PK junk"}, [], "too short for a zip"),
        ({"a.case": "fusillade case 1\nprogram:\n"}, [], "a.case"),
        ({"a.ir": "graph(%x : Tensor)"}, [], "a.ir"),
        ({"a.txt": ""}, [], "must end in .py"),
        ({}, [], "No such file"),
        ({"a.py": PRODUCT}, [], "choose one with --fn"),
        ({"a.py": PRODUCT}, ["--fn", "g"], "has no function 'g'"),
        ({"a.py": PRODUCT}, ["--fn", "helper", "--rand", "f32[2"], "--rand 'f32[2'"),
        (
            {"a.py": PRODUCT},
            ["--fn", "helper", "--rand", "f32[2,2]", "--rand", "f32[2]"],
            "takes 1 inputs, got 1 more",
        ),
        ({"a.py": PRODUCT}, ["--fn", "helper", "--rand", "f32[99999999999,99999999999]"], "--rand"),
        ({"a.py": PRODUCT}, ["--fn", "helper", "--plan", "nope"], "unknown engine 'nope'"),
        ({"a.py": PRODUCT}, ["--fn", "helper", "--oracle", "nope"], "no oracle 'nope'"),
        ({"a.py": PRODUCT}, ["--fn", "helper", "--oracle", "python"], "these do: adjoint"),
        ({"a.py": PRODUCT}, ["--fn", "helper", "--inputs", "0"], "--inputs"),
        ({"a.py": PRODUCT}, ["--fn", "helper", "--timeout", "0"], "--timeout"),
        (
            {"a.py": "from typing import Any\ndef f(x: Any):\n    return 1\n"},
            [],
            "give one by --arg",
        ),
    ],
)
def test_bad_input_is_an_error(tmp_path, files, flags, message):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    name = next(iter(files), "a.py")
    r = fusillade("check", tmp_path / name, "--out", tmp_path / "out", *flags)
    assert r.returncode == 1, r.stdout + r.stderr
    assert message in r.stderr
    assert not (tmp_path / "out").exists()


def test_arguments_fix_values(tmp_path):
    path = tmp_path / "index.py"
    path.write_text("def f(x, i: int):\n    return x[i]\n")
    out = tmp_path / "out"
    r = fusillade(
        "check",
        path,
        "--rand",
        "f64[3,4]",
        "--arg",
        "i=2",
        "--inputs",
        8,
        "--oracle",
        "differential",
        "--out",
        out,
    )
    assert r.returncode == 0, r.stderr
    assert campaign(out)["verdicts"]["skip"] == {}


def test_a_strangers_script_reaches_nothing(tmp_path):
    mark = tmp_path / "mark"
    ways = [
        "import os\nos.system(MARK)\n",
        "open(MARK, 'w')\n",
        "import typing\ntyping.sys.modules['os'].system(MARK)\n",
        "class A:\n    y = ().__class__.__base__.__subclasses__()\n",
        "class A:\n    def __del__(self):\n        ().__class__\n",
    ]
    for i, way in enumerate(ways):
        path = tmp_path / f"way{i}.py"
        path.write_text(
            way.replace("MARK", repr(f"touch {mark}" if "system" in way else str(mark)))
            + "def f(x: int) -> int:\n    return x + 1\n"
        )
        r = fusillade(
            "check", path, "--oracle", "python", "--inputs", 1, "--out", tmp_path / f"out{i}"
        )
        assert not mark.exists(), way
        assert r.returncode in (1, 3), way + r.stdout  # refused here, or declined there: never run


def test_seeds(tmp_path, script):
    seeds = tmp_path / "seeds"
    (seeds / "deeper").mkdir(parents=True)
    (seeds / "product.py").write_text(PRODUCT)
    (seeds / "broken.pt").write_text("PK junk")
    (seeds / "broken.case").write_text("fusillade case 1\n")
    (seeds / "README.md").write_text("words")
    case = fusillade("gen", "--seed", 3, "--policy", "chains").stdout
    (seeds / "deeper/one.case").write_text(case)
    out = tmp_path / "out"
    args = ["fuzz", "--seeds", seeds, "--runs", 300, "--seed", 5, "--out", out]
    r = fusillade(*args)
    assert r.returncode == 0, r.stdout + r.stderr
    for name in ("broken.pt", "broken.case", "README.md"):
        assert name in r.stderr
    given = [g["file"].split("/")[-1] for g in campaign(out)["given"]]
    assert given == ["one.case", "product.py:helper", "product.py:f", "product.py:later"]
    # The same programs again; and another folder is another campaign.
    again = fusillade(
        "fuzz", "--seeds", seeds, "--runs", 300, "--seed", 5, "--out", tmp_path / "again"
    )
    assert again.returncode == 0
    assert campaign(out)["elements"] == campaign(tmp_path / "again")["elements"]
    (seeds / "product.py").write_text(PRODUCT.replace("+ 1", "+ 2"))
    r = fusillade(*args, "--resume")
    assert r.returncode == 1 and "--resume needs the same" in r.stderr


def test_without_seeds_there_is_no_campaign(tmp_path):
    (tmp_path / "empty").mkdir()
    for folder, message in (
        (tmp_path / "empty", "holds no program"),
        (tmp_path / "none", "No such file"),
    ):
        r = fusillade("fuzz", "--seeds", folder, "--runs", 5, "--out", tmp_path / "out")
        assert r.returncode == 1 and message in r.stderr


def test_an_interrupted_campaign_with_seeds_goes_on(tmp_path, script):
    args = [
        BINARY,
        "fuzz",
        "--seeds",
        str(tmp_path),
        "--runs",
        "4000",
        "--out",
        str(tmp_path / "out"),
    ]
    process = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_until(lambda: programs_so_far(tmp_path / "out"), process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=600)
    assert process.returncode in (72, 0)
    done = campaign(tmp_path / "out")["programs"]
    r = subprocess.run([*args, "--resume"], capture_output=True, text=True, timeout=300)
    assert r.returncode == 0, r.stderr
    assert campaign(tmp_path / "out")["programs"] == 4000 >= done


MUTE = "known: endless\n{}\nreason: it is meant to be\nowner: the tests\nuntil: 9999-12-31\n"


@pytest.mark.parametrize("predicate,mutes", [("verdict: hang", True), ("verdict: crash", False)])
def test_known_causes_do_not_count_in_a_check(tmp_path, predicate, mutes):
    path, known, out = tmp_path / "hang.py", tmp_path / "known", tmp_path / "out"
    path.write_text("def f(x):\n    i = 0\n    while i >= 0:\n        i = 1 - i\n    return x\n")
    known.write_text(MUTE.format(predicate))
    r = fusillade(
        "check",
        path,
        "--timeout",
        "0.5",
        "--inputs",
        1,
        "--oracle",
        "differential",
        "--known",
        known,
        "--out",
        out,
    )
    # Muted, and nothing else was compared: neither found nor vouched for.
    assert r.returncode == (3 if mutes else 2), r.stdout + r.stderr
    assert ("known endless: not seen in this campaign" in r.stderr) is not mutes
    assert [f["known"] for f in campaign(out)["findings"]] == ["endless" if mutes else None]


@pytest.mark.parametrize(
    "text,says",
    [("known: a\nblam: x\n", ":2: 'blam' is no field; did you mean blame"), (None, "none")],
)
def test_a_mute_list_with_a_mistake_is_refused_before_the_check(tmp_path, script, text, says):
    known = tmp_path / ("none" if text is None else "known")
    if text is not None:
        known.write_text(text)
    r = fusillade("check", script, "--fn", "f", "--known", known, "--out", tmp_path / "out")
    assert r.returncode == 1 and says in r.stderr, r.stdout + r.stderr
    assert not (tmp_path / "out").exists()


def test_an_argument_of_no_such_name_is_answered_by_the_names(tmp_path, script):
    r = fusillade("check", script, "--fn", "f", "--arg", "zz=3", "--out", tmp_path / "out")
    assert r.returncode == 1 and "zz" in r.stderr, r.stdout + r.stderr
    for name in ("x", "w", "scale"):
        assert re.search(rf"\b{name}\b", r.stderr.split("zz", 1)[1]), r.stderr
    assert not (tmp_path / "out").exists()


def test_functions_that_are_left_out_of_seeds_are_named_with_the_reason(tmp_path):
    seeds = tmp_path / "seeds"
    seeds.mkdir()
    (seeds / "both.py").write_text(
        "from typing import Any\ndef good(x):\n    return x + 1\ndef any(x: Any):\n    return 1\n"
        "def other(x: Any, y):\n    return 2\n"
    )
    r = fusillade(
        "fuzz",
        "--seeds",
        seeds,
        "--runs",
        20,
        "--seed",
        5,
        "--min-yield",
        0,
        "--out",
        tmp_path / "out",
    )
    assert r.returncode == 0, r.stdout + r.stderr
    (line,) = [line for line in r.stderr.splitlines() if "left out" in line]
    assert "both.py: 2 of 3 functions left out: any: " in line and "; other: " in line, line
    assert [g["file"].split("/")[-1] for g in campaign(tmp_path / "out")["given"]] == [
        "both.py:good"
    ]


@pytest.mark.parametrize(
    "words,said",
    [(["--arg", "3"], "declared is Tensor"), (["--method", "nope"], "is of a --module")],
)
def test_what_does_not_fit_the_function_is_an_error(words, said, tmp_path):
    (tmp_path / "a.py").write_text("def f(x, y):\n    return (x * 1 + 0).relu() + y.sum()\n")
    run = fusillade(
        "check", tmp_path / "a.py", "--rand", "f32[3]", *words, "--out", tmp_path / "out"
    )
    assert run.returncode == 1 and said in run.stderr, run.stdout + run.stderr


@pytest.mark.parametrize(
    "text, name",
    [
        ("def f(x: int) -> List[int]:\n    return [x]\n", "List"),
        ("def f(x: int):\n    return math.floor(x / 2)\n", "math"),
    ],
)
def test_what_a_script_does_not_import_is_no_fault_of_ours(tmp_path, text, name):
    """The language knows such names without; Python raises."""
    path = tmp_path / "unimported.py"
    path.write_text(text)
    out = tmp_path / "out"
    r = fusillade(
        "check", path, "--inputs", 8, "--oracle", "python", "--oracle", "differential", "--out", out
    )
    assert r.returncode == 0, r.stdout + r.stderr
    assert f"the script does not import '{name}'" in r.stdout


def test_a_saved_case_without_imports_can_be_checked(tmp_path):
    case = ROOT / "suites/regress/archive-annotates-none.case"
    r = fusillade("check", case, "--inputs", 8, "--out", tmp_path / "out")
    assert r.returncode == 0, r.stdout + r.stderr


def test_a_program_that_does_not_end_is_one_hang_and_judged_no_more(tmp_path):
    """And the program next to it is judged to the last draw."""
    never, fine = tmp_path / "never.py", tmp_path / "fine.py"
    never.write_text(
        "import torch\ndef f(x: torch.Tensor):\n    while True:\n        x = x + 1\n    return x\n"
    )
    fine.write_text("import torch\ndef f(x: torch.Tensor):\n    return x + 1\n")
    ways = ("--oracle", "differential", "--oracle", "exact", "--oracle", "shapes", "--inputs", 16)
    alone = fusillade("check", fine, *ways, "--out", tmp_path / "alone")
    assert alone.returncode == 0, alone.stdout + alone.stderr
    r = fusillade("check", never, fine, *ways, "--timeout", "1s", "--out", tmp_path / "both")
    assert r.returncode == 2, r.stdout + r.stderr
    both = campaign(tmp_path / "both")
    if both["pending"]:  # on a busy machine the time for its triage may end first
        r = fusillade(
            "check", never, fine, *ways, "--timeout", "1s", "--out", tmp_path / "both", "--resume"
        )
        both = campaign(tmp_path / "both")
    assert (
        both["verdicts"]["hang"] == 1
        and len(list((tmp_path / "both/findings").glob("*/reduced.case"))) == 1
    )
    # the one that hung was not counted
    assert both["programs"] == campaign(tmp_path / "alone")["programs"]


NETWORK = """import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 5)
        self.words = nn.Embedding(40, 6)
        self.last = nn.Linear(600, 4)
    def forward(self, x, i):
        y = nn.functional.max_pool2d(self.conv(x), 2) + self.words(i).mean(1)[:, :, None, None]
        return self.last(y.flatten(1))
"""


@pytest.fixture
def network(tmp_path):
    """An archive that takes images of 24 x 24 and places within 40 rows."""
    (tmp_path / "net.py").write_text(NETWORK)
    archives = tmp_path / "archives"
    archives.mkdir()
    r = fusillade("save", tmp_path / "net.py", "--module", "Net()", "--out", archives / "net.pt")
    assert r.returncode == 0, r.stderr
    return archives / "net.pt"


def test_errors_give_the_sizes_that_an_archive_takes(tmp_path):
    out, network = tmp_path / "out", tmp_path / "archives/net.pt"
    network.parent.mkdir()
    images = NETWORK.replace("x, i)", "x)").replace(
        " + self.words(i).mean(1)[:, :, None, None]", ""
    )
    (tmp_path / "net.py").write_text(images)
    r = fusillade("save", tmp_path / "net.py", "--module", "Net()", "--out", network)
    assert r.returncode == 0, r.stderr
    r = fusillade("fuzz", "--seeds", network.parent, "--runs", 2, "--min-yield", 0, "--out", out)
    assert r.returncode == 0 and "not a seed" not in r.stderr, r.stdout + r.stderr
    r = fusillade(
        "check", network, "--inputs", 8, "--oracle", "differential", "--out", tmp_path / "check"
    )
    assert r.returncode == 0, r.stdout + r.stderr
    assert campaign(tmp_path / "check")["elements"]["compared"] > 100


def test_examples_beside_an_archive_give_its_inputs(tmp_path, network):
    numpy = pytest.importorskip("numpy")
    numpy.save(network.with_name("net.x0.npy"), numpy.ones((2, 3, 24, 24), "float32"))
    numpy.save(network.with_name("net.x1.npy"), numpy.full((2, 5), 39, "int64"))
    r = fusillade(
        "check", network, "--inputs", 8, "--oracle", "differential", "--out", tmp_path / "out"
    )
    assert r.returncode == 0, r.stdout + r.stderr
    numpy.save(network.with_name("net.x0.npy"), numpy.ones((2, 4, 24, 24), "float32"))
    numpy.save(network.with_name("net.x2.npy"), numpy.ones(1))
    r = fusillade("check", network, "--inputs", 8, "--out", tmp_path / "more")
    assert r.returncode == 1 and "takes 2 inputs" in r.stderr, r.stderr


def test_what_is_refused_is_reported_and_not_judged(tmp_path):
    path = tmp_path / "refused.py"
    path.write_text(
        "import torch\ndef f(x, y: int):\n    assert y > 1000, 'too small'\n    return x\n"
    )
    r = fusillade("check", path, "--inputs", 8, "--out", tmp_path / "out")
    assert r.returncode == 3, r.stdout + r.stderr
    for words in (
        "no input was accepted, so nothing of it is judged",
        "320 draws",
        "too small",
        "times: ",
        "x (Tensor), y (int)",
        "--rand 'f32[2,3]'",
        "--arg",
    ):
        assert words in r.stderr, (words, r.stderr)
    assert campaign(tmp_path / "out")["programs"] == 0


def test_inputs_that_are_all_given_and_refused_are_no_draws(tmp_path):
    path = tmp_path / "refused.py"
    path.write_text("def f(y: int):\n    assert y > 1000, 'too small'\n    return y\n")
    r = fusillade("check", path, "--arg", 3, "--out", tmp_path / "out")
    assert r.returncode == 3, r.stdout + r.stderr
    assert "the inputs given are refused" in r.stderr and "too small" in r.stderr
    assert "draws" not in r.stderr


def test_the_time_of_finding_inputs_is_reported(tmp_path):
    path = tmp_path / "f.py"
    path.write_text("def f(x):\n    return x + 1\n")
    r = fusillade("check", path, "--inputs", 8, "--oracle", "differential", "--out", tmp_path / "o")
    assert r.returncode == 0, r.stdout + r.stderr
    (given,) = campaign(tmp_path / "o")["given"]
    assert given["seconds_of_finding_inputs"] > 0
    sentence = f"finding inputs before them {given['seconds_of_finding_inputs']:.1f} s"
    assert sentence in r.stdout


def test_layouts_are_reported(tmp_path):
    path = tmp_path / "both.py"
    path.write_text("def f(x, y):\n    return x.sum() + y\n")
    words = (
        "--rand",
        "f32[4,5] strides=[1,4] offset=3",
        "--rand",
        "view of x offset=4 f32[2] strides=[3]",
    )
    assert fusillade("run", path, *words).returncode == 0
    r = fusillade("check", path, *words, "--inputs", 16, "--out", tmp_path / "out")
    assert r.returncode == 0, r.stdout + r.stderr


@pytest.mark.parametrize("body", ["x[i] + 1", "F.embedding(i, x)", "x.index_select(0, i)"])
def test_a_range_is_found_for_indices_whose_sizes_are_given(tmp_path, body):
    path = tmp_path / "rows.py"
    path.write_text(f"import torch.nn.functional as F\ndef f(x, i):\n    return {body}\n")
    words = ("--rand", "f32[5,3]", "--rand", "i64[4] strides=[2]", "--plan", "vm/o2")
    r = fusillade("check", path, *words, "--inputs", 16, "--out", tmp_path / "out")
    assert r.returncode == 0, r.stdout + r.stderr
    assert campaign(tmp_path / "out")["verdicts"]["ok"] > 20


def test_an_input_is_a_view_written_in_python(tmp_path):
    """Eager mode and every call of `check` see one memory under both names."""
    path = tmp_path / "both.py"
    path.write_text("def f(x, y):\n    y.add_(1)\n    return x\n")
    np.save(tmp_path / "x.npy", np.zeros((2, 3), np.float32))
    words = ("--in", tmp_path / "x.npy", "--in", "y = x.t()[1:]")
    r = fusillade("run", path, *words, "--out", tmp_path / "of")
    assert r.returncode == 0, r.stderr
    assert np.load(tmp_path / "of/out0.npy").tolist() == [[0, 1, 1], [0, 1, 1]]
    given = ("--rand", "f32[4,5]", "--in", "y = x[1:, 2]", "--inputs", 16)
    r = fusillade("check", path, *given, "--out", tmp_path / "out")
    assert r.returncode == 0, r.stdout + r.stderr


@pytest.mark.parametrize(
    "view, says",
    [
        ("y = x[", "this bracket is never closed"),
        ("y = x * 2", "no view of an input given before it"),
        ("y = 3", "it is no tensor"),
        ("y = w[1:]", "w"),
        ("z = x[1:]", "there is no argument 'z' (legal: x, y)"),
        ("x = x[1:]", "'x' is given twice"),
        ("y = x[9]", "index"),
        ("y = x\n    import os", "cannot"),
    ],
)
def test_a_wrong_view_is_an_error_that_names_the_flag(tmp_path, view, says):
    path = tmp_path / "both.py"
    path.write_text("def f(x, y):\n    return x.sum() + y.sum()\n")
    r = fusillade("check", path, "--rand", "f32[4]", "--in", view, "--out", tmp_path / "out")
    assert r.returncode == 1 and says in r.stderr, r.stderr


@pytest.mark.parametrize(
    "words, says",
    [
        (["f32[4] strides=[1,2]"], "2 strides for 1 sizes"),
        (["f32[4] strides=[-1]"], "stride '-1' is not a whole number >= 0"),
        (["f32[4] stride=[1]"], "'stride=[1]' is not expected here"),
        (["f32[4] offset=two"], "offset 'two' is not a whole number >= 0"),
        (["offset=1"], "or dtype[size,...], as in f32[4,5]"),
        (["f32[4] strides=[9223372036854775807]"], "more memory than there is"),
        (["f32[4]", "view of z f32[4]"], "no tensor 'z' is given before it (given: x)"),
        (["view of x f32[4]"], "(none is)"),
        (["f32[4]", "view of x i32[4]"], "'x' holds f32"),
        (["f32[4]", "view of x offset=1 f32[4]"], "ends behind element 5, the buffer of 'x' has 4"),
    ],
)
def test_a_wrong_layout_is_an_error_that_says_what_is_legal(tmp_path, words, says):
    path = tmp_path / "both.py"
    path.write_text("def f(x, y):\n    return x.sum() + y\n")
    given = [w for word in words for w in ("--rand", word)]
    r = fusillade("check", path, *given, "--out", tmp_path / "out")
    assert r.returncode == 1 and says in r.stderr and "--rand" in r.stderr, r.stderr
