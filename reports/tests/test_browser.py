"""The page in a real browser, at 1280 and 400 pixels: nothing cut, nothing over anything, no error,
all of it usable.

Needs Debian's chromium-headless-shell (ci/setup.sh --browser); without it every test here is
skipped, and says so.
"""

import os

import pytest
import samples
import screenshot
from browser import Browser, find_browser
from fusillade_reports import page
from PIL import Image

pytestmark = pytest.mark.skipif(
    not find_browser(), reason="NO BROWSER: the page was not looked at (ci/setup.sh --browser)"
)

LONG = "a_program_with_a_rather_long_name_of_its_own/N:1048576"
MANY = tuple(f"program_{i}/N:16" for i in range(20))


def many_timings():
    """Thirty programs under three plans: two levels of processes, long calls and short ones."""
    plans = ("eager", "vm/o2", "vm/o2,fuse(loopnest,llvm)")
    return samples.bench(
        *(
            samples.entry(
                f"program_{i}/N:16",
                plan,
                3.0**i * (1 + n),
                3 * i + n,
                scatter=0.3 if i == 4 else 0.02,
            )
            for i in range(30)
            for n, plan in enumerate(plans)
        )
    )


CASES = {
    "both": lambda: {"campaign": samples.with_findings(3), "bench": samples.two_plans()},
    "one plan": lambda: {
        "bench": samples.bench(
            *(samples.entry(f"p{i}", "eager", 10.0 * (i + 1), i) for i in range(9))
        )
    },
    "no bench": lambda: {"campaign": samples.with_findings(2)},
    "no findings": lambda: {"campaign": samples.campaign(), "bench": samples.two_plans()},
    "more findings than a page": lambda: {
        "campaign": samples.with_findings(1200, message=samples.HOSTILE)
    },
    "thousand findings": lambda: {"campaign": samples.with_findings(1000)},
    "jit events": lambda: {"bench": samples.with_jit()},
    "two runs": lambda: {"compare": samples.two_runs},
    "a bench and what changed": lambda: {"bench": samples.two_plans(), "compare": samples.two_runs},
    "history": lambda: {"over": samples.over_commits},
    "history without a change": lambda: {
        "bench": samples.two_plans(),
        "over": lambda path: samples.over_commits(path, 7),
    },
    "history of much": lambda: {
        "bench": samples.two_plans(),
        "compare": samples.two_runs,
        "over": lambda path: samples.over_commits(
            path, 40, MANY, MANY, lambda i: "old" if i < 12 or i % 2 else "new"
        ),
    },
    "hostile history": lambda: {
        "over": lambda path: samples.over_commits(
            path,
            30,
            (samples.HOSTILE, LONG),
            (samples.HOSTILE, LONG),
            lambda i: samples.HOSTILE,
            samples.HOSTILE,
        )
    },
    "hostile": lambda: {
        "campaign": samples.hostile_campaign(),
        "bench": samples.hostile_bench(),
        "planted": samples.hostile_hunt(),
    },
    "planted": lambda: {"planted": samples.hunt_of(60)},
    "planted, none detected": lambda: {
        "planted": samples.planted_hunt([samples.missed_record(i) for i in range(4)])
    },
    "planted, none hunted": lambda: {"planted": samples.planted_hunt([], None)},
    "all": lambda: {
        "campaign": samples.with_findings(3),
        "bench": many_timings(),
        "compare": samples.two_runs,
        "over": samples.over_commits,
        "planted": samples.hunt_of(),
    },
    "long names": lambda: {
        "bench": samples.bench(
            samples.entry(LONG, "eager", 4e7),
            samples.entry(
                LONG, "vm/inline,grad_mode,lower_tuples,constant_propagation,cse,peephole", 9.0, 1
            ),
        )
    },
}

# What sticks out of the page's width or of its own box, without a region around it that scrolls.
CUT = """(() => {
  const out = [], wide = document.documentElement.clientWidth;
  const scrolls = (e) => {
    for (; e; e = e.parentElement)
      if (["auto", "scroll"].includes(getComputedStyle(e).overflowX)) return true;
    return false;
  };
  for (const e of document.querySelectorAll("body *")) {
    if (e.ownerSVGElement || e.closest(".skip")) continue;
    if (e.closest("details:not([open]) > :not(summary)")) continue;
    const r = e.getBoundingClientRect();
    if (r.width === 0 || scrolls(e)) continue;
    if (r.right > wide + 1 || r.left < -1)
      out.push(e.tagName + " " + e.textContent.slice(0, 40) + " " + r.left + ".." + r.right);
  }
  if (document.documentElement.scrollWidth > wide)
    out.push("the page is " + document.documentElement.scrollWidth + " wide");
  for (const svg of document.querySelectorAll("svg")) {
    const frame = svg.getBoundingClientRect();
    if (frame.width === 0) continue;
    for (const t of svg.querySelectorAll("text")) {
      const r = t.getBoundingClientRect();
      if (r.left < frame.left - 2 || r.right > frame.right + 2
          || r.top < frame.top - 3 || r.bottom > frame.bottom + 3) {
        const beyond = [r.left - frame.left, r.right - frame.right,
                        r.top - frame.top, r.bottom - frame.bottom];
        out.push("text of a figure: " + t.textContent + " " + beyond.map(Math.round));
      }
    }
  }
  return out.slice(0, 10);
})()"""

