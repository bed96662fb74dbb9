#!/usr/bin/env python3
"""The laws of the house, checked on the tree. Exit code 1: one is broken; it says where.

layers      folders of the engine and of fuzz include only to the left (LAYERS); engine includes
            nothing of fuzz, suites, bench; fuzz nothing of suites, bench
forks       only fuzz/process makes processes
size        files at most 700 lines, headers at most 250 lines of code and one function to a
            declaration; medians are printed
functions   a function of C++, and a lambda outside of one, at most 60 lines (ci/functions.py)
columns     lines of what people write at most 100 columns, also where no formatter looks (LINED);
            pages of Markdown have a law of their own
format      C++ is as clang-format 19 writes it by .clang-format, Python as ruff by ruff.toml:
            git ls-files '*.h' '*.cpp' | xargs clang-format-19 -i; build/ruff/bin/ruff format .
lint        ruff finds no fault in Python that ruff.toml asks for (ci/setup.sh --lint installs it)
op lists    three names of aten ops within twelve lines outside engine/ops and engine/aten (files of
            rewrite rules say so in their head: "law: rules name ops"; tests and suites are exempt)
operator facts  a fact of an operator is a trait or a line of its entry: no test of which function
            it runs (`op.run == &run_x`), nor of a part of its name (`name.ends_with("1d")`)
function names
            no function, method, def or lambda with a name is called by a bare participle or past
            tense (`judged`, `told`, `ran`); properties of Python are exempt, as fields are; lambdas
            of a type with another name, and those that Python assigns, are not seen
traits      each trait of operators (engine/ops/traits.h) is asked by somebody
headers     every header compiles alone; one that its own .cpp includes first may take from C++'s
            own headers what nearly all include (COMMON)
wide headers
            no header reads the large ones of others (JSON, CLI11, GoogleTest, LLVM) but those that
            WIDE_IN lists: nlohmann/json_fwd.hpp declares enough for a function's arguments
united      what cmake/united/groups.txt compiles together exists, is listed once, and is not hot
heads       every .cpp, .h, .py and script of Python starts with a comment that tells its idea in at
            most 20 lines of prose (indented examples and tables are not counted); "See x.h." will
            do where x.h, beside it, tells
readme      every script, binary, verb and flag of a verb that README's code names exists
            (README.md has at most 120 lines)
pages       Markdown: columns, length of sentences, links, nothing of a day (ci/pages.py)
marks       no marks of unfinished work, no absolute paths of one machine
"""

import argparse
import hashlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import functions
import pages

