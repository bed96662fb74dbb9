"""What the page and summary.md say of a history: what changed and nothing else, the same as the
file, in bounds."""

import re

import pytest
import samples
from fusillade_reports import history, model, page, since_when, summary, timeline
from test_page import Reader


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Forty commits; `a/N:16` takes a tenth more from the 21st on."""
    return samples.write(
        tmp_path_factory.mktemp("history"), bench=samples.two_plans(), over=samples.over_commits
    )


def read(folder, *words):
    page.write(str(folder), *words)
    return Reader((folder / "report" / "index.html").read_text())


def test_what_changed_is_drawn_and_described(folder):
    html = read(folder)
    text = (folder / "report" / "index.html").read_text()
    drawn = [a["aria-label"] for a in html.all("svg") if " runs: " in a["aria-label"]]
    since = samples.commit_hash(20)[:12]
    assert sorted(drawn) == [
        f"a/N:16, vm/o2, {metric} over 40 runs: slower +{change} % since {since}; the table below "
        "has the numbers"
        for metric, change in (
            ("instructions", "10.00"),
            ("steady", drawn[1].split("+")[1].split(" ")[0]),
        )
    ]
    assert (
        f"History: 2 changes for the worse: a/N:16, vm/o2, instructions +10.00 % since {since}, "
        in html.text
    )
    assert html.text.index("History: 2 changes") < html.text.index("What was run")
    tips = re.findall("<title>(.*?)</title>", text)[1:]
    assert (
        len(tips) == 80
        and f"{since} 2023-12-04 22:13, a commit 20: 55 k on old, 2026-11-25T00:20:29+00:00" in tips
    )
    assert "history and changepoints over commits" not in html.text and (
        "../history.sqlite" in [a["href"] for a in html.all("a")]
    )
    assert "history and changepoints over commits" in summary_free(folder)


def summary_free(folder):
    """The page of the bench alone says what it has nothing of."""
    other = samples.write(folder / "alone", bench=samples.two_plans())
    return read(other).text


def test_the_same_numbers_stand_in_all(folder):
    read(folder)
    judged = since_when.judge(history.load(str(folder / "history.sqlite")))
    markdown, html = (
        (folder / "report" / "summary.md").read_text(),
        (folder / "report" / "index.html").read_text(),
    )
    terminal = since_when.terminal(str(folder / "history.sqlite"), since_when.Chosen(), False)
    assert len(judged.changes) == 2
    for c in judged.changes:
        _, _, _, kind, since, day, before, after, change, p, _ = since_when.cells(c)
        for cell in (kind, since, day, before, after, change, p):
            assert f"| {cell} " in markdown and f">{cell}<" in html and cell in terminal


def test_commits_are_links_where_said_how(folder):
    html = read(folder, "", "https://example.org/c/%?x=1")
    assert f"https://example.org/c/{samples.commit_hash(20)}?x=1" in [
        a["href"] for a in html.all("a")
    ]
    for wrong in ("javascript:alert(%)", "https://example.org/", "example.org/%"):
        with pytest.raises(model.Broken, match="is no address of commits"):
            page.write(str(folder), "", wrong)


def test_a_history_elsewhere(folder, tmp_path):
    bench = samples.write(tmp_path / "bench", bench=samples.two_plans())
    html = read(bench, str(folder / "history.sqlite"))
    assert "2 changes for the worse" in html.text and "../history.sqlite" not in [
        a["href"] for a in html.all("a")
    ]
    with pytest.raises(model.Broken, match="none does not exist"):
        page.write(str(bench), str(tmp_path / "none"))
    (tmp_path / "bench" / "history.sqlite").write_text("no database " * 100)
    with pytest.raises(model.Broken, match="no SQLite database"):
        page.write(str(bench))


def test_no_change_is_described_in_words(tmp_path):
    samples.write(tmp_path, over=lambda path: samples.over_commits(path, 7))
    html = read(tmp_path)
    assert "No timing changed." in html.text and not [
        a for a in html.all("svg") if " runs: " in a["aria-label"]
    ]
    assert "## History\n\nNo timing changed." in (tmp_path / "report" / "summary.md").read_text()
    assert "PASS" in html.text


def test_another_machine_has_a_line_and_a_colour(tmp_path):
    samples.write(
        tmp_path,
        over=lambda path: samples.over_commits(path, machines=lambda i: "old" if i < 30 else "new"),
    )
    html = read(tmp_path)
    assert (
        "from " + samples.commit_hash(30)[:12] in html.text
        and "machine old to new. What changed there is of no commit." in html.text
    )
    svg = (
        (tmp_path / "report" / "index.html").read_text().split('id="history"')[1].split("</svg>")[0]
    )
    assert "var(--s0)" in svg and "var(--s1)" in svg and "stroke-dasharray" in svg


def change(number, kind="slower"):
    run = history.Run(
        1, history.Commit(f"{number:040x}", 0, 0, samples.HOSTILE), "", "m", "c", 1, "b", "t"
    )
    points = [history.Point(run, 1000.0 + i, None, None, 0.0, None) for i in range(12)]
    series = history.Series(f"{samples.HOSTILE}{number}", "vm/o2", False, "steady", points)
    return since_when.Change(
        series,
        kind,
        6,
        1000.0,
        1100.0,
        0.001,
        run.commit,
        [run.commit],
        "",
        tuple(range(6)),
        tuple(range(6, 12)),
    )


def test_much_is_bounded(tmp_path):
    changes = [change(i) for i in range(3000)]
    over = since_when.Judged([c.series for c in changes], changes, 3000, [])
    drawn, left = timeline.most_changed(over, page.MOST_TIMELINES)
    assert (len(drawn), left) == (page.MOST_TIMELINES, 3000 - page.MOST_TIMELINES)
    values = page._of_history(over, "")
    assert len(values["history_rows"]) == page.MOST_CHANGES and values["history_caption"].endswith(
        "2500 more are in the file"
    )
    markdown = summary.text(None, None, [], [], None, over)
    assert (
        len(markdown.encode()) < summary.MOST_BYTES
        and "more rows: see the page and the JSON." in markdown
    )
    assert "<script" not in re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", markdown)


def test_of_a_long_history_the_end_is_drawn():
    c = change(1)
    run = c.series.points[0].run
    c.series.points = [history.Point(run, 1000.0, None, None, 0.0, None) for _ in range(1000)]
    c.at, c.old, c.new = 900, tuple(range(900)), tuple(range(900, 1000))
    _, drawn = timeline.draw(c.series, [c], 0)
    assert (
        drawn.inline.count("<title>") == drawn.svg.count("<title>") == timeline.MOST_POINTS
        and "over 240 runs" in drawn.inline
    )
    assert 'xlink:href="tip' not in drawn.svg
