"""Campaigns of very many findings, benches of very many timings: work in proportion, and a page
that a browser opens.

Counted are comparisons and calls, never time.
"""

import cProfile
import json
import pstats
from xml.etree import ElementTree

import pytest
import samples
from fusillade_reports import compare, model, page


class Counted(str):
    """A text that counts how often it is compared."""

    asked = 0

    def __eq__(self, other):
        Counted.asked += 1
        return str.__eq__(self, other)

    def __hash__(self):
        return str.__hash__(self)


def comparisons(sense, data):
    Counted.asked = 0
    assert list(sense(data)) == []
    return Counted.asked


def campaign(count):
    return samples.campaign(
        findings=[samples.finding(i, bucket=Counted(f"b{i}")) for i in range(count)]
    )


def bench(count):
    one = samples.entry("a", "eager", 10.0, processes=1, rounds=1)
    return samples.bench(
        *(one | {"name": Counted(f"a{i}"), "program": Counted(f"a{i}")} for i in range(count))
    )


def hunt(count):
    return samples.planted_hunt([samples.record(i, 1.0, id=Counted(f"r{i}")) for i in range(count)])


@pytest.mark.parametrize(
    "sense, build",
    [(model._campaign_sense, campaign), (model._bench_sense, bench), (model._planted_sense, hunt)],
)
def test_names_that_must_be_apart_are_compared_in_proportion(sense, build):
    few, many = (comparisons(sense, build(count)) for count in (500, 1000))
    assert many <= 2.5 * few + 500


def test_two_of_one_name_are_reported():
    data = samples.with_findings(3)
    data["findings"][2]["bucket"] = data["findings"][0]["bucket"]
    assert list(model._campaign_sense(data)) == [
        f'findings: two are called "{data["findings"][0]["bucket"]}"'
    ]


def test_a_timing_is_found_without_asking_all():
    timings = [
        model.Timing(Counted(f"a{i}"), Counted(f"a{i}"), "eager", None, None, None, "ok", [], [])
        for i in range(1000)
    ]
    of = model.Bench({}, timings, ["eager"], [])
    Counted.asked = 0
    assert all(of.of(t.program, "eager") is t for t in timings) and of.of("none", "eager") is None
    assert Counted.asked <= 2000


def calls(work):
    profile = cProfile.Profile()
    profile.runcall(work)
    return pstats.Stats(profile).total_calls


def test_a_report_of_twice_the_findings_is_twice_the_work(tmp_path):
    for count in (2000, 4000):
        samples.write(tmp_path / str(count), samples.campaign())
        (tmp_path / str(count) / "campaign.json").write_text(
            json.dumps(samples.with_findings(count))
        )
    few, many = (
        calls(lambda count=count: page.write(str(tmp_path / str(count)))) for count in (2000, 4000)
    )
    assert many <= 2.2 * few
    pages = [
        (tmp_path / str(count) / "report" / "index.html").read_text() for count in (2000, 4000)
    ]
    assert len(pages[1]) <= 1.05 * len(pages[0])
    assert all(
        p.count('<details><summary><span class="mono">mismatch') == page.MOST_CAUSES for p in pages
    )
    assert (
        "3,000 more causes, of fewer cases, are not on this page; all are in <a "
        'href="../campaign.json">campaign.json</a>.' in pages[1]
    )
    assert "4,000 causes that" in pages[1] and "4,000 findings" in pages[1]
    suite = (
        ElementTree.parse(tmp_path / "4000" / "report" / "junit.xml").getroot().find("testsuite")
    )
    assert suite.get("failures") == "4000"
    assert (tmp_path / "4000" / "report" / "summary.md").stat().st_size < 1 << 20


def test_a_comparison_of_twice_the_timings_is_twice_the_work(tmp_path):
    for count in (40, 80):
        for side in ("old", "new"):
            samples.write(
                tmp_path / f"{side}{count}",
                bench=samples.bench(
                    *(
                        samples.entry(f"p{i}", "vm/o2", 1000.0, i, seed=side, rounds=4)
                        for i in range(count)
                    )
                ),
            )
    few, many = (
        calls(
            lambda count=count: compare.compare(
                str(tmp_path / f"old{count}"), str(tmp_path / f"new{count}"), compare.Options()
            )
        )
        for count in (40, 80)
    )
    assert many <= 2.2 * few