LAYERS = {
    "engine": [
        "base",
        "tensor",
        "scalar",
        "ops",
        "aten",
        "ir",
        "front",
        "kernel",
        "fuse",
        "passes",
        "run",
    ],
    "fuzz": [
        "process",
        "case",
        "verdict",
        "gen",
        "run",
        "rules",
        "given",
        "oracle",
        "judge",
        "corpus",
        "bisect",
        "reduce",
        "triage",
        "campaign",
        "cli",
    ],
}
ABOVE = {"engine": ("fuzz", "suites", "bench"), "fuzz": ("suites", "bench")}
FORKS = re.compile(r"(?<![\w.>])(v?fork|popen|system|posix_spawnp?)\s*\(")
MAX_LINES = 700
MAX_HEADER = 250
MAX_HEAD = 20
SOURCES = (".cpp", ".h", ".py")
PYTHON = re.compile(r"#!.*\bpython")
FORMATTER = "clang-format-19"
RUFF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../build/ruff/bin/ruff")
MAX_COLUMNS = 100
LINED = SOURCES + (
    *(".cuh", ".sh", ".cmake", ".cmake.in", "CMakeLists.txt", "Dockerfile"),
    *(".json", ".toml", ".yml", ".yaml", ".html", ".css", ".js"),
)
PRINTED = ("reports/tests/golden/", "suites/golden/")  # as programs print it
MAX_README = 120
RAW = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)
TYPE = (
    r"(?:\[\[\w+\]\] )?(?!(?:return|else|throw|new|case|using|delete|goto|co_return)\b)"
    r"[A-Za-z][\w:<>,&*\[\] ]*[ &*>]"
)
FUNCTIONS = (
    rf"^(?:namespace \w+ \{{ )?{TYPE}(?:\w+::)*([a-z]+)\(",  # of a namespace or a class
    rf"^(?: {{2}}| {{4}}){TYPE}([a-z]+)\([^;{{\[]*\)(?: const)?(?: noexcept)?(?: override)? \{{",
    rf"^(?: {{2}}| {{4}}){TYPE}([a-z]+)\([^;()]*\) const(?: = 0)?;",  # methods
    r"^ *auto ([a-z]+)\([^;]*\)(?: const)? -> ",
    r"\b(?:auto&{0,2}|std::function<[^;{}=]*>) ([a-z]+) =\s*\[[^\]]*\]\s*[({mn-]",  # lambdas
    r"^(?:[\w:<>,&* ]+)\n([a-z]+)\([^;]*\) \{",  # with its type on a line of its own
)
TEXTS = re.compile(r'"""(?:.|\n)*?"""')
# As others write it, or as files name it: programs under test, what archives import.
NOT_OURS = (
    *("suites/external/", "suites/golden/", "suites/table/conformance/", "bench/programs/"),
    *("suites/python/programs/", "suites/python/archive_programs/", "engine/run/archive/portable"),
)
OTHERS_CALL_IT = {("fuzz/workers/fusillade_worker.py", "timed")}  # workers of users
PARTICIPLES = set(
    "made told held kept taken given begun drawn written known seen shown found built sent met "
    "spent grown thrown chosen hidden fallen broken frozen lost meant laid paid said stood struck "
    "done gone hung sought torn worn unseen unknown untold unmade mistaken "
    "left ran took went came gave".split()
)
ENDS_IN_ED = {"need", "feed", "seed", "speed", "exceed", "proceed", "embed", "shed"}
NO_CODE = re.compile(r"\s*(//.*)?$")
COMPILER = os.environ.get("CXX", "clang++-19")
COMMON = "algorithm functional map memory optional string unordered_map vector fmt/format.h".split()
WIDE = re.compile(r"nlohmann/json\.hpp|CLI/|gtest/|llvm/|filesystem|regex|iostream")
WIDE_IN = (
    "engine/kernel/llvm_emit.h",  # of the files of the LLVM back end alone
    "fuzz/cli/whole.h",  # of the verbs alone, whose library precompiles it
    "fuzz/run/foreign/foreign_worker.h",  # holds values
    "fuzz/run/foreign/wire.h",
)
UNFINISHED = re.compile(r"\b(T[O]DO|F[I]XME|X[X]X|H[A]CK)\b")
MACHINE = re.compile(r"(^|[^A-Za-z0-9_.])/(work|farm|root|home)/")
OP_NAME = re.compile(r'"aten::[A-Za-z_]+')
RUN_IS = re.compile(r"\b(run|infer)\s*[!=]=\s*&|[(&|]\s*&\w+\s*[!=]=\s*[\w.()>-]*\b(run|infer)\b")
INFERS_BY_BODY = "engine/ops/composite.cpp"  # says of whom that is so
NAME = r"(?:\bschema\.name|(?:\bop\(\)\.|\bop\.|->)name)"
NAMED = re.compile(r"\b(\w+)\s*=\s*[\w.()>-]*\b(?:schema|op|op\(\))(?:\.|->)name\s*;")
OF_NAME = rf"(?:{NAME}|(?<![\w.>])(?:%s))"
PARTS_OF_NAME = (  # a namespace may be asked for
    OF_NAME + r'\.(?:starts_with|ends_with|r?find|contains)\("(?!(?:aten|prim)?::")',
    OF_NAME + r"\.(?:ends_with|r?find|contains)\(k[A-Z]",  # of first parts some are namespaces
    OF_NAME + r"\.compare\(\s*\d",
    OF_NAME + r'\.substr\([^;]*\)\s*[!=]=\s*"',
    r"(?<![.>\w])(?:strstr|regex_search|regex_match|contains|starts_with|ends_with)\([\w.()>-]*?"
    + OF_NAME,
)


def files_of(root):
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True
    )
    if listed.returncode == 0:
        names = listed.stdout.split("\n")
    else:
        names = [
            os.path.relpath(os.path.join(d, f), root) for d, _, fs in os.walk(root) for f in fs
        ]
    return sorted(n for n in names if n and os.path.isfile(os.path.join(root, n)))


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def is_python(root, name):
    """By its suffix, or by its first line where it has none."""
    if name.endswith(".py"):
        return True
    return "." not in os.path.basename(name) and bool(PYTHON.match(read(root, name)[:80]))


