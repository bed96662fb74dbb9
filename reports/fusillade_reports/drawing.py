"""Programs drawn: a graph's text as Graphviz's input, and what `dot` makes of it as SVGs for the
page.

Nodes are ops with their constants written into them, edges are values, blocks of If and Loop are
boxes. Where `dot` is not installed, fails, or a graph is large or not read, there is no drawing and
the page shows the text alone.
"""

import re
import shutil
import subprocess

from markupsafe import Markup, escape

MOST_NODES = 40
MOST_DRAWN = 60
SECONDS = 10
VALUE = re.compile(r"%[A-Za-z0-9_.]+")
RESULT = re.compile(r"(%[A-Za-z0-9_.]+)(?: : (.*?))?(?=, %|$)")
BLOCK = re.compile(r"block\d+\((.*)\):$")
NODE = re.compile(r"(?:(.*?) = )?([A-Za-z_]+::[A-Za-z0-9_.]+)(\[.*\])?\((.*?)\)(?: #.*)?$", re.S)


class NotRead(Exception):
    """A text that is no graph of ours."""


def _quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _type(text):
    """`Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)` without what is on every
    tensor."""
    text = re.sub(r", (strides=\[[^]]*\]|requires_grad=\d|device=\w+)", "", text or "")
    return re.sub(r"\((strides=\[[^]]*\]|requires_grad=\d|device=\w+)\)", "()", text)


def _shorten(text, most=60):
    return text if len(text) <= most else text[: most - 1] + "\u2026"


class _Graph:
    def __init__(self):
        self.lines = []  # of nodes and boxes
        self.edges = []  # behind all boxes: an edge within a box draws its nodes into it
        self.makers = {}  # value -> node of dot
        self.constants = {}  # value -> its literal
        self.count = 0

    def add(self, label, shape, values=()):
        name = f"n{self.count}"
        self.count += 1
        self.lines.append(f"{name} [label={_quote(label)}, shape={shape}];")
        for v in values:
            self.makers[v] = name
        return name

    def use(self, name, args):
        for v in dict.fromkeys(VALUE.findall(args)):
            if v in self.makers:
                self.edges.append(f"{self.makers[v]} -> {name} [label={_quote(v)}];")

    def with_constants(self, args):
        return VALUE.sub(lambda m: self.constants.get(m.group(), m.group()), args)

    def params(self, text):
        for value, kind in RESULT.findall(text):
            self.add(f"{value} : {_type(kind)}" if kind else value, "plaintext", [value])

    def node(self, line):
        found = NODE.match(line)
        if not found:
            raise NotRead(line)
        results, op, attributes, args = found.groups()
        pairs = RESULT.findall(results or "")
        if op == "prim::Constant" and len(pairs) == 1:
            value = re.match(r"\[value=(.*)\]$", attributes or "", re.S)
            self.constants[pairs[0][0]] = _shorten(value.group(1) if value else "None", 24)
            return None
        title = _shorten(f"{op}({self.with_constants(args)})")
        kinds = [f"{v} : {_type(k)}" if k else v for v, k in pairs]
        name = self.add(
            "\n".join([title] + [_shorten(k) for k in kinds]), "box", [v for v, _ in pairs]
        )
        self.use(name, args)
        return name


def _logical_lines(text):
    """(indent, line) with the inputs of a graph, which span lines, on one."""
    head, _, body = text.partition("):\n")
    if not head.startswith("graph(") or not body:
        raise NotRead(text[:40])
    yield 0, " ".join(head.split()) + "):"
    for line in body.split("\n"):
        if line.strip():
            yield len(line) - len(line.lstrip()), line.strip()


def dot_of(text, number):
    """Graphviz's input for a graph's text; NotRead where it is none, or holds more than
    MOST_NODES."""
    graph, owners, clusters, last = _Graph(), [], 0, None
    for indent, line in _logical_lines(text):
        while owners and indent <= owners[-1][0]:
            owners.pop()
            graph.lines.append("}")
        block = BLOCK.match(line)
        if line.startswith("graph("):
            graph.params(line[len("graph(") : -2])
        elif block:
            owners.append((indent, last))
            graph.lines.append(
                f"subgraph cluster_{number}_{clusters} {{ label={_quote(line.split('(')[0])};"
            )
            clusters += 1
            graph.params(block.group(1))
        elif line.startswith("-> ("):
            name = graph.add(graph.with_constants(line), "plaintext")
            graph.use(name, line)
            if owners and owners[-1][1]:
                graph.edges.append(f"{name} -> {owners[-1][1]} [style=dashed, constraint=false];")
        elif line.startswith("return ("):
            graph.use(graph.add(graph.with_constants(line), "plaintext"), line)
        else:
            last = graph.node(line)
        if graph.count > MOST_NODES:
            raise NotRead("large")
    graph.lines += ["}"] * len(owners) + graph.edges
    style = (
        'bgcolor="transparent"; rankdir=TB; nodesep=0.2; ranksep=0.28; fontname="monospace"; '
        "fontsize=8; color=gray; "
        'node [fontname="monospace", fontsize=8, height=0.2, margin="0.08,0.03"]; '
        'edge [fontname="monospace", fontsize=7, arrowsize=0.5];'
    )
    return f"digraph g{number} {{ {style}\n" + "\n".join(graph.lines) + "\n}\n"


def _restyle(svg, prefix, alt):
    svg = re.sub(r"<!--.*?-->\n?|<title>.*?</title>\n?", "", svg, flags=re.S)
    svg = re.sub(r'\sid="', f' id="{prefix}-', svg)
    svg = re.sub(r'(fill|stroke)="black"', r'\1="currentColor"', svg)
    svg = re.sub(r'(fill|stroke)="gray"', r'\1="var(--muted)"', svg)
    svg = re.sub(r"<text ", '<text fill="currentColor" ', svg)
    return Markup(svg.replace("<svg ", f'<svg role="img" aria-label="{escape(alt)}" ', 1))


def _svg(program, dot):
    """What dot makes of one graph, or None. Given several at once, dot 2.42 does not lay them out
    alike each time."""
    try:
        done = subprocess.run(
            [program, "-Tsvg"], input=dot, capture_output=True, text=True, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"<svg .*</svg>", done.stdout, flags=re.S)
    return found.group() if done.returncode == 0 and found else None


def draw(causes):
    """{bucket: SVG} of the first MOST_DRAWN causes that are graphs which can be drawn."""
    program = shutil.which("dot")
    out = {}
    for number, cause in enumerate(causes):
        if not program or len(out) == MOST_DRAWN:
            break
        try:
            svg = _svg(program, dot_of(cause.program, number)) if cause.is_graph else None
        except NotRead:
            continue
        if svg:
            out[cause.finding.bucket] = _restyle(
                svg, f"graph{number}", "The reduced program as a graph; its text stands beside it"
            )
    return out
