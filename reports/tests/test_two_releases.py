"""releases.json and bench.json of two releases: parts, counters, exit codes, words and the page."""

import json
from types import SimpleNamespace

import pytest
from fusillade_reports import model, releases, verdict


def entry(program, engine, **more):
    return {"program": program, "engine": engine, "name": f"{program}/{engine}"} | more


BENCH = {
    "context": {
        "not_measured": [
            {"program": "p", "engine": "new:fast", "error": "it died"},
            {"program": "p", "engine": "newer:fast", "error": "another family"},
        ]
    },
    "benchmarks": [
        entry("p", "old:fast", counters={"graph_breaks": 0, "kernels": 2, "gone": 1}),
        entry("p", "again:fast"),
        entry("q", "old:fast"),
        entry("p", "new:fast", counters={"graph_breaks": 3, "kernels": 2, "fresh": 1}),
        entry("q", "new:fast", counters={"kernels": 1}),
    ],
}


def releases_data(*statuses, **more):
    judged = {"failed": 0, "tried": 3, "says": ""}
    causes = [
        {
            "status": status,
            "buckets": [f"mismatch-{i}"],
            "engine": "toy:fast",
            "verdict": "mismatch",
            "message": "wrong <b>result</b>",
            "nodes": 2,
            "case": f"findings/mismatch-{i}/reduced.case",
            "old": judged,
            "new": judged | {"failed": 3, "says": "output 0: \x1b[31m differs"},
        }
        for i, status in enumerate(statuses)
    ]
    return {
        "schema": 1,
        "family": "toy",
        "plans": ["toy:fast"],
        "old": {"python": "old/bin/python", "version": "toy 1"},
        "new": {"python": "new/bin/python", "version": "toy 2"},
        "causes": causes,
        "waiting": 0,
        "unread": 0,
        "yield_too_low": False,
        "counters": None,
        "exit_code": None,
    } | more


def test_a_part_is_of_one_family_and_under_its_shown_name():
    part = releases.of_family(BENCH, "new", "toy")
    assert [b["name"] for b in part["benchmarks"]] == ["p/toy:fast", "q/toy:fast"]
    assert part["context"]["not_measured"] == [
        {"program": "p", "engine": "toy:fast", "error": "it died"}
    ]


def test_counters_that_both_have_and_that_differ():
    old, new = (releases.of_family(BENCH, f, "toy") for f in ("old", "new"))
    assert list(releases.counter_changes(old, new)) == [
        {"program": "p", "plan": "toy:fast", "counter": "graph breaks", "old": 0, "new": 3}
    ]


@pytest.mark.parametrize(
    "statuses, more, found, gate, code",
    [
        (["new"], {}, None, "all", 2),
        (["new"], {}, None, "causes", 2),
        (["new"], {}, {"exit_code": 0}, "times", 0),
        (["mended", "both", "unsteady", "not comparable"], {}, {"exit_code": 0}, "all", 0),
        ([], {}, {"exit_code": 2}, "all", 2),
        ([], {}, {"exit_code": 3}, "all", 3),
        ([], {"yield_too_low": True}, {"exit_code": 0}, "all", 3),
        ([], {"yield_too_low": True}, {"exit_code": 0}, "times", 0),
        (["mended"], {"waiting": 2}, {"exit_code": 0}, "all", 3),
        (["mended"], {"unread": 1}, None, "causes", 3),
        (["new"], {"waiting": 2}, None, "causes", 2),
        ([], {"waiting": 2}, {"exit_code": 2}, "all", 2),
        ([], {"waiting": 2}, {"exit_code": 0}, "times", 0),
    ],
)
def test_exit_codes(statuses, more, found, gate, code):
    assert releases.exit_code(releases_data(*statuses, **more), found, gate) == code


def test_words():
    lines = list(releases.lines(releases_data("new", "both", "both", waiting=2)))
    assert [line.level for line in lines] == [
        verdict.NOTE, verdict.NOTE, verdict.FAIL, verdict.WARN
    ]  # fmt: skip
    assert "1 cause of the new release alone, 0 of the old one alone (mended), 2 of both" in (
        lines[2].text
    )
    assert "2 cases" in lines[3].text


