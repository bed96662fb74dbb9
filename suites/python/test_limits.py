"""Input that must cost no more than its budget, and output that must not be lost."""

import os
import signal
import sqlite3
import subprocess

import pytest
from under_test import BINARY as FUSILLADE
from under_test import ROOT, children, hit, programs_so_far, wait_until


def run(*words, env=None):
    return subprocess.run([FUSILLADE, *words], capture_output=True, text=True, env=env)


def program(folder, text, name="p.py"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_an_annotated_store_to_no_object_is_an_error(tmp_path):
    done = run(
        "run",
        program(tmp_path, "def f(x: int) -> int:\n    x.b: int = 3\n    return x\n"),
        "--arg",
        "3",
    )
    assert done.returncode == 1 and "only attributes of objects can be annotated" in done.stderr


@pytest.mark.parametrize(
    "type_text",
    [
        "Tensor" + "[]" * 50000,
        "(" * 50000 + "int" + ")" * 50000,
        "Dict(int, " * 50000 + "int" + ")" * 50000,
    ],
    ids=["lists", "tuples", "dicts"],
)
def test_types_nested_deep_are_an_error(tmp_path, type_text):
    done = run("opt", program(tmp_path, f"graph(%x : {type_text}):\n  return (%x)\n", "p.ir"))
    assert done.returncode == 1 and "nest" in done.stderr and len(done.stderr) < 1000


def test_inferred_types_nested_deep_are_an_error(tmp_path):
    lines = ["  %a0 = prim::TupleConstruct(%x)"]
    lines += [f"  %a{i + 1} = prim::TupleConstruct(%a{i})" for i in range(5000)]
    text = "graph(%x : int):\n" + "\n".join(lines) + "\n  return (%x)\n"
    done = run("opt", program(tmp_path, text, "p.ir"))
    assert done.returncode == 1 and "nests deeper than 64" in done.stderr


def test_a_long_chain_of_functions_is_reported_in_short(tmp_path):
    text = "def f0(x: int) -> int:\n    return x + 1\n"
    text += "".join(f"def f{i}(x: int) -> int:\n    return f{i - 1}(x)\n" for i in range(1, 5000))
    path = program(tmp_path, text)
    assert "2" in run("run", path, "--fn", "f3", "--arg", "1", "--rss-limit-mb", "1000").stdout
    done = run("run", path, "--fn", "f4999", "--arg", "1")
    assert done.returncode == 1 and "nest more than 64 deep" in done.stderr
    assert "... and their callers" in done.stderr and len(done.stderr) < 10000


def chain(functions):
    return "".join(
        f"def f{i}(x: int) -> int:\n    return {f'f{i - 1}(x)' if i else 'x + 1'}\n"
        for i in range(functions)
    )


@pytest.mark.parametrize("plan", ["eager", "vm", "vm/o2"])
def test_one_depth_of_calls_for_all(tmp_path, plan):
    at = program(tmp_path, chain(65), "at.py")
    assert "out0: 2" in run("run", at, "--fn", "f64", "--arg", "1", "--plan", plan).stdout
    beyond = program(tmp_path, chain(66), "beyond.py")
    done = run("run", beyond, "--fn", "f65", "--arg", "1", "--plan", plan)
    assert (
        done.returncode == 1
        and "calls nest more than 64 deep (FUSILLADE_MAX_CALL_DEPTH)" in done.stderr
    )
    more = dict(os.environ, FUSILLADE_MAX_CALL_DEPTH="65")
    assert (
        "out0: 2"
        in run("run", beyond, "--fn", "f65", "--arg", "1", "--plan", plan, env=more).stdout
    )


@pytest.mark.parametrize("plan", ["eager", "vm", "vm/inline"])
def test_a_graph_is_held_to_the_depth_of_calls(tmp_path, plan):
    text = run("opt", program(tmp_path, chain(10)), "--fn", "f9", "--pipeline", "").stdout
    graph = program(tmp_path, text, "p.ir")
    assert (
        "out0: 2"
        in run(
            "run",
            graph,
            "--arg",
            "1",
            "--plan",
            plan,
            env=dict(os.environ, FUSILLADE_MAX_CALL_DEPTH="9"),
        ).stdout
    )
    done = run(
        "run",
        graph,
        "--arg",
        "1",
        "--plan",
        plan,
        env=dict(os.environ, FUSILLADE_MAX_CALL_DEPTH="8"),
    )
    assert done.returncode == 1 and "calls nest more than 8 deep" in done.stderr


def test_a_long_chain_of_objects_ends(tmp_path):
    text = (
        'class Node:\n    def __init__(self, x: int, next: Optional["Node"]):\n'
        "        self.x = x\n        self.next = next\n"
        "def f(n: int) -> int:\n    a: Optional[Node] = None\n"
        "    for i in range(n):\n        a = Node(i, a)\n    return n\n"
    )
    done = run("run", program(tmp_path, text), "--fn", "f", "--arg", "300000")
    assert done.returncode == 0 and "300000" in done.stdout


def test_characters_of_strings_read_back(tmp_path):
    case = (
        "fusillade case 2\noracle: frontends\nverdict: ok\nplan: vm\nscript:\n"
        "  def main(s: str) -> str:\n"
        '      return s\ncall:\n    s = "a\\001b\\x7f\\"\\\\\\n"\nend\n'
    )
    path = program(tmp_path, case, "p.case")
    shown = run("show", path).stdout
    again = run("show", program(tmp_path, shown, "q.case")).stdout
    assert shown == again and '"a\\001b\\177\\"\\\\\\n"' in shown
    wrong = run("show", program(tmp_path, case.replace("\\001b", "\\q"), "r.case"))
    assert (
        wrong.returncode == 1
        and "r.case:9:" in wrong.stderr
        and "no escape of a string" in wrong.stderr
    )


@pytest.mark.parametrize(
    "call", ["aten::to(%x)", "aten::as_tensor(%x)", "aten::hstack(%x)", "aten::meshgrid(%x)"]
)
def test_arguments_of_no_sense_are_no_internal_error(tmp_path, call):
    text = f"graph(%x : Float(2, 3, strides=[3, 1])):\n  %y : Tensor = {call}\n  return (%y)\n"
    done = run(
        "opt", "--pipeline", "o2", program(tmp_path, text.replace(" : Tensor =", " ="), "p.ir")
    )
    assert "internal error" not in done.stderr and done.returncode in (0, 1)


@pytest.mark.parametrize("words", [["gen", "--runs", "3"], ["list", "ops"], ["--help"]])
def test_output_that_cannot_be_written_is_an_error(words):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([FUSILLADE, *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "No space left on device" in done.stderr


@pytest.mark.parametrize("closed, code", [("2>&-", 0), ("<&-", 0), (">&-", 1), (">&- 2>&- <&-", 1)])
@pytest.mark.parametrize(
    "words",
    [["fuzz", "--runs=20", "--oracle=differential", "--plan=vm", "--out=out"], ["gen", "--runs=3"]],
)
def test_a_closed_stream_is_no_file_that_is_opened_next(tmp_path, words, closed, code):
    """What would have been printed is in no database."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" "$@" {closed}', FUSILLADE, *words],
        cwd=tmp_path,
        capture_output=True,
    )
    assert done.returncode == code, done
    if words[0] == "fuzz":
        with sqlite3.connect(tmp_path / "out/campaign.db") as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert (
            run(
                "fuzz", *words[2:-1], "--runs=25", "--resume", "--out", str(tmp_path / "out")
            ).returncode
            == 0
        )


def test_a_file_that_cannot_be_replaced_stays(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    text = program(tmp_path, "def f(x: Tensor) -> Tensor:\n    return x + 1\n")
    assert run("run", text, "--rand", "f32[4]", "--out", str(out)).returncode == 0
    before = (out / "out0.npy").read_bytes()
    limited = f"ulimit -f 1; exec '{FUSILLADE}' run '{text}' --rand 'f32[4096]' --out '{out}'"
    done = subprocess.run(["sh", "-c", f"trap '' XFSZ; {limited}"], capture_output=True, text=True)
    assert done.returncode == 1 and "cannot write" in done.stderr
    assert (out / "out0.npy").read_bytes() == before
    assert os.listdir(out) == ["out0.npy"]


@pytest.mark.parametrize(
    "flags, code, said, line",
    [
        (["--timeout", "0.5s"], 70, ".py:3:4 (--timeout)", "n = n % 7 + 1"),
        (["--timeout", "0.5s", "--plan", "eager"], 70, ".py:3:4 (--timeout)", "n = n % 7 + 1"),
        (["--rss-limit-mb", "300", "--timeout", "600s"], 71, "--rss-limit-mb", "l.append(n)"),
    ],
)
def test_a_program_is_stopped_at_its_limits(tmp_path, flags, code, said, line):
    text = (
        f"def f(n: int) -> int:\n    l: List[int] = []\n    while n > 0:\n        {line}\n"
        "    return len(l) + n\n"
    )
    done = run("run", program(tmp_path, text), "--arg", "1", *flags)
    assert done.returncode == code and said in done.stderr
    assert run("run", program(tmp_path, text), "--arg", "0", *flags).returncode == 0


@pytest.mark.parametrize("verb", ["save", "freeze"])
def test_verbs_that_write_archives_have_limits(tmp_path, verb):
    text = program(tmp_path, "def f(n: int) -> int:\n    return n\n")
    done = run(verb, text, "--out", tmp_path / "n.pt", "--rss-limit-mb", "1")
    assert done.returncode == 71 and "--rss-limit-mb" in done.stderr
    assert not (tmp_path / "n.pt").exists()
    assert "--timeout" in run(verb, text, "--out", tmp_path / "n.pt", "--timeout", "no").stderr


def test_a_limit_that_is_none_is_an_error(tmp_path):
    text = program(tmp_path, "def f(n: int) -> int:\n    return n\n")
    assert "--timeout" in run("run", text, "--arg", "1", "--timeout", "soon").stderr
    assert run("opt", text, "--pipeline", "o2", "--rss-limit-mb", "-1").returncode == 1


def campaign(out, *flags):
    return run(
        "fuzz",
        "--runs",
        "40",
        "--jobs",
        "1",
        "--oracle",
        "differential",
        "--plan",
        "vm",
        "--out",
        str(out),
        *flags,
    )


def test_findings_of_the_folder_count_when_a_campaign_goes_on(tmp_path):
    out = tmp_path / "c"
    assert campaign(out).returncode == 0
    with sqlite3.connect(out / "campaign.db") as db:
        db.execute(
            "INSERT INTO finding VALUES('b', 'mismatch', 'differential', 'vm', 1, 'p', 'o', 1, "
            "0.0, '')"
        )
    assert campaign(out, "--resume").returncode == 2


def test_an_empty_database_is_no_campaign(tmp_path):
    out = tmp_path / "c"
    assert campaign(out).returncode == 0
    (out / "campaign.db").write_bytes(b"")
    done = campaign(out, "--resume")
    assert done.returncode == 1 and "campaign.db is empty" in done.stderr


def test_a_folder_among_pending_cases_is_passed_over(tmp_path):
    out = tmp_path / "c"
    (out / "pending" / "b.case").mkdir(parents=True)
    assert campaign(out).returncode == 0


def test_workers_that_are_asked_to_stop_are_no_findings(tmp_path):
    out = tmp_path / "c"
    fuzz = subprocess.Popen(
        [FUSILLADE, "fuzz", "--max-total-time", "1000", "--jobs", "1", "--out", str(out)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(4):
        before = programs_so_far(out)
        wait_until(lambda b=before: programs_so_far(out) > b, fuzz)
        for worker in children(fuzz.pid):
            hit(worker, signal.SIGTERM)
    fuzz.send_signal(signal.SIGINT)
    fuzz.communicate(timeout=600)
    assert fuzz.returncode == 72 and not list((out / "pending").iterdir())
    with sqlite3.connect(out / "campaign.db") as db:
        assert db.execute("SELECT count(*) FROM finding").fetchone() == (0,)


def test_a_number_for_a_list_in_ir_is_an_error_with_its_place(tmp_path):
    (tmp_path / "a.ir").write_text(
        "graph(%7 : Tensor):\n  %1 : int = prim::Constant[value=0]()\n"
        "  %2 : int[] = prim::Constant[value=[1]]()\n"
        "  %8 : Tensor = aten::movedim(%7, %1, %2)\n  return (%8)\n"
    )
    opt = run("opt", str(tmp_path / "a.ir"))
    assert (
        opt.returncode == 1
        and "a.ir:4:16: argument 'source'" in opt.stderr
        and "internal" not in opt.stderr
    ), opt.stderr


def test_windows_of_a_huge_pooling_are_not_counted_one_by_one(tmp_path):
    path = program(
        tmp_path, "import torch\ndef f(x):\n    return torch.adaptive_avg_pool1d(x, [2147483648])\n"
    )
    opt = run(
        "opt", path, "--pipeline", "types", "--typed", "--rand", "f32[2,2,3]", "--timeout", "20s"
    )
    assert opt.returncode == 0 and "2147483648" in opt.stdout, opt.stderr


def test_a_limit_of_time_waits_for_no_reader(tmp_path):
    body = "    while True:\n        print('a line of which there is no end')\n    return x\n"
    path = program(tmp_path, "def f(x):\n" + body)
    reads, writes = os.pipe()
    words = [FUSILLADE, "run", path, "--rand", "f32[2]", "--timeout", "1s"]
    child = subprocess.Popen(words, stdout=writes, stderr=writes)
    try:
        assert child.wait(timeout=60) == 70
    finally:
        child.kill()
        os.close(reads)
        os.close(writes)


LONG = ROOT / "suites/regress/adjoint-of-a-loop-takes-longer-than-the-loop.case"


@pytest.mark.parametrize(
    "limit, says",
    [
        (("--timeout", "1s"), "skip (the oracle takes longer than the limit)"),
        (("--rss-limit-mb", "150"), "skip (out of memory under the limit)"),
    ],
)
def test_what_an_oracle_takes_is_not_told_of_the_program(limit, says):
    done = run("repro", LONG, *limit)
    assert done.returncode == 0 and says in done.stdout, done.stdout + done.stderr


def test_a_program_that_takes_its_time_itself_is_a_hang(tmp_path):
    path = tmp_path / "endless.case"
    path.write_text(LONG.read_text().replace("n = 200000", "n = 200000000000"))
    done = run("repro", path, "--timeout", "1s")
    assert done.returncode == 70 and "hang" in done.stdout, done.stdout + done.stderr


def test_check_skips_what_its_oracle_has_no_time_for(tmp_path):
    path = program(
        tmp_path,
        "def f(x, n: int):\n    for i in range(n):\n        x = x + i\n    return x\n",
    )
    inputs = ("--rand", "f32[2]", "--arg", "60000", "--inputs", "1", "--jobs", "1")
    judged = ("--oracle", "adjoint", "--plan", "vm/o2", "--timeout", "0.3s")
    done = run("check", path, *inputs, *judged, "--out", tmp_path / "out")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "| skip: the oracle takes longer than the limit | 1 |" in done.stdout, done.stdout
