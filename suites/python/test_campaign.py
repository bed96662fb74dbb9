"""Campaigns end to end: files, exit codes, findings that survive kill -9, bad input, benchmarks,
reports.

The engine has no failure to find here, so failures are planted: an engine that is wrong, programs
that never end, workers that are stopped or killed from outside, and saved cases whose program
raises or needs more memory than it may have.
"""

import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from under_test import (
    BINARY,
    ENDLESS,
    ROOT,
    SOON,
    busy_child,
    children,
    error,
    hit,
    programs_so_far,
    run,
    some_child,
    start,
    wait_until,
    wrong_engine,
)

sys.path.insert(0, str(ROOT / "reports"))
from fusillade_reports import model


def cases_on_disk(out):
    return list(out.glob("pending/*.case")) + list(out.glob("findings/*"))


def report(out):
    return json.loads((out / "campaign.json").read_text())


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    out = tmp_path_factory.mktemp("campaign") / "out"
    done = run("fuzz", "--runs=150", "--seed=5", "--jobs=2", "--out", out)
    assert done.returncode == 0, done.stderr
    return out, done


def test_campaign_json_holds_what_readers_need(campaign):
    c = report(campaign[0])
    for key in (
        "seconds",
        "jobs",
        "seed",
        "programs",
        "executions",
        "programs_per_second_per_job",
        "verdicts",
        "elements",
        "findings",
    ):
        assert key in c, key
    for key in (
        "ok",
        "mismatch",
        "crash",
        "hang",
        "bug",
        "memory",
        "flaky",
        "slow",
        "untrusted",
        "skip",
    ):
        assert key in c["verdicts"], key
    for key in ("compared", "tight", "untrusted"):
        assert key in c["elements"], key
    assert isinstance(c["verdicts"]["skip"], dict)
    assert c["programs"] == 150 and c["seed"] == 5 and c["jobs"] == 2
    assert c["executions"] > 150 and c["verdicts"]["ok"] > 100
    assert 0 < c["elements"]["tight"] <= c["elements"]["compared"]
    assert c["findings"] == []


def judgements(c):
    verdicts = c["verdicts"]
    counted = sum(n for n in verdicts.values() if isinstance(n, int))
    return counted + sum(verdicts["skip"].values())


def test_what_it_cost_is_reported_by_part(campaign):
    c = report(campaign[0])
    cost = c["cost"]
    parts = {p["part"]: p for p in cost["parts"]}
    assert parts["generate"]["times"] == c["programs"]
    # A program that raises is asked once more, by `valid`, which counts where it finds something.
    asked = sum(p["times"] for p in cost["parts"]) - c["programs"] - judgements(c)
    assert 0 <= asked <= parts["valid"]["times"]
    assert c["executions"] <= sum(p["executions"] for p in cost["parts"]) <= 1.1 * c["executions"]
    assert sum(p["share"] for p in cost["parts"]) == pytest.approx(1)
    assert sum(p["cpu_seconds"] for p in cost["parts"]) == pytest.approx(cost["cpu_seconds"])
    assert sum(cost["stages"].values()) == pytest.approx(1)
    assert set(cost["stages"]) <= {"generate", "compile", "eager", "shadow", "run", "judge"}
    summary = (campaign[0] / "summary.md").read_text()
    assert "## What it cost" in summary and "| differential |" in summary


