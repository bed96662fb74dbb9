"""Programs drawn: every graph of the regression cases is read, and what is drawn holds its ops and
nothing else."""

import glob
import os
import re
import shutil
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
import samples
from fusillade_reports import causes, drawing, old_findings

CASES = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "suites", "regress", "*.case"
)
needs_dot = pytest.mark.skipif(
    not shutil.which("dot"), reason="graphviz is not installed (ci/setup.sh)"
)


def cause(text, bucket="b"):
    return causes.Cause(SimpleNamespace(bucket=bucket), text, True, "", "", "", [])


def graphs():
    for path in sorted(glob.glob(CASES)):
        with open(path, encoding="utf-8", errors="replace") as file:
            text, is_graph = old_findings.program_of(file.read())
        if is_graph:
            yield os.path.basename(path), text


def test_what_a_block_uses_stays_outside_of_it():
    """An edge within a box would draw both its nodes into the box."""
    boxes = re.findall(r"subgraph [^{]*\{(.*?)\n\}", drawing.dot_of(samples.GRAPH, 0), flags=re.S)
    assert len(boxes) == 2 and all(
        "->" not in re.sub('"[^"]*"', "", box.replace("[label", "")) for box in boxes
    )
    assert "aten::relu" in boxes[1] and "prim::If" not in "".join(boxes)


def test_regression_cases_are_read():
    found = dict(graphs())
    assert len(found) > 20
    for name, text in found.items():
        if "prim::CallFunction" in text:
            continue
        dot = drawing.dot_of(text, 0)
        ops = len(re.findall(r"= [a-z]+::\w+", text)) - text.count("= prim::Constant")
        assert dot.count("shape=box") >= ops, name
        assert dot.count("{") == dot.count("}"), name


def test_graph_as_dot():
    dot = drawing.dot_of(samples.GRAPH, 3)
    assert 'n2 [label="aten::add(%0, %1, 1)\\n%3 : Float(2)", shape=box];' in dot
    assert 'n0 -> n2 [label="%0"];' in dot and 'label="block1"' in dot and "cluster_3_1" in dot
    assert dot.index("aten::relu") > dot.index("cluster_3_1")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "graph():\n",
        "block0():",
        "graph(%0 : int):\nnonsense",
        "x = 1",
        "graph(\n\n",
        "graph(%0 : int):\n    block0(%1 : int):\n      -> (%1)",
    ],
)
def test_what_is_no_graph_is_not_drawn(text):
    try:
        drawing.dot_of(text, 0)
    except drawing.NotRead:
        pass
    assert set(drawing.draw([cause(text)])) <= {"b"}


def test_large_graphs_are_not_drawn():
    lines = "".join(f"  %{i + 1} : int = aten::neg(%{i})\n" for i in range(drawing.MOST_NODES + 1))
    with pytest.raises(drawing.NotRead, match="large"):
        drawing.dot_of(f"graph(%0 : int):\n{lines}  return (%1)", 0)


@needs_dot
def test_drawings_are_svg_with_escaped_text():
    op = (
        "graph(%0 : int):\n  %1 : str = "
        'aten::f[value="</text><script>x</script>&black\\"]("<b>&quot;gray", %0)\n  return (%1)'
    )
    drawn = drawing.draw(
        [cause(samples.GRAPH, "one"), cause("no graph", "two"), cause(op, "three")]
    )
    assert set(drawn) == {"one", "three"}
    for svg in drawn.values():
        root = ElementTree.fromstring(svg.replace("xlink:", ""))
        assert root.get("role") == "img" and not list(
            root.iter("{http://www.w3.org/2000/svg}script")
        )
    assert "aten::add(%0, %1, 1)" in drawn["one"] and 'fill="black"' not in drawn["one"]
    assert 'id="graph0-' in drawn["one"] and 'id="graph2-' in drawn["three"]


def test_without_dot_there_is_text_alone(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert drawing.draw([cause(samples.GRAPH)]) == {}


def test_a_dot_that_fails_is_no_error(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/false")
    assert drawing.draw([cause(samples.GRAPH)]) == {}


def test_programs_of_cases():
    assert old_findings.program_of("a\nprogram:\n  g\n    h\ncall:\nend") == ("g\n  h", True)
    assert old_findings.program_of("script:\n  def f():\n      pass\nend") == (
        "def f():\n    pass",
        False,
    )
    assert old_findings.program_of("nothing") == ("", False)
