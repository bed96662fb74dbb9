"""Writes results/operators.md and results/models.md from what operators.py and models.py wrote.

/usr/bin/python3 suites/external/pytorch/table.py operators out/o113.json out/o213.json
/usr/bin/python3 suites/external/pytorch/table.py models out/m113.json out/m213.json
"""

import argparse
import json
from pathlib import Path

from reasons import why

RESULTS = Path(__file__).resolve().parents[3] / "results"
FORMS = ("scripted", "traced", "frozen", "exported")


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def reasons(pairs, most=2):
    return cell(
        "; ".join(text for text, _ in pairs[:most])
        + (f"; {len(pairs) - most} more" if len(pairs) > most else "")
    )


def summary(report):
    counted = [r for r in report["operators"] if r["samples"]]
    right = [r for r in counted if r["passed"] == r["samples"]]
    share = f", one in {report['share']} of the database's samples" if report["share"] > 1 else ""
    return (
        f"- PyTorch {report['torch']}, plan `{report['plan']}`{share}: {len(right)} of "
        f"{len(counted)} operators ({100 * len(right) / len(counted):.1f} %) pass every sample, "
        f"{sum(r['passed'] for r in counted)} of {sum(r['samples'] for r in counted)} samples; "
        f"{len(report['operators']) - len(counted)} have none here."
    )


def operators(reports):
    lines = [
        "# Operators of PyTorch's own database",
        "",
        (
            "Made by `suites/external/pytorch/operators.py`, whose head says when a sample passes, "
            "and `table.py` beside it."
        ),
        "",
    ]
    lines += [summary(r) for r in reports]
    for report in reports:
        wrong = [r for r in report["operators"] if r["passed"] < r["samples"]]
        outside = [r for r in report["operators"] if not r["samples"]]
        lines += [
            "",
            f"## Under {report['torch']}, not every sample",
            "",
            "| operator | passed | of | what differs | whose it is |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f"| {cell(r['name'])} | {r['passed']} | {r['samples']} | {reasons(r['troubles'])} | "
            f"{why(r['name'])} |"
            for r in wrong
        ]
        lines += [
            "",
            f"## Under {report['torch']}, outside",
            "",
            "| operator | why it has no sample |",
            "|---|---|",
        ]
        lines += [
            f"| {cell(r['name'])} | "
            + (reasons(r["outside"]) or "no sample of a dtype that this engine has, or none drawn")
            + " |"
            for r in outside
        ]
    return lines


def models(reports):
    lines = [
        "# Models that nobody here wrote",
        "",
        (
            "Made by `suites/external/pytorch/models.py`, whose head says when outputs agree, and "
            "`table.py` beside it. `yes`: eager and"
        ),
        "fused agree with PyTorch; `-`: PyTorch makes no such archive.",
    ]
    for report in reports:
        runs = [r[f] for r in report["models"] for f in FORMS if f in r and "unmade" not in r[f]]
        lines += [
            "",
            f"## Archives of PyTorch {report['torch']}",
            "",
            f"{sum(not any(run.values()) for run in runs)} of {len(runs)} archives run.",
            "",
            "| model | " + " | ".join(FORMS) + " |",
            "|---|" + "---|" * len(FORMS),
        ]
        for r in report["models"]:
            words = []
            for form in FORMS:
                run = r.get(form, {"unmade": r.get("unmade", "")})
                words.append(
                    "-"
                    if "unmade" in run
                    else cell("; ".join(f"{k}: {v}" for k, v in run.items() if v)) or "yes"
                )
            lines.append(f"| {cell(r['name'])} | " + " | ".join(words) + " |")
    return lines


def main():
    kinds = {"operators": operators, "models": models}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=kinds)
    parser.add_argument("report", nargs="+", type=Path)
    given = parser.parse_args()
    reports = [json.loads(path.read_text(encoding="utf-8")) for path in given.report]
    (RESULTS / f"{given.kind}.md").write_text(
        "\n".join(kinds[given.kind](reports)) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