def test_summary_picture_and_database(campaign):
    out, done = campaign
    summary = (out / "summary.md").read_text()
    assert "150 programs" in summary and "Findings: 0" in summary
    assert summary in done.stdout
    assert (out / "campaign.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    db = sqlite3.connect(out / "campaign.db")
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_report_makes_a_page(campaign):
    out, _ = campaign
    done = run("report", out)
    assert done.returncode == 0, done.stderr
    pages = list(out.rglob("index.html"))
    assert pages and "150" in pages[0].read_text()


def test_a_second_campaign_needs_resume(campaign):
    out, _ = campaign
    assert "--resume" in error("fuzz", "--runs=150", "--seed=5", "--jobs=2", "--out", out)
    assert "same seed" in error(
        "fuzz", "--runs=200", "--seed=6", "--jobs=2", "--resume", "--out", out
    )


def test_resume_goes_on(tmp_path):
    out = tmp_path / "out"
    assert run("fuzz", "--runs=40", "--out", out).returncode == 0
    assert run("fuzz", "--runs=90", "--resume", "--out", out).returncode == 0
    c = report(out)
    assert c["programs"] == 90
    whole = tmp_path / "whole"
    assert run("fuzz", "--runs=90", "--out", whole).returncode == 0
    both = report(whole)
    assert both["executions"] == c["executions"] and both["verdicts"]["ok"] == c["verdicts"]["ok"]


def test_resume_adds_to_the_cost(tmp_path):
    out = tmp_path / "out"
    times = []
    for runs, more in (("12", []), ("30", ["--resume"])):
        run("fuzz", f"--runs={runs}", "--seed=5", "--jobs=1", "--min-yield=0", "--out", out, *more)
        parts = {p["part"]: p for p in report(out)["cost"]["parts"]}
        times.append(parts["generate"]["times"])
    assert times == [12, 30]


def test_too_little_yield_is_inconclusive(tmp_path):
    done = run("fuzz", "--runs=300", "--min-yield=1", "--out", tmp_path / "out")
    assert done.returncode == 3 and "inconclusive" in done.stderr


def test_findings_are_whole(tmp_path):
    """Of a program that never ends, so that no machine is too slow or too fast for the limit."""
    out, never = tmp_path / "out", tmp_path / "never.py"
    never.write_text(ENDLESS)
    done = run(
        "check",
        never,
        "--arg",
        "1",
        "--inputs=1",
        "--oracle=differential",
        SOON,
        "--out",
        out,
        timeout=300,
        env={**os.environ, "FUSILLADE_CUDA_INDEX_BITS": "16"},
    )
    assert done.returncode == 2, done.stderr
    c = report(out)
    assert c["verdicts"]["hang"] >= 1 and [f["verdict"] for f in c["findings"]] == ["hang"]
    for f in c["findings"]:
        assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)+-[0-9a-f]{12}", f["bucket"]), f
        folder = out / "findings" / f["bucket"]
        assert {"finding.json", "README.md", "repro.sh", "reduced.case", "original.case"} <= {
            p.name for p in folder.iterdir()
        }
        assert out / f["case"] == folder / "reduced.case"
        assert f["oracle"] and f["blame"] and f["nodes"] >= 0
        option = "FUSILLADE_CUDA_INDEX_BITS=16 "  # as the campaign had it
        for word in (
            f"Reproduce with: {option}fusillade",
            "Reduce with:",
            "Bisect with:",
            f["bucket"],
        ):
            assert word in done.stderr
        assert f"\n{option}fusillade repro" in (folder / "README.md").read_text()
        assert f"exec env {option}" in (folder / "repro.sh").read_text()
        finding_data = model.load(str(folder / "finding.json"), "finding")  # as its schema says
        for key in ("bucket", "verdict", "oracle", "message", "nodes", "origin"):
            assert finding_data[key] == f[key], key
        assert finding_data["blame"]["words"] == f["blame"] and finding_data["cases"] == f["count"]
        assert finding_data["commands"]["repro"].startswith(f"{option}fusillade repro reduced.case")
        assert finding_data["program"]["language"] == "script"
        case = (folder / "reduced.case").read_text()
        lines = finding_data["program"]["text"].splitlines()
        assert "  " + "\n  ".join(lines) in case and any("while " in line for line in lines)
        assert run("show", folder / "reduced.case").returncode == 0
        assert run("repro", SOON, folder / "reduced.case").returncode == 70
        script = subprocess.run(
            ["sh", folder / "repro.sh"], env={**os.environ, "FUSILLADE": BINARY}, timeout=60
        )
        assert script.returncode == 70  # under the limits it was found with
    assert not list((out / "pending").iterdir())