# Texts of one figure that lie over each other, and blocks that do.
OVER = """(() => {
  const out = [];
  const over = (a, b, slack) => a.left + slack < b.right && b.left + slack < a.right
    && a.top + slack < b.bottom && b.top + slack < a.bottom;
  const start = (e) => e.textContent.slice(0, 30);
  const pairs = (list, slack, name) => {
    const boxes = list.map((e) => [e, e.getBoundingClientRect()])
      .filter(([, r]) => r.width > 0 && r.height > 0);
    for (let i = 0; i < boxes.length && out.length < 10; i++)
      for (let j = i + 1; j < boxes.length; j++)
        if (over(boxes[i][1], boxes[j][1], slack))
          out.push(name + ": " + start(boxes[i][0]) + " / " + start(boxes[j][0]));
  };
  for (const svg of document.querySelectorAll("figure svg"))
    pairs(Array.from(svg.querySelectorAll("text")), 2, "texts");
  pairs(Array.from(document.querySelectorAll("figure")), 1, "figures");
  pairs(Array.from(document.querySelectorAll("section")), 1, "sections");
  return out;
})()"""


@pytest.fixture(scope="module")
def browser():
    with Browser.start() as b:
        yield b


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Each case's page, written when first asked for."""
    written = {}

    def of(name):
        if name not in written:
            folder = samples.write(tmp_path_factory.mktemp("page"), **CASES[name]())
            page.write(str(folder))
            written[name] = folder / "report" / "index.html"
        return written[name]

    return of


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("name", sorted(CASES))
def test_nothing_is_cut_or_covered(browser, pages, name, width):
    browser.open(pages(name), width=width)
    assert browser.evaluate("document.title").endswith("Fusillade report")
    assert browser.evaluate(CUT) == []
    assert browser.evaluate(OVER) == []
    assert browser.evaluate("window.injected") is None and browser.errors == []


def test_dark_is_dark(browser, pages):
    ground = "getComputedStyle(document.body).backgroundColor"
    browser.open(pages("both"), dark=True)
    assert browser.evaluate(ground) == "rgb(21, 23, 26)"
    inks = browser.evaluate(
        "Array.from(document.querySelectorAll('figure svg text'), (t) => getComputedStyle(t).fill)"
    )
    assert inks and "rgb(0, 0, 0)" not in inks
    browser.open(pages("both"))
    assert browser.evaluate(ground) == "rgb(255, 255, 255)"


COLUMN = (
    "Array.from(document.querySelectorAll('#causes ~ .scroll tbody tr:not([hidden])'), (r) => "
    "r.cells[{}].textContent)"
)


def press(browser, column):
    browser.evaluate(
        f"document.querySelectorAll('#causes ~ .scroll thead button')[{column}].click()"
    )


def test_tables_sort_and_filter(browser, pages):
    browser.open(pages("thousand findings"))
    press(browser, 5)
    nodes = [int(x) for x in browser.evaluate(COLUMN.format(5))]
    assert len(nodes) == 1000 and nodes == sorted(nodes, reverse=True)
    press(browser, 5)
    assert [int(x) for x in browser.evaluate(COLUMN.format(5))] == sorted(nodes)
    assert (
        browser.evaluate("document.querySelectorAll('#causes ~ .scroll thead th')[5].ariaSort")
        == "ascending"
    )
    press(browser, 0)
    names = browser.evaluate(COLUMN.format(0))
    assert names[0] == "mismatch-cse-000000000000" and len(set(names)) == 1000
    assert (
        browser.evaluate("document.querySelectorAll('#causes ~ .scroll thead [aria-sort]').length")
        == 1
    )
    press(browser, 7)
    assert browser.evaluate(COLUMN.format(7))[0] == "249.8"  # as numbers: 249.8 above 99.8
    browser.evaluate("""(() => {
        const i = document.querySelector('#causes ~ .filter input');
        i.value = 'merge 0000000003e7';
        i.dispatchEvent(new Event('input')); })()""")
    assert browser.evaluate(COLUMN.format(0)) == ["mismatch-cse-0000000003e7"]
    assert (
        browser.evaluate("document.querySelector('#causes ~ .filter [role=status]').textContent")
        == "1 of 1000"
    )
    assert browser.errors == []


