"""fusillade upstream: the issue of a finding, from its case alone; what is none is refused."""

import subprocess
from pathlib import Path

import pytest
from under_test import ROOT, error, run

ENGINES = Path(ROOT, "build/engines/bin/python")
# pytorch#198183, as suites/external/torch213_erf_of_small.py has it.
CASE = """fusillade case 1
oracle: compiled
plan: torch:compile
program:
  graph(%x : Tensor):
    %y : Tensor = aten::erf(%x)
    return (%y)
call:
    x = f32[32] {SMALL}
end
""".replace("SMALL", ", ".join(["-1e-05"] * 32))
FINDING = (
    '{"schema": 1, "bucket": "mismatch-torch-compile-0", "verdict": "mismatch", "oracle": '
    '"compiled", "message": "wrong result", "nodes": 1, "origin": "seed=1 index=0", "detail": '
    '"output 0: nan", "blame": {"kind": "engine outside", "name": "torch:compile", "of": "", '
    '"words": "torch:compile", "note": ""}, "plan": "torch:compile", "cases": 1, "reproduced": 3, '
    '"tried": 3, "engines": [], "operators": ["aten::erf"], "program": '
    '{"language": "graph", "text": "graph()"}, "commands": {"repro": "r", "bisect": "b", "show": '
    '"s"}, "no_script": null}'
)


def folder_of(tmp_path, case):
    (tmp_path / "finding.json").write_text(FINDING)
    (tmp_path / "reduced.case").write_text(case)
    return tmp_path


def test_what_is_no_finding_is_said(tmp_path):
    assert "holds no finding.json" in error("upstream", tmp_path)
    ours = folder_of(tmp_path, CASE.replace("torch:compile", "vm/o2").replace("compiled", "shapes"))
    assert "vm/o2, which is ours" in error("upstream", ours)
    assert not (tmp_path / "issue.md").exists()


@pytest.mark.skipif(not ENGINES.exists(), reason="build/engines is not made")
def test_the_issue_of_a_finding(tmp_path):
    """A script in the folder is never run: the one that is run is written from the case."""
    (tmp_path / "f").mkdir()
    folder = folder_of(tmp_path / "f", CASE)
    marker = tmp_path / "ran"
    (folder / "script.py").write_text(f"open({str(marker)!r}, 'w')\n")
    done = run("upstream", folder)
    shown = subprocess.run([ENGINES, ROOT / "suites/external/torch213_erf_of_small.py"])
    if shown.returncode == 0:
        pytest.skip("torch.compile makes no vector code here, which the bug is in")
    assert done.returncode == 0, done.stderr
    issue = (folder / "issue.md").read_text()
    assert issue == done.stdout and not marker.exists()
    for part in ("torch.erf", "## Ablation", "First to blame: Inductor", "PyTorch version"):
        assert part in issue, issue
    assert "search https://github.com/pytorch/pytorch/issues" in done.stderr


@pytest.mark.skipif(not ENGINES.exists(), reason="build/engines is not made")
def test_what_does_not_fail_is_not_reported(tmp_path):
    folder = folder_of(tmp_path, CASE.replace("-1e-05", "1.5"))
    done = run("upstream", folder)
    assert done.returncode == 3 and "there is nothing to report" in done.stderr