MUTES = """# what a wrong engine makes
known: negated
{}
reason: the engine is wrong
owner: the tests
until: {}

known: never-seen
blame: no such part*
reason: it was mended
owner: the tests
until: 9999-12-31
"""


@pytest.mark.parametrize(
    "predicate, until, mutes, says",
    [
        ("blame: *", "9999-12-31", True, "known never-seen: not seen in this campaign"),
        ("ops: aten::*", "9999-12-31", True, "known never-seen: not seen in this campaign"),
        ("ops: aten::no_such_op*", "9999-12-31", False, "known negated: not seen in this campaign"),
        (
            "blame: *",
            "2026-01-01",
            False,
            "known negated: past its day (2026-01-01), it mutes nothing; the tests is to answer",
        ),
        ("verdict: bug", "9999-12-31", False, "known negated: not seen in this campaign"),
    ],
)
def test_known_causes_do_not_count(tmp_path, predicate, until, mutes, says):
    out, known = tmp_path / "out", tmp_path / "known"
    known.write_text(MUTES.format(predicate, until))
    done = run(
        "fuzz",
        "--runs=140",
        "--seed=1",
        "--min-yield=0",
        *wrong_engine(tmp_path),
        "--known",
        known,
        "--out",
        out,
    )
    c = report(out)
    assert c["findings"]
    assert done.returncode == (0 if mutes else 2), done.stderr
    assert c["pending_known"] == ({"negated": c["pending"]} if mutes and c["pending"] else {})
    assert (
        f"{c['pending']} of them are muted as negated: they do not count." in done.stdout
    ) == bool(c["pending_known"])
    assert says in done.stderr, done.stderr
    assert {f["known"] for f in c["findings"]} == {"negated" if mutes else None}
    first, second = c["known"]
    assert (
        first["name"] == "negated"
        and first["expired"] == until.startswith("2026")
        and second["findings"] == 0
    )
    assert first["findings"] == (len(c["findings"]) if mutes else 0)
    assert first["cases"] == (sum(f["count"] for f in c["findings"]) if mutes else 0)
    assert (
        f"## Findings: {0 if mutes else len(c['findings'])}" in done.stdout
        and "| never-seen |" in done.stdout
    )
    for f in c["findings"]:  # kept, whether muted or not
        assert f"\n- cases: {f['count']}\n" in (out / f["case"]).with_name("README.md").read_text()
        finding_data = json.loads((out / f["case"]).with_name("finding.json").read_text())
        assert finding_data["cases"] == f["count"]


def test_the_mute_list_of_eager_mode_is_read(tmp_path):
    done = run(
        "fuzz",
        "--runs=1",
        "--plan=eager",
        "--min-yield=0",
        "--known",
        ROOT / "suites/external/eager.known",
        "--out",
        tmp_path / "out",
    )
    assert done.returncode == 0 and "| logsumexp-of-no-dims |" in done.stdout, (
        done.stdout + done.stderr
    )
    assert "not seen" not in done.stderr  # its records are of engines that took no part


def test_a_mute_list_with_a_mistake_is_refused(tmp_path):
    out, mutes = tmp_path / "out", tmp_path / "known"
    for text, says in [
        ("known: a\nblam: x\n", ":2: 'blam' is no field; did you mean blame"),
        ("known: a\nblame: x\nreason: y\nowner: z\n", ":1: 'a' has no until"),
        (MUTES.format("verdict: ok", "9999-12-31"), ":3: 'ok' is no verdict"),
        (MUTES.format("verdict: bug", "2026-02-30"), ":6: '2026-02-30' is no day"),
        ("\x00\xff", ":1:"),
    ]:
        mutes.write_text(text, encoding="latin-1")
        assert str(mutes) + says in error("fuzz", "--runs=1", "--known", mutes, "--out", out)
    assert "none" in error("fuzz", "--runs=1", "--known", tmp_path / "none", "--out", out)
    assert str(tmp_path) in error("fuzz", "--runs=1", "--known", tmp_path, "--out", out)
    assert not out.exists()


