"""A process that starts no more programs, for good: the wall around the Python of strangers
(docs/reference/safety.md).

The system refuses `execve` to it (seccomp), whatever the Python in it finds. Inductor needs a C++
compiler, so one is asked for: a process that was forked before, which starts that compiler alone,
with words that make it load and start nothing else.
"""

import ctypes
import functools
import hashlib
import json
import os
import platform
import re
import shutil
import struct
import subprocess
import types

# execve, execveat, seccomp
CALLS = {"x86_64": (59, 322, 317), "aarch64": (221, 281, 277)}
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
SET_FILTER, ALL_THREADS, NO_NEW_PRIVILEGES = 1, 1, 38
REFUSED, ALLOWED = 0x00050001, 0x7FFF0000  # EPERM
OTHER_NUMBERS = 0x40000000  # of the ABI x32

WORD = re.compile(
    r"-(c|v|o|x|D|E|P|pedantic|shared|pthread|-version|include|isystem|nostartfiles|nodefaultlibs"
    r"|std=[\w+]+|O[0-3sz]?|g\d?|W[\w-]+(=[\w-]+)?|m[\w.-]+(=[\w.,+-]+)?|D[\w]+(=[^@]*)?"
    r"|fuse-ld=(bfd|gold|lld|mold)|f(?!plugin|use-ld|profile|lto)[\w-]+(=[\w.-]+)?"
    r"|[IL][^@]+|l[\w.+-]+"
    r"|print-file-name=[\w.+-]+|Wl,-rpath,[\w./+-]+)$"
)
FILE = re.compile(r"[\w./+-]+(\.(cpp|c|cc|h|hpp|i|o|so|a|gch)(\.[\d.]+)?|/)$|c\+\+(-header)?$|\w+$")


def jump(code, value, then, otherwise):
    return struct.pack("HBBI", code, then, otherwise, value)


def filter_of(machine):
    """The program of classic BPF over struct seccomp_data."""
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    execve, execveat, _ = CALLS[machine]
    return b"".join(
        [
            jump(load, 4, 0, 0),  # the machine
            jump(equal, MACHINES[machine], 0, 4),
            jump(load, 0, 0, 0),  # the call
            jump(at_least, OTHER_NUMBERS, 2, 0),
            jump(equal, execve, 1, 0),
            jump(equal, execveat, 0, 1),
            jump(answer, REFUSED, 0, 0),
            jump(answer, ALLOWED, 0, 0),
        ]
    )


def refuse_programs():
    """Of all threads. Gives why not; else an empty text."""

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("words", ctypes.c_char_p)]

    machine = platform.machine()
    if machine not in CALLS:
        return f"none is known for {machine}"
    c = ctypes.CDLL(None, use_errno=True)
    c.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    program = filter_of(machine)
    whole = Program(len(program) // 8, program)
    done = c.syscall(CALLS[machine][2], SET_FILTER, ALL_THREADS, ctypes.byref(whole))
    return "" if done == 0 else os.strerror(ctypes.get_errno()) if done < 0 else "a thread has none"


def is_harmless(words):
    """Of a compiler's command line, behind the compiler."""
    return all(WORD.match(word) or FILE.match(word) and ".." not in word for word in words)


class Compiler:
    """The process that compiles, seen from the one that may not."""

    def __init__(self, path):
        self.path = path
        asked, self.asks = os.pipe()
        self.answers, answer = os.pipe()
        if os.fork() == 0:
            os.close(self.asks)
            os.close(self.answers)
            try:
                self.serve(open(asked, encoding="utf-8"), open(answer, "w", encoding="utf-8"))
            finally:
                os._exit(0)
        os.close(asked)
        os.close(answer)
        self.asks = open(self.asks, "w", encoding="utf-8")
        self.answers = open(self.answers, encoding="utf-8")

    def serve(self, asked, answer):
        for line in asked:
            said = json.loads(line)
            words = [str(word) for word in said["words"]]
            if is_harmless(words):
                done = subprocess.run(
                    [self.path, *words],
                    cwd=said["folder"],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    check=False,
                )
                told = {"code": done.returncode, "text": done.stdout.decode("latin-1")}
            else:
                told = {"code": 1, "text": f"not compiled with these words: {words}"}
            print(json.dumps(told), file=answer, flush=True)

    def run(self, command, cwd=None, check=False, text=False, stdout=None, **_):
        """As subprocess.run has it, for the ways in which Inductor calls it."""
        if tuple(command[:2]) == ("openssl", "sha512"):
            with open(command[2], "rb") as file:
                said = f"SHA512= {hashlib.sha512(file.read()).hexdigest()}\n"
            return subprocess.CompletedProcess(command, 0, said if text else said.encode())
        if shutil.which(command[0]) != self.path:
            raise FileNotFoundError(f"no other program than {self.path} is started here")
        said = {"words": command[1:], "folder": cwd}
        print(json.dumps(said), file=self.asks, flush=True)
        told = json.loads(self.answers.readline())
        whole = told["text"] if text else told["text"].encode("latin-1")
        if check and told["code"]:
            raise subprocess.CalledProcessError(told["code"], command, whole, whole)
        return subprocess.CompletedProcess(command, told["code"], whole, whole)

    def check_output(self, command, **words):
        return self.run(command, **{**words, "check": True}).stdout

    def check_call(self, command, **words):
        self.run(command, **{**words, "check": True})
        return 0


def route_compilers():
    """Inductor's own module asks the process; what it asks once is asked before."""
    try:
        from torch._inductor import codecache, cpp_builder, cpu_vec_isa
    except ImportError:  # PyTorch 1.13 has none
        return
    cpu_vec_isa.valid_vec_isa_list()
    path = shutil.which(cpp_builder.get_cpp_compiler())
    if not path:
        return
    compiler = Compiler(path)
    routed = types.SimpleNamespace(**vars(subprocess))
    routed.run, routed.check_output = compiler.run, compiler.check_output
    routed.check_call = compiler.check_call
    codecache.subprocess = cpp_builder.subprocess = routed


@functools.lru_cache(None)
def forbid_programs():
    """Before the first text of a stranger runs in this process. Gives why it may not run here; else
    an empty text."""
    route_compilers()
    return refuse_programs()
