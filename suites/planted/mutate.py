#!/usr/bin/env python3
"""Draws mutants of the engine's source and writes them as records of planted bugs, into another
tree: `fusillade planted --source` measures how many the fuzzer kills.

    suites/planted/mutate.py --into TREE [--count 60] [--seed 1] [--oracle differential]

Nobody chose them: a file of the engine that compiles programs is drawn, then a line of it, then one
of the kinds below that the line has a place for. TREE is a clone or worktree; its own records are
removed. A mutant that does not compile is left out (plant.py compile says which).

    negate     the condition of an `if` is its contrary
    compare    < <= > >= == != becomes another of them
    connect    && becomes ||, or || becomes &&
    number     a number in a condition, a return or an assignment is one more
    operator   + becomes -, or - becomes +
    delete     a call or an assignment is left out
"""

import argparse
import os
import random
import re
import sys

import plant

FOLDERS = ("engine/passes", "engine/fuse", "engine/run", "engine/kernel", "engine/ir")
# What does not run where there is no GPU, prints, or checks itself.
OTHER_FILES = re.compile(r"cuda|cublas|nvrtc|emulated|_test|print|verify|check|lint|dump|describe")
OTHER_LINES = re.compile(r'"|fail\(|FUS_|fmt::|throw|decline|static |constexpr|//|#|\[&|\[=|\[\]')
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
LINE = re.compile(
    r"^(?P<head>\s*(?:\} else |else )?if \()(?P<test>.+)(?P<tail>\)(?: \{| [^()]*;| return .*;)?)$"
)
RETURN = re.compile(r"^(?P<head>\s*return )(?P<test>.+)(?P<tail>;)$")
ASSIGN = re.compile(r"^(?P<head>\s+[\w.>\[\]-]+ [+*-]?= )(?P<test>.+)(?P<tail>;)$")
CALL = re.compile(r"^\s+[\w.>:-]+\(.*\);$")


def is_balanced(text):
    depth = 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if depth < 0:
            return False
    return depth == 0


def comparisons(test):
    for m in re.finditer(r" (<|<=|>|>=|==|!=) ", test):
        for other in COMPARISONS:
            if other != m.group(1):
                yield "compare", f"{test[: m.start()]} {other} {test[m.end() :]}"


def connections(test):
    for m in re.finditer(r" (&&|\|\|) ", test):
        other = "||" if m.group(1) == "&&" else "&&"
        yield "connect", f"{test[: m.start()]} {other} {test[m.end() :]}"


def numbers(test):
    for m in re.finditer(r"(?<![\w.'])(\d+)(?![\w.'])", test):
        yield "number", f"{test[: m.start()]}{int(m.group(1)) + 1}{test[m.end() :]}"


def operators(test):
    for m in re.finditer(r" ([+-]) ", test):
        other = "-" if m.group(1) == "+" else "+"
        yield "operator", f"{test[: m.start()]} {other} {test[m.end() :]}"


def mutants_of_line(line):
    """(kind, the line that takes its place) for each."""
    if OTHER_LINES.search(line) or not is_balanced(line.rstrip(" {").removeprefix("  } else ")):
        return
    for pattern in (LINE, RETURN, ASSIGN):
        m = pattern.match(line)
        if not m or ";" in m["test"] or not is_balanced(m["test"]):
            continue
        if pattern is LINE and re.search(r"\w [*&]?\w+ = ", m["test"]):
            continue  # it declares
        head, test, tail = m["head"], m["test"], m["tail"]
        if pattern is LINE:
            yield "negate", f"{head}PLANTED != static_cast<bool>({test}){tail}"
        for make in (comparisons, connections, numbers, operators):
            for kind, other in make(test):
                yield kind, f"{head}PLANTED ? ({other}) : ({test}){tail}"
    if (CALL.match(line) or ASSIGN.match(line)) and not re.match(r"\s+(return|delete|co_)", line):
        yield "delete", f"{{ if (!PLANTED) {line.strip()} }}"


def files_of(root):
    for folder in FOLDERS:
        for at, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if name.endswith(".cpp") and not OTHER_FILES.search(name):
                    yield os.path.relpath(os.path.join(at, name), root)


def ends_a_statement(line):
    return not line.strip() or line.rstrip().endswith((";", "{", "}", ":", ")"))


def places(text):
    """(number, line, mutants) of lines that no other is like."""
    out = []
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        mutants = list(mutants_of_line(line)) if ends_a_statement(before) else []
        before = line
        if mutants and len(plant.pattern_of(line).findall(text)) == 1:
            out.append((number, line, mutants))
    return out


def draw(count, seed):
    choices = random.Random(seed)
    files = sorted(files_of(plant.ROOT))
    taken = set()
    while len(taken) < count:
        file = choices.choice(files)
        found = places(plant.read_source(file))
        if not found:
            continue
        number, line, mutants = choices.choice(found)
        if (file, number) in taken:
            continue
        taken.add((file, number))
        kind, other = choices.choice(mutants)
        yield file, number, line, kind, other


def record(file, number, line, kind, other, oracle):
    stem = os.path.splitext(os.path.basename(file))[0].replace("_", "-")
    name = f"mutant-{stem}-{number}"
    return name, (
        f"id: {name}\nreal: own invention\nfile: {file}\nclass: a mutant: {kind}\n"
        f"oracle: {oracle}\nblame: unknown\nfind:\n  {line.strip()}\nreplace:\n  {other.strip()}\n"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--into", required=True, metavar="TREE")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--oracle", default="differential", help="or against")
    args = parser.parse_args()
    folder = os.path.join(args.into, "suites/planted")
    if not os.path.isdir(folder) or os.path.samefile(folder, plant.HERE):
        print(f"mutate.py: {args.into} is not another tree", file=sys.stderr)
        return 1
    for name in os.listdir(folder):
        if name.endswith(".plant"):
            os.remove(os.path.join(folder, name))
    for drawn in draw(args.count, args.seed):
        name, text = record(*drawn, args.oracle)
        with open(os.path.join(folder, name + ".plant"), "w", encoding="utf-8") as file:
            file.write(text)
        print(name, drawn[3])
    return 0


if __name__ == "__main__":
    sys.exit(main())
