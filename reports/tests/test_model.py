"""Files are read strictly: each wrong one is refused by a sentence that names the place."""

import copy
import json

import jsonschema
import pytest
import samples
from fusillade_reports import model


def refusal(tmp_path, data, kind):
    text = data if isinstance(data, str) else json.dumps(data)
    (tmp_path / f"{kind}.json").write_text(text)
    with pytest.raises(model.Broken) as error:
        model.load(str(tmp_path / f"{kind}.json"), kind)
    assert str(error.value).startswith(str(tmp_path / f"{kind}.json"))
    return str(error.value)


@pytest.mark.parametrize(
    "kind,objects", [("bench", 6), ("campaign", 6), ("compare", 4), ("planted", 4)]
)
def test_schemas_are_strict(kind, objects):
    """No object takes unknown fields, and every field is required but those the schema says who
    writes."""
    jsonschema.Draft202012Validator.check_schema(model.schema(kind))
    seen = 0

    def walk(node, optional=()):
        nonlocal seen
        if isinstance(node, list):
            for item in node:
                walk(item)
        if not isinstance(node, dict):
            return
        if "properties" in node:
            seen += 1
            assert node["additionalProperties"] is False
            free = {
                n
                for n, p in node["properties"].items()
                if p.get("description", "").startswith("only of")
            }
            assert sorted(node["required"]) == sorted(set(node["properties"]) - free)
        for value in node.values():
            walk(value)

    walk(model.schema(kind))
    assert seen >= objects


@pytest.mark.parametrize(
    "text,what",
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("NaN", "NaN is no number of JSON"),
        ("[" * 100000, "is not JSON"),
        ("{}", "the file: no field schema, seconds"),
        ("[]", "the file: [] is not object"),
    ],
)
def test_what_is_no_campaign(tmp_path, text, what):
    assert what in refusal(tmp_path, text, "campaign")


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "campaign.json").write_bytes(b"\xff\xfe{")
    with pytest.raises(model.Broken, match="is not JSON"):
        model.load_campaign(str(tmp_path))


def with_change(data, path, value):
    data = copy.deepcopy(data)
    at = data
    for key in path[:-1]:
        at = at[key]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return data


@pytest.mark.parametrize(
    "path,value,what",
    [
        (["verdicts"], 3, "verdicts: 3 is not object"),
        (["verdicts", "ok"], "x", 'verdicts.ok: "x" is not integer'),
        (["verdicts", "ok"], 10**400, "\u2026 is not integer"),
        (["verdicts", "okay"], 1, "verdicts: unknown field okay; legal: bug, crash"),
        (["elements", "tight_share"], 1.5, "elements.tight_share: 1.5 is more than 1"),
        (["jobs"], 0, "jobs: 0 is less than 1"),
        (["schema"], 2, "schema: 2 is not 3"),
        (["reach", "rows_missing"], None, "reach: no field rows_missing"),
        (["findings", 0, "verdict"], "ok", 'findings[0].verdict: "ok" is none of mismatch'),
        (
            ["findings", 1, "bucket"],
            "mismatch-cse-000000000000",
            'findings: two are called "mismatch-cse-000000000000"',
        ),
        (["findings", 1, "known"], "who", 'findings[1].known: there is no record "who"'),
        (["samples", 2], [2.0, 400], "samples[2]"),
        (["samples", 2, 1], 100, "samples[2]: programs went back"),
        (["samples", 3, 6], 1, "samples[3]: skipped went back"),
        (["samples", 3, 0], 1.5, "samples[3]: seconds went back"),
        (["elements", "tight"], 11, "elements.tight: more than were compared"),
    ],
)
def test_broken_campaign_names_the_place(tmp_path, path, value, what):
    assert what in refusal(tmp_path, with_change(samples.with_findings(2), path, value), "campaign")


