"""What the page, summary.md and junit.xml say of planted bugs: the same as the file, censored at
the budget, missed ones first."""

import re
from xml.etree import ElementTree

import pytest
import samples
from fusillade_reports import planted, survival, verdict
from test_page import write_page


def lines_of(records, control=None):
    return [
        (line.level, line.text)
        for line in planted.lines(
            samples.planted_hunt(
                records, control or {"programs": 5000, "seconds": 60.0, "bucket": None}
            )
        )
    ]


def test_what_the_verdict_says():
    found = [samples.record(i, 1.0 + i) for i in range(9)]
    assert lines_of(found) == [
        (
            verdict.PASS,
            (
                "9 of 9 planted bugs detected within 60 s each (median 5 [1, 8] s, 451 [91, 721] "
                "programs; 95 % intervals), blamed right 9."
            ),
        ),
        (verdict.PASS, "The control, with no bug planted, found nothing in 5,000 programs."),
    ]
    lines = lines_of(found + [samples.missed_record(i) for i in range(20, 26)])
    assert (
        lines[0][0] == verdict.FAIL
        and lines[0][1].startswith("9 of 15 planted bugs")
        and lines[0][1].endswith("missed: bug-20, bug-21, bug-22, bug-23 and 2 more.")
    )
    assert (
        lines_of(found, {"programs": 5, "seconds": 60.0, "bucket": "mismatch-x"})[1][0]
        == verdict.FAIL
    )
    assert [line.level for line in planted.lines(samples.planted_hunt(found, None))] == [
        verdict.PASS,
        verdict.WARN,
    ]
    assert lines_of([samples.missed_record(1)])[0] == (
        verdict.FAIL,
        "0 of 1 planted bug detected within 60 s each; missed: bug-1.",
    )


def test_the_median_is_that_of_all_and_not_of_those_detected():
    """Five detected by 5 s, six given up at 60: less than half were."""
    records = [samples.record(i, 1.0 + i) for i in range(5)] + [
        samples.missed_record(i) for i in range(10, 16)
    ]
    assert "(median not reached, not reached; 95 % intervals)" in lines_of(records)[0][1]


def test_programs_are_censored_where_each_campaign_ended():
    """A loaded machine gave up after few programs: that says little of many."""
    records = [
        samples.record(0, 1.0, programs=100),
        samples.record(1, 2.0, programs=300),
        samples.missed_record(2, programs=50),
    ]
    curve = planted.Group("", "all", records).curve("programs")
    assert list(curve.left) == [0.5, 0.0] and list(
        survival.kaplan_meier([100, 300, 5400], [1, 1, 0]).left
    ) == pytest.approx([2 / 3, 1 / 3])


def test_groups_are_parts_and_oracles():
    found = [
        (g.by, g.name, len(g.records))
        for g in planted.groups(samples.planted_hunt([samples.record(i, 1.0) for i in range(8)]))
    ]
    assert (
        found[0] == ("", "all", 8)
        and ("planted in", "engine/passes", 2) in found
        and ("oracle expected", "differential", 2) in found
    )
    assert (
        sum(n for by, _, n in found if by == "planted in")
        == sum(n for by, _, n in found if by == "oracle expected")
        == 8
    )
    assert [n for by, _, n in found if by == "oracle expected"] == [2, 2, 2, 1, 1]


def test_page_reports_each_record_and_why(tmp_path):
    hunt = samples.hunt_of()
    html = write_page(tmp_path, planted=hunt)
    text = (tmp_path / "report" / "index.html").read_text()
    for r in hunt["records"]:
        assert f">{r['id']}<" in text
    for why in (
        "the place was never reached",
        "reached 1,000 times, nothing was seen",
        "what was found stays without the switch",
        "to be blamed: cse or dce",
    ):
        assert why in html.text
    order = re.findall(r'class="mono line">(bug-\d+)<', text)
    lost = [r["id"] for r in hunt["records"] if not r["detected"]]
    # blamed wrong
    assert (
        len(order) == len(hunt["records"])
        and set(order[: len(lost)]) == set(lost)
        and order[len(lost)] == "bug-1"
    )
    assert text.count('<tr class="quiet">') == len(hunt["records"]) - 4
    assert "Fusillade report: FAIL" in html.text and "../planted.json" in [
        a["href"] for a in html.all("a")
    ]
    assert "planted bugs" not in html.text.split("Not on this page")[1]
    curves = [
        a["aria-label"]
        for a in html.all("svg")
        if a["aria-label"].startswith("Share of planted bugs")
    ]
    assert len(curves) == 2 and "by seconds" in curves[0] and "by programs" in curves[1]


def test_summary_and_junit_say_the_same(tmp_path):
    write_page(tmp_path, planted=samples.hunt_of())
    markdown = (tmp_path / "report" / "summary.md").read_text()
    assert (
        "## Planted bugs" in markdown
        and f"4 records of {len(samples.hunt_of()['records'])} missed or blamed wrong." in markdown
    )
    assert (
        markdown.count("`missed`") == 3
        and "| `bug-1` |" in markdown
        and "| `bug-0` |" not in markdown
    )
    suite = (
        ElementTree.parse(tmp_path / "report" / "junit.xml")
        .getroot()
        .find("testsuite[@name='planted']")
    )
    failed = {
        case.get("name"): case.find("failure").get("message")
        for case in suite
        if case.find("failure") is not None
    }
    assert (
        len(failed) == 3 and failed["bug-40"] == "missed within 60 s: the place was never reached"
    )
    assert suite.find("testcase[@name='control']") is not None and suite.get("failures") == "3"


def test_a_hunt_that_ended_early_says_so(tmp_path):
    html = write_page(tmp_path, planted=samples.planted_hunt([samples.record(0, 1.0)], None))
    assert (
        "Fusillade report: WARN" in html.text
        and "the control, with none of them, was not run" in html.text
    )
    suite = (
        ElementTree.parse(tmp_path / "report" / "junit.xml")
        .getroot()
        .find("testsuite[@name='planted']")
    )
    assert suite.find("testcase[@name='control']/skipped") is not None
