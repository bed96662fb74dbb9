"""What a comparison says: each verdict, the family of its tests, the floor, the gate, and what is
no comparison."""

import copy
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import samples
from fusillade_reports import (
    compare,
    history,
    junit,
    merge,
    model,
    own_threshold,
    summary,
    what_changed,
)

ROOT = Path(__file__).resolve().parent.parent


def quiet(b):
    """A/A of 0.1 %, so that the threshold is what decides."""
    b["context"]["noise_floor"] = {"steady": 0.001, "compile": 0.001}
    for entry in b["benchmarks"]:
        entry["aa"] = {"steady": 1.001, "compile": 1.001}
    return b


def compare_entries(tmp_path, old, new, **options):
    paths = []
    for name, entries in (("old", old), ("new", new)):
        paths.append(
            samples.write(
                tmp_path / name,
                bench=entries if isinstance(entries, dict) else quiet(samples.bench(*entries)),
            )
        )
    return compare.compare(str(paths[0]), str(paths[1]), compare.Options(**options))


def steady(c):
    return {(r["program"], r["plan"]): r for r in c["rows"] if r["metric"] == "steady"}


def entry(program, ns, seed, **more):
    """Ten processes that scatter by 2 %; of another seed, other ones."""
    return samples.entry(program, "vm/o2", ns, **({"processes": 10, "seed": seed} | more))


CASES = {
    "faster": ((1000.0, {}), (800.0, {})),
    "slower": ((1000.0, {}), (1200.0, {})),
    "same": ((1000.0, {"scatter": 0.002}), (1000.0, {"scatter": 0.002})),
    "ambiguous": ((1000.0, {}), (1018.0, {})),
    "unstable": ((1000.0, {"scatter": 0.3}), (1000.0, {"scatter": 0.3})),
    "insufficient": ((1000.0, {"processes": 2}), (1200.0, {"processes": 2})),
    "no steady state": ((1000.0, {}), (1200.0, {"kind": "no steady state"})),
    "code identical": ((1000.0, {"code": "f00d"}), (1200.0, {"code": "f00d"})),
    "error": ((1000.0, {}), (800.0, {"verdict": "mismatch"})),
}


@pytest.mark.parametrize("verdict", sorted(CASES))
def test_each_verdict(tmp_path, verdict):
    (before, one), (after, other) = CASES[verdict]

    def entry_of(ns, seed, more):
        return samples.entry("p", "vm/o2", ns, seed=seed, **({"processes": 10} | more))

    c = compare_entries(tmp_path, [entry_of(before, "a", one)], [entry_of(after, "b", other)])
    row = steady(c)["p", "vm/o2"]
    assert row["verdict"] == verdict and c["counts"][verdict] >= 1
    assert c["exit_code"] == {
        "slower": 2,
        "error": 2,
        "faster": 0,
        "same": 0,
        "code identical": 0,
    }.get(verdict, 3)
    if verdict in ("faster", "slower"):
        assert row["lower"] < row["ratio"] < row["upper"] and row["ratio"] == pytest.approx(
            after / before, rel=0.03
        )
        assert row["p"] <= row["p_adjusted"] < 0.01


def test_what_one_run_lacks(tmp_path):
    c = compare_entries(
        tmp_path,
        [entry("gone", 10.0, "a"), entry("kept", 10.0, "a")],
        [entry("kept", 10.0, "b"), entry("come", 10.0, "b")],
    )
    said = {program: r["verdict"] for (program, _), r in steady(c).items()}
    assert said["gone"] == "missing" and said["come"] == "new"
    mean = next(m for m in c["means"] if m["metric"] == "steady")
    assert (mean["programs"], mean["of"]) == (1, 3) and mean["lower"] < mean["ratio"] < mean[
        "upper"
    ]
    assert "geometric mean over 1 of 3 programs" in what_changed.terminal(c)


def not_measured(why):
    """A run that could not measure p, and could q."""
    b = quiet(samples.bench(entry("q", 100.0, "b", **IDENTICAL)))
    b["context"]["not_measured"] = [{"program": "p", "engine": "vm/o2", "error": why}]
    return b