def test_what_waits_for_triage_is_counted_and_said(tmp_path):
    out = tmp_path / "out"
    wrong = ["--seed=1", "--min-yield=0", *wrong_engine(tmp_path), "--out", out]
    done = run("fuzz", "--runs=2000", "--max-findings=1", *wrong)
    assert done.returncode == 2, done.stderr
    waiting = len(list((out / "pending").glob("*.case")))
    assert report(out)["pending"] == waiting
    assert (f"## Waiting for triage: {waiting}" in done.stdout) == (waiting > 0)
    cases = sum(f["count"] for f in report(out)["findings"])
    more = report(out)["programs"] + 150
    done = run("fuzz", f"--runs={more}", "--resume", *wrong)
    assert done.returncode == 2, done.stderr
    after = report(out)
    # nothing is lost
    assert sum(f["count"] for f in after["findings"]) + after["pending"] >= cases + waiting
    # Of one cause, however many programs it made wrong.
    assert [f["blame"] for f in after["findings"]] == ["wrong:eager"], after["findings"]
    joined = sum(len(p.read_text().splitlines()) for p in (out / "findings").glob("*/joined.txt"))
    assert joined == sum(f["count"] - 1 for f in after["findings"] if f["blame"] != "untriaged")


def test_a_triage_beyond_its_share_is_cut_short_and_its_case_waits(tmp_path):
    out = tmp_path / "out"
    assert (
        run("fuzz", "--runs=1", "--policy=scalars", "--min-yield=0", "--out", out).returncode == 0
    )
    case = out / "pending" / "000000000007-0.case"
    case.parent.mkdir(exist_ok=True)
    case.write_text(
        "fusillade case 2\noracle: differential\nverdict: hang\nplan: vm\nscript:\n"
        "  def f(n: int) -> int:\n    while n > 0:\n      n += 1\n    return n\ncall:\n  n = 1\n"
        "end\n"
    )
    done = run(
        "fuzz", "--max-total-time=1", "--timeout=200s", "--policy=scalars", "--resume", "--out", out
    )
    assert done.returncode == 2, done.stderr
    assert case.exists() and report(out)["pending"] >= 1  # with the whole 200 s it were a finding
    assert report(out)["triage_seconds"] >= 30  # the least share


def test_interrupt_flushes_and_resumes(tmp_path):
    out = tmp_path / "out"
    p = start("fuzz", "--max-total-time=100", "--out", out)
    wait_until(lambda: programs_so_far(out), p)
    p.send_signal(signal.SIGINT)
    _, text = p.communicate(timeout=600)
    assert p.returncode == 72, text
    before = report(out)["programs"]
    assert before > 0
    assert run("fuzz", f"--runs={before + 20}", "--resume", "--out", out).returncode == 0
    assert report(out)["programs"] >= before + 20


def test_killed_worker_is_replaced(tmp_path):
    out = tmp_path / "out"
    p = start("fuzz", "--max-total-time=1000", "--out", out)
    for _ in range(6):
        worker = some_child(p)
        hit(worker, signal.SIGKILL)
        wait_until(lambda worker=worker: worker not in children(p.pid), p)
    before = programs_so_far(out)
    wait_until(lambda: programs_so_far(out) > before, p)
    p.send_signal(signal.SIGINT)
    _, text = p.communicate(timeout=600)
    assert p.returncode == 72, text
    assert (
        report(out)["programs"] > before and not report(out)["findings"] and not cases_on_disk(out)
    )


