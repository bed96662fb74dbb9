"""The issue of a finding: what its script shows, which back end is to blame, text that is inert."""

import json
import sys

import pytest
from fusillade_reports import upstream

FINDING = {
    "schema": 1,
    "bucket": "mismatch-torch-compile-0123456789ab",
    "verdict": "mismatch",
    "oracle": "compiled",
    "message": "wrong result",
    "nodes": 2,
    "origin": "seed=1 index=2 policy=chains",
    "detail": "output 0: element 0 is nan, its eager mode gives inf",
    "blame": {"kind": "engine outside", "name": "torch:compile", "of": "", "words": "", "note": ""},
    "plan": "torch:compile",
    "cases": 1,
    "reproduced": 3,
    "tried": 3,
    "engines": [],
    "operators": ["aten::exp", "aten::threshold"],
    "program": {"language": "graph", "text": "graph():\n  return ()\n"},
    "commands": {"repro": "r", "bisect": "b", "show": "s"},
    "no_script": None,
}

# A torch of the test's own: it compiles wrongly from the back end WRONG_FROM on.
SCRIPT = """import sys
class torch:
    order = ["eager", "aot_eager", "aot_eager_decomp_partition", "inductor"]
    def compile(f, backend="inductor"):
        wrong = torch.order.index(backend) >= WRONG_FROM
        return (lambda: "nan") if wrong else f
def f(): return "inf"
expected, got = f(), torch.compile(f)()
print(f"expected {expected}, got {got}")
sys.exit(0 if got == expected else 77)
"""


def folder_of(tmp_path, wrong_from, **changed):
    (tmp_path / "finding.json").write_text(json.dumps({**FINDING, **changed}))
    script = tmp_path / "made.py"
    script.write_text(SCRIPT.replace("WRONG_FROM", str(wrong_from)))
    return str(tmp_path), str(script)


@pytest.fixture(autouse=True)
def versions(monkeypatch):
    for family in upstream.VERSIONS:
        monkeypatch.setitem(upstream.VERSIONS, family, "print('versions of', 3)")


@pytest.mark.parametrize(
    "wrong_from, blamed",
    [
        (0, "Dynamo: already"),
        (1, "AOTAutograd: "),
        (2, "decompositions or"),
        (3, "Inductor: every"),
    ],
)
def test_the_first_back_end_that_shows_it_is_to_blame(tmp_path, wrong_from, blamed):
    issue, search, shows = upstream.upstream(*folder_of(tmp_path, wrong_from), sys.executable)
    assert shows and "in 3 of 3 runs" in issue and f"First to blame: {blamed}" in issue
    assert issue.count("| yes |") == 4 - wrong_from and "versions of 3" in issue
    assert "exp wrong result" in search and "github.com/pytorch/pytorch/issues" in search


def test_what_does_not_show_is_said(tmp_path, capsys):
    folder, script = folder_of(tmp_path, 9)
    assert upstream.main(folder, script, sys.executable) == 3
    assert "did not show it here" in capsys.readouterr().out


def test_text_of_strangers_stays_text(tmp_path):
    evil = {
        "detail": "a\x1b[31m ```\n# not ours",
        "message": "\x1b]52;c;\x07",
        "operators": ["aten::x`y"],
        "origin": "o\u202e",
    }
    issue, search, _ = upstream.upstream(*folder_of(tmp_path, 3, **evil), sys.executable)
    assert not any(c in issue + search for c in "\x1b\x07\u202e")
    script = (tmp_path / "made.py").read_text()
    (tmp_path / "made.py").write_text("# ```\n" + script)
    issue, _, _ = upstream.upstream(str(tmp_path), str(tmp_path / "made.py"), sys.executable)
    assert "````python\n# ```" in issue, "the script cannot close its fence"


@pytest.mark.parametrize(
    "broken, said",
    [
        ({"plan": "vm/o2"}, "issues are written for torch, jax, ort"),
        ({"operators": 3}, "finding.json"),
        ({"nodes": None, "origin": None}, "finding.json"),
    ],
)
def test_what_is_no_such_finding_gets_a_sentence(tmp_path, capsys, broken, said):
    folder, script = folder_of(tmp_path, 3, **broken)
    assert upstream.main(folder, script, sys.executable) == 1
    assert said in capsys.readouterr().err


def test_a_folder_without_a_finding(tmp_path, capsys):
    assert upstream.main(str(tmp_path), "none.py", sys.executable) == 1
    assert "holds no finding.json" in capsys.readouterr().err


def test_a_script_without_a_compile_has_no_ablation(tmp_path):
    folder, script = folder_of(tmp_path, 3)
    (tmp_path / "made.py").write_text("import sys\nprint('expected 1, got 2')\nsys.exit(77)\n")
    issue, _, shows = upstream.upstream(folder, script, sys.executable)
    assert shows and "## Ablation" not in issue
