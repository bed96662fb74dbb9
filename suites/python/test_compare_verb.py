"""`fusillade bench` and `compare`: what the files hold, what the exit codes say, that an interrupt
leaves a file.

The statistics are tested in reports/tests/test_compare.py, on files written there.
"""

import json
import shutil
import signal
import subprocess
import sys
import time

import pytest
from under_test import BINARY, ROOT

QUICK = [
    "--filter=^ratio_iou/N:16$",
    "--plan=eager",
    "--plan=vm/o2",
    "--iterations=20",
    "--no-check",
]


def run(*words, timeout=300):
    return subprocess.run(
        [BINARY, *map(str, words)], capture_output=True, text=True, timeout=timeout, cwd=ROOT
    )


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    out = tmp_path_factory.mktemp("bench") / "bench.json"
    done = run("bench", *QUICK, "--processes=4", "--alone", "--out", out)
    assert done.returncode == 0, done.stderr
    assert "A/A noise floor, steady call: " in done.stdout
    return out


def test_more_memory_is_a_regression_of_its_gate(bench, tmp_path):
    """Counted, so the same in both runs of a build; one byte in a hundred more is reported, and
    fails the gate of memory alone."""
    data = json.loads(bench.read_text())
    known = {b["name"]: b["memory"] for b in data["benchmarks"]}
    again = tmp_path / "again.json"
    assert run("bench", *QUICK, "--processes=1", "--alone", "--out", again).returncode == 0
    assert all(b["memory"] == known[b["name"]] for b in json.loads(again.read_text())["benchmarks"])
    assert run("compare", bench, again, "--gate", "memory").returncode == 0
    for b in data["benchmarks"]:
        b["code"]["program"] = "0" * 16
    data["benchmarks"][0]["memory"]["peak_bytes"] = (
        data["benchmarks"][0]["memory"]["peak_bytes"] * 101 // 100
    )
    (tmp_path / "more.json").write_text(json.dumps(data))
    done = run("compare", bench, tmp_path / "more.json", "--gate", "memory")
    assert done.returncode == 2 and "Gate memory: 1 regression" in done.stdout, done.stdout
    assert run("compare", bench, tmp_path / "more.json", "--gate", "none").returncode == 0
    refused = run(
        "compare",
        "--commits",
        "HEAD",
        "HEAD",
        "--gate",
        "memory",
        "--bisect",
        "--out",
        tmp_path / "out",
    )
    assert refused.returncode == 1 and "--bisect counts instructions" in refused.stderr


def test_both_modes_are_there_and_named(bench):
    data = json.loads(bench.read_text())
    names = [b["name"] for b in data["benchmarks"]]
    assert names == [
        f"ratio_iou/N:16/{plan}{mode}" for mode in ("", " (alone)") for plan in ("eager", "vm/o2")
    ]
    assert [b["mode"] for b in data["benchmarks"]] == [
        "interleaved",
        "interleaved",
        "alone",
        "alone",
    ]
    assert data["context"]["noise_floor"]["steady"] > 0 and not data["context"]["interrupted"]
    for b in data["benchmarks"]:
        assert len(b["samples_ns"]) == 4 and b["aa"]["steady"] > 0


def test_code_is_distinguished_and_is_the_same_again(bench, tmp_path):
    code = {b["name"]: b["code"] for b in json.loads(bench.read_text())["benchmarks"]}
    assert (
        len({c["runtime"] for c in code.values()}) == 1
        and len({c["program"] for c in code.values()}) == 2
    )
    again = tmp_path / "bench.json"
    done = run(
        "bench", *QUICK, "--processes=1", "--plan=vm/o2,fuse(loopnest,interp)", "--out", again
    )
    assert done.returncode == 0, done.stderr
    assert "not known with fewer than four processes" in done.stdout
    other = {b["name"]: b["code"] for b in json.loads(again.read_text())["benchmarks"]}
    assert {n: other[n] for n in other if n in code} == {n: code[n] for n in other if n in code}
    assert len({c["program"] for c in other.values()}) == 3


