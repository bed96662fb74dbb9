"""Verbs on one saved case or one script, at their worst: exit codes, bad cases, words and
positions, sizes beyond the machine."""

import pytest
from under_test import ENDLESS, SOON, error, run

RAISES = """fusillade case 1
oracle: valid
plan: vm
program:
  graph(%x : Tensor, %y : Tensor):
    %a : Tensor = aten::exp(%x)
    %m : Tensor = aten::mm(%a, %y)
    %b : Tensor = aten::exp(%m)
    return (%b)
call:
    x = f32[2, 3] {1, 2, 3, 4, 5, 6}
    y = f32[2, 1] {1, 2}
end
"""
FINE = """fusillade case 1
oracle: differential
plan: vm/o2
program:
  graph(%x : Tensor):
    %a : Tensor = aten::exp(%x)
    return (%a)
call:
    x = f32[3] {1, 2, 3}
end
"""


def test_exit_codes_of_one_case(tmp_path):
    bad, fine = tmp_path / "raises.case", tmp_path / "fine.case"
    bad.write_text(RAISES)
    fine.write_text(FINE)
    assert run("repro", fine).returncode == 0
    assert run("repro", bad).returncode == 77
    assert run("repro", fine, bad).returncode == 77
    endless = tmp_path / "endless.case"
    endless.write_text(
        "fusillade case 2\noracle: differential\nplan: vm\nscript:\n"
        + "".join(f"  {line}\n" for line in ENDLESS.splitlines())
        + "call:\n  n = 1\nend\n"
    )
    assert run("repro", SOON, endless).returncode == 70
    large = tmp_path / "large.case"
    large.write_text(
        FINE.replace("f32[3] {1, 2, 3}", "f32[4000000] philox(seed=1, offset=0, kind=normal)")
    )
    done = run("repro", "--rss-limit-mb=20", large)  # eager mode itself has no room: nobody's fault
    assert done.returncode == 0 and "skip (out of memory under the limit)" in done.stdout, (
        done.stdout
    )
    assert run("bisect", fine).returncode == 0
    done = run("bisect", bad)
    assert done.returncode == 77 and "blame: operator aten::mm" in done.stdout
    done = run("reduce", "--out", tmp_path / "small.case", bad)
    assert done.returncode == 77 and "3 -> 1 operator nodes" in done.stdout, done.stdout
    assert run("repro", tmp_path / "small.case").returncode == 77
    assert run("reduce", fine).returncode == 0
    shown = run("show", bad)
    assert shown.returncode == 0
    (tmp_path / "again.case").write_text(shown.stdout)
    assert run("show", tmp_path / "again.case").stdout == shown.stdout


@pytest.mark.parametrize("verb", ["repro", "bisect", "reduce", "show"])
def test_bad_cases(tmp_path, verb):
    f = tmp_path / "c.case"
    for text, says in [
        (FINE[:-4], "c.case:10:"),
        (FINE[:60], "c.case:"),
        (FINE.replace("f32[3]", "f33[3]"), "c.case:9:"),
        (FINE.replace("vm/o2", "vm/o9"), "o9"),
        (FINE.replace("differential", "diferential"), "differential"),
        (FINE.replace("case 1", "case 7"), "version 7"),
        (FINE.replace("aten::exp", "aten::exq"), "c.case:6:"),
        ("", "c.case:1:"),
        ("\x00\xff" * 50, "c.case:1:"),
    ]:
        f.write_text(text, encoding="latin-1")
        if verb == "show" and ("o9" in says or says == "differential"):
            continue
        assert says in error(verb, f), text
    assert "none.case" in error(verb, tmp_path / "none.case")
    assert str(tmp_path) in error(verb, tmp_path)


def test_bad_words(tmp_path):
    out = tmp_path / "out"
    assert "did you mean" in error("fuz", "--out", out)
    assert "--max-total-time" in error("fuzz", "--max-totl-time=3", "--out", out)
    assert "an end" in error("fuzz", "--out", out)
    assert "nosuch" in error("fuzz", "--runs=1", "--plan=vm/nosuch", "--out", out)
    assert "default set" in error("fuzz", "--runs=1", "--plan=-vm/nosuch", "--out", out)
    assert "policy" in error("fuzz", "--runs=1", "--policy=mixd", "--out", out)
    assert "differential" in error("fuzz", "--runs=1", "--oracle=diferential", "--out", out)
    assert "duration" in error("fuzz", "--max-total-time=soon", "--out", out)
    for seed in ("-1", "18446744073709551616", "1e3", ""):
        assert "--seed" in error("fuzz", "--runs=1", f"--seed={seed}", "--out", out)
    assert "--runs" in error("gen", "--runs=-1")
    assert not out.exists()