IDENTICAL = {"code": "f00d", "instructions": 1000}
MEMORY = {"allocations": 3, "peak_bytes": 64}
LOST = {  # what the new run has in place of p, of right outputs before, and what is said
    "gone": ([entry("q", 100.0, "b", **IDENTICAL)], "p/vm/o2 (missing)"),
    "raises": (not_measured("it raised"), "p/vm/o2 (it could not be measured: it raised)"),
    "never ends": (
        not_measured("timeout: no process ended within 3 s"),
        "timeout: no process ended within 3 s",
    ),
    **{
        v: (
            [entry("p", 100.0, "b", **IDENTICAL, verdict=v), entry("q", 100.0, "b", **IDENTICAL)],
            f"p/vm/o2 (outputs: ok before, {v} after)",
        )
        for v in ("mismatch", "crash", "hang", "untrusted")
    },
}


@pytest.mark.parametrize("gate", ["steady", "compile", "instructions", "memory"])
@pytest.mark.parametrize("how", sorted(LOST))
def test_what_was_measured_and_is_lost_fails_the_gate(tmp_path, how, gate):
    """Otherwise the code is the same, which alone passes."""
    new, message = LOST[how]
    old = [entry(p, 100.0, "a", **IDENTICAL) for p in "pq"]
    for e in (*old, *(new["benchmarks"] if isinstance(new, dict) else new)):
        e["memory"] = MEMORY
    c = compare_entries(tmp_path, old, new, gate=gate)
    assert c["exit_code"] == 2
    line = next(x for x in what_changed.lines(c) if x.level == "FAIL")
    assert line.text.startswith(f"Gate {gate}: ") and message in line.text
    (tmp_path / "compare.json").write_text(json.dumps(c))
    model.load(str(tmp_path / "compare.json"), "compare")
    assert 'type="' in junit.text(None, [], None, c).split("<failure", 1)[1]
    assert "FAIL" in summary.text(None, None, [], what_changed.lines(c), c)
    assert compare_entries(tmp_path, old, new, gate="none")["exit_code"] == 0
    assert compare_entries(tmp_path, old, new, gate=gate, allow_missing=True)["exit_code"] == (
        0 if how == "gone" else 2
    )
    assert compare_entries(tmp_path, old, old, gate=gate)["exit_code"] == 0


def test_what_was_wrong_before_is_no_loss(tmp_path):
    old = [
        entry("p", 100.0, "a", **IDENTICAL, verdict="mismatch"),
        entry("q", 100.0, "a", **IDENTICAL),
    ]
    new = [
        entry("p", 100.0, "b", **IDENTICAL, verdict="mismatch"),
        entry("q", 100.0, "b", **IDENTICAL),
    ]
    c = compare_entries(tmp_path, old, new)
    assert c["exit_code"] == 0 and c["counts"]["error"] == 4


def test_counts_that_the_new_run_lacks_are_lost(tmp_path):
    """The timing is there, its instructions or its memory are not."""
    old = [entry(p, 100.0, "a", **IDENTICAL) | {"memory": MEMORY} for p in "pq"]
    new = [
        entry("p", 100.0, "b", code="f00d"),
        entry("q", 100.0, "b", **IDENTICAL) | {"memory": MEMORY},
    ]
    for gate in ("instructions", "memory"):
        c = compare_entries(tmp_path, old, new, gate=gate)
        assert c[
            "exit_code"
        ] == 2 and "p/vm/o2 (counted before, and not after)" in what_changed.terminal(c)
    assert compare_entries(tmp_path, old, new, gate="steady")["exit_code"] == 0


def test_outputs_that_nobody_looked_at_are_reported(tmp_path):
    old, new = (
        [entry("p", 100.0, x, **IDENTICAL, verdict=v)]
        for x, v in (("a", "ok"), ("b", "not checked"))
    )
    c = compare_entries(tmp_path, old, new)
    assert c["exit_code"] == 0
    assert (
        "WARN The outputs of 1 of 1 timing of the new run were not checked."
        in what_changed.terminal(c)
    )


