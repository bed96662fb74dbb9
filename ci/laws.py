#!/usr/bin/env python3
"""The laws of the house, checked on the tree:  ci/laws.py [ROOT]

layers      engine folders include only to the left; engine includes nothing of fuzz, suites, bench
size        files at most 700 lines, headers at most 250; medians are printed
op lists    three op names within twelve lines outside engine/ops (files of rewrite rules say so in their head:
            "law: rules name ops"; tests and suites are exempt)
headers     every header compiles alone
readme      every script and verb that README's code blocks run exists
marks       no marks of unfinished work, no absolute paths of one machine
"""

import os
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

LAYERS = ["base", "tensor", "scalar", "ops", "ir", "front", "kernel", "fuse", "passes", "run"]
MAX_LINES = 700
MAX_HEADER = 250
SOURCES = (".cpp", ".h", ".py")
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
MACHINE = re.compile(r"(^|[^A-Za-z0-9_.])/(work|farm|root|home)/")
OP_NAME = re.compile(r'"(?:aten|prim)::[A-Za-z_]+')


def files_of(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if listed.returncode == 0:
        names = listed.stdout.split("\n")
    else:
        names = [os.path.relpath(os.path.join(d, f), root) for d, _, fs in os.walk(root) for f in fs]
    return sorted(n for n in names if n and os.path.isfile(os.path.join(root, n)))


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def layers(root, names):
    for name in names:
        parts = name.split("/")
        if parts[0] != "engine" or not name.endswith((".cpp", ".h")) or len(parts) < 3:
            continue
        if parts[1] not in LAYERS:
            yield f"{name}: '{parts[1]}' is not a layer of the engine"
            continue
        for included in re.findall(r'#include "([^"]+)"', read(root, name)):
            to = included.split("/")
            if to[0] != "engine":
                yield f"{name}: includes {included}; the engine includes only the engine"
            elif to[1] not in LAYERS or LAYERS.index(to[1]) > LAYERS.index(parts[1]):
                yield f"{name}: includes {included}, which is to its right"


def size(root, names):
    lines, headers = [], []
    for name in names:
        if not name.endswith(SOURCES):
            continue
        count = read(root, name).count("\n")
        (headers if name.endswith(".h") else lines).append(count)
        cap = MAX_HEADER if name.endswith(".h") else MAX_LINES
        if count > cap:
            yield f"{name}: {count} lines, the cap is {cap}"
    if lines and headers:
        print(f"laws: median file {statistics.median(lines):.0f} lines, median header {statistics.median(headers):.0f}")


def op_lists(root, names):
    for name in names:
        if not name.endswith((".cpp", ".h")) or name.startswith(("engine/ops/", "suites/")):
            continue
        text = read(root, name)
        if "law: rules name ops" in text[:2000]:
            continue
        at = [i for i, line in enumerate(text.split("\n"), 1) for _ in OP_NAME.findall(line)]
        for first, third in zip(at, at[2:]):
            if third - first < 12:
                yield f"{name}:{first}: a list of op names outside engine/ops"
                break


def compiles_alone(root, name):
    flags = ["-std=c++20", "-fsyntax-only", "-Wno-pragma-once-outside-header", f"-I{root}",
             "-I/usr/lib/llvm-19/include", "-x", "c++"]
    compiler = os.environ.get("CXX", "clang++-19")
    run = subprocess.run([compiler, *flags, os.path.join(root, name)], capture_output=True, text=True)
    if run.returncode != 0:
        first = next((l for l in run.stderr.split("\n") if "error" in l), "does not compile")
        return f"{name}: is not self-contained: {first}"
    return None


def headers(root, names):
    mine = [n for n in names if n.endswith(".h") and n.startswith(("engine/", "fuzz/", "bench/"))]
    with ThreadPoolExecutor(2) as pool:
        yield from (p for p in pool.map(lambda n: compiles_alone(root, n), mine) if p)


def readme(root, names):
    if "README.md" not in names:
        yield "README.md: is missing"
        return
    verbs = set()
    for name in names:
        if name.endswith(".cpp") and name.startswith(("fuzz/cli/", "bench/")):
            verbs |= set(re.findall(r"\bVERB\((\w+),", read(root, name)))
    for block in re.findall(r"```(?:sh|console)\n(.*?)```", read(root, "README.md"), re.S):
        for line in block.split("\n"):
            for word in re.findall(r"(?:^|\s)((?:ci|suites|bench|reports)/[\w./-]+)", line):
                if not os.path.exists(os.path.join(root, word.rstrip("."))):
                    yield f"README.md: runs {word}, which does not exist"
            for verb in re.findall(r"(?:^|/)fusillade (\w+)", line):
                if verb not in verbs:
                    yield f"README.md: runs the verb '{verb}', which does not exist"


def marks(root, names):
    for name in names:
        if not name.endswith(SOURCES + (".sh", ".md", ".cmake", ".txt")) or name == "LICENSE":
            continue
        for number, line in enumerate(read(root, name).split("\n"), 1):
            if UNFINISHED.search(line):
                yield f"{name}:{number}: a mark of unfinished work"
            if MACHINE.search(line):
                yield f"{name}:{number}: an absolute path of one machine"


LAWS = {"layers": layers, "size": size, "op lists": op_lists, "headers": headers, "readme": readme, "marks": marks}


def broken(root):
    names = files_of(root)
    return [f"{law}: {problem}" for law, check in LAWS.items() for problem in check(root, names)]


def main(argv):
    root = argv[1] if len(argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    problems = broken(root)
    for problem in problems:
        print(problem)
    print(f"laws: {len(LAWS)} checked, {len(problems)} broken places")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
