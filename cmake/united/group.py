#!/usr/bin/env python3
"""Which small files are compiled together (see united.cmake):

    cmake/united/group.py > cmake/united/groups.txt

Files of one line become one text for the compiler, so that it reads their headers and instantiates
their templates once. They are of one folder, have no name of file scope in common, and are few and
short enough that a changed file is compiled within seconds. Hot files stay alone, as the counts
that they are compiled by name the file; so do loops over elements, whose code must not hang on what
is compiled beside them. A new file
is alone until this is run again; a name that two files of a line come to share is an error of the
compiler.
"""

import argparse
import functools
import os
import re
import subprocess

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
FOLDERS = re.compile(
    r"engine/(aten/.+|base|front|fuse|fuse/transforms|ir|ops|passes|run|run/archive|kernel)/"
    r"|fuzz/.+/|bench/harness/|suites/(unit|table)/"
)
ALONE = re.compile(
    r"engine/aten/(?!containers/|control/|[^/]+/rows\.)|.*avx"
    r"|engine/base/(tasks|thread_pool)|engine/ops/.*(kernel|native|pointwise|loops|math)"
    r"|engine/kernel/(?!llvm_|print|cuda|cublas|nvrtc)|bench/harness/ulps|fuzz/process/"
    r"|fuzz/run/shadow"
    r"|fuzz/gen/(nest|source_certain)"  # their names are those of others within a namespace
)
TEXTS = re.compile(
    r'//[^\n]*|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'',
    re.S,
)
RENAMED = ("kRegistered", "registered")  # united.cmake gives each file its own
MOST_FILES = 8
MOST_LINES = 1600


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def bare(text):
    """Without comments, texts, characters and lines of the preprocessor."""
    text = TEXTS.sub(lambda m: "" if m.group().startswith("//") else "0", text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


def declared_name(head, within):
    """The name that the words before a brace or semicolon declare for this file alone, or None."""
    head = re.sub(r"\[\[.*?\]\]", "", head)
    head = re.sub(r"^template\s*<.*?>\s*(?=\w)", "", head.strip(), flags=re.S)
    if re.match(r"using\s+\w+\s*=", head):
        return " ".join(head.split())  # one that says the same may stand twice
    kinds = r"(?:struct|class|union|enum(?: class)?|using(?: namespace)?|namespace)"
    named = re.match(kinds + r"\s+([\w:]+)", head)
    if named:
        return named.group(1).split("::")[-1]
    if not within and not re.match(r"(static|constexpr|const|inline)\b", head):
        return None
    for _ in range(4):
        head = re.sub(r"<[^<>]*>", "", head)
    named = re.match(r"[^(=\[{]*?(\w+)\s*(?:[(=\[{]|$)", head, re.S)
    if not named:
        return None
    # A macro that declares is told apart by its words: TEST(Suite, Case).
    return head if re.match(r"[A-Z_]+\(", head) else named.group(1)


def names(text, all_of_them=False):
    """Names of file scope: of namespaces without a name, static ones, types, aliases, macros."""
    out = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.M))
    text, scopes, start = bare(text), [], 0
    for mark in re.finditer(r"[{};]", text):
        head, start = text[start : mark.start()].strip(), mark.end()
        if "code" not in scopes:
            if mark.group() == "{" and re.search(r"\bnamespace(\s+[\w:]+)?$", head):
                scopes.append("unnamed" if head.endswith("namespace") else "named")
                continue
            if mark.group() in "{;" and head:
                out.add(declared_name(head, all_of_them or "unnamed" in scopes))
        if mark.group() == "{":
            scopes.append("code")
        elif mark.group() == "}" and scopes:
            scopes.pop()
    return out - {None, *RENAMED}


@functools.cache
def names_of_header(name):
    return names(read(name), True) if os.path.isfile(os.path.join(ROOT, name)) else set()


def names_of_headers(text):
    """What a name of another file must not hide."""
    found = [names_of_header(h) for h in re.findall(r'^#include "(.+)"', text, re.M)]
    return set().union(*found)


def kind(name):
    """What must be alike in a group: the folder, and the options of LLVM's and of verbs' files."""
    return (
        re.sub(r"^engine/aten/.*", "engine/aten", os.path.dirname(name)),
        name.startswith("engine/kernel/llvm_"),
        name.endswith("_verb.cpp"),
    )


def groups(files):
    out = []
    for name in files:
        text = read(name)
        mine, seen, lines = names(text), names_of_headers(text), text.count("\n")
        for group in out:
            few = len(group["files"]) < MOST_FILES and group["lines"] + lines <= MOST_LINES
            clash = group["names"] & (mine | seen) or group["seen"] & mine
            if few and not clash and group["kind"] == kind(name):
                break
        else:
            group = {"files": [], "lines": 0, "names": set(), "seen": set(), "kind": kind(name)}
            out.append(group)
        group["files"].append(name)
        group["lines"] += lines
        group["names"] |= mine
        group["seen"] |= seen
    return [group["files"] for group in out if len(group["files"]) > 1]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args()
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "*.cpp"], capture_output=True, text=True, check=True
    )
    hot = set(read("cmake/profile/sources.txt").split())
    files = [n for n in listed.stdout.split() if FOLDERS.match(n) and not ALONE.match(n)]
    files = [n for n in files if n not in hot and not n.startswith("fuzz/target")]
    for group in groups(files):
        print(" ".join(group))


if __name__ == "__main__":
    main()