def test_identical_code_gives_the_floor(tmp_path):
    """Equal code that seems 30 % slower is noise between the runs: a change of 20 % with it does
    not count, one of 60 % does."""
    old = [entry("same", 100.0, "a", code="f00d"), entry("p", 100.0, "a"), entry("q", 100.0, "a")]
    new = [entry("same", 130.0, "b", code="f00d"), entry("p", 120.0, "b"), entry("q", 160.0, "b")]
    c = compare_entries(tmp_path, old, new)
    said = {program: r["verdict"] for (program, _), r in steady(c).items()}
    assert said == {"same": "code identical", "p": "ambiguous", "q": "slower"}
    assert steady(c)["p", "vm/o2"]["floor"] > 0.25 and c["exit_code"] == 2


def test_noise_within_a_run_is_a_floor(tmp_path):
    old, new = (
        quiet(samples.bench(entry("p", 100.0, "a"))),
        quiet(samples.bench(entry("p", 120.0, "b"))),
    )
    assert compare_entries(tmp_path, old, new)["exit_code"] == 2
    new["benchmarks"][0]["aa"]["steady"] = 0.7
    assert compare_entries(tmp_path, old, new)["exit_code"] == 3
    new["benchmarks"][0]["aa"]["steady"] = None
    old["context"]["noise_floor"]["steady"] = 0.4
    assert compare_entries(tmp_path, old, new)["exit_code"] == 3


def test_without_a_floor_nothing_is_slower(tmp_path):
    """Three processes show no A/A, and then times show no change, however great; by turns the old
    code is measured again."""

    def run(number, **options):
        old, new = (
            samples.bench(entry("p", 100.0, "a", processes=number)),
            samples.bench(entry("p", 200.0, "b", processes=number)),
        )
        again = samples.write(
            tmp_path / "again", bench=samples.bench(entry("p", 100.0, "c", processes=number))
        )
        return steady(
            compare_entries(tmp_path, old, new, **{k: str(again / "bench.json") for k in options})
        )["p", "vm/o2"]

    row = run(3)
    assert (row["verdict"], row["reason"]) == ("insufficient", "3 of at least 4 processes")
    assert run(4)["verdict"] == "slower" and run(3, again=True)["verdict"] == "slower"
    assert run(2, again=True)["reason"] == "2 of at least 3 processes"


def test_gate(tmp_path):
    one, other = samples.bench(entry("p", 100.0, "a")), samples.bench(entry("p", 150.0, "b"))
    assert compare_entries(tmp_path, quiet(one), quiet(other), gate="steady")["exit_code"] == 2
    assert compare_entries(tmp_path, one, other, gate="none")["exit_code"] == 0
    assert (
        compare_entries(tmp_path, one, other, gate="compile")["exit_code"] == 3
    )  # 10 % about equal ones
    other["benchmarks"][0]["phases"]["compile"] = samples.interval(9e6)
    assert compare_entries(tmp_path, one, other, gate="compile")["exit_code"] == 2


def test_another_processor_and_other_types_decide_nothing(tmp_path):
    old, new = (
        quiet(samples.bench(entry("p", 100.0, "a"))),
        quiet(samples.bench(entry("p", 200.0, "b"))),
    )
    new["context"]["machine"]["cpu"] = "another"
    assert (
        steady(compare_entries(tmp_path, old, new))["p", "vm/o2"]["reason"]
        == "measured on two kinds of processor"
    )
    new["context"]["machine"]["cpu"] = old["context"]["machine"]["cpu"]
    new["benchmarks"][0]["typed"] = True
    assert steady(compare_entries(tmp_path, old, new))["p", "vm/o2"]["verdict"] == "insufficient"


def test_modes_are_distinguished(tmp_path):
    old = [entry("p", 100.0, "a"), entry("p", 50.0, "c", mode="alone")]
    new = [entry("p", 100.0, "b"), entry("p", 75.0, "d", mode="alone")]
    said = {
        plan: r["verdict"] for (_, plan), r in steady(compare_entries(tmp_path, old, new)).items()
    }
    assert said["vm/o2 (alone)"] == "slower" and said["vm/o2"] != "slower"


