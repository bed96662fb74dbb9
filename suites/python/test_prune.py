"""What a long campaign no longer needs is removed, and nothing else: each finding can still be
judged again, merged and reopened, whatever is killed.
"""

import json
import shutil
import signal

import pytest
from many_findings import make
from test_recheck import BOTH, content, no_picture, recheck, report, states, toy_run  # noqa: F401
from under_test import error, run, start, wait_until

REST = {"README.md", "original.case", "repro.sh", "joined.txt", "script.py"}


@pytest.fixture
def closed_campaign(tmp_path, toy_run):  # noqa: F811
    """One finding open, the others closed."""
    out, toy = tmp_path / "out", toy_run[1]
    shutil.copytree(toy_run[0], out)
    toy.put("abs")
    recheck(out, toy, code=2)
    return out, toy


def of_finding(out, bucket):
    return {p.name for p in (out / "findings" / bucket).iterdir()}


def prune(out, *more):
    done = run("prune", out, *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def bytes_reported(text):
    return sum(int(line.split()[-2]) for line in text.splitlines() if line.endswith("bytes"))


def size(out):
    return sum(len(text) for text in content(out / "findings").values())


def test_closed_findings_keep_their_case(closed_campaign):
    out, toy = closed_campaign
    before = content(out)
    assert bytes_reported(prune(out)) == 0 and content(out) == before  # closed too short a time
    would = prune(out, "--closed-for=0s", "--dry-run")
    assert bytes_reported(would) > 0 and content(out) == before
    kept = size(out)
    done = prune(out, "--closed-for=0s")
    assert bytes_reported(done) == bytes_reported(would) == kept - size(out)
    for bucket, state in states(out).items():
        names = of_finding(out, bucket)
        assert {"finding.json", "reduced.case"} <= names
        assert bool(names & REST) == (state == "open")
    assert bytes_reported(prune(out, "--closed-for=0s")) == 0
    toy.put(*BOTH)
    recheck(out, toy, code=2)
    assert set(states(out).values()) == {"open", "reopened"}
    assert all("README.md" in of_finding(out, bucket) for bucket in states(out))


def test_files_of_users_and_findings_without_a_case_stay(closed_campaign):
    out, _ = closed_campaign
    bucket = next(b for b, state in states(out).items() if state == "closed")
    folder = out / "findings" / bucket
    (folder / "notes.txt").write_text("mine")
    (folder / "reduced.case").unlink()
    before = of_finding(out, bucket)
    prune(out, "--closed-for=0s")
    assert of_finding(out, bucket) == before


def test_links_are_not_followed(closed_campaign, tmp_path):
    out, _ = closed_campaign
    bucket = next(b for b, state in states(out).items() if state == "closed")
    elsewhere = tmp_path / "elsewhere"
    shutil.move(out / "findings" / bucket, elsewhere)
    (out / "findings" / bucket).symlink_to(elsewhere)
    before = content(elsewhere)
    prune(out, "--closed-for=0s")
    assert content(elsewhere) == before


def test_what_a_killed_triage_left(closed_campaign):
    out, _ = closed_campaign
    part = out / "findings/mismatch-x.part"
    part.mkdir()
    (part / "original.case").write_text("half")
    assert "1 files            4 bytes" in prune(out)
    assert not part.exists()


def test_waiting_cases_that_are_muted(closed_campaign, tmp_path):
    out, toy = closed_campaign
    case = next((out / "findings").glob("*/original.case"))
    name = "999999999999-0.case"
    shutil.copy(case, out / "pending" / name)
    known = tmp_path / "known.txt"
    known.write_text("known: a\nmessage: no such\nreason: r\nowner: o\nuntil: 2999-01-01\n")
    prune(out, "--known", known)
    assert (out / "pending" / name).exists()
    known.write_text("known: a\nblame: toy:*\nreason: r\nowner: o\nuntil: 2999-01-01\n")
    prune(out, "--known", known, *toy.engine)
    assert not (out / "pending" / name).exists() and report(out)["pending"] == 0


def test_a_merge_of_pruned_folders(tmp_path):
    """Folders of findings that others represent keep their cases; lists of cases are shortened."""
    shards = [tmp_path / f"s{i}" for i in range(2)]
    for i, out in enumerate(shards):
        make(out, 30, 20 * i, f"--shard={i}/2", runs=400)
    run("merge", tmp_path / "plain", *shards, "--min-yield=0")
    prune(tmp_path / "plain", "--joined=1")
    assert all(
        len(p.read_text().splitlines()) == 1 for p in tmp_path.glob("plain/findings/*/joined.txt")
    )
    done = run("merge", tmp_path / "again", tmp_path / "plain", shards[0], "--min-yield=0")
    assert done.returncode == 2, done.stderr
    assert (
        states(tmp_path / "again") == states(tmp_path / "plain")
        and len(states(tmp_path / "again")) == 50
    )
    listed = [
        json.loads(p.read_text())["cases"] for p in tmp_path.glob("again/findings/*/finding.json")
    ]
    assert len(listed) == 50 and max(listed) > 1


def test_a_kill_leaves_a_campaign(closed_campaign):
    out, toy = closed_campaign
    for i in range(3000):
        part = out / "findings" / f"x{i}.part"
        part.mkdir()
        (part / "a.case").write_text("half")
    process = start("prune", out, "--closed-for=0s")
    wait_until(lambda: len(list((out / "findings").glob("*.part"))) < 3000 or process.poll() == 0)
    process.send_signal(signal.SIGKILL)
    process.wait()
    prune(out, "--closed-for=0s")
    assert not list((out / "findings").glob("*.part"))
    recheck(out, toy, code=2)


def test_folders_that_are_not_pruned(tmp_path):
    assert "there is no folder" in error("prune", tmp_path / "none")
    (tmp_path / "empty").mkdir()
    assert "holds no campaign" in error("prune", tmp_path / "empty")
    process = start("fuzz", "--out", tmp_path / "running", "--max-total-time=600", "--jobs=1")
    wait_until(lambda: (tmp_path / "running/campaign.db").exists(), process)
    assert "another campaign is running" in error("prune", tmp_path / "running")
    process.kill()
    process.wait()
    assert "is not a duration" in error("prune", tmp_path / "empty", "--closed-for=soon")
