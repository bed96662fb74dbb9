"""The interposed library: built once, and set to which call is to fail (interpose.c says how)."""

import errno
import os
import shutil
import struct
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent

# In the order of interpose.c: a kind of call, and the errors that it may give.
KINDS = {
    "write": (errno.ENOSPC,),
    "sync": (errno.EIO,),
    "rename": (errno.EIO,),
    "create": (errno.ENOSPC,),
    "open": (errno.EMFILE,),
    "folder": (errno.ENOSPC,),
    "remove": (errno.EIO,),
    "truncate": (errno.EIO,),
    "close": (errno.EIO,),
    "read": (errno.EIO,),
    "map": (errno.ENOMEM,),
    "fork": (errno.EAGAIN,),
    "thread": (errno.EAGAIN,),
    "malloc": (errno.ENOMEM,),
}
HALF = "short write"  # of the kind `write`: cut in the middle, without an error
HEAD = struct.Struct("<7q")
COUNTS = struct.Struct(f"<{len(KINDS)}q")
WHAT = 1024


def compiler():
    """A C compiler, or none."""
    return next(filter(None, map(shutil.which, ("clang-19", "clang", "cc", "gcc"))), None)


def build(folder):
    library = folder / "interpose.so"
    words = [compiler(), "-std=gnu11", "-O1", "-shared", "-fPIC", "-w"]
    subprocess.run([*words, "-o", library, HERE / "interpose.c", "-ldl"], check=True)
    return library


class Shim:
    """One program under the library."""

    def __init__(self, folder, program):
        self.folder, self.program = folder, os.path.realpath(program)
        self.library = build(folder)
        self.state = folder / "state"

    def set(self, kind=None, number=0):
        """Which call fails; none: they are counted only."""
        real = "write" if kind == HALF else kind
        which = list(KINDS).index(real) if kind else -1
        error = KINDS[real][0] if kind else 0
        head = HEAD.pack(which, number, error, kind == HALF, 0, 0, 0)
        self.state.write_bytes(head + bytes(COUNTS.size + WHAT))

    def environment(self, log=None, root=None):
        env = {
            "LD_PRELOAD": str(self.library),
            "FAULTS_EXE": self.program,
            "FAULTS_STATE": str(self.state),
        }
        if log:
            env |= {"FAULTS_LOG": str(log), "FAULTS_ROOT": str(root)}
        return env

    def counts(self):
        data = self.state.read_bytes()
        counts_by_kind = dict(zip(KINDS, COUNTS.unpack_from(data, HEAD.size), strict=True))
        return counts_by_kind | {HALF: counts_by_kind["write"]}

    def fault(self):
        """What failed, as text, and in which process; none: the call did not come."""
        data = self.state.read_bytes()
        *_, fired, pid, _ = HEAD.unpack_from(data)
        if not fired:
            return None
        return data[HEAD.size + COUNTS.size :].split(b"\0", 1)[0].decode(errors="replace"), pid
