"""Gathers what the site consists of, for mkdocs.yml: the manual, results and the pages at the top.

mkdocs takes one folder, and the pages lie in several. They are copied to build/manual with the same
paths, so that links between them hold there as they do in the repository.
"""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("docs", "results")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")


def gather(to):
    shutil.rmtree(to, ignore_errors=True)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, to / folder)
    for page in PAGES:
        shutil.copy(ROOT / page, to / page)


def on_config(config):
    to = ROOT / "build/manual"
    gather(to)
    config["docs_dir"] = str(to)
    return config
