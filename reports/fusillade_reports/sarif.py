"""results.sarif: the causes as SARIF 2.1.0, one rule per verdict, the bucket as fingerprint, muted
ones suppressed."""

import json
import re
from urllib.parse import quote

MOST = 25000  # results that GitHub takes in one run
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


def _result(cause):
    f = cause.finding
    said = (
        f"{f.message}: blame {f.blame}, by the oracle {f.oracle}, {f.nodes} node(s), {f.count} "
        "case(s)."
    )
    out = {
        "ruleId": f.verdict,
        "ruleIndex": list(RULES).index(f.verdict),
        "level": "error" if f.known is None else "note",
        "message": {"text": said + (f"\n{cause.detail}" if cause.detail else "")},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(f.case), "uriBaseId": "CAMPAIGN"},
                    "region": {"startLine": 1},
                },
                "logicalLocations": [{"fullyQualifiedName": f.blame}],
            }
        ],
        "partialFingerprints": {"fusilladeBucket/v1": f.bucket},
        "occurrenceCount": f.count,
        "properties": {
            "bucket": f.bucket,
            "origin": f.origin,
            "firstSeenSeconds": f.first_seen,
            "nodes": f.nodes,
        },
    }
    if f.known is not None:
        out["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": f"known as {f.known}"}
        ]
    return out


def text(causes, version):
    driver = {
        "name": "Fusillade",
        "rules": [
            {
                "id": name,
                "shortDescription": {"text": said},
                "defaultConfiguration": {"level": "error"},
            }
            for name, said in RULES.items()
        ],
    }
    if version and re.fullmatch(r"\d+\.\d+\.\d+", version):
        driver["semanticVersion"] = version
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {"CAMPAIGN": {"description": {"text": "the folder of the campaign"}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(c) for c in causes[:MOST]],
    }
    if len(causes) > MOST:
        run["properties"] = {"resultsLeftOut": len(causes) - MOST}
    return (
        json.dumps(
            {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False
        )
        + "\n"
    )
