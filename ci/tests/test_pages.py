"""Each law of Markdown fails on a page that breaks it, and lets pass what it says it exempts."""

import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import pages

LONG = "word " * 20 + "end of a line that is too long"
SENTENCE = " ".join(["word"] * 19) + ".\n"


def faults_of(tmp_path, files):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [f"{law}: {p}" for law, check in pages.LAWS.items() for p in check(tmp_path, [*files])]


BAD = [
    ("page columns: a.md:1: 130 columns", {"a.md": LONG + "\n"}),
    ("page columns: a.md:3: 132 columns", {"a.md": f"Short.\n\n- {LONG}\n"}),
    ("page columns: a.md:4: 130 columns", {"a.md": f"```\n{LONG}\n```\n{LONG}\n"}),
    ("sentences: a.md: its median sentence has 19 words", {"a.md": SENTENCE}),
    ("sentences: a.md: its median sentence has 19 words", {"a.md": f"# Title\n\n- {SENTENCE}"}),
    (
        "sentences: a.md: one sentence in ten has 41 words",
        {"a.md": "It is short. " * 5 + "\n\n" + "word\n" * 40 + "end.\n"},
    ),
    ("links: a.md:1: leads to b.md", {"a.md": "See [b](b.md).\n"}),
    ("links: docs/a.md:1: leads to ../b.md", {"docs/a.md": "See [b](../b.md).\n"}),
    ("links: a.md:1: leads to p.png", {"a.md": '<img src="p.png">\n'}),
    (
        "links: a.md:1: leads to b.md#gone, and no heading there",
        {"a.md": "See [b](b.md#gone).\n", "b.md": "# Here\n"},
    ),
    ("links: a.md:3: leads to #gone", {"a.md": "# Here\n\nSee [b](#gone).\n"}),
    ("links: a.md:1: leads to docs/gone.md", {"a.md": "See `docs/gone.md`.\n"}),
    ("links: results/a.md:1: leads to b.md", {"results/a.md": "See [b](b.md).\n"}),
    ("timeless: a.md:1: tells a date", {"a.md": "On 2026-11-24 it ran.\n"}),
    ("timeless: a.md:1: tells a commit hash", {"a.md": "Since 7ed3807 it runs.\n"}),
    ("timeless: a.md:1: tells the load of a machine", {"a.md": "It ran at a load of 12.\n"}),
    ("timeless: a.md:1: tells the load of a machine", {"a.md": "It ran under load 17.\n"}),
    ("timeless: a.md:1: tells a stranger", {"a.md": "A stranger ran it.\n"}),
]

GOOD = [
    {"a.md": f"| {LONG} |\n"},
    {"a.md": f"```sh\n{LONG}\n```\n"},
    {"a.md": f"- [page]({'x' * 30}.md)\n".replace("(" + "x" * 30, "(https://" + "x" * 90)},
    {"a.md": f"```\n{SENTENCE}```\n"},
    {"a.md": f"# {SENTENCE}"},
    {"a.md": "It is `" + "word " * 18 + "`.\n"},
    {"results/a.md": LONG + SENTENCE + "On 2026-11-24, at a load of 12, 7ed3807.\n"},
    {"CHANGELOG.md": "Of 2026-11-24.\n"},
    {"a.md": "The bucket `mismatch-vm-682dc16e9d1f`.\n"},
    {"a.md": "```\nuntil: 2027-03-01\n```\n"},
    {"a.md": "It takes 5,178 programs, effaced 1234567 times, at load time.\n"},
    {"a.md": "See [b](docs/b.md#what-a-jit-does).\n", "docs/b.md": "## What a `jit` does\n"},
    {"docs/a.md": "See `docs/a.md` and [it](a.md), `[no](link.md)`.\n"},
    {"a.md": "See [the page](https://example.org/none.md) and [here](#a).\n\n# A\n"},
]


@pytest.mark.parametrize("expected, files", BAD)
def test_a_bad_page_is_named(tmp_path, expected, files):
    faults = faults_of(tmp_path, files)
    assert any(p.startswith(expected) for p in faults), faults


@pytest.mark.parametrize("files", GOOD)
def test_a_good_page_breaks_nothing(tmp_path, files):
    assert faults_of(tmp_path, files) == []


def test_words_of_sentences_are_counted():
    text = "# Not this\n\nOne two. Three `four five` six!\n- Seven\n  eight.\n\n| nine |\n"
    assert pages.sentences(text) == [2, 3, 2]
    assert pages.ninth_tenth([*range(1, 11)]) == 9
    assert pages.ninth_tenth([5]) == 5