def test_processes_by_turns_are_paired(tmp_path):
    """A drift that both share hides a change of 5 % from two runs, and not from runs by turns."""
    noise = np.random.default_rng(3)
    drift = np.exp(noise.normal(0, 0.2, 10))
    old, new = (
        quiet(samples.bench(entry("p", 100.0, "a"))),
        quiet(samples.bench(entry("p", 100.0, "b"))),
    )
    for b, level in ((old, 100.0), (new, 105.0)):
        b["benchmarks"][0]["samples_ns"] = [
            list(level * d * np.exp(noise.normal(0, 0.005, 40))) for d in drift
        ]
    assert steady(compare_entries(tmp_path, old, new))["p", "vm/o2"]["verdict"] == "unstable"
    again = quiet(samples.bench(entry("p", 100.0, "a")))
    again["benchmarks"][0]["samples_ns"] = [
        list(100.0 * d * np.exp(noise.normal(0, 0.005, 40))) for d in drift
    ]
    again = str(samples.write(tmp_path / "again", bench=again) / "bench.json")
    c = compare_entries(tmp_path, old, new, again=again)
    assert (
        steady(c)["p", "vm/o2"]["verdict"] == "slower" and steady(c)["p", "vm/o2"]["floor"] < 0.01
    )
    twice = compare_entries(
        tmp_path,
        old,
        json.loads(Path(again).read_text()),
        again=str(tmp_path / "new" / "bench.json"),
    )
    assert steady(twice)["p", "vm/o2"]["verdict"] == "same" or twice["exit_code"] != 2


def test_instructions_are_compared_as_they_are(tmp_path):
    """1 % more is a regression whatever the times do; the gate of times does not see it."""

    def runs(count):
        return [
            entry(p, 100.0, p, instructions=n)
            for p, n in (("p", count), ("q", 100_000), ("r", None))
        ]

    for count, said, code in (
        (100_000, "same", 0),
        (100_400, "same", 0),
        (101_000, "slower", 2),
        (99_000, "faster", 0),
    ):
        c = compare_entries(tmp_path, runs(100_000), runs(count), gate="instructions")
        rows = {(r["program"], r["metric"]): r for r in c["rows"]}
        assert rows["p", "instructions"]["verdict"] == said and c["exit_code"] == code
        assert rows["q", "instructions"]["verdict"] == "same" and ("r", "instructions") not in rows
        assert rows["q", "compile instructions"]["verdict"] == "same"
    assert compare_entries(tmp_path, runs(100_000), runs(150_000), gate="steady")["exit_code"] != 2
    assert "instructions: slower 1, same 1." in what_changed.terminal(
        compare_entries(tmp_path, runs(100_000), runs(101_000))
    )
    one = compare_entries(tmp_path, runs(100_000), [entry("p", 100.0, "p")])
    assert {r["verdict"] for r in one["rows"] if r["metric"] == "instructions"} == {"missing"}
    other = compare_entries(tmp_path, [entry("p", 100.0, "p")], runs(100_000))
    assert {r["verdict"] for r in other["rows"] if r["metric"] == "instructions"} == {
        "insufficient",
        "new",
    }


