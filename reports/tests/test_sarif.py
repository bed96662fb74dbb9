"""results.sarif against what GitHub publishes as "SARIF support for code scanning".

REQUIRED has a row for each property that its tables call required, and for those recommended that
are not about security alone; each row is a test. The rest are its limits and what it says in prose.
"""

import gzip
import json
import re
from types import SimpleNamespace

import pytest
import samples
from fusillade_reports import page, sarif


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A campaign with two causes, of which the first is muted."""
    c = samples.with_findings(3)
    c["findings"][0] |= {"known": "k", "count": 1}
    c["known"] = [
        {
            "name": "k",
            "reason": "r",
            "owner": "o",
            "until": "2027-01-01",
            "expired": False,
            "findings": 1,
            "cases": 2,
        }
    ]
    out = tmp_path_factory.mktemp("sarif")
    samples.write(out, campaign=c, bench=samples.two_plans())
    page.write(str(out))
    return out


@pytest.fixture(scope="module")
def log(folder):
    return json.loads((folder / "report" / "results.sarif").read_text())


def is_text(value):
    return isinstance(value, str) and value.strip() != ""


def is_short(value):
    return is_text(value) and len(value) <= 1024


def is_position(value):
    return isinstance(value, int) and value >= 1


# (object, the property below it, what a legal value is)
REQUIRED = [
    ("log", "$schema", lambda v: v.endswith("/sarif-schema-2.1.0.json")),
    ("log", "version", lambda v: v == "2.1.0"),
    ("log", "runs", lambda v: len(v) == 1),
    ("run", "tool.driver", lambda v: isinstance(v, dict)),
    ("run", "results", lambda v: len(v) == 2),
    ("driver", "name", is_text),
    ("driver", "rules", lambda v: len(v) > 0),
    ("driver", "version", lambda v: v == "fusillade 0.2.0, commit 0123456789ab"),
    ("driver", "semanticVersion", lambda v: re.fullmatch(r"\d+\.\d+\.\d+", v)),
    ("rule", "id", is_text),
    ("rule", "name", lambda v: is_text(v) and len(v) <= 255),
    ("rule", "shortDescription.text", is_short),
    ("rule", "fullDescription.text", is_short),
    ("rule", "defaultConfiguration.level", lambda v: v in ("note", "warning", "error")),
    ("rule", "help.text", is_short),
    ("rule", "help.markdown", is_text),
    ("rule", "properties.tags", lambda v: 0 < len(v) <= 20),
    (
        "rule",
        "properties.precision",
        lambda v: v in ("very-high", "high", "medium", "low"),
    ),
    (
        "rule",
        "properties.problem.severity",
        lambda v: v in ("error", "warning", "recommendation"),
    ),
    ("result", "ruleId", is_text),
    ("result", "ruleIndex", lambda v: v >= 0),
    ("result", "level", lambda v: v in ("note", "warning", "error")),
    ("result", "message.text", is_text),
    ("result", "locations", lambda v: len(v) == 1),
    (
        "result",
        "partialFingerprints.primaryLocationLineHash",
        lambda v: re.fullmatch("[0-9a-f]{16}:1", v),
    ),
    ("location", "physicalLocation", lambda v: isinstance(v, dict)),
    (
        "location",
        "physicalLocation.artifactLocation.uri",
        lambda v: is_text(v) and not v.startswith("/") and ":" not in v,
    ),
    ("location", "physicalLocation.region.startLine", is_position),
    ("location", "physicalLocation.region.startColumn", is_position),
    ("location", "physicalLocation.region.endLine", is_position),
    ("location", "physicalLocation.region.endColumn", is_position),
]


def objects(log, kind):
    run = log["runs"][0]
    driver, results = run["tool"]["driver"], run["results"]
    return {
        "log": [log],
        "run": [run],
        "driver": [driver],
        "rule": driver["rules"],
        "result": results,
        "location": [place for r in results for place in r["locations"]],
    }[kind]


def matches(value, path):
    """What lies at a path of names; a name may have a full stop in it."""
    if not path:
        return value
    for cut in range(len(path), 0, -1):
        name = ".".join(path[:cut])
        if name in value:
            return matches(value[name], path[cut:])
    raise KeyError(".".join(path))


@pytest.mark.parametrize(
    ("kind", "path", "legal"), REQUIRED, ids=[f"{kind}: {path}" for kind, path, _ in REQUIRED]
)
def test_it_has(log, kind, path, legal):
    for one in objects(log, kind):
        assert legal(matches(one, path.split("."))), (kind, path)


def test_a_row_can_fail(log):
    without = json.loads(json.dumps(log))
    del without["runs"][0]["results"][0]["message"]
    with pytest.raises(KeyError):
        test_it_has(without, "result", "message.text", is_text)


def test_a_result_is_of_its_rule(log):
    for result in objects(log, "result"):
        rule = objects(log, "rule")[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"] == "mismatch"


def test_a_place_is_in_its_file(log, folder):
    """The file is there, the region within its first line, the base of its path stated."""
    for place in objects(log, "location"):
        physical = place["physicalLocation"]
        first = (folder / physical["artifactLocation"]["uri"]).read_text().splitlines()[0]
        assert physical["region"]["endColumn"] <= len(first) + 1
        assert physical["artifactLocation"]["uriBaseId"] in log["runs"][0]["originalUriBaseIds"]


def test_fingerprints_are_of_the_bucket(log):
    """Each cause its own, the same in each run."""
    prints = [r["partialFingerprints"] for r in objects(log, "result")]
    assert len({p["primaryLocationLineHash"] for p in prints}) == len(prints)
    for result in objects(log, "result"):
        assert result["partialFingerprints"]["fusilladeBucket/v1"] == result["properties"]["bucket"]


def test_what_is_muted_is_left_out(log):
    """Code scanning would show it as open."""
    assert samples.with_findings(1)["findings"][0]["bucket"] not in json.dumps(log)


def causes(count, detail):
    for i in range(count):
        finding = SimpleNamespace(
            known=None,
            is_open=True,
            told_by="",
            verdict="mismatch",
            message="wrong result",
            blame="cse",
            oracle="differential",
            nodes=1,
            count=1,
            case="findings/a/reduced.case",
            bucket=f"b{i}",
            origin="",
            first_seen=0.0,
        )
        yield SimpleNamespace(finding=finding, detail=detail(i))


@pytest.mark.parametrize("length", [0, 3000])
def test_limits(length):
    """At most 25,000 results, at most 10 MB compressed; what is left out is counted."""
    noise = "".join(chr(33 + i * 7919 % 90) for i in range(length + 30000))
    text = sarif.text(
        list(causes(sarif.MOST + 1, lambda i: noise[i : i + length])), "fusillade 1.2.3"
    )
    assert len(gzip.compress(text.encode())) < len(text.encode()) < 10_000_000
    run = json.loads(text)["runs"][0]
    left = run["properties"]["resultsLeftOut"]
    assert 0 < len(run["results"]) <= 25000 and len(run["results"]) + left == sarif.MOST + 1
    assert len(run["tool"]["driver"]["rules"]) <= 25000
