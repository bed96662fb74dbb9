"""What is small to hold and endless to write out: values that lie in many others, programs that
print for ever, pipes into which nobody writes."""

import os

import pytest
from under_test import ROOT, error, run


def nested_lists(levels, end):
    lines = ["    a0 = [x, x]"]
    lines += [f"    a{i} = [a{i - 1}, a{i - 1}]" for i in range(1, levels)]
    return "\n".join(["def f(x):", *lines, "    " + end.format(last=f"a{levels - 1}")]) + "\n"


@pytest.fixture
def script(tmp_path):
    def write_script(text):
        path = tmp_path / "p.py"
        path.write_text(text)
        return path

    return write_script


def test_a_result_that_is_too_large_on_paper(script, tmp_path):
    path = script(nested_lists(60, "return {last}"))
    said = error("run", path, "--rand", "f32[2]")
    assert "written out, are more than 4000000 values" in said and "p.py" in said
    done = run("check", path, "--rand", "f32[2]", "--out", tmp_path / "out", "-j", "1")
    assert done.returncode == 3 and "so nothing of it is judged" in done.stderr
    assert "written out, are more than 4000000 values" in done.stderr
    assert not os.listdir(tmp_path / "out/findings")


def test_a_text_that_is_too_long(script):
    said = error("run", script(nested_lists(60, "return len(str({last}))")), "--rand", "f32[2]")
    assert "the text of a value would be longer than 16777216 bytes" in said


def test_what_stays_within_the_program_is_judged(script, tmp_path):
    path = script(nested_lists(60, "return x + len({last})"))
    done = run("check", path, "--rand", "f32[2]", "--out", tmp_path / "out", "--inputs", "4")
    assert done.returncode == 0, done.stderr


def test_long_names_of_types_are_saved_and_read(script, tmp_path):
    sides = [f"    {s}0 = [1]\n" for s in "ab"]
    sides += [f"    {s}{i} = [{s}{i - 1}]\n" for s in "ab" for i in range(1, 25)]
    path = script("def f(x):\n" + "".join(sides) + "    return a24 == b24, [a23] == [b22, b22]\n")
    saved = tmp_path / "p.pt"
    assert run("save", path, "--out", saved).returncode == 0
    done = run("run", saved, "--rand", "f32[2]")
    assert done.returncode == 0 and "True" in done.stdout, done.stderr


def test_programs_that_are_judged_print_nothing(script, tmp_path):
    path = script("def f(x):\n    print('said by the program')\n    return x + 1\n")
    assert "said by the program" in run("run", path, "--rand", "f32[2]").stdout
    done = run("check", path, "--inputs", "4", "--rand", "f32[2]", "--out", tmp_path / "out")
    assert done.returncode == 0 and "said by the program" not in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["campaign.db", "campaign.db-wal"])
@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_a_database_that_is_no_file(tmp_path, name, make):
    (tmp_path / "out").mkdir()
    make(tmp_path / "out" / name)
    said = error("fuzz", "--runs", "1", "--out", tmp_path / "out")
    assert f"{name} is no regular file" in said


def test_a_named_pipe_is_no_file(tmp_path):
    pipe = tmp_path / "p.case"
    os.mkfifo(pipe)
    for verb in ("repro", "show", "reduce", "bisect"):
        assert "it is a named pipe, not a file" in error(verb, pipe)
    folder = tmp_path / "folder"
    folder.mkdir()
    os.mkfifo(folder / "campaign.json")
    assert "is a named pipe, not a file" in error("report", folder)


def test_large_tensors_go_to_a_worker_and_back(script):
    """100 MB there, 200 MB back; and more than a message holds."""
    words = ["--engine", f"numpy={ROOT}/fuzz/workers/example.py", "--plan", "numpy:eager"]
    path = script("def f(x):\n    return x + x\n")
    done = run("run", path, *words, "--rand", "f32[5000,5000]")
    assert done.returncode == 0 and "out0: f32[5000, 5000]" in done.stdout, done.stderr
    done = run("run", path, *words, "--rand", "f32[9000,9000]")
    assert done.returncode == 1 and "too large to send" in done.stderr