def test_two_runs_of_one_build_are_identical_code(bench, tmp_path):
    second = tmp_path / "second"
    assert run("bench", *QUICK, "--processes=3", "--out", second / "bench.json").returncode == 0
    lost = run("compare", bench, second)
    assert (
        lost.returncode == 2
        and "Gate steady: 2 that were measured and right before: " in lost.stdout
    ), lost
    done = run("compare", bench, second, "--allow-missing", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    c = json.loads((tmp_path / "out" / "compare.json").read_text())
    assert c["counts"] == {"missing": 4, "code identical": 4} and "no regression" in done.stdout
    assert (tmp_path / "out" / "report" / "summary.md").exists()


def write_slower(bench, to, share):
    """The same run with other code, whose calls take that much longer."""
    data = json.loads(bench.read_text())
    for b in data["benchmarks"]:
        b["code"]["program"] = "0" * 16
        b["samples_ns"] = [[(1 + share) * x for x in series] for series in b["samples_ns"]]
    to.write_text(json.dumps(data))
    return to


def test_exit_codes(bench, tmp_path):
    assert run("compare", bench, write_slower(bench, tmp_path / "a.json", 300.0)).returncode == 2
    assert run("compare", write_slower(bench, tmp_path / "b.json", 300.0), bench).returncode == 0
    assert run("compare", bench, tmp_path / "a.json", "--gate", "none").returncode == 0


def test_what_is_refused(bench, tmp_path):
    for words, message in (
        ((bench, tmp_path), "bench.json does not exist"),
        ((bench,), "new is required"),
        ((bench, bench, "--gate", "colour"), "colour"),
        ((bench, bench, "--alpha", "2"), "--alpha"),
        ((bench, bench, "--threshold", "-1"), "--threshold"),
    ):
        done = run("compare", *words)
        assert done.returncode == 1 and message in done.stderr, done


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGUSR1])
def test_an_interrupt_leaves_what_was_measured(tmp_path, number):
    out = tmp_path / "bench.json"
    words = [
        BINARY,
        "bench",
        "--filter=ratio_iou/N:16$",
        "--plan=vm/o2",
        "--processes=1000",
        "--no-check",
        "--out",
        str(out),
    ]
    with subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        seen = set()
        while len(seen) < 4 and child.poll() is None:  # processes that measure, one after the other
            with open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="utf-8") as children:
                seen |= set(children.read().split())
            time.sleep(0.01)
        child.send_signal(number)
        _, message = child.communicate(timeout=120)
    assert child.returncode == 72 and "interrupted" in message
    data = json.loads(out.read_text())
    assert data["context"]["interrupted"] and 0 < len(data["benchmarks"][0]["samples_ns"]) < 1000
    assert run("compare", out, out, "--gate", "none").returncode == 0


