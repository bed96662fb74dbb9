"""What must hold of a folder after a fault, whatever it was: each function yields what does not.

What is on disk is looked at with nothing of the product but its schemas (reports/).
"""

import json
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "reports"))

from fusillade_reports import model

SCHEMA_OF = {
    "campaign.json": "campaign",
    "finding.json": "finding",
    "bench.json": "bench",
    "compare.json": "compare",
}
LINE = re.compile(r"^finding   (\S+)$", re.MULTILINE)


def reported_findings(text):
    """The buckets that a campaign printed."""
    return LINE.findall(text)


def whole_case(path):
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as e:
        return f"{path}: {e.strerror}"
    if not text.startswith("fusillade case ") or not text.endswith("end\n"):
        return f"{path}: not a whole case ({len(text)} characters)"
    return None


def findings_whole(out, buckets):
    """Each finding that was reported is on disk, with all of its files."""
    for bucket in buckets:
        folder = out / "findings" / bucket
        if bucket.startswith("untriaged-"):
            cases = [out / "findings/untriaged" / (bucket.removeprefix("untriaged-") + ".case")]
        else:
            cases = [folder / "original.case", folder / "reduced.case"]
            for name in ("README.md", "repro.sh", "finding.json"):
                if not (folder / name).is_file() or not (folder / name).stat().st_size:
                    yield f"{folder / name}: told, and absent or empty"
        yield from filter(None, map(whole_case, cases))


def cases_whole(out):
    """A case under its own name, not a `.part`, is whole, reported or not."""
    for path in sorted(out.rglob("*.case")):
        if not any(p.name.endswith(".part") for p in (path, *path.parents)):
            yield from filter(None, [whole_case(path)])


def json_whole(out):
    for path in sorted(out.rglob("*.json")):
        if any(p.name.endswith(".part") for p in path.parents):
            continue
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as e:
            yield f"{path}: {e}"
            continue
        if isinstance(data, dict) and path.name in SCHEMA_OF:
            try:
                model.load(str(path), SCHEMA_OF[path.name])
            except model.Broken as e:
                yield str(e)


def databases_whole(out):
    for path in sorted([*out.rglob("*.db"), *out.rglob("*.sqlite")]):
        try:
            with closing(sqlite3.connect(path)) as db:
                said = db.execute("PRAGMA integrity_check").fetchall()
        except sqlite3.Error as e:
            said = [(str(e),)]
        if said != [("ok",)]:
            yield f"{path}: {said[0][0]}"


def folder_whole(out):
    if out.is_dir():
        yield from cases_whole(out)
        yield from json_whole(out)
        yield from databases_whole(out)


def campaign_result(out):
    """What a campaign came to, without times: what --resume must come to as well."""
    data = json.loads((out / "campaign.json").read_text(encoding="utf-8"))
    return {
        "programs": data["programs"],
        "verdicts": {k: v for k, v in data["verdicts"].items() if v},
        "findings": sorted(f["bucket"] for f in data["findings"]),
        "pending": data["pending"],
    }


def differences(result, expected):
    for key, value in expected.items():
        if result.get(key) != value:
            yield f"{key}: {json.dumps(result.get(key))}, without the fault {json.dumps(value)}"