def included_by(root, name):
    """Headers of ours that a file includes: quoted ones, and those of our folders in angle
    brackets."""
    for mark, included in re.findall(
        r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', read(root, name), re.M
    ):
        if mark == '"' or included.split("/")[0] in ("engine", "fuzz", "suites", "bench"):
            yield included


def layers(root, names):
    for name in names:
        part, *folders = name.split("/")[:-1] or [""]
        if part not in LAYERS or not name.endswith((".cpp", ".h")):
            continue
        order = LAYERS[part]
        if folders and folders[0] not in order:
            yield f"{name}: '{folders[0]}' is not a layer of {part}"
            continue
        place = order.index(folders[0]) if folders else len(order)
        for included in included_by(root, name):
            to = included.split("/")
            if to[0] in ABOVE[part]:
                yield f"{name}: includes {included}, which is to the right of {part}"
            elif part == "engine" and to[0] != part:
                yield f"{name}: includes {included}; the engine includes only the engine"
            elif to[0] == part and (order + to).index(to[1]) > place:
                yield f"{name}: includes {included}, which is to its right"


def forks(root, names):
    for name in names:
        if not name.startswith(("engine/", "fuzz/", "bench/")) or name.startswith("fuzz/process/"):
            continue
        if not name.endswith((".cpp", ".h")):
            continue
        for number, line in enumerate(read(root, name).split("\n"), 1):
            if FORKS.search(line.partition("//")[0]):
                yield f"{name}:{number}: makes a process; fuzz/process does"


def size(root, names):
    lines, headers = [], []
    for name in names:
        if not name.endswith(SOURCES) and not is_python(root, name):
            continue
        text = read(root, name)
        count = text.count("\n")
        (headers if name.endswith(".h") else lines).append(count)
        if not name.endswith(".h"):
            if count > MAX_LINES:
                yield f"{name}: {count} lines, the cap is {MAX_LINES}"
            continue
        code = sum(not NO_CODE.match(line) for line in text.split("\n"))
        if code > MAX_HEADER:
            yield f"{name}: {code} lines of code, the cap is {MAX_HEADER}"
        for statement in functions_declared_together(text):
            yield f"{name}: declares two functions at once: {statement}"
    if lines and headers:
        print(
            f"laws: median file {statistics.median(lines):.0f} lines, median header "
            f"{statistics.median(headers):.0f}"
        )


def functions_declared_together(text):
    """Declarations like `int a(), b();`, where none of it is within braces or brackets of its
    own."""
    text = re.sub(r"//.*|\"(?:[^\"\\]|\\.)*\"|(?m:^\s*#.*)", "", text)
    for statement in re.split(r"[;{}]|\b(?:public|private|protected):", text):
        flat, depth = [], 0
        for c in statement:
            depth += (c in "(<[") - (c in ")>]")
            flat.append(c if depth == 0 or (c in "(" and depth == 1) else "")
        if re.match(
            r"\s*(?:(?:static|virtual|const|inline|unsigned)\s+)*\w[\w:>]*[\s*&]+"
            r"\w+\(\)?[\w\s]*,\s*[*&]*\w+\(",
            "".join(flat),
        ):
            yield " ".join(statement.split())[:80]


def unformatted_files(root, some):
    run = subprocess.run(
        [FORMATTER, "--dry-run", "-Werror", *some], cwd=root, capture_output=True, text=True
    )
    return (
        sorted(set(re.findall(r"^([^:\n]+):\d+:\d+: error", run.stderr, re.M)))
        if run.returncode
        else []
    )


def columns(root, names):
    for name in names:
        text = "" if name.startswith(PRINTED) else read(root, name)
        if name.endswith(LINED) or text.startswith("#!"):
            for number, line in enumerate(text.split("\n"), 1):
                if len(line) > MAX_COLUMNS:
                    yield f"{name}:{number}: {len(line)} columns, the cap is {MAX_COLUMNS}"


def ruff(root, *words):
    """What ruff says of a tree that has a ruff.toml: a line per fault, or why it does not run."""
    if not os.path.isfile(os.path.join(root, "ruff.toml")):
        return []
    if not os.path.isfile(RUFF):
        return ["ruff is not installed: ci/setup.sh --lint does"]
    command = [RUFF, *words, "--quiet", "--no-cache", "--output-format", "concise", "."]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True)
    return (run.stdout.splitlines() or [run.stderr.strip()]) if run.returncode else []


