"""Text of strangers and links in their folders: what the reports write of them, and where.

Every text in the JSON files is hostile here. Nothing that acts on a terminal reaches one, no
element comes into the page that the template has not, no text of Markdown leaves its code span, and
nothing is written or removed through a link.
"""

import csv
import io
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
import samples
from fusillade_reports import files, history, model, page
from fusillade_reports.visible import ACTS, visible

NASTY = (
    "\x1b[31m\x1b]52;c;bXk=\x07\x08\x7f\x9b31m\u202eevil\u2066\u2028\r::error::x\n::error::forged\n"
    "##[error]x\n0 findings\n"
    "```\n~~~\n</pre></script><script>alert(1)</script><img src=http://e.example/x "
    "onerror=y>![a](http://e.example/x) [l](http://e.example) www.e.example `|` || *b* _c_ "
    "$\\frac{$ @someone #12 \ud800 =cmd|'/C calc'!A0"
)
VOID = {"meta", "br", "img", "link", "input", "hr"}


def hostile(value, keep=()):
    """All texts of a JSON value made hostile; `keep`: those fields as they are."""
    if isinstance(value, dict):
        return {k: v if k in keep else hostile(v, keep) for k, v in value.items()}
    if isinstance(value, list):
        return [hostile(x, keep) for x in value]
    return NASTY + value if isinstance(value, str) else value


KEPT = (
    "verdict",
    "date",
    "case",
    "class",
    "mode",
    "run_type",
    "time_unit",
    "library_build_type",
    "kind",
    "type",
    "metric",
    "known",
    "op",
    "engine",
    "rule",
)


def hostile_campaign():
    c = hostile(samples.with_findings(3), KEPT)
    c["findings"][0]["known"] = NASTY
    c["known"] = [
        {
            "name": NASTY,
            "reason": NASTY,
            "owner": NASTY,
            "until": NASTY,
            "expired": True,
            "findings": 1,
            "cases": 1,
        }
    ]
    c["waiting"], c["pending"], c["pending_known"] = (
        [{"shows": NASTY, "cases": 1, "case": NASTY}],
        1,
        {NASTY: 1},
    )
    c["given"] = [{"file": NASTY, "accepted_draws": 1}]
    c["verdicts"]["skip"] = {NASTY: 3}
    c["reach"]["rows"] = {NASTY: 1}
    return c


COMMANDS = ("repro", "bisect", "show")


def hostile_bench():
    b = hostile(samples.with_jit(), KEPT)
    for n, entry in enumerate(b["benchmarks"]):
        entry["name"] = entry["run_name"] = f"{NASTY}{n}"
    b["context"]["not_measured"] = [{"program": NASTY, "engine": NASTY, "error": NASTY}]
    return b


