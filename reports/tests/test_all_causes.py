"""Campaigns of more causes than the page shows: all are in files next to it; and causes that builds
closed or reopened.
"""

import json
import random
import re
from xml.etree import ElementTree

import jsonschema
import pytest
import samples
from fusillade_reports import all_causes, causes, junit, model, page, shapes

NEW = {"build": "fusillade 9, commit ab", "shows": False, "at": "2026-11-30T01:02:03Z"}


def many(tmp_path, count, **changes):
    samples.write(tmp_path, samples.campaign())
    (tmp_path / "campaign.json").write_text(json.dumps(samples.with_findings(count, **changes)))
    page.write(str(tmp_path))
    return (tmp_path / "report" / "index.html").read_text()


def rows(text):
    return json.loads(re.fullmatch(r"fusilladeCauses\((.*)\);\n", text)[1])


def test_all_causes_lie_beside_the_page(tmp_path):
    html = many(tmp_path, 12_000, message=samples.HOSTILE)
    files = sorted((tmp_path / "report" / "causes").iterdir())
    assert [f.name for f in files] == ["0.js", "1.js"]
    assert 'data-files="causes/0.js causes/1.js" data-count="12000"' in html
    assert "'strict-dynamic'" in html and "11,000 more causes, of fewer cases" in html
    all_rows = [row for f in files for row in rows(f.read_text())]
    assert len({row[0] for row in all_rows}) == 12_000
    assert all("<" not in f.read_text() and "&" not in f.read_text() for f in files)
    assert all(row[-1].startswith("../findings/") for row in all_rows)
    many(tmp_path, 3)
    assert not list((tmp_path / "report" / "causes").iterdir())


def test_few_causes_have_no_files_beside(tmp_path):
    html = many(tmp_path, page.MOST_CAUSES)
    assert not (tmp_path / "report" / "causes").exists()
    assert "strict-dynamic" not in html and 'id="all-causes"' not in html


def test_programs_of_a_page_are_not_too_much(tmp_path, monkeypatch):
    samples.write(tmp_path, samples.with_findings(20))
    monkeypatch.setattr(page, "MOST_PROGRAMS", 3000)
    shown = page._shown_causes(str(tmp_path), model.load_campaign(str(tmp_path)).sorted)
    assert len(shown) == 20 and shown[0].is_graph
    assert sum(len(c.program) + len(c.detail) for c in shown if c.is_graph) <= 3000
    assert shown[-1].program == "It is in the finding's folder." and shown[-1].links


def test_what_junit_leaves_out_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(junit, "MOST", 5)
    many(tmp_path, 9)
    suite = ElementTree.parse(tmp_path / "report/junit.xml").getroot().find("testsuite")
    assert suite.get("tests") == "7" and suite.get("failures") == "6"
    (left,) = [c for c in suite.findall("testcase") if c.get("name") == "causes that are left out"]
    assert "4 more causes" in left.find("failure").get("message")
    assert "campaign.json" in left.find("failure").get("message")


@pytest.fixture
def states(tmp_path):
    c = samples.with_findings(3)
    for f, state, shows in zip(c["findings"], ("open", "closed", "reopened"), (True, False, True)):
        f |= {"state": state, "builds": [NEW | {"shows": shows}]}
    samples.write(tmp_path, c)
    page.write(str(tmp_path))
    return tmp_path


def test_closed_causes_fail_nothing_and_reopened_ones_do(states):
    c = model.load_campaign(str(states))
    assert [f.state for f in c.open] == ["open", "reopened"] and c.sorted[-1].state == "closed"
    html = (states / "report/index.html").read_text()
    assert "2 findings (" in html and "1 closed" in html
    assert "1 finding that had been closed show again (reopened)." in html
    assert "Closed by fusillade 9, commit ab on 2026-11-30." in html
    suite = ElementTree.parse(states / "report/junit.xml").getroot().find("testsuite")
    assert (suite.get("failures"), suite.get("skipped")) == ("2", "1")
    run = json.loads((states / "report/results.sarif").read_text())["runs"][0]
    assert len(run["results"]) == 2
    assert {r["properties"].get("state", "") for r in run["results"]} == {
        "",
        "reopened by fusillade 9, commit ab on 2026-11-30",
    }
    summary = (states / "report/summary.md").read_text()
    assert "2 open of 3" in summary and "closed by fusillade 9, commit ab on 2026-11-30" in summary


@pytest.mark.parametrize(
    "changes",
    [
        {"state": "closed"},
        {"state": "reopened", "builds": []},
        {"state": "closed", "builds": [NEW | {"shows": True}]},
        {"state": "open", "builds": [NEW]},
        {"state": "gone", "builds": [NEW]},
        {"state": "closed", "builds": [NEW | {"more": 1}]},
    ],
)
def test_states_that_make_no_sense_are_refused(tmp_path, changes):
    samples.write(tmp_path, samples.campaign())
    (tmp_path / "campaign.json").write_text(json.dumps(samples.with_findings(1, **changes)))
    with pytest.raises(model.Broken, match="findings|state"):
        model.load_campaign(str(tmp_path))


def mutate(value, draw):
    """The value with one thing of it changed."""
    other = draw.choice([None, True, -1, 1.5, "", "x", [], {}, 10**30])
    if isinstance(value, dict) and value and draw.random() < 0.9:
        key = draw.choice(sorted(value))
        what = draw.randrange(8)
        rest = {k: v for k, v in value.items() if k != key}
        return (
            rest
            if what == 0
            else value | {"y": 1}
            if what == 1
            else value | {key: mutate(value[key], draw)}
        )
    if isinstance(value, list) and value and draw.random() < 0.9:
        at = draw.randrange(len(value))
        return value[:at] + [mutate(value[at], draw)] + value[at + 1 :]
    return other


@pytest.mark.parametrize("kind", ["campaign", "finding", "bench"])
def test_shapes_say_yes_only_where_the_schema_does(kind):
    draw = random.Random(3)
    finding = samples.with_findings(1)["findings"][0]
    right = {
        "campaign": lambda: samples.with_findings(2),
        "finding": lambda: samples.finding_file(finding, samples.GRAPH),
        "bench": lambda: samples.bench(samples.entry("a", "eager", 10.0, rounds=2)),
    }[kind]()
    right = json.loads(json.dumps(right))
    shape = shapes.shape(model.schema(kind), model.schema(kind))
    validator = jsonschema.Draft202012Validator(model.schema(kind))
    assert shape(right) and validator.is_valid(right)
    for _ in range(1500):
        value = mutate(right, draw)
        assert not shape(value) or validator.is_valid(value), value


def test_unreported_causes_have_commands():
    f = model.Finding(
        "b", "mismatch", "o", "x", "m", 1, "findings/b/reduced.case", "", 1, 0.0, None
    )
    assert "fusillade repro findings/b/reduced.case" in causes.brief(f).commands
    assert rows(all_causes.chunks([f])["causes/0.js"])[0][0] == "b"