def lint(root, names):
    yield from ruff(root, "check")


def format_(root, names):
    for line in ruff(root, "format", "--check"):
        yield re.sub(r":\d+:\d+: unformatted: .*", ": is not as ruff writes it", line)
    mine = [n for n in names if n.endswith((".h", ".cpp"))]
    if not os.path.isfile(os.path.join(root, ".clang-format")):
        return
    parts = [mine[i::8] for i in range(8) if mine[i::8]]
    with ThreadPoolExecutor(2) as pool:
        for some in pool.map(lambda part: unformatted_files(root, part), parts):
            yield from (f"{name}: is not as {FORMATTER} writes it" for name in some)


def op_lists(root, names):
    for name in names:
        if not name.endswith((".cpp", ".h")) or name.startswith(
            ("engine/ops/", "engine/aten/", "suites/")
        ):
            continue
        text = read(root, name)
        if "law: rules name ops" in " ".join(text[:2000].replace("\n//", "").split()):
            continue
        at = [i for i, line in enumerate(text.split("\n"), 1) for _ in OP_NAME.findall(line)]
        for first, third in zip(at, at[2:]):
            if third - first < 12:
                yield f"{name}:{first}: a list of op names outside engine/ops and engine/aten"
                break


def operator_facts(root, names):
    for name in names:
        if not name.endswith((".cpp", ".h")) or not name.startswith(("engine/", "fuzz/", "bench/")):
            continue
        text = read(root, name)
        named = "|".join(["schema_name", *NAMED.findall(text)])
        part = re.compile("|".join(p % named for p in PARTS_OF_NAME))
        for i, line in enumerate(text.split("\n"), 1):
            if name != INFERS_BY_BODY and RUN_IS.search(line):
                yield f"{name}:{i}: an operator by its function; give it a trait (ops/traits.h)"
            if part.search(line):
                yield f"{name}:{i}: a part of an operator's name; give it a trait (ops/traits.h)"


def function_names(root, names):
    """What a function does, or what it gives: `judge`, `verdict_of`, `is_known`, not `judged`.
    Of functions, lambdas that have a name, methods of classes (also local ones) and Python's; a
    variable whose initialiser stands in parentheses looks the same where it is indented deeper,
    and is left out. So are properties of Python: they are read as fields are."""
    for name in names:
        if name.endswith((".cpp", ".h")):
            text = RAW.sub(lambda m: "\n" * m.group().count("\n"), read(root, name))
            found = [m for pattern in FUNCTIONS for m in re.finditer(pattern, text, re.M)]
        elif not name.startswith(NOT_OURS) and is_python(root, name):
            text = TEXTS.sub(lambda m: "\n" * m.group().count("\n"), read(root, name))
            found = re.finditer(r"(?<!property\n)^ *(?:async )?def _*([a-z]+)\(", text, re.M)
        else:
            continue
        for match in {m.start(1): m for m in found}.values():
            word = match.group(1)
            if (name, word) in OTHERS_CALL_IT:
                continue
            if word in PARTICIPLES or (word.endswith("ed") and word not in ENDS_IN_ED):
                line = text.count("\n", 0, match.start(1)) + 1
                yield f"{name}:{line}: a function called '{word}'; call it by a verb or a noun"


def traits(root, names):
    home = "engine/ops/traits"
    if home + ".h" not in names:
        return
    listed = re.search(r"enum class Trait[^{]*\{(.*?)\}", read(root, home + ".h"), re.S)
    mine = [n for n in names if n.endswith((".h", ".cpp")) and n.startswith(("engine/", "fuzz/"))]
    asked = {
        trait
        for name in mine
        if not name.startswith(home)
        for trait in re.findall(r"\bTrait::(\w+)", read(root, name))
    }
    for trait in re.findall(r"^\s*(\w+)", listed.group(1), re.M) if listed else []:
        if trait not in asked:
            yield f"{home}.h: nobody asks for the trait {trait}"


def compiles_alone(root, name, before=()):
    flags = [
        "-std=c++20",
        "-fsyntax-only",
        "-Wno-pragma-once-outside-header",
        f"-I{root}",
        *before,
        "-x",
        "c++",
    ]
    if name.startswith("engine/kernel/llvm"):
        flags += ["-isystem", "/usr/lib/llvm-19/include"]
    run = subprocess.run(
        [COMPILER, *flags, os.path.join(root, name)], capture_output=True, text=True
    )
    if run.returncode != 0:
        first = next((x for x in run.stderr.split("\n") if "error" in x), "does not compile")
        return f"{name}: is not self-contained: {first}"
    return None


