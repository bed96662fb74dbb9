"""Findings of campaigns that knew no finding.json, and cases whose triage failed: what is known of
them is in README.md, if there is one, and in the case.
"""

import re


def program_of(case):
    """(text, whether it is a graph) of the first program in a case's text."""
    lines = case.split("\n")
    for mark in ("program:", "script:"):
        if mark not in lines:
            continue
        at = lines.index(mark) + 1
        end = next(
            (i for i in range(at, len(lines)) if lines[i] and not lines[i].startswith("  ")),
            len(lines),
        )
        return "\n".join(line[2:] for line in lines[at:end]), mark == "program:"
    return "", False


def _first_block(readme, heading):
    """The first fenced block below a heading of a README, or "". What is in other blocks is no
    heading."""
    below, fence, block = False, "", []
    for line in readme.split("\n"):
        ticks = re.match("`{3,}", line)
        if fence and line == fence:
            if below:
                return "\n".join(block).rstrip("\n")
            fence = ""
        elif fence:
            block.append(line)
        elif ticks:
            fence, block = ticks[0], []
        elif line.startswith("#"):
            below = re.match(heading, line) is not None
    return ""


def fill(cause, case, readme, here):
    """Fills a cause from the texts of its case and of the README next to it, in the folder here."""
    cause.program, cause.is_graph = program_of(case)
    cause.detail = _first_block(readme, "# ")
    commands = _first_block(readme, "## Commands$")
    if commands:
        cause.commands, cause.where = commands, here
