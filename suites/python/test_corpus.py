"""A corpus that campaigns share and grow: what is kept, judged again and minimised, and a folder in
which others left things."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from under_test import BINARY, error, programs_so_far, run, start, wait_until, wrong_engine

FEW = ["--policy=large", "--oracle=differential", "--min-yield=0"]


def report(out):
    return json.loads((out / "campaign.json").read_text())


def cases(corpus):
    return {p.name: p.read_text() for p in corpus.glob("*.case")}


def features(corpus):
    notes = re.findall(r"^note: features: (.*)$", "\n".join(cases(corpus).values()), re.M)
    return {word for note in notes for word in note.split()}


@pytest.fixture(scope="module")
def grown_corpus(tmp_path_factory):
    """A corpus after one campaign, and that campaign's folder."""
    folder = tmp_path_factory.mktemp("grown")
    done = run("fuzz", "--runs=60", *FEW, "--corpus", folder / "corpus", "--out", folder / "out")
    assert done.returncode == 0, done.stderr
    return folder / "corpus", folder / "out"


@pytest.fixture
def corpus(grown_corpus, tmp_path):
    return Path(shutil.copytree(grown_corpus[0], tmp_path / "corpus"))


def test_what_is_new_is_kept(grown_corpus):
    corpus, out = grown_corpus
    c = report(out)["corpus"]
    kept = cases(corpus)
    assert len(kept) == c["kept"] > 5
    assert all(re.fullmatch(r"[0-9a-f]{16}\.case", name) for name in kept)
    assert sum(len(text) for text in kept.values()) == c["kept_bytes"]
    assert len(features(corpus)) == c["features"] == sum(k["after"] for k in c["kinds"])
    assert {f.split(":")[0] for f in features(corpus)} >= {
        "production",
        "operator",
        "rule",
        "kernel",
        "fused",
    }
    assert c["cases"] == c["judged_again"] == c["features_before"] == 0
    assert c["coverage"][-1][1] == c["features"]
    assert (
        f"features 0 at the start, {c['features']} at the end" in (out / "summary.md").read_text()
    )


def test_a_kept_case_is_judged_as_it_was(grown_corpus):
    corpus, _ = grown_corpus
    for name in sorted(cases(corpus))[:5]:
        done = run("repro", corpus / name)
        assert done.returncode == 0 and "ok" in done.stdout, done.stdout + done.stderr


def test_the_next_campaign_judges_it_again_and_keeps_what_is_new_alone(corpus, tmp_path):
    before = cases(corpus)
    out = tmp_path / "out"
    done = run("fuzz", "--seed=2", "--runs=160", *FEW, "--corpus", corpus, "--out", out)
    assert done.returncode == 0, done.stderr
    c = report(out)
    k = c["corpus"]
    assert c["programs"] == 160 and k["cases"] == len(before)
    assert k["judged_again"] == min(len(before), 16)
    assert k["judged_again"] + k["not_judged_again"] == len(before)
    assert k["features"] >= k["features_before"] == sum(f["before"] for f in k["kinds"])
    after = cases(corpus)
    assert before.items() <= after.items() and len(after) - len(before) == k["kept"]
    fresh = {n: t for n, t in after.items() if n not in before}
    known = {f for t in before.values() for f in re.search("features: (.*)", t)[1].split()}
    for name, text in fresh.items():
        assert set(re.search("features: (.*)", text)[1].split()) - known, name


def test_mutants_of_its_cases_are_judged(corpus, tmp_path):
    """An operator that one case alone has comes again."""
    for path in corpus.glob("*.case"):
        path.unlink()
    (corpus / "mine.case").write_text(
        "fusillade case 1\noracle: differential\nplan: vm/o2\nprogram:\n"
        "  graph(%x : Tensor):\n    %a : Tensor = aten::logcumsumexp(%x, %d)\n".replace(
            "    %a", "    %d : int = prim::Constant[value=0]()\n    %a"
        )
        + "    return (%a)\ncall:\n  x = f32[3] {1.0, 2.0, 3.0}\nend\n"
    )
    ran = []
    for flags in ([], ["--corpus", corpus]):
        out = tmp_path / f"out{len(ran)}"
        done = run("fuzz", "--runs=150", "--policy=chains", *FEW[1:], *flags, "--out", out)
        assert done.returncode == 0, done.stderr
        ran.append(report(out)["reach"]["rows"].get("aten::logcumsumexp", 0))
    assert report(tmp_path / "out1")["corpus"]["judged_again"] == 1
    assert ran[1] > ran[0] + 100, ran


