"""Power cuts: what a disk may hold when the machine stops after some event of a log.

The log (interpose.c) lists all that changed files, in order. The disk that is rebuilt promises no
more than POSIX does: what was written to a file is there once the file was synced after that, and
the name of a file or folder once the folder that holds it was synced after that (of a file that was
made, its own sync does). Names change in their order: those up to some moment are there, and none
behind it. By a draw that moment is one for all folders, as journals have it, or one for each. Of
what was written and not synced each write is there or not.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

HEAD = re.compile(rb"(\w+) (\d+) (\d+) (-?\d+) (\d+)\t([^\t\n]*)\t([^\t\n]*)\n")
WITH_DATA = ("write", "tell")
NAMES = ("create", "rename", "folder", "remove")  # what changes names


@dataclass
class Event:
    op: str
    inode: int
    offset: int
    data: bytes
    path: str
    second: str


def read_log(path):
    text, at, events = path.read_bytes(), 0, []
    while at < len(text):
        head = HEAD.match(text, at)
        op = head[1].decode()
        length = int(head[5]) if op in WITH_DATA else 0
        data = text[head.end() : head.end() + length]
        at = head.end() + length
        path_, second = (os.fsdecode(head[i]) for i in (6, 7))
        events.append(Event(op, int(head[3]), int(head[4]), data, path_, second))
    return events


@dataclass
class File:
    """What one file contained, and the writes to it, in order."""

    first: bytes = b""
    events: list = field(default_factory=list)
    synced: int = 0  # so many of them are sure

    def content(self, keeps):
        """With those of the others that `keeps` says."""
        data = bytearray(self.first)
        for at, e in enumerate(self.events):
            if at >= self.synced and not keeps():
                continue
            if e.op == "truncate":
                data = data[: e.offset].ljust(e.offset, b"\0")
            else:
                data = data.ljust(e.offset, b"\0")
                data[e.offset : e.offset + len(e.data)] = e.data
        return bytes(data)


def sure_names(events):
    """Folder -> the end of the events whose names in it are sure."""
    sure, waiting = {}, {}
    for at, e in enumerate(events):
        if e.op in NAMES:
            for path in filter(None, (e.path, e.second)):
                waiting[os.path.dirname(path)] = at + 1
            if e.op == "create":
                waiting[e.inode] = at + 1
        elif e.op == "sync":
            sure[e.path] = max(sure.get(e.path, 0), waiting.pop(e.path, 0))
            folder = os.path.dirname(e.path)
            sure[folder] = max(sure.get(folder, 0), waiting.pop(e.inode, 0))
    return sure


def kept_names(events, draw):
    """The events whose names are there, and that as text: of all folders in one order, as a
    journal has it, or of each folder in an order of its own."""
    sure = sure_names(events)
    last = max(sure.values(), default=0)
    some = lambda least: draw.choice((least, len(events), draw.randint(least, len(events))))
    if draw.random() < 0.5:
        end = some(last)
        return events[:end], f"names up to event {end}"
    ends = {}
    kept = []
    for at, e in enumerate(events):
        folder = os.path.dirname(e.second or e.path)
        if e.op in NAMES and at < ends.setdefault(folder, some(sure.get(folder, 0))):
            kept.append(e)
    return kept, "names of each folder by itself"


def snapshot(root):
    """Path -> inode and bytes of each file below `root`, or None of a folder."""
    return {
        str(p): None if p.is_dir() else (p.stat().st_ino, p.read_bytes()) for p in root.rglob("*")
    }


def names_after(events, inodes, start):
    """Path -> number of a file, or None of a folder; `inodes` counts those used again."""
    names = {path: file and -file[0] for path, file in start.items()}
    for e in events:
        if e.op == "create":
            names[e.path] = inodes[id(e)]
        elif e.op == "folder":
            names[e.path] = None
        elif e.op == "remove":
            names.pop(e.path, None)
        elif e.op == "rename":
            below = e.path + "/"
            moved = {
                e.second + p[len(e.path) :]: v
                for p, v in names.items()
                if p == e.path or p.startswith(below)
            }
            if not moved:
                continue
            gone = (e.path, e.second)
            names = {p: v for p, v in names.items() if p not in gone and not p.startswith(below)}
            names |= moved
    return names


def number_files(events):
    """Event -> number of its file: inodes are given anew once a file is removed."""
    number, now = {}, {}
    for e in events:
        if e.op == "create":
            now[e.inode] = len(number) + 1
        if e.inode and e.op in ("create", "write", "truncate", "sync"):
            number[id(e)] = now.setdefault(e.inode, -e.inode)
    return number


def rebuild(events, k, root, start, draw):
    """Writes below `root` what may be there after the first `k` events; before them there was
    `start`. What it drew, as text."""
    before = events[:k]
    number = number_files(events)
    kept, drew = kept_names(before, draw)
    share = draw.choice((0.0, 1.0, draw.random()))
    files = {-file[0]: File(file[1]) for file in start.values() if file}
    for e in before:
        file = files.setdefault(number.get(id(e)), File())
        if e.op in ("write", "truncate"):
            file.events.append(e)
        elif e.op == "sync":
            file.synced = len(file.events)
    root.mkdir()
    for path, file in sorted(names_after(kept, number, start).items()):
        at = Path(path)
        if file is None:
            at.mkdir(parents=True, exist_ok=True)
        elif at.parent.is_dir():
            at.write_bytes(files.get(file, File()).content(lambda: draw.random() < share))
    return f"{drew} of {k}, {share:.0%} of what was not synced"


def reported_before(events, k):
    """What had been printed by then."""
    said = b"".join(e.data for e in events[:k] if e.op == "tell")
    return said.decode(errors="replace")