def test_bad_places(tmp_path):
    (tmp_path / "file").write_text("x")
    assert "file" in error("fuzz", "--runs=1", "--out", tmp_path / "file")
    assert "sub" in error("fuzz", "--runs=1", "--out", tmp_path / "file/sub")
    assert "/proc" in error("fuzz", "--runs=1", "--out", "/proc/nothing")
    fine = tmp_path / "fine.case"
    fine.write_text(RAISES)
    assert "/proc" in error("reduce", "--out", "/proc/nothing/x.case", fine)
    assert "/proc" in error("run", fine, "--out", "/proc/nothing")
    assert "a folder" in error("bench", "--out", tmp_path)
    assert "a device" in error("show", "/dev/zero")
    (tmp_path / "zero.pt").symlink_to("/dev/zero")
    assert "a device" in error("freeze", tmp_path / "zero.pt", "--out", tmp_path / "x.pt")


HUGE = """
import torch
def cat(x):
    e = x[0:1].expand([1 << 62])
    return torch.cat([e, e, e, x], 0)
def mm(x):
    return torch.mm(torch.zeros([(1 << 32) + 1, 0]), torch.zeros([0, 1 << 32]))
def zeros(x):
    return torch.zeros([0, 1 << 62, 1 << 62])
def bytes_wrap(x):
    return torch.zeros([1 << 62])
def copied(x):
    return x[0:1].expand([1 << 62]).clone()
def doubled(x):
    return x[0:1].expand([1 << 31, 1 << 31]) * 2
def summed(x):
    return torch.zeros([0, 1 << 62]).sum(0)
def normalised(x):
    return torch.softmax(x[0:1].expand([1 << 62]), 0)
def in_a_row(x):
    return torch.zeros([0, 1 << 62]).logsumexp(1)
"""


def test_huge_sizes_are_refused(tmp_path):
    f = tmp_path / "huge.py"
    f.write_text(HUGE)
    for name in ("cat", "mm", "zeros"):
        assert "63 bits" in error("run", f, "--fn", name, "--rand", "f32[3]") or name == "mm"
    for name in ("bytes_wrap", "copied", "doubled", "summed", "normalised"):
        for plan in ("eager", "vm/o2,fuse(loopnest,llvm)"):
            said = error("run", f, "--fn", name, "--rand", "f32[3]", "--plan", plan)
            assert "too large" in said, (name, plan, said)
    # no row at all: an empty result, or it is too much to ask
    for plan in ("eager", "vm/o2,fuse(loopnest,llvm)"):
        done = run("run", f, "--fn", "in_a_row", "--rand", "f32[3]", "--plan", plan)
        assert (
            "f32[0]" in done.stdout if done.returncode == 0 else "out of memory" in done.stderr
        ), (plan, done)
    assert "too large" in error("run", f, "--fn", "cat", "--rand", "f32[4611686018427387904]")
    assert "63 bits" in error("run", f, "--fn", "cat", "--rand", "f32[0,4611686018427387904,4]")
    assert "more memory" in error("run", f, "--fn", "cat", "--rand", "f32[100000000000]")
    header = (
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 9223372036854775807, "
        b"9223372036854775807), }\n"
    )
    npy = tmp_path / "huge.npy"
    npy.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    assert "huge.npy" in error("run", f, "--fn", "cat", "--in", npy)
    case = tmp_path / "huge.case"
    case.write_text(
        FINE.replace("f32[3] {", "f32[0, 4611686018427387904, 4611686018427387904] {} #")
    )
    assert "huge.case:9:" in error("repro", case)


def test_unsupported_script_shows_the_line(tmp_path):
    f = tmp_path / "s.py"
    f.write_text(
        "def f(x):\n    y = x + 1\n    with open('a') as g:\n        y = y + 1\n    return y\n"
    )
    text = error("run", f, "--rand", "f32[2]")
    assert "s.py" in text and "3" in text and "with" in text