@pytest.mark.parametrize("open_", [{"waiting": 1}, {"unread": 1}, {"yield_too_low": True}])
def test_what_is_undecided_never_passes(open_):
    lines = list(releases.lines(releases_data("mended", "both", **open_)))
    assert verdict.PASS not in [line.level for line in lines]
    assert verdict.headline(lines) == verdict.WARN


@pytest.mark.parametrize("programs, level", [(99, verdict.WARN), (100, verdict.NOTE)])
def test_few_programs_are_no_comparison(programs, level):
    campaign = SimpleNamespace(programs=programs, executions=7, data={"yield": 1.0})
    (line,) = [
        x for x in releases.lines(releases_data("both"), campaign) if "of the campaign" in x.text
    ]
    assert line.level == level and ("say little" in line.text) == (programs < 100)


def test_builds_that_differ_are_named():
    python = "toy 1.0 (blas mkl, isa AVX512, Python 3.11.2), run by /a/bin/python"
    other = "toy 1.1 (blas openblas, isa AVX512, Python 3.11.7), run by /b/bin/python"
    sides = {
        "old": {"python": "a", "version": python},
        "new": {"python": "b", "version": other},
    }
    (warned,) = [x.text for x in releases.lines(releases_data(**sides)) if x.level == verdict.WARN]
    assert warned == (
        "Not only the release differs: old has blas mkl, Python 3.11.2; new has blas openblas, "
        "Python 3.11.7. A difference may be of these."
    )
    sides["new"]["version"] = python.replace("1.0", "1.1")
    assert all(x.level != verdict.WARN for x in releases.lines(releases_data(**sides)))


def test_builds_that_versions_name_differ():
    sides = {
        "old": {"python": "a", "version": "toy 1.0+cpu (blas mkl), run by /a/bin/python"},
        "new": {"python": "b", "version": "toy 1.1+cu130 (blas mkl), run by /b/bin/python"},
    }
    (warned,) = [x.text for x in releases.lines(releases_data(**sides)) if x.level == verdict.WARN]
    assert "old has +cpu; new has +cu130." in warned


@pytest.mark.parametrize("case", ["../../etc/passwd", "/etc/passwd", "javascript:alert(1)", ""])
def test_a_case_outside_of_the_folder_is_no_link(case, tmp_path):
    hostile = releases_data("new")
    hostile["causes"][0]["case"] = case
    (tmp_path / "releases.json").write_text(json.dumps(hostile))
    releases.answer([str(tmp_path)])
    page = (tmp_path / "report" / "index.html").read_text()
    assert "mismatch-0" in page and ">mismatch-0</a>" not in page


def test_a_case_of_the_folder_is_a_link(tmp_path):
    case = tmp_path / "findings" / "mismatch-0" / "reduced.case"
    case.parent.mkdir(parents=True)
    case.write_text("")
    (tmp_path / "releases.json").write_text(json.dumps(releases_data("new")))
    releases.answer([str(tmp_path)])
    page = (tmp_path / "report" / "index.html").read_text()
    assert '<a href="../findings/mismatch-0/reduced.case">mismatch-0</a>' in page


def test_the_page_shows_what_strangers_say_as_text(tmp_path):
    (tmp_path / "releases.json").write_text(json.dumps(releases_data("both", "new")))
    assert releases.answer([str(tmp_path)]) == 2
    page = (tmp_path / "report" / "index.html").read_text()
    assert "Two releases" in page and "toy 1" in page
    assert "<dt>exit code</dt><dd>2</dd>" in page
    assert "<b>result" not in page and "\x1b" not in page
    summary = (tmp_path / "report" / "summary.md").read_text()
    assert summary.index("| `new` |") < summary.index("| `both` |")
    assert model.load(str(tmp_path / "releases.json"), "releases")["exit_code"] == 2


def test_a_broken_file_is_named(tmp_path):
    (tmp_path / "releases.json").write_text(json.dumps(releases_data("better")))
    with pytest.raises(model.Broken, match="releases.json"):
        releases.answer([str(tmp_path)])