def test_links_lead_to_what_they_name(browser, pages):
    browser.open(pages("thousand findings"))
    assert browser.evaluate("document.querySelectorAll('details[open]').length") == 0
    browser.evaluate("document.querySelector('a[href=\"#cause-700\"]').click()")
    browser.evaluate("new Promise((done) => setTimeout(done, 100))")
    top = browser.evaluate(
        "document.querySelector('#cause-700').closest('details').getBoundingClientRect().top"
    )
    assert (
        browser.evaluate("document.querySelector('#cause-700').closest('details').open")
        and -1 <= top < 900
    )
    assert (
        browser.evaluate("document.querySelector('#cause-700 pre').getBoundingClientRect().height")
        > 0
    )
    browser.open(pages("thousand findings"), fragment="#cause-3")
    assert browser.evaluate("document.querySelector('#cause-3').closest('details').open")


def test_keyboard_reaches_and_works(browser, pages):
    browser.open(pages("both"))
    seen = []
    for _ in range(60):
        browser.key("Tab")
        at = browser.evaluate(
            "(() => { const e = document.activeElement; return e.tagName + ' ' + "
            "e.textContent.trim().slice(0, 30); })()"
        )
        seen.append(at)
        if at.startswith("BUTTON nodes"):
            break
    assert (
        seen[0] == "A To the content"
        and any(s.startswith("A What was run") for s in seen)
        and seen[-1].startswith("BUTTON nodes")
    )
    browser.key("Enter")
    assert browser.evaluate("document.activeElement.closest('th').ariaSort") == "descending"
    assert browser.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_screen_readers_find_names(browser, pages):
    """The browser's own tree of what is said: regions, tables, figures and buttons have names."""
    browser.open(pages("both"))
    tree = browser.call("Accessibility.getFullAXTree")["nodes"]
    roles = {}
    for node in tree:
        if not node.get("ignored"):
            roles.setdefault(node["role"]["value"], []).append(
                node.get("name", {}).get("value", "")
            )
    for role in (
        "main",
        "navigation",
        "region",
        "table",
        "image",
        "button",
        "link",
        "heading",
        "columnheader",
        "rowheader",
    ):
        assert roles.get(role), role
        if role != "main":
            assert all(name.strip() for name in roles[role]), role


ROWS = (
    "Array.from(document.querySelectorAll('{} tbody tr:not([hidden])'), (r) => "
    "r.cells[{}].textContent)"
)
ONLY = "document.querySelector('{} .filter input[type=checkbox]')"


def test_what_changed_stands_alone_until_asked(browser, pages):
    browser.open(pages("two runs"))
    at = "section[aria-labelledby=changed]"
    assert sorted(browser.evaluate(ROWS.format(at, 3))) == [
        "missing",
        "missing",
        "new",
        "new",
        "slower",
    ]
    assert browser.evaluate(
        ONLY.format(at) + ".checked"
    ) and "only what changed" in browser.evaluate(ONLY.format(at) + ".parentElement.textContent")
    assert browser.evaluate(f"document.querySelector('{at} [role=status]').textContent") == "5 of 6"
    browser.evaluate(ONLY.format(at) + ".click()")
    assert len(browser.evaluate(ROWS.format(at, 3))) == 6
    assert browser.evaluate(f"document.querySelector('{at} [role=status]').textContent") == "6 of 6"
    drawn = browser.evaluate(
        f"Array.from(document.querySelectorAll('{at} .spark'), (s) => "
        "s.getBoundingClientRect().width)"
    )
    assert len(drawn) == 2 and set(drawn) == {96}


def test_missed_bugs_are_shown_when_asked(browser, pages):
    browser.open(pages("planted"))
    assert (
        len(
            browser.evaluate(
                "Array.from(document.querySelectorAll('section[aria-labelledby=planted] "
                "tr.quiet:not([hidden])'))"
            )
        )
        > 50
    )
    browser.evaluate(ONLY.format("section[aria-labelledby=planted]") + ".click()")
    assert (
        browser.evaluate(
            "document.querySelectorAll('section[aria-labelledby=planted] "
            "tr.quiet:not([hidden])').length"
        )
        == 0
    )
    left = browser.evaluate(
        "Array.from(document.querySelectorAll('section[aria-labelledby=planted] table:last-of-type "
        "tr:not([hidden]) td:nth-child(2)'), (c) => c.textContent)"
    )
    assert left.count("missed") == 3 and browser.errors == []