@pytest.mark.parametrize(
    "signal_number, verdict", [(signal.SIGSEGV, "crash"), (signal.SIGSTOP, "hang")]
)
def test_dead_and_stuck_workers_are_findings(tmp_path, signal_number, verdict):
    out = tmp_path / "out"
    # An oracle for which no programs are generated ahead: what ends a worker there is no finding,
    # and its programs come again.
    p = start(
        "fuzz",
        "--max-total-time=1000",
        "--max-findings=1",
        "--timeout=2s",
        "--oracle=differential",
        "--out",
        out,
    )
    # One that is hit between two programs is no finding either, and replaced: the next is hit,
    # until a case is saved.
    while True:
        # what the database gets first may have been done by the worker before
        for _ in range(2):
            before = programs_so_far(out)
            wait_until(lambda b=before: cases_on_disk(out) or programs_so_far(out) > b, p)
        if cases_on_disk(out):
            break  # its child is a triage
        worker = some_child(p)
        hit(worker, signal_number)
        wait_until(lambda worker=worker: cases_on_disk(out) or worker not in children(p.pid), p)
    _, text = p.communicate(timeout=600)
    c = report(out)
    assert p.returncode == 2, text
    assert c["verdicts"][verdict] >= 1
    # Its program fails in no fresh process: the finding says so.
    assert [f for f in c["findings"] if f["verdict"] == "flaky"], c["findings"]


def running(folder):
    """Processes whose words name it."""
    out = []
    for entry in Path("/proc").iterdir():
        try:
            out += [entry.name] if str(folder).encode() in (entry / "cmdline").read_bytes() else []
        except OSError:
            pass
    return out


def test_children_die_with_the_supervisor(tmp_path):
    wrong = wrong_engine(tmp_path)
    out = tmp_path / "out"
    for state in (
        lambda p: children(p.pid),
        lambda p: len(children(p.pid)) >= 3,
        lambda p: programs_so_far(out),
        lambda p: cases_on_disk(out),
        lambda p: list(out.glob("findings/*")),
    ):
        shutil.rmtree(out, ignore_errors=True)
        p = start("fuzz", "--max-total-time=1000", "--seed=1", *wrong, "--jobs=3", "--out", out)
        wait_until(lambda state=state, p=p: state(p), p)
        p.kill()
        p.communicate(timeout=600)  # ends when nobody holds its stderr any more
        wait_until(lambda: not running(tmp_path))  # nor the engine's workers, and theirs


def reported_buckets(text):
    return set(re.findall(r"^finding   (\S+)", text, re.M))


@pytest.mark.parametrize("victim", ["supervisor", "worker", "both"])
def test_kill_loses_no_reported_finding(tmp_path, victim):
    out = tmp_path / "out"
    wrong = ["--seed=1", "--min-yield=0", *wrong_engine(tmp_path), "--out", out]
    rng = random.Random(victim)
    seen = set()
    pending = set()
    known = []
    # A case waits, a finding is there, and programs came to what there was: then some moment.
    for round_number, state in enumerate(
        [
            lambda: list((out / "pending").glob("*.case")),
            lambda: list((out / "findings").iterdir()),
            lambda: programs_so_far(out) > max(known),
        ]
    ):
        resume = ["--resume"] if round_number else []
        p = start("fuzz", "--max-total-time=1000", *resume, *wrong)
        wait_until(state, p)
        time.sleep(rng.random())
        if victim != "supervisor":
            before = children(p.pid)
            for child in before:
                hit(child, signal.SIGKILL)
        if victim == "worker":
            wait_until(lambda p=p, before=before: not set(before) & set(children(p.pid)), p)
        p.kill()
        _, text = p.communicate(timeout=600)
        assert p.returncode == -signal.SIGKILL, text
        seen |= reported_buckets(text)
        known.append(programs_so_far(out))
        pending = {q.name for q in (out / "pending").glob("*.case")}
        db = sqlite3.connect(out / "campaign.db")
        kept = dict(db.execute("SELECT bucket, path FROM finding"))
        assert seen <= set(kept)
        for bucket, path in kept.items():
            assert (out / path).is_file(), bucket
    done = run("fuzz", "--max-total-time=1", "--resume", *wrong)
    assert done.returncode == 2, done.stderr
    assert seen <= {f["bucket"] for f in report(out)["findings"]}
    assert len(seen) + len(pending) > 0