def test_parts_are_merged(tmp_path):
    parts = []
    for i in range(5):
        b = samples.bench(entry("p", 100.0, i), entry("q", 50.0, i))
        for e in b["benchmarks"]:
            e |= {
                "repetitions": 1,
                "samples_ns": e["samples_ns"][:1],
                "aa": {"steady": None, "compile": None},
            }
            e["warmup"]["per_process"] = e["warmup"]["per_process"][:1]
            e["phases"]["compile"] = samples.interval(1e6 * (1 + i % 2)) | {"processes": 1}
        parts.append(str(samples.write(tmp_path / str(i), bench=b) / "bench.json"))
    done = subprocess.run(
        [sys.executable, "-m", "fusillade_reports", "merge", tmp_path / "all.json", *parts],
        cwd=ROOT,
        check=True,
    )
    whole = model.load_bench(str(tmp_path / "all.json"))
    p = whole.of("p", "vm/o2")
    assert done.returncode == 0 and len(p.samples) == 5 and p.compile.processes == 5
    assert (
        p.compile.estimate == pytest.approx(1e6 * 2**0.4)
        and p.compile.lower < 1e6
        and p.aa["compile"] == pytest.approx(2 ** (1 / 3 - 1 / 2))
    )
    with pytest.raises(model.Broken, match="more than one process"):
        merge.merge([str(tmp_path / "all.json")])
    other = samples.write(tmp_path / "other", bench=samples.bench(entry("r", 1.0, 0)))
    with pytest.raises(model.Broken, match="other timings"):
        merge.merge([parts[0], str(other / "bench.json")])
    # A program that raised in one process is measured in none.
    short = json.loads(open(parts[1], encoding="utf-8").read())
    gone = short["benchmarks"].pop()
    short["context"]["not_measured"] = [
        {"program": gone["program"], "engine": gone["engine"], "error": "it raised"}
    ]
    last = str(samples.write(tmp_path / "short", bench=short) / "bench.json")
    first = json.loads(open(parts[0], encoding="utf-8").read())
    first["context"]["not_measured"] = []
    rest = merge.merge([str(samples.write(tmp_path / "first", bench=first) / "bench.json"), last])
    assert {b["program"] for b in rest["benchmarks"]} == {"p"} and rest["context"][
        "not_measured"
    ] == short["context"]["not_measured"]


def test_what_could_not_be_measured_is_an_error(tmp_path):
    bad = samples.bench()
    bad["context"]["not_measured"] = [{"program": "p", "engine": "vm/o2", "error": "it raised"}]
    old = samples.write(tmp_path / "old", bench=samples.bench(entry("p", 100.0, 0)))
    new = samples.write(tmp_path / "new", bench=bad)
    rows = compare.compare(str(old), str(new), compare.Options())["rows"]
    assert {(r["verdict"], r["reason"]) for r in rows} == {
        ("error", "it could not be measured: it raised")
    }
    both = compare.compare(str(new), str(new), compare.Options())
    assert [(r["name"], r["verdict"]) for r in both["rows"]] == [("p/vm/o2", "error")]
    (tmp_path / "compare.json").write_text(json.dumps(both))
    model.load(str(tmp_path / "compare.json"), "compare")
    assert (
        "WARN 1 timing of outputs that are wrong or cannot be judged, or that could not be "
        "measured: p/vm/o2." in what_changed.terminal(both)
    )
    later = compare.compare(str(new), str(old), compare.Options())["rows"]
    assert {(r["verdict"], r["reason"]) for r in later} == {
        ("new", "the old run could not measure it: it raised")
    }


def history_of(tmp_path, spread, runs=30, program="p", instructions=None, change=None, **context):
    """A history of a timing whose steady call scatters by `spread` between runs; from the run
    `change` on it takes a half more."""
    db, random = str(tmp_path / "history.sqlite"), np.random.default_rng(5)
    for i in range(runs):
        level = (
            100
            * float(np.exp(random.normal(0, spread)))
            * (1.5 if change is not None and i >= change else 1)
        )
        b = samples.bench(
            samples.entry(
                program,
                "vm/o2",
                level,
                seed=f"h{i}",
                processes=4,
                instructions=instructions and instructions(i),
            )
        )
        b["context"] |= {"date": f"2026-11-25T18:{i:02d}:29+00:00"} | context
        folder = samples.write(tmp_path / f"h{i}", bench=b)
        history.add(db, str(folder), history.Commit(f"{i:040x}", 1_700_000_000 + i, i, ""))
    return db


