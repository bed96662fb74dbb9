"""What lies in the folder of a finding: its program, the details, the commands. All of it may come
from strangers.

A path of campaign.json is followed only where it stays inside the campaign's folder. What is absent
or too long to show is left out and said.
"""

import os
import re
import shlex
from dataclasses import dataclass

from .visible import visible

MOST_BYTES = 64 * 1024


@dataclass
class Cause:
    finding: object  # model.Finding
    program: str  # text of the reduced program, or why there is none
    is_graph: bool
    detail: str
    commands: str
    where: str  # the folder the commands run in, relative to the campaign's
    links: list  # (text, path relative to the campaign's folder)


def _inside(folder, path):
    whole, root = os.path.realpath(os.path.join(folder, path)), os.path.realpath(folder)
    return whole if whole.startswith(root + os.sep) else None


def _text(folder, path):
    whole = _inside(folder, path)
    if whole is None or not os.path.isfile(whole):
        return None
    with open(whole, encoding="utf-8", errors="replace") as file:
        return visible(file.read(MOST_BYTES + 1))


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


def _fenced(readme, heading):
    """The first fenced block below a heading of a README, or "". What stands in other blocks is no
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


def untold(finding):
    """A cause by what campaign.json says alone: of so many that the page does not show this one."""
    commands = "\n".join(
        f"fusillade {verb} {shlex.quote(finding.case)}" for verb in ("repro", "bisect", "show")
    )
    return Cause(finding, "", False, "", commands, "", [])


def read(folder, finding):
    case, here = _text(folder, finding.case), os.path.dirname(finding.case)
    readme = _text(folder, os.path.join(here, "README.md")) or ""
    if case is None:
        program, graph = f"{finding.case} is not in the folder.", False
    elif len(case) > MOST_BYTES:
        program, graph = f"{finding.case} has more than {MOST_BYTES} characters.", False
    else:
        program, graph = program_of(case)
    commands = _fenced(readme, "## Commands$")
    where = here if commands else ""
    if not commands:
        commands = untold(finding).commands
    names = ("README.md", "reduced.case", "original.case", "joined.txt", "repro.sh", "script.py")
    links = [
        (n, os.path.join(here, n))
        for n in names
        if case is not None and _text(folder, os.path.join(here, n)) is not None
    ]
    if case is not None and not any(path == finding.case for _, path in links):
        links.append((os.path.basename(finding.case), finding.case))
    return Cause(
        finding,
        program or "The case holds no program.",
        graph,
        _fenced(readme, "# "),
        commands,
        where,
        links,
    )