def test_crash_leaves_no_program_out(tmp_path):
    """Programs are generated before those in front of them are judged: a worker that dies there has
    judged none of them."""
    out = tmp_path / "out"
    rng = random.Random(7)
    options = ["--policy=source", "--oracle=python", "--jobs=1", "--seed=3", "--out", out]
    p = start("fuzz", "--runs=6000", *options)
    crashes = 0
    while crashes < 12 and p.poll() is None:
        if crashes >= 3:  # some moment
            time.sleep(0.1 + 0.3 * rng.random())
        for worker in children(p.pid):  # none: it is being started, or triage is at work
            hit(worker, signal.SIGSEGV)
            crashes += 1
            wait_until(lambda worker=worker: worker not in children(p.pid))
    _, text = p.communicate(timeout=600)
    assert crashes >= 3, text
    found = report(out)
    judged = found["programs"] + found["verdicts"].get("crash", 0)
    assert 6000 <= judged <= 6000 + crashes, text


def test_reach_is_counted_and_merged(tmp_path):
    """Over workers and resumed parts; what one part reached, the whole has reached."""
    out = tmp_path / "out"
    run("fuzz", "--runs=150", "--policy=rows", "--jobs=2", "--seed=4", "--out", out)
    part = report(out)["reach"]
    done = run(
        "fuzz", "--runs=400", "--policy=rows", "--jobs=2", "--seed=4", "--resume", "--out", out
    )
    whole = report(out)["reach"]
    assert set(part["rows"]) < set(whole["rows"])
    assert all(whole["rows"][name] >= count > 0 for name, count in part["rows"].items())
    listed = {op["name"]: op for op in json.loads(run("list", "ops", "--json").stdout)}
    assert set(whole["rows"]).isdisjoint(whole["rows_missing"])
    assert set(whole["rows"]) | set(whole["rows_missing"]) == set(listed)
    productions = {p["name"] for p in json.loads(run("list", "productions", "--json").stdout)}
    assert set(whole["productions"]) | set(whole["productions_missing"]) == productions
    assert all(
        whole["productions"][name] >= count > 0 for name, count in part["productions"].items()
    )
    assert "script.define" in whole["productions_missing"]  # of one op each, no script is drawn
    assert f"Reached: {whole['line']}." in done.stdout
    assert whole["line"].startswith(f"operators {len(whole['rows'])} of {len(listed):,}, ")
    assert (
        listed["prim::If"]["undrawn"] == "structure" and listed["aten::add.Tensor"]["undrawn"] == ""
    )
    words = " ".join(run("list", "--help").stdout.split())
    assert all(f"{op['undrawn']} (" in words for op in listed.values() if op["undrawn"])


def test_hang_leaves_no_program_out(tmp_path):
    """As a crash does; each of some campaigns is stopped once, before any of its cases is
    triaged."""
    rng = random.Random(11)
    for i in range(4):
        out = tmp_path / str(i)
        p = start(
            "fuzz",
            "--runs=1500",
            "--policy=source",
            "--oracle=python",
            "--jobs=1",
            f"--seed={i}",
            "--timeout=1s",
            "--out",
            out,
        )
        worker = busy_child(p)  # its own child is CPython's: a program is being judged
        time.sleep(0.3 * rng.random())  # some moment
        hit(worker, signal.SIGSTOP)
        _, text = p.communicate(timeout=600)
        found = report(out)
        assert found["programs"] + found["verdicts"].get("hang", 0) == 1500, text


def test_broken_database_is_named_and_kept(tmp_path):
    out = tmp_path / "out"
    assert run("fuzz", "--runs=20", "--out", out).returncode == 0
    whole = (out / "campaign.db").read_bytes()
    for content in (whole[: len(whole) // 2], b"no database at all" * 100):
        (out / "campaign.db").write_bytes(content)
        assert "campaign.db" in error("fuzz", "--runs=40", "--resume", "--out", out)
        assert (out / "campaign.db").read_bytes() == content
    (out / "campaign.db").write_bytes(whole)
    assert run("fuzz", "--runs=40", "--resume", "--out", out).returncode == 0