def test_nothing_is_asked_for_where_all_is_quiet(browser, tmp_path):
    """Of two equal runs all rows are shown."""
    same = samples.bench(samples.entry("a", "vm/o2", 1000.0, code="c" * 16))
    for side in ("old", "new"):
        samples.write(tmp_path / side, bench=same)
    samples.write(
        tmp_path,
        compare=lambda folder: samples.comparing.compare(
            str(folder / "old"), str(folder / "new"), samples.comparing.Options()
        ),
    )
    page.write(str(tmp_path))
    browser.open(tmp_path / "report" / "index.html")
    assert set(browser.evaluate(ROWS.format("#changed ~ .scroll", 3))) == {"code identical"}
    assert not browser.evaluate(ONLY.format("section[aria-labelledby=changed]") + ".checked")


@pytest.mark.parametrize("width", [1280, 400])
def test_tables_that_go_on_show_it(browser, pages, width):
    """A shade at the edge where a table is wider than its place, none where it is not."""
    browser.open(pages("two runs"), width=width)
    wide = browser.evaluate(
        "(() => { const s = document.querySelector('#changed ~ .scroll'); return s.scrollWidth > "
        "s.clientWidth; })()"
    )
    assert wide == (width == 400)
    assert "linear-gradient" in browser.evaluate(
        "getComputedStyle(document.querySelector('#changed ~ .scroll')).backgroundImage"
    )


def test_points_of_a_history_say_their_commit(browser, pages):
    browser.open(pages("history"))
    tips = browser.evaluate(
        "Array.from(document.querySelectorAll('#history ~ .figures svg title'), (t) => "
        "t.textContent)"
    )
    assert len(tips) == 2 * 40 and any(
        t.startswith(samples.commit_hash(20)[:12] + " 2023-12-04 22:13, a commit 20: 1.")
        for t in tips
    ), tips[:3]
    said = browser.evaluate(
        "Array.from(document.querySelectorAll('#history ~ .scroll tbody tr'), (r) => "
        "r.cells[2].textContent + r.cells[3].textContent)"
    )
    assert sorted(said) == ["instructionsslower", "steadyslower"]
    assert browser.errors == []


def test_pictures_of_a_page_are_taken(pages, tmp_path):
    written = screenshot.take(pages("both"), str(tmp_path / "shots" / "page"), 700)
    assert [os.path.basename(path) for path in written] == ["page-1280.webp", "page-400.webp"]
    for path, width in zip(written, screenshot.WIDTHS):
        with Image.open(path) as picture:
            assert (
                picture.size == (width, 700) and len(picture.convert("RGB").getcolors(1 << 20)) > 20
            )
        assert os.path.getsize(path) < 150_000
    assert len(list((tmp_path / "shots").iterdir())) == 2
    assert screenshot.main(["nothing.html", "x"]) == screenshot.main([]) == 1


def test_without_its_script_it_reads_as_well(browser, pages):
    browser.open(pages("both"), script=False)
    try:
        size = browser.call("Page.getLayoutMetrics")["cssContentSize"]
        assert size["width"] <= 1280 and size["height"] > 1000
        root = browser.call("DOM.getDocument")["root"]["nodeId"]
        found = browser.call("DOM.querySelectorAll", nodeId=root, selector="thead button, .filter")[
            "nodeIds"
        ]
        rows = browser.call(
            "DOM.querySelectorAll", nodeId=root, selector="#causes ~ .scroll tbody tr"
        )["nodeIds"]
        assert found == [] and len(rows) == 3
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


def test_all_causes_are_loaded_when_they_are_asked_for(browser, pages):
    """From a disk, without a server."""
    path = pages("more findings than a page")
    browser.open(path)
    assert browser.errors == []
    browser.evaluate("document.querySelector('#all-causes button').click()")
    browser.evaluate("""new Promise((done) => {
      const there = () => document.querySelector('#all-causes table');
      const look = () => there() ? done() : setTimeout(look, 20);
      look();
    })""")
    assert browser.errors == []
    names = "Array.from(document.querySelectorAll('#all-causes tbody th'), (t) => t.textContent)"
    told = "document.querySelector('#all-causes [role=status]').textContent"
    assert len(browser.evaluate(names)) == 200
    assert browser.evaluate(told) == "1200 of 1200, the first 200 are shown"
    browser.evaluate("""(() => {
      const field = document.querySelector('#all-causes input');
      field.value = '0000000004af MISMATCH';
      field.dispatchEvent(new Event('input'));
    })()""")
    assert browser.evaluate(names) == ["mismatch-cse-0000000004af"]
    assert browser.evaluate(told) == "1 of 1200"
    link = browser.evaluate("document.querySelector('#all-causes tbody a').getAttribute('href')")
    assert link == "../findings/mismatch-cse-0000000004af/reduced.case"
    assert browser.evaluate("window.injected") is None
    assert browser.evaluate(CUT) == [] and browser.evaluate(OVER) == []
