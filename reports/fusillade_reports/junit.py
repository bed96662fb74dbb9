"""junit.xml: causes and timings as test cases, for CI systems that show such files.

A cause that is open is a failure, one that is muted is skipped; the campaign itself is a case, an
error where it ended neither well nor with findings. A timing fails by wrong outputs and is skipped
where nobody can judge; of a comparison what the gate is about fails by being slower, or lost. A
planted bug fails by being missed, and the control by a finding.
"""

import re
from xml.etree import ElementTree

from . import planted, verdict, what_changed

MOST = 10_000  # causes
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _clean(text):
    return NOT_XML.sub("\ufffd", str(text))


def _element(parent, tag, text=None, **attributes):
    out = ElementTree.SubElement(parent, tag, {k: _clean(v) for k, v in attributes.items()})
    if text is not None:
        out.text = _clean(text)
    return out


def _suite(root, name):
    return _element(root, "testsuite", name=name)


def _set_counts(suite, seconds):
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    for tag, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(tag, str(sum(case.find(kind) is not None for case in cases)))
    suite.set("time", f"{seconds:.3f}")


def _campaign(root, c, causes):
    suite = _suite(root, "campaign")
    properties = _element(suite, "properties")
    for name in ("seed", "jobs", "programs", "executions"):
        _element(properties, "property", name=name, value=getattr(c, name))
    whole = _element(suite, "testcase", classname="campaign", name="ended as it should")
    if c.exit_code not in (0, 2):
        _element(whole, "error", type="exit code", message="the campaign " + verdict.ended_badly(c))
    for cause in causes[:MOST]:
        f = cause.finding
        case = _element(suite, "testcase", classname=f"campaign.{f.oracle}", name=f.bucket)
        one = _element(case, "properties")
        for name, value in (
            ("bucket", f.bucket),
            ("origin", f.origin),
            ("cases", f.count),
            ("case", f.case),
        ):
            _element(one, "property", name=name, value=value)
        message = f"{f.message}; blame: {f.blame}"
        if f.state == "reopened":
            message = f"{f.told_by}: {message}"
        if f.state == "closed":
            _element(case, "skipped", message=f"{f.told_by}: {message}")
        elif f.known is not None:
            _element(case, "skipped", message=f"known as {f.known}: {message}")
        else:
            _element(case, "failure", cause.detail or f.message, type=f.verdict, message=message)
        _element(
            case, "system-out", (f"cd {cause.where}\n" if cause.where else "") + cause.commands
        )
    left = len(c.findings) - min(len(causes), MOST)
    if left:
        case = _element(suite, "testcase", classname="campaign", name="causes that are left out")
        said = f"{verdict.count(left, 'more cause')}, of fewer cases: campaign.json has all"
        if any(f.is_open for f in c.sorted[-left:]):
            _element(case, "failure", said, type="left out", message=said)
        else:
            _element(case, "skipped", message=said)
    _set_counts(suite, c.seconds)


def _bench(root, bench):
    suite = _suite(root, "bench")
    for t in bench.timings:
        case = _element(
            suite,
            "testcase",
            classname=f"bench.{t.program}",
            name=t.plan,
            time=f"{t.steady.estimate / 1e9:.9f}",
        )
        if not t.trusted:
            _element(case, "failure", type=t.verdict, message=f"outputs: {t.verdict}")
        elif t.verdict != "ok":
            _element(case, "skipped", message=f"outputs: {t.verdict}")
    for x in bench.context.get("not_measured", []):
        case = _element(suite, "testcase", classname=f"bench.{x['program']}", name=x["engine"])
        _element(case, "error", type="not measured", message=x["error"])
    _set_counts(suite, sum(sum(sum(s) for s in t.samples) for t in bench.timings) / 1e9)


def _compare(root, c):
    """Of the metric that the gate is about: a regression fails, what could not be decided is
    skipped."""
    suite = _suite(root, "compare")
    for r in what_changed.gated_rows(c):
        case = _element(
            suite,
            "testcase",
            classname=f"compare.{r['program']}",
            name=f"{r['plan']}, {r['metric']}",
        )
        message = f"{r['verdict']}: " + " ".join(
            filter(None, (what_changed.change(r), r["reason"]))
        )
        if r["verdict"] == "slower" or what_changed.is_lost(r):
            _element(case, "failure", type=r["verdict"], message=message)
        elif r["verdict"] == "error":
            _element(case, "error", type="error", message=message)
        elif r["verdict"] not in ("faster", "same", "code identical"):
            _element(case, "skipped", message=message)
    _set_counts(suite, 0.0)


def _planted_suite(root, hunt):
    suite = _suite(root, "planted")
    for r in hunt["records"]:
        case = _element(
            suite,
            "testcase",
            classname=f"planted.{r['oracle_expected']}",
            name=r["id"],
            time=f"{r['seconds']:.3f}",
        )
        if not r["detected"]:
            _element(
                case,
                "failure",
                type="missed",
                message=f"missed within {hunt['limit_seconds']:g} s: {planted.why_missed(r)}",
            )
    case, control = (
        _element(suite, "testcase", classname="planted", name="control"),
        hunt["control"],
    )
    if control is None:
        _element(case, "skipped", message="was not run")
    elif control["bucket"] is not None:
        _element(
            case,
            "failure",
            type="false alarm",
            message=f"found {control['bucket']} with no bug planted",
        )
    _set_counts(suite, sum(r["seconds"] for r in hunt["records"]))


def text(campaign, causes, bench, compared=None, hunt=None):
    root = ElementTree.Element("testsuites", {"name": "fusillade"})
    if campaign:
        _campaign(root, campaign, causes)
    if bench:
        _bench(root, bench)
    if compared:
        _compare(root, compared)
    if hunt:
        _planted_suite(root, hunt)
    ElementTree.indent(root)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        + ElementTree.tostring(root, encoding="unicode")
        + "\n"
    )
