"""The page and the files next to it: whole, alone, escaped, the same each time, and true to the
JSON."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
import samples
from fusillade_reports import health, model, page, summary

HERE = os.path.dirname(os.path.abspath(__file__))
VOID = {"meta", "input", "br", "img", "link", "hr"}


class Reader(HTMLParser):
    """Tags with their attributes, the text, and what is open: a tag that closes another's place is
    an error."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words, self.stack = [], [], []
        self.feed(text)
        assert not self.stack, self.stack

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        assert len(dict(attributes)) == len(attributes), (tag, attributes)
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, tag

    def handle_data(self, text):
        self.words.append(text)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def all(self, tag):
        return [a for t, a in self.tags if t == tag]


def write_page(folder, **given):
    samples.write(folder, **given)
    page.write(str(folder))
    return Reader((folder / "report" / "index.html").read_text())


CASES = {
    "both": lambda: {"campaign": samples.with_findings(3), "bench": samples.two_plans()},
    "one plan": lambda: {"bench": samples.bench(samples.entry("a", "eager", 10.0))},
    "no bench": lambda: {"campaign": samples.with_findings(2)},
    "no findings": lambda: {"campaign": samples.campaign(), "bench": samples.two_plans()},
    "an empty bench": lambda: {"campaign": samples.campaign(), "bench": samples.bench()},
    "nothing ran": lambda: {
        "campaign": samples.campaign(
            programs=0,
            executions=0,
            samples=[],
            verdicts={
                k: {} if isinstance(v, dict) else 0 for k, v in samples.CAMPAIGN["verdicts"].items()
            },
        )
    },
    "two runs": lambda: {"compare": samples.two_runs},
    "a bench and what changed": lambda: {"bench": samples.two_plans(), "compare": samples.two_runs},
    "jit events": lambda: {"bench": samples.with_jit()},
    "history": lambda: {"bench": samples.two_plans(), "over": samples.over_commits},
    "hostile history": lambda: {
        "over": lambda path: samples.over_commits(
            path,
            30,
            (samples.HOSTILE,),
            (samples.HOSTILE,),
            lambda i: samples.HOSTILE + str(i // 20),
            samples.HOSTILE,
        )
    },
    "hostile": lambda: {
        "campaign": samples.hostile_campaign(),
        "bench": samples.hostile_bench(),
        "planted": samples.hostile_hunt(),
    },
    "planted": lambda: {"planted": samples.hunt_of()},
    "planted, none detected": lambda: {
        "planted": samples.planted_hunt([samples.missed_record(i) for i in range(4)])
    },
    "planted, none hunted": lambda: {"planted": samples.planted_hunt([], None)},
    "all": lambda: {
        "campaign": samples.with_findings(2),
        "bench": samples.two_plans(),
        "compare": samples.two_runs,
        "over": samples.over_commits,
        "planted": samples.hunt_of(),
    },
}


@pytest.fixture(scope="module", params=sorted(CASES))
def case(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    return folder, write_page(folder, **CASES[request.param]())


def test_page_stands_alone(case):
    folder, html = case
    text = (folder / "report" / "index.html").read_text()
    assert not re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?\s*(?:https?:|//|javascript:)", text)
    assert (
        not html.all("link")
        and not html.all("img")
        and not html.all("iframe")
        and len(html.all("script")) == 1
    )
    assert "Content-Security-Policy" in str(html.all("meta"))


def test_ids_are_apart_and_links_lead_somewhere(case):
    folder, html = case
    ids = [a["id"] for _, a in html.tags if "id" in a]
    assert len(ids) == len(set(ids))
    for a in html.all("a"):
        if a["href"].startswith("#"):
            assert a["href"][1:] in ids
        else:
            assert (folder / "report" / unquote(a["href"])).is_file(), a["href"]
    used = [a[k] for _, a in html.tags for k in ("xlink:href", "aria-labelledby") if k in a]
    used += re.findall(r"url\(#([^)]*)\)", (folder / "report" / "index.html").read_text())
    assert all(u.lstrip("#") in ids for u in used)


def test_figures_have_words(case):
    """But for the small ones in tables, which repeat the row."""
    small = [svg for svg in case[1].all("svg") if svg.get("class") == "spark"]
    assert all(svg["aria-hidden"] == "true" for svg in small)
    for svg in case[1].all("svg"):
        assert svg in small or svg["role"] == "img" and svg["aria-label"]


def test_each_figure_is_there_as_files(case):
    """SVG and PNG, named after it, in the page's order; nothing of a page before."""
    folder, html = case
    links = [a["href"] for a in html.all("a") if a["href"].startswith("figures/")]
    assert sorted(links) == sorted(
        f"figures/{p.name}" for p in (folder / "report" / "figures").glob("*")
    )
    whole = (folder / "report" / "index.html").read_text()
    for svg in (folder / "report" / name for name in links if name.endswith(".svg")):
        root = ElementTree.parse(svg).getroot()
        assert (
            root.tag.endswith("svg")
            and "var(--" not in svg.read_text()
            and "currentColor" not in svg.read_text()
        )
        picture = svg.with_suffix(".png").read_bytes()
        across, down = (
            float(root.get(name).removesuffix("pt")) * 96 / 72 for name in ("width", "height")
        )
        width, height = (int.from_bytes(picture[at : at + 4], "big") for at in (16, 20))
        assert (
            picture[:8] == b"\x89PNG\r\n\x1a\n"
            and abs(width - 2 * across) < 2
            and abs(height - 2 * down) < 2
        )
        assert f'id="{svg.stem}-' in whole
    figures = [
        s["aria-label"]
        for s in html.all("svg")
        if s.get("class") != "spark" and not s["aria-label"].startswith("The reduced program")
    ]
    assert len(links) == len(set(links)) == 2 * len(figures)


def test_figures_of_a_page_before_are_gone(tmp_path):
    write_page(tmp_path, campaign=samples.campaign(), bench=samples.two_plans())
    assert (tmp_path / "report" / "figures" / "speedup1.png").exists()
    (tmp_path / "report" / "figures" / "notes.txt").write_text("not ours")
    write_page(tmp_path, bench=samples.bench(samples.entry("a", "eager", 10.0)))
    left = {p.name for p in (tmp_path / "report" / "figures").iterdir()}
    # campaign.json is still there
    assert (
        "rate.svg" in left
        and "notes.txt" in left
        and not [n for n in left if n.startswith("speedup")]
    )


def test_files_beside_are_well_formed(case):
    folder, _ = case
    ElementTree.parse(folder / "report" / "junit.xml")
    for name in ("results.sarif", "trace.json"):
        if (folder / "report" / name).exists():
            json.loads((folder / "report" / name).read_text())
    assert not list((folder / "report").glob("*.part"))


def test_strangers_text_stays_text(tmp_path):
    html = write_page(tmp_path, **CASES["hostile"]())
    assert not html.all("img") and len(html.all("script")) == 1
    assert not [a for _, a in html.tags if any(k.startswith("on") for k in a)]
    assert html.text.count("<script>alert(1)</script>") > 12  # shown where it is, as text
    # nor does it turn our words around
    assert "\u202e" in samples.HOSTILE and "\u202e" not in html.text
    markdown = (tmp_path / "report" / "summary.md").read_text()
    outside = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", markdown)
    assert "<script" not in outside and "onerror" not in outside


def test_verdict_comes_first(tmp_path):
    html = write_page(tmp_path, **CASES["both"]())
    said = html.text
    assert "Fusillade report: FAIL" in said
    assert said.index("3 findings (6 cases) in 600 programs, 3,000 executions.") < said.index(
        "What was run"
    )
    found = re.search(
        r"vm/o2 against eager: speed-up ([0-9.]+)\u00d7 \[(.*?), (.*?)\], geometric mean over 2 of "
        r"2 programs \(faster 1, same 1\)",
        said,
    )
    assert 1.9 < float(found[2]) < float(found[1]) < float(found[3]) < 2.1


def test_one_plan_is_described_in_words(tmp_path):
    html = write_page(tmp_path, **CASES["one plan"]())
    assert (
        "there is no speed-up to show" in html.text
        and "there is nothing to compare it with" in html.text
    )
    assert not [s for s in html.all("svg") if "Speed-up" in s["aria-label"]]
    assert "decision" not in html.text and "pays after" not in html.text


@pytest.mark.parametrize(
    "change,level,said",
    [
        ({}, "PASS", "No findings in 600 programs"),
        ({"exit_code": 3}, "WARN", "ended with exit code 3 (inconclusive: "),
        (
            {"pending": 2, "pending_known": {"k": 1}},
            "WARN",
            "2 cases wait for triage, 1 of them muted",
        ),
        ({"findings_not_saved": 1}, "PASS", "1 further failure of kinds"),
    ],
)
def test_what_the_verdict_says(tmp_path, change, level, said):
    html = write_page(tmp_path, campaign=samples.campaign(**change))
    assert f"Fusillade report: {level}" in html.text and said in html.text


def test_wrong_outputs_fail_and_are_named(tmp_path):
    html = write_page(
        tmp_path,
        bench=samples.bench(
            samples.entry("a", "eager", 10.0), samples.entry("a", "vm", 5.0, 1, verdict="mismatch")
        ),
    )
    assert "Fusillade report: FAIL" in html.text and "computed wrong outputs: a/vm." in html.text
    assert "no program of 1 can be compared (wrong outputs 1)" in html.text


def test_numbers_are_those_of_the_file(tmp_path):
    html = write_page(tmp_path, **CASES["both"]())
    assert (
        "4.00 [3.60, 4.40]" in html.text and "98.50 % of judgements compared something" in html.text
    )
    assert (
        "2 operators never reached" in html.text
        and "1 rewrite rules never reached" in html.text
        and "aten::mm" in html.text
    )


def test_the_same_twice(tmp_path):
    texts = []
    for _ in range(2):
        write_page(tmp_path, **CASES["all"]())
        texts.append(
            {str(p): p.read_bytes() for p in (tmp_path / "report").rglob("*") if p.is_file()}
        )
    assert texts[0] == texts[1]


def test_a_case_outside_the_folder_is_not_read(tmp_path):
    (tmp_path / "secret").write_text("program:\n  secret\nend\n")
    c = samples.with_findings(0)
    folder = samples.write(tmp_path / "in", campaign=c)
    c["findings"] = [samples.finding(1, case="../secret"), samples.finding(2, case="/etc/passwd")]
    (folder / "campaign.json").write_text(json.dumps(c))
    page.write(str(folder))
    text = (folder / "report" / "index.html").read_text()
    assert "root:" not in text and "  secret" not in text
    assert text.count("is not in the folder.") == 4  # in the verdict, and at each cause


def test_versions_of_engines_are_reported(tmp_path):
    """Of a campaign, of a finding that another release showed, and of what was timed."""
    c = samples.with_findings(1) | {"engines": {"mine": "mine 2 (Python 3.14.0)"}}
    b = samples.two_plans()
    b["benchmarks"][0]["engine_version"] = "PyTorch 2.13.0 (isa AVX512)"
    samples.write(tmp_path, campaign=c, bench=b)
    (found,) = tmp_path.glob("findings/*/finding.json")
    finding = json.loads(found.read_text())
    finding["engines"] = [{"name": "mine", "version": "mine 1 (Python 3.13.5)"}]
    found.write_text(json.dumps(finding))
    page.write(str(tmp_path))
    text = Reader((tmp_path / "report" / "index.html").read_text()).text
    for version in ("mine: mine 2 (Python 3.14.0)", "mine: mine 1 (Python 3.13.5)"):
        assert version in text
    assert "PyTorch 2.13.0 (isa AVX512)" in text


def test_thousand_findings(tmp_path):
    html = write_page(tmp_path, campaign=samples.with_findings(1000, message="m" * 3000))
    assert "1,000 findings" in html.text and len(html.all("details")) >= 1000
    markdown = (tmp_path / "report" / "summary.md").read_bytes()
    assert len(markdown) < summary.MOST_BYTES and b"Findings: 1000 open of 1000" in markdown
    assert (
        len(json.loads((tmp_path / "report" / "results.sarif").read_text())["runs"][0]["results"])
        == 1000
    )


def test_summary_is_cut_and_says_so(tmp_path):
    write_page(
        tmp_path, campaign=samples.with_findings(1000, message="é" * 300), bench=samples.two_plans()
    )
    many = model.load_campaign(str(tmp_path))
    many.findings *= 9
    text = summary.text(many, None, [], [])
    assert len(text.encode()) <= summary.MOST_BYTES and re.search(
        r"\d+ more rows: see the page", text
    )


def test_code_spans_hold_anything():
    assert (
        summary.code("a|b") == "`a\\|b`"
        and summary.code("`x") == "`` `x ``"
        and summary.code("a\nb") == "`a b`"
    )
    assert summary.code("") == "" and len(summary.code("y" * 1000)) == summary.MOST_CELL + 2


def test_junit_reports_failures_and_skips(tmp_path):
    c = samples.with_findings(3)
    c["findings"][1]["known"] = "k"
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
    c["findings"][0]["message"] = "bell \x07 and \ud800"
    write_page(tmp_path, campaign=c, bench=samples.two_plans())
    root = ElementTree.parse(tmp_path / "report" / "junit.xml").getroot()
    campaign, bench = root.findall("testsuite")
    assert {k: campaign.get(k) for k in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4",
        "failures": "2",
        "errors": "0",
        "skipped": "1",
    }
    assert (bench.get("tests"), bench.get("failures"), bench.get("skipped")) == ("4", "0", "1")
    failure = next(x for x in campaign.iter("failure") if "bell" in x.get("message"))
    assert failure.get("message").startswith("bell \\x07 and \\ud800; blame: cse/merge")
    assert "fusillade repro reduced.case" in campaign.find(".//system-out").text


def test_trace_lays_phases_end_to_end(tmp_path):
    write_page(tmp_path, bench=samples.two_plans())
    events = json.loads((tmp_path / "report" / "trace.json").read_text())["traceEvents"]
    track = [e for e in events if e["ph"] == "X" and (e["pid"], e["tid"]) == (1, 2)]
    assert [(e["name"], e["ts"], e["dur"]) for e in track] == [
        ("compile", 0, 1000),
        ("first call", 1000, 10),
        ("steady call", 1010, 1),
    ]
    assert {e["args"]["name"] for e in events if e["ph"] == "M" and e["pid"] == 1} == {
        "a/N:16",
        "eager",
        "vm/o2",
    }


def run(*words):
    return subprocess.run(
        [sys.executable, "-m", "fusillade_reports", *map(str, words)],
        cwd=os.path.dirname(HERE),
        capture_output=True,
        text=True,
    )


def test_empty_folder_is_an_error(tmp_path):
    done = run("page", tmp_path)
    assert done.returncode == 1
    assert (
        "holds none of campaign.json, bench.json, compare.json, planted.json, releases.json and "
        "history.sqlite"
    ) in done.stderr
    assert run("page").returncode == 1 and "index.html" in run("page").stderr


def test_campaign_picture(tmp_path):
    samples.write(tmp_path, samples.with_findings(1, message=samples.HOSTILE))
    assert run("campaign", tmp_path).returncode == 0
    assert (tmp_path / "campaign.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_bars_are_few_and_their_labels_short():
    counts = {
        f"untrusted: not traced: aten::op_{i} takes a list that an op made": i + 1
        for i in range(30)
    }
    rows = health.bars(counts)
    assert len(rows) == 10 and rows[0] == ("21 others", sum(range(1, 22)))
    assert all(len(name) <= 40 for name, _ in rows) and rows[-1][1] == 30
    assert health.bars({"ok": 3, "bug": 1}) == [("bug", 1), ("ok", 3)]


def test_colours_follow_the_scheme_and_can_be_read():
    """Text and lines have a contrast of 4.5 with the ground, in light and in dark."""
    with open(os.path.join(page.HERE, "page.css"), encoding="utf-8") as file:
        blocks = re.findall(r":root \{(.*?)\}", file.read(), flags=re.S)

    def light(colour):
        text = colour if len(colour) == 6 else "".join(c * 2 for c in colour)
        parts = [int(text[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    assert len(blocks) == 2
    for block in blocks:
        colours = dict(re.findall(r"--([a-z0-9]+): #([0-9a-f]+)", block))
        for name in ("fg", "muted", "link", "bad", "warn", "good", *(f"s{i}" for i in range(6))):
            low, high = sorted((light(colours[name]), light(colours["bg"])))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (name, block)