def has_source(root, name):
    """A .cpp that includes it first: what it needs of C++'s own may then come from COMMON."""
    source = os.path.join(root, name[:-2] + ".cpp")
    if not os.path.isfile(source):
        return False
    first = re.search(r"^#include (.+)$", read(root, name[:-2] + ".cpp"), re.M)
    return first is not None and first.group(1).strip() == f'"{name}"'


def with_all_it_includes(root, name, known):
    """A checksum of the header and of every header of ours that it reads."""
    if name not in known:
        known[name] = ""  # for those that include each other
        mine = [n for n in included_by(root, name) if os.path.isfile(os.path.join(root, n))]
        parts = [read(root, name), *(with_all_it_includes(root, n, known) for n in mine)]
        known[name] = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return known[name]


def headers(root, names):
    """Only those that have changed since they compiled alone: build/laws names what did."""
    done = os.path.join(root, "build/laws")
    os.makedirs(done, exist_ok=True)
    known = {}
    mine = [n for n in names if n.endswith(".h") and n.startswith(("engine/", "fuzz/", "bench/"))]
    marks = {n: f"{done}/{with_all_it_includes(root, n, known)}" for n in mine}
    mine = [n for n in mine if not os.path.exists(marks[n])]
    with_source = {n for n in mine if has_source(root, n)}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        common = os.path.join(folder, "common.h")
        with open(common, "w", encoding="utf-8") as file:
            file.writelines(f"#include <{c}>\n" for c in COMMON)
        before = ["-include", common]
        if len(with_source) > 20:
            pch = ["-std=c++20", "-x", "c++-header", common, "-o", common + ".pch"]
            subprocess.run([COMPILER, *pch], check=True)
            before = ["-include-pch", common + ".pch"]

        def problem_of(name):
            if name in with_source and before[0] == "-include-pch":
                return compiles_alone(root, name, before)
            problem = compiles_alone(root, name)
            if problem and name in with_source:
                return compiles_alone(root, name, before)
            return problem

        problems = pool.map(problem_of, mine)
        for name, problem in zip(mine, problems):
            if problem:
                yield problem
            else:
                open(marks[name], "w").close()


def united_groups(root, names):
    """CMake leaves out what is not there, so that a file can be moved without its line."""
    listed = "cmake/united/groups.txt"
    if listed not in names:
        return
    files, hot = read(root, listed).split(), read(root, "cmake/profile/sources.txt").split()
    for name in sorted(set(files)):
        if name not in names:
            yield f"{listed}: names {name}, which is not there; run cmake/united/group.py"
        elif files.count(name) > 1 or name in hot:
            yield f"{listed}: {name} is in two groups or is hot; run cmake/united/group.py"


def wide_headers(root, names):
    for name in names:
        if not name.endswith(".h") or name in WIDE_IN or name.startswith("suites/"):
            continue
        for included in re.findall(r"^[ \t]*#[ \t]*include[ \t]*<([^>]+)>", read(root, name), re.M):
            if WIDE.match(included):
                yield f"{name}: reads {included} into all that include it; a .cpp can"


def head_of(name, text):
    """The lines of the opening comment, without their marks."""
    if text.startswith("#!"):
        text = text.partition("\n")[2]
    if name.endswith((".cpp", ".h")):
        return [line[2:] for line in re.match(r"(?://.*\n)*", text).group(0).split("\n")[:-1]]
    marks, doc = re.match(r'((?:#[^\n]*\n)*)(?:"""(.*?)""")?', text, re.S).groups()
    return [line[1:] for line in marks.split("\n")[:-1]] + (doc.rstrip().split("\n") if doc else [])