def test_a_timing_has_a_threshold_by_its_own_history(tmp_path):
    """Where runs differ by little a change of 1.5 % counts, which 2 % would hide; where by much one
    of 5 % does not."""

    def run(share, db):
        old, new = (
            entry("p", 100.0, "a", scatter=0.001),
            entry("p", 100.0 * (1 + share), "b", scatter=0.001),
        )
        for e, ns in ((old, 100.0), (new, 100.0 * (1 + share))):
            e["samples_ns"] = [
                [x / float(np.median(s)) * ns * (1 + 0.0005 * (i % 3)) for x in s]
                for i, s in enumerate(e["samples_ns"])
            ]
        return compare_entries(
            tmp_path, [old, entry("q", 100.0, "a")], [new, entry("q", 100.0, "b")], history=db
        )

    quiet_db = history_of(tmp_path / "quiet", 0.002)
    row = steady(run(0.015, quiet_db))["p", "vm/o2"]
    assert (
        row["verdict"] == "slower"
        and row["threshold_of"] == "history"
        and 0.004 < row["threshold"] < 0.015
    )
    assert row["reason"] == f"more than {100 * row['threshold']:.2g} %, by its history"
    assert steady(run(0.015, None))["p", "vm/o2"]["verdict"] == "same"
    noisy = run(0.05, history_of(tmp_path / "noisy", 0.02))
    row = steady(noisy)["p", "vm/o2"]
    assert (
        row["verdict"] == "ambiguous"
        and row["threshold"] > 0.05
        and "by its history" in row["reason"]
    )
    assert (
        steady(noisy)["q", "vm/o2"]["threshold"] == 0.02
        and steady(noisy)["q", "vm/o2"]["threshold_of"] == "given"
    )
    assert "what its own history says (2 rows, " in what_changed.terminal(
        noisy
    ) and "else 2 %" in what_changed.terminal(noisy)


def test_never_below_the_floor(tmp_path):
    db = history_of(tmp_path, 0.002)
    old, new = (
        quiet(samples.bench(entry("p", 100.0, "a", scatter=0.002))),
        quiet(samples.bench(entry("p", 105.0, "b", scatter=0.002))),
    )
    assert (
        steady(compare_entries(tmp_path, old, new, history=db))["p", "vm/o2"]["verdict"] == "slower"
    )
    old["context"]["noise_floor"]["steady"] = 0.08
    row = steady(compare_entries(tmp_path, old, new, history=db))["p", "vm/o2"]
    assert (
        row["verdict"] == "ambiguous"
        and row["reason"] == "more than chance, and not more than 8 %, the A/A floor"
    )


def test_what_a_history_does_not_say(tmp_path):
    """Too few runs, another processor, a timing compiled for types: the threshold asked for. A
    change in it does not count as noise."""
    one = [entry("p", 100.0, "a")]
    for name, more in (
        ("few", {"runs": own_threshold.LEAST}),
        ("other", {"machine": {"cpu": "another", "blas_kernels": "Zen"}}),
    ):
        row = steady(
            compare_entries(tmp_path, one, one, history=history_of(tmp_path / name, 0.002, **more))
        )["p", "vm/o2"]
        assert (row["threshold"], row["threshold_of"]) == (0.02, "given"), name
    changed = steady(
        compare_entries(
            tmp_path, one, one, history=history_of(tmp_path / "changed", 0.002, change=15)
        )
    )["p", "vm/o2"]
    assert 0.004 < changed["threshold"] < 0.015
    with pytest.raises(model.Broken, match="does not exist"):
        compare_entries(tmp_path, one, one, history=str(tmp_path / "none"))


def test_counts_that_were_restless_have_a_wider_threshold(tmp_path):
    """By up to 0.4 % from commit to commit: then 1 % is not more than usual. Counts that never
    changed keep the least one."""
    old, new = (
        [entry("p", 100.0, "a", instructions=100_000)],
        [entry("p", 100.0, "b", instructions=101_000)],
    )

    def reasons(name, counts):
        c = compare_entries(
            tmp_path,
            old,
            new,
            gate="instructions",
            history=history_of(tmp_path / name, 0.002, instructions=counts),
        )
        return next(r for r in c["rows"] if r["metric"] == "instructions")

    row = reasons("restless", lambda i: 100_000 + (400, 0, 100, 300)[i % 4])
    assert (
        row["verdict"] == "same"
        and row["threshold_of"] == "history"
        and row["reason"].endswith("by its history")
    )
    row = reasons("still", lambda i: 100_000)
    assert row["verdict"] == "slower" and row["threshold"] == 0.005


