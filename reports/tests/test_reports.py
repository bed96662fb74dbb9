"""The report side: models reject broken files, pictures and the page come out."""

import json
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from fusillade_reports import figures, model, page  # noqa: E402

CAMPAIGN = {
    "seconds": 3.0, "jobs": 2, "seed": 1, "programs": 600, "executions": 3000,
    "programs_per_second_per_job": 100.0,
    "verdicts": {"ok": 590, "mismatch": 1, "untrusted": 5, "skip": {"raises": 4}, "untrusted_reasons": {"if": 5}},
    "elements": {"compared": 10, "tight": 9, "untrusted": 1, "tight_share": 0.9, "untrusted_share": 0.1},
    "findings": [{"bucket": "mismatch-differential-0123", "verdict": "mismatch", "oracle": "differential",
                  "blame": "cse/<b>merge</b>", "nodes": 2, "case": "findings/x/reduced.case", "count": 3}],
    "samples": [[0.0, 0, 0], [1.0, 200, 0], [2.0, 400, 1], [3.0, 600, 1]],
}


def interval(x):
    return {"estimate": x, "lower": 0.9 * x, "upper": 1.1 * x}


def entry(program, plan, ns):
    return {"program": program, "engine": plan,
            "phases": {"compile": interval(1e6), "first_call": interval(1e4), "steady": interval(ns)},
            "correctness": {"verdict": "ok"}, "warmup": {"per_process": [{"class": "flat"}]}}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "campaign.json").write_text(json.dumps(CAMPAIGN))
    (tmp_path / "bench.json").write_text(json.dumps(
        {"benchmarks": [entry("a", "eager", 4000.0), entry("a", "vm/o2", 1000.0)]}))
    return tmp_path


def test_page_shows_findings_escaped(folder):
    page.write(str(folder))
    html = (folder / "report" / "index.html").read_text()
    assert "mismatch-differential-0123" in html
    assert "<b>merge</b>" not in html and "&lt;b&gt;merge" in html
    for picture in ("campaign.png", "speedup.png", "compile.png"):
        assert (folder / "report" / picture).stat().st_size > 1000


def test_speedup_is_base_over_plan(folder):
    (program, plan, ratio, lower, upper), = model.speedups(model.load_bench(str(folder / "bench.json")))
    assert (program, plan) == ("a", "vm/o2")
    assert ratio == 4.0 and lower < 4.0 < upper


@pytest.mark.parametrize("text,what", [
    ("", "not JSON"), ("{", "not JSON"), ("{}", "no field"), ('{"verdicts": 3}', "verdicts is a int")])
def test_broken_campaign_names_the_place(tmp_path, text, what):
    (tmp_path / "campaign.json").write_text(text)
    with pytest.raises(model.Broken, match=what):
        model.load_campaign(str(tmp_path))


def test_empty_folder_is_an_error(tmp_path):
    run = subprocess.run([sys.executable, "-m", "fusillade_reports", "page", str(tmp_path)],
                         cwd=os.path.dirname(HERE), capture_output=True, text=True)
    assert run.returncode == 1 and "neither campaign.json nor bench.json" in run.stderr


def test_bars_are_few_and_their_labels_short():
    counts = {f"untrusted: not traced: aten::op_{i} takes a list that an op made": i + 1 for i in range(30)}
    rows = figures.bars(counts)
    assert len(rows) == 10 and rows[0] == ("21 others", sum(range(1, 22)))
    assert all(len(name) <= 40 for name, _ in rows) and rows[-1][1] == 30
    assert figures.bars({"ok": 3, "bug": 1}) == [("bug", 1), ("ok", 3)]
