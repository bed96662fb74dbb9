"""fusillade planted: what it measures and leaves, on a tree whose copy is a script: one record for
each way it can end. The real hunt takes a minute a record: results/planted.md has what it said.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from under_test import BINARY, ROOT

sys.path.insert(0, str(ROOT / "reports"))
from fusillade_reports import model

RECORDS = ("found", "ends-it", "blamed-otherwise", "never-reached", "stays-without", "flaky")
PLANT = f"""
import json, os, shutil, sys
if sys.argv[1] == "list":
    print(json.dumps([{{"id": i, "real": "own invention", "file": "engine/passes/cse.cpp",
                        "class": "c", "oracle": "differential",
                       "blame": "cse | dce"}} for i in {RECORDS!r}]))
else:
    os.makedirs(sys.argv[2] + "/build/release", exist_ok=True)
    shutil.copy(os.path.dirname(__file__) + "/copy.py", sys.argv[2] + "/build/release/fusillade")
"""
# The copy: a campaign that ends as its record's name says, and repro, asked without the switch.
COPY = """#!/usr/bin/python3
import json, os, struct, sys
words, record = sys.argv[1:], os.environ.get("FUSILLADE_PLANTED", "")
if words[0] == "repro":
    sys.exit(77 if "stays-without" in words[1] else 0)
if record == "ends-it":
    sys.exit(1)
out = words[words.index("--out") + 1]
os.makedirs(out + "/findings/x", exist_ok=True)
open(out + "/findings/x/reduced.case", "w").close()
found = record not in ("", "never-reached") or not record and os.environ.get("CONTROL_FINDS")
if found:
    open(os.environ.get("FUSILLADE_PLANTED_REACHED", os.devnull), "wb").write(struct.pack("=Q", 12))
finding = {"bucket": "mismatch-x", "verdict": "flaky" if record == "flaky" else "mismatch",
           "oracle": "ring", "nodes": 3, "count": 2,
           "blame": "vm" if record == "blamed-otherwise" else "cse/merge",
           "case": "findings/x/reduced.case", "first_seen": 1.5}
json.dump({"programs": 150 if found else 4000, "seconds": 2.0 if found else 20.0, "pending": 0,
           "findings": [finding] if found else []},
          open(out + "/campaign.json", "w"))
sys.exit(2 if found else 0)
"""


@pytest.fixture
def source(tmp_path):
    here = tmp_path / "source" / "suites" / "planted"
    here.mkdir(parents=True)
    (here / "plant.py").write_text(PLANT)
    (here / "copy.py").write_text(COPY)
    (here / "copy.py").chmod(0o755)
    for tool in ("cmake", "ninja"):  # the copy exists already
        (tmp_path / tool).write_text("#!/bin/sh\n")
        (tmp_path / tool).chmod(0o755)
    return tmp_path / "source"


def hunt(source, out, *words, **environment):
    around = {
        **os.environ,
        "PATH": f"{source.parent}:{os.environ['PATH']}",
        "FUSILLADE_PYTHON": "/usr/bin/python3",
        **environment,
    }
    return subprocess.run(
        [
            BINARY,
            "planted",
            "--source",
            source,
            "--seconds",
            "20s",
            "--count",
            "0",
            "--out",
            out,
            *words,
        ],
        env=around,
        capture_output=True,
        text=True,
    )


def test_planted_json_says_how_each_ended(source, tmp_path):
    done = hunt(source, tmp_path / "out")
    assert done.returncode == 2, done.stderr
    kept = model.load(str(tmp_path / "out" / "planted.json"), "planted")  # its schema
    by_id = {r["id"]: r for r in kept["records"]}
    assert list(by_id) == list(RECORDS) and kept["limit_seconds"] == 20
    ended = {
        i: (
            r["reached"],
            r["triggered"],
            r["detected"],
            r["blame_right"],
            r["seconds"],
            r["programs"],
        )
        for i, r in by_id.items()
    }
    assert ended["found"] == (12, True, True, True, 1.5, 150)
    assert ended["blamed-otherwise"] == (12, True, True, False, 1.5, 150)
    assert ended["never-reached"] == (0, False, False, False, 20.0, 4000)
    assert ended["ends-it"][1:3] == (True, False)
    assert by_id["ends-it"]["verdict"] == "a campaign ended with code 1"
    for lost in ("stays-without", "flaky"):
        assert ended[lost] == (12, True, False, False, 20.0, 150), lost
    assert kept["control"] == {"programs": 4000, "seconds": 20.0, "bucket": None}
    assert kept["totals"]["detected"] == 2 and kept["totals"]["blamed_right"] == 1
    assert "| never-reached | own invention | 0 | **no** | **no** | 20.0 | 4000 |" in done.stdout


def test_stdout_as_json_is_the_file(source, tmp_path):
    done = hunt(source, tmp_path / "out", "--json", "--filter", "^found$")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (tmp_path / "out" / "planted.json").read_text()


def test_a_control_that_finds_something_is_reported(source, tmp_path):
    done = hunt(source, tmp_path / "out", "--filter", "^found$", CONTROL_FINDS="1")
    assert done.returncode == 2 and "FOUND mismatch-x" in done.stdout
    assert (
        json.loads((tmp_path / "out" / "planted.json").read_text())["control"]["bucket"]
        == "mismatch-x"
    )


def test_what_was_measured_is_kept_where_the_hunt_breaks_off(source, tmp_path):
    """The campaign without a bug ends as none does."""
    copy = source / "suites" / "planted" / "copy.py"
    copy.write_text(COPY.replace("sys.exit(2 if found", "sys.exit(9 if not record else 2 if found"))
    done = hunt(source, tmp_path / "out")
    assert done.returncode == 1 and "a campaign ended with code 9" in done.stderr
    kept = model.load(str(tmp_path / "out" / "planted.json"), "planted")
    assert [r["id"] for r in kept["records"]] == list(RECORDS) and kept["control"] is None


def test_report_draws_it(source, tmp_path):
    hunt(source, tmp_path / "out")
    done = subprocess.run([BINARY, "report", tmp_path / "out"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    page = Path(done.stdout.strip()).read_text()
    assert (
        "2 of 6 planted bugs detected within 20 s each" in page
        and "the place was never reached" in page
    )
    assert (tmp_path / "out" / "report" / "figures" / "survival.svg").exists()
    suites = ElementTree.parse(tmp_path / "out" / "report" / "junit.xml").getroot()
    assert suites.find("testsuite[@name='planted']").get("failures") == "4"
