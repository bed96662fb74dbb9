"""finding.json: what pages, SARIF and JUnit say of a finding comes from it; broken and hostile ones
break no report; folders without one are read by their README.
"""

import json
import os
import re

import pytest
import samples
from fusillade_reports import causes, model, page
from fusillade_reports.visible import ACTS

NASTY = "\x1b[31m\u009b\u202e``` <script> ]]> \ud800 ::error::"


@pytest.fixture
def campaign(tmp_path):
    samples.write(tmp_path, campaign=samples.with_findings(1))
    return tmp_path


def finding_of(campaign):
    return model.load_campaign(str(campaign)).findings[0]


def file_of(campaign):
    return campaign / os.path.dirname(finding_of(campaign).case) / "finding.json"


def report(campaign):
    page.write(str(campaign))
    out = campaign / "report"
    return {n: (out / n).read_text() for n in ("index.html", "junit.xml", "results.sarif")}


def test_all_formats_say_what_it_says(campaign):
    path = file_of(campaign)
    content = json.loads(path.read_text())
    content["detail"], content["commands"]["repro"] = "only here 7", "FUSILLADE_X=1 fusillade repro"
    content["program"]["text"] = "graph(%told : int):\n  return (%told)\n"
    path.write_text(json.dumps(content))
    texts = report(campaign)
    for name, text in texts.items():
        assert "only here 7" in text, name
    assert "%told" in texts["index.html"] and "FUSILLADE_X=1" in texts["junit.xml"]


def test_folders_without_one_are_read_by_their_readme(campaign):
    file_of(campaign).unlink()
    cause = causes.read(str(campaign), finding_of(campaign))
    assert "aten::relu" in cause.program and cause.is_graph
    assert cause.detail.startswith("output 0") and cause.commands.startswith("sh repro.sh")


def without(name):
    return lambda content: content.pop(name)


def put(name, value):
    return lambda content: content.update({name: value})


BROKEN = [
    *(without(name) for name in samples.finding_file(samples.with_findings(1)["findings"][0], "")),
    put("nodes", "1"),
    put("nodes", -1),
    put("nodes", 10**30),
    put("cases", True),
    put("blame", "cse"),
    put("blame", {"kind": "rule"}),
    put("program", {"language": "cobol", "text": ""}),
    put("program", None),
    put("commands", []),
    put("engines", [{"name": 1, "version": []}]),
    put("verdict", "fine"),
    put("schema", 2),
    put("more", {}),
    put("no_script", "x"),
]


NO_JSON = ["", "{", "[]", "nul", '{"schema": NaN}', "[" * 100000, "\x00\xff", '{"a": 1e999}']


def test_what_is_broken_is_said_in_its_place_and_breaks_no_report(tmp_path, capsys):
    samples.write(tmp_path, campaign=samples.with_findings(len(BROKEN) + len(NO_JSON)))
    findings = model.load_campaign(str(tmp_path)).findings
    for f, change in zip(findings, BROKEN + NO_JSON, strict=True):
        path = (tmp_path / f.case).with_name("finding.json")
        if isinstance(change, str):
            path.write_bytes(change.encode("latin-1"))
            continue
        content = json.loads(path.read_text())
        change(content)
        path.write_text(json.dumps(content))
    for number, f in enumerate(findings):
        cause = causes.read(str(tmp_path), f)
        assert "finding.json" in cause.program and not cause.is_graph, (number, cause)
        assert "fusillade repro" in cause.commands
    page = report(tmp_path)["index.html"]
    assert page.count("finding.json") >= len(findings)
    assert f"{len(findings)} findings cannot be read" in page
    said = capsys.readouterr().err
    assert "warning" in said and "finding.json" in said and said.count("\n") == 1


def test_hostile_texts_act_nowhere(campaign):
    path = file_of(campaign)
    content = json.loads(path.read_text())

    def everywhere(value):
        if isinstance(value, dict):
            return {k: v if k in ("kind", "language") else everywhere(v) for k, v in value.items()}
        if isinstance(value, list):
            return [everywhere(v) for v in value] or [NASTY]
        return NASTY if isinstance(value, str) else value

    content |= {k: everywhere(v) for k, v in content.items() if k not in ("verdict", "engines")}
    content["engines"] = [{"name": NASTY, "version": NASTY}]
    path.write_text(json.dumps(content))
    cause = causes.read(str(campaign), finding_of(campaign))
    assert cause.detail and not ACTS.search(cause.detail + cause.program + cause.commands)
    for name, text in report(campaign).items():
        assert not ACTS.search(text), name
        assert "<script> ]]>" not in text or name == "results.sarif"


def test_huge_texts_are_not_shown(campaign, monkeypatch):
    path = file_of(campaign)
    content = json.loads(path.read_text())
    content["detail"] = "d" * (causes.MOST_BYTES + 1)
    content["program"]["text"] = "p" * (causes.MOST_BYTES + 1)
    path.write_text(json.dumps(content))
    cause = causes.read(str(campaign), finding_of(campaign))
    assert "The detail has more than" in cause.detail and not cause.is_graph
    assert "The program has more than" in cause.program
    monkeypatch.setattr(causes, "MOST_FILE", 1000)
    assert "has more than 1000 bytes" in causes.read(str(campaign), finding_of(campaign)).program


def test_a_link_that_leaves_the_folder_is_not_followed(campaign, tmp_path_factory):
    path = file_of(campaign)
    other = tmp_path_factory.mktemp("other") / "finding.json"
    content = json.loads(path.read_text())
    content["detail"] = "of another folder"
    other.write_text(json.dumps(content))
    path.unlink()
    path.symlink_to(other)
    cause = causes.read(str(campaign), finding_of(campaign))
    assert "of another folder" not in cause.detail
    assert not any(name == "finding.json" for name, _ in cause.links)


def test_the_schema_is_one_of_draft_2020(campaign):
    import jsonschema

    jsonschema.Draft202012Validator.check_schema(model.schema("finding"))
    assert re.search(r"finding\.json", model.schema("finding")["title"])


def test_a_program_that_cannot_be_made_has_no_case(campaign):
    content = json.loads((campaign / "campaign.json").read_text())
    content["findings"][0]["case"] = ""
    (campaign / "campaign.json").write_text(json.dumps(content))
    shown = report(campaign)
    assert "The program cannot be made. Its origin: seed=1" in shown["index.html"]
    assert '"uri": "campaign.json"' in shown["results.sarif"]
    assert "fusillade repro" not in shown["index.html"]
