"""The law of the length of functions, for ci/laws.py: in C++ they have at most 60 lines.

A function counts from where it is declared to its closing brace, with the lambdas in it. A lambda
outside of any function, as tables hold them, counts by itself. Braces are matched where comments,
strings and lines of the preprocessor are blanked; LONG names what may be longer.
"""

import os
import re

MAX_LINES = 60
LONG = {  # one switch or one chain of cases each, or a table
    "engine/front/block_builder.cpp": ["BlockBuilder::merge_name"],
    "engine/front/elaborate_expr.cpp": ["Elaborator::eval"],
    "engine/front/emit_operator.cpp": ["Operators::compare_pair"],
    "engine/run/vm.cpp": ["interpret"],
    "suites/unit/trace_test.cpp": ["pairs"],
}
FOLDERS = ("engine/", "fuzz/", "bench/", "suites/")
# What braces in it are no braces.
TEXT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n\\]|\\.)*|R"([^(\s]*)\(.*?\)\1"|"""
    r""" "(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'""",
    re.S | re.M | re.X,
)
MARK = re.compile(r"[{}()\[\];]")
NAME = re.compile(r"([\w:~]+|operator\W+)\s*\(")
SPACE = re.compile(r"\s*")
BEFORE = re.compile(
    r"\s*(?:(?:public|private|protected)\s*:|template\s*(?=<)|"
    r"[A-Z][A-Z0-9_]*\([^()]*\)(?=\s*\w))\s*"
)
LAMBDA = re.compile(
    r"\]\s*(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?\s*(?:mutable\s*|noexcept\s*)*"
    r"(?:->[\w\s:<>,*&]+)?\Z"
)
SCOPE = re.compile(
    r"(?:inline\s+)?(?:namespace|class|struct|union|enum|extern)\b(?!.*\)\s*\Z)", re.S
)
BODY = re.compile(r"\)\s*(?:const\b|noexcept\b|try\b|override\b|final\b|&|->[^;{}()]+|\s)*\Z")
CONSTRUCTOR = re.compile(r"\)\s*(?:noexcept\s*)?:(?!:)")


def without_text(text):
    """The same lines, with blanks for comments, strings and what the preprocessor reads."""
    return TEXT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def declaration_start(code, start, end):
    """Where what is declared there begins, behind labels, macros and `template <...>`."""
    while found := BEFORE.match(code, start, end):
        start = found.end()
        if code[start : start + 1] == "<":
            depth = 0
            while start < end:
                depth += (code[start] == "<") - (code[start] == ">" and code[start - 1] != "-")
                start += 1
                if depth == 0:
                    break
    return SPACE.match(code, start, end).end()


def bodies(text):
    """First line, last line and head of each function, and of each lambda outside of one."""
    code = without_text(text)
    scopes, start = [], 0  # of each brace that is open: where its body's head begins, or None
    brackets, inside, depth = [], None, 0  # open (, [; the function that is read
    for mark in MARK.finditer(code):
        at, c = mark.start(), mark[0]
        if inside is not None:
            depth += (c == "{") - (c == "}")
            if depth == 0:
                head = " ".join(code[inside : code.index("{", inside)].split())
                yield code.count("\n", 0, inside) + 1, code.count("\n", 0, at) + 1, head
                start, inside = (start if brackets else at + 1), None
        elif c in "([":
            brackets.append(at)
        elif c in ")]":
            if brackets:
                brackets.pop()
        elif c == ";":
            start = start if brackets else at + 1
        elif c == "{":
            begin = declaration_start(code, start, at)
            head = code[begin:at]
            found = LAMBDA.search(head)
            if found:
                # Its captures begin where the bracket opens that this one closes.
                inside, depth = code.rindex("[", 0, begin + found.start()), 1
            elif brackets:
                scopes.append((brackets, False))
                brackets = []
            elif SCOPE.match(head):
                scopes.append((brackets, True))
                start, brackets = at + 1, []
            elif "(" in head and (
                BODY.search(head)
                or (CONSTRUCTOR.search(head) and head.rstrip().endswith((")", "}")))
            ):
                inside, depth = begin, 1
            else:
                scopes.append((brackets, False))
                brackets = []
        elif scopes:
            brackets, scope = scopes.pop()
            if scope:
                start = at + 1


def functions(root, names):
    for name in names:
        if not name.startswith(FOLDERS) or not name.endswith((".h", ".cpp")):
            continue
        with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
            text = file.read()
        may = set(LONG.get(name, ()))
        for first, last, head in bodies(text):
            if last - first < MAX_LINES:
                continue
            called = NAME.search(head)
            called = called[1] if called else "a lambda"
            if called in may:
                may.remove(called)
            else:
                lines = last - first + 1
                yield f"{name}:{first}: {called} has {lines} lines, the cap is {MAX_LINES}"
        for called in sorted(may):
            yield f"{name}: {called} is within the cap: take it out of LONG (ci/functions.py)"


LAWS = {"functions": functions}