@pytest.mark.skipif(
    not (shutil.which("valgrind") and shutil.which("strip")),
    reason="NO VALGRIND: instructions were not counted",
)
def test_instructions_are_the_same_again(tmp_path):
    counts = []
    for name in ("a.json", "b.json"):
        done = run(
            "bench",
            "--filter=^ratio_iou/N:16$",
            "--plan=vm/o2",
            "--iterations=20",
            "--no-check",
            "--processes=1",
            "--instructions",
            "--out",
            tmp_path / name,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        (one,) = json.loads((tmp_path / name).read_text())["benchmarks"]
        counts.append(one["instructions"])
    assert counts[0] == counts[1] and 1e3 < counts[0]["steady"] < 1e5 < counts[0]["compile"]
    done = run("compare", tmp_path / "a.json", tmp_path / "b.json", "--gate=instructions")
    assert done.returncode == 0 and "instructions: code identical 1." in done.stdout


# A build as it were: the one under test, whose counts follow from the plan: every pass saves 100
# instructions, and after the pass `slow` a call costs 5 % more; after the pass `graph` it has
# another graph. With `slow` autodiff it does after any pass where a program asks for gradients, for
# bench brings autodiff with it.
PRETENDED = """#!{python}
import json, subprocess, sys
words = [w for w in sys.argv[1:] if w != "--instructions"]
done = subprocess.run(["{binary}", *words])
out = words[words.index("--out") + 1]
data = json.load(open(out))
for b in data["benchmarks"]:
    b["code"]["runtime"] = "{name}"
    passes = b["engine"].partition("/")[2].split(",")
    count = 10000 - 100 * len(passes)
    slow = ("{slow}" in passes or (passes == ["o2"] and "{slow}" != "nothing"))
    slow = slow and b["program"].endswith(":16")
    if "{slow}" == "autodiff":
        slow = passes != [""] and "/backward/" in b["program"]
    if "{graph}" in passes:
        b["code"]["program"] = "f" * 16
    b["instructions"] = {{"compile": 5000, "first_call": 5000,
                         "steady": int(count * 1.05) if slow else count}}
json.dump(data, open(out, "w"))
sys.exit(done.returncode)
"""


@pytest.fixture(scope="module")
def commits(tmp_path_factory):
    """A repository of four commits, with builds for all that need no building."""
    root = tmp_path_factory.mktemp("repository")

    def git(*words):
        return subprocess.run(
            ["git", "-C", root, "-c", "user.name=n", "-c", "user.email=e", *words],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    git("init", "-q")
    for name, slow, graph in (
        ("before", "nothing", "none"),
        ("after", "cse", "none"),
        ("later", "licm", "cse"),
        ("gradients", "autodiff", "none"),
    ):
        git("commit", "-q", "--allow-empty", "-m", name)
        git("tag", name)
        build = root / "builds" / git("rev-parse", "HEAD")[:12] / "fusillade"
        build.parent.mkdir(parents=True)
        build.write_text(
            PRETENDED.format(
                python=sys.executable, binary=BINARY, name=name, slow=slow, graph=graph
            )
        )
        build.chmod(0o755)
    return root


def by_turns(commits, *words, program="^ratio_iou/N:(16|4096)$"):
    return subprocess.run(
        [
            BINARY,
            "compare",
            "--commits",
            *map(str, words),
            "--builds",
            commits / "builds",
            "--programs",
            f"{ROOT}/bench/programs",
            "--filter",
            program,
            "--plan=vm/o2",
            "--iterations=20",
            "--processes=3",
            "--gate=instructions",
        ],
        cwd=commits,
        capture_output=True,
        text=True,
        timeout=600,
    )


def test_commits_are_measured_by_turns_and_a_regression_is_blamed(commits, tmp_path):
    done = by_turns(commits, "before", "after", "--bisect", "--out", tmp_path)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert (
        "ratio_iou/N:16/vm/o2, instructions: pass cse: +0.00 % without it, +5.00 % with it"
        in done.stdout
    )
    c = json.loads((tmp_path / "compare.json").read_text())
    assert c["paired"] and [
        (r["name"], r["metric"]) for r in c["rows"] if r["verdict"] == "slower"
    ] == [("ratio_iou/N:16/vm/o2", "instructions")]
    assert [r["blame"] for r in c["rows"] if r["blame"]] == [
        "pass cse: +0.00 % without it, +5.00 % with it"
    ]
    assert "pass cse" in (tmp_path / "report" / "index.html").read_text()
    for name in ("old", "again", "new"):
        data = json.loads((tmp_path / f"{name}.json").read_text())
        assert [len(b["samples_ns"]) for b in data["benchmarks"]] == [3, 3]


def test_what_other_graphs_cost_later_is_the_first_ones(commits, tmp_path):
    """Graphs differ from cse on, and a call costs more from licm on."""
    done = by_turns(commits, "before", "later", "--bisect", "--out", tmp_path)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert (
        "ratio_iou/N:16/vm/o2, instructions: pass cse: +0.00 % without it, +0.00 % with it, +5.00 "
        "% with all\n" in done.stdout
    )


def test_the_pipeline_of_gradients_is_blamed_and_no_pass_that_brings_it(commits, tmp_path):
    done = by_turns(
        commits,
        "before",
        "gradients",
        "--bisect",
        "--out",
        tmp_path,
        program="^broadcast/backward/N:16$",
    )
    assert done.returncode == 2, (done.stdout, done.stderr)
    message = "pass autodiff (the pipeline of gradients): +0.00 % without it, +5.00 % with it"
    assert f"broadcast/backward/N:16/vm/o2, instructions: {message}\n" in done.stdout


def test_what_is_asked_for_is_checked_before_anything_is_built(commits, tmp_path):
    builds, out, programs = tmp_path / "builds", tmp_path / "out", f"{ROOT}/bench/programs"
    for words, message in (
        (("after", "--plan=vm/colour"), "colour"),
        (("after", "--plan=vm@moon"), "moon"),
        (("after", "--filter=^no_such$"), "no_such"),
        (("after", "--filter=("), "'('"),
        (("after", "--programs", tmp_path / "none"), "none"),
        (("never",), "'never' is no commit"),
    ):
        words = map(
            str,
            (
                "before",
                *words,
                "--builds",
                builds,
                "--out",
                out,
                *(() if "--programs" in words else ("--programs", programs)),
            ),
        )
        done = subprocess.run(
            [BINARY, "compare", "--commits", *words],
            cwd=commits,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 1 and message in done.stderr and not builds.exists(), (
            message,
            done.stderr,
        )


def test_equal_commits_raise_no_alarm(commits, tmp_path):
    done = by_turns(commits, "before", "before", "--out", tmp_path)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert {r["verdict"] for r in json.loads((tmp_path / "compare.json").read_text())["rows"]} == {
        "code identical"
    }


def test_what_is_no_commit(commits, tmp_path):
    done = by_turns(commits, "before", "never", "--out", tmp_path)
    assert done.returncode == 1 and "'never' is no commit" in done.stderr
    assert "needs --out" in by_turns(commits, "before", "after").stderr
    done = run("compare", tmp_path, tmp_path, "--filter=x")
    assert done.returncode == 1 and "--filter needs --commits" in done.stderr


def test_variables_of_bench_are_nothing_to_compare(bench, tmp_path, monkeypatch):
    monkeypatch.setenv("FUSILLADE_PROGRAMS", "ci/programs")
    monkeypatch.setenv("FUSILLADE_PLAN", "mine:fast")
    monkeypatch.setenv("FUSILLADE_PROCESSES", "1")
    done = run("compare", bench, bench, "--out", tmp_path / "out")
    assert done.returncode in (0, 3), done.stderr
    assert (tmp_path / "out/report/summary.md").exists()
    for flag in (["--programs", "x"], ["--processes=3"]):
        done = run("compare", bench, bench, *flag, "--out", tmp_path / "refused")
        assert done.returncode == 1 and "needs --commits" in done.stderr, done.stderr


def test_truth(tmp_path):
    done = run("truth", "--trials=2", timeout=600)
    assert (
        done.returncode == 0
        and "| flat | flat | 100.0 % |" in done.stdout
        and "| A/A alarms |" in done.stdout
    )
    assert "| A/A alarms of 20 timings |" in done.stdout
    done = run("truth", tmp_path, "--trials=1", timeout=600)
    assert done.returncode == 1 and "bench.json does not exist" in done.stderr


@pytest.fixture
def machines(bench, tmp_path):
    """Folders of two machines, which measured the same; the second has other code there."""
    out = []
    for name in ("m0", "m1"):
        folder = tmp_path / name
        folder.mkdir()
        for side in ("old", "new"):
            data = json.loads(bench.read_text())
            data["context"].update(host_name=name, boot_id=name)
            (folder / f"{side}.json").write_text(json.dumps(data))
        out.append(folder)
    return out


def test_machines_are_joined(machines, tmp_path):
    done = run("compare", "--machines", *machines, "--out", tmp_path / "all")
    assert done.returncode == 0 and "2 machines say little of others" in done.stdout, done
    c = json.loads((tmp_path / "all/compare.json").read_text())
    assert [m["name"] for m in c["machines"]] == ["m0", "m1"]
    assert {r["verdict"] for r in c["rows"]} == {"code identical"}
    assert "Machines" in (tmp_path / "all/report/index.html").read_text()


def test_what_is_no_pair_of_machines(machines, bench, tmp_path):
    one, two = machines
    for words, message in (
        (("--machines", one), "at least 2 machines are needed"),
        (("--machines", one, tmp_path / "none"), "none is no folder"),
        (("--machines", one, bench), "is no folder"),
        ((bench, bench, "--machines", one, two), "there is no old and new beside"),
        (("--machines", one, two, "--commits"), "--commits measures on this machine"),
        (("--machines", one, two, "--bisect"), "--bisect needs --commits"),
        (("--machines",), "--machines"),
    ):
        done = run("compare", *words, "--out", tmp_path / "out")
        assert done.returncode == 1 and message in done.stderr, (words, done)
        assert not (tmp_path / "out").exists()
    (two / "new.json").write_bytes(b"\0" * 100)
    done = run("compare", "--machines", one, two)
    assert done.returncode == 1 and "new.json is not JSON" in done.stderr
    (two / "new.json").unlink()
    done = run("compare", "--machines", one, two)
    assert done.returncode == 1 and "a ratio needs both, of one machine" in done.stderr
