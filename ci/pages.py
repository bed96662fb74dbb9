"""The laws of Markdown, for ci/laws.py: what a page may look like and how its prose reads.

columns     at most 100; tables, blocks of code, comments and lines that have no place to break
            (a link, a path) are exempt
sentences   of each page the median has at most 18 words and nine tenths have at most 40; words in
            tables, headings and blocks of code are not counted, and code within a line is one word
links       every relative link leads to a file, and its #anchor to a heading of it; every page that
            prose names by its path is there
timeless    no date, commit hash, load of a machine, or "stranger": those belong to results/

Pages below results/ and CHANGELOG.md record what was measured or done on a day: of them only links
are asked.
"""

import os
import re
import statistics

MAX_COLUMNS = 100
MEDIAN, P90 = 18, 40
LOGS = ("results/", "bench/results/", "CHANGELOG.md")
FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')*]*\s+(?=[A-Z0-9`\"'(*\[<-])")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)|(?:href|src)=\"([^\"]+)\"")
PAGE = re.compile(r"`((?:docs|results)/[\w./-]+\.md)`")
TIMELY = [
    (re.compile(r"\b20\d\d-[01]\d-[0-3]\d\b"), "a date"),
    (re.compile(r"(?<![-\w])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b"), "a commit hash"),
    (re.compile(r"\b(?:at a|a|under) load (?:of )?\d|\bload \d", re.I), "the load of a machine"),
    (re.compile(r"\bstrangers?\b", re.I), "a stranger"),
]


def pages(names):
    return [name for name in names if name.endswith(".md")]


def is_log(name):
    return name.startswith(LOGS)


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def lines_of(text):
    """Number, line and whether it is code, of each line; fences count as code."""
    fence = None
    for number, line in enumerate(text.split("\n"), 1):
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark[1]
            yield number, line, True
        elif fence is not None:
            yield number, line, True
            if mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = None
        else:
            yield number, line, False


def columns(root, names):
    for name in pages(names):
        if is_log(name):
            continue
        for number, line, code in lines_of(read(root, name)):
            if code or len(line) <= MAX_COLUMNS or line.lstrip().startswith(("|", "<!--", "<img")):
                continue
            if " " in line.strip("- *")[:MAX_COLUMNS]:
                yield f"{name}:{number}: {len(line)} columns, the cap is {MAX_COLUMNS}"


def paragraphs(text):
    """The prose of a page: paragraphs and items of lists, each as one line of text."""
    lines_held = []
    for _, line, code in lines_of(text):
        bare = line.strip()
        starts = re.match(r"(?:[-*+]|\d+\.)\s+", bare)
        separate = code or not bare or bare.startswith(("|", "#", "<", "!["))
        if (separate or starts) and lines_held:
            yield " ".join(lines_held)
            lines_held = []
        if not separate:
            lines_held.append(bare[starts.end() :] if starts else bare)
    if lines_held:
        yield " ".join(lines_held)


def sentences(text):
    """The number of words of each sentence of a page."""
    counts = []
    for paragraph in paragraphs(re.sub(r"<!--.*?-->", "", text, flags=re.S)):
        plain = re.sub(r"``.*?``|`[^`]*`", "`code`", paragraph)
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain)
        for sentence in SENTENCE_END.split(plain):
            words = [w for w in sentence.split() if re.search(r"\w", w)]
            if words:
                counts.append(len(words))
    return counts


def ninth_tenth(counts):
    """The least number of words that nine tenths of the sentences do not exceed."""
    return sorted(counts)[max(0, -(-len(counts) * 9 // 10) - 1)]


def prose(root, names):
    for name in pages(names):
        counts = [] if is_log(name) else sentences(read(root, name))
        if not counts:
            continue
        middle, most = statistics.median(counts), ninth_tenth(counts)
        if middle > MEDIAN:
            yield f"{name}: its median sentence has {middle:g} words, the cap is {MEDIAN}"
        if most > P90:
            yield f"{name}: one sentence in ten has {most} words or more, the cap is {P90}"


def anchors(text):
    """The anchors of a page's headings, as GitHub and mkdocs make them."""
    found = set()
    for _, line, code in lines_of(text):
        heading = None if code else re.match(r"#+\s+(.*?)\s*#*$", line)
        if heading:
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)|`", r"\1", heading[1]).lower()
            found.add(re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", words)))
    return found


def targets(text):
    """Number and target of each link and of each page named by its path."""
    for number, line, code in lines_of(text):
        if code:
            continue
        for match in LINK.finditer(re.sub(r"`[^`]*`", "`code`", line)):
            yield number, match[1] or match[2], False
        for match in PAGE.finditer(line):
            yield number, match[1], True


def links(root, names):
    for name in pages(names):
        for number, target, from_root in targets(read(root, name)):
            if re.match(r"[a-z]+:|//", target):
                continue
            path, _, anchor = target.partition("#")
            folder = "" if from_root else os.path.dirname(name)
            to = os.path.normpath(os.path.join(folder, path)) if path else name
            if not os.path.exists(os.path.join(root, to)):
                yield f"{name}:{number}: leads to {target}, which is not there"
            elif anchor and to.endswith(".md") and anchor not in anchors(read(root, to)):
                yield f"{name}:{number}: leads to {target}, and no heading there is called so"


def timeless(root, names):
    for name in pages(names):
        if is_log(name):
            continue
        for number, line, code in lines_of(read(root, name)):
            for pattern, what in TIMELY:
                if not code and pattern.search(line):
                    yield f"{name}:{number}: tells {what}, which belongs to results/"


LAWS = {
    "page columns": columns,
    "sentences": prose,
    "links": links,
    "timeless": timeless,
}
