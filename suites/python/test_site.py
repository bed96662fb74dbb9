"""The site that mkdocs.yml makes has every page of the manual, and its links hold where it gathers
them. mkdocs itself is not needed."""

import importlib.util
import re
import sys

from under_test import ROOT

sys.path.insert(0, str(ROOT / "ci"))
import pages

PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")


def in_nav():
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    return re.findall(r"^ +- (?:[\w ]+: )?(\S+\.md)$", nav, re.M)


def test_every_page_is_in_the_navigation_once():
    found = [
        str(path.relative_to(ROOT))
        for folder in ("docs", "results")
        for path in (ROOT / folder).rglob("*.md")
    ]
    assert len(in_nav()) > 60
    assert sorted(in_nav()) == sorted([*found, *PAGES])


def test_links_hold_where_the_pages_are_gathered(tmp_path):
    spec = importlib.util.spec_from_file_location("site_hook", ROOT / "docs/site.py")
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    hook.gather(tmp_path / "site")
    gathered = [
        str(path.relative_to(tmp_path / "site")) for path in (tmp_path / "site").rglob("*.md")
    ]
    assert sorted(gathered) == sorted(in_nav())
    assert list(pages.links(tmp_path / "site", gathered)) == []