def over(path):
    text = NASTY.replace("\ud800", "")  # samples.py draws numbers by it
    samples.over_commits(
        path, 24, programs=(text, "b"), changed=(text,), machines=lambda i: text, subject=text
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("hostile")
    samples.write(
        out,
        campaign=hostile_campaign(),
        bench=hostile_bench(),
        over=over,
        planted=samples.hostile_hunt(),
    )
    for f in json.loads((out / "campaign.json").read_text())["findings"]:
        details = samples.finding_file(
            f, NASTY, detail=NASTY, commands=dict.fromkeys(COMMANDS, NASTY)
        )
        (out / f["case"]).with_name("finding.json").write_text(json.dumps(details))
    page.write(str(out), "", "https://e.example/%")
    return out


def show(text):
    assert not ACTS.search(text), ascii(ACTS.search(text))
    assert not re.search(r"^\s*::|##\[", text, flags=re.M), text


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen = [], set()

    def handle_starttag(self, tag, attributes):
        self.seen |= {(tag, name) for name, _ in attributes} | {(tag, "")}
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen |= {(tag, name) for name, _ in attributes} | {(tag, "")}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def elements(path):
    parser = Elements()
    parser.feed(path.read_text())
    assert parser.open == []
    return parser.seen


def test_the_page_has_no_element_but_those_of_the_template(folder, tmp_path):
    samples.write(
        tmp_path,
        campaign=samples.with_findings(3, known=None),
        bench=samples.with_jit(),
        planted=samples.hunt_of(),
        over=lambda path: samples.over_commits(path, 40),
    )
    plain = samples.campaign()
    seen = elements(folder / "report" / "index.html")
    page.write(str(tmp_path), "", "https://e.example/%")
    assert {tag for tag, _ in seen} <= {
        tag for tag, _ in elements(tmp_path / "report" / "index.html")
    }
    assert (
        not {name for _, name in seen if name.startswith("on")}
        and ("script", "src") not in seen
        and ("img", "") not in seen
        and plain
    )
    text = (folder / "report" / "index.html").read_text()
    assert not ACTS.search(text) and "&lt;script&gt;" in text and "\\x1b[31m" in text


def bare(markdown):
    """What of Markdown is in no block and no span of code."""
    out, fence = [], ""
    for line in markdown.split("\n"):
        ticks = re.match("`{3,}", line)
        if fence:
            fence = "" if line == fence else fence
        elif ticks:
            fence = ticks[0]
        else:
            out.append(line)
    assert not fence
    text = "\n".join(out).replace("\\|", "")
    return re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", text)


def test_markdown_shows_text_and_runs_none(folder):
    text = (folder / "report" / "summary.md").read_text()
    show(text)
    left = bare(text)
    assert not re.search(r"[<>`]|\]\(|http|www|evil|forged|0 findings|\$", left), left


def test_files_of_other_tools_are_well_formed(folder):
    for name in (
        "junit.xml",
        *(f"figures/{n}" for n in os.listdir(folder / "report" / "figures") if n.endswith(".svg")),
    ):
        for element in ElementTree.parse(folder / "report" / name).getroot().iter():
            assert not ACTS.search("".join([element.text or "", *element.attrib.values()])), name
    for name in ("results.sarif", "trace.json"):
        text = (folder / "report" / name).read_text()
        assert json.loads(text) and not ACTS.search(text)


def run_reports(*words, cwd=None):
    env = os.environ | {
        "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(page.__file__)))
    }
    return subprocess.run(
        [sys.executable, "-m", "fusillade_reports", *map(str, words)],
        capture_output=True,
        env=env,
        cwd=cwd,
        timeout=300,
    )


def test_a_terminal_is_written_to_and_not_ordered(folder, tmp_path):
    (tmp_path / "bench.json").write_text(json.dumps(hostile_bench()))
    odd = tmp_path / "\x1b[2J\u202e\n::error::x"
    odd.mkdir()
    (odd / "bench.json").write_text(json.dumps(hostile_bench() | {NASTY: 1}))
    (odd / "campaign.json").write_text('{"\x9b31m": ')
    db = folder / "history.sqlite"
    runs = [
        run_reports("compare", folder, tmp_path, "--gate", "none"),
        run_reports("compare", folder, odd),
        run_reports("page", odd),
        run_reports("history", "show", "--all", "--db", db),
        run_reports("history", "show", "--db", odd),
        run_reports(
            "history",
            "add",
            folder,
            "--db",
            tmp_path / "\x1b.db",
            "--commit",
            "\x1b" * 12,
            "--time",
            "1",
            "--number",
            "1",
            "--subject",
            NASTY.replace("\ud800", "\udcff"),
            "--machine",
            "\x1b]0;x\x07\n0 findings",
        ),
        run_reports("compare", folder, b"\xff\x1b".decode("utf-8", "surrogateescape")),
        run_reports("compare", "--\x1b[31m"),
        run_reports("export", folder, "\x1b", "x"),
    ]
    for done in runs:
        for text in (done.stdout.decode(), done.stderr.decode()):
            show(text)
            assert not re.search("^(0 findings|forged)", text, flags=re.M), text
    assert all(done.stdout + done.stderr for done in runs) and runs[0].returncode == 0, runs[0]


def test_a_spreadsheet_is_given_no_formula(tmp_path):
    samples.write(tmp_path, bench=samples.bench(samples.entry("=cmd|'/C calc'!A0", "eager", 10.0)))
    assert run_reports("export", tmp_path, "csv", tmp_path / "out.csv").returncode == 0
    rows = list(csv.reader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert all(row[0] == "'=cmd|'/C calc'!A0" for row in rows[1:])


def test_what_is_spelled_out():
    assert visible("\x1b\x9b\u202e\t\n\udcff\ud800é") == "\\x1b\\u009b\\u202e\t\n\\xff\\ud800é"


def test_a_module_of_the_working_folder_is_not_loaded(folder, tmp_path):
    for name in ("json", "re", "numpy", "fusillade_reports"):
        (tmp_path / f"{name}.py").write_text("open('pwned', 'w')")
    env = os.environ | {
        "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(page.__file__))),
        "PYTHONSAFEPATH": "1",
    }
    subprocess.run(
        [sys.executable, "-m", "fusillade_reports", "page", folder],
        capture_output=True,
        env=env,
        cwd=tmp_path,
        timeout=300,
    )
    assert not (tmp_path / "pwned").exists()


# Links.


def elsewhere(tmp_path):
    out = tmp_path / "elsewhere"
    out.mkdir()
    for name in ("figures/old.svg", "target", "index.html"):
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text("mine")
    return out


def snapshot(there):
    assert sorted(str(p.relative_to(there)) for p in there.rglob("*")) == [
        "figures",
        "figures/old.svg",
        "index.html",
        "target",
    ]
    assert {p.read_text() for p in there.rglob("*") if p.is_file()} == {"mine"}


@pytest.mark.parametrize("link, to", [("report", ""), ("report/figures", "figures")])
def test_no_link_to_a_folder_is_followed(tmp_path, link, to):
    there, given = elsewhere(tmp_path), tmp_path / "given"
    samples.write(given, campaign=samples.with_findings(1))
    (given / link).parent.mkdir(exist_ok=True)
    (given / link).symlink_to(there / to)
    with pytest.raises(
        OSError, match=f"{link} is a symbolic link: nothing in .* is written through one"
    ):
        page.write(str(given))
    snapshot(there)
    done = run_reports("page", given)
    assert done.returncode == 1 and b"is a symbolic link" in done.stderr


@pytest.mark.parametrize("place", ["report", "report/figures"])
def test_what_is_no_folder_is_told_with_its_place(tmp_path, place):
    samples.write(tmp_path, campaign=samples.with_findings(1))
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text("a file")
    done = run_reports("page", tmp_path)
    assert done.returncode == 1 and str(tmp_path / place).encode() in done.stderr


@pytest.mark.parametrize(
    "name",
    [
        "index.html",
        "index.html.part",
        "summary.md",
        "junit.xml",
        "figures/rate.svg",
        "figures/old.png",
    ],
)
def test_no_link_to_a_file_is_followed(tmp_path, name):
    there, given = elsewhere(tmp_path), tmp_path / "given"
    samples.write(given, campaign=samples.with_findings(1))
    (given / "report" / name).parent.mkdir(parents=True)
    (given / "report" / name).symlink_to(there / "target")
    page.write(str(given))
    snapshot(there)
    assert not (given / "report" / name).is_symlink()


@pytest.mark.parametrize(
    "name", ["campaign.png", "campaign.png.part", "compare.json", "compare.json.part"]
)
def test_no_link_beside_the_report_is_followed(tmp_path, name):
    there, given = elsewhere(tmp_path), tmp_path / "given"
    samples.write(given, campaign=samples.campaign(), bench=samples.two_plans())
    (given / name).symlink_to(there / "target")
    run_reports("campaign", given)
    run_reports("compare", given, given, "--out", given)
    snapshot(there)
    assert (given / "campaign.png").is_file() and (given / "compare.json").is_file()


def test_the_folder_given_may_be_a_link(tmp_path):
    samples.write(tmp_path / "real", campaign=samples.campaign())
    (tmp_path / "link").symlink_to("real")
    page.write(str(tmp_path / "link"))
    assert (tmp_path / "real" / "report" / "index.html").is_file()


def test_a_file_within_a_folder_that_is_not_there(tmp_path):
    files.write(str(tmp_path / "a" / "b" / "c"), "x", str(tmp_path / "a"))
    files.write(str(tmp_path / "d" / "e"), b"y")
    assert (tmp_path / "a" / "b" / "c").read_text() == "x" and (
        tmp_path / "d" / "e"
    ).read_text() == "y"


def test_a_history_shows_no_text_raw(folder):
    for series in history.load(str(folder / "history.sqlite")):
        for point in series.points:
            assert not ACTS.search(series.name + point.run.machine + point.run.commit.subject)
    assert model.load(str(folder / "campaign.json"), "campaign")