def heads(root, names):
    for name in names:
        if not name.endswith(SOURCES) and not is_python(root, name):
            continue
        head = head_of(name, read(root, name))
        told = " ".join(head).strip()
        prose = [line for line in head if line.strip() and not line.startswith("  ")]
        see = re.fullmatch(r"See (\w+\.h)\.", told)
        if not told:
            yield f"{name}: does not start with a comment that tells its idea"
        elif see and see.group(1) not in [
            os.path.basename(n) for n in names if os.path.dirname(n) == os.path.dirname(name)
        ]:
            yield f"{name}: refers to {see.group(1)}, which is not beside it"
        elif not see and len(told.split()) < 3:
            yield f"{name}: its first comment tells too little: '{told}'"
        elif len(prose) > MAX_HEAD:
            yield (
                f"{name}: its first comment has {len(prose)} lines of prose, the cap is {MAX_HEAD}"
            )


def flags_in(text):
    return set(re.findall(r"--[a-z][\w-]*", text))


def flags_of_verbs(root, name):
    """Verb -> flags, of the verbs that a file registers: those named after VERB(verb, those that
    the file's other functions name, and those of the command-line helpers beside it that it
    includes."""
    text = read(root, name)
    shared, *rest = re.split(r"(?m)^VERB\(", text)
    common = flags_in(shared)
    for header in re.findall(r'#include "(fuzz/cli/\w+)\.h"', text):
        helper = header + ".cpp"
        if helper != name and os.path.exists(os.path.join(root, helper)):
            common |= flags_in(read(root, helper))
    return {block.partition(",")[0]: common | flags_in(block) for block in rest}


def readme(root, names):
    if "README.md" not in names:
        yield "README.md: is missing"
        return
    verbs, targets = {}, set()
    for name in names:
        if name.endswith(".cpp") and name.startswith(("fuzz/cli/", "bench/")):
            verbs |= flags_of_verbs(root, name)
        elif os.path.basename(name) == "CMakeLists.txt" or name.endswith(".cmake"):
            targets |= set(re.findall(r"\badd_executable\((\w+)", read(root, name)))
    text = read(root, "README.md")
    if text.count("\n") > MAX_README:
        yield f"README.md: {text.count(chr(10))} lines, the cap is {MAX_README}"
    code = "\n".join(
        re.findall(r"```\w*\n(.*?)```", text, re.S) + re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)
    )
    for line in code.split("\n"):
        for word in re.findall(r"(?:^|\s)(?:\./)?((?:ci|suites|bench|reports)/[\w./-]+)", line):
            if not os.path.exists(os.path.join(root, word.rstrip("."))):
                yield f"README.md: runs {word}, which does not exist"
        for binary in re.findall(r"(?:^|\s)(?:\./)?build/\w+/(\w+)", line):
            if targets and binary not in targets:
                yield f"README.md: runs {binary}, which nothing builds"
        run = re.search(r"(?:^|/)fusillade (\w+)(.*)", line)
        if run and run.group(1) not in verbs:
            yield f"README.md: runs the verb '{run.group(1)}', which does not exist"
            continue
        for flag in (
            re.findall(r"(?:^|\s)(--[a-z][\w-]*)", run.group(2).partition("#")[0]) if run else []
        ):
            if flag not in verbs[run.group(1)] and flag != "--help":
                yield f"README.md: gives '{run.group(1)}' the flag {flag}, which does not exist"


def marks(root, names):
    for name in names:
        lined = name.endswith((*SOURCES, ".sh", ".md", ".cmake", ".txt"))
        if not lined and not is_python(root, name):
            continue
        for number, line in enumerate(read(root, name).split("\n"), 1):
            if UNFINISHED.search(line):
                yield f"{name}:{number}: a mark of unfinished work"
            if MACHINE.search(line):
                yield f"{name}:{number}: an absolute path of one machine"


LAWS = {
    "layers": layers,
    "forks": forks,
    "size": size,
    "columns": columns,
    "format": format_,
    "lint": lint,
    "op lists": op_lists,
    "operator facts": operator_facts,
    "function names": function_names,
    "traits": traits,
    "headers": headers,
    "wide headers": wide_headers,
    "united": united_groups,
    "heads": heads,
    "readme": readme,
    "marks": marks,
} | {**functions.LAWS, **pages.LAWS}


def faults(root):
    names = files_of(root)
    return [f"{law}: {problem}" for law, check in LAWS.items() for problem in check(root, names)]


def main(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("root", nargs="?", default=here, help="folder of the tree (default: mine)")
    root = parser.parse_args(argv[1:]).root
    if not os.path.isdir(root):
        parser.error(f"'{root}' is no folder")
    problems = faults(root)
    for problem in problems:
        print(problem)
    print(f"laws: {len(LAWS)} checked, {len(problems)} broken places")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
