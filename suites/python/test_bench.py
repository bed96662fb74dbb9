"""bench, seen from outside: the file that it writes, which programs it measures, and what it says
to wrong words."""

import json
import shutil
import signal
import subprocess

import numpy as np
from under_test import BINARY, PYTHON, ROOT, some_child


def run(*args, timeout=300):
    return subprocess.run(
        [BINARY, *map(str, args)], capture_output=True, text=True, timeout=timeout
    )


def error(*args):
    """What is said of wrong words, in one line."""
    done = run(*args)
    assert done.returncode == 1 and done.stderr.startswith("fusillade: error: "), (
        done.returncode,
        done.stderr,
    )
    return done.stderr


def test_bench_speaks_google_benchmark(tmp_path):
    out = tmp_path / "made" / "here" / "x.json"
    done = run(
        "bench",
        "--filter=ratio_iou",
        "--plan=eager",
        "--plan=vm/o2",
        "--processes=2",
        "--iterations=20",
        "--out",
        out,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    data = json.loads(out.read_text())
    for key in (
        "date",
        "host_name",
        "executable",
        "num_cpus",
        "caches",
        "mhz_per_cpu",
        "load_avg",
        "library_version",
        "json_schema_version",
        "aslr_enabled",
    ):
        assert key in data["context"], key
    assert len(data["context"]["load_avg"]) == 3
    assert data["benchmarks"]
    for b in data["benchmarks"]:
        for key in (
            "name",
            "run_name",
            "run_type",
            "repetitions",
            "threads",
            "iterations",
            "real_time",
            "cpu_time",
            "time_unit",
        ):
            assert key in b, key
        assert "ratio_iou" in b["name"] and b["real_time"] > 0 and b["cpu_time"] > 0
    assert "nothing_is_called_so" in error("bench", "--filter=nothing_is_called_so", "--out", out)


def test_bench_draws_numbers_below_a_limit_and_leaves_outputs_alone(tmp_path):
    folder, out = tmp_path / "programs", tmp_path / "x.json"
    folder.mkdir()
    body = (
        "import torch\nfrom torch import Tensor\ndef f(a: Tensor, b: Tensor):\n"
        "    return torch.index_select(a, 0, b)\n"
    )
    (folder / "f.py").write_text("# bench: f32[N] i64[100]<N N=3,40\n" + body)
    bench = [
        "bench",
        "--programs",
        folder,
        "--plan=eager",
        "--processes=1",
        "--iterations=20",
        "--out",
        out,
    ]
    for flags, verdict in (([], "ok"), (["--no-check"], "not checked")):
        done = run(*bench, *flags, timeout=300)
        assert done.returncode == 0, done.stderr
        rows = json.loads(out.read_text())["benchmarks"]
        assert [row["correctness"]["verdict"] for row in rows] == [verdict] * 2
    for wrong, says in (
        ("i64[4]<0", "at least 1"),
        ("f32[4]<9", "at least 1"),
        ("i64[4]<x", "not a size"),
    ):
        (folder / "f.py").write_text(f"# bench: f32[4] {wrong}\n" + body)
        assert says in error(*bench)


SLOW = """
import os, sys, time
sys.path.insert(0, os.environ["EXAMPLE"])
from example import NumPy, serve
time.sleep(0.5)
passed = [0.0]  # seconds of a clock that stands still between calls
time.perf_counter = time.process_time = lambda: passed[0]

class Slow(NumPy):
    def run(self, engine, program, call):
        def compiled(*arguments):
            passed[0] += 0.001 if program.kept else 1
            program.kept["compiled"] = True
            return program.function(*arguments)
        return self.timed(compiled, self.ops, *call.arguments()), {}

serve(Slow())
"""


def test_bench_separates_compile_and_start_of_an_engine_outside(tmp_path, monkeypatch):
    monkeypatch.setenv("EXAMPLE", str(ROOT / "fuzz/workers"))
    folder, out = tmp_path / "programs", tmp_path / "x.json"
    folder.mkdir()
    (tmp_path / "slow.py").write_text(SLOW)
    (folder / "f.py").write_text(
        "# bench: f32[3,4]\nimport torch\ndef f(a):\n    return torch.abs(a)\n"
    )
    done = run(
        "bench",
        "--programs",
        folder,
        "--plan=slow:eager",
        "--engine",
        f"slow={tmp_path}/slow.py",
        "--engine-python",
        f"slow={PYTHON}",
        "--processes=2",
        "--iterations=20",
        "--out",
        out,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(out.read_text())["benchmarks"]
    took = {phase: interval["estimate"] / 1e9 for phase, interval in row["phases"].items()}
    assert took["worker_start"] >= 0.5, took
    assert abs(took["compile"] - 0.999) < 1e-6 and abs(took["first_call"] - 0.001) < 1e-6, took
    assert row["engine_version"].startswith("NumPy ") and "Python 3." in row["engine_version"]


def test_bench_measures_gradients_of_sizes_that_are_asked(tmp_path):
    folder, out = tmp_path / "programs", tmp_path / "x.json"
    folder.mkdir()
    body = (
        "import torch\nfrom torch import Tensor\ndef f(a: Tensor, b: Tensor):\n"
        "    return torch.tanh(a * b).sum()\n"
    )
    (folder / "f.py").write_text("# bench: backward f32[N] f32[N] N=3,40,5000\n" + body)
    bench = [
        "bench",
        "--programs",
        folder,
        "--plan=eager",
        "--plan=vm/o2,fuse(loopnest,interp)",
        "--processes=1",
        "--iterations=20",
        "--out",
        out,
    ]
    for flags, sizes in (([], (3, 40)), (["--size=large"], (5000,))):
        done = run(*bench, *flags, timeout=300)
        assert done.returncode == 0, done.stderr
        rows = json.loads(out.read_text())["benchmarks"]
        assert [row["program"] for row in rows if row["engine"] == "eager"] == [
            f"f/{way}N:{n}" for n in sizes for way in ("", "backward/")
        ]
        assert {row["engine"] for row in rows} == {"eager", "vm/o2,fuse(loopnest,interp)"}
        assert {row["correctness"]["verdict"] for row in rows} == {"ok"}
    assert "1 of other sizes do: --size" in error(*bench, "--filter=^f/N:5000")
    assert "small" in error(*bench, "--size=tiny")
    (folder / "f.py").write_text("# bench: backward i64[4]<9 i64[4]<9\n" + body)
    done = run(*bench)
    assert (
        done.returncode == 2
        and "not measured: f/backward under eager: f/backward: no input of floats" in done.stderr
    )
    assert [row["program"] for row in json.loads(out.read_text())["benchmarks"]] == ["f", "f"]


def test_bench_measures_archives(tmp_path):
    script, folder, out = tmp_path / "m.py", tmp_path / "models", tmp_path / "x.json"
    script.write_text(
        "import torch\nfrom torch import Tensor\ndef f(a: Tensor):\n    return a * 3\n"
    )
    folder.mkdir()
    done = run("save", script, "--out", folder / "m.pt")
    assert done.returncode == 0, done.stderr
    bench = [
        "bench",
        "--programs",
        folder,
        "--plan=eager",
        "--plan=vm/o2",
        "--processes=1",
        "--iterations=20",
        "--out",
        out,
    ]
    assert "m.0.npy" in error(*bench)
    (folder / "m.0.npy").write_bytes(b"no array")
    assert "m.0.npy" in error(*bench)
    np.save(folder / "m.0.npy", np.ones(4, np.float32))
    done = run(*bench, timeout=300)
    assert done.returncode == 0, done.stderr
    rows = json.loads(out.read_text())["benchmarks"]
    assert [row["name"] for row in rows] == ["m/eager", "m/vm/o2"]
    assert all(row["correctness"]["verdict"] == "ok" and row["cpu_time"] > 0 for row in rows)


def test_bench_filter_is_an_expression(tmp_path):
    out = tmp_path / "x.json"
    assert "filter" in error("bench", "--filter=(", "--out", out)


def test_a_filter_that_matches_nothing_is_answered_by_the_names(tmp_path):
    folder, out = tmp_path / "programs", tmp_path / "out" / "x.json"
    folder.mkdir()
    bench = ["bench", "--programs", folder, "--plan=eager", "--out", out]
    assert f"{folder} holds no benchmark" in error(*bench, "--filter=good")
    (folder / "good.py").write_text(GOOD)
    shutil.copy(ROOT / "suites/regress/branch-no-index-takes.case", folder)
    said = error(*bench, "--filter=goof")
    assert f"--filter 'goof' matches no benchmark in {folder}; did you mean good?" in said, said
    assert "names there are branch-no-index-takes, good" in said, said
    said = error("bench", "--filter=^nothing of that name$", "--out", out)
    assert (
        "--filter '^nothing of that name$' matches no benchmark in " in said and " more" in said
    ), said
    assert not out.exists()


GOOD = (
    "# bench: f32[16]\nimport torch\nfrom torch import Tensor\ndef f(x: Tensor) -> Tensor:\n"
    "    return x * 2\n"
)


def test_a_program_that_cannot_run_is_reported_and_the_others_go_on(tmp_path):
    folder, out = tmp_path / "programs", tmp_path / "out" / "bench.json"
    folder.mkdir()
    (folder / "good.py").write_text(GOOD)
    (folder / "bad.py").write_text(GOOD.replace("x * 2", "x.view(4, 5)"))
    done = run(
        "bench",
        "--programs",
        folder,
        "--plan=eager",
        "--plan=vm",
        "--processes=2",
        "--iterations=20",
        "--out",
        out,
    )
    assert done.returncode == 2 and "not measured: bad under vm: " in done.stderr, done.stderr
    data = json.loads(out.read_text())
    assert {b["name"] for b in data["benchmarks"]} == {"good/eager", "good/vm"}
    assert [(x["program"], x["engine"]) for x in data["context"]["not_measured"]] == [
        ("bad", "eager"),
        ("bad", "vm"),
    ]
    assert run("report", out.parent).returncode == 0
    assert (
        "2 timings could not be measured: bad under eager: "
        in (out.parent / "report" / "summary.md").read_text()
    )


def test_one_process_has_no_interval_and_no_plan_stands_twice(tmp_path):
    folder, out = tmp_path / "programs", tmp_path / "out" / "bench.json"
    folder.mkdir()
    (folder / "good.py").write_text(GOOD)
    bench = ["bench", "--programs", folder, "--processes=1", "--iterations=20", "--out", out]
    done = run(*bench, "--plan=eager")
    assert done.returncode == 0 and "[one process]" in done.stdout
    steady = json.loads(out.read_text())["benchmarks"][0]["phases"]["steady"]
    assert steady["lower"] is None and steady["upper"] is None and steady["estimate"] > 0
    assert run("report", out.parent).returncode == 0
    assert "| one process |" in (out.parent / "report" / "summary.md").read_text()
    assert "plan 'vm/o2' is named twice" in error(*bench, "--plan=vm/o2", "--plan=vm/o2")


def test_the_first_ctrl_c_ends_what_runs(tmp_path):
    folder, out = tmp_path / "programs", tmp_path / "bench.json"
    folder.mkdir()
    (folder / "a.py").write_text(
        GOOD.replace("return x * 2", "while bool((x == x).all()):\n        x = x * 1\n    return x")
    )
    process = subprocess.Popen(
        [BINARY, "bench", "--programs", folder, "--plan=eager", "--processes=3", "--out", out],
        stderr=subprocess.PIPE,
        text=True,
    )
    some_child(process)  # which measures, and never comes to an end
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=600)[1]
    assert process.returncode == 72 and "interrupted: what was measured is being written" in said
    data = json.loads(out.read_text())
    assert data["context"]["interrupted"] and data["benchmarks"] == []


def test_bench_measures_cases(tmp_path):
    folder, out = tmp_path / "cases", tmp_path / "bench.json"
    folder.mkdir()
    for name in (
        "branch-no-index-takes",
        "tuple-of-branch-never-taken",
    ):  # a graph; a module of a script
        shutil.copy(ROOT / "suites" / "regress" / f"{name}.case", folder)
    bench = [
        "bench",
        "--programs",
        folder,
        "--plan=eager",
        "--plan=vm/o2",
        "--processes=1",
        "--iterations=20",
        "--out",
        out,
    ]
    done = run(*bench)
    assert done.returncode == 0, done.stderr
    rows = json.loads(out.read_text())["benchmarks"]
    assert {
        (row["program"], row["correctness"]["verdict"])
        for row in rows
        if row["program"].startswith("branch")
    } == {("branch-no-index-takes", "ok")}
    assert len(rows) == 4 and all(row["real_time"] > 0 for row in rows)
    (folder / "broken.case").write_text("fusillade case 1\nprogram:\n")
    assert "broken.case" in error(*bench)


def test_a_program_that_never_ends_is_reported_and_the_others_go_on(tmp_path):
    """A limit is there without any flag; of what is measured before, with a limit of its own
    here."""
    limit = next(
        line
        for line in run("bench", "--help").stdout.split("--timeout", 1)[1].splitlines()
        if "default" in line
    )
    assert "60s" in limit
    (tmp_path / "never.py").write_text(
        "# bench: f32[4]\ndef never(x):\n    n = 1\n    while n > 0:\n        n = n % 7 + 1\n"
        "    return x + n\n"
    )
    (tmp_path / "fine.py").write_text("# bench: f32[4]\ndef fine(x):\n    return x.relu()\n")
    out = tmp_path / "out.json"
    done = run(
        "bench",
        "--programs",
        tmp_path,
        "--plan=eager",
        "--plan=vm/o2",
        "--processes=1",
        "--iterations=20",
        "--timeout=2s",
        "--out",
        out,
    )
    assert done.returncode == 2, done.stderr
    data = json.loads(out.read_text())
    assert {b["program"] for b in data["benchmarks"]} == {"fine"} and len(data["benchmarks"]) == 2
    failed = data["context"]["not_measured"]
    assert [(f["program"], f["engine"], f["kind"]) for f in failed] == [
        ("never", "eager", "timeout"),
        ("never", "vm/o2", "timeout"),
    ]
    assert all(f["error"].startswith("timeout: ") and "within 2 s" in f["error"] for f in failed)
    assert "not measured: never under vm/o2: timeout: " in done.stderr
    done = (
        run("report", tmp_path)
        if (tmp_path / "bench.json").exists()
        else run("compare", out, out, "--gate=none")
    )
    assert done.returncode == 0 and "timeout: " in done.stdout, done
    assert "needs some time" in error("bench", "--timeout=0", "--out", out)
