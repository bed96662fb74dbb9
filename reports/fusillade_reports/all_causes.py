"""All causes of a campaign as data files next to the page, for campaigns of more than the page
shows.

Each file is a script that hands rows to the page's own, for a page that was opened from a disk may
load scripts and no other data. Rows are JSON in which nothing can end a script; they are texts, and
the page shows them as such.
"""

import json
from urllib.parse import quote

FOLDER = "causes"
ROWS = 10_000  # of a file
FIELDS = (
    "bucket",
    "verdict",
    "oracle",
    "blame",
    "message",
    "nodes",
    "cases",
    "first seen",
    "known",
)


def _row(f):
    return [
        f.bucket,
        f.verdict,
        f.oracle,
        f.blame,
        f.message,
        f.nodes,
        f.count,
        round(f.first_seen, 1),
        f.known or "",
        f.told_by,
        "../" + quote(f.case or "campaign.json"),
    ]


def _script(rows):
    text = json.dumps(rows, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return f"fusilladeCauses({text});\n"


def chunks(findings):
    """{name: text} of files in report/."""
    return {
        f"{FOLDER}/{at // ROWS}.js": _script([_row(f) for f in findings[at : at + ROWS]])
        for at in range(0, len(findings), ROWS)
    }