def test_a_finding_becomes_a_regression_test(tmp_path):
    corpus = tmp_path / "corpus"
    engine = wrong_engine(tmp_path)
    flags = ["--min-yield=0", *engine, "--corpus", corpus]
    done = run(
        "fuzz", "--seed=5", "--runs=400", "--max-findings=1", *flags, "--out", tmp_path / "1"
    )
    assert done.returncode == 2, done.stderr
    (finding,) = (tmp_path / "1/findings").iterdir()
    kept = corpus / "regression" / f"{finding.name}.case"
    assert kept.read_text() == (finding / "reduced.case").read_text()
    # Nothing that failed is kept as a case like others.
    assert not any("verdict: mismatch" in text for text in cases(corpus).values())
    # Found again, though no program shows it.
    done = run("fuzz", "--seed=6", "--runs=1", *flags, "--out", tmp_path / "2")
    assert done.returncode == 2, done.stderr
    (again,) = report(tmp_path / "2")["findings"]
    assert again["origin"] == f"corpus regression/{kept.name}" and again["count"] == 1
    by = {row["name"] for row in report(tmp_path / "2")["found_by"] if row["by"] == "policy"}
    assert by == {"cases of the corpus"}
    # And not, once it is mended.
    shutil.copy(Path(__file__).parents[2] / "fuzz/workers/example.py", tmp_path / "wrong.py")
    done = run("fuzz", "--seed=7", "--runs=1", *flags, "--out", tmp_path / "3")
    assert done.returncode == 0, done.stderr
    assert report(tmp_path / "3")["corpus"]["judged_again"] >= 1 and kept.exists()


def remaining(out):
    try:
        with closing(sqlite3.connect(f"file:{out}/campaign.db?mode=ro", uri=True)) as db:
            return db.execute("SELECT count(*) FROM remaining").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


@pytest.mark.parametrize("moment", ["judging it again", "programs"])
def test_a_kill_judges_nothing_twice(corpus, tmp_path, moment):
    """Cases of the start and programs are judged once each, whatever is kept meanwhile."""
    words = ["fuzz", "--seed=3", "--runs=300", *FEW, "--jobs=2"]
    whole = Path(shutil.copytree(corpus, tmp_path / "whole"))
    done = run(*words, "--corpus", whole, "--out", tmp_path / "one")
    assert done.returncode == 0, done.stderr
    words += ["--corpus", corpus, "--out", tmp_path / "out"]
    process = start(*words)
    ready = remaining if moment == "judging it again" else programs_so_far
    wait_until(lambda: ready(tmp_path / "out") > 0 or process.poll() is not None)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    done = run(*words, "--resume")
    assert done.returncode == 0, done.stderr
    one, two = report(tmp_path / "one"), report(tmp_path / "out")
    for field in ("programs", "executions", "verdicts"):
        assert one[field] == two[field], field
    assert one["corpus"]["judged_again"] == two["corpus"]["judged_again"] > 0
    assert two["corpus"]["gone"] == 0


def test_cases_that_vanish_are_reported(corpus, tmp_path):
    words = ["fuzz", "--seed=3", *FEW, "--corpus", corpus, "--out", tmp_path / "out"]
    assert run(*words, "--runs=40").returncode == 0
    names = sorted(cases(corpus))
    began = report(tmp_path / "out")["corpus"]["cases"]
    for name in names:
        (corpus / name).unlink()
    done = run(*words, "--runs=80", "--resume")
    assert done.returncode == 0, done.stderr
    assert f"{began} cases of its start are gone" in done.stderr
    c = report(tmp_path / "out")
    assert (c["programs"], c["corpus"]["gone"]) == (80, began)
    assert "needs the same" in error(*words[:-4], "--runs=90", *words[-2:], "--resume")


def test_two_campaigns_may_share_it(tmp_path):
    """They write into one folder at once."""
    corpus = tmp_path / "corpus"
    both = [
        start("fuzz", f"--seed={s}", "--runs=150", *FEW, "--corpus", corpus, "--out", tmp_path / s)
        for s in ("1", "1001")
    ]
    for process in both:
        _, stderr = process.communicate()
        assert process.returncode == 0, stderr
    assert not [p for p in corpus.rglob("*") if p.is_file() and p.suffix != ".case"]
    done = run("corpus", "minimise", corpus)
    assert done.returncode == 0 and "passed over" not in done.stderr, done.stderr


def test_shards_share_its_cases(corpus, tmp_path):
    judged = 0
    for shard in range(2):
        out = tmp_path / f"shard-{shard}"
        done = run(
            *["fuzz", "--seed=4", "--runs=300", *FEW, f"--shard={shard}/2"],
            *["--corpus", shutil.copytree(corpus, tmp_path / f"corpus-{shard}"), "--out", out],
        )
        assert done.returncode == 0, done.stderr
        judged += report(out)["corpus"]["judged_again"]
    assert judged == min(len(cases(corpus)), 30)
    done = run("merge", tmp_path / "all", tmp_path / "shard-0", tmp_path / "shard-1")
    assert done.returncode == 0, done.stderr
    merged = report(tmp_path / "all")
    assert merged["programs"] == 300 and "corpus" not in merged