@pytest.mark.parametrize(
    "path,value,what",
    [
        (
            ["benchmarks", 1, "phases", "steady", "estimate"],
            "x",
            'benchmarks[1].phases.steady.estimate: "x" is not number',
        ),
        (
            ["benchmarks", 1, "phases", "link"],
            samples.interval(1),
            "benchmarks[1].phases: unknown field link",
        ),
        (
            ["benchmarks", 0, "samples_ns", 3],
            None,
            "benchmarks[0].samples_ns: 4 processes, and repetitions is 5",
        ),
        (
            ["benchmarks", 0, "samples_ns", 3, 7],
            0,
            "benchmarks[0].samples_ns[3][7]: 0 is not above 0",
        ),
        (["benchmarks", 2, "name"], "a/N:16/eager", 'benchmarks: two are called "a/N:16/eager"'),
        (
            ["benchmarks", 2, "phases", "compile", "lower"],
            2e6,
            "benchmarks[2].phases.compile: the estimate lies outside",
        ),
        (
            ["benchmarks", 0, "warmup", "per_process", 0],
            {"class": "flat", "steady_from": 40},
            "per_process[0].steady_from: 40 of 40",
        ),
        (
            ["benchmarks", 0, "warmup", "per_process", 0, "class"],
            "warm",
            'class: "warm" is none of flat',
        ),
        (
            ["benchmarks", 0, "events"],
            [[]],
            "benchmarks[0].events: 1 processes, and repetitions is 5",
        ),
        (
            ["benchmarks", 0, "events"],
            [[samples.event("kernel eaten")]] * 5,
            'events[0][0].kind: "kernel eaten" is none of passes run',
        ),
        (
            ["benchmarks", 0, "events"],
            [[samples.event("cache hit", 99, round=40)]] * 5,
            "benchmarks[0].events[0][0].round: 40 of 40 samples",
        ),
        (["context", "caches"], None, "context: no field caches"),
        (["context", "date"], "today", "context.date"),
    ],
)
def test_broken_bench_names_the_place(tmp_path, path, value, what):
    assert what in refusal(tmp_path, with_change(samples.two_plans(), path, value), "bench")


@pytest.mark.parametrize(
    "path,value,what",
    [
        (["records", 0, "detected"], "yes", 'records[0].detected: "yes" is not boolean'),
        (["records", 0, "triggered"], False, "records[0]: what was blamed right was detected"),
        (["records", 2, "id"], "bug-0", 'records: two are called "bug-0"'),
        (["records", 1, "seconds"], -1, "records[1].seconds: -1 is less than 0"),
        (["records", 1, "programs"], None, "records[1]: no field programs"),
        (["totals", "detected"], 7, "totals.detected: 7, and the records have 2"),
        (["control", "found"], 7, "control: unknown field found; legal: bucket, programs, seconds"),
        (["limit_seconds"], 0, "limit_seconds: 0 is not above 0"),
        (["schema"], 2, "schema: 2 is not 1"),
    ],
)
def test_broken_hunt_names_the_place(tmp_path, path, value, what):
    hunt = samples.planted_hunt(
        [samples.record(0, 2.0), samples.record(1, 3.0), samples.missed_record(2)]
    )
    assert what in refusal(tmp_path, with_change(hunt, path, value), "planted")


def test_many_errors_are_counted(tmp_path):
    wrong = samples.two_plans()
    for b in wrong["benchmarks"]:
        b["threads"], b["iterations"] = 0, 0
    assert "; and 3 more" in refusal(tmp_path, wrong, "bench")


def test_what_is_read(tmp_path):
    samples.write(tmp_path, samples.with_findings(2), samples.two_plans())
    c, b = model.load_campaign(str(tmp_path)), model.load_bench(str(tmp_path / "bench.json"))
    assert (
        [f.nodes for f in c.open] == [2, 3]
        and c.rate == 120
        and c.verdicts == {"ok": 590, "mismatch": 1, "untrusted": 5}
    )
    assert c.reasons == {"skip: the program raises an error": 4, "untrusted: a branch": 5}
    assert (
        b.plans == ["eager", "vm/o2"]
        and b.programs == ["a/N:16", "b"]
        and b.timings[1].steady.estimate == 1000
    )


def test_warm_classes_are_counted():
    t = model.Timing(
        "n",
        "p",
        "e",
        None,
        None,
        None,
        "ok",
        [],
        [("flat", 0), ("no steady state", 0), ("flat", 0)],
    )
    assert t.warm_class == "flat 2/3, no steady state 1/3" and not t.steady_state
