"""results.sarif: the open causes as SARIF 2.1.0, one rule per verdict, the bucket as fingerprint.

It has what GitHub's code scanning requires: texts of rules, a whole region, the fingerprint by
which an alert is known again. Muted and closed causes are left out, for code scanning heeds no
suppressions.
"""

import hashlib
import json
import re
from urllib.parse import quote

MOST = 25000  # results that GitHub takes in one run
MOST_BYTES = 8_000_000  # of results; it takes 10 MB, compressed
SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
RULES = {
    "mismatch": "A result lies outside what a legal implementation may give, or an error is "
    "missing or another",
    "crash": "The engine died",
    "hang": "The engine did not end in time",
    "memory": "The engine took more memory than its limit",
    "bug": "A check of the engine's own, or of its output, failed",
    "flaky": "A failure that not every fresh process shows",
    "slow": "The program is slower than it may be",
}
HELP = (
    "The folder of the finding, findings/BUCKET of the campaign, holds the reduced program "
    "(reduced.case) and repro.sh, which exits 77 while the bug lives. `fusillade show`, `repro`, "
    "`bisect` and `reduce` take the case; a mute list (`--known`) takes the bucket."
)
CASE_HEAD = "fusillade case 1"  # the first line of every case


def _result(cause):
    f = cause.finding
    said = (
        f"{f.message}: blame {f.blame}, by the oracle {f.oracle}, {f.nodes} node(s), {f.count} "
        "case(s)."
    )
    return {
        "ruleId": f.verdict,
        "ruleIndex": list(RULES).index(f.verdict),
        "level": "error",
        "message": {"text": said + (f"\n{cause.detail}" if cause.detail else "")},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {
                        "uri": quote(f.case or "campaign.json"),
                        "uriBaseId": "CAMPAIGN",
                    },
                    "region": {
                        "startLine": 1,
                        "startColumn": 1,
                        "endLine": 1,
                        "endColumn": len(CASE_HEAD) + 1,
                    },
                },
                "logicalLocations": [{"fullyQualifiedName": f.blame}],
            }
        ],
        "partialFingerprints": {
            "primaryLocationLineHash": hashlib.sha256(f.bucket.encode()).hexdigest()[:16] + ":1",
            "fusilladeBucket/v1": f.bucket,
        },
        "occurrenceCount": f.count,
        "properties": {
            "bucket": f.bucket,
            "origin": f.origin,
            "firstSeenSeconds": f.first_seen,
            "nodes": f.nodes,
        }
        | ({"state": f.told_by} if f.told_by else {}),
    }


def _results(causes):
    """Those of the first causes that fit."""
    out, size = [], 0
    for cause in causes[:MOST]:
        out.append(_result(cause))
        size += len(json.dumps(out[-1], indent=1, ensure_ascii=False).encode())
        if size > MOST_BYTES:
            return out[:-1]
    return out


def text(causes, build, count=None):
    """build: the name of what ran, "fusillade 0.2.0, commit 0123456789ab"; empty: not known. count:
    of the open causes, where not all are given; those beyond MOST need not be."""
    causes = [c for c in causes if c.finding.is_open]
    count = len(causes) if count is None else count
    driver = {
        "name": "Fusillade",
        "rules": [
            {
                "id": name,
                "name": name,
                "shortDescription": {"text": said},
                "fullDescription": {"text": f"{said}. Found by differential fuzzing."},
                "help": {"text": HELP, "markdown": HELP},
                "defaultConfiguration": {"level": "error"},
                "properties": {
                    "tags": ["correctness"],
                    "precision": "high",
                    "problem.severity": "error",
                },
            }
            for name, said in RULES.items()
        ],
    }
    if build:
        driver["version"] = build
    if version := re.search(r"\b\d+\.\d+\.\d+\b", build):
        driver["semanticVersion"] = version[0]
    results = _results(causes)
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {"CAMPAIGN": {"description": {"text": "the folder of the campaign"}}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    if count > len(results):
        left = count - len(results)
        run["properties"] = {"resultsLeftOut": left}
        said = f"{left} more causes, of fewer cases, are not in this file; campaign.json has all."
        run["invocations"] = [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [{"level": "note", "message": {"text": said}}],
            }
        ]
    return (
        json.dumps(
            {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False
        )
        + "\n"
    )