def test_what_is_no_case_is_named_and_passed_over(corpus, tmp_path):
    n = len(cases(corpus))
    outside = tmp_path / "outside.case"
    outside.write_text(next(iter(cases(corpus).values())))
    (corpus / "garbage.case").write_bytes(bytes(range(256)))
    (corpus / "half.case").write_text(outside.read_text()[:300])
    (corpus / "bad\x1b[31m\nname.case").write_text(outside.read_text())
    (corpus / "link.case").symlink_to(outside)
    (corpus / "folder.case").mkdir()
    os.mkfifo(corpus / "pipe.case")
    done = run("fuzz", "--runs=20", *FEW, "--corpus", corpus, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stderr
    assert "passed over: link.case: a link" in done.stderr and "and 1 other files" in done.stderr
    c = report(tmp_path / "out")["corpus"]
    assert (c["cases"], c["passed_over"]) == (n, 6)


def test_a_case_that_never_ends_costs_its_time_alone(corpus, tmp_path):
    (corpus / "endless.case").write_text(
        "fusillade case 2\noracle: differential\nplan: vm/o2\nscript:\n"
        "  def f(n: int) -> int:\n    while n > 0:\n      n = n % 7 + 1\n    return n\n".replace(
            "\n    ", "\n      "
        )
        + "call:\n  n = 3\nend\n"
    )
    for path in corpus.glob("*[0-9a-f].case"):
        if path.name != "endless.case":
            path.unlink()
    flags = ["--runs=5", "--timeout=0.5s", *FEW, "--corpus", corpus]
    done = run("fuzz", *flags, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    skips = report(tmp_path / "out")["verdicts"]["skip"]
    assert skips["a case of the corpus that does not end in eager mode"] == 1


def test_its_time_is_a_share(corpus, tmp_path):
    text = next(iter(cases(corpus).values()))
    for i in range(3000):
        (corpus / f"{i}.case").write_text(text)
    done = run("fuzz", "--max-total-time=5", *FEW, "--corpus", corpus, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    c = report(tmp_path / "out")
    assert c["programs"] > 0 and c["corpus"]["not_judged_again"] > 0
    assert re.search(r"\d+ cases of the corpus are not judged again: they have 10 %", done.stderr)


def test_bad_folders(tmp_path):
    (tmp_path / "file").write_text("")
    out = ["--runs=1", "--out", tmp_path / "out"]
    assert "file is no folder" in error("fuzz", "--corpus", tmp_path / "file", *out)
    assert "cannot make the folder" in error("fuzz", "--corpus", tmp_path / "file/x", *out)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/regression").symlink_to(tmp_path)
    assert "is a symbolic link" in error("fuzz", "--corpus", tmp_path / "linked", *out)
    assert "there is no folder" in error("corpus", "minimise", tmp_path / "none")
    assert not (tmp_path / "none").exists()
    assert run("corpus", "other", tmp_path).returncode == 1


def test_a_folder_that_may_not_be_changed_is_not_minimised(corpus, tmp_path):
    words = [BINARY, "corpus", "minimise", str(corpus)]
    if os.geteuid() == 0:  # who may change all
        words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *words]
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        os.chmod(folder, 0o755)
    os.chmod(corpus, 0o555)
    before = cases(corpus)
    done = subprocess.run(words, capture_output=True, text=True, cwd="/")
    os.chmod(corpus, 0o755)
    if done.returncode == 126 or "there is no folder" in done.stderr:
        pytest.skip("the checkout is not readable for others")
    assert done.returncode == 1 and "cannot change" in done.stderr, done.stderr
    assert cases(corpus) == before


def test_minimise_keeps_what_is_reached(corpus, tmp_path):
    text = next(iter(cases(corpus).values()))
    for i in range(5):
        (corpus / f"copy{i}.case").write_text(text)
    (corpus / "garbage.case").write_text("no case")
    lost = text.replace("note: features: ", "note: features: rule:peephole/no-such-rule ", 1)
    (corpus / "lost.case").write_text(lost)
    (corpus / "regression/mine.case").write_text(text)
    before, reached = cases(corpus), features(corpus)
    done = run("corpus", "minimise", corpus)
    assert done.returncode == 0, done.stderr
    after = cases(corpus)
    assert len(after) < len(before) - 5 and (corpus / "garbage.case").exists()
    assert (corpus / "regression/mine.case").read_text() == text
    # Of the others some do not show in a case that was read back: text may say another overload.
    lost = reached - features(corpus)
    assert "rule:peephole/no-such-rule" in lost and len(lost) < 0.01 * len(reached)
    assert f"{len(lost)} features are reached no more; 1 regression cases are" in done.stdout
    again = run("corpus", "minimise", corpus)
    n = len(after) - 1
    assert again.returncode == 0 and f"{n} of {n} cases stay" in again.stdout
    assert "; 0 features are reached no more" in again.stdout
    assert cases(corpus) == after
