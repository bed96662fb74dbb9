"""What lies in the folder of a finding: finding.json says what was found. All of it may come from
strangers.

A path of campaign.json is followed only where it stays inside the campaign's folder. What is
absent, broken or too long to show is left out and said. Folders of campaigns that knew no
finding.json are read by old_findings.py.
"""

import os
import shlex
from dataclasses import dataclass, field

from . import model, old_findings
from .visible import visible

MOST_BYTES = 64 * 1024  # of a text that is shown
MOST_FILE = 16 * 1024 * 1024  # of a finding.json
FILES = (
    "finding.json",
    "README.md",
    "reduced.case",
    "original.case",
    "joined.txt",
    "repro.sh",
    "script.py",
)


@dataclass
class Cause:
    finding: object  # model.Finding
    program: str  # text of the reduced program, or why there is none
    is_graph: bool
    detail: str
    commands: str
    where: str  # the folder the commands run in, relative to the campaign's
    links: list  # (text, path relative to the campaign's folder)
    engines: list = field(default_factory=list)  # outside, with their versions
    broken: str = ""  # what is wrong with its files


def inside(folder, path):
    """The file of a path that stays inside the folder; None: there is none."""
    whole, root = os.path.realpath(os.path.join(folder, path)), os.path.realpath(folder)
    return whole if whole.startswith(root + os.sep) and os.path.isfile(whole) else None


def text_of(folder, path):
    """At most a character more than what is shown; None: there is no such file."""
    whole = inside(folder, path)
    if whole is None:
        return None
    with open(whole, encoding="utf-8", errors="replace") as file:
        return visible(file.read(MOST_BYTES + 1))


def brief(finding):
    """A cause by what campaign.json says alone: of so many that the page does not show this one."""
    verbs = ("repro", "bisect", "show") if finding.case else ()
    commands = "\n".join(f"fusillade {verb} {shlex.quote(finding.case)}" for verb in verbs)
    return Cause(finding, "", False, "", commands, "", [])


def drop_program(cause):
    """A cause whose program is not shown, for the page shows much already."""
    cause.program, cause.is_graph, cause.detail = "It is in the finding's folder.", False, ""


def _short(text, what):
    return text if len(text) <= MOST_BYTES else f"{what} has more than {MOST_BYTES} characters."


def _fill(cause, path, here):
    """Fills a cause from finding.json; what is broken is said in its place."""
    try:
        if os.path.getsize(path) > MOST_FILE:
            raise model.Broken(f"finding.json has more than {MOST_FILE} bytes")
        content = model.load(path, "finding")
    except model.Broken as error:
        cause.program = cause.broken = _short(str(error), "What is wrong with finding.json")
        return
    program, commands = content["program"], content["commands"]
    cause.program = _short(program["text"].rstrip("\n"), "The program")
    cause.is_graph = program["language"] == "graph" and cause.program == program["text"].rstrip(
        "\n"
    )
    cause.detail = _short(content["detail"].rstrip("\n"), "The detail")
    cause.commands = "\n".join(commands[verb] for verb in ("repro", "bisect", "show"))
    cause.where = here
    cause.engines = [f"{e['name']}: {e['version']}" for e in content["engines"]]


def read(folder, finding):
    cause, here = brief(finding), os.path.dirname(finding.case)
    if not finding.case:
        cause.program = f"The program cannot be made. Its origin: {finding.origin}"
        return cause
    path = inside(folder, os.path.join(here, "finding.json"))
    if path:
        _fill(cause, path, here)
    else:
        case = text_of(folder, finding.case) or ""
        readme = text_of(folder, os.path.join(here, "README.md")) or ""
        old_findings.fill(cause, case if len(case) <= MOST_BYTES else "", readme, here)
        cause.program = cause.program if len(case) <= MOST_BYTES else _short(case, finding.case)
    case = inside(folder, finding.case)
    cause.links = [
        (name, os.path.join(here, name))
        for name in FILES
        if case and inside(folder, os.path.join(here, name))
    ]
    if path and ("repro.sh", os.path.join(here, "repro.sh")) in cause.links:
        cause.commands = f"sh repro.sh\n{cause.commands}"
    if case and not any(path == finding.case for _, path in cause.links):
        cause.links.append((os.path.basename(finding.case), finding.case))
    if not case:
        cause.program, cause.is_graph = f"{finding.case} is not in the folder.", False
        cause.broken = cause.program
    cause.program = cause.program or "The case holds no program."
    return cause