def test_holm():
    assert compare.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert compare.holm([0.9, 0.8]) == [1.0, 1.0] and compare.holm([]) == []


def test_equals_raise_no_alarm(tmp_path):
    """200 comparisons of ten equal timings, noise of 2 %, no floor: at most 1 % of them say faster
    or slower."""
    alarms = 0
    for run in range(200):
        random = np.random.default_rng(run)
        ps = []
        for _ in range(10):
            a, b = (
                np.exp(random.normal(0, 0.02, (5, 1)) + random.normal(0, 0.02, (5, 20)))
                for _ in range(2)
            )
            ps.append(
                compare.intervals.ratio(list(a), list(b), seed=run, draws=300, paired=False).p
            )
        alarms += min(compare.holm(ps)) <= 0.01
    assert alarms <= 5  # of 200 at 1 %: 2 expected, beyond 5 once in sixty


def run(*words):
    return subprocess.run(
        [sys.executable, "-m", "fusillade_reports", "compare", *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


def test_the_command_and_its_files(tmp_path):
    old = samples.write(
        tmp_path / "old",
        bench=quiet(samples.bench(entry("p", 100.0, "a"), entry(samples.HOSTILE, 9.0, "a"))),
    )
    new = samples.write(
        tmp_path / "new",
        bench=quiet(samples.bench(entry("p", 150.0, "b"), entry(samples.HOSTILE, 9.0, "b"))),
    )
    done = run(old, new / "bench.json", "--out", tmp_path / "out")
    assert done.returncode == 2, done.stderr
    assert "FAIL Gate steady: 1 regression: p/vm/o2 +4" in done.stdout
    c = model.load(str(tmp_path / "out" / "compare.json"), "compare")
    assert c["exit_code"] == 2 and c["rows"][0]["verdict"] == "slower"
    markdown = (tmp_path / "out" / "report" / "summary.md").read_text()
    assert (
        "## What changed" in markdown
        and "| slower |" in markdown
        and "<script" not in summary.re.sub(r"(`+).*?\1", "", markdown)
    )
    page = (tmp_path / "out" / "report" / "index.html").read_text()
    assert "What changed" in page and "<script>alert" not in page
    junit = (tmp_path / "out" / "report" / "junit.xml").read_text()
    assert 'classname="compare.p" name="vm/o2, steady"' in junit and junit.count("<failure") == 1


def test_what_cannot_be_compared_is_reported(tmp_path):
    good = samples.write(tmp_path / "good", bench=samples.two_plans())
    empty = samples.write(tmp_path / "empty", bench=samples.bench())
    broken = samples.two_plans()
    broken["benchmarks"][0]["colour"] = 1
    broken = samples.write(tmp_path / "broken", bench=broken)
    for words, message in (
        ((good, tmp_path), "bench.json does not exist"),
        ((good, empty), "holds no timing"),
        ((broken, good), "unknown field colour"),
        ((good, good, "--gate", "colour"), "invalid choice"),
        ((good,), "required: new"),
    ):
        done = run(*words)
        assert done.returncode == 1 and message in done.stderr, done


def test_a_wrong_compare_json_is_refused(tmp_path):
    c = compare_entries(tmp_path, [entry("p", 100.0, "a")], [entry("p", 150.0, "b")])
    for change, message in (
        ({"colour": 1}, "unknown field colour"),
        ({"counts": {}}, "counts: they are not those"),
        ({"correction": "none"}, "is not Holm"),
    ):
        (tmp_path / "compare.json").write_text(json.dumps(copy.deepcopy(c) | change))
        with pytest.raises(model.Broken, match=message):
            model.load(str(tmp_path / "compare.json"), "compare")
